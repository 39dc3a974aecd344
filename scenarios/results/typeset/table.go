package typeset

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
)

// Mark is the mark of a cell.
type Mark int

// The marks.
const (
	Unmarked Mark = iota
	Best          // the best mean of its group
	Alike         // not told apart from the best
)

// Cell is an estimate. An absent cell has no Key.
type Cell struct {
	// Key has the cell's entries in the columns of CSV before its numbers, as Table.Keys.
	Key []string
	// Mean is the value, and SE its standard error; NaN where there is none.
	Mean, SE float64
	// Error is the half width of the interval that is shown; NaN where there is none. Ends is the text of a wide interval with
	// its ends in brackets, for the terminal; empty for none.
	Error float64
	Ends  string
	// N is the number of seeds.
	N int64
	// Mark is the mark of the cell, and P its corrected p-value; NaN where there is no test.
	Mark Mark
	P    float64
}

// Table is a table of estimates with a caption.
type Table struct {
	// Name is the name of the table in references of LaTeX.
	Name string
	// Corner is the heading of the column of row headings.
	Corner string
	// Columns and Rows are the headings, and Cells has a list of cells for each row.
	Columns, Rows []string
	Cells         [][]Cell
	// Keys are the columns of CSV before the numbers.
	Keys []string
	// Caption has the sentences of the caption; empty is no caption.
	Caption []string
	// Best and Alike explain the marks; empty where there are no marks.
	Best, Alike string
	// Digits is the number of digits of an error, at least 1.
	Digits int
	// Tests adds a column of p-values to each column.
	Tests bool
	// Siunitx sets numbers in LaTeX in columns of siunitx.
	Siunitx bool
}

// The formats.
const (
	Terminal = "terminal"
	Markdown = "markdown"
	LaTeX    = "latex"
	CSV      = "csv"
	HTML     = "html"
)

// formats are the formats with the ends of the names of their files.
var formats = []struct {
	name, extension string
	write           func(*Table) (string, error)
}{
	{Terminal, ".txt", (*Table).terminal},
	{Markdown, ".md", (*Table).markdown},
	{LaTeX, ".tex", (*Table).latex},
	{CSV, ".csv", (*Table).csv},
	{HTML, ".html", (*Table).html},
}

// Formats returns the names of the formats; a new slice.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Extensions returns the ends of the names of files that have a format; a new slice.
func Extensions() (list []string) {
	for _, f := range formats {
		list = append(list, f.extension)
	}
	return list
}

// FormatOf returns the format of a file by the end of its name; false where there is none.
func FormatOf(file string) (name string, ok bool) {
	if i := slices.Index(Extensions(), strings.ToLower(filepath.Ext(file))); i >= 0 {
		return formats[i].name, true
	}
	return "", false
}

// Write writes the table in one of the Formats.
func (t *Table) Write(w io.Writer, format string) error {
	i := slices.Index(Formats(), format)
	if i < 0 {
		return fmt.Errorf("unknown format %q; known: %s", format, strings.Join(Formats(), ", "))
	}
	text, err := formats[i].write(t)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// Plain returns the table as text in columns, with the digits of other tables of a run. Marked cells end in * or ~; where there are
// marks all cells have room for one.
func (t *Table) Plain() tabular.Table {
	signs := map[Mark]string{Unmarked: "  ", Best: " *", Alike: " ~"}
	whole := t.writtenOut()
	lines := t.lines(func(c *Cell) string {
		r := t.rounded(c)
		if whole[c] {
			r = writeOut(r)
		}
		if _, after, _ := strings.Cut(r.Value, "."); r.Error == "" && r.Exponent == 0 && after != "" && !(c.SE > 0) {
			r.Value = tabular.FormatValue(c.Mean) // as in other tables of a run
		}
		text := cmp.Or(c.Ends, r.String())
		if t.Best != "" {
			text += signs[c.Mark]
		}
		return text
	}, flat)
	return tabular.Table{Header: lines[0], Rows: lines[1:]}
}

// mostZeros is the largest power of ten that is written out.
const mostZeros = 8

// writtenOut returns the cells with large numbers in columns of one metric in which others have no power of ten:
// they are written out, so that a column has one notation.
func (t *Table) writtenOut() map[*Cell]bool {
	whole := map[*Cell]bool{}
	for j := range t.Columns {
		var large []*Cell
		plain, metric := false, ""
		for i := range t.Rows {
			c := &t.Cells[i][j]
			if len(c.Key) < 2 {
				continue
			}
			if of := c.Key[len(c.Key)-2]; metric != "" && of != metric {
				large = nil
				break
			} else {
				metric = of
			}
			r := t.rounded(c)
			plain = plain || r.Exponent == 0 && c.Mean != 0
			if 0 < r.Exponent && r.Exponent <= mostZeros {
				large = append(large, c)
			}
		}
		for _, c := range large {
			whole[c] = plain
		}
	}
	return whole
}

// writeOut returns digits with a positive power of ten as whole numbers.
func writeOut(r tabular.Rounded) tabular.Rounded {
	shift := func(text string) string {
		before, after, _ := strings.Cut(text, ".")
		if text == "" || len(after) > r.Exponent {
			return text
		}
		return strings.TrimPrefix(before+after+strings.Repeat("0", r.Exponent-len(after)), "0")
	}
	if _, after, _ := strings.Cut(r.Value, "."); len(after) > r.Exponent {
		return r
	}
	return tabular.Rounded{Value: shift(r.Value), Error: strings.TrimLeft(shift(r.Error), "0")}
}

// Notes returns the paragraphs below a table in a terminal: the caption, and the marks.
func (t *Table) Notes() (list []string) {
	if len(t.Caption) == 0 {
		return nil
	}
	list = append(list, flat(strings.Join(t.Caption, " ")))
	if t.Best != "" {
		list = append(list, flat(fmt.Sprintf("*: %s; ~: %s", t.Best, t.Alike)))
	}
	return list
}

// terminal is the table as text.
func (t *Table) terminal() (string, error) {
	var out bytes.Buffer
	if err := t.Plain().Write(&out); err != nil {
		return "", err
	}
	for _, note := range t.Notes() {
		out.WriteString("\n" + note + "\n")
	}
	return out.String(), nil
}

// sentences returns the caption with the explanation of marks of formats with letters in bold.
func (t *Table) sentences() string {
	list := slices.Clone(t.Caption)
	if len(list) > 0 && t.Best != "" {
		list = append(list, fmt.Sprintf("Bold: %s; underlined: %s.", t.Best, t.Alike))
	}
	return flat(strings.Join(list, " "))
}

// testHeading is the heading of a column of p-values.
const testHeading = "p"

// lines returns the heading and the rows as texts. number writes the cells that are there, and
// text all other texts.
func (t *Table) lines(number func(*Cell) string, text func(string) string) [][]string {
	head := []string{text(t.Corner)}
	for _, column := range t.Columns {
		if head = append(head, text(column)); t.Tests {
			head = append(head, text(testHeading))
		}
	}
	lines := [][]string{head}
	for i, row := range t.Rows {
		line := []string{text(row)}
		for j := range t.Columns {
			c, cell, p := &t.Cells[i][j], "", ""
			if c.Key != nil {
				cell, p = number(c), text(comparison.FormatP(c.P))
			}
			if line = append(line, cell); t.Tests {
				line = append(line, p)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// The digits of a value without an error, and the size from which a whole number is not
// written out.
const (
	valueDigits = 6
	mostWhole   = 1e9
)

// rounded returns the digits of a cell. The error that is shown sets their number or, where
// none is, the standard error. A value that has neither is written out if it is whole.
func (t *Table) rounded(c *Cell) tabular.Rounded {
	if math.IsNaN(c.Mean) || math.IsInf(c.Mean, 0) {
		return tabular.Rounded{Value: tabular.FormatValue(c.Mean)}
	}
	usable := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	switch {
	case usable(c.Error):
		return tabular.RoundEstimate(c.Mean, c.Error, t.Digits)
	case usable(c.SE):
		r := tabular.RoundEstimate(c.Mean, c.SE, t.Digits)
		r.Error = ""
		return r
	case c.Mean == math.Trunc(c.Mean) && math.Abs(c.Mean) < mostWhole:
		return tabular.Rounded{Value: strconv.FormatFloat(c.Mean, 'f', 0, 64)}
	}
	value, power, exponential := strings.Cut(strconv.FormatFloat(c.Mean, 'g', valueDigits, 64), "e")
	r := tabular.Rounded{Value: value}
	if exponential {
		var err error
		if r.Exponent, err = strconv.Atoi(power); err != nil {
			panic(fmt.Sprintf("typeset: the exponent of %v: %v", c.Mean, err))
		}
	}
	return r
}

// flat returns a text on one line: other characters that are not printed are blanks.
func flat(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}
