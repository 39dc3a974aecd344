package topologies

import (
	"context"
	"fmt"
	"sync"

	"starling/actors/topology"
	"starling/scenarios/document"
)

// Watched is the sequence of graphs of a seed's run. Graphs that are drawn anew in the course
// of the run are checked when they are first asked for, each step once and in the order of
// steps, whatever the order of the questions. All others were checked before. Close ends the
// checks.
type Watched struct {
	topology.Sequence
	plan    *Plan
	horizon int
	stated  int // the window that is stated, or known by construction; 0 if there is none

	mu         sync.Mutex
	inspection *topology.Inspection // nil where nothing is left to check
	next       int                  // the step to look at next
	kept       map[int]*topology.Graph
	fault      error // the fault of the step before next
}

// Watch returns the graphs of a seed's run, checked against the assumptions of an algorithm
// (DPDO-NC, Assumption 1, or the assumptions of push-sum in its place). It returns an error
// for faults of graphs that do not change, or change in few steps. If keep is true, graphs are
// kept for all users of the result; else each is made when it is asked for. Once the context
// is done, Watch returns the context's error as soon as the current question about the graphs
// is answered.
func (t *Plan) Watch(ctx context.Context, sequence topology.Sequence, horizon int, weights topology.Demand, keep bool) (*Watched, error) {
	if period, periodic := sequence.Period(); weights.Fixed && (!periodic || period > 1) {
		return nil, t.Section.Issuef("graphs change in the course of the run, and the algorithm goes with one that stays")
	}
	w := &Watched{Sequence: sequence, plan: t, horizon: horizon, stated: t.common.Window}
	if !t.Redraws {
		window, err := t.check(ctx, sequence, horizon, weights)
		w.stated = window
		return w, err
	}
	if w.stated > horizon {
		return nil, t.longWindow(horizon)
	}
	if keep {
		w.kept = map[int]*topology.Graph{}
	}
	unchecked := t.common.Weights == WeightsUnchecked
	demand := t.Demand(weights)
	held := t.holds(demand)
	if t.connected && w.stated == 0 {
		w.stated = 1
	}
	if held && (t.connected || unchecked && w.stated > 0) {
		return w, nil
	}
	w.inspection = &topology.Inspection{Horizon: horizon, Tolerance: WeightTolerance}
	if !held {
		w.inspection.Demand = &demand
	}
	if !unchecked {
		w.inspection.Length = w.stated
	}
	return w, nil
}

// Seeded reports whether graphs depend on the seed; else all runs share the same graphs.
func (t *Plan) Seeded() bool { return t.seeded }

// Certain reports whether all seeds have acceptable graphs if one seed has them, whatever is
// drawn.
func (t *Plan) Certain(weights topology.Demand) bool {
	if !t.seeded {
		return true
	}
	return !t.refuses && t.holds(t.Demand(weights)) && (t.connected && t.common.Window == 0 || t.common.Weights == WeightsUnchecked)
}

// Settled reports whether no graph to come can be at fault.
func (w *Watched) Settled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault == nil && !w.plan.refuses && (w.inspection == nil || w.inspection.Settled())
}

// holds reports whether weights meet the demand by their construction: a rule makes sums 1
// within 1e-12, and no weight negative.
func (t *Plan) holds(d topology.Demand) bool {
	return t.made != topology.Demand{} && (t.made.Rows || !d.Rows) && (t.made.Columns || !d.Columns) && (t.made.Hearing || !d.Hearing)
}

// At implements topology.Sequence. GraphAt and Close report the faults of graphs.
func (w *Watched) At(step int) *topology.Graph {
	if g, err := w.GraphAt(step); err == nil {
		return g
	}
	return w.Sequence.At(step)
}

// GraphAt implements topology.Failing: the error is about the first step at fault, for that
// step and all after it, with its place in the file.
func (w *Watched) GraphAt(step int) (*topology.Graph, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kept == nil && (w.inspection == nil || step < w.next) {
		return w.make(step)
	}
	if err := w.lookUntil(step); err != nil {
		return nil, err
	}
	g, err := w.make(step)
	if err == nil && step == w.next {
		err = w.look(g)
	}
	return g, err
}

// make returns the graph of a step: the one that is kept, or a new one.
func (w *Watched) make(step int) (*topology.Graph, error) {
	epoch := w.Epoch(step)
	if g, ok := w.kept[epoch]; ok {
		return g, nil
	}
	g, err := topology.GraphAt(w.Sequence, step)
	if err != nil {
		return nil, w.plan.Section.Resolve(document.At("weighting", "%v", err))
	}
	if w.kept != nil {
		g.Keep()
		w.kept[epoch] = g
	}
	return g, nil
}

// lookUntil checks the graphs of all steps before one, as far as they are not checked yet.
func (w *Watched) lookUntil(step int) error {
	for w.fault == nil && w.inspection != nil && w.next < step {
		var g *topology.Graph // nil where the graph is the same as in the step before
		if !w.repeats(w.next) {
			var err error
			if g, err = w.make(w.next); err != nil {
				w.fault = err
				break
			}
		}
		if err := w.look(g); err == nil && g != nil {
			g.Recycle() // it has no other user
		}
	}
	return w.fault
}

// repeats reports whether a step has the graph of the step before.
func (w *Watched) repeats(step int) bool {
	return step > 0 && w.Epoch(step) == w.Epoch(step-1)
}

// look checks the graph of the next step.
func (w *Watched) look(g *topology.Graph) error {
	if w.inspection == nil {
		return nil
	}
	err := w.inspection.Add(g, w.repeats(w.next))
	w.next++
	if err != nil {
		w.fault = w.plan.placed(err, w.inspection.Demand)
	}
	return w.fault
}

// Close checks all steps of the horizon that were not asked for, and returns B: the
// scenario's, or the smallest that holds. For weights declared unchecked B is 0 where none
// holds.
func (w *Watched) Close() (window int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.lookUntil(w.horizon); err != nil {
		return 0, err
	}
	if w.stated > 0 || w.inspection == nil {
		return w.stated, nil
	}
	window, err = w.inspection.Smallest()
	if err != nil && w.plan.common.Weights != WeightsUnchecked {
		return 0, w.plan.Section.Resolve(err)
	}
	return window, nil
}

// Silences returns the steps of the horizon in which a node hears nobody by the given graph,
// not even itself, and therefore keeps its point.
func (w *Watched) Silences() (topology.Silences, error) {
	if h, ok := w.Sequence.(interface {
		Silences(horizon int) (topology.Silences, error)
	}); ok {
		return h.Silences(w.horizon)
	}
	return topology.Silences{}, nil
}

// Look checks the graphs of the first steps.
func (w *Watched) Look(steps int) error {
	if steps >= w.horizon {
		_, err := w.Close()
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lookUntil(steps)
}

// placed gives an error of the checks its place in the file.
func (t *Plan) placed(err error, demand *topology.Demand) error {
	if _, ok := err.(*topology.ConnectivityError); ok {
		return t.Section.Resolve(document.At("window", "%v", err))
	}
	if demand != nil && *demand == topology.PushSum {
		err = fmt.Errorf("%w; push-sum needs columns that sum to 1, as uniform-out makes them, and nodes that hear somebody, as self_loops has them", err)
	}
	return t.Section.Resolve(err)
}

// longWindow returns the error of a window that is longer than the horizon.
func (t *Plan) longWindow(horizon int) error {
	return t.Section.Resolve(document.At("window", "%d steps; want at most %d, the horizon", t.common.Window, horizon))
}
