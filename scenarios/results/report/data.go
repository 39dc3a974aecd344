package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/results/figure"
)

// mostPoints is the largest number of points of a curve on the page. Longer curves are
// thinned; it is more than a wide screen has columns of pixels.
const mostPoints = 4 * stretches

// stretches is the number of parts of equal length in which a curve is thinned.
const stretches = 750

// Values are numbers of which JSON has no NaN and no infinities: they become null, which
// interrupts a curve. Seven digits are more than a screen shows.
type Values []float64

// MarshalJSON implements json.Marshaler.
func (v Values) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for i, x := range v {
		if i > 0 {
			text = append(text, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			text = append(text, "null"...)
			continue
		}
		text = strconv.AppendFloat(text, x, 'g', 7, 64)
	}
	return append(text, ']'), nil
}

// Chart is a figure as the page's script reads it.
type Chart struct {
	// X holds the distinct x of all series once: curves of one run mostly share their
	// steps, and a page of many runs is half as large for it.
	Metric  string `json:"metric"`
	Title   string `json:"title"`
	XLabel  string `json:"xLabel"`
	YLabel  string `json:"yLabel"`
	Caption string `json:"caption,omitempty"`
	LogX    bool   `json:"logX,omitempty"`
	LogY    bool   `json:"logY,omitempty"`
	// Share means that y is a part of a whole: the axis ends at 1.
	Share bool `json:"share,omitempty"`
	// RangeX and RangeY are the ends of the axes that charts of one figure have in common;
	// absent, the axes are as long as the curves.
	RangeX Values   `json:"rangeX,omitempty"`
	RangeY Values   `json:"rangeY,omitempty"`
	X      []Values `json:"x"` // the distinct x of the series
	Series []Line   `json:"series"`
	// Categories are the names at 0, 1 and so on of an x axis without numbers, beside which the points of several series stand.
	Categories []string `json:"categories,omitempty"`
	// Keys are the entries of the legend that replace the curves, where values give these
	// their colours and dashes.
	Keys []Key `json:"keys,omitempty"`
}

// Key is a value in a legend, with the curves that have it.
type Key struct {
	Name  string `json:"name"`
	Color string `json:"color"`
	// Dark is the colour on a dark page for a degree of a ramp; the page has others by Color.
	Dark string `json:"dark,omitempty"`
	// Dash is in pixels, drawn and left out in turn.
	Dash []float64 `json:"dash,omitempty"`
	// Second keys come after the keys of colours.
	Second bool `json:"second,omitempty"`
	// Series are indices into the series of the chart.
	Series []int `json:"series"`
}

// Line is a curve of a chart.
type Line struct {
	Name string `json:"name"`
	// X is an index into the chart's X.
	X int `json:"x"`
	// Y, Low and High have null where nothing can be drawn.
	Y     Values `json:"y"`
	Low   Values `json:"low,omitempty"`
	High  Values `json:"high,omitempty"`
	Color string `json:"color"`
	// Dark is as in Key.
	Dark string `json:"dark,omitempty"`
	// Dash is in pixels, drawn and left out in turn.
	Dash []float64 `json:"dash,omitempty"`
	// Mark is a sign in the legend for points that are not drawn, and Remark describes them.
	Mark   string `json:"mark,omitempty"`
	Remark string `json:"remark,omitempty"`
	// Faint curves are drawn thin and grey: a chart of very many curves has such curves besides its best.
	Faint bool `json:"faint,omitempty"`
	// Across is set for a line across the whole axis, of an arm without a place on it, and Bars for points
	// with error bars in place of a band.
	Across bool `json:"across,omitempty"`
	Bars   bool `json:"bars,omitempty"`
	// Hidden curves can be switched on in the legend.
	Hidden bool `json:"hidden,omitempty"`
}

// NewChart thins a figure without panels and gives its series their colours and dashes.
func NewChart(f *Figure) Chart {
	return NewCharts(f)[0]
}

// NewCharts returns a chart for each panel of a figure, or one where it has none. The title of
// a panel's chart is the figure's title, then the panel's. The charts of panels have axes of
// one length.
func NewCharts(f *Figure) []Chart {
	var charts []Chart
	lines := f.Lines()
	places := besidesOf(&f.Figure)
	for k, panel := range f.Charts() {
		c := Chart{
			Metric: f.Metric, Title: f.Title, XLabel: f.XLabel, YLabel: f.YLabel,
			Caption: sentences(f.Caption, f.Note), LogX: f.LogX, LogY: f.LogY, Share: f.Share, Categories: f.Categories,
		}
		if panel.Title != "" {
			c.Title = strings.TrimPrefix(c.Title+": ", ": ") + panel.Title
		}
		if len(f.Panels) > 1 {
			x, y := f.Ranges()
			c.RangeX, c.RangeY = x[:], y[:]
		}
		longest := 0
		for i := range panel.Series {
			s := &panel.Series[i]
			longest = max(longest, len(s.X))
			c.add(places.moved(s), lines[k][i], f.Hidden > 0 && i >= f.Hidden)
			c.Series[i].Faint = s.Faint
		}
		for _, key := range f.Keys() {
			if len(key.Curves[k]) > 0 {
				c.Keys = append(c.Keys, Key{Name: key.Name, Color: strings.ToLower(key.Line.Hex()), Dark: strings.ToLower(key.Line.DarkHex()), Dash: key.Line.Dash, Second: key.Second, Series: key.Curves[k]})
			}
		}
		if longest > mostPoints {
			c.Caption = sentences(c.Caption, fmt.Sprintf(
				"Curves of up to %d points are thinned: of each of %d stretches the first, lowest, highest and last point are drawn.", longest, stretches))
		}
		charts = append(charts, c)
	}
	return charts
}

// add thins a series and adds it, with the colour and dash of a line.
func (c *Chart) add(s *figure.Series, line figure.Line, hidden bool) {
	kept := thinned(s.Y)
	pick := func(all []float64) Values {
		if all == nil {
			return nil
		}
		some := make(Values, len(kept))
		for k, i := range kept {
			some[k] = all[i]
		}
		return some
	}
	l := Line{
		Name: cmp.Or(s.Label, s.Name), Y: pick(s.Y), Color: strings.ToLower(line.Hex()), Dark: strings.ToLower(line.DarkHex()), Dash: line.Dash, Across: s.Reference, Hidden: hidden,
	}
	if !s.Unbanded {
		l.Low, l.High, l.Bars = pick(s.Low), pick(s.High), s.Bars
	}
	l.Mark, l.Remark = undrawn(s, c.LogX, c.LogY)
	x := pick(s.X)
	l.X = slices.IndexFunc(c.X, func(known Values) bool { return slices.Equal(known, x) })
	if l.X < 0 {
		l.X = len(c.X)
		c.X = append(c.X, x)
	}
	c.Series = append(c.Series, l)
}

// undrawn says in a mark and in words which points of a curve are not drawn.
func undrawn(s *figure.Series, logX, logY bool) (mark, remark string) {
	var marks, remarks []string
	for _, gap := range Gaps(s, logX, logY) {
		marks, remarks = append(marks, gap.Mark), append(remarks, fmt.Sprintf(gap.text, gap.Points, len(s.Y)))
	}
	return strings.Join(marks, ", "), strings.Join(remarks, "; ")
}

// thinned are the indices of the points to draw, ascending: all of up to mostPoints, else of
// each stretch the first, lowest, highest and last. A point that cannot be drawn counts as
// lowest, so that no gap closes.
func thinned(y []float64) []int {
	n := len(y)
	if n <= mostPoints {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	kept := make([]int, 0, mostPoints)
	for k := range stretches {
		start, end := k*n/stretches, (k+1)*n/stretches
		low, high := start, start
		for i := start; i < end; i++ {
			undrawable := math.IsNaN(y[i]) || math.IsInf(y[i], 0)
			lowGap := math.IsNaN(y[low]) || math.IsInf(y[low], 0)
			if !lowGap && (undrawable || y[i] < y[low]) {
				low = i
			}
			if !undrawable && (y[i] > y[high] || math.IsNaN(y[high]) || math.IsInf(y[high], 0)) {
				high = i
			}
		}
		for _, i := range []int{start, min(low, high), max(low, high), end - 1} {
			if len(kept) == 0 || i > kept[len(kept)-1] {
				kept = append(kept, i)
			}
		}
	}
	return kept
}

// sentences joins two texts of whole sentences.
func sentences(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// encode writes values as JSON that is safe inside a script element:
// "<", ">" and "&" are escaped, so no text can end the element.
func encode(list any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(true)
	if err := encoder.Encode(list); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

// Gap is the reason why points of a curve are not drawn.
type Gap struct {
	// Mark is a sign for it, one of Marks.
	Mark string
	// Log means that a linear axis, in place of a logarithmic one, shows them.
	Log    bool
	Points int // the number of points
	// Reason describes the points, such as infinite.
	Reason string
	text   string
}

// gaps are all that there are, in the order of their marks.
var gaps = []Gap{
	{Mark: "∞", Reason: "infinite", text: "infinite at %d of %d points, which are not drawn"},
	{Mark: "?", Reason: "undefined", text: "undefined at %d of %d points, which are not drawn"},
	{Mark: "≤ 0", Reason: "0 or less, which a logarithmic axis does not show", text: "0 or less at %d of %d points, which a logarithmic axis does not show", Log: true},
	{Mark: "x = ∞", Reason: "infinite on the x axis", text: "at infinity on the x axis are %d of %d points, which are not drawn"},
	{Mark: "x = ?", Reason: "undefined on the x axis", text: "undefined on the x axis are %d of %d points, which are not drawn"},
	{Mark: "x ≤ 0", Reason: "0 or less on the x axis, which a logarithmic axis does not show", text: "at 0 or less on the x axis are %d of %d points, which a logarithmic axis does not show", Log: true},
}

// Marks are the signs of all gaps, in the order of Gaps.
func Marks() (marks []string) {
	for _, gap := range gaps {
		marks = append(marks, gap.Mark)
	}
	return marks
}

// Gaps are the reasons why points of a series are not drawn, the reasons of y first. Zeros of
// y that a curve begins with are no gap: the beginning of its line shows them.
func Gaps(s *figure.Series, logX, logY bool) (list []Gap) {
	begin := max(0, slices.IndexFunc(s.Y, func(v float64) bool { return v != 0 }))
	counts := [6]int{}
	count := func(values []float64, log bool, into []int) {
		for _, v := range values {
			switch {
			case math.IsNaN(v):
				into[1]++
			case !figure.Drawable(v, false):
				into[0]++
			case log && !figure.Drawable(v, true):
				into[2]++
			}
		}
	}
	count(s.Y[begin:], logY, counts[:3])
	count(s.X, logX, counts[3:])
	for i, gap := range gaps {
		if gap.Points = counts[i]; gap.Points > 0 {
			list = append(list, gap)
		}
	}
	return list
}
