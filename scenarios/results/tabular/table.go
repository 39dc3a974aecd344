package tabular

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"starling/mechanisms/portable"
)

// Table is a small text table for a terminal.
type Table struct {
	// Header has the names of the columns.
	Header []string
	// Rows are each as long as Header.
	Rows [][]string
}

// DropEmpty leaves a column out if no row has anything in it.
func (t *Table) DropEmpty(name string) {
	at := slices.Index(t.Header, name)
	if at >= 0 && !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[at] != "" }) {
		*t = t.Without(name)
	}
}

// Without returns the table without a column; the table itself where it has none of that name.
func (t Table) Without(name string) Table {
	at := slices.Index(t.Header, name)
	if at < 0 {
		return t
	}
	next := Table{Header: slices.Delete(slices.Clone(t.Header), at, at+1)}
	for _, row := range t.Rows {
		next.Rows = append(next.Rows, slices.Delete(slices.Clone(row), at, at+1))
	}
	return next
}

// Columns returns the table of the columns from one place up to another, which is left out.
func (t Table) Columns(from, to int) Table {
	next := Table{Header: slices.Clone(t.Header[from:to])}
	for _, row := range t.Rows {
		next.Rows = append(next.Rows, slices.Clone(row[from:to]))
	}
	return next
}

// Beside returns the table with the columns of another one of as many rows after its own.
func (t Table) Beside(other Table) Table {
	next := Table{Header: slices.Concat(t.Header, other.Header)}
	for i, row := range t.Rows {
		next.Rows = append(next.Rows, slices.Concat(row, other.Rows[i]))
	}
	return next
}

// Width is the number of columns that the table takes.
func (t Table) Width() int {
	widths, _, err := t.layout(0)
	if err != nil {
		return 0
	}
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	return total
}

// Write prints the header and the rows with columns two spaces apart. A column with no cells
// but numbers and empty ones is aligned to the right. Widths count runes.
func (t Table) Write(w io.Writer) error { return t.write(w, 0) }

// write is Write of a table with a heading that goes on in its first rows.
func (t Table) write(w io.Writer, heading int) error {
	width, right, err := t.layout(heading)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, row := range append([][]string{t.Header}, t.Rows...) {
		writeLine(&text, row, width, right)
	}
	_, err = io.WriteString(w, text.String())
	return err
}

// layout returns the width of each column, and whether it is aligned to the right, from the
// rows below the heading.
func (t Table) layout(heading int) (width []int, right []bool, err error) {
	width, right = make([]int, len(t.Header)), make([]bool, len(t.Header))
	for i, cell := range t.Header {
		width[i] = utf8.RuneCountInString(cell)
		right[i] = len(t.Rows) > 0
	}
	for r, row := range t.Rows {
		if len(row) != len(t.Header) {
			return nil, nil, fmt.Errorf("table: row %d has %d cells, the header has %d", r+1, len(row), len(t.Header))
		}
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
			right[i] = right[i] && (r < heading || isNumber(cell))
		}
	}
	return width, right, nil
}

// writeLine appends one line without trailing spaces.
func writeLine(text *strings.Builder, row []string, width []int, right []bool) {
	var line strings.Builder
	for i, cell := range row {
		if i > 0 {
			line.WriteString("  ")
		}
		fill := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
		if right[i] {
			line.WriteString(fill + cell)
		} else {
			line.WriteString(cell + fill)
		}
	}
	text.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// The words of cells without a number, in tables of numbers.
const (
	NotRun  = "not run"
	NoValue = "no value"
)

// infinite is an infinite number for people.
const infinite = "∞"

// infinity is an infinite number at the beginning of a cell.
var infinity = regexp.MustCompile(`^(-?)(?:\+?inf|\+Inf)($|[ (±])`)

// ForPeople returns the table with ∞ for infinite numbers. Files for programs keep inf.
func (t Table) ForPeople() Table {
	out := Table{Header: t.Header, Rows: make([][]string, len(t.Rows))}
	for i, row := range t.Rows {
		out.Rows[i] = make([]string, len(row))
		for k, cell := range row {
			out.Rows[i][k] = infinity.ReplaceAllString(cell, "${1}"+infinite+"$2")
		}
	}
	return out
}

// isNumber reports whether a cell is empty, a dash, a word for no number, or starts with a number, such as
// "0.12 ± 0.03", "0.12±0.03", "(1.2 ± 0.1)e+07", "inf", "∞" or "NaN".
func isNumber(cell string) bool {
	if cell == "" || cell == "-" || cell == NotRun || cell == NoValue {
		return true
	}
	word, _, _ := strings.Cut(strings.TrimPrefix(cell, "("), " ")
	word, _, _ = strings.Cut(word, "±")
	if strings.TrimPrefix(word, "-") == infinite {
		return true
	}
	_, err := strconv.ParseFloat(strings.TrimSuffix(word, "%"), 64)
	return err == nil
}

// FormatEstimate prints a value with its standard error, the error rounded to
// two significant digits and the value to the same place: "0.1234 ± 0.0012".
// Errors of 100 and more are rounded to integers, and from 1e6 up and 1e-4 down
// both share an exponent: "(1.234 ± 0.012)e+07". An error of 0 leaves the value
// at ten digits: "3 ± 0". Without a standard error (NaN or infinite), or
// where the value is not finite, it is FormatValue(value).
func FormatEstimate(value, se float64) string {
	if math.IsNaN(se) || math.IsInf(se, 0) || math.IsNaN(value) || math.IsInf(value, 0) {
		return FormatValue(value)
	}
	if se == 0 {
		return strconv.FormatFloat(value, 'g', 10, 64) + " ± 0"
	}
	return RoundEstimate(value, math.Abs(se), errorDigits).String()
}

// Wide reports whether half of an interval is a large part of its value: the ends of the interval then say more.
func Wide(value, half float64) bool {
	return half > float64(wideHalf*math.Abs(value)) && !math.IsInf(half, 0)
}

// wideHalf is the part of a value above which half of its interval is wide.
const wideHalf = 0.5

// errorDigits is the number of digits of an error.
const errorDigits = 2

// Rounded is a value with its error as digits: (Value ± Error) * 10^Exponent.
type Rounded struct {
	// Value is the value, and Error its error to the same place; empty where there is none.
	Value, Error string
	// Exponent is the power of ten of both; 0 for numbers that are written out.
	Exponent int
}

// String returns the text of FormatEstimate.
func (r Rounded) String() string {
	text := r.Value
	if r.Error != "" {
		text += " ± " + r.Error
	}
	switch {
	case r.Exponent == 0:
		return text
	case r.Error == "":
		return fmt.Sprintf("%se%+03d", text, r.Exponent)
	}
	return fmt.Sprintf("(%s)e%+03d", text, r.Exponent)
}

// RoundEstimate rounds a finite value with its error, 0 < se < +Inf, as FormatEstimate does,
// to a number of significant digits of the error, at least 1.
func RoundEstimate(value, se float64, digits int) Rounded {
	exponent := exponentOf(max(math.Abs(value), se), digits)
	if -4 <= exponent && exponent < 6 {
		return fixedEstimate(value, se, digits)
	}
	scale := portable.Pow(10, float64(exponent))
	r := fixedEstimate(value/scale, se/scale, digits)
	r.Exponent = exponent
	return r
}

// fixedEstimate returns value ± se, 0 < se < 1e6, without an exponent, unless
// the error is too small beside the value to be worth its zeros.
func fixedEstimate(value, se float64, digits int) Rounded {
	const mostDecimals = 9
	decimals := max(0, digits-1-exponentOf(se, digits))
	if decimals > mostDecimals {
		return Rounded{Value: fmt.Sprintf("%.*f", mostDecimals, value), Error: fmt.Sprintf("%.*e", digits-1, se)}
	}
	return Rounded{Value: fmt.Sprintf("%.*f", decimals, value), Error: fmt.Sprintf("%.*f", decimals, se)}
}

// FormatValue prints a value by itself to four significant digits, and all digits before the point below a million:
// "0.1234", "12622", "1.235e+07", "inf", "NaN".
func FormatValue(value float64) string {
	switch {
	case math.IsInf(value, 1):
		return "inf"
	case math.IsInf(value, -1):
		return "-inf"
	case (value == math.Trunc(value) || math.Abs(value) >= 1e4) && math.Abs(value) < 1e6-0.5:
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 4, 64)
}

// exponentOf is the decimal exponent of x > 0 once rounded to that many significant digits:
// the exponent of 0.0996 at two digits is -1.
func exponentOf(x float64, digits int) int {
	text := strconv.FormatFloat(x, 'e', digits-1, 64)
	_, exponent, _ := strings.Cut(text, "e")
	n, err := strconv.Atoi(exponent)
	if err != nil {
		panic("tabular: no exponent in " + text)
	}
	return n
}
