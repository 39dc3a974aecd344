package document

import (
	"fmt"
	"strconv"
	"strings"

	"starling/scenarios/document/internal/nearest"
)

// Unknown says that there is no such thing of a kind, with what Suggest adds:
// unknown metric "regret.rnu"; did you mean "regret.run"?
func Unknown(what, word string, known []string) string {
	return fmt.Sprintf("unknown %s %q%s", what, word, Suggest(word, known, "known:"))
}

// Nearest is the word that Suggest asks for; false where none is near.
func Nearest(word string, known []string) (string, bool) { return nearest.Of(word, known) }

// Suggest ends a message about a word that is not among those that are known: it
// asks whether the nearest of them was meant, or, where none is near, lists them
// all after otherwise, as in "; known: a, b". An empty otherwise lists none. Flags,
// which begin with --, stand without quotes.
func Suggest(word string, known []string, otherwise string) string {
	if meant, ok := nearest.Of(word, known); ok {
		if !strings.HasPrefix(meant, "--") {
			meant = strconv.Quote(meant)
		}
		return "; did you mean " + meant + "?"
	}
	if otherwise == "" {
		return ""
	}
	return "; " + otherwise + " " + strings.Join(known, ", ")
}
