package figure

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/mechanisms/portable"
)

// The measures of points beside each other, in points.
const (
	shiftWidth = vg.Length(9)
	// numberShift is the shift on an axis of numbers, of all of them at most a part of the width.
	numberShift = vg.Length(5)
	numberPart  = vg.Length(0.04)
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

// leastApart is the least distance at which readers see points at one x beside each other.
const leastApart = vg.Length(2)

// besides reports whether readers see that shifts move series beside each other.
func besides(shifts []vg.Length) bool {
	places := slices.Compact(slices.Sorted(slices.Values(shifts)))
	for i := 1; i < len(places); i++ {
		if places[i]-places[i-1] < leastApart {
			return false
		}
	}
	return len(places) > 1
}

// shifts returns how far the points of each series are moved to the right, so that intervals at
// one x lie beside each other: none where no two series with intervals have a point in common.
func (f *Figure) shifts(list []Series, width vg.Length) []vg.Length {
	shifts := make([]vg.Length, len(list))
	var styles []string // a place each
	place := make([]int, len(list))
	meet, seen := false, map[float64]string{}
	for i := range list {
		s := &list[i]
		place[i] = -1
		if s.Reference || !s.Bars && f.Categories == nil {
			continue
		}
		style := s.Name
		if s.Hue+s.Dash != "" {
			style = s.Hue + "\n" + s.Dash
		}
		if place[i] = slices.Index(styles, style); place[i] < 0 {
			place[i] = len(styles)
			styles = append(styles, style)
		}
		for _, x := range s.X {
			if !Drawable(x, f.LogX) {
				continue
			}
			other, ok := seen[x]
			meet = meet || ok && other != style
			seen[x] = style
		}
	}
	if !meet {
		return shifts
	}
	step := min(numberShift, numberPart*width/vg.Length(len(styles)), vg.Length(f.gap(slices.Collect(maps.Keys(seen)))/2)*width/vg.Length(len(styles)))
	if f.Categories != nil {
		step = min(shiftWidth, 0.6*width/vg.Length(len(f.Categories)*len(styles)))
	}
	for i, k := range place {
		if k >= 0 {
			shifts[i] = vg.Length((float64(k) - float64(len(styles)-1)/2) * float64(step))
		}
	}
	return shifts
}

// gap returns the least distance of two places on the x axis, as a share of the distance of the
// outermost two: points that are shifted stay nearer to their own place than to the next one.
func (f *Figure) gap(places []float64) float64 {
	if f.LogX {
		for i, x := range places {
			places[i] = portable.Log(x)
		}
	}
	slices.Sort(places)
	least := 1.0
	for i := 1; i < len(places); i++ {
		if share := (places[i] - places[i-1]) / (places[len(places)-1] - places[0]); share < least {
			least = share
		}
	}
	return least
}
