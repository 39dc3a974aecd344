package document

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Position is a place in a source text. Line and Column count from 1; a
// column is a Unicode code point, not a byte.
type Position struct {
	File   string
	Line   int
	Column int
}

// String returns "file:line:column".
func (p Position) String() string {
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Issue is one problem at one place. Path is the path of the value concerned,
// such as topology.matrices[0][2]; it is empty for the document as a whole and
// for problems of syntax.
type Issue struct {
	Position Position
	Path     string
	Message  string
	Fault    Fault
	// Help is the meaning of a missing key, with an example; Render prints it below the line. It is empty for none.
	Help string
}

// Fault is the kind of an issue, for code that treats some of them apart.
type Fault int

const (
	// OfValue is a fault of a value or of syntax, UnknownKey a key that nothing reads, and MissingKey a required key
	// that is not there. UnknownKind is a kind that is not known, and Misfit one that does not go with the kind of
	// another section. OutOfBounds is a value that its key alone refuses, whatever the rest is. NoContent is a text
	// in which nothing is.
	OfValue Fault = iota
	UnknownKey
	MissingKey
	UnknownKind
	Misfit
	OutOfBounds
	NoContent
)

// With returns the issue as one of a kind.
func (i Issue) With(fault Fault) Issue {
	i.Fault = fault
	return i
}

// String returns "file:line:column: path: message", without the path if that is empty, and of an unknown key, which the
// message names.
func (i Issue) String() string {
	if i.Path == "" || i.Fault == UnknownKey {
		return fmt.Sprintf("%s: %s", i.Position, i.Message)
	}
	return fmt.Sprintf("%s: %s: %s", i.Position, i.Path, i.Message)
}

// ofFlag reports whether the issue is of the whole value of a flag of the form --flag path, or of
// a key that leads to it: the flag is the place, and names the path.
func (i Issue) ofFlag() bool {
	flag, path, ok := strings.Cut(i.Position.File, " ")
	return ok && strings.HasPrefix(flag, "--") && i.Position.Line == 1 && i.Position.Column == 1 &&
		(path == i.Path || strings.HasPrefix(path, i.Path+"."))
}

// Error makes a single Issue usable as an error.
func (i Issue) Error() string { return i.String() }

func (i Issue) compare(j Issue) int {
	return cmp.Or(i.Position.compare(j.Position), cmp.Compare(i.Path, j.Path), cmp.Compare(i.Message, j.Message))
}

// Issues is the error of every function of this package that can find more
// than one problem.
type Issues []Issue

// Error prints one line per issue, in the order of Sorted.
func (s Issues) Error() string {
	lines := make([]string, 0, len(s))
	for _, issue := range s.Sorted() {
		lines = append(lines, issue.String())
	}
	return strings.Join(lines, "\n")
}

// Sorted returns a copy in the order of file, line and column, without
// duplicates.
func (s Issues) Sorted() Issues {
	sorted := slices.Clone(s)
	slices.SortFunc(sorted, Issue.compare)
	return slices.Compact(sorted)
}

// Err returns the issues as an error, nil when there are none.
func (s Issues) Err() error {
	if len(s) == 0 {
		return nil
	}
	return s
}

// excerptWidth is the largest number of characters of a source line that Render shows.
const excerptWidth = 72

// Render writes each issue followed by the source line it points at, marks under the word at the
// column, and its Help. The function line gives the text of the line at a
// position, as [Document.Line] and [SourceLine] do; where it has none, the
// message stands alone, as it does for the whole value of a flag.
func (s Issues) Render(w io.Writer, line func(Position) (string, bool)) error {
	for _, issue := range s.Sorted().joined() {
		text := issue.String() + "\n"
		if issue.ofFlag() {
			text = fmt.Sprintf("%s: %s\n", issue.Position.File, issue.Message)
		} else if source, ok := line(issue.Position); ok {
			text += excerpt(source, issue)
		}
		for help := range strings.Lines(issue.Help) {
			text += strings.Repeat(" ", numberWidth) + " = " + strings.TrimSuffix(help, "\n") + "\n"
		}
		if _, err := io.WriteString(w, text); err != nil {
			return fmt.Errorf("render issues: %w", err)
		}
	}
	return nil
}

// The beginnings of messages about keys that are not there.
const (
	lacking        = "missing required key "
	lackingSeveral = "missing required keys "
)

// Lacking returns one message about the keys that a mapping lacks, of two such messages.
func Lacking(message, other string) string {
	return strings.Replace(message, lacking, lackingSeveral, 1) + ", " + strings.TrimPrefix(other, lacking)
}

// joined returns sorted issues with those about keys that one mapping lacks as one issue, which has a line of Help for
// each key. A message with words after its key stands by itself.
func (s Issues) joined() (out Issues) {
	plain := func(i Issue) bool {
		return i.Fault == MissingKey && strings.HasPrefix(i.Message, lacking) && !strings.Contains(i.Message[len(lacking):], " ")
	}
	first := -1
	for _, issue := range s {
		if first >= 0 && plain(issue) && out[first].Position == issue.Position && out[first].Path == issue.Path {
			out[first].Message = Lacking(out[first].Message, issue.Message)
			out[first].Help = strings.Trim(out[first].Help+"\n"+issue.Help, "\n")
			continue
		}
		if out = append(out, issue); plain(issue) {
			first = len(out) - 1
		}
	}
	return out
}

// numberWidth is the width of the number of a source line.
const numberWidth = 5

// excerpt returns the source line with marks beneath the word of an issue, cut to excerptWidth
// characters around the column. A missing key has no word there, and one mark.
func excerpt(source string, issue Issue) string {
	runes := []rune(source)
	column := min(max(issue.Position.Column-1, 0), len(runes))
	length := 1
	if issue.Fault != MissingKey {
		length = max(1, wordLength(runes[column:]))
	}
	start := 0
	if column+length > excerptWidth {
		start = max(0, min(column-excerptWidth/2, len(runes)-excerptWidth))
	}
	shown := slices.Clone(runes[start:min(len(runes), start+excerptWidth)])
	if start > 0 {
		shown[0] = '…'
	}
	if start+len(shown) < len(runes) {
		shown[len(shown)-1] = '…'
	}
	length = max(1, min(length, len(shown)-(column-start)))
	return fmt.Sprintf("%*d | %s\n%*s | %s%s\n", numberWidth, issue.Position.Line, string(shown),
		numberWidth, "", strings.Repeat(" ", column-start), strings.Repeat("^", length))
}

// wordLength is the number of runes of the word at the beginning of a text: letters, digits, and signs of numbers and
// names.
func wordLength(text []rune) int {
	end := slices.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-+", r)
	})
	if end < 0 {
		return len(text)
	}
	return end
}

// SourceLine returns a function for [Issues.Render] that finds the lines of a
// text which Parse refused, so that there is no Document to ask. A binary file has none.
func SourceLine(name string, data []byte) func(Position) (string, bool) {
	if isBinary(data) {
		return func(Position) (string, bool) { return "", false }
	}
	s := newSource(name, strings.ToValidUTF8(normalize(string(data)), "�"))
	return s.line
}
