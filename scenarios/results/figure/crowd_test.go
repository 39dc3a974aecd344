package figure

import (
	"bytes"
	"slices"
	"strings"
	"testing"
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
