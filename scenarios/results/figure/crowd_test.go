package figure

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"

	"starling/scenarios/metric"
)

// TestFaintCurves numbers curves in the background at their ends and in the legend, draws them grey and
// without a colour of their own, and keeps their colours for others that draw the figure.
func TestFaintCurves(t *testing.T) {
	f := Figure{Legend: "below"}
	for i, name := range []string{"best", "second", "third"} {
		f.Series = append(f.Series, Series{Name: name, X: []float64{1, 2, 3}, Y: []float64{1, 2, float64(10 * (i + 1))}, Faint: i > 0})
	}
	var svg bytes.Buffer
	if err := WriteSVG(f, &svg); err != nil {
		t.Fatal(err)
	}
	text := svg.String()
	for want, count := range map[string]int{">1</text>": 2, ">2</text>": 2, ">second</text>": 1, "stroke:#A8A8A8": 2, "stroke:#D55E00": 0} {
		if got := strings.Count(text, want); got < count || count == 0 && got > 0 {
			t.Errorf("%d times %s, want %d", got, want, count)
		}
	}
	if f.Lines()[0][1].Hex() != "#D55E00" {
		t.Error("the second curve has lost its colour")
	}
}

// TestSmoothed has means by hand, with fewer points at the ends and none across a gap.
func TestSmoothed(t *testing.T) {
	s := Series{X: []float64{1, 2, 3, 4, 5}, Y: []float64{2, 4, 0, 8, 6}, Smooth: 1}
	if got := s.smoothed(false, false).Y; !slices.Equal(got, []float64{3, 2, 4, 14. / 3, 7}) {
		t.Error(got)
	}
	if got := s.smoothed(false, true).Y; !slices.Equal(got, []float64{3, 3, 0, 7, 7}) {
		t.Errorf("0 has no place on a logarithmic axis: %v", got)
	}
}

// TestNumbersStandApart: numbers at the ends of curves in the background do not overlap, stay beside the chart,
// and lose none, wherever curves end and however low the chart is.
func TestNumbersStandApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "curves")
		height := vg.Length(rapid.Float64Range(20, 400).Draw(t, "height"))
		var numbers endNumbers
		for i := range n {
			y := rapid.SampledFrom([]float64{0, 0.5, 0.5, 0.51, 1}).Draw(t, "end")
			name := fmt.Sprint(i)
			numbers.list = append(numbers.list, Series{Name: name, X: []float64{1}, Y: []float64{y}, Faint: true})
			numbers.keys = append(numbers.keys, name)
		}
		at := func(v float64) vg.Length { return vg.Length(v) * height }
		labels := numbers.labels(at, at, 0, height)
		var texts []string
		for i, l := range labels {
			if i > 0 && l.at-labels[i-1].at < numberLine-1e-6 {
				t.Fatalf("%v and %v overlap", labels[i-1], l)
			}
			if l.at < 0 || l.at > height {
				t.Fatalf("%v is beside a chart of %v", l, height)
			}
			texts = append(texts, strings.Split(l.text, ", ")...)
		}
		if slices.Sort(texts); len(slices.Compact(texts)) != n {
			t.Fatalf("%q, want %d numbers", texts, n)
		}
	})
}

// TestNumbersHaveRoom: charts of a row, and the page, have room for numbers at the ends of curves.
func TestNumbersHaveRoom(t *testing.T) {
	for _, size := range []metric.FigureSize{metric.FullSize, metric.ColumnSize} {
		for _, panels := range []int{0, 2, 6} {
			f := grid(max(1, panels), 14, 1)
			for k := range f.Panels {
				for i := range f.Panels[k].Series {
					s := &f.Panels[k].Series[i]
					s.Faint, s.Dash, s.Y = true, "", []float64{1, 2, 3}
				}
			}
			if panels == 0 {
				f.Series, f.Panels = f.Panels[0].Series, nil
			}
			f.Size = size
			c := newChart(&f)
			var canvas recorder.Canvas
			c.draw(draw.NewCanvas(&canvas, c.width, c.height))
			numbers := map[string]int{}
			for _, action := range canvas.Actions {
				text, ok := action.(*recorder.FillString)
				if !ok || text.Size != numberSize {
					continue
				}
				numbers[text.String]++
				right := text.Point.X + textStyle(numberSize).Width(text.String)
				if right > c.width {
					t.Errorf("size %v, %d panels: %s reaches to %v of %v", size, panels, text.String, right, c.width)
				}
				for i := range c.panels {
					if data := c.panels[i].data; panels > 0 && text.Point.X < data.Max.X && right > data.Min.X && text.Point.Y < data.Max.Y && text.Point.Y > data.Min.Y {
						t.Errorf("size %v, %d panels: %s at %v lies on panel %d, %v", size, panels, text.String, text.Point, i, data)
					}
				}
			}
			if len(numbers) == 0 {
				t.Errorf("size %v, %d panels: no numbers", size, panels)
			}
		}
	}
}
