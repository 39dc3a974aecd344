package document

import (
	"fmt"
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
