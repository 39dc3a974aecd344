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

// mostListed is the largest number of known words that a message lists.
const mostListed = 40

// Suggest returns the end of a message about an unknown word. It asks whether the nearest
// known word was meant. Where none is near it lists all known words after otherwise, as in ";
// known: a, b", or says how many there are, where a list would hide the message. An empty otherwise
// lists none. Flags, which begin with --, are not quoted.
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
	if len(known) > mostListed {
		return fmt.Sprintf("; %s %d names, and starling list prints them", otherwise, len(known))
	}
	return "; " + otherwise + " " + strings.Join(known, ", ")
}
