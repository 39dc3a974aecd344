package figure

import (
	"math"
	"strings"
	"testing"
)

// TestPoints holds the JSON of a figure against what is known of it.
func TestPoints(t *testing.T) {
	f := Figure{
		Title: "t", XLabel: "x", YLabel: "y", LogY: true,
		Series: []Series{
			{Name: "a", X: []float64{1, 2}, Y: []float64{0.5, math.NaN()}, Low: []float64{0.25, 0}, High: []float64{1, math.Inf(1)}},
			{X: []float64{}, Y: []float64{}},
		},
	}
	var text strings.Builder
	if err := WriteJSON(f, &text); err != nil {
		t.Fatal(err)
	}
	const want = `{"title":"t","x_label":"x","y_label":"y","log_x":false,"log_y":true,"series":[` +
		`{"name":"a","color":"#0072B2","dash":[],"x":[1,2],"y":[0.5,null],"low":[0.25,0],"high":[1,null]},` +
		`{"name":"","color":"#D55E00","dash":[],"x":[],"y":[]}]}` + "\n"
	if got := text.String(); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	f.Series[0].High = nil
	if err := WriteJSON(f, &text); err == nil {
		t.Error("a band without an upper side is written")
	}
}
