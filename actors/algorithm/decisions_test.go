package algorithm_test

import (
	"math"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/messages"
)

// interval is the decision set [-1, 1] in one dimension.
type interval struct{}

func (interval) Kind() string                  { return "interval" }
func (interval) Violation(x []float64) float64 { return max(0, math.Abs(x[0])-1) }

// Decisions that are none are refused with step and node: those of another length,
// outside the set, and those that are never played.
func TestDecisions(t *testing.T) {
	decide := func(r *algorithm.Run) {
		r.Decisions = &algorithm.Space{First: 1, End: 3, Dim: 1, Set: interval{}}
		r.Hops = func(offset int) int { return 1 + offset%2 } // step 1 has one, step 2 two
		r.Acts = func(_, hop int) (first, end messages.NodeID) { return 0, messages.NodeID(4 - 2*hop) }
	}
	play := func(x ...float64) machine { return func(t *algorithm.Turn) error { return t.Play(x) } }
	idle := machine(func(*algorithm.Turn) error { return nil })
	for name, test := range map[string]struct {
		node  messages.NodeID
		turns []machine
		want  string // "" if all is well
	}{
		"well":               {1, []machine{play(1), idle, play(-1)}, ""},
		"rounding":           {1, []machine{play(1 + 1e-9)}, ""},
		"length":             {1, []machine{play(1, 0)}, "step 1, node 2: played a decision of 2 entries; decisions have 1"},
		"empty":              {2, []machine{play()}, "step 1, node 3: played a decision of 0 entries"},
		"outside":            {1, []machine{play(1), play(-1.5)}, "step 2, node 2: played a decision that lies outside the interval by 0.5"},
		"never":              {2, []machine{idle}, "step 1, node 3: played no decision in this step"},
		"never in two hops":  {1, []machine{play(1), idle, idle}, "step 2, node 2: played no decision in this step"},
		"one hop of two":     {2, []machine{play(1), idle}, "step 2, node 3: played no decision in this step"},
		"who need not":       {0, []machine{idle, idle, idle}, ""},
		"who need not after": {3, []machine{idle, idle}, ""},
		"stops":              {1, []machine{func(t *algorithm.Turn) error { t.Stop("enough"); return nil }}, ""},
	} {
		b := newBench(t, decide)
		var failure *algorithm.Failure
		for _, turn := range test.turns {
			if _, _, failure = b.step(test.node, turn); failure != nil {
				break
			}
			b.next()
		}
		if test.want == "" && failure != nil || test.want != "" && (failure == nil || !strings.Contains(failure.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, failure, test.want)
		}
	}
}

// absent is a network in which a node is away in a turn.
type absent struct {
	algorithm.Network
	node messages.NodeID
	turn int
}

func (a absent) Up(node messages.NodeID, turn int) bool     { return node != a.node || turn != a.turn }
func (absent) MaxDelay() int                                { return 0 }
func (absent) Patience() int                                { return 0 }
func (absent) Restarts(messages.NodeID, int) bool           { return false }
func (absent) Forgets(messages.NodeID) bool                 { return false }
func (absent) Fate(_, _ messages.NodeID, _ int) (int, bool) { return 0, false }

// A node that was away in a hop of a step need not have played in the step.
func TestDecisionsOfNodesThatWereAway(t *testing.T) {
	for away, fails := range map[messages.NodeID]bool{1: false, 2: true} {
		b := newBench(t, func(r *algorithm.Run) {
			r.Decisions = &algorithm.Space{First: 1, End: 3, Dim: 1}
			r.Hops = func(int) int { return 2 }
			r.Network = absent{node: away, turn: 0}
		})
		b.next() // the second hop
		if _, _, failure := b.step(1, func(*algorithm.Turn) error { return nil }); (failure != nil) != fails {
			t.Errorf("node %d was away, and node 1 never played: %v", away, failure)
		}
	}
}
