// Package figure draws line charts of results as SVG, PNG and PDF: curves with
// uncertainty bands, told apart by colour (the colour-blind-safe palette of
// Okabe and Ito) and by dash, so that they survive grey print. Equal figures
// give equal bytes. It is no general plotting library: it draws what the
// metrics of a run need, in one style.
package figure

import (
	"fmt"
	"math"
)

// Figure is a chart. In the title and the labels, "^" before digits raises
// them: "T^2".
type Figure struct {
	Title, XLabel, YLabel string
	LogX, LogY            bool
	Size                  Size
	Series                []Series
}

// Series is a curve. Points that cannot be drawn, those with a NaN, an infinity
// (or anything beyond 1e300) or, on a logarithmic axis, a number that is not
// positive (or below 1e-300), are left out and interrupt the curve.
type Series struct {
	Name string    // in the legend; without a name there is no entry
	X, Y []float64 // of equal length
	// Low and High bound the band around the curve: both nil, or as long as X.
	// Where Low is not positive on a logarithmic axis, the band goes down to
	// the edge of the chart.
	Low, High []float64
}

// Validate reports slices of unequal length.
func (f *Figure) Validate() error {
	for i, s := range f.Series {
		if len(s.Y) != len(s.X) {
			return fmt.Errorf("figure %q: series %d (%q): %d x, %d y", f.Title, i+1, s.Name, len(s.X), len(s.Y))
		}
		if (s.Low == nil) != (s.High == nil) {
			return fmt.Errorf("figure %q: series %d (%q): a band needs both Low and High", f.Title, i+1, s.Name)
		}
		if s.Low != nil && (len(s.Low) != len(s.X) || len(s.High) != len(s.X)) {
			return fmt.Errorf("figure %q: series %d (%q): %d x, %d low, %d high",
				f.Title, i+1, s.Name, len(s.X), len(s.Low), len(s.High))
		}
	}
	return nil
}

// Coordinates farther from 1 than these are not drawn, so that no length of an
// axis, margins included, leaves the normal range of float64. The smallest
// counts on logarithmic axes only.
const (
	largest  = 1e300
	smallest = 1e-300
)

// Drawable reports whether a coordinate has a place on its axis, logarithmic or
// not.
func Drawable(v float64, log bool) bool {
	return math.Abs(v) <= largest && (!log || v >= smallest)
}
