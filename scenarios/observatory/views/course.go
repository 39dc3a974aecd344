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

// Course holds measures of the network of a run at some of its steps.
type Course struct {
	Steps []int `json:"steps"`
	// InDegree and OutDegree are degrees in the graph of each step, self-loops left out.
	InDegree  []view.Span `json:"in_degree"`
	OutDegree []view.Span `json:"out_degree"`
	// Step is the spectral norm of W - 11'/N, where W holds the weights of the step: in the
	// worst case the step multiplies the distance of the nodes' values from their mean by this
	// factor. For doubly stochastic weights it is the second largest singular value, and 1
	// minus the spectral gap.
	Step report.Values `json:"step"`
	// Window is the same norm for the product of the weights of Length steps from this one on.
	// Both are NaN where weights are not doubly stochastic: then there is no such norm.
	Window report.Values `json:"window"`
	Length int           `json:"length"`
	// Remarks list the unknown values, with reasons.
	Remarks []string `json:"remarks"`

	measures topology.Measures
}

// mostCourse and leastCourse bound the number of steps of a course. Between them, the number
// is such that all steps together have at most mostCourseEdges edges. courseLength is the
// length of a window.
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
	c := &Course{Length: min(courseLength, n.Horizon), Remarks: []string{}, measures: topology.Measures{Stop: ctx.Err}}
	work := n.Graphs.At(0).Edges() * (c.Length + 1)
	count := min(n.Horizon, max(leastCourse, min(mostCourse, mostCourseEdges/max(1, work))))
	if count < n.Horizon {
		c.Remarks = append(c.Remarks, fmt.Sprintf("Shown are %d of %d steps, evenly: what changes from step to step is not seen.", count, n.Horizon))
	}
	epoch, last := -1, 0
	for k := range count {
		at := 0
		if count > 1 {
			at = k * (n.Horizon - 1) / (count - 1)
		}
		if now := n.Graphs.Epoch(at); now == epoch && n.Graphs.Epoch(n.Horizon-1) == epoch {
			c.again(n, at, last) // nothing changes any more
		} else {
			if err := c.add(n, at); err != nil {
				return nil, err
			}
			epoch = now
		}
		last = len(c.Steps) - 1
	}
	return c, nil
}

// again adds a step with the values of an earlier one.
func (c *Course) again(n *view.Network, at, like int) {
	c.Steps = append(c.Steps, n.FirstStep+at)
	c.InDegree, c.OutDegree = append(c.InDegree, c.InDegree[like]), append(c.OutDegree, c.OutDegree[like])
	c.Step = append(c.Step, c.Step[like])
	if at+c.Length > n.Horizon {
		c.Window = append(c.Window, math.NaN())
	} else {
		c.Window = append(c.Window, c.Window[like])
	}
}

// add adds the measures of a step, counted from 0.
func (c *Course) add(n *view.Network, at int) error {
	g, err := c.measures.At(n.Graphs, at)
	if err != nil {
		return err
	}
	in, out := view.Degrees(g)
	c.Steps = append(c.Steps, n.FirstStep+at)
	c.InDegree, c.OutDegree = append(c.InDegree, in), append(c.OutDegree, out)
	c.Step = append(c.Step, c.norm(n, at, 1))
	window := math.NaN()
	if at+c.Length <= n.Horizon {
		window = c.norm(n, at, c.Length)
	}
	c.Window = append(c.Window, window)
	return c.measures.Stop() // the error that made norms unknown, if it ends the course
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
