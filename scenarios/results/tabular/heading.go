package tabular

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// narrowHeadings returns the natural widths with the headings of numbers on several lines, as few
// as make the table fit in one part. Where none do, all headings are narrowed if that saves a part, and else
// the headings that are wider than a line.
func (t Table) narrowHeadings(natural []int, fixed []bool, width int) []int {
	fits := func(widths []int) bool {
		parts := blocks(t.keys(), widths, fixed, width)
		return len(parts) < 2 && !overfull(parts, widths, fixed, width)
	}
	if fits(natural) {
		return natural
	}
	least := t.leastWidths(natural, fixed)
	narrowed := slices.Clone(natural)
	var chosen []int // the columns with the most to gain, as few as make it fit
	for !fits(narrowed) {
		column := 0
		for other := range narrowed {
			if narrowed[other]-least[other] > narrowed[column]-least[column] {
				column = other
			}
		}
		if narrowed[column] == least[column] {
			return t.narrowApart(natural, least, fixed, width)
		}
		narrowed[column] = least[column]
		chosen = append(chosen, column)
	}
	for limit := slices.Max(natural); ; limit-- { // no narrower than they need to be
		for _, column := range chosen {
			narrowed[column] = max(least[column], min(natural[column], limit))
		}
		if fits(narrowed) {
			return narrowed
		}
	}
}

// shortHeading is the width to which the headings of a table in several parts are narrowed, at least.
const shortHeading = 16

// narrowApart returns the widths of the columns of a table that is in several parts in any case.
func (t Table) narrowApart(natural, least []int, fixed []bool, width int) []int {
	room, short, wide := width, slices.Clone(natural), slices.Clone(natural)
	for column, w := range natural {
		if column < t.keys() {
			room -= w + gap
			continue
		}
		if fixed[column] {
			short[column] = max(least[column], min(w, shortHeading))
			wide[column] = max(least[column], min(w, room))
		}
	}
	if len(blocks(t.keys(), short, fixed, width)) < len(blocks(t.keys(), wide, fixed, width)) {
		return short
	}
	return wide
}

// leastWidths returns the widths of columns of numbers with headings as narrow as their longest
// pieces; other columns keep their natural widths.
func (t Table) leastWidths(natural []int, fixed []bool) []int {
	least := slices.Clone(natural)
	for column := t.keys(); column < len(least); column++ {
		if !fixed[column] {
			continue
		}
		least[column] = 0
		for _, text := range headingPieces(t.Header[column]) {
			least[column] = max(least[column], utf8.RuneCountInString(strings.TrimSpace(text)))
		}
		for _, row := range t.Rows {
			least[column] = max(least[column], utf8.RuneCountInString(row[column]))
		}
	}
	return least
}

// headingPieces divides a heading after its blanks and hyphens.
func headingPieces(text string) (pieces []string) {
	begin := 0
	for i, r := range text {
		if r == ' ' || r == '-' {
			pieces, begin = append(pieces, text[begin:i+1]), i+1
		}
	}
	return append(pieces, text[begin:])
}

// wrapHeading is Wrap of a heading, which may also go on after a hyphen.
func wrapHeading(text string, width int) (lines []string) {
	if utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	line := ""
	for _, piece := range headingPieces(text) {
		if line != "" && utf8.RuneCountInString(line)+utf8.RuneCountInString(strings.TrimRight(piece, " ")) > width {
			lines, line = append(lines, Wrap(line, width)...), ""
		}
		line += piece
	}
	return append(lines, Wrap(line, width)...)
}
