package figure

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"starling/scenarios/metric"
)

// The least heights of the data of a panel in points. A page of fixed height is arranged anew below the first, and
// grows below the second; every page grows below the third, even beyond the height of a page in print.
const (
	easyHeight  = vg.Length(80)
	slideHeight = vg.Length(42)
	leastHeight = vg.Length(32)
)

// numbersRoom is about the room for the numbers of an axis, beside or below the data.
const numbersRoom = vg.Length(22)

// besidePart is the greatest part of the width of a page of fixed height for a legend beside the axes.
const besidePart = 0.42

// arrange divides the page into panels and lays the legend out. On a page of fixed height whose panels
// would be low, it takes the place of the legend and the number of columns with the largest panels.
func (c *chart) arrange(f *Figure, across span) {
	c.panels = make([]panel, 0, len(f.Charts()))
	c.divide(f)
	c.legend = newLegend(f, &c.page, across)
	if _, high := c.panelSize(len(f.Charts()), f.titled()); c.fixed && high < easyHeight {
		c.rearrange(f, across)
	}
	if c.fitsInside(f) {
		c.legend.inside, c.legend.onRight, c.legend.columns = true, false, 1
	}
	c.chooseTicks(f)
}

// fitsInside reports whether the legend has a place in the last row of panels, right of the last panel.
func (c *chart) fitsInside(f *Figure) bool {
	n := len(f.Panels)
	free := (c.columns - n%c.columns) % c.columns
	if f.Legend != "" || len(c.legend.entries) == 0 || free == 0 || n < c.columns {
		return false
	}
	trial := *c
	trial.legend = legend{inside: true}
	wide, high := trial.panelSize(n, true)
	width := vg.Length(vg.Length(free)*wide) + vg.Length(vg.Length(free-1)*panelGap) - numbersRoom
	rows := vg.Length(vg.Length(len(c.legend.entries)) * entryHeight)
	return c.legend.width <= width && rows <= high+numbersRoom && !slices.ContainsFunc(c.legend.entries, func(e legendEntry) bool { return e.number > 0 })
}

// rearrange takes the place of the legend and the number of columns with the largest panels.
func (c *chart) rearrange(f *Figure, across span) {
	places := []metric.FigureLegend{f.Legend}
	if f.Legend == "" {
		places = []metric.FigureLegend{metric.LegendBelow, metric.LegendRight}
	}
	n, best := len(f.Charts()), vg.Length(0)
	columns, found := c.columns, c.legend
	for _, place := range places {
		placed := *f
		placed.Legend = place
		c.legend = newLegend(&placed, &c.page, across)
		if c.legend.onRight {
			c.legend.shorten(besidePart * c.width)
			if vg.Length(len(c.legend.entries))*entryHeight > c.height-2*c.edge() {
				continue
			}
		}
		for c.columns = 1; c.columns <= n; c.columns++ {
			wide, high := c.panelSize(n, f.titled())
			if size := min(wide*panelRatio, high); size > best {
				best, columns, found = size, c.columns, c.legend
			}
		}
	}
	c.columns, c.legend = columns, found
}

// titled reports whether panels have titles above them.
func (f *Figure) titled() bool { return len(f.Panels) > 0 }

// panelSize is about the size of the data of each of so many panels.
func (c *chart) panelSize(panels int, titled bool) (wide, high vg.Length) {
	rows := (panels + c.columns - 1) / c.columns
	room, _ := c.labels()
	wide = c.width - 2*c.edge() - c.legend.beside() - numbersRoom - vg.Length(vg.Length(c.columns-1)*panelGap)
	high = c.height - 2*c.edge() - c.below() - c.legend.below() - space(c.title, titleSpace) - room - numbersRoom
	if c.compact { // the label of the y axis is above the axes
		high -= room
	}
	if titled {
		high -= vg.Length(vg.Length(rows)*(panelTitle+panelGap)) - panelGap
	}
	return wide/vg.Length(c.columns) - c.numbers, high / vg.Length(rows)
}

// grow makes a page higher whose panels would be too low to be read, or would lie under texts.
func (c *chart) grow() {
	n := len(c.panels)
	titled, least := n > 1 || c.panels[0].title != "", leastHeight
	if c.fixed {
		least = slideHeight
	}
	if _, high := c.panelSize(n, titled); high < least {
		rows := (n + c.columns - 1) / c.columns
		c.height += vg.Length(vg.Length(rows) * (least - high))
	}
	if c.legend.onRight {
		c.height = max(c.height, vg.Length(vg.Length(len(c.legend.entries))*entryHeight)+2*c.edge()+c.below()+space(c.title, titleSpace))
	}
}

// shorten cuts names in their middle, so that a legend of one column has at most a width.
func (l *legend) shorten(most vg.Length) {
	if l.width <= most {
		return
	}
	l.width = most
	for i := range l.entries {
		l.entries[i].name = elide(l.entries[i].name, most-sampleWidth-sampleGap, l.text)
	}
}
