package plot

import (
	"math"
	"slices"

	"starling/mechanisms/portable"
	"starling/scenarios/results/figure"
)

// The least number and the least range of a geometric grid, and the largest quotient of its
// logarithmic gaps: 0.5, 1, 5 is a grid.
const (
	leastGrid = 3
	gridRange = 8
	gridGaps  = 3
)

// places returns the values that arms have on an axis of a swept key, or of accounted losses,
// ascending, each once. Faults of an arm are reported where its points are placed.
func (p *plotter) places() (values []float64) {
	for i := range p.runs {
		run := &p.runs[i]
		for k := range run.Arms {
			x, ok, err := p.axis(run, &run.Arms[k])
			if err == nil && ok && !math.IsNaN(x) {
				values = append(values, x)
			}
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// geometric reports whether ascending values are a grid for a logarithmic axis: positive, over a
// factor of gridRange or more, with logarithmic gaps that are about even, and more even than
// the gaps of the values themselves.
func geometric(values []float64) bool {
	n := len(values)
	if n < leastGrid || values[0] <= 0 || values[n-1] < gridRange*values[0] {
		return false
	}
	logs := make([]float64, n)
	for i, v := range values {
		logs[i] = portable.Log(v)
	}
	return unevenness(logs) <= gridGaps && unevenness(logs) < unevenness(values)
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
// the figure and its values are a geometric grid. A logarithmic axis of a swept key has its
// marks at the values.
func (p *plotter) chooseAcross(f *figure.Figure) {
	if !p.options.Keyed() || p.categories != nil {
		return
	}
	values := p.places()
	if p.options.ChooseX && geometric(values) {
		p.options.LogX, f.LogX = true, true
	}
	if f.LogX && !p.options.Accounted() {
		f.XMarks = values
	}
}
