package shell

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8/cwriter"
)

// Styled reports whether text for w may have colours: w is a terminal that shows them, and the
// environment variable NO_COLOR is not set.
func Styled(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && isatty.IsTerminal(file.Fd()) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// SizeOf returns the numbers of columns and lines of the terminal that w writes to; both are 0
// for files and pipes.
func SizeOf(w io.Writer) (width, height int) {
	if width = WidthOf(w); width == 0 {
		return 0, 0
	}
	if _, lines, err := cwriter.GetSize(int(w.(*os.File).Fd())); err == nil {
		height = lines
	}
	return width, height
}

// Style puts colours around text, where they are on.
type Style struct{ On bool }

// The colours of Style besides the colours of Markdown.
const (
	faint  = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
)

func (s Style) put(colour, text string) string {
	if !s.On || text == "" {
		return text
	}
	return colour + text + normal
}

// Bold is for the subject of a line.
func (s Style) Bold(text string) string { return s.put(bold, text) }

// Dim is for less important text.
func (s Style) Dim(text string) string { return s.put(faint, text) }

// Good is for results that are done or best.
func (s Style) Good(text string) string { return s.put(green, text) }

// Warn is for facts that a reader should know.
func (s Style) Warn(text string) string { return s.put(yellow, text) }

// Bad is for failures.
func (s Style) Bad(text string) string { return s.put(red, text) }

// Status is a word for the state of something, in the colour of that state.
func (s Style) Status(word string) string {
	switch word {
	case "complete", "running", "done", "ok":
		return s.Good(word)
	case "waiting":
		return s.Warn(word)
	case "failed", "damaged":
		return s.Bad(word)
	}
	return word
}

// Cut is a line of at most width columns, with … in the place of the rest. Escape sequences
// take no column.
func Cut(line string, width int) string {
	if visible(line) <= width {
		return line
	}
	var text strings.Builder
	styled := false
	for columns := 0; line != "" && columns < width-1; {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			sequence, after, _ := strings.Cut(rest, "m")
			text.WriteString("\x1b[" + sequence + "m")
			line, styled = after, true
			continue
		}
		_, size := utf8.DecodeRuneInString(line)
		text.WriteString(line[:size])
		line = line[size:]
		columns++
	}
	text.WriteString("…")
	if styled {
		text.WriteString(normal)
	}
	return text.String()
}
