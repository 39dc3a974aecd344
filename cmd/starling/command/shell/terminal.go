package shell

import (
	"fmt"
	"io"
	"os"
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

// WriteTable prints a table. On a terminal its cells are wrapped so that the table fits.
func WriteTable(w io.Writer, table tabular.Table) error {
	return table.WriteWithin(w, WidthOf(w))
}

// WriteText prints a paragraph that begins with a label. On a terminal it is
// wrapped, its lines beside the label.
func WriteText(w io.Writer, label, text string) error {
	lines := []string{text}
	if width := WidthOf(w); width > 0 {
		lines = tabular.Wrap(text, max(width-len(label), 20))
	}
	_, err := fmt.Fprintln(w, label+strings.Join(lines, "\n"+strings.Repeat(" ", len(label))))
	return err
}
