package dpdonc_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/actors/engine"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
)

// choosy is a diary that takes what a cohort does alike as one, but in some steps.
type choosy struct {
	*algorithmtest.Diary
	every  int // of so many cohorts and steps one is asked node by node; 0 is none
	last   int // the last step that the budget pays for
	exact  bool
	joined atomic.Int64 // payments of cohorts
	bytes  atomic.Int64
}

func (c *choosy) Sent(_ int, _, bytes int64) { c.bytes.Add(bytes) }

func (c *choosy) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if step > c.last && (c.exact || node%2 == 0) {
		return fmt.Errorf("%w in step %d", accountant.ErrBudget, step)
	}
	return c.Diary.Spent(node, step, loss)
}

func (c *choosy) SpentAll(first, end messages.NodeID, step int, loss accountant.Loss) bool {
	if step > c.last || c.every > 0 && (int(first)+step)%c.every == 0 {
		return false
	}
	for node := first; node < end; node++ {
		if c.Spent(node, step, loss) != nil {
			panic("refused one of a cohort that was charged")
		}
	}
	c.joined.Add(1)
	return true
}

func (*choosy) Exposed(_, _ messages.NodeID, _ int, _ *algorithm.Mark)    {}
func (*choosy) ExposedAll(_, _ messages.NodeID, _ int, _ *algorithm.Mark) {}

func (c *choosy) PlayedAll(first messages.NodeID, step int, x []float64, d int) {
	for i := 0; i < len(x); i += d {
		c.Played(first+messages.NodeID(i/d), step, x[i:i+d])
	}
}

// outcome is all that a run leaves.
type outcome struct {
	Diary  *algorithmtest.Diary
	Bytes  int64
	States [][]byte
	Err    string
}

func outcomeOf(r *algorithm.Run, m *choosy, err error) outcome {
	if err != nil { // the failure is all that runtimes have in common
		return outcome{Err: err.Error()}
	}
	o := outcome{Diary: m.Diary, Bytes: m.bytes.Load()}
	for _, m := range r.Machines {
		o.States = append(o.States, messages.Write(nil, m))
	}
	return o
}

// Machines that move together have the bits of machines that move one by one: with meters
// that take only some cohorts as one, on any number of shards, where budgets end, and where a
// machine fails.
func TestCohortsHaveTheBitsOfSteps(t *testing.T) {
	host := must(engine.NewHost(engine.HostOptions{Workers: 2}))
	t.Cleanup(host.Close)
	joined := int64(0)
	rapid.Check(t, func(t *rapid.T) {
		const steps = 6
		o := printedOptions()
		o.Nodes = rapid.IntRange(2, 300).Draw(t, "nodes")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			o.Divergence, o.Set = mirror.Euclidean{Scale: 0.5}, must(mirror.NewL2Ball(2, 3, nil))
		case 1:
			p := entropyOptions(dpdonc.ClipMean)
			p.Nodes, o = o.Nodes, p
		case 2:
			o.Calibration, o.Noise = noise.Calibration{Law: noise.GaussianLaw, Level: 1}, dpdonc.Shifted
		}
		d := o.Set.Dim()
		fault := messages.NodeID(rapid.IntRange(-1, o.Nodes-1).Draw(t, "fault"))
		at := rapid.IntRange(1, 2*steps).Draw(t, "fault in step")
		costs := gradients(func(dst []float64, node messages.NodeID, step int, x []float64) {
			for k := range dst {
				dst[k] = float64(x[k]*0.25) + float64(node%5) - float64(step)/7
				if node >= fault && fault >= 0 && step == at {
					dst[k] = o.Theta * float64(1+node)
				}
			}
		})
		every, last, exact := rapid.IntRange(0, 4).Draw(t, "every"), rapid.IntRange(1, 2*steps).Draw(t, "budget"), rapid.Bool().Draw(t, "all stop")
		graphs := must(topology.Permutations{Nodes: o.Nodes, Degree: min(4, o.Nodes-1), Every: 1, Seed: 3}.Sequence())
		start := func() (*algorithm.Run, *choosy) {
			r := spec(o, costs, steps)
			r.Graphs = graphs
			r.Decisions = &algorithm.Space{End: messages.NodeID(o.Nodes), Dim: d, Set: o.Set}
			m := &choosy{Diary: algorithmtest.NewDiary(o.Nodes), every: every, last: last, exact: exact}
			r.Meter = m
			return r, m
		}
		one, alone := start()
		want := outcomeOf(one, alone, algorithmtest.Lockstep(one))
		for _, shards := range []int{1, 3} {
			many, together := start()
			err := host.Run(context.Background(), many, engine.Options{Shards: shards})
			if diff := cmp.Diff(want, outcomeOf(many, together, err)); diff != "" {
				t.Fatalf("%d shards: -lockstep +together:\n%s", shards, diff)
			}
			joined += together.joined.Load()
		}
	})
	if joined == 0 {
		t.Error("no cohort has moved")
	}
}
