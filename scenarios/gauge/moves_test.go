package gauge_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm/mirror"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
)

// moveMeter measures the moves of three nodes at steps 1, 3 and 4.
func moveMeter(moves bool) *ledger.Ledger {
	w := &waves{nodes: 3, set: must(mirror.NewL2Ball(1, 1, nil))}
	return paying(gauge.RegretOptions{
		Nodes: 3, FirstStep: 1, Steps: 4, Points: []int{1, 3, 4}, Measured: []messages.NodeID{0},
		Problem: w, Instance: w, Moves: moves,
	})
}

// Both metrics are of all moves so far, a move of 1 is within its bound, and
// what a checkpoint keeps is all of it.
func TestMoves(t *testing.T) {
	m := moveMeter(true)
	for _, move := range []struct {
		step  int
		moves []float64
	}{{2, []float64{0.5, 1, 3}}, {3, []float64{1 + 1e-12, 2, 0}}, {4, []float64{0, 0.25, 1.0001}}} {
		for node, value := range move.moves {
			m.Recorded(messages.NodeID(node), move.step, "another quantity", math.NaN())
			m.Recorded(messages.NodeID(node), move.step, mirror.QuantityMove, value)
		}
		restored := moveMeter(true)
		if err := messages.Read(messages.Write(nil, m), restored); err != nil {
			t.Fatal(err)
		}
		m = restored
	}
	got := finish(m)
	for step, want := range map[int][2]float64{1: {0, 0}, 3: {3, 2.0 / 6}, 4: {3, 3.0 / 9}} {
		if largest, excess := got.find(step, -1, gauge.MoveLargest), got.find(step, -1, gauge.MoveExcess); largest != want[0] || excess != want[1] {
			t.Errorf("step %d: largest %v, excess %v, want %v", step, largest, excess, want)
		}
	}
	unmeasured := moveMeter(false)
	unmeasured.Recorded(0, 2, mirror.QuantityMove, 2)
	if slices.ContainsFunc(finish(unmeasured), func(r row) bool { return strings.HasPrefix(r.Metric, "move.") }) {
		t.Error("moves are recorded although nobody asked")
	}
}

func TestMoveThatIsNone(t *testing.T) {
	for _, value := range []float64{-0.5, math.NaN()} {
		func() {
			defer func() {
				if got, want := fmt.Sprint(recover()), fmt.Sprintf("a move of %v in step 2", value); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			moveMeter(true).Recorded(0, 2, mirror.QuantityMove, value)
		}()
	}
}
