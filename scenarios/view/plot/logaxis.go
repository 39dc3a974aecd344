package plot

import (
	"math"
	"slices"

	"starling/scenarios/results/figure"
)

// The least range of values for a logarithmic axis, and the largest quotient of the gaps of values that are
// evenly spaced.
const (
	logRange = 8
	evenGaps = 2
)

// places returns the values that arms have on an axis of a swept key, or of accounted losses above 0,
// ascending, each once. Faults of an arm are reported where its points are placed.
func (p *plotter) places() (values []float64) {
	for i := range p.runs {
		run := &p.runs[i]
		for k := range run.Arms {
			x, ok, err := p.axis(run, &run.Arms[k])
			if err == nil && ok && !math.IsNaN(x) && (x != 0 || !p.options.Accounted()) {
				values = append(values, x)
			}
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// apartByFactors reports whether ascending values are for a logarithmic axis: positive, over a
// factor of logRange or more, and not evenly spaced.
func apartByFactors(values []float64) bool {
	n := len(values)
	if n < 2 || values[0] <= 0 || values[n-1] < logRange*values[0] {
		return false
	}
	return n == 2 || unevenness(values) > evenGaps
}

// unevenness is the quotient of the largest and the least gap of ascending values.
func unevenness(values []float64) float64 {
	least, most := math.Inf(1), 0.0
	for i := range values[1:] {
		gap := values[i+1] - values[i]
		least, most = math.Min(least, gap), math.Max(most, gap)
	}
	return most / least
}

// chooseAcross makes the x axis of a swept key logarithmic where the options leave the choice to
// the figure and its values lie apart by factors. A logarithmic axis of a swept key has its
// marks at the values.
func (p *plotter) chooseAcross(f *figure.Figure) {
	if !p.options.Keyed() || p.categories != nil {
		return
	}
	values := p.places()
	if p.options.ChooseX && apartByFactors(values) {
		p.options.LogX, f.LogX = true, true
	}
	if f.LogX && !p.options.Accounted() {
		f.XMarks = values
	}
}

// chooseMetric makes the x axis of a metric logarithmic where the options leave the choice to the figure, all of
// its points are positive, and curves end apart by factors.
func (p *plotter) chooseMetric(f *figure.Figure) {
	if _, metric := p.options.Known.Find(p.options.X); !metric || p.options.Keyed() || p.options.Dotted() || !p.options.ChooseX {
		return
	}
	var all []figure.Series
	for _, panel := range f.Charts() {
		all = append(all, panel.Series...)
	}
	positive := !slices.ContainsFunc(all, func(s figure.Series) bool {
		return slices.ContainsFunc(s.X, func(x float64) bool { return x <= 0 })
	})
	if positive && Spread(all) {
		p.options.LogX, f.LogX = true, true
	}
}
