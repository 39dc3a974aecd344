package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"

	"starling/scenarios/metric"
)

// curves returns a figure of n noisy series with bands.
func curves(n, points int) Figure {
	f := Figure{Title: "Regret", XLabel: "step", YLabel: "regret"}
	for k := range n {
		s := Series{Name: fmt.Sprintf("arm %d", k+1)}
		for i := range points {
			x := float64(i + 1)
			y := float64(k+1) * math.Sqrt(x) * (1 + 0.1*math.Sin(x))
			s.X, s.Y = append(s.X, x), append(s.Y, y)
			s.Low, s.High = append(s.Low, 0.9*y), append(s.High, 1.1*y)
		}
		f.Series = append(f.Series, s)
	}
	return f
}

func TestRenderIsDeterministic(t *testing.T) {
	var first [2][]byte
	for round := range 2 {
		folder := t.TempDir()
		if err := Render([]Named{{"regret", curves(4, 200)}, {"loss", curves(1, 20)}}, folder); err != nil {
			t.Fatal(err)
		}
		for i, extension := range []string{".svg", ".png"} {
			text, err := os.ReadFile(filepath.Join(folder, "regret"+extension))
			if err != nil {
				t.Fatal(err)
			}
			if round == 1 && !bytes.Equal(first[i], text) {
				t.Errorf("the %s file differs between two renderings", extension)
			}
			first[i] = text
		}
	}
	if !bytes.Contains(first[0], []byte(">arm 4</text>")) {
		t.Error("the SVG has no legend text for the last series")
	}
	image, err := png.DecodeConfig(bytes.NewReader(first[1]))
	if err != nil || image.Width != 1600 {
		t.Errorf("PNG: width %d, want 1600 (%v)", image.Width, err)
	}
}

func TestRenderErrors(t *testing.T) {
	good := []float64{1, 2}
	tests := map[string]struct {
		series Series
		want   string
	}{
		"y too short": {Series{X: good, Y: good[:1]}, "2 x, 1 y"},
		"half a band": {Series{X: good, Y: good, Low: good}, "both"},
		"band short":  {Series{X: good, Y: good, Low: good, High: good[:1]}, "1 high"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			err := Render([]Named{{"x", Figure{Series: []Series{{X: good, Y: good}, test.series}}}}, dir)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "series 2") {
				t.Errorf("%v, want an error with %q and the series", err, test.want)
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
	missing := filepath.Join(t.TempDir(), "no", "folder")
	if err := Render([]Named{{"x", curves(1, 2)}}, missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("Render into no folder: %v", err)
	}
	folder := t.TempDir()
	err := Render([]Named{{"a", curves(1, 2)}, {"b", Figure{Series: []Series{{X: good}}}}, {"c", Figure{Series: []Series{{Y: good}}}}}, folder)
	if err == nil || !strings.Contains(err.Error(), "2 x, 0 y") {
		t.Errorf("%v, want the error of the first figure that fails", err)
	}
	for _, name := range []string{"a.svg", "a.png"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Errorf("beside figures that fail: %v", err)
		}
	}
}

// TestBandsFarBeyondTheAxis: the ends of a band that are 10^300 axes away are cut at the axes.
func TestBandsFarBeyondTheAxis(t *testing.T) {
	f := Figure{Series: []Series{{Name: "s", X: []float64{1, 1, 1, 1}, Y: []float64{7.151111669042735e-248, 0, 0, 0}, Low: []float64{1, 1, -9.001825655931896e+58, 0}, High: []float64{0, 0, 0, 0}}}}
	var text bytes.Buffer
	if err := WriteSVG(f, &text); err != nil || strings.Contains(text.String(), "NaN") {
		t.Errorf("%v, NaN: %v", err, strings.Contains(text.String(), "NaN"))
	}
}

// TestAnyNumbersCanBeDrawn: no value makes the layout fail or leak into the
// drawing.
func TestAnyNumbersCanBeDrawn(t *testing.T) {
	number := rapid.OneOf(
		rapid.Float64(),
		rapid.Float64Range(-10, 10),
		rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, math.MaxFloat64, 1e15, 1e15 + 1}),
	)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "n")
		draw := func(label string) []float64 { return rapid.SliceOfN(number, n, n).Draw(t, label) }
		f := Figure{LogX: rapid.Bool().Draw(t, "log x"), LogY: rapid.Bool().Draw(t, "log y")}
		f.Series = []Series{{Name: "s", X: draw("x"), Y: draw("y"), Low: draw("low"), High: draw("high")}}
		var text bytes.Buffer
		if err := WriteSVG(f, &text); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"NaN", "Inf"} {
			if strings.Contains(text.String(), bad) {
				t.Fatalf("%s in the SVG", bad)
			}
		}
	})
}

// TestLegendCoversNoData lays legends out and compares their place with that of
// the data: right of it, or below the page of the chart.
func TestLegendCoversNoData(t *testing.T) {
	for _, name := range []string{"a", "a name of middle length", strings.Repeat("long name ", 30)} {
		for i, n := range []int{1, 4, 12, 50, 1, 4, 12, 50} {
			f := curves(n, 3)
			f.Size = metric.FigureSize(i / 4)
			page := pageOf(f.Size)
			for i := range f.Series {
				f.Series[i].Name = name
			}
			c := newChart(&f)
			if beside, below := c.legend.beside(), c.legend.below(); (beside == 0) == (below == 0) {
				t.Errorf("%d × %.10q: %v beside and %v below", n, name, beside, below)
			}
			width := vg.Length(c.legend.columns)*(c.legend.width+entryGap) - entryGap
			if width > page.width-2*page.edge() {
				t.Errorf("%d × %.10q: the legend is %v wide", n, name, width)
			}
			if c.legend.onRight && vg.Length(c.legend.rows())*entryHeight > page.height-2*page.edge() {
				t.Errorf("%d × %.10q: the legend is higher than the chart", n, name)
			}
			if c.legend.rows()*c.legend.columns < n {
				t.Errorf("%d × %.10q: %d rows, %d columns", n, name, c.legend.rows(), c.legend.columns)
			}
		}
	}
}

// lightness and the two colour axes of CIELAB at D65 (CIE 15:2004).
func cielab(c color.NRGBA) [3]float64 {
	linear := func(v uint8) float64 {
		if x := float64(v) / 255; x > 0.04045 {
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	f := func(t float64) float64 {
		if t > 216./24389 {
			return math.Cbrt(t)
		}
		return (24389./27*t + 16) / 116
	}
	x, y, z := f((0.4124*r+0.3576*g+0.1805*b)/0.95047), f(0.2126*r+0.7152*g+0.0722*b), f((0.0193*r+0.1192*g+0.9505*b)/1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// TestTwelveCurvesAreApart: of twelve curves no two have colours that are alike,
// which a distance of 20 is not by far, and two with the same dash differ in grey,
// too.
func TestTwelveCurvesAreApart(t *testing.T) {
	for i := range 12 {
		for k := range i {
			a, dashA := Stroke(i)
			b, dashB := Stroke(k)
			x, y := cielab(a), cielab(b)
			if d := math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2])); d < 20 {
				t.Errorf("curves %d and %d: the colours %v and %v are %.1f apart", k+1, i+1, b, a, d)
			}
			if slices.Equal(dashA, dashB) && math.Abs(x[0]-y[0]) < 15 {
				t.Errorf("curves %d and %d have one dash and the lightness %.0f and %.0f", k+1, i+1, y[0], x[0])
			}
		}
		c, _ := Stroke(i)
		if cielab(c)[0] > 75 {
			t.Errorf("curve %d: %v is too pale on white", i+1, c)
		}
	}
}

// TestStylesDiffer: Distinct series differ in colour or dash, six in each.
func TestStylesDiffer(t *testing.T) {
	pairs := map[string]bool{}
	for i := range Distinct {
		s := styleOf(stroke{hue: i, dash: i})
		pairs[fmt.Sprint(s.line.Color, s.line.Dashes)] = true
	}
	if len(pairs) != Distinct {
		t.Errorf("%d styles for %d series", len(pairs), Distinct)
	}
	colours, patterns := map[string]bool{}, map[string]bool{}
	for i := range 6 {
		s := styleOf(stroke{hue: i, dash: i})
		colours[fmt.Sprint(s.line.Color)], patterns[fmt.Sprint(s.line.Dashes)] = true, true
	}
	if len(colours) != 6 || len(patterns) != 6 {
		t.Errorf("%d colours, %d dashes for six series", len(colours), len(patterns))
	}
}

// TestLongSeriesStaySmall: what a column of pixels cannot show is not written.
func TestLongSeriesStaySmall(t *testing.T) {
	f := curves(1, 200_000)
	var text bytes.Buffer
	if err := WriteSVG(f, &text); err != nil {
		t.Fatal(err)
	}
	if text.Len() > 300_000 {
		t.Errorf("%d bytes of SVG for one series", text.Len())
	}
}

// TestThinKeepsExtremes: thinning keeps the ends, and the range to within half
// a line's width.
func TestThinKeepsExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]float64{0.1, 1, 100}).Draw(t, "scale")
		heights := rapid.SliceOfN(rapid.Float64Range(-scale, scale), 1, 200).Draw(t, "heights")
		points := make([]vg.Point, len(heights))
		for i, h := range heights {
			points[i] = vg.Point{X: vg.Length(i) * columnWidth / 50, Y: vg.Length(h)}
		}
		kept := thin(points)
		if kept[0] != points[0] || kept[len(kept)-1] != points[len(points)-1] {
			t.Fatal("an end is gone")
		}
		low, high := extremes(points)
		keptLow, keptHigh := extremes(kept)
		if keptLow < low || keptLow > low+lineWidth/2 || keptHigh > high || keptHigh < high-lineWidth/2 {
			t.Fatalf("range %v to %v became %v to %v", low, high, keptLow, keptHigh)
		}
		if columns := (len(points)-1)/50 + 1; len(kept) > 4*columns+4 {
			t.Fatalf("%d points kept in %d columns", len(kept), columns)
		}
	})
}

// A stair keeps its corners, however low its steps are: it is nowhere below the loss.
func TestThinKeepsStairs(t *testing.T) {
	var stair []vg.Point
	for step := range 100 {
		x, y := vg.Length(step)*3*columnWidth, vg.Length(step)*lineWidth/9
		stair = append(stair, vg.Point{X: x, Y: y}, vg.Point{X: x, Y: y + lineWidth/9})
	}
	if kept := thin(stair); !slices.Equal(kept, stair) {
		t.Errorf("%d of %d corners are left", len(kept), len(stair))
	}
}

func extremes(points []vg.Point) (low, high vg.Length) {
	low, high = points[0].Y, points[0].Y
	for _, p := range points {
		low, high = min(low, p.Y), max(high, p.Y)
	}
	return low, high
}

// TestClipped finds bands that go below a logarithmic axis: to 0, and more than a decade below the
// least point; not those that are left out, and none on a linear axis.
func TestClipped(t *testing.T) {
	for _, test := range []struct {
		low      float64
		log, out bool
		want     bool
	}{{0, true, false, true}, {-1, true, false, true}, {0.05, true, false, true}, {0.5, true, false, false}, {0, false, false, false}, {0, true, true, false}} {
		f := Figure{LogY: test.log, Series: []Series{{X: []float64{1, 2}, Y: []float64{1, 2}, Low: []float64{0.9, test.low}, High: []float64{1.1, 3}, Unbanded: test.out}}}
		if f.Clipped() != test.want {
			t.Errorf("%+v: %v", test, f.Clipped())
		}
	}
}

// TestBandToTheEdge: a band with 0 at one point goes down to the edge there, keeps its lower side elsewhere, and does not
// lengthen the axis; a bar goes to the edge without an end stroke.
func TestBandToTheEdge(t *testing.T) {
	s := Series{Name: "a", X: []float64{1, 2, 3, 4}, Y: []float64{1, 1, 1, 1}, Low: []float64{0.8, 0.8, 0, 0.8}, High: []float64{1.2, 1.2, 2, 1.2}}
	f := Figure{LogY: true, Series: []Series{s}}
	_, y := f.Ranges()
	if y[0] < 0.7 {
		t.Errorf("the axis begins at %g", y[0])
	}
	lowest := func(f *Figure) (low vg.Length, strokes, ends int) {
		c := newChart(f)
		var canvas recorder.Canvas
		p := c.panels[0].plot
		b := &band{series: &f.Series[0], style: styleOf(stroke{}), logY: true}
		page := draw.NewCanvas(&canvas, c.width, c.height)
		b.Plot(page, p)
		_, toY := p.Transforms(&page)
		low = toY(1)
		for _, action := range canvas.Actions {
			var path vg.Path
			switch a := action.(type) {
			case *recorder.Fill:
				path = a.Path
			case *recorder.Stroke:
				path = a.Path
				strokes++
			}
			for _, part := range path {
				if part.Type != vg.CloseComp {
					low = min(low, part.Pos.Y)
					if math.Abs(float64(part.Pos.Y-toY(0.8))) < 1e-6 {
						ends++
					}
				}
			}
		}
		return low - toY(0.8), strokes, ends
	}
	if low, _, ends := lowest(&f); low >= 0 || ends != 3 {
		t.Errorf("the band goes %v below its least positive end, and has it at %d points", -low, ends)
	}
	f.Series[0].Bars = true
	if low, strokes, _ := lowest(&f); low >= 0 || strokes != 4*3-1 {
		t.Errorf("bars go %v below the least positive end, in %d strokes", -low, strokes)
	}
}

// TestAxesAreOfCurves: a few wide bands do not lengthen the y axis, and are cut at its ends; bands that are all as wide
// do, and so do bars.
func TestAxesAreOfCurves(t *testing.T) {
	s := Series{Name: "a"}
	for i := range 20 {
		x := float64(i + 1)
		s.X, s.Y, s.Low, s.High = append(s.X, x), append(s.Y, x), append(s.Low, x-0.1), append(s.High, x+0.1)
	}
	s.High[9], s.Low[9] = 5000, -5000
	f := Figure{Series: []Series{s}}
	if _, y := f.Ranges(); y[0] < -11 || y[1] > 32 || !f.Beyond() {
		t.Errorf("the axis goes from %v, beyond it: %v", y, f.Beyond())
	}
	f.Series[0].Bars = true
	if _, y := f.Ranges(); y[1] < 5000 || f.Beyond() {
		t.Errorf("the axis of bars goes from %v, beyond it: %v", y, f.Beyond())
	}
	flat := Figure{Series: []Series{{X: []float64{1, 2}, Y: []float64{1, 1}, Low: []float64{-9, -9}, High: []float64{11, 11}}}}
	if _, y := flat.Ranges(); y[0] > -9 || y[1] < 11 || flat.Beyond() {
		t.Errorf("the axis of wide bands goes from %v, beyond it: %v", y, flat.Beyond())
	}
}

// TestEndIntervalsAreCut: intervals beside the axes lengthen the y axis by a quarter of the curves' range, and by half of
// their own width where curves have little of the chart.
func TestEndIntervalsAreCut(t *testing.T) {
	curve := func(name string, end, half float64) Series {
		return Series{Name: name, X: []float64{1, 2}, Y: []float64{0, end}, Low: []float64{0, end - half}, High: []float64{0, end + half}, Unbanded: true}
	}
	f := Figure{Series: []Series{curve("a", 100, 5), curve("b", 50, 900), curve("c", 80, 5)}}
	if _, y := f.Ranges(); y[0] < -40 || y[0] > -25 || y[1] > 140 {
		t.Errorf("the axis goes from %v", y)
	}
	flat := Figure{Series: []Series{curve("a", 1, 50), curve("b", 2, 60), curve("c", 3, 55)}}
	if _, y := flat.Ranges(); y[0] > -52 || y[1] < 57 {
		t.Errorf("the axis of flat curves goes from %v", y)
	}
}

// TestPolygonsAreCut: a polygon has corners where it crosses a height, and none beyond.
func TestPolygonsAreCut(t *testing.T) {
	got := within([]vg.Point{{X: 0, Y: 0}, {X: 4, Y: 8}, {X: 8, Y: 0}}, -1, 4)
	if want := []vg.Point{{X: 0, Y: 0}, {X: 2, Y: 4}, {X: 6, Y: 4}, {X: 8, Y: 0}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
