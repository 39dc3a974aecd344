package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"starling/scenarios/results/figure"
)

// shades is the number of colours of a map on the page: cells of one colour are one path.
const shades = 24

// The measures of a map, in units of its picture: the side of the cells, and the room for numbers.
const (
	mapSide   = 300
	mapLeft   = 46
	mapBottom = 40
	mapTicks  = 8
)

// heat is a map as SVG, under the scale of all maps.
func heat(h *figure.Heat, m *figure.HeatMap) template.HTML {
	var out strings.Builder
	rows, columns := len(m.Rows), len(m.Columns)
	fmt.Fprintf(&out, `<svg class="heat" viewBox="0 0 %d %d" role="img"><title>%s: %s of each pair of nodes; %s across, %s down</title>`,
		mapLeft+mapSide+2, mapSide+mapBottom, html.EscapeString(m.Name), html.EscapeString(h.Label), html.EscapeString(h.XLabel), html.EscapeString(h.YLabel))
	fmt.Fprintf(&out, `<svg x="%d" y="1" width="%d" height="%d" viewBox="0 0 %d %d" preserveAspectRatio="none" shape-rendering="crispEdges" aria-hidden="true">`, mapLeft, mapSide, mapSide, columns, rows)
	for _, cells := range paths(m, h.Spread()) {
		fmt.Fprintf(&out, `<path fill="%s" d="%s"/>`, cells.fill, cells.path)
	}
	fmt.Fprintf(&out, `</svg><rect class="frame" x="%d" y="1" width="%d" height="%d"/>`, mapLeft, mapSide, mapSide)
	for i := 0; i < rows; i += (rows + mapTicks - 1) / mapTicks {
		fmt.Fprintf(&out, `<text x="%d" y="%s" text-anchor="end">%d</text>`, mapLeft-5, short(max((float64(i)+0.5)/float64(rows)*mapSide+5, 11)), m.Rows[i])
	}
	for k := 0; k < columns; k += (columns + mapTicks - 1) / mapTicks {
		fmt.Fprintf(&out, `<text x="%s" y="%d" text-anchor="middle">%d</text>`, short(mapLeft+(float64(k)+0.5)/float64(columns)*mapSide), mapSide+15, m.Columns[k])
	}
	fmt.Fprintf(&out, `<text x="%d" y="%d" text-anchor="middle">%s</text><text transform="translate(11 %d) rotate(-90)" text-anchor="middle">%s</text></svg>`,
		mapLeft+mapSide/2, mapSide+34, html.EscapeString(h.XLabel), mapSide/2, html.EscapeString(h.YLabel))
	return template.HTML(labelled(out.String()))
}

// shade is the cells of one colour.
type shade struct{ fill, path string }

// paths joins cells of one colour, neighbours in a row as one.
func paths(m *figure.HeatMap, scale figure.Axis) (list []shade) {
	colour := func(v float64) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strings.ToLower(scale.Color(v))
		}
		return shadeOf(scale.Share(v))
	}
	at := map[string]int{}
	var texts []*strings.Builder
	for i, row := range m.Values {
		for k := 0; k < len(row); {
			fill, end := colour(row[k]), k+1
			for end < len(row) && colour(row[end]) == fill {
				end++
			}
			if _, ok := at[fill]; !ok {
				at[fill] = len(list)
				list, texts = append(list, shade{fill: fill}), append(texts, &strings.Builder{})
			}
			fmt.Fprintf(texts[at[fill]], "M%d %dh%dv1h-%dz", k, i, end-k, end-k)
			k = end
		}
	}
	for k := range list {
		list[k].path = texts[k].String()
	}
	return list
}

// unit is a scale from 0 to 1.
var unit = (&figure.Heat{Maps: []figure.HeatMap{{Values: [][]float64{{0, 1}}}}}).Spread()

// shadeOf is the colour at a part of a scale, one of a few.
func shadeOf(share float64) string {
	return strings.ToLower(unit.Color(math.Round(share*shades) / shades))
}

// heatScale is the bar of the colours of maps as SVG, with its ends as text.
func heatScale(h *figure.Heat) template.HTML {
	var out strings.Builder
	scale := h.Spread()
	low, high := scale.Ends()
	remark := ""
	if scale.Logarithmic() {
		remark = " (logarithmic)"
	}
	fmt.Fprintf(&out, `<span>%s %s</span><svg class="scale" viewBox="0 0 %d 10" preserveAspectRatio="none" role="img"><title>colours from %s to %s%s</title>`, html.EscapeString(h.Label), short(low), shades+1, short(low), short(high), remark)
	for k := range shades + 1 {
		fmt.Fprintf(&out, `<rect x="%d" width="1.1" height="10" fill="%s"/>`, k, shadeOf(float64(k)/shades))
	}
	fmt.Fprintf(&out, `</svg><span>%s%s</span>`, short(high), remark)
	for _, key := range []struct {
		value float64
		text  string
		shown bool
	}{{math.Inf(1), "no bound", h.Unbounded()}, {math.NaN(), "no pair", true}} {
		if !key.shown {
			continue
		}
		fmt.Fprintf(&out, `<svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="%s"/></svg><span>%s</span>`, strings.ToLower(scale.Color(key.value)), key.text)
	}
	return template.HTML(labelled(out.String()))
}

// boxes is the spread of a map's values by distance as SVG; empty for a map without one.
func boxes(h *figure.Heat, m *figure.HeatMap) template.HTML {
	if len(m.Boxes) == 0 {
		return ""
	}
	spread := h.Spread()
	var out strings.Builder
	const top, width, middle = 30, 280, 4 // middle is from the foot of a number to its middle
	height := float64(mapSide - top)
	at := func(v float64) float64 { return top + float64(height*(1-spread.Share(v))) }
	y := func(v float64) string { return short(at(v)) }
	fmt.Fprintf(&out, `<svg class="boxes" viewBox="0 0 %d %d" role="img"><title>%s: %s by %s</title><text x="0" y="14">%s by distance</text>`,
		mapLeft+width+4, mapSide+mapBottom, html.EscapeString(m.Name), html.EscapeString(h.Label), html.EscapeString(h.BoxLabel), html.EscapeString(h.Label))
	for _, v := range spread.Marks() {
		fmt.Fprintf(&out, `<path class="rule" d="M%d %sh%d"/><text x="%d" y="%s" text-anchor="end">%s</text>`, mapLeft, y(v), width, mapLeft-5, short(at(v)+middle), short(v))
	}
	step := float64(width) / float64(m.Boxes[len(m.Boxes)-1].At+1)
	every := (len(m.Boxes) + 9) / 10
	for k, b := range m.Boxes {
		x, half := mapLeft+(float64(b.At)+0.5)*step, min(9, 0.36*step)
		q, last := b.Quartiles, 0
		for last < 4 && !math.IsInf(q[last+1], 1) {
			last++
		}
		fmt.Fprintf(&out, `<g class="spread"><title>%d: %d pairs, median %s</title><path d="M%s %sV%s"/>`, b.At, b.Count, short(q[2]), short(x), y(q[0]), y(q[last]))
		if last >= 3 {
			fmt.Fprintf(&out, `<path class="box" d="M%s %sH%sV%sH%sz"/>`, short(x-half), y(q[1]), short(x+half), y(q[3]), short(x-half))
		}
		if last >= 2 {
			fmt.Fprintf(&out, `<path class="median" d="M%s %sh%s"/>`, short(x-half), y(q[2]), short(2*half))
		}
		out.WriteString("</g>")
		if k%every == 0 {
			fmt.Fprintf(&out, `<text x="%s" y="%d" text-anchor="middle">%d</text>`, short(x), mapSide+15, b.At)
		}
	}
	fmt.Fprintf(&out, `<text x="%d" y="%d" text-anchor="middle">%s</text></svg>`, mapLeft+width/2, mapSide+34, html.EscapeString(h.BoxLabel))
	return template.HTML(labelled(out.String()))
}

// short is a number in four digits.
func short(v float64) string {
	if math.IsInf(v, 1) {
		return "no bound"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
