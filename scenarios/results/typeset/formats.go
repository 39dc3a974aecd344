package typeset

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Caption writes sentences as the caption of a figure in one of the Formats but CSV.
func Caption(w io.Writer, format string, sentences []string) error {
	text := flat(strings.Join(sentences, " "))
	switch format {
	case Terminal:
	case Markdown:
		text = markdownText(text)
	case LaTeX:
		text = `\caption{` + latexText(text) + "}"
	case HTML:
		text = "<figcaption>" + html.EscapeString(text) + "</figcaption>"
	default:
		return fmt.Errorf("a caption has no format %q", format)
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}

// markdown is the table in the tables of GitHub's Markdown, which also have <u>.
func (t *Table) markdown() (string, error) {
	lines := t.lines(func(c *Cell) string {
		return marked(c.Mark, markdownText(t.rounded(c).String()), "**", "**", "<u>", "</u>")
	}, markdownText)
	var out strings.Builder
	line := func(cells []string) { out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(lines[0])
	line(append([]string{"---"}, slices.Repeat([]string{"---:"}, len(lines[0])-1)...))
	for _, cells := range lines[1:] {
		line(cells)
	}
	if text := t.sentences(); text != "" {
		out.WriteString("\n" + markdownText(text) + "\n")
	}
	return out.String(), nil
}

// marked puts a text between the signs of its mark.
func marked(mark Mark, text, best, bestEnd, alike, alikeEnd string) string {
	switch mark {
	case Best:
		return best + text + bestEnd
	case Alike:
		return alike + text + alikeEnd
	}
	return text
}

// markdownText writes a text so that Markdown shows it as it is.
func markdownText(text string) string {
	var out strings.Builder
	for _, r := range flat(text) {
		switch {
		case r == '<':
			out.WriteString("&lt;")
		case r == '&':
			out.WriteString("&amp;")
		case strings.ContainsRune("\\`*_[]|$~", r):
			out.WriteString("\\" + string(r))
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// html is a plain table of HTML.
func (t *Table) html() (string, error) {
	text := func(s string) string { return html.EscapeString(flat(s)) }
	lines := t.lines(func(c *Cell) string {
		return marked(c.Mark, text(t.rounded(c).String()), "<strong>", "</strong>", "<u>", "</u>")
	}, text)
	var out strings.Builder
	out.WriteString("<table>\n")
	if caption := t.sentences(); caption != "" {
		out.WriteString("<caption>" + text(caption) + "</caption>\n")
	}
	out.WriteString("<thead>\n<tr>")
	for _, cell := range lines[0] {
		out.WriteString(`<th scope="col">` + cell + "</th>")
	}
	out.WriteString("</tr>\n</thead>\n<tbody>\n")
	for _, cells := range lines[1:] {
		out.WriteString(`<tr><th scope="row">` + cells[0] + "</th>")
		for _, cell := range cells[1:] {
			out.WriteString("<td>" + cell + "</td>")
		}
		out.WriteString("</tr>\n")
	}
	out.WriteString("</tbody>\n</table>\n")
	return out.String(), nil
}

// csv is a line for each cell, with all digits. Errors and p-values that do not exist are
// empty.
func (t *Table) csv() (string, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	head := append(slices.Clone(t.Keys), "mean", "error", "n")
	if t.Tests {
		head = append(head, testHeading)
	}
	records := [][]string{head}
	for _, row := range t.Cells {
		for i := range row {
			c := &row[i]
			if c.Key == nil {
				continue
			}
			record := append(slices.Clone(c.Key), numberText(c.Mean), numberOrNone(c.Error), strconv.FormatInt(c.N, 10))
			if t.Tests {
				record = append(record, numberOrNone(c.P))
			}
			records = append(records, record)
		}
	}
	err := w.WriteAll(records) // which flushes
	return out.String(), err
}

// numberText writes a number with all its digits, as exports do.
func numberText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// numberOrNone is numberText of a number that may not exist.
func numberOrNone(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return numberText(x)
}
