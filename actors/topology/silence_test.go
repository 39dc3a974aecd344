package topology_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/topology"
	"starling/messages"
)

// Rows without entries get a 1 on the diagonal, and all others stay as they are.
func TestHeedFillsEmptyRowsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawDense(t, 6)
		g, err := topology.FromDense(a)
		if err != nil {
			t.Fatal(err)
		}
		h, err := topology.Heed(topology.Static(g))
		if err != nil {
			t.Fatal(err)
		}
		silences, err := h.Silences(5)
		if err != nil {
			t.Fatal(err)
		}
		want := topology.Silences{}
		for i := len(a) - 1; i >= 0; i-- {
			sum := 0.0
			for _, w := range a[i] {
				sum += math.Abs(w)
			}
			if sum == 0 {
				a[i][i] = 1
				want.Steps, want.Node = 5, messages.NodeID(i)
			}
		}
		checkAccessors(t, h.At(3), a)
		if silences != want {
			t.Errorf("silences %+v, want %+v", silences, want)
		}
	})
}

// Steps and epochs of a file are those of the file, and what is drawn in memory that is used
// again is filled as what stays is.
func TestHeedGoesWithItsSequence(t *testing.T) {
	list, err := topology.EdgeList{Nodes: 3}.Parse("net.csv", []byte("step,from,to\n2,1,1\n2,1,2\n2,1,3\n4,2,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := topology.ErdosRenyi{Nodes: 9, Probability: 0.1, Redraw: topology.Redraw{Every: 2, Seed: 3}}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	for name, seq := range map[string]topology.Sequence{"list": list, "drawn": drawn} {
		h, err := topology.Heed(seq)
		if err != nil {
			t.Fatal(err)
		}
		want := topology.Silences{}
		for step := range 12 {
			before, after := dense(seq.At(step)), dense(h.At(step))
			silent := false
			for i := len(before) - 1; i >= 0; i-- {
				if cmp.Equal(before[i], make([]float64, len(before))) {
					before[i][i], silent = 1, true
					if want.Steps == 0 || want.First == step {
						want.First, want.Node = step, messages.NodeID(i)
						want.Steps = max(want.Steps, 1)
					}
				}
			}
			if silent && step > want.First {
				want.Steps++
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("%s, step %d:\n%s", name, step, diff)
			}
			if h.Epoch(step) != seq.Epoch(step) {
				t.Errorf("%s, step %d: epoch %d, want %d", name, step, h.Epoch(step), seq.Epoch(step))
			}
			h.At(step).Recycle()
		}
		if got, err := h.Silences(12); err != nil || got != want || want.Steps == 0 {
			t.Errorf("%s: silences %+v, %v, want %+v", name, got, err, want)
		}
	}
}
