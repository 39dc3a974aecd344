package figure

import (
	"gonum.org/v1/plot/vg"
)

// Size is how large a figure is in print.
type Size int

// The sizes. A legend below the chart adds to the height.
const (
	// Full is 8 by 4.8 inches, for a screen or a page.
	Full Size = iota
	// Column is 3.4 by 2.4 inches, for a column of a page set in two.
	Column
)

const fullPixels = 200 // of the PNG of a full figure, an inch

// page is what a chart is laid out on. One style serves all sizes: a small page
// is laid out larger, with fewer marks on its axes, and scaled down, by so
// little that its smallest letters, of 10.5 points, stay readable in print.
type page struct {
	// width and height are before scaling, in points.
	width, height vg.Length
	// scale is from the page that is laid out to the printed one.
	scale float64
	// pixels is the resolution of the PNG, an inch before scaling.
	pixels int
	// xTicks and yTicks are about how many marks of an axis have a label.
	xTicks, yTicks int
}

func (s Size) page() page {
	if s == Column { // letters of 7 points, lines of 1.1
		return page{width: 5.1 * vg.Inch, height: 3.6 * vg.Inch, scale: 2. / 3, pixels: 2 * fullPixels, xTicks: 6, yTicks: 6}
	}
	return page{width: 8 * vg.Inch, height: 4.8 * vg.Inch, scale: 1, pixels: fullPixels, xTicks: 9, yTicks: 7}
}

// printed is the size of the page after scaling.
func (p *page) printed() (width, height vg.Length) {
	return p.width * vg.Length(p.scale), p.height * vg.Length(p.scale)
}
