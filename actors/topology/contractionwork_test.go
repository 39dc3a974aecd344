package topology

import (
	"errors"
	"math"
	"testing"
)

func printedSequence() (Sequence, error) {
	a1, a2, a3 := Printed()
	graphs := make([]*Graph, 3)
	for k, matrix := range [][][]float64{a1, a2, a3} {
		var err error
		if graphs[k], err = FromDense(matrix); err != nil {
			return nil, err
		}
	}
	return NewPeriodic(graphs...)
}

// The estimate is within a factor of 2 of the multiply-adds that are counted, for
// graphs that mix in a step and for such that have not by the last lag; the look
// ahead itself takes little.
func TestContractionWorkIsForeseen(t *testing.T) {
	for _, test := range []struct {
		name    string
		build   func() (Sequence, error)
		horizon int
	}{
		{"printed", func() (Sequence, error) { return printedSequence() }, 500},
		{"complete", func() (Sequence, error) { return Complete{Nodes: 40, SelfLoops: true}.Sequence() }, 500},
		{"ring", func() (Sequence, error) { return Ring{Nodes: 24}.Sequence() }, 5000},
		{"long ring", func() (Sequence, error) { return Ring{Nodes: 90}.Sequence() }, 700},
		{"circulant", func() (Sequence, error) { return Circulant{Nodes: 48, Degree: 4}.Sequence() }, 5000},
		{"permutations", func() (Sequence, error) { return Permutations{Nodes: 20, Degree: 3, Every: 1, Seed: 1}.Sequence() }, 200},
	} {
		seq, err := test.build()
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		cost := costOf(seq, test.horizon)
		_, _, counted, err := measureDeviations(seq, test.horizon, cost, math.Inf(1))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		estimate := float64(max(1, probeLags(seq, test.horizon, cost, math.Inf(1)))) * cost.lag
		if ratio := estimate / counted; !(ratio > 0.5 && ratio < 2) {
			t.Errorf("%s: %.3g operations foreseen, %.3g counted", test.name, estimate, counted)
		}
	}
}

// A limit that does not reach leaves the measurement out before it is made; one
// that does changes nothing.
func TestContractionWithin(t *testing.T) {
	seq, err := Ring{Nodes: 24}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	c, lambda, err := Contraction(seq, 5000)
	if err != nil {
		t.Fatal(err)
	}
	if k, l, err := ContractionWithin(seq, 5000, 1e9); k != c || l != lambda || err != nil {
		t.Errorf("%v, %v, %v within a limit, want %v, %v", k, l, err, c, lambda)
	}
	for _, limit := range []float64{1, 1e4, 1e5} { // over the check of weights, or not
		var over *WorkError
		if _, _, err := ContractionWithin(seq, 5000, limit); !errors.As(err, &over) || over.Limit != limit || over.Operations <= limit {
			t.Errorf("limit %v: %v", limit, err)
		}
	}
	// Where the look ahead is wrong, the count stops it.
	var over *WorkError
	if _, _, spent, err := measureDeviations(seq, 5000, costOf(seq, 5000), 1e5); !errors.As(err, &over) || spent > 1.2e5 {
		t.Errorf("%.3g operations under a limit of 1e5: %v", spent, err)
	}
}
