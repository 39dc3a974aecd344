package dpfl_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm/dpfl"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/actors/option"
	"starling/actors/runtimetest"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
)

func TestValidate(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct {
		name    string
		options dpfl.Options
		change  func(*dpfl.Options)
		field   string
		message string
	}{
		{"no rounds", fixed(), func(o *dpfl.Options) { o.Rounds = 0 }, "rounds", "0 rounds; want at least 1"},
		{"no local steps", fixed(), func(o *dpfl.Options) { o.Tau = 0 }, "tau", "0 local steps in a round; want at least 1"},
		{"both kinds of tau", adaptive(), func(o *dpfl.Options) { o.Tau = 2 }, "tau", "2 local steps in a round, and adaptive ones; want one of the two"},
		{"learning rate 0", fixed(), func(o *dpfl.Options) { o.LearningRate = 0 }, "learning_rate", "learning rate eta = 0; want a finite number > 0"},
		{"infinite learning rate", fixed(), func(o *dpfl.Options) { o.LearningRate = inf }, "learning_rate", "learning rate eta = +Inf; want a finite number > 0"},
		{"no batch", fixed(), func(o *dpfl.Options) { o.Batch = -1 }, "batch", "batch B = -1; want at least 1, or 0 for all data"},
		{"batch of more than there are", fixed(), func(o *dpfl.Options) { o.Batch = 25 }, "batch", "batch B = 25 is more than the 24 samples of client 3"},
		{"correlated noise on a batch", fixed(correlated(factorization.Tree)), func(o *dpfl.Options) { o.Batch, o.Clients = 24, o.Clients[1:] }, "batch", "batch B = 24 of the 40 samples of client 1; this noise is for sums over all of them: leave the batch out"},
		{"Laplace noise on a batch", fixed(laplace), func(o *dpfl.Options) { o.Batch, o.Clients = 6, o.Clients[:1] }, "batch", "batch B = 6 of the 30 samples of client 1; this noise is for sums over all of them: leave the batch out"},
		{"infinite Laplace noise", fixed(laplace), func(o *dpfl.Options) { o.Noise = o.Noise.Scaled(inf) }, "epsilon", "Laplace noise of scale +Inf; want a finite number > 0"},
		{"Laplace noise for half of what a sample moves", fixed(laplace, func(o *dpfl.Options) { o.Clip *= 2 }), nil, "clip", "sensitivity 0.9797958971132712; a sample moves a sum by up to 1.9595917942265424"},
		{"noise for half of what a sample moves", fixed(func(o *dpfl.Options) { o.Clip *= 2 }), nil, "clip", "sensitivity 0.4; a sample moves a sum by up to 0.8"},
		{"no sigma", fixed(), gaussian(0), "sigma", "noise multiplier sigma = 0; want a finite number > 0, or none"},
		{"NaN sigma", fixed(), gaussian(nan), "sigma", "noise multiplier sigma = NaN; want a finite number > 0, or none"},
		{"no clip", fixed(), func(o *dpfl.Options) { o.Clip = 0 }, "clip", "clipping norm C = 0; want a finite number > 0"},
		{"noise and no clipping", fixed(), func(o *dpfl.Options) { o.Clip = inf }, "clip", "clipping norm C = +Inf; want a finite number > 0"},
		{"clip of -1 without noise", fixed(), func(o *dpfl.Options) { o.Noise, o.Clip = noise.Released{}, -1 }, "clip", "clipping norm C = -1; want a number > 0, or none"},
		{"no clients", fixed(), func(o *dpfl.Options) { o.Clients = nil }, "clients", "0 clients; want at least 1"},
		{"a client without data", fixed(), func(o *dpfl.Options) { o.Clients[1] = nil }, "clients", "client 2 has no data"},
		{"a client without samples", fixed(), func(o *dpfl.Options) { o.Clients[1] = wide(0) }, "clients", "client 2 has 0 samples; want at least 1"},
		{"no start", fixed(), func(o *dpfl.Options) { o.Start = nil }, "start", "a start of no parameters; want at least 1"},
		{"NaN start", fixed(), func(o *dpfl.Options) { o.Start = []float64{0, nan, nan} }, "start", "entry 2 of the start is NaN; want a finite number"},
		{"budget 0", fixed(budget(0)), nil, "budget.epsilon", "budget epsilon = 0; want a finite number > 0"},
		{"infinite budget", fixed(budget(inf)), nil, "budget.epsilon", "budget epsilon = +Inf; want a finite number > 0"},
		{"no delta", fixed(budget(9)), func(o *dpfl.Options) { o.Budget.Delta = 0 }, "budget.delta", "budget delta = 0; want a number in (0, 1)"},
		{"delta 1", fixed(budget(9)), func(o *dpfl.Options) { o.Budget.Delta = 1 }, "budget.delta", "budget delta = 1; want a number in (0, 1)"},
		{"accountant", fixed(budget(9)), func(o *dpfl.Options) { o.Budget.Method = "moments" }, "budget.accountant", `unknown accountant "moments"; known: [rdp rdp-cks pld]`},
		{"a budget without noise", fixed(budget(9)), func(o *dpfl.Options) { o.Noise = noise.Released{} }, "budget", "a privacy budget for a run without noise"},
		{"control below 0", adaptive(), func(o *dpfl.Options) { o.Adaptive.Control = -1 }, "control", "control constant c_G = -1; want a finite number > 0"},
		{"statistics", adaptive(), func(o *dpfl.Options) { o.Adaptive.Statistics = "none" }, "statistics", `unknown statistics "none"; known: as-printed, private, public`},
		{"too many samples", adaptive(), func(o *dpfl.Options) { o.Adaptive.Samples = 25 }, "statistics_samples", "25 samples for the statistics are more than the 24 of client 3"},
		{"samples below 0", adaptive(), func(o *dpfl.Options) { o.Adaptive.Samples = -1 }, "statistics_samples", "-1 samples for the statistics; want at least 1, or 0 for all"},
		{"private without noise", adaptive(private), func(o *dpfl.Options) { o.Adaptive.Sigma = 0 }, "statistics_sigma", "noise multiplier of the statistics 0; want a finite number > 0"},
		{"private without a Lipschitz bound", adaptive(private), func(o *dpfl.Options) { o.Adaptive.Lipschitz = inf }, "statistics_lipschitz", "Lipschitz bound of the statistics +Inf; want a finite number > 0"},
		{"private without clipping", adaptive(private), func(o *dpfl.Options) { o.Adaptive.Clip = nan }, "statistics_clip", "clipping norm of the statistics NaN; want a finite number > 0"},
		{"noise on printed statistics", adaptive(), func(o *dpfl.Options) { o.Adaptive.Sigma = 1 }, "statistics_sigma", "noise on as-printed statistics; only private ones have it"},
		{"Lipschitz bound of public statistics", adaptive(public), func(o *dpfl.Options) { o.Adaptive.Lipschitz = 1 }, "statistics_lipschitz", "a Lipschitz bound for public statistics; only private ones have it"},
		{"clipping of printed statistics", adaptive(), func(o *dpfl.Options) { o.Adaptive.Clip = 1 }, "statistics_clip", "a clipping norm for as-printed statistics; only private ones have it"},
		{"public data of too few", adaptive(public), func(o *dpfl.Options) { o.Adaptive.Public = o.Adaptive.Public[:2] }, "statistics", "public data for 2 clients; there are 3"},
		{"public data that miss", adaptive(public), func(o *dpfl.Options) { o.Adaptive.Public[2] = nil }, "statistics", "client 3 has no public data"},
		{"public data without samples", adaptive(public), func(o *dpfl.Options) { o.Adaptive.Public[1] = wide(0) }, "statistics", "client 2 has 0 public samples; want at least 1"},
		{"too many public samples", adaptive(public), func(o *dpfl.Options) { o.Adaptive.Samples = 21 }, "statistics_samples", "21 samples for the statistics are more than the 20 of client 3"},
		{"public data beside printed statistics", adaptive(public), func(o *dpfl.Options) { o.Adaptive.Statistics = dpfl.AsPrinted }, "statistics", "public data beside as-printed statistics"},
		{"a budget for less than a step", fixed(budget(0.5)), nil, "budget", "the budget epsilon = 0.5 at delta = 1e-05 pays for no local step of client 1"},
		{"a budget that statistics use up", adaptive(private, budget(4.6)), nil, "budget", "the budget epsilon = 4.6 at delta = 1e-05 pays for no local step of client 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := test.options
			if test.change != nil {
				test.change(&o)
			}
			machines, _, err := dpfl.New(o)
			if err == nil || option.Message(err) != test.message || machines != nil {
				t.Fatalf("%d machines, error %v, want %q", len(machines), err, test.message)
			}
			if diff := cmp.Diff([]string{test.field}, algorithmtest.Fields(err)); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if invalid := o.Validate(); (invalid == nil) != (test.field == "budget" && o.Noise.Private()) {
				t.Errorf("Validate gave %v", invalid)
			}
		})
	}
}

func TestValidateReportsEverything(t *testing.T) {
	o := dpfl.Options{Batch: -1, Budget: &dpfl.Budget{}, Adaptive: &dpfl.Adaptive{}}
	want := []string{"rounds", "learning_rate", "clip", "clients", "batch", "start", "budget", "budget.epsilon", "budget.delta", "budget.accountant", "statistics"}
	if diff := cmp.Diff(want, algorithmtest.Fields(o.Validate())); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestStartIsCopied(t *testing.T) {
	o := fixed()
	want := runLockstep(t, o).models
	run := newRun(o, runtimetest.Silent{})
	o.Start[0] = 17
	if err := algorithmtest.Lockstep(run); err != nil {
		t.Fatal(err)
	}
	got := algorithmtest.Quantity(run.Machines[0], "w")
	compare(t, "last model", got, want[len(want)-1], 0)
}

func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		options dpfl.Options
		want    []string
	}{
		{fixed(), nil},
		{adaptive(public), nil},
		{adaptive(private), nil},
		{adaptive(), []string{"rho_i, beta_i and gradients are sent as they are, which Theorem 3 does not cover: nothing is private"}},
		{adaptive(private, budget(12)), []string{"the budget sets aside the statistics of all 6 choices of tau before it pays for local steps"}},
		{adaptive(func(o *dpfl.Options) { o.Rounds = 2 }), []string{"in 2 rounds tau is never chosen, and stays 1: the first choice is made after round 2, and none after the last"}},
	} {
		if got := dpfl.Warnings(&test.options); !slices.Equal(got, test.want) {
			t.Errorf("warnings %q, want %q", got, test.want)
		}
	}
}

// A set in which everything is changes no bit of a run, and a start outside the set, or
// of another dimension, is refused.
func TestSets(t *testing.T) {
	wideBall := func(o *dpfl.Options) { o.Set = must(mirror.NewL2Ball(len(o.Start), 1e9, nil)) }
	for name, o := range map[string]dpfl.Options{"fixed": fixed(), "adaptive": adaptive(private)} {
		want := fresh(o, nil).Finish(t, algorithmtest.Lockstep)
		wideBall(&o)
		if diff := runtimetest.Diff(want, fresh(o, nil).Finish(t, algorithmtest.Lockstep)); diff != "" {
			t.Errorf("%s (-no set +a wide one):\n%s", name, diff)
		}
	}
	for want, set := range map[string]mirror.Set{
		"the start is outside the set, by 0.336":           must(mirror.NewL2Ball(6, 0.1, nil)),
		"a start of 6 parameters; the set has dimension 5": must(mirror.NewL2Ball(5, 1, nil)),
	} {
		o := fixed(func(o *dpfl.Options) { o.Set = set })
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
