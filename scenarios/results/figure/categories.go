package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The measures of points beside each other, in points.
const (
	shiftWidth = vg.Length(9)
	// slant is the angle of names of categories that do not fit beside each other.
	slant = math.Pi / 6
)

// setCategories gives an axis the names of categories. slot is about the room of each.
func setCategories(a *plot.Axis, names []string, slot vg.Length) {
	var ticks []plot.Tick
	fits := true
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
		fits = fits && a.Tick.Label.Width(name) <= slot-4
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
	if !fits {
		a.Tick.Label.Rotation = slant
		a.Tick.Label.XAlign = draw.XRight
	}
}

// shifts returns how far the points of each series are moved to the right, so that intervals at
// one x lie beside each other: none where no two series with intervals have a point in common.
func (f *Figure) shifts(list []Series, width vg.Length) []vg.Length {
	shifts := make([]vg.Length, len(list))
	var moved []int
	meet, seen := false, map[float64]bool{}
	for i := range list {
		s := &list[i]
		if s.Reference || !s.Bars && f.Categories == nil {
			continue
		}
		moved = append(moved, i)
		meet = meet || slices.ContainsFunc(s.X, func(x float64) bool { return seen[x] })
		for _, x := range s.X {
			seen[x] = true
		}
	}
	if !meet {
		return shifts
	}
	step := min(shiftWidth, 0.6*width/vg.Length(max(len(seen), 1)*len(moved)))
	for k, i := range moved {
		shifts[i] = vg.Length((float64(k) - float64(len(moved)-1)/2) * float64(step))
	}
	return shifts
}
