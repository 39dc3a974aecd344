package figure

import (
	"math"

	"gonum.org/v1/plot/vg"

	"starling/scenarios/metric"
)

// A slide keeps its proportions: a higher figure has smaller letters, down to the least scale, in steps of this part.
const (
	leastSlide = 0.6
	slideStep  = 0.95
)

// slide reports whether the figure is a slide with the proportions of a screen.
func (f *Figure) slide() bool { return f.Look == metric.SlidesLook && f.Height == 0 }

// smaller is the page with smaller letters, at the size and the resolution that it has in print, in whole pixels.
func (p page) smaller() page {
	pixels := math.Round(float64(p.pixels) * slideStep)
	part := pixels / float64(p.pixels)
	p.scale, p.pixels = p.scale*part, int(pixels)
	p.width, p.height = p.width/vg.Length(part), p.height/vg.Length(part)
	return p
}

// newCells lays cells out. On a slide their letters are the largest with which they fit, and they stand in the middle of its
// height.
func newCells(f *Figure) *chart {
	p := f.page()
	c := cellsOn(f, p)
	if !f.slide() {
		return c
	}
	for c.height > p.height+tooLittle && p.scale*slideStep >= leastSlide {
		p = p.smaller()
		c = cellsOn(f, p)
	}
	c.blank = max(0, p.height-c.height)
	c.height += c.blank
	return c
}

// cellsOn lays cells out on a page, which becomes as high as they need.
func cellsOn(f *Figure, p page) *chart {
	c := &chart{page: p, title: f.Title, note: f.drawnNote()}
	if f.Cells.Dots {
		c.layDots(f)
		return c
	}
	c.xLabel, c.yLabel, c.columns = f.XLabel, f.YLabel, 1
	c.layCells(f.Cells)
	return c
}

// slide lays the maps out on a slide, as many in a row as make them the largest, in the middle of its height.
func (h *Heat) slide(inches float64) *heatPage {
	high := vg.Length(inches*slidesRatio) * vg.Inch
	var best *heatPage
	for scale := paperScale * slidesScale; best == nil || scale >= leastSlide*paperScale && !best.whole(high); scale *= slideStep {
		best = nil
		whole := math.Round(fullPixels*scale) / fullPixels // so that the page has whole pixels
		fitting := int(vg.Length(inches) * vg.Inch / vg.Length(whole) / (leastHeatSide + heatMargin + boxSpace))
		for across := 1; across <= max(1, min(fitting, len(h.Maps))); across++ {
			if p := h.pageOf(inches, whole, high, across); best == nil || len(p.Maps) > len(best.Maps) || len(p.Maps) == len(best.Maps) && p.side > best.side {
				best = p
			}
		}
	}
	best.blank = max(0, high/vg.Length(best.scale)-best.height)
	best.height += best.blank
	return best
}

// leastOnSlide is the least side of a map on a slide of few maps: smaller letters make room for larger ones.
const leastOnSlide = vg.Length(110)

// whole reports whether all maps stand on a slide of a height in print, large enough.
func (p *heatPage) whole(high vg.Length) bool {
	return len(p.Maps) == p.all && p.side >= leastOnSlide && p.height*vg.Length(p.scale) <= high+tooLittle
}
