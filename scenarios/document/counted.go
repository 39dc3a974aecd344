package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Counted returns a number with its noun, for messages and notes: "1 seed", "20 seeds".
func Counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Numbers returns numbers as a list, for messages and tables: "1, 3, 19".
func Numbers(list []int) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

// List joins words with commas between them; with semicolons where a word has a comma, as names of
// arms have: "a, b", and "a,x; b".
func List(words []string) string {
	if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(word, ",") }) {
		return strings.Join(words, "; ")
	}
	return strings.Join(words, ", ")
}

// First returns the first words of a List, and the number of the others where there are more than
// most of them: "a, b and 7 more".
func First(words []string, most int) string {
	text := List(words[:min(most, len(words))])
	if more := len(words) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
