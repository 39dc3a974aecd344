package shell

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8/cwriter"

	"starling/scenarios/results/tabular"
)

// UsualWidth is how many columns a terminal is taken to have where it does not say.
const UsualWidth = 100

// WidthOf returns how many columns the terminal has that w writes to. It is 0, no limit,
// for files and pipes: what programs read is never wrapped.
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

// WriteTable prints a table. On a terminal its cells are wrapped so that the table fits, its
// heading is bold, and the best values are green.
func WriteTable(w io.Writer, table tabular.Table) error {
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

// best is a value that a table marks as the best of its row, and standing is a word for how
// something stands, in a cell of its own.
var (
	best     = regexp.MustCompile(`\(?-?[0-9.]+(?:e[+-][0-9]+)?(?: ± [0-9.]+(?:e[+-][0-9]+)?)?\)?(?:e[+-][0-9]+)? \*`)
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

// WriteText prints a paragraph that begins with a label. On a terminal it is
// wrapped, its lines beside the label.
func WriteText(w io.Writer, label, text string) error {
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
