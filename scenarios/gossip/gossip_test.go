package gossip

import (
	"math"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/actors/lockstep"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/problem"
)

// steep are costs of slope 3 on an interval, said to be bounded.
type steep struct {
	problem.Problem
	set   mirror.Set
	bound float64
}

func (s steep) Dim() int               { return 1 }
func (s steep) Set() mirror.Set        { return s.set }
func (s steep) GradientBound() float64 { return s.bound }

func (steep) Loss(_ messages.NodeID, _ int, x []float64) float64            { return 3 * x[0] }
func (steep) Gradient(dst []float64, _ messages.NodeID, _ int, _ []float64) { dst[0] = 3 }

// asker asks for its gradient, and sends nothing.
type asker struct {
	at *Setting
	x  []float64
}

func (a *asker) State(*messages.Codec) {}

func (a *asker) Step(t *algorithm.Turn) error {
	if err := t.Play(a.x); err != nil {
		return err
	}
	return a.at.Gradient(t, make([]float64, 1), a.x)
}

// Sensitivities rest on the problem's bound on gradients: a gradient beyond it fails
// the run, also by no more than rounding does not explain.
func TestGradientsBeyondTheBoundFail(t *testing.T) {
	set, err := mirror.NewL2Ball(1, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := topology.Complete{Nodes: 1, SelfLoops: true}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	for bound, fails := range map[float64]bool{3: false, 3.1: false, 2.999999: true, 1: true, math.Inf(1): false} {
		p := steep{set: set, bound: bound}
		run := algorithm.Run{Seed: 1, FirstStep: 1, Steps: 2, Graphs: graph, Costs: p, Meter: runtimetest.NewMeter(1),
			Machines: []algorithm.Machine{&asker{&Setting{Nodes: 1, Problem: p}, []float64{0}}}}
		if err := lockstep.Run(t.Context(), &run); (err != nil) != fails {
			t.Errorf("bound %v: %v, want an error: %v", bound, err, fails)
		}
	}
}
