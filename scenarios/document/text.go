package document

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The limits of a document. They are far above the needs of a scenario. They are here because
// the time and memory of the YAML library grow with the square of some of these numbers, or
// with the depth of its recursion, and input must not be able to exhaust either.
const (
	MaxBytes       = 1 << 20 // size of a file
	MaxDepth       = 64      // nesting of mappings and sequences
	MaxKeys        = 5_000   // keys, over all mappings
	MaxKeyLength   = 64      // characters of one key
	MaxValueLength = 1 << 16 // bytes of one value that is no list or mapping
	MaxPunctuation = 100_000 // line breaks and ASCII punctuation: bounds the number of tokens

	// The scanner looks ahead over whole runs of these from each of their characters.
	maxBlankLines   = 32 // consecutive lines without text
	maxAngleBracket = 32 // consecutive '<'
)

// checkText returns the text of a file or value, without a byte order mark and
// with LF line ends. It refuses, at the position of the first offending character, text that
// is not plain printable UTF-8 or exceeds a limit that has to hold before the text can be
// split into tokens.
func checkText(name string, data []byte) (string, error) {
	if len(data) > MaxBytes {
		return "", Issues{{Position{name, 1, 1}, "", fmt.Sprintf("larger than %d bytes", MaxBytes), OfValue, ""}}
	}
	if isBinary(data) {
		return "", Issues{{Position{name, 1, 1}, "", "not a text file; a scenario is YAML", OfValue, ""}}
	}
	text := normalize(string(data))
	check := textCheck{}
	line, column := 1, 1
	for offset, r := range text {
		if message := check.next(text[offset:], r); message != "" {
			return "", Issues{{Position{name, line, column}, "", message, OfValue, ""}}
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return text, nil
}

// The beginning of a file that isBinary reads, in bytes, and the least number of control characters in it by which
// a file is binary: a text has one by mistake.
const (
	binaryBytes    = 512
	binaryControls = 8
)

// isBinary reports whether data is no text: its beginning has many control characters.
func isBinary(data []byte) bool {
	controls := 0
	for _, b := range data[:min(len(data), binaryBytes)] {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' {
			controls++
		}
	}
	return controls >= binaryControls
}

// textCheck has the counts of checkText over the characters it has passed.
type textCheck struct {
	punctuation, blankLines, angleBrackets int
	lineHasText                            bool
}

// next takes the next character r, the first of rest, and returns its fault, or "".
func (c *textCheck) next(rest string, r rune) string {
	switch {
	case r == utf8.RuneError && !strings.HasPrefix(rest, "\ufffd"):
		return fmt.Sprintf("not UTF-8: byte 0x%02x", rest[0])
	case r == '\t':
		return "tab character; use spaces, or \\t in a double-quoted string"
	case r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffe || r == 0xffff:
		return fmt.Sprintf("control character %U", r)
	}
	if r == '<' {
		c.angleBrackets++
	} else {
		c.angleBrackets = 0
	}
	switch {
	case r == '\n' && !c.lineHasText:
		c.blankLines++
	case r == '\n':
		c.lineHasText = false
	case r != ' ':
		c.blankLines, c.lineHasText = 0, true
	}
	if r == '\n' || strings.ContainsRune("!\"#%&'*,-:<>?@[]`{|}", r) {
		c.punctuation++
	}
	switch {
	case c.angleBrackets > maxAngleBracket:
		return fmt.Sprintf("more than %d consecutive '<'", maxAngleBracket)
	case c.blankLines > maxBlankLines:
		return fmt.Sprintf("more than %d consecutive blank lines", maxBlankLines)
	case c.punctuation > MaxPunctuation:
		return fmt.Sprintf("more than %d line breaks and punctuation characters", MaxPunctuation)
	}
	return ""
}
