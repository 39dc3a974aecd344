package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Unknown returns a message that a word is unknown, with the addition of Suggest: unknown
// metric "regret.rnu"; did you mean "regret.run"?
func Unknown(what, word string, known []string) string {
	return fmt.Sprintf("unknown %s %q%s", what, word, Suggest(word, known, "known:"))
}

// A message lists at most mostListed known words, and fewListed of more than these.
const (
	mostListed = 40
	fewListed  = 8
)

// Suggest returns the end of a message about an unknown word. It asks whether the nearest
// known word was meant. Where none is near it lists all known words after otherwise, as in ";
// known: a, b"; of a list that would hide the message, the first ones. An empty otherwise lists none.
// Flags, which begin with --, are not quoted.
func Suggest(word string, known []string, otherwise string) string {
	if meant, ok := Nearest(word, known); ok {
		if !strings.HasPrefix(meant, "--") {
			meant = strconv.Quote(meant)
		}
		return "; did you mean " + meant + "?"
	}
	if otherwise == "" {
		return ""
	}
	most := len(known)
	if most > mostListed {
		most = fewListed
	}
	return "; " + otherwise + " " + First(known, most)
}

// SuggestDotted is Suggest of names with dots, such as metrics. Where none is near, the first name
// counts whose part before the dot is near, or is the word: regert means regret.run.
func SuggestDotted(word string, known []string, otherwise string) string {
	if _, ok := Nearest(word, known); ok {
		return Suggest(word, known, otherwise)
	}
	firstOf := func(name string) string { first, _, _ := strings.Cut(name, "."); return first }
	firsts := make([]string, len(known))
	for i, name := range known {
		firsts[i] = firstOf(name)
	}
	if first, ok := Nearest(firstOf(word), firsts); ok {
		return Suggest(known[slices.Index(firsts, first)], known, otherwise)
	}
	if i := slices.Index(firsts, firstOf(word)); i >= 0 {
		return Suggest(known[i], known, otherwise)
	}
	return Suggest(word, known, otherwise)
}
