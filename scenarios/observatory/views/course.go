package views

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/topology"
	"starling/scenarios/results/report"
	"starling/scenarios/view"
)

// Course holds measures of the network of a run over its steps: of one period where the graphs
// repeat, and else of bins of consecutive steps.
type Course struct {
	// Steps are the first steps of the bins, and Bin is the number of steps of each but the last,
	// which may have fewer.
	Steps []int `json:"steps"`
	Bin   int   `json:"bin"`
	// Period is the number of steps after which the graphs repeat, all of which are among Steps
	// then; 0 where they do not, or after many steps. With 1 the graph never changes, and Steps are
	// the first and the last one.
	Period int `json:"period"`
	// InDegree and OutDegree are degrees in the graphs of each bin, self-loops left out.
	InDegree  []view.Span `json:"in_degree"`
	OutDegree []view.Span `json:"out_degree"`
	// Step is the spectral norm of W - 11'/N, where W holds the weights of the step: in the
	// worst case the step multiplies the distance of the nodes' values from their mean by this
	// factor. For doubly stochastic weights it is the second largest singular value, and 1
	// minus the spectral gap. It is the mean over a bin; StepLow and StepHigh are the least and
	// the most.
	Step     report.Values `json:"step"`
	StepLow  report.Values `json:"step_low"`
	StepHigh report.Values `json:"step_high"`
	// Window is the same norm for the product of the weights of Length steps from each one on.
	// All are NaN where weights are not doubly stochastic: then there is no such norm.
	Window     report.Values `json:"window"`
	WindowLow  report.Values `json:"window_low"`
	WindowHigh report.Values `json:"window_high"`
	Length     int           `json:"length"`
	// Remarks say how the steps were chosen, and list the unknown values, with reasons.
	Remarks []string `json:"remarks"`

	measures topology.Measures
	known    map[int]measured // by epoch
}

// measured are the measures of a step.
type measured struct {
	in, out      view.Span
	step, window float64
}

// mostCourse and leastCourse bound the number of steps that are measured, and mostCourse the
// number of bins. The number of steps is such that all together have at most mostCourseEdges
// edges. courseLength is the length of a window.
const (
	mostCourse      = 60
	leastCourse     = 8
	mostCourseEdges = 1 << 21
	courseLength    = 10
)

// Course follows the network of a job over its steps.
func (f *Folder) Course(ctx context.Context, id string, m Moment) (*Course, error) {
	_, _, n, err := f.graphs(ctx, id, &m)
	if err != nil {
		return nil, err
	}
	c := &Course{Length: min(courseLength, n.Horizon), Bin: 1, Remarks: []string{}, measures: topology.Measures{Stop: ctx.Err}, known: map[int]measured{}}
	period, periodic := n.Graphs.Period()
	switch {
	case periodic && period == 1:
		c.Period = 1
		c.Remarks = append(c.Remarks, "The graph is the same at every step.")
		return c, c.still(n)
	case periodic && period <= mostCourse && period < n.Horizon:
		c.Period = period
		c.Remarks = append(c.Remarks, fmt.Sprintf("The graphs repeat every %d steps: one period is shown, step by step.", period))
		for at := range period {
			if err := c.add(n, []int{at}); err != nil {
				return nil, err
			}
		}
		return c, nil
	}
	return c, c.bins(n)
}

// still sets the measures of a network that never changes.
func (c *Course) still(n *view.Network) error {
	if err := c.add(n, []int{0}); err != nil || n.Horizon == 1 {
		return err
	}
	c.Steps = append(c.Steps, n.FirstStep+n.Horizon-1)
	c.InDegree, c.OutDegree = append(c.InDegree, c.InDegree[0]), append(c.OutDegree, c.OutDegree[0])
	for _, list := range []*report.Values{&c.Step, &c.StepLow, &c.StepHigh, &c.Window, &c.WindowLow, &c.WindowHigh} {
		*list = append(*list, (*list)[0])
	}
	return nil
}

// bins measures all steps, or as many of each bin as the work allows.
func (c *Course) bins(n *view.Network) error {
	work := n.Graphs.At(0).Edges() * (c.Length + 1)
	count := min(n.Horizon, max(leastCourse, mostCourseEdges/max(1, work)))
	bins := min(count, mostCourse)
	c.Bin = (n.Horizon + bins - 1) / bins
	bins = (n.Horizon + c.Bin - 1) / c.Bin
	each := max(1, min(c.Bin, count/bins))
	switch {
	case c.Bin == 1:
	case each == c.Bin:
		c.Remarks = append(c.Remarks, fmt.Sprintf("Each point is the mean of %d consecutive steps; the band goes from the least to the most of them.", c.Bin))
	case each == 1:
		c.Remarks = append(c.Remarks, fmt.Sprintf("Each point is the first of %d consecutive steps: to measure all of them takes long, and the others may differ.", c.Bin))
	default:
		c.Remarks = append(c.Remarks, fmt.Sprintf("Each point is the mean of %d of %d consecutive steps, and the band goes from the least to the most of these: to measure all of them takes long.", each, c.Bin))
	}
	for first := 0; first < n.Horizon; first += c.Bin {
		end := min(first+c.Bin, n.Horizon)
		var steps []int
		for k := range min(each, end-first) {
			steps = append(steps, first+k*(end-first)/min(each, end-first))
		}
		if err := c.add(n, steps); err != nil {
			return err
		}
	}
	return nil
}

// add adds the measures of a bin, of its given steps, counted from 0.
func (c *Course) add(n *view.Network, steps []int) error {
	var list []measured
	for _, at := range steps {
		one, err := c.measure(n, at)
		if err != nil {
			return err
		}
		list = append(list, one)
	}
	c.Steps = append(c.Steps, n.FirstStep+steps[0])
	joined := func(of func(measured) view.Span) view.Span {
		all := of(list[0])
		for _, one := range list[1:] {
			s := of(one)
			all = view.Span{Min: min(all.Min, s.Min), Mean: all.Mean + s.Mean, Max: max(all.Max, s.Max)}
		}
		all.Mean /= float64(len(list))
		return all
	}
	c.InDegree = append(c.InDegree, joined(func(one measured) view.Span { return one.in }))
	c.OutDegree = append(c.OutDegree, joined(func(one measured) view.Span { return one.out }))
	for _, norms := range []struct {
		of              func(measured) float64
		mean, low, high *report.Values
	}{
		{func(one measured) float64 { return one.step }, &c.Step, &c.StepLow, &c.StepHigh},
		{func(one measured) float64 { return one.window }, &c.Window, &c.WindowLow, &c.WindowHigh},
	} {
		mean, low, high := spanOf(list, norms.of)
		*norms.mean, *norms.low, *norms.high = append(*norms.mean, mean), append(*norms.low, low), append(*norms.high, high)
	}
	return c.measures.Stop() // the error that made norms unknown, if it ends the course
}

// spanOf returns the mean, the least and the most of the values that are known, NaN where none is.
func spanOf(list []measured, of func(measured) float64) (mean, low, high float64) {
	sum, count := 0.0, 0
	low, high = math.NaN(), math.NaN()
	for _, one := range list {
		v := of(one)
		if math.IsNaN(v) {
			continue
		}
		if count == 0 {
			low, high = v, v
		}
		sum, count, low, high = sum+v, count+1, min(low, v), max(high, v)
	}
	return sum / float64(count), low, high
}

// measure returns the measures of a step, counted from 0. Steps with one graph share all but
// the window.
func (c *Course) measure(n *view.Network, at int) (one measured, err error) {
	epoch := n.Graphs.Epoch(at)
	one, ok := c.known[epoch]
	if !ok {
		g, err := c.measures.At(n.Graphs, at)
		if err != nil {
			return one, err
		}
		one.in, one.out = view.Degrees(g)
		one.step, one.window = c.norm(n, at, 1), math.NaN()
		c.known[epoch] = one
	}
	if at+c.Length > n.Horizon {
		one.window = math.NaN()
		return one, nil
	}
	still := true
	for step := at; step < at+c.Length && still; step++ {
		still = n.Graphs.Epoch(step) == epoch
	}
	if still && !math.IsNaN(one.window) { // as of another window of this graph alone
		return one, nil
	}
	window := c.norm(n, at, c.Length)
	if one.window = math.NaN(); still {
		one.window = window
	}
	c.known[epoch] = one
	one.window = window
	return one, nil
}

// norm returns the spectral norm of the window of weights from a step on, or NaN where it is
// not known.
func (c *Course) norm(n *view.Network, at, length int) float64 {
	if n.Served {
		return c.unknown("Weights have no meaning here: a server adds up what its clients send.")
	}
	norm, err := c.measures.WindowContraction(n.Graphs, at, length)
	if err == nil {
		return norm
	}
	text := "At some steps the weights are not doubly stochastic: they keep no mean, and have no such norm."
	if errors.Is(err, topology.ErrSlowIteration) {
		text = "At some steps the norm is not known: " + err.Error() + "."
	}
	return c.unknown(text)
}

// unknown returns NaN, and adds the reason unless it is known.
func (c *Course) unknown(reason string) float64 {
	if !slices.Contains(c.Remarks, reason) {
		c.Remarks = append(c.Remarks, reason)
	}
	return math.NaN()
}
