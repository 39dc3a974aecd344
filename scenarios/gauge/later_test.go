package gauge

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"starling/actors/algorithm/batch"
	"starling/messages"
)

// Decisions come in any order of nodes and are asked about step by step, in the order of the
// nodes; answers are handed out, of each node in the order of its steps.
func TestLater(t *testing.T) {
	var asked, taken []string
	l := &Later{Most: 4, Width: 2, Ask: func(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
		asked = append(asked, fmt.Sprint(step, nodes, x))
		for i, node := range nodes {
			dst[2*i], dst[2*i+1] = float64(node), x[i]
		}
		return nil
	}, Take: func(node messages.NodeID, at At, x, answer []float64) {
		taken = append(taken, fmt.Sprint(node, at.Step, x, answer))
	}}
	x := []float64{0}
	for _, add := range [][2]int{{2, 1}, {0, 2}, {0, 1}, {1, 1}, {2, 3}, {1, 2}} {
		x[0] = float64(10*add[0] + add[1]) // the caller's, used again
		l.Add(messages.NodeID(add[0]), At{Step: add[1]}, x)
	}
	if want := []string{"1 [0 1 2] [1 11 21]", "2 [0] [2]"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	l.Flush()
	l.Flush()
	if want := []string{"1 [0 1 2] [1 11 21]", "2 [0] [2]", "2 [1] [12]", "3 [2] [23]"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	if want := []string{"0 1 [1] [0 1]", "1 1 [11] [1 11]", "2 1 [21] [2 21]", "0 2 [2] [0 2]", "1 2 [12] [1 12]", "2 3 [23] [2 23]"}; !slices.Equal(taken, want) {
		t.Errorf("taken %q, want %q", taken, want)
	}
	(*Later)(nil).Flush()
	broken := errors.New("broken")
	l.Ask = func([]float64, []messages.NodeID, int, []float64) error { return broken }
	defer func() {
		if f, ok := recover().(batch.Failure); !ok || f.Err != broken {
			t.Errorf("recovered %v", f)
		}
	}()
	l.Add(0, At{Step: 1}, x)
	l.Flush()
}
