package document

import (
	"fmt"
	"regexp"
	"strings"
)

// keyAndRest matches a line that would be a key and its value with a colon and a blank between them.
var keyAndRest = regexp.MustCompile(`^([A-Za-z_][\w.-]*)(:?)(.*)$`)

// beforeBracket matches a word before a bracket or a brace: a key without its colon, and no text.
var beforeBracket = regexp.MustCompile(`^[A-Za-z_][\w.-]* +[\[{]`)

// colonless returns the fault of a line whose key has no colon, or none with a blank after it; ""
// where no word begins the line.
func (s *source) colonless(number int) string {
	line, _ := s.line(s.at(number, 1))
	line, _, _ = strings.Cut(line, " #")
	line = strings.TrimLeft(line, " -")
	return withColon(fmt.Sprintf("line %d has no colon", number), line)
}

// withColon returns a fault with the text as it would be with a colon and a blank after its key; ""
// where no key begins the text.
func withColon(fault, text string) string {
	parts := keyAndRest.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return ""
	}
	key, colon, rest := parts[1], parts[2], strings.TrimSpace(parts[3])
	if colon != "" {
		fault += " with a blank after it"
	} else if rest != "" && rest == parts[3] { // the key ends in a character that keys do not have
		return ""
	}
	if rest == "" {
		return fmt.Sprintf("%s: `%s:` and a value?", fault, key)
	}
	return fmt.Sprintf("%s: `%s: %s`?", fault, key, rest)
}
