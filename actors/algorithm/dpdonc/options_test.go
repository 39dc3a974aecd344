package dpdonc_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/actors/option"
)

func TestValidate(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	type change = func(*dpdonc.Options)
	tests := []struct {
		name    string
		options dpdonc.Options
		change  change
		field   string
		message string
	}{
		{"no divergence", printedOptions(), func(o *dpdonc.Options) { o.Divergence = nil }, "divergence", "no divergence"},
		{"no set", printedOptions(), func(o *dpdonc.Options) { o.Set = nil }, "set", "no set"},
		{"no nodes", printedOptions(), func(o *dpdonc.Options) { o.Nodes = 0 }, "nodes", "0 nodes; at least 1 is needed"},
		{"scale 0", printedOptions(), func(o *dpdonc.Options) { o.Step.Scale = 0 }, "step.scale", "step size scale 0 is not a finite number > 0"},
		{"infinite scale", printedOptions(), func(o *dpdonc.Options) { o.Step.Scale = inf }, "step.scale", "step size scale +Inf is not a finite number > 0"},
		{"NaN scale", printedOptions(), func(o *dpdonc.Options) { o.Step.Scale = nan }, "step.scale", "step size scale NaN is not a finite number > 0"},
		{"epsilon 0", printedOptions(), func(o *dpdonc.Options) { o.Calibration.Level = 0 }, "epsilon", "noise at level 0; want a number above 0"},
		{"epsilon below 0", printedOptions(), func(o *dpdonc.Options) { o.Calibration.Level = -1 }, "epsilon", "noise at level -1; want a number above 0"},
		{"NaN epsilon", gaussianOptions(nan), nil, "epsilon", "noise at level NaN; want a number above 0"},
		{"noise without a law", printedOptions(), func(o *dpdonc.Options) { o.Calibration.Law = nil }, "epsilon", "noise without a law"},
		{"theta 0", printedOptions(), func(o *dpdonc.Options) { o.Theta = 0 }, "theta", "theta = 0 is not a finite number > 0"},
		{"infinite theta", printedOptions(), func(o *dpdonc.Options) { o.Theta = inf }, "theta", "theta = +Inf is not a finite number > 0"},
		{"NaN theta", printedOptions(), func(o *dpdonc.Options) { o.Theta = nan }, "theta", "theta = NaN is not a finite number > 0"},
		{"bound", printedOptions(), func(o *dpdonc.Options) { o.Bound = "ignore" }, "gradient_bound", `unknown gradient bound "ignore"; known: error, clip`},
		{"consensus", printedOptions(), func(o *dpdonc.Options) { o.Consensus = "vote" }, "consensus", `unknown consensus "vote"; known: average, push-sum`},
		{"noise", printedOptions(), func(o *dpdonc.Options) { o.Noise = "" }, "noise", `unknown noise schedule ""; known: as-printed, shifted`},
		{"dimension of the start", printedOptions(), func(o *dpdonc.Options) { o.Start = []float64{1} }, "start", "start has 1 entries; the set l1-ball has dimension 2"},
		{"start outside", printedOptions(), func(o *dpdonc.Options) { o.Start = []float64{-2, 1.5} }, "start", "start [-2 1.5] lies outside the l1-ball, by 0.5"},
		{"NaN start", printedOptions(), func(o *dpdonc.Options) { o.Start = []float64{nan, 0} }, "start", "start [NaN 0] lies outside the l1-ball, by +Inf"},
		{"start with a zero", entropyOptions(dpdonc.ClipMean), func(o *dpdonc.Options) { o.Start = []float64{0.5, 0, 0.5} }, "start", "start entry 2 is 0; the negative entropy needs positive entries"},
		{"positivity", entropyOptions("hope"), nil, "positivity", `unknown positivity "hope"; known: clip-mean, dual-average`},
		{"floor 0", entropyOptions(dpdonc.DualAverage), func(o *dpdonc.Options) { o.Floor = 0 }, "floor", "floor 0 is not in (0, 1)"},
		{"floor 1", entropyOptions(dpdonc.ClipMean), func(o *dpdonc.Options) { o.Floor = 1 }, "floor", "floor 1 is not in (0, 1)"},
		{"NaN floor", entropyOptions(dpdonc.ClipMean), func(o *dpdonc.Options) { o.Floor = nan }, "floor", "floor NaN is not in (0, 1)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.change != nil {
				test.change(&test.options)
			}
			err := test.options.Validate()
			if err == nil || option.Message(err) != test.message {
				t.Fatalf("error %v, want %q", err, test.message)
			}
			if diff := cmp.Diff([]string{test.field}, algorithmtest.Fields(err)); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if machines, failure := dpdonc.New(test.options); machines != nil || failure == nil || option.Message(failure) != test.message {
				t.Errorf("New gave %d machines and %v", len(machines), failure)
			}
		})
	}
}

func TestValidateReportsEverything(t *testing.T) {
	o := dpdonc.Options{Divergence: mirror.Entropy{}, Set: must(mirror.NewSimplex(2))}
	want := []string{"nodes", "step.scale", "epsilon", "theta", "gradient_bound", "noise", "start", "positivity", "floor"}
	if diff := cmp.Diff(want, algorithmtest.Fields(o.Validate())); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestValidateAccepts(t *testing.T) {
	for name, change := range map[string]func(*dpdonc.Options){
		"as printed":                      func(*dpdonc.Options) {},
		"no noise":                        func(o *dpdonc.Options) { o.Calibration.Level = math.Inf(1) },
		"Gaussian noise":                  func(o *dpdonc.Options) { *o = gaussianOptions(0.5) },
		"no Gaussian noise":               func(o *dpdonc.Options) { *o = gaussianOptions(math.Inf(1)) },
		"clipping, shifted":               func(o *dpdonc.Options) { o.Bound, o.Noise = algorithm.BoundClip, dpdonc.Shifted },
		"start on the border":             func(o *dpdonc.Options) { o.Start = []float64{-1, 2} },
		"start that rounding moved out":   func(o *dpdonc.Options) { o.Start = []float64{3 + 1e-12, 0} },
		"positivity is for entropy alone": func(o *dpdonc.Options) { o.Positivity, o.Floor = "hope", -1 },
		"entropy, a small start": func(o *dpdonc.Options) {
			*o = entropyOptions(dpdonc.DualAverage)
			o.Start = []float64{1e-300, 0.5, 0.5}
		},
		"a single node, not per number":    func(o *dpdonc.Options) { o.Nodes, o.Step.Unscaled = 1, true },
		"an epsilon that hides everything": func(o *dpdonc.Options) { o.Calibration.Level = 1e-300 },
	} {
		o := printedOptions()
		change(&o)
		if err := o.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if machines, err := dpdonc.New(o); err != nil || len(machines) != o.Nodes {
			t.Errorf("%s: %d machines for %d nodes, %v", name, len(machines), o.Nodes, err)
		}
	}
}

// A pair without a solver is mirror's error, before anything else: what is wrong
// with the start depends on the pair.
func TestUnsupportedPairComesFirst(t *testing.T) {
	o := printedOptions()
	o.Divergence, o.Nodes = mirror.Entropy{}, 0
	var pair *mirror.UnsupportedPairError
	if err := o.Validate(); !errors.As(err, &pair) || pair.Divergence != mirror.KindEntropy || pair.Set != mirror.KindL1Ball {
		t.Errorf("Validate: %v", err)
	}
	if _, err := dpdonc.New(o); !errors.As(err, &pair) {
		t.Errorf("New: %v", err)
	}
	o.Divergence = mirror.Euclidean{}
	if err := o.Validate(); err == nil || option.Message(err) != "euclidean: scale is 0, want a positive finite number" {
		t.Errorf("Validate of a divergence that is not valid: %v", err)
	}
}

// alpha_t = 1/(N sqrt t), as line 1 of Algorithm 1 has it, scaled, and without N.
func TestStepSize(t *testing.T) {
	for _, test := range []struct {
		step     dpdonc.StepSize
		t, nodes int
		want     float64
	}{
		{dpdonc.StepSize{Scale: 1}, 1, 6, 1. / 6},
		{dpdonc.StepSize{Scale: 1}, 25, 6, 1. / 30},
		{dpdonc.StepSize{Scale: 3}, 4, 2, 0.75},
		{dpdonc.StepSize{Scale: 3, Unscaled: true}, 4, 2, 1.5},
	} {
		algorithmtest.CloseTo(t, "alpha", test.step.At(test.t, test.nodes), test.want, 1e-15)
	}
}

// The machines keep what they were made with.
func TestNewCopiesTheStart(t *testing.T) {
	o := printedOptions()
	o.Start = []float64{1, 1}
	r := spec(o, constant(0, 0), 1)
	o.Start[0] = 2
	for i, played := range runLockstep(t, r).Decisions {
		if diff := cmp.Diff([][]float64{{1, 1}}, played); diff != "" {
			t.Errorf("node %d (-want +got):\n%s", i+1, diff)
		}
	}
}
