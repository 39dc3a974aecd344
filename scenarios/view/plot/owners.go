package plot

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/gauge"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// mostOwnerPanels is the largest number of arms of a figure of quantiles.
const mostOwnerPanels = 9

// OwnerFigures draws the values of single participants of a run that has just ended, where
// measure.by has asked for them: a figure of quantiles for each quantity, and one with a dot for
// each participant. A figure of the scenario keeps its name.
func (r *Run) OwnerFigures(s *study.Scenario) (figures []figure.Named) {
	add := func(name string, f figure.Figure) {
		if !slices.ContainsFunc(s.Plots, func(p study.PlotSection) bool { return p.Name == name }) {
			figures = append(figures, figure.Named{Name: name, Figure: f})
		}
	}
	for _, f := range r.Quantiles(s) {
		add(f.Name, f.Figure)
	}
	if o, ok := usualDots(s); ok {
		if f, err := Figure([]Run{*r}, o); err == nil { // else there is nothing to draw, such as infinite epsilons
			var all []figure.Series
			for _, panel := range f.Charts() {
				all = append(all, panel.Series...)
			}
			f.LogX = Spread(all)
			add("participants", f)
		}
	}
	return figures
}

// Quantiles draws the quantiles of values of single participants over the steps, a figure for each
// quantity; none where no arm records such values.
func (r *Run) Quantiles(s *study.Scenario) (figures []figure.Named) {
	if !slices.ContainsFunc(s.Arms, func(arm *study.Arm) bool { return arm.Owners != nil }) {
		return nil
	}
	for _, q := range gauge.OwnerQuantities() {
		if q == &gauge.RegretOf || q == &gauge.MessagesOf {
			continue // of the last step alone, and of the scenario
		}
		if f, ok := r.quantiles(s, q); ok {
			figures = append(figures, figure.Named{Name: "quantiles-" + strings.ReplaceAll(q.Name, ".", "-"), Figure: f})
		}
	}
	return figures
}

// quantiles returns the figure of the quantiles of a quantity, a chart for each arm. The bool is
// false if there is nothing to draw.
func (r *Run) quantiles(s *study.Scenario, q *gauge.Quantity) (figure.Figure, bool) {
	f := newFigure(s, q.Name+" of participants", accounts.EpsilonAxis(q.Name+" of a participant", q.Name+".", r.Of.Among(r.Arms)))
	var all []figure.Series
	for _, arm := range s.Arms {
		curve := func(name, of string) figure.Series {
			c := r.Curve(arm.Name, q.Name+"."+of, study.AxisStep, false)
			c.Name, c.Low, c.High = name, nil, nil
			return c
		}
		median := curve("median, and quantiles 0.1 to 0.9", "median")
		median.Low, median.High = curve("", "quantile.10").Y, curve("", "quantile.90").Y
		list := []figure.Series{median, curve("worst", "worst"), curve("best", "best")}
		if !Drawn(list) {
			continue
		}
		all = append(all, list...)
		f.Panels = append(f.Panels, figure.Panel{Title: r.label(arm.Name), Series: list})
	}
	if len(f.Panels) > mostOwnerPanels {
		f.Title += fmt.Sprintf(" (the first %d of %d arms)", mostOwnerPanels, len(f.Panels))
		f.Panels = f.Panels[:mostOwnerPanels]
	}
	f.LogY = Logarithmic(q.Unit, all)
	if len(f.Panels) == 1 {
		f.Series, f.Panels = f.Panels[0].Series, nil
	}
	markGaps(&f, "", &study.PlotOptions{Metric: q.Name})
	if f.Caption = caption([]Run{*r}, &f, &study.PlotOptions{Metric: q.Name + ".", PerStep: true}); f.Caption != nil {
		f.Caption = slices.Insert(f.Caption, 1, "Participants at each record: the median, a band from quantile 0.1 to 0.9, the best and the worst.")
	}
	return f, len(all) > 0
}

// usualDots returns the options of the figure with a dot for each participant: its regret, else
// its accuracy, else its loss, over its epsilon. ok is false unless an arm records both.
func usualDots(s *study.Scenario) (o study.PlotOptions, ok bool) {
	records := func(q *gauge.Quantity) bool {
		return slices.ContainsFunc(s.Arms, func(arm *study.Arm) bool {
			return arm.Owners != nil && study.RecordsMetric(arm, q.OfOne()) && study.RecordsMetric(arm, gauge.EpsilonOf.OfOne())
		})
	}
	for _, q := range []*gauge.Quantity{&gauge.RegretOf, &gauge.AccuracyOf, &gauge.LossOf} {
		if records(q) {
			o = study.PlotOptions{Metric: q.OfOne(), X: gauge.EpsilonOf.OfOne(), Band: study.NoBand, Known: s.Kinds.AllMetrics()}
			if n := len(s.Arms); n > 1 && n <= mostFacets {
				o.Facet = study.EachArm // participants of several arms with one epsilon would lie on each other
			}
			return o, true
		}
	}
	return o, false
}
