package view

import (
	"context"
	"errors"
	"fmt"
	"math"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/results/figure"
	"starling/scenarios/section/topologies"
)

// Limits on the points of a figure over time.
const (
	// fewestCycles and fewestWindows are the least numbers of cycles and of windows that are
	// drawn of a network that repeats itself; later ones would look the same.
	fewestCycles  = 8
	fewestWindows = 30
	// mostContractions is the largest number of windows whose contraction is measured.
	mostContractions = 2000
	// contractionRounds is about the number of passes over the edges of a window that its
	// contraction takes, and contractionWork bounds the edges that all passes meet: some
	// seconds of work.
	contractionRounds = 1 << 7
	contractionWork   = 1 << 29
)

// OverTime draws a network over its horizon, window after window of some steps each: the
// degrees and the number of edges of the union of a window's graphs, its strongly connected
// components, and its contraction. A window that would end beyond the horizon is left out.
// Panels that a network does not have, and measures that are cut short because they take long,
// have remarks. A window out of its range is an InputError. Once the context is done, the error
// is the context's.
func (n *Network) OverTime(ctx context.Context, window int) (f figure.Figure, remarks []string, err error) {
	if _, err := n.checked(n.FirstStep, window); err != nil {
		return f, nil, err
	}
	o := overTime{measuresOf: measuresOf{n, topology.Measures{Stop: ctx.Err}}, window: window}
	if err := o.limit(); err != nil {
		return f, nil, err
	}
	f = figure.Figure{Title: n.Name, XLabel: "step", Stacked: true}
	unit := "step"
	if window > 1 {
		f.XLabel, unit = fmt.Sprintf("first step of a window of %d steps", window), "window"
		f.Note = "Degrees and edges are of the union of the graphs of a window. "
	}
	f.Note += "Degrees: the mean, and a band from the smallest to the largest, without self-loops."
	for _, measure := range []func() (figure.Panel, error){o.degrees, o.edges, o.components, o.contraction} {
		panel, err := measure()
		if err != nil {
			return f, nil, err
		}
		if len(panel.Series) > 0 {
			panel.FromZero = true
			f.Panels = append(f.Panels, panel)
		}
	}
	if o.contracts {
		f.Note += " Contraction: the factor by which a " + unit + " multiplies the distance of the values of nodes from their mean, at worst."
		if o.pushSum {
			f.Note += " Values are the estimates of push-sum, weighted by mass."
		}
	}
	if o.repeats != "" {
		f.Note += " " + o.repeats
	}
	return f, o.remarks, nil
}

// overTime measures the windows of a network, one after the other.
type overTime struct {
	measuresOf
	// window is the number of steps of a window, windows is the number of windows, and distinct
	// the number of those that can differ: the others repeat them.
	window, windows, distinct int
	// work is about the number of nodes and edges of a window.
	work int
	// counted has the degrees and edges of the distinct windows, once they are known.
	counted []counts
	// contracts is true once some window has a contraction, pushSum if it is of push-sum.
	contracts, pushSum bool
	// repeats is a sentence about windows that are not drawn; empty if there are none.
	repeats string
	remarks []string
}

// counts are the degrees and the number of edges of a window, self-loops left out.
type counts struct {
	in, out Span
	edges   int
}

// remark adds a reason why a panel is left out or cut short.
func (o *overTime) remark(format string, args ...any) {
	o.remarks = append(o.remarks, fmt.Sprintf(format, args...))
}

// limit chooses how many windows are measured: of a network that repeats itself some cycles,
// of any other as many of the first windows as the limit on the work allows.
func (o *overTime) limit() error {
	g, err := o.At(o.Graphs, 0)
	if err != nil {
		return err
	}
	o.work = o.window * (g.Nodes() + g.Edges())
	o.windows = o.Horizon / o.window
	o.distinct = o.windows
	if period, periodic := o.Graphs.Period(); periodic {
		o.distinct = min(o.windows, period/divisor(period, o.window))
		if shown := max(fewestCycles*o.distinct, fewestWindows); shown < o.windows {
			o.windows = shown
			o.repeats = fmt.Sprintf("Graphs repeat every %s; later steps look the same.", document.Counted(period, "step"))
		}
	}
	if most := max(1, mostLooked/o.work); most < o.distinct {
		o.remark("the figure over time covers the first %d of %d windows (limit on work)", most, o.windows)
		o.windows, o.distinct = most, most
	}
	return nil
}

// divisor is the greatest common divisor.
func divisor(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// series returns a curve with a point for each window. value returns the point of one of the
// distinct windows.
func (o *overTime) series(value func(window int) float64) (s figure.Series) {
	for k := range o.windows {
		s.X = append(s.X, float64(k*o.window+o.FirstStep))
		s.Y = append(s.Y, value(k%o.distinct))
	}
	return s
}

// traffic counts degrees and edges of the distinct windows.
func (o *overTime) traffic() error {
	for k := range o.distinct {
		g, err := o.WindowUnion(o.Graphs, k*o.window, o.window)
		if err != nil {
			return err
		}
		c := counts{edges: g.Edges() - g.SelfLoops()}
		c.in, c.out = Degrees(g)
		o.counted = append(o.counted, c)
	}
	return nil
}

// degrees returns the panel of degrees: one curve with a band, or two where the degrees of
// senders and receivers differ.
func (o *overTime) degrees() (figure.Panel, error) {
	if err := o.traffic(); err != nil {
		return figure.Panel{}, err
	}
	banded := func(of func(counts) Span) figure.Series {
		s := o.series(func(k int) float64 { return of(o.counted[k]).Mean })
		s.Low = o.series(func(k int) float64 { return float64(of(o.counted[k]).Min) }).Y
		s.High = o.series(func(k int) float64 { return float64(of(o.counted[k]).Max) }).Y
		return s
	}
	p := figure.Panel{Title: "degree", Series: []figure.Series{banded(func(c counts) Span { return c.in })}}
	for _, c := range o.counted {
		if c.in != c.out {
			out := banded(func(c counts) Span { return c.out })
			p.Series[0].Name, out.Name = "in-degree", "out-degree"
			p.Series = append(p.Series, out)
			break
		}
	}
	return p, nil
}

// edges returns the panel of edges.
func (o *overTime) edges() (figure.Panel, error) {
	s := o.series(func(k int) float64 { return float64(o.counted[k].edges) })
	return figure.Panel{Title: "edges", Series: []figure.Series{s}}, nil
}

// components returns the panel of strongly connected components.
func (o *overTime) components() (figure.Panel, error) {
	found, err := o.WindowComponents(o.Graphs, o.distinct*o.window, o.window)
	if err != nil {
		return figure.Panel{}, err
	}
	// They are found for every first step, as far as one period.
	s := o.series(func(k int) float64 { return float64(found[k*o.window%len(found)]) })
	return figure.Panel{Title: "strongly connected components", Series: []figure.Series{s}}, nil
}

// contraction returns the panel of the contraction of windows, of many windows or large graphs
// of some that are spread evenly. The panel has no series where no window has a contraction; a
// remark then has the reason.
func (o *overTime) contraction() (p figure.Panel, err error) {
	measured := min(o.distinct, mostContractions, contractionWork/contractionRounds/o.work)
	switch {
	case o.Served:
		o.remark("no contraction over time: %s", noWeights)
		return p, nil
	case measured == 0:
		o.remark("no contraction over time: only one window is within the limit on work")
		return p, nil
	}
	values := make([]float64, o.distinct)
	for k := range values {
		values[k] = math.NaN()
	}
	contraction := func(first, length int) (float64, error) { return o.WindowContraction(o.Graphs, first, length) }
	if masses := o.PushSumMasses(o.Graphs); o.ofPushSum() {
		contraction, o.pushSum = masses.Contraction, true
	}
	var reason error
	undefined := 0
	for k := range measured {
		at := k * o.distinct / measured
		value, err := contraction(at*o.window, o.window)
		if stopped := o.Stop(); stopped != nil {
			return p, stopped
		}
		if err != nil {
			if undefined++; reason == nil {
				reason = err
			}
			continue
		}
		values[at] = orZero(value)
	}
	o.contracts = undefined < measured
	o.judge(reason, undefined, measured)
	if !o.contracts {
		return p, nil
	}
	s := o.series(func(k int) float64 { return values[k] })
	if measured < o.distinct {
		s = defined(s)
	}
	return figure.Panel{Title: "contraction", Series: []figure.Series{s}}, nil
}

// ofPushSum reports whether the first step has weights of push-sum that are no averages.
func (o *overTime) ofPushSum() bool {
	g := o.Graphs.At(0)
	return topology.CheckWeights(g, topologies.WeightTolerance) != nil && topology.PushSum.Check(g, topologies.WeightTolerance) == nil
}

// judge adds the remarks on contractions that are not known.
func (o *overTime) judge(reason error, undefined, measured int) {
	var at *topology.StepError
	if errors.As(reason, &at) {
		at.Base = o.FirstStep
	}
	if undefined == measured {
		o.remark("no contraction over time: %v", reason)
		return
	}
	if undefined > 0 {
		o.remark("%s over time without a contraction: %v", document.Counted(undefined, "window"), reason)
	}
	if measured < o.distinct {
		o.remark("contractions over time are of %d of %d windows", measured, o.distinct)
	}
}

// defined returns the points of a curve that have a value, so that a line joins them.
func defined(s figure.Series) (kept figure.Series) {
	for i, y := range s.Y {
		if !math.IsNaN(y) {
			kept.X, kept.Y = append(kept.X, s.X[i]), append(kept.Y, y)
		}
	}
	return kept
}
