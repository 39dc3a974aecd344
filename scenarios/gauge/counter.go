package gauge

import (
	"sync/atomic"

	"starling/messages"
)

// Counter is a count by point, of the events since the point before: no order changes it. It
// is safe for concurrent use until the run is over.
type Counter []atomic.Int64

// SoFar returns the count up to a point.
func (c Counter) SoFar() func(point int) float64 {
	next, total := 0, int64(0)
	return func(point int) float64 {
		if point+1 < next {
			next, total = 0, 0
		}
		for ; next <= point; next++ {
			total += c[next].Load()
		}
		return float64(total)
	}
}

// Share returns the ratio of this count to another that contains it, up to a point; NaN if
// nothing was counted.
func (c Counter) Share(whole Counter) func(point int) float64 {
	part, all := c.SoFar(), whole.SoFar()
	return func(point int) float64 { return part(point) / all(point) }
}

// ShareAt is Share for the counts since the point before.
func (c Counter) ShareAt(whole Counter) func(point int) float64 {
	return func(point int) float64 { return float64(c[point].Load()) / float64(whole[point].Load()) }
}

// Go goes through the counts.
func (c Counter) Go(codec *messages.Codec, name string) {
	messages.Each(codec, name, c, func(n *atomic.Int64) { codec.Count("", n) })
}
