package figure

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"starling/scenarios/metric"
)

// grid is a figure of panels, in each of which hues times dashes curves are told apart by
// values.
func grid(panels, hues, dashes int) Figure {
	f := Figure{Title: "t", XLabel: "x", YLabel: "y"}
	for k := range panels {
		p := Panel{Title: fmt.Sprintf("panel %d", k)}
		for h := range hues {
			for d := range dashes {
				p.Series = append(p.Series, Series{
					Name: fmt.Sprintf("%d,%d", h, d), Hue: fmt.Sprintf("hue=%d", h), Dash: fmt.Sprintf("dash=%d", d),
					X: []float64{1, 2, 3}, Y: []float64{float64(h), float64(d), float64(k)},
				})
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// A legend stands in the place of a panel that is missing in the last row, where it fits, and the panels have the whole
// width then.
func TestLegendInsideOfPanels(t *testing.T) {
	f := Figure{YLabel: "y", XLabel: "x"}
	for k := range 5 {
		p := Panel{Title: strings.Repeat("p", k+1)}
		for _, name := range []string{"a", "b", "c"} {
			p.Series = append(p.Series, Series{Name: name, X: []float64{0, 1}, Y: []float64{0, float64(k)}})
		}
		f.Panels = append(f.Panels, p)
	}
	if c := newChart(&f); !c.legend.inside || c.legend.beside() != 0 || c.legend.below() != 0 {
		t.Errorf("the legend takes %v beside and %v below", c.legend.beside(), c.legend.below())
	}
	if f.Panels = f.Panels[:4]; newChart(&f).legend.inside {
		t.Error("a full row has a place for a legend")
	}
	f.Panels, f.Legend = append(f.Panels, f.Panels[0]), metric.LegendRight
	if newChart(&f).legend.inside {
		t.Error("a legend that is asked for on the right is elsewhere")
	}
}

// TestPanelsShareAxes draws panels: their data have one size, stand in a grid without
// touching, and lie on the page.
func TestPanelsShareAxes(t *testing.T) {
	for n := 1; n <= 24; n++ {
		for _, size := range []metric.FigureSize{metric.FullSize, metric.ColumnSize} {
			f := grid(n, 2, 2)
			f.Size = size
			c := newChart(&f)
			var canvas recorder.Canvas
			page := draw.NewCanvas(&canvas, c.width, c.height)
			c.draw(page)
			var placed []vg.Rectangle
			for i := range c.panels {
				placed = append(placed, c.panels[i].data)
			}
			for i, r := range placed {
				if d := r.Size().Sub(placed[0].Size()); math.Abs(float64(d.X)) > 1e-6 || math.Abs(float64(d.Y)) > 1e-6 {
					t.Fatalf("%d panels: panel %d is %v, the first %v", n, i, r.Size(), placed[0].Size())
				}
				if r.Size().X < 30 || r.Size().Y < 30 || r.Min.X < 0 || r.Min.Y < 0 || r.Max.X > c.width || r.Max.Y > c.height {
					t.Fatalf("%d panels: panel %d at %v on a page of %v by %v", n, i, r, c.width, c.height)
				}
				for k, other := range placed[:i] {
					if r.Min.X < other.Max.X && other.Min.X < r.Max.X && r.Min.Y < other.Max.Y && other.Min.Y < r.Max.Y {
						t.Fatalf("%d panels: %d and %d overlap", n, i, k)
					}
				}
			}
			if p, q := c.panels[0].plot, c.panels[n-1].plot; p.X.Min != q.X.Min || p.Y.Max != q.Y.Max {
				t.Errorf("%d panels: axes from %v and %v", n, p.X.Min, q.X.Min)
			}
		}
	}
}

// TestPagesHaveABound: a figure is higher than a page in print, its legend included, only where its panels could not
// be read otherwise, and slides keep their shape up to there.
func TestPagesHaveABound(t *testing.T) {
	for n := 1; n <= 24; n++ {
		for _, size := range []metric.FigureSize{metric.FullSize, metric.ColumnSize} {
			f := grid(n, 13, 6)
			for k := range f.Panels {
				for i := range f.Panels[k].Series {
					f.Panels[k].Series[i].Hue += ", with a name that takes most of the width of a page in print, and so a row"
				}
			}
			f.Size, f.Note = size, strings.Repeat("A sentence below. ", 20)
			c := newChart(&f)
			if _, height := c.printed(); height > 9*vg.Inch+1e-6 && !grown(c, leastHeight) {
				t.Errorf("size %v, %d panels: %.1f inches high", size, n, height/vg.Inch)
			}
		}
		f := grid(n, 2, 2)
		f.Look = metric.SlidesLook
		c := newChart(&f)
		if width, height := c.printed(); math.Abs(float64(height/width)-9./16) > 1e-9 && !(n > 9 && grown(c, slideHeight)) {
			t.Errorf("a slide of %d panels is %v by %v", n, width, height)
		}
	}
	f := curves(42, 5)
	for i := range f.Series {
		f.Series[i].Name += " with a name that takes most of the width of a page in print, and so a row of its own"
	}
	if _, height := newChart(&f).printed(); height > 9*vg.Inch+1e-6 {
		t.Errorf("%.1f inches high", height/vg.Inch)
	}
}

// grown reports whether the panels of a chart are as low as can be read.
func grown(c *chart, least vg.Length) bool {
	_, high := c.panelSize(len(c.panels), true)
	return math.Abs(float64(high-least)) < 1e-6
}

// TestPanelsOfASlideCanBeRead: long legends leave each panel of a slide its least height, and all texts outside of the
// data.
func TestPanelsOfASlideCanBeRead(t *testing.T) {
	for _, n := range []int{1, 4, 5, 9, 24} {
		for _, names := range []int{6, 22, 42} {
			f := grid(n, names, 1)
			f.Title, f.XLabel, f.YLabel, f.Look = "Title", "x", "y", metric.SlidesLook
			c := newChart(&f)
			var canvas recorder.Canvas
			c.draw(draw.NewCanvas(&canvas, c.width, c.height))
			for i := range c.panels {
				data := c.panels[i].data
				bottom := c.below() + c.legend.below()
				if data.Size().Y < slideHeight-6 || data.Min.Y < bottom || data.Max.Y > c.height-titleSpace-labelSpace || data.Max.X > c.width-c.legend.beside() {
					t.Errorf("%d panels, %d names: data at %v on a page of %v by %v, legend below %v, beside %v", n, names, data, c.width, c.height, c.legend.below(), c.legend.beside())
				}
			}
			if rows := vg.Length(c.legend.rows()) * entryHeight; rows > c.height {
				t.Errorf("%d panels, %d names: a legend of %v on a page of %v", n, names, rows, c.height)
			}
		}
	}
}

// TestTicksStandApart: the numbers of axes do not run into each other, in panels of any size.
func TestTicksStandApart(t *testing.T) {
	for n := 1; n <= 24; n++ {
		for _, look := range []metric.FigureLook{"", metric.SlidesLook} {
			for _, size := range []metric.FigureSize{metric.FullSize, metric.ColumnSize} {
				f := grid(n, 3, 2)
				f.Size, f.Look = size, look
				for k := range f.Panels {
					f.Panels[k].Series[0].Y, f.Panels[k].Series[0].X = []float64{-4000, 100, 18000}, []float64{1, 20000, 40000}
				}
				c := newChart(&f)
				var canvas recorder.Canvas
				c.draw(draw.NewCanvas(&canvas, c.width, c.height))
				for i := range c.panels {
					p, data := c.panels[i].plot, c.panels[i].data.Size()
					if n == 1 {
						data = vg.Point{X: c.width / 2, Y: c.height / 2}
					}
					check := func(a *plot.Axis, length vg.Length, wide func(label string) vg.Length) {
						end := vg.Length(math.Inf(-1))
						for _, tick := range a.Tick.Marker.(plot.ConstantTicks) {
							if strings.TrimSpace(tick.Label) == "" {
								continue
							}
							at, half := vg.Length(a.Norm(tick.Value))*length, wide(tick.Label)/2
							if at-half < end {
								t.Errorf("size %v %s, %d panels: %s begins at %v, the one before ends at %v", size, look, n, tick.Label, at-half, end)
							}
							end = at + half
						}
					}
					check(&p.X, data.X, p.X.Tick.Label.Width)
					check(&p.Y, data.Y, func(string) vg.Length { return p.Y.Tick.Label.Font.Size * digitHeight })
				}
			}
		}
	}
}

// TestValuesGiveStyles: curves of one value share its colour or dash in all panels, those of
// others do not, and the legend lists the values.
func TestValuesGiveStyles(t *testing.T) {
	f := grid(3, 4, 3)
	lines := f.Lines()
	for k, p := range f.Panels {
		for i, s := range p.Series {
			for j, other := range f.Panels[0].Series {
				a, b := lines[k][i], lines[0][j]
				if (s.Hue == other.Hue) != (a.Color == b.Color) || (s.Dash == other.Dash) != slices.Equal(a.Dash, b.Dash) {
					t.Fatalf("%s in panel %d is %v, %s is %v", s.Name, k, a, other.Name, b)
				}
			}
		}
	}
	var names []string
	for _, e := range f.entries() {
		names = append(names, e.name)
	}
	if got := strings.Join(names, " "); got != "hue=0 hue=1 hue=2 hue=3 dash=0 dash=1 dash=2" {
		t.Errorf("legend %s", got)
	}
	if said := f.Repeated(); said != "" {
		t.Error(said)
	}
	for i := range f.Panels[0].Series {
		f.Panels[0].Series[i].Dash = "dash=0"
	}
	if said := f.Repeated(); said != "12 of 36 curves share colour and dash with another, such as 0,0 and 0,1." {
		t.Error(said)
	}
}

// TestOneNameHasOneStyle: without values, a name has one style in all panels, also where
// the panels have different curves.
func TestOneNameHasOneStyle(t *testing.T) {
	curve := func(name string) Series { return Series{Name: name, X: []float64{1}, Y: []float64{1}} }
	f := Figure{Panels: []Panel{{Series: []Series{curve("a"), curve("b")}}, {Series: []Series{curve("b"), curve("c")}}}}
	lines := f.Lines()
	if lines[0][1].Color != lines[1][0].Color || lines[1][1].Color == lines[0][0].Color || lines[1][1].Color == lines[1][0].Color {
		t.Errorf("%v", lines)
	}
	if n := len(f.entries()); n != 3 {
		t.Errorf("%d entries", n)
	}
	f.Series = []Series{curve("d")}
	if f.Validate() == nil {
		t.Error("series beside panels are taken")
	}
}

// TestSolidStaysSolid: where only some curves have a value for their dash, the others are
// solid, and only they.
func TestSolidStaysSolid(t *testing.T) {
	f := Figure{Series: []Series{{Name: "a", Hue: "1"}, {Name: "none", Hue: "1", Dash: "none"}}}
	if lines := f.Lines()[0]; lines[0].Dash != nil || lines[1].Dash == nil || lines[0].Color != lines[1].Color {
		t.Errorf("%v", lines)
	}
}

// TestPanelsAreWritten writes panels in every format.
func TestPanelsAreWritten(t *testing.T) {
	f := grid(2, 1, 2)
	f.Note = "said below"
	for _, format := range formats {
		var text bytes.Buffer
		if err := format.write(f, &text); err != nil {
			t.Fatalf("%s: %v", format.extension, err)
		}
		want := map[string][]string{
			".svg": {">panel 1</text>", ">dash=1</text>", ">hue=0</text>", ">said below</text>"}, ".csv": {"series,x,y,low,high,facet\n", `"0,1",3,1,,,panel 1`},
			".json": {`"facet":"panel 1","hue":"hue=0","dash_of":"dash=1"`}, ".py": {"plt.subplots(1, 2,", `ax.set_title("panel 1"`, `label="dash=1"`},
		}[format.extension]
		for _, part := range want {
			if !strings.Contains(text.String(), part) {
				t.Errorf("%s: %s is not in\n%.3000s", format.extension, part, text.String())
			}
		}
	}
}

// The keys of a legend of values are the values, colours first, each with the curves that
// have it, in every panel.
func TestKeys(t *testing.T) {
	of := func(hue, dash string) Series {
		return Series{Name: hue + dash, Hue: hue, Dash: dash, X: []float64{1}, Y: []float64{1}}
	}
	f := Figure{Panels: []Panel{
		{Title: "one", Series: []Series{of("a", "x"), of("a", "y"), of("b", "x"), {Name: "bound", X: []float64{1}, Y: []float64{2}}}},
		{Title: "two", Series: []Series{of("b", "y"), of("c", "c")}},
	}}
	var got []string
	lines := f.Lines()
	for _, key := range f.Keys() {
		got = append(got, fmt.Sprintf("%s %t %v", key.Name, key.Second, key.Curves))
		for k, curves := range key.Curves {
			for _, i := range curves {
				if line := lines[k][i]; !key.Second && line.Color != key.Line.Color || key.Second && !slices.Equal(line.Dash, key.Line.Dash) {
					t.Errorf("%s is drawn as %v, its curve as %v", key.Name, key.Line, line)
				}
			}
		}
	}
	want := []string{"a false [[0 1] []]", "b false [[2] [0]]", "c false [[] [1]]", "x true [[0 2] []]", "y true [[1] [0]]", "bound true [[3] []]"}
	if !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	if keys := (&Figure{Series: []Series{{Name: "a"}}}).Keys(); keys != nil {
		t.Errorf("a figure of curves has the keys %v", keys)
	}
}

// TestUndrawn checks that the legend has no value of which nothing is drawn, and that the colours of
// the others stay.
func TestUndrawn(t *testing.T) {
	inf := math.Inf(1)
	f := Figure{Panels: []Panel{
		{Title: "a", Series: []Series{{Name: "1", Hue: "none", X: []float64{1}, Y: []float64{inf}}, {Name: "2", Hue: "some", X: []float64{1}, Y: []float64{2}}}},
		{Title: "b", Series: []Series{{Name: "3", Hue: "none", X: []float64{1}, Y: []float64{inf}}}},
	}}
	all := f
	all.Panels = []Panel{f.Panels[0], {Title: "b", Series: []Series{{Name: "3", Hue: "none", X: []float64{1}, Y: []float64{3}}}}}
	keys, both := f.Keys(), all.Keys()
	if len(keys) != 1 || keys[0].Name != "some" || len(both) != 2 || keys[0].Line.Color != both[1].Line.Color {
		t.Errorf("keys %+v of %+v", keys, both)
	}
	if got := f.Undrawn(); len(got) != 1 || got[0] != "none" {
		t.Errorf("undrawn %q", got)
	}
}

// TestManyColours checks that values have dashes besides their colours where these are many, in curves and
// legend alike, and not where dashes have a meaning of their own or colours are degrees.
func TestManyColours(t *testing.T) {
	figureOf := func(hues int) *Figure {
		f := &Figure{}
		for i := range hues {
			f.Series = append(f.Series, Series{Name: fmt.Sprint(i), Hue: fmt.Sprint("h", i), X: []float64{1, 2}, Y: []float64{float64(i), float64(i + 1)}})
		}
		return f
	}
	dashed := func(f *Figure) (n int) {
		for i, line := range f.Lines()[0] {
			if len(line.Dash) > 0 {
				n++
			}
			if key := f.Keys()[i].Line; !slices.Equal(key.Dash, line.Dash) {
				t.Errorf("curve %d has the dash %v, and its key %v", i, line.Dash, key.Dash)
			}
		}
		return n
	}
	if n := dashed(figureOf(5)); n != 0 {
		t.Errorf("%d of 5 curves are dashed", n)
	}
	if n := dashed(figureOf(6)); n != 5 {
		t.Errorf("%d of 6 curves are dashed, want all but the first", n)
	}
	ramp := figureOf(6)
	for _, s := range ramp.Series {
		ramp.Ramp = append(ramp.Ramp, s.Hue)
	}
	if n := dashed(ramp); n != 0 {
		t.Errorf("%d curves of a ramp are dashed", n)
	}
	covered := figureOf(3)
	covered.Series[2].Y = []float64{0, 1.001}
	if n := dashed(covered); n != 1 || len(covered.Lines()[0][2].Dash) == 0 {
		t.Errorf("%d of 3 curves are dashed, want the one that covers another", n)
	}
	meant := figureOf(6)
	meant.Series[0].Dash = "all"
	for i, line := range meant.Lines()[0][2:] {
		if len(line.Dash) > 0 {
			t.Errorf("curve %d is dashed, and the dash means another value", i+2)
		}
	}
}
