package topology_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/option"
	"starling/actors/topology"
)

func TestCheckWeights(t *testing.T) {
	tests := []struct {
		name   string
		matrix [][]float64
		want   *topology.WeightError
		text   string
	}{
		{"doubly stochastic", [][]float64{{.5, .5}, {.5, .5}}, nil, ""},
		{"within tolerance", [][]float64{{.5, .5 + 5e-10}, {.5, .5}}, nil, ""},
		{"negative", [][]float64{{1.5, -.5}, {-.5, 1.5}},
			&topology.WeightError{Kind: topology.WeightNegative, Node: 0, From: 1, Value: -.5},
			"row 1, column 2 is -0.5: negative (what node 1 gives node 2)"},
		{"row", [][]float64{{.5, .5}, {.5, .25}},
			&topology.WeightError{Kind: topology.WeightRow, Node: 1, Value: .75, Tolerance: 1e-9},
			"row 2 sums to 0.75, want 1 within 1e-09 (what node 2 gives those it hears)"},
		{"no edge at all", [][]float64{{1, 0}, {0, 0}},
			&topology.WeightError{Kind: topology.WeightRow, Node: 1, Value: 0, Tolerance: 1e-9},
			"row 2 sums to 0, want 1 within 1e-09 (what node 2 gives those it hears)"},
		{"column", [][]float64{{.5, .5}, {.75, .25}},
			&topology.WeightError{Kind: topology.WeightColumn, Node: 0, Value: 1.25, Tolerance: 1e-9},
			"column 1 sums to 1.25, want 1 within 1e-09 (what node 1 is given by those that hear it)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := topology.CheckWeights(mustDense(t, test.matrix), 1e-9)
			if test.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var got *topology.WeightError
			if !errors.As(err, &got) {
				t.Fatalf("error is %v, want a *WeightError", err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if option.Message(err) != test.text {
				t.Errorf("text is %q, want %q", err, test.text)
			}
		})
	}
}

func TestCheckSequence(t *testing.T) {
	if err := topology.CheckSequence(printedCycle(t), 500, 1e-9); err != nil {
		t.Errorf("the printed sequence: %v", err)
	}
	good := mustDense(t, [][]float64{{.5, .5}, {.5, .5}})
	bad := mustDense(t, [][]float64{{.5, .5}, {1, 0}})
	seq, err := topology.NewPeriodic(good, good, bad)
	if err != nil {
		t.Fatal(err)
	}
	if err := topology.CheckSequence(seq, 2, 1e-9); err != nil {
		t.Errorf("steps before the bad graph: %v", err)
	}
	err = topology.CheckSequence(seq, 3, 1e-9)
	var step *topology.StepError
	var fault *topology.WeightError
	if !errors.As(err, &step) || !errors.As(err, &fault) || step.Step != 2 || fault.Node != 0 || fault.Kind != topology.WeightColumn {
		t.Fatalf("error is %v", err)
	}
	want := "step 3: column 1 sums to 1.5, want 1 within 1e-09 (what node 1 is given by those that hear it)"
	if option.Message(err) != want {
		t.Errorf("text is %q, want %q", err, want)
	}
	step.Base = 0 // a scenario whose paper counts from 0
	if got := err.Error(); got[:7] != "step 2:" {
		t.Errorf("text with base 0 is %q", got)
	}
	if err := topology.CheckSequence(seq, 0, 1e-9); err == nil || option.Message(err) != "horizon is 0, want at least 1" {
		t.Errorf("horizon 0: %v", err)
	}
}

// TestDemands holds matrices to what push-sum and schemes ask of them: fewer sums,
// and no less of the weights themselves.
func TestDemands(t *testing.T) {
	var (
		rows    = [][]float64{{.5, .5}, {1, 0}}
		columns = [][]float64{{.5, 1}, {.5, 0}}
		silent  = [][]float64{{1, 1}, {0, 0}}
		none    = [][]float64{{2, 0}, {0, .5}}
	)
	tests := []struct {
		name   string
		demand topology.Demand
		matrix [][]float64
		want   string
	}{
		{"rows", topology.Demand{Rows: true}, rows, ""},
		{"rows of columns", topology.Demand{Rows: true}, columns, "row 1 sums to 1.5, want 1 within 1e-09 (what node 1 gives those it hears)"},
		{"columns", topology.Demand{Columns: true}, columns, ""},
		{"columns of rows", topology.Demand{Columns: true}, rows, "column 1 sums to 1.5, want 1 within 1e-09 (what node 1 is given by those that hear it)"},
		{"push-sum", topology.PushSum, columns, ""},
		{"push-sum on rows", topology.PushSum, rows, "column 1 sums to 1.5, want 1 within 1e-09 (what node 1 is given by those that hear it)"},
		{"a node that hears nobody", topology.PushSum, silent, "row 2 is empty: node 2 hears nobody, not even itself"},
		{"the same without mass", topology.Demand{Columns: true}, silent, ""},
		{"nothing", topology.Demand{}, none, ""},
		{"nothing, negative", topology.Demand{}, [][]float64{{2, -1}, {0, 1}}, "row 1, column 2 is -1: negative (what node 1 gives node 2)"},
	}
	for _, test := range tests {
		got := ""
		if err := test.demand.Check(mustDense(t, test.matrix), 1e-9); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: error %q, want %q", test.name, got, test.want)
		}
	}
	// One pattern, the doubly stochastic weights of which differ from its uniform
	// ones: every scheme keeps to what it says of its sums, and no scheme that
	// says less keeps to more.
	pattern := mustDense(t, [][]float64{{1, 1, 1}, {1, 1, 0}, {1, 0, 1}})
	for _, scheme := range topology.Schemes() {
		g, err := topology.Weighting{Scheme: scheme}.Apply(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if err := scheme.Sums().Check(g, 1e-12); err != nil {
			t.Errorf("%s: %v", scheme, err)
		}
		if doubly := topology.CheckWeights(g, 1e-9) == nil; doubly != (scheme.Sums() == topology.DoublyStochastic) {
			t.Errorf("%s: doubly stochastic: %v", scheme, doubly)
		}
	}
}

// counted is a sequence that says of each graph how often it was asked for.
type counted struct {
	topology.Sequence
	asked map[int]int
}

func (c counted) At(step int) *topology.Graph {
	c.asked[c.Epoch(step)]++
	return c.Sequence.At(step)
}

// TestChecksBuildEachEpochOnce holds the checks to one graph an epoch: building
// is what they cost.
func TestChecksBuildEachEpochOnce(t *testing.T) {
	redrawn := mustSequence(t, topology.Permutations{Nodes: 30, Degree: 2, Every: 3, Seed: 1})
	checks := map[string]func(topology.Sequence) error{
		"weights": func(s topology.Sequence) error { return topology.CheckSequence(s, 60, 1e-9) },
		"windows": func(s topology.Sequence) error { return topology.CheckWindows(s, 60, 20) },
		"smallest": func(s topology.Sequence) error {
			_, err := topology.SmallestWindow(s, 60)
			return err
		},
	}
	for name, check := range checks {
		seq := counted{redrawn, map[int]int{}}
		if err := check(seq); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for epoch := range 20 {
			if seq.asked[epoch] != 1 {
				t.Errorf("%s: epoch %d was built %d times", name, epoch, seq.asked[epoch])
			}
		}
		if len(seq.asked) != 20 {
			t.Errorf("%s: %d epochs were built, want the 20 of the horizon", name, len(seq.asked))
		}
	}
}
