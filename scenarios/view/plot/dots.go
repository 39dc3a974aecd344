package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// dotsName is the name of the figure of dots of a run.
const dotsName = "dots"

// The bounds of figures of dots: the least rows, the most charts beside each other, and the most rows that
// have a place on a page.
const (
	leastDots      = 5
	mostDotColumns = 6
	mostDots       = 40
)

// Dots draws the last value of the headline metric of a run that has just ended as dots with intervals, the best
// arms on top. The boolean is false where the arms are few, where curves over numbers show more, or where the
// scenario has a figure of the name.
func (r *Run) Dots(s *study.Scenario) (figure.Named, bool) {
	o, ok := r.headline(s, s.Kinds.AllMetrics())
	if !ok || slices.ContainsFunc(s.Plots, func(p study.PlotSection) bool { return p.Name == dotsName }) {
		return figure.Named{}, false
	}
	o.PerStep = false // the value of the finding
	g, columns := r.dotGrid()
	rows := 0
	for _, arms := range g.Arms {
		rows += len(arms)
	}
	if rows < leastDots {
		return figure.Named{}, false
	}
	f, ok := r.dots(g, columns, o)
	return figure.Named{Name: dotsName, Figure: f}, ok
}

// dotGrid returns the grid of a figure of dots with the keys of its columns: the grid of the arms, or else one column of
// all arms. Where numbers tell the arms apart it is empty: curves over them show more.
func (r *Run) dotGrid() (g Grid, columns []string) {
	rows, columns := r.gridKeys()
	if g, ok := r.Full(); ok && len(g.ColumnLabels) <= mostDotColumns && (rows == study.EachName || degrees(r.Arms, rows) == nil) {
		return g, columns
	}
	if keys := keysOf(r.Arms); len(keys) == 1 && degrees(r.Arms, keys[0]) != nil || len(r.Arms) > mostDots {
		return Grid{}, nil
	}
	return r.listed(), nil
}

// listed returns all arms as a grid of one column.
func (r *Run) listed() Grid {
	g, labels := Grid{ColumnLabels: []string{""}}, ArmLabels(r.Arms)
	for _, arm := range r.Arms {
		g.RowLabels, g.Arms = append(g.RowLabels, labels[arm.Name]), append(g.Arms, []string{arm.Name})
	}
	return g
}

// dots returns the figure of dots of a grid.
func (r *Run) dots(g Grid, columns []string, o study.PlotOptions) (figure.Figure, bool) {
	f, h, ok := r.cellsOf(g, columns, &o)
	if !ok {
		return f, false
	}
	h.frame()
	f.Cells.SortRows()
	f.Cells.Dots, f.Note = true, h.dotsNote()
	if !f.Share && f.Cells.Cut() {
		f.Note += " Arrowhead: the interval goes on."
	}
	f.Caption = caption([]Run{*r}, &f, &o)
	return f, true
}

// dotsNote explains the colours of dots, and the lines of arms across.
func (h *heat) dotsNote() string {
	list := []string{h.intervals()}
	c := h.cells
	switch best := "the best mean of each chart"; {
	case h.marks != nil:
		text := strings.Replace(h.marks.Text, "* best mean", "Black: the best mean", 1)
		list = append(list, strings.Replace(text, "; ~ not", "; open: not", 1)+".")
	case c.Better != "":
		if len(c.Columns) == 1 {
			best = "the best mean"
		}
		list = append(list, fmt.Sprintf("Black: %s (%s is better).", best, c.Better))
	}
	lines := 0
	for i, across := range c.Across {
		if across && !math.IsNaN(c.Values[i][0]) {
			list = append(list, []string{"Dashed", "Dotted"}[lines%2]+": "+c.Rows[i]+".")
		}
		if across {
			lines++
		}
	}
	return strings.TrimSpace(strings.Join(list, " "))
}

// overlaidDots returns the figure of dots that options ask for, of one run.
func overlaidDots(runs []Run, o study.PlotOptions) (figure.Figure, error) {
	if len(runs) != 1 {
		return figure.Figure{}, document.BadInput(document.At("x", "x arm draws the arms of one run; --x run compares runs"))
	}
	chosen, err := chooseArms(runs, o.Arms)
	if err != nil {
		return figure.Figure{}, document.BadInput(err)
	}
	r := &chosen[0]
	g, columns := r.dotGrid()
	if len(g.Arms) == 0 {
		g = r.listed()
	}
	f, ok := r.dots(g, columns, o)
	if !ok {
		return f, document.BadInput(fmt.Errorf("%s has no number that can be drawn", o.Metric))
	}
	return f, nil
}
