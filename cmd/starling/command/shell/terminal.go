package shell

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8/cwriter"

	"starling/scenarios/results/tabular"
)

// UsualWidth is the width of a terminal that does not report its own, in columns.
const UsualWidth = 100

// WidthOf returns the number of columns of the terminal that w writes to. It is 0, no limit,
// for files and pipes: text for programs is never wrapped.
func WidthOf(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return 0
	}
	width, _, err := cwriter.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return UsualWidth
	}
	return width
}

// WriteNarrowed prints a table. Where it is too wide for a terminal, the columns with one value are a line below it.
func WriteNarrowed(w io.Writer, table tabular.Table) error {
	var equal []string
	if !table.FitsWhole(WidthOf(w)) {
		table, equal = table.WithoutEqual()
	}
	if err := WriteTable(w, table); err != nil || len(equal) == 0 {
		return err
	}
	return WriteText(w, "", "Equal in all rows: "+strings.Join(equal, "; ")+".")
}

// WriteTable prints a table, with ∞ for infinite numbers. On a terminal its cells are wrapped so that the table fits, its
// heading is bold, and the best values are green.
func WriteTable(w io.Writer, table tabular.Table) error {
	plain := func(cells []string) []string {
		list := make([]string, len(cells))
		for i, cell := range cells {
			list[i] = Plain(cell)
		}
		return list
	}
	table.Header = plain(table.Header)
	rows := make([][]string, len(table.Rows))
	for i, row := range table.Rows {
		rows[i] = plain(row)
	}
	table.Rows = rows
	table = table.ForPeople()
	if !Styled(w) {
		return table.WriteWithin(w, WidthOf(w))
	}
	var text strings.Builder
	if err := table.WriteWithin(&text, WidthOf(w)); err != nil {
		return err
	}
	_, err := io.WriteString(w, coloured(text.String()))
	return err
}

// Plain is a text from outside, such as a name in a file, without characters that a terminal
// would obey. All text that is printed of scenarios, runs, files and errors goes through it.
// Data do not: JSON and CSV have rules of their own.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Printf is fmt.Fprintf with arguments that are made Plain.
func Printf(w io.Writer, format string, arguments ...any) (int, error) {
	return io.WriteString(w, Plain(fmt.Sprintf(format, arguments...)))
}

// best is a value that a table marks as the best, or as not distinguishable from it, and standing is a word for the
// state of something, in a cell of its own.
var (
	best     = regexp.MustCompile(`\(?-?[0-9.]+(?:e[+-][0-9]+)?(?: ?± ?[0-9.]+(?:e[+-][0-9]+)?)?\)?(?:e[+-][0-9]+)?(?: \(-?[0-9.e+-]+ to -?[0-9.e+-]+\))? [*~]`)
	standing = regexp.MustCompile(`  (?:running|waiting|failed|damaged|complete)(?:  |$)`)
)

// coloured is the text of a table with colours: of its heading, after each empty line, of
// values and of words.
func coloured(text string) string {
	style, heading := Style{On: true}, true
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			heading = true
		case heading:
			line, heading = style.Bold(line), false
		default:
			line = best.ReplaceAllStringFunc(line, style.Good)
			line = standing.ReplaceAllStringFunc(line, func(cell string) string {
				word := strings.TrimSpace(cell)
				return strings.Replace(cell, word, style.Status(word), 1)
			})
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// WrapLine is a line in lines of at most width columns, 0 for no limit. The continuations are
// indented as the line is. If the line has a label, which two spaces end, they are indented by
// the width of the label, too.
func WrapLine(line string, width int) string {
	if width <= 0 || utf8.RuneCountInString(line) <= width || strings.Contains(line, "\x1b") {
		return line
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if at := strings.LastIndex(line[:min(len(line), width/2)], "  "); at >= indent {
		indent = at + 2
	}
	head, rest := line[:indent], strings.TrimLeft(line[indent:], " ")
	return head + strings.Join(tabular.Wrap(rest, max(width-indent, leastText)), "\n"+strings.Repeat(" ", utf8.RuneCountInString(head)))
}

// leastText is the least number of columns of a text beside its indent, on a terminal of any
// width.
const leastText = 20

// Wrapped prints the output of print to w: on a terminal lines of prose that are too long for
// it are wrapped, and elsewhere nothing is changed. It is not for text that is copied, such as
// YAML, and not for tables, which WriteTable fits.
func Wrapped(w io.Writer, print func(io.Writer) error) error {
	width := WidthOf(w)
	if width == 0 {
		return print(w)
	}
	var text strings.Builder
	if err := print(&text); err != nil {
		return err
	}
	var out strings.Builder
	for line := range strings.Lines(text.String()) {
		out.WriteString(WrapLine(strings.TrimSuffix(line, "\n"), width) + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// WriteText prints a paragraph that begins with a label. On a terminal it is
// wrapped, its lines beside the label.
func WriteText(w io.Writer, label, text string) error {
	text = Plain(text)
	lines := []string{text}
	if width := WidthOf(w); width > 0 {
		lines = tabular.Wrap(text, max(width-len(label), 20))
	}
	shown := label
	if Styled(w) && label == "warning: " {
		shown = Style{On: true}.Warn(label)
	}
	_, err := fmt.Fprintln(w, shown+strings.Join(lines, "\n"+strings.Repeat(" ", len(label))))
	return err
}
