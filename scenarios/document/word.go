package document

import "strings"

// plainBytes are the bytes besides letters and digits that no shell changes in a word.
const plainBytes = "_-./=:,@%+"

// Word returns a text as one word of a command that is printed for a shell: in single quotes where the
// shell would split or change it.
func Word(text string) string {
	special := func(r rune) bool {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !plain && !strings.ContainsRune(plainBytes, r)
	}
	if text != "" && strings.IndexFunc(text, special) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
