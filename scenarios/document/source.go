package document

import "strings"

// source is a text that values were read from: a file, or one value given on
// the command line.
type source struct {
	name   string
	runes  []rune
	starts []int // index in runes of each line's first character
}

// byteOrderMark may stand at the start of a file; it is not part of the text.
const byteOrderMark = "\ufeff"

// normalize drops a byte order mark and turns CRLF into LF.
func normalize(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, byteOrderMark), "\r\n", "\n")
}

// newSource takes a normalised text and finds its lines.
func newSource(name, text string) *source {
	s := &source{name: name, runes: []rune(text), starts: []int{0}}
	for i, r := range s.runes {
		if r == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	return s
}

// at returns the position of a place on a line, both counted from 1.
func (s *source) at(line, column int) Position {
	return Position{File: s.name, Line: max(line, 1), Column: max(column, 1)}
}

// line returns the text of the position's line if the position is in s.
func (s *source) line(p Position) (string, bool) {
	if p.File != s.name || p.Line < 1 || p.Line > len(s.starts) {
		return "", false
	}
	end := len(s.runes)
	if p.Line < len(s.starts) {
		end = s.starts[p.Line] - 1
	}
	return string(s.runes[s.starts[p.Line-1]:end]), true
}
