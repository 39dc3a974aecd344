package topology_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/topology"
)

// inspected feeds a sequence to an inspection, step by step, and returns the first error
// or that of the smallest window.
func inspected(seq topology.Sequence, i topology.Inspection) (window int, err error) {
	for step := range i.Horizon {
		same := step > 0 && seq.Epoch(step) == seq.Epoch(step-1)
		g := seq.At(step)
		if same {
			g = nil // nobody looks at it
		}
		if err := i.Add(g, same); err != nil {
			return 0, err
		}
	}
	if i.Length > 0 {
		return i.Length, nil
	}
	return i.Smallest()
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestInspectionFindsWhatChecksBeforehandFind: step by step the same errors, the same
// smallest window.
func TestInspectionFindsWhatChecksBeforehandFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		horizon := rapid.IntRange(1, 12).Draw(t, "horizon")
		seq := drawSequence(t, horizon)
		want, wantErr := topology.SmallestWindow(seq, horizon)
		got, err := inspected(seq, topology.Inspection{Horizon: horizon})
		if got != want || text(err) != text(wantErr) {
			t.Fatalf("smallest window %d, %v, want %d, %v", got, err, want, wantErr)
		}
		for length := 1; length <= horizon; length++ {
			want := topology.CheckWindows(seq, horizon, length)
			if _, err := inspected(seq, topology.Inspection{Horizon: horizon, Length: length}); text(err) != text(want) {
				t.Fatalf("windows of %d: %v, want %v", length, err, want)
			}
		}
		demand := topology.Demand{Rows: rapid.Bool().Draw(t, "rows"), Columns: rapid.Bool().Draw(t, "columns"), Hearing: rapid.Bool().Draw(t, "hearing")}
		faulty := demand.CheckSequence(seq, horizon, 0.1)
		_, err = inspected(seq, topology.Inspection{Horizon: horizon, Demand: &demand, Tolerance: 0.1})
		if faulty != nil && text(err) != text(faulty) || faulty == nil && errors.As(err, new(*topology.StepError)) {
			t.Fatalf("%+v: %v, want %v", demand, err, faulty)
		}
	})
}

// TestRecycledMemoryMakesTheSameGraphs: graphs that are given back as soon as they were
// read are those of a sequence whose graphs nobody gives back, and those that were not
// given back stay as they are.
func TestRecycledMemoryMakesTheSameGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options, _, symmetric := drawRandom(t)
		weighting := topology.Weighting{Scheme: topology.UniformOut, SelfLoops: true}
		if symmetric && rapid.Bool().Draw(t, "metropolis") {
			weighting = topology.Weighting{Scheme: topology.LazyMetropolis}
		}
		sequence := func() topology.Sequence {
			s, err := options.Sequence()
			if err == nil {
				s, err = weighting.OnTheWay(s)
			}
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		recycling, plain := sequence(), sequence()
		var held []*topology.Graph
		for step := range 12 {
			g := recycling.At(step)
			if !sameGraph(g, plain.At(step)) {
				t.Fatalf("%+v: step %d is another graph in memory that is used again", options, step)
			}
			if rapid.Bool().Draw(t, "recycle") {
				g.Recycle()
				held = append(held, nil)
			} else {
				held = append(held, g)
			}
		}
		for step, g := range held {
			if g != nil && !sameGraph(g, plain.At(step)) {
				t.Fatalf("%+v: the graph of step %d has changed under its reader", options, step)
			}
		}
	})
}

// TestDrawsAllocateNothing: the graphs of a sequence that is given them back are made in
// the same memory.
func TestDrawsAllocateNothing(t *testing.T) {
	const n = 200
	redraw := topology.Redraw{Every: 1, Seed: 1}
	for name, test := range map[string]struct {
		options generator
		weights topology.Weighting
	}{
		"regular":      {topology.RandomRegular{Nodes: n, Degree: 6, Redraw: redraw}, topology.Weighting{Scheme: topology.Metropolis}},
		"permutations": {topology.Permutations{Nodes: n, Degree: 3, Every: 1, Seed: 1}, topology.Weighting{Scheme: topology.Given}},
		"k-out":        {topology.KOut{Nodes: n, Degree: 3, Directed: true, Redraw: redraw}, topology.Weighting{Scheme: topology.UniformOut, SelfLoops: true}},
		"small world":  {topology.SmallWorld{Nodes: n, Neighbours: 4, Rewire: 0.2, Redraw: redraw}, topology.Weighting{Scheme: topology.Metropolis}},
		"matching":     {topology.Matching{Nodes: n, Redraw: redraw}, topology.Weighting{Scheme: topology.Metropolis}},
	} {
		weighted, err := test.weights.OnTheWay(mustSequence(t, test.options))
		if err != nil {
			t.Fatal(err)
		}
		step := 0
		next := func() {
			weighted.At(step).Recycle()
			step++
		}
		for range 20 {
			next() // until what grows with the largest draw has grown
		}
		if allocations := testing.AllocsPerRun(50, next); allocations > 0 {
			t.Errorf("%s: %v allocations for a graph", name, allocations)
		}
	}
}
