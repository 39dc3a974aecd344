package figure

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"starling/scenarios/metric"
)

// TestIntervalsAtEnds draws the interval of a curve without a band beside the axes, which takes room from the data, from the
// lowest curve to the highest; there are none where all intervals are bands.
func TestIntervalsAtEnds(t *testing.T) {
	f := Figure{}
	for i := range 8 {
		y := float64(10 - i)
		f.Series = append(f.Series, Series{Name: fmt.Sprintf("c%d", i), X: []float64{1, 2}, Y: []float64{1, y}, Low: []float64{1, y - 1}, High: []float64{1, y + 1}})
	}
	draw := func() string {
		var b bytes.Buffer
		if err := WriteSVG(f, &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	banded := draw()
	if f.HasEndBars() {
		t.Error("bars beside bands")
	}
	for i := range f.Series[1:] {
		f.Series[i+1].Unbanded = true
	}
	if at := f.endBars(f.Series); !f.HasEndBars() || len(at) != 8 || at[0] != 7 {
		t.Errorf("bars of %v", at)
	}
	if l := newChart(&f).legend; l.bars != f.endBarRoom() || l.ends[0].bar == 0 || draw() == banded {
		t.Errorf("room %v of %v", l.bars, f.endBarRoom())
	}
	if _, y := spans(&f); y.max < 11 {
		t.Errorf("the axis ends at %v, below the interval of the highest curve", y.max)
	}
}

// TestIntervalsHaveNumbers: a curve in the background with an interval beside the axes has its number at the interval, and
// no line to a number; one without an interval has the line.
func TestIntervalsHaveNumbers(t *testing.T) {
	f := Figure{Legend: "below"}
	for i := range 9 {
		y := float64(10 + i)
		s := Series{Name: fmt.Sprintf("c%d", i), Faint: i > 1, Unbanded: true, X: []float64{1, 2}, Y: []float64{1, y}}
		if i != 8 {
			s.Low, s.High = []float64{1, y - 4}, []float64{1, y + 4}
		}
		f.Series = append(f.Series, s)
	}
	var b bytes.Buffer
	if err := WriteSVG(f, &b); err != nil {
		t.Fatal(err)
	}
	for number := 1; number <= 7; number++ {
		if got := strings.Count(b.String(), fmt.Sprintf(">%d</text>", number)); got < 2 {
			t.Errorf("number %d stands %d times, want in the legend and at the curve", number, got)
		}
	}
	at := func(v float64) vg.Length { return vg.Length(v) }
	n := endNumbers{list: f.Series, keys: f.faints(), bars: f.endBars(f.Series)}
	if labels := n.labels(at, at, 0, 100); len(labels) != 1 || labels[0].text != "7" {
		t.Errorf("lines to the numbers of %+v", labels)
	}
}

// TestIntervalsOnSlides leaves room for the data of charts beside a long legend, and intervals and numbers beside the axes.
func TestIntervalsOnSlides(t *testing.T) {
	f := Figure{Look: metric.SlidesLook}
	for k := range 2 {
		p := Panel{Title: fmt.Sprint("chart ", k)}
		for i := range 12 {
			name := fmt.Sprintf("an arm with a long name, local step = %d", i)
			p.Series = append(p.Series, Series{Name: name, Hue: name, Faint: i > 6, Unbanded: true, X: []float64{1, 2}, Y: []float64{1, float64(i)}, Low: []float64{1, float64(i) - 1}, High: []float64{1, float64(i) + 1}})
		}
		f.Panels = append(f.Panels, p)
	}
	c := newChart(&f)
	if wide, _ := c.panelSize(2, true); wide < leastWidth/2 {
		t.Errorf("the data of a chart are %v wide", wide)
	}
}
