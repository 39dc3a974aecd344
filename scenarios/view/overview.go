package view

import (
	"context"
	"fmt"
	"slices"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/results/diagram"
)

// Limits on small pictures: the different graphs of a period, the longest period that is searched, the pictures of steps of a
// network that changes without a period, and the steps that are looked at.
const (
	mostPeriod   = 8
	mostSearched = 64
	mostSteps    = 5
	mostViewed   = 1 << 10
)

// overview draws a network as small pictures.
type overview struct {
	*Network
	measures topology.Measures
	places   Places
	panels   diagram.Panels
}

// Overview draws a network that changes as small pictures on one sheet: the different graphs of a network that repeats, or
// some steps of another, their edges over all steps, and the steps in which nodes are absent. The sheet is nil for a network
// that does not change, and where graphs are drawn as matrices. Once the context is done, the error is the context's.
func (n *Network) Overview(ctx context.Context) (*diagram.Sheet, error) {
	n, err := n.pictured()
	if err != nil || n.Graphs.Nodes() > diagram.MostNodes {
		return nil, err
	}
	o := overview{Network: n, measures: topology.Measures{Stop: ctx.Err}}
	if o.places, err = n.Places(o.measures); err != nil {
		return nil, err
	}
	o.panels.Title = n.Name
	steps := o.viewed()
	if len(n.arms) > 0 {
		if err := o.eachArm(ctx, steps); err != nil {
			return nil, err
		}
	}
	switch times, err := n.absences(ctx, steps); {
	case err != nil:
		return nil, err
	case len(times) > 1 || len(times) == 1 && len(times[0].absent) > 0:
		err = o.churn(times, steps)
		if err != nil {
			return nil, err
		}
	default:
		if err := o.changes(steps); err != nil {
			return nil, err
		}
		if len(o.panels.Presence) > 0 && len(o.panels.Graphs) == 0 { // of one graph
			g, err := o.measures.At(o.Graphs, 0)
			if err != nil {
				return nil, err
			}
			o.add(0, "the graph of all steps", g)
		}
	}
	if len(o.panels.Graphs) == 0 {
		return nil, nil
	}
	sheet, _ := diagram.NewPanels(&o.panels)
	return sheet, nil
}

// viewed is the number of steps that are looked at.
func (o *overview) viewed() int {
	return max(1, min(o.Horizon, mostViewed, mostLooked/max(1, 10*o.Graphs.Nodes())))
}

// add adds the picture of a graph of a step, from 0.
func (o *overview) add(step int, title string, g *topology.Graph) *diagram.Graph {
	drawn := o.graphOf(step, g, o.places)
	drawn.Title = title
	o.panels.Graphs = append(o.panels.Graphs, &drawn)
	return &drawn
}

// addShares adds the picture of the edges of some steps together.
func (o *overview) addShares(first, steps int, title string) (*diagram.Graph, error) {
	g, err := o.shares(o.measures, first, steps)
	if err != nil {
		return nil, err
	}
	drawn := o.add(first, title, g)
	drawn.Total, drawn.Share = true, true
	return drawn, nil
}

// say adds a sentence to the text.
func (o *overview) say(format string, args ...any) {
	o.panels.Text = append(o.panels.Text, fmt.Sprintf(format, args...))
}

// changes draws the graphs of a period, or of some steps where there is none.
func (o *overview) changes(steps int) error {
	period, periodic := o.Graphs.Period()
	if !periodic || period > o.Horizon {
		return o.steps(steps)
	}
	if period < 2 {
		return nil
	}
	if period > mostSearched {
		return o.steps(min(steps, period))
	}
	graphs, when, err := o.different(period)
	if err != nil || len(graphs) < 2 {
		return err
	}
	if len(graphs) > mostPeriod {
		return o.steps(min(steps, period))
	}
	for k, g := range graphs {
		o.add(when[k][0]-o.FirstStep, stepsText(when[k]), g)
	}
	if len(graphs) == period {
		o.say("The graphs repeat every %d steps: the graph of each step of a period, and all together.", period)
	} else {
		o.say("The graphs repeat every %d steps: the %d different ones, and all together.", period, len(graphs))
	}
	_, err = o.addShares(0, period, "all together")
	return err
}

// different returns the different graphs of a period, and the steps of each, in print.
func (o *overview) different(period int) (graphs []*topology.Graph, when [][]int, err error) {
	for step := range period {
		g, err := o.measures.At(o.Graphs, step)
		if err != nil {
			return nil, nil, err
		}
		at := slices.IndexFunc(graphs, func(other *topology.Graph) bool { return sameEdges(other, g) })
		if at < 0 {
			at = len(graphs)
			graphs, when = append(graphs, g), append(when, nil)
		}
		when[at] = append(when[at], step+o.FirstStep)
	}
	return graphs, when, nil
}

// steps draws some steps, new edges dark, and the edges of all steps together. Nodes that move have no edges of all
// steps, for they have no place for these.
func (o *overview) steps(steps int) error {
	count := mostSteps
	if o.Graphs.Nodes() >= diagram.LargePanel {
		count = mostSteps - 2
	}
	if o.places.Moves() {
		count++
	}
	graphs, stride, err := o.apart(count, steps)
	if err != nil || len(graphs) < 2 {
		return err
	}
	for k, g := range graphs {
		drawn := o.add(k*stride, fmt.Sprintf("step %d", k*stride+o.FirstStep), g)
		if k > 0 {
			before := graphs[k-1]
			drawn.Fresh = func(from, to messages.NodeID) bool { return !before.HasEdge(from, to) }
		}
	}
	if o.places.Moves() {
		o.say("The graphs do not repeat: some steps, with nodes at the places to which they have moved.")
		return nil
	}
	o.say("The graphs do not repeat: some steps, and the first %d steps together.", steps)
	_, err = o.addShares(0, steps, fmt.Sprintf("steps %d to %d together", o.FirstStep, o.FirstStep+steps-1))
	return err
}

// leastNew is the share of the edges that are new from picture to picture, from which on pictures show a change.
const leastNew = 0.2

// apart returns graphs of so many steps, as many steps apart as it takes to see a change, and how many these are. It returns
// no graphs where all steps have one.
func (o *overview) apart(count, steps int) (graphs []*topology.Graph, stride int, err error) {
	for _, stride = range []int{1, 2, 5, 10, 20, 50, 100, 200} {
		if stride*(count-1) >= steps {
			break
		}
		var list []*topology.Graph
		fresh, edges := 0, 0
		for k := range count {
			g, err := o.measures.At(o.Graphs, k*stride)
			if err != nil {
				return nil, 0, err
			}
			if k > 0 {
				fresh += newEdges(list[k-1], g)
				edges += g.Edges() - g.SelfLoops()
			}
			list = append(list, g)
		}
		if fresh > 0 || stride == 1 {
			graphs = list
		}
		if float64(fresh) > leastNew*float64(edges) {
			return graphs, stride, nil
		}
	}
	if len(graphs) == 0 || newEdges(graphs[0], graphs[len(graphs)-1]) == 0 && sameEdges(graphs[0], graphs[len(graphs)-1]) {
		return nil, 0, nil
	}
	return graphs, max(1, stride), nil
}

// newEdges is the number of edges of a graph that another does not have, self-loops left out.
func newEdges(before, g *topology.Graph) (count int) {
	for i := range messages.NodeID(g.Nodes()) {
		from, _ := g.In(i)
		for _, j := range from {
			if j != i && !before.HasEdge(j, i) {
				count++
			}
		}
	}
	return count
}

// absence is a time, from 0, in which the same nodes are absent.
type absence struct {
	first, last int
	absent      []int
}

// equals reports whether two times are one.
func (a absence) equals(b absence) bool {
	return a.first == b.first && a.last == b.last && slices.Equal(a.absent, b.absent)
}

// absences returns the times of some steps in which the same nodes are absent; empty where nobody ever is.
func (n *Network) absences(ctx context.Context, steps int) (times []absence, err error) {
	return absencesOf(ctx, n.Away, steps)
}

// absencesOf is absences by a function of the absent nodes; nil is none.
func absencesOf(ctx context.Context, away func(step int) []int, steps int) (times []absence, err error) {
	if away == nil {
		return nil, nil
	}
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		absent := away(step)
		if last := len(times) - 1; last >= 0 && slices.Equal(times[last].absent, absent) {
			times[last].last = step
			continue
		}
		times = append(times, absence{step, step, absent})
	}
	return times, nil
}

// span names the steps of an absence, in print.
func (o *overview) span(a absence) string {
	if a.first == a.last {
		return fmt.Sprintf("step %d", a.first+o.FirstStep)
	}
	return fmt.Sprintf("steps %d to %d", a.first+o.FirstStep, a.last+o.FirstStep)
}

// numbers names nodes by their numbers.
func (o *overview) numbers(nodes []int) string {
	list := make([]int, len(nodes))
	for k, v := range nodes {
		list[k] = v + o.FirstLabel
	}
	return document.Numbers(list)
}
