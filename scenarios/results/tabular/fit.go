package tabular

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Fits reports whether WriteWithin prints the table as one, neither cut nor as paragraphs.
func (t Table) Fits(width int) bool {
	natural, fixed, err := t.widths()
	if err != nil || width <= 0 {
		return width <= 0
	}
	natural = t.narrowHeadings(natural, fixed, width)
	parts := blocks(t.keys(), natural, fixed, width)
	return len(parts) < 2 && !overfull(parts, natural, fixed, width)
}

// FitsWhole reports whether WriteWithin prints the table as one without wrapping its cells.
func (t Table) FitsWhole(width int) bool {
	natural, _, err := t.widths()
	return err == nil && (width <= 0 || t.whole(natural, width) != nil)
}

// whole returns the widths of columns with no cell wrapped, and of headings as few as need to be; nil where the
// table does not fit so.
func (t Table) whole(natural []int, width int) []int {
	firm := slices.Repeat([]bool{true}, len(natural))
	widths := t.narrowHeadings(natural, firm, width)
	if parts := blocks(t.keys(), widths, firm, width); len(parts) > 1 || overfull(parts, widths, firm, width) {
		return nil
	}
	return widths
}

// widths returns the natural width of each column, and whether it is of numbers, which are not
// wrapped.
func (t Table) widths() (natural []int, fixed []bool, err error) {
	natural, fixed, err = t.layout(0)
	for i := range fixed {
		long := func(row []string) bool { return utf8.RuneCountInString(row[i]) > mostNumber }
		fixed[i] = fixed[i] && !slices.ContainsFunc(t.Rows, long) // else it is text that begins with a number
	}
	return natural, fixed, err
}

// leastColumn is the least width, in runes, to which a column of text is wrapped.
const leastColumn = 20

// mostNumber is the largest width of a column of numbers with their errors.
const mostNumber = 28

// gap is the space between columns.
const gap = 2

// WriteWithin prints the table in lines of at most width runes, 0 for no limit. Cells of text
// are wrapped, down to leastColumn, and so are headings of numbers where that keeps the table in
// one part; a table that is wider still is cut into several, each with
// the first column, or the first two where rows begin alike, and with the rows that have more
// than that. Where there is no room for these two and another cell of the row, each row is a
// paragraph. A wide number beside the first column, which no cut can narrow, runs over.
func (t Table) WriteWithin(w io.Writer, width int) error {
	if width <= 0 || len(t.Header) == 0 {
		return t.Write(w)
	}
	natural, fixed, err := t.widths()
	if err != nil {
		return err
	}
	// Narrowing comes in two steps: first as few parts as can be made to fit, then the
	// columns of each part.
	keys := t.keys()
	if whole := t.whole(natural, width); whole != nil {
		natural = whole
	} else {
		natural = t.narrowHeadings(natural, fixed, width)
	}
	parts := blocks(keys, natural, fixed, width)
	if width < narrow && keys > 1 && (len(parts) > 2 || overfull(parts, natural, fixed, width)) {
		return t.writeParagraphs(w, keys, width)
	}
	for i, columns := range parts {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		part := t.columns(columns)
		if len(parts) > 1 {
			part.Rows = slices.DeleteFunc(part.Rows, func(row []string) bool { return strings.Join(row[keys:], "") == "" })
		}
		part, heading := part.wrapped(limits(columns, natural, fixed, width))
		if err := part.write(w, heading); err != nil {
			return err
		}
	}
	return nil
}

// narrow is the width below which a table of two columns of keys is not cut into many parts:
// the keys would take most of each.
const narrow = 60

// overfull reports whether a part cannot be made to fit.
func overfull(parts [][]int, natural []int, fixed []bool, width int) bool {
	return slices.ContainsFunc(parts, func(part []int) bool {
		total := -gap
		for _, column := range part {
			total += gap + least(column, natural, fixed)
		}
		return total > width
	})
}

// writeParagraphs prints a paragraph for each row: the keys in a line, and below it each cell
// that is not empty beside the heading of its column.
func (t Table) writeParagraphs(w io.Writer, keys, width int) error {
	label := 0
	for _, heading := range t.Header[keys:] {
		label = max(label, utf8.RuneCountInString(heading))
	}
	indent := strings.Repeat(" ", gap)
	var out strings.Builder
	for i, row := range t.Rows {
		if i > 0 {
			out.WriteString("\n")
		}
		out.WriteString(strings.Join(Wrap(strings.Join(slices.DeleteFunc(slices.Clone(row[:keys]), func(key string) bool { return key == "" }), ", "), width), "\n") + "\n")
		for column := keys; column < len(row); column++ {
			if row[column] == "" {
				continue
			}
			heading := t.Header[column]
			before := indent + heading + strings.Repeat(" ", label-utf8.RuneCountInString(heading)+gap)
			lines := Wrap(row[column], max(1, width-label-2*gap))
			out.WriteString(before + strings.Join(lines, "\n"+strings.Repeat(" ", label+2*gap)) + "\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// least is the least width of a column.
func least(column int, natural []int, fixed []bool) int {
	if fixed[column] {
		return natural[column]
	}
	return min(natural[column], leastColumn)
}

// keys is the number of first columns that tell rows apart: one, or two.
func (t Table) keys() int {
	seen := map[string]bool{}
	for _, row := range t.Rows {
		if seen[row[0]] && len(row) > 2 {
			return 2
		}
		seen[row[0]] = true
	}
	return 1
}

// blocks divides the columns so that each part, with the keys before it, can be
// made to fit.
func blocks(keys int, natural []int, fixed []bool, width int) (parts [][]int) {
	var before []int
	first := -gap
	for column := range keys {
		before = append(before, column)
		first += gap + least(column, natural, fixed)
	}
	part, used := slices.Clone(before), first
	for column := keys; column < len(natural); column++ {
		more := gap + least(column, natural, fixed)
		if len(part) > keys && used+more > width {
			parts = append(parts, part)
			part, used = slices.Clone(before), first
		}
		part, used = append(part, column), used+more
	}
	return append(parts, part)
}

// limits is the largest width of each of the columns: the widest of text are narrowed to the
// same width until all of them fit.
func limits(columns, natural []int, fixed []bool, width int) []int {
	limited := func(limit int) (list []int, total int) {
		for _, column := range columns {
			w := natural[column]
			if !fixed[column] {
				w = min(w, max(limit, least(column, natural, fixed)))
			}
			list = append(list, w)
			total += w
		}
		return list, total + gap*(len(columns)-1)
	}
	widest := 0
	for _, column := range columns {
		widest = max(widest, natural[column])
	}
	// The widest columns are narrowed first, and together: a short column keeps its
	// width.
	for limit := widest; ; limit-- {
		if list, total := limited(limit); total <= width || limit <= leastColumn {
			return list
		}
	}
}

// columns is the table of some of the columns.
func (t Table) columns(chosen []int) Table {
	pick := func(row []string) (cells []string) {
		for _, column := range chosen {
			cells = append(cells, row[column])
		}
		return cells
	}
	picked := Table{Header: pick(t.Header)}
	for _, row := range t.Rows {
		picked.Rows = append(picked.Rows, pick(row))
	}
	return picked
}

// wrapped is the table with cells that are wider than the limit of their column
// on several lines, which are rows of their own; the first of them go on with the
// heading.
func (t Table) wrapped(limits []int) (out Table, heading int) {
	split := func(row []string, wrap func(text string, width int) []string) (lines [][]string) {
		for column, cell := range row {
			for i, line := range wrap(cell, limits[column]) {
				if i == len(lines) {
					lines = append(lines, make([]string, len(row)))
				}
				lines[i][column] = line
			}
		}
		return lines
	}
	header := split(t.Header, wrapHeading)
	out.Header = header[0]
	out.Rows = append(out.Rows, header[1:]...)
	for _, row := range t.Rows {
		out.Rows = append(out.Rows, split(row, Wrap)...)
	}
	return out, len(header) - 1
}

// Wrap divides text into lines of at most width runes, at spaces that are not beside a sign such as =; a
// word that is longer is cut, after a comma or a slash if it has one in time. Empty text is one empty line.
func Wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range words(text, width) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for utf8.RuneCountInString(word) > width {
			cut := cutAt(word, width)
			lines, word = append(lines, word[:cut]), word[cut:]
		}
		line = word
	}
	return append(lines, line)
}

// words returns the words of a text. A sign such as = is one word with its two sides, unless that is
// longer than width.
func words(text string, width int) (list []string) {
	fields := strings.Fields(text)
	for i := 0; i < len(fields); i++ {
		word := fields[i]
		for i+2 < len(fields) && slices.Contains(joining, fields[i+1]) {
			longer := strings.Join([]string{word, fields[i+1], fields[i+2]}, " ")
			if utf8.RuneCountInString(longer) > width {
				break
			}
			word, i = longer, i+2
		}
		list = append(list, word)
	}
	return list
}

// joining are the signs that stay in a line with their sides.
var joining = []string{"=", "≤", "≥", "<", ">", "±", "×"}

// cutAt is the place, in bytes, at which a word that is longer than width is cut.
func cutAt(word string, width int) int {
	runes, end, good := 0, 0, 0
	for i, r := range word {
		if runes == width {
			break
		}
		runes++
		end = i + utf8.RuneLen(r)
		if strings.ContainsRune(",/;", r) {
			good = end
		}
	}
	if good > 0 {
		return good
	}
	return end
}
