package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"starling/scenarios/metric"
)

// The bounds of a figure in inches.
const (
	leastInches = 1.5
	mostInches  = 40
)

// checkPage reports a size, a look or a place that does not exist.
func (f *Figure) checkPage() error {
	for _, side := range []float64{f.Width, f.Height} {
		if side != 0 && !(leastInches <= side && side <= mostInches) {
			return fmt.Errorf("a figure is %g inches wide or high, want %g to %d", side, leastInches, mostInches)
		}
	}
	if !slices.Contains([]metric.FigureLook{"", metric.PaperLook, metric.SlidesLook}, f.Look) {
		return fmt.Errorf("unknown style %q; known: %s, %s", f.Look, metric.PaperLook, metric.SlidesLook)
	}
	if !slices.Contains([]metric.FigureLegend{"", metric.LegendRight, metric.LegendBelow, metric.LegendNone}, f.Legend) {
		return fmt.Errorf("unknown place %q of the legend; known: %s, %s, %s", f.Legend, metric.LegendRight, metric.LegendBelow, metric.LegendNone)
	}
	return nil
}

const fullPixels = 200 // of the PNG of a full figure, an inch

// page is the sheet on which a chart is laid out. One style serves all sizes: a small page is
// laid out larger, with fewer marks on its axes, and scaled down, by so little that its
// smallest letters, of 10.5 points, stay readable in print.
type page struct {
	// width and height are before scaling, in points.
	width, height vg.Length
	// scale is the ratio of the printed page to the page that is laid out.
	scale float64
	// pixels is the resolution of the PNG, an inch before scaling.
	pixels int
	// compact pages have the label of the y axis above the axes, and smaller margins. A fixed
	// page keeps its height, whatever is below the axes.
	compact, fixed bool
	// xTicks and yTicks are about the numbers of marks of an axis that have a label.
	xTicks, yTicks int
}

// pageOf returns the page of a size.
func pageOf(s metric.FigureSize) page {
	if s == metric.ColumnSize { // letters of 8 points, lines of 1.3
		return page{width: 3.4 / columnScale * vg.Inch, height: 2.3 / columnScale * vg.Inch, scale: columnScale, pixels: 3 * fullPixels * columnScale, compact: true, xTicks: 5, yTicks: 5}
	}
	return page{width: 8 * vg.Inch, height: 4.8 * vg.Inch, scale: 1, pixels: fullPixels, xTicks: 9, yTicks: 7}
}

// The scales of looks, and the width in inches below which a figure has the scale of a column.
const (
	columnScale = 0.75
	paperScale  = 0.78
	slidesScale = 1.4
	narrow      = 5
	// slidesRatio is the height of a slide beside its width.
	slidesRatio = 9. / 16
)

// page returns the page on which the figure is laid out: the page of its size, unless it asks
// for another.
func (f *Figure) page() page {
	p := pageOf(f.Size)
	if f.Width == 0 && f.Height == 0 && f.Look == "" {
		return p
	}
	width, height := p.printed()
	ratio := float64(height / width)
	if f.Width > 0 {
		if p = pageOf(metric.FullSize); f.Width < narrow {
			p = pageOf(metric.ColumnSize)
			ratio = float64(p.height / p.width)
		}
		width, height = vg.Length(f.Width)*vg.Inch, vg.Length(f.Width*ratio)*vg.Inch
	}
	if f.Look == metric.SlidesLook && f.Height == 0 {
		height = width * slidesRatio
	}
	if f.Height > 0 {
		height = vg.Length(f.Height) * vg.Inch
	}
	dots := float64(p.pixels) / p.scale // an inch in print
	switch f.Look {
	case metric.PaperLook:
		p.scale = max(p.scale*paperScale, columnScale)
	case metric.SlidesLook:
		p.scale *= slidesScale
		p.compact, p.fixed = true, true
	}
	p.width, p.height = width/vg.Length(p.scale), height/vg.Length(p.scale)
	p.pixels = int(math.Round(dots * p.scale))
	p.xTicks = min(12, max(2, int(p.width/vg.Inch*1.15)))
	p.yTicks = min(10, max(2, int(p.height/vg.Inch*1.5)))
	if p.compact {
		p.xTicks, p.yTicks = min(p.xTicks, 5), max(3, min(p.yTicks, 5))
	}
	return p
}

// mostPage is the greatest height of a figure in print that asks for no height.
const mostPage = 9 * vg.Inch

// most is the greatest height of the page before scaling.
func (p *page) most() vg.Length { return mostPage / vg.Length(p.scale) }

// edge is the white edge of the page, and labels the room and the size of the labels of axes.
func (p *page) edge() vg.Length {
	if p.compact {
		return border / 2
	}
	return border
}

func (p *page) labels() (room, size vg.Length) {
	if p.compact {
		return labelSpace - 2, 8 / columnScale
	}
	return labelSpace, labelSize
}

// printed is the size of the page after scaling.
func (p *page) printed() (width, height vg.Length) {
	return p.width * vg.Length(p.scale), p.height * vg.Length(p.scale)
}
