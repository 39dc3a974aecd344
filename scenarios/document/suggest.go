package document

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Unknown returns a message that a word is unknown, with the addition of Suggest: unknown
// metric "regret.rnu"; did you mean "regret.run"? A long list of known words ends with the command that prints it.
func Unknown(what, word string, known []string) string {
	return UnknownOf(what, word, known, commands[what])
}

// commands print the known words of long lists.
var commands = map[string]string{"metric": "starling list metrics", "kind or metric": "starling list"}

// UnknownOf is Unknown with the command that prints the known words; empty for none.
func UnknownOf(what, word string, known []string, command string) string {
	if families := familiesOf(known); what == "metric" && len(known) > mostListed && len(families) <= mostFamilies && !isNear(word, known) {
		return fmt.Sprintf("unknown %s %q; none is near: they begin with %s; %s has all", what, word, List(families), command)
	}
	return fmt.Sprintf("unknown %s %q%s", what, word, suggestOf(word, known, "known:", command))
}

// isNear reports whether a known word, or the part of one before its dot, is near.
func isNear(word string, known []string) bool {
	if _, ok := Nearest(word, known); ok {
		return true
	}
	first, _, _ := strings.Cut(word, ".")
	families := familiesOf(known)
	_, near := Nearest(first, families)
	return near || slices.Contains(families, first)
}

// familiesOf returns the parts of names before their dots, each once.
func familiesOf(names []string) (list []string) {
	for _, name := range names {
		if first, _, _ := strings.Cut(name, "."); first != "*" && !slices.Contains(list, first) {
			list = append(list, first)
		}
	}
	slices.Sort(list)
	return list
}

// A message lists at most mostListed known words, and nearestListed of more than these.
const (
	mostListed    = 13
	nearestListed = 3
	fewListed     = 8
	mostFamilies  = 40 // of names with dots
)

// Suggest returns the end of a message about an unknown word. It asks whether the nearest
// known word was meant. Where none is near it lists all known words after otherwise, as in ";
// known: a, b"; of a list that would hide the message, the nearest ones and the number of all. An empty otherwise
// lists none. Flags, which begin with --, are not quoted.
func Suggest(word string, known []string, otherwise string) string {
	return suggestOf(word, known, otherwise, "")
}

// suggestOf is Suggest with the command that prints the known words, where they are many; empty for none.
func suggestOf(word string, known []string, otherwise, command string) string {
	if meant, ok := Nearest(word, known); ok {
		if !strings.HasPrefix(meant, "--") {
			meant = strconv.Quote(meant)
		}
		return "; did you mean " + meant + "?"
	}
	switch {
	case otherwise == "":
		return ""
	case len(known) <= mostListed:
		return "; " + otherwise + " " + List(known)
	}
	text := fmt.Sprintf("; none of %d is near", len(known))
	if near := slices.DeleteFunc(nearestOf(word, known), func(other string) bool { return unlike(word, other) > mostUnlike }); len(near) > 0 {
		text = fmt.Sprintf("; the nearest of %d: %s", len(known), List(near))
	}
	if command != "" {
		text += "; " + command + " has all"
	}
	return text
}

// mostUnlike is the largest part of a word that may differ from one near it.
const mostUnlike = 0.45

// unlike is the edit distance of two words, relative to their length.
func unlike(word, other string) float64 {
	a, b := []rune(strings.ToLower(word)), []rune(strings.ToLower(other))
	return float64(editDistance(a, b)) / float64(max(len(a), len(b), 1))
}

// nearestOf returns the few words that are the nearest by their edit distance, relative to their length.
func nearestOf(word string, known []string) []string {
	list := slices.Clone(known)
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(unlike(word, a), unlike(word, b)) })
	return list[:min(nearestListed, len(list))]
}

// Instead lists the words that can stand in place of another: all of a few, or else the number of all, the nearest ones,
// and the command that prints them.
func Instead(word string, fitting []string, command string) string {
	if len(fitting) <= fewListed {
		return List(fitting)
	}
	near, some := nearestOf(word, fitting), ", such as "
	if unlike(word, near[0]) <= mostUnlike {
		some = "; the nearest: "
	}
	return fmt.Sprintf("%d others%s%s; %s has all", len(fitting), some, List(near), command)
}

// SuggestPart is Suggest of names of several words with hyphens. Where none is near it asks for those that
// begin with the word, and then for others that contain it; else for those whose first word is near.
func SuggestPart(word string, known []string, otherwise string) string {
	if _, ok := Nearest(word, known); ok || len(word) < leastPart {
		return Suggest(word, known, otherwise)
	}
	parts := containing(word, known)
	if len(parts) == 0 {
		firsts := make([]string, len(known))
		for i, name := range known {
			firsts[i], _, _ = strings.Cut(name, "-")
		}
		if first, ok := Nearest(word, firsts); ok {
			parts = containing(first+"-", known)
		}
	}
	switch len(parts) {
	case 0:
		return Suggest(word, known, otherwise)
	case 1:
		return "; did you mean " + strconv.Quote(parts[0]) + "?"
	}
	return "; did you mean one of " + First(parts, fewListed) + "?"
}

// leastPart is the number of letters from which on a part of a name means the name.
const leastPart = 3

// containing returns the names that begin with a word, and then others that contain it, in their order.
// Case does not count.
func containing(word string, names []string) (list []string) {
	word = strings.ToLower(word)
	var inside []string
	for _, name := range names {
		switch at := strings.Index(strings.ToLower(name), word); {
		case at == 0:
			list = append(list, name)
		case at > 0:
			inside = append(inside, name)
		}
	}
	return append(list, inside...)
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
