package ofl_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/actors/option"
	"starling/actors/topology"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/messages"
)

func TestValidate(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	// changed has noise of a scale, for a datum that moves a run so many times as much.
	changed := func(scale, times float64) func(*ofl.Options) {
		return func(o *ofl.Options) {
			withNoise(factorization.Independent)(o)
			o.Noise = resized(o.Noise, scale, o.Noise.Sensitivity()*times)
		}
	}
	tests := []struct {
		name    string
		change  func(*ofl.Options)
		field   string
		message string
	}{
		{"no version", func(o *ofl.Options) { o.Version = 0 }, "version", "version 0; known: 1 (noise on each round), 2 (noise on each step)"},
		{"version 3", func(o *ofl.Options) { o.Version = 3 }, "version", "version 3; known: 1 (noise on each round), 2 (noise on each step)"},
		{"no learners", func(o *ofl.Options) { o.Learners = 0 }, "nodes", "0 learners; want at least 1"},
		{"no rounds", func(o *ofl.Options) { o.Rounds = 0 }, "rounds", "0 rounds; want at least 1"},
		{"no local steps", func(o *ofl.Options) { o.Tau = -1 }, "tau", "-1 local steps; want at least 1"},
		{"local step 0", func(o *ofl.Options) { o.LocalStep = 0 }, "local_step", "local step eta = 0; want a finite number > 0"},
		{"NaN local step", func(o *ofl.Options) { o.LocalStep = nan }, "local_step", "local step eta = NaN; want a finite number > 0"},
		{"global step below 0", func(o *ofl.Options) { o.GlobalStep = -0.5 }, "global_step", "global step eta_g = -0.5; want a finite number > 0"},
		{"infinite global step", func(o *ofl.Options) { o.GlobalStep = inf }, "global_step", "global step eta_g = +Inf; want a finite number > 0"},
		{"gradient bound 0", func(o *ofl.Options) { o.GradientBound = 0 }, "gradient_bound", "gradient bound B_g = 0; want a finite number > 0"},
		{"infinite gradient bound", func(o *ofl.Options) { o.GradientBound = inf }, "gradient_bound", "gradient bound B_g = +Inf; want a finite number > 0"},
		{"bound", func(o *ofl.Options) { o.Bound = "ignore" }, "on_bound", `unknown value "ignore"; known: error, clip`},
		{"no model", func(o *ofl.Options) { o.Model = nil }, "model", "no model"},
		{"no data", func(o *ofl.Options) { o.Data = nil }, "data", "no data"},
		{"length of the start", func(o *ofl.Options) { o.Start = []float64{1} }, "start", "start x^0 has 1 entries; the model has 3 parameters"},
		{"NaN start", func(o *ofl.Options) { o.Start = []float64{0, nan, 0} }, "start", "entry 2 of the start x^0 is NaN; want a finite number"},
		{"infinite start", func(o *ofl.Options) { o.Start = []float64{-inf, 0, nan} }, "start", "entry 1 of the start x^0 is -Inf; want a finite number"},
		{"noise without a factorization", func(o *ofl.Options) { o.Noise = noise.OnPrefixes(1, 1, nil) }, "kind", "correlated noise without a factorization"},
		{"noise that each input pays for", func(o *ofl.Options) { o.Noise = noise.OnSamples(1, 1) }, "kind", "noise that each input pays for; want noise that is paid for once"},
		{"noise of a shorter run", func(o *ofl.Options) { withNoise(factorization.Tree)(o); o.Rounds++ }, "kind", "the noise is made for 24 inputs, the run has 28"},
		{"noise of the other version", func(o *ofl.Options) { withNoise(factorization.Tree)(o); o.Version = ofl.PerRound }, "kind", "the noise is made for 24 inputs, the run has 6"},
		{"scale 0", changed(0, 1), "epsilon", "noise of standard deviation 0; want a finite number > 0"},
		{"infinite scale", changed(inf, 1), "epsilon", "noise of standard deviation +Inf; want a finite number > 0"},
		{"sensitivity 0", changed(0.5, 0), "gradient_bound", "sensitivity 0; want a finite number > 0"},
		{"NaN sensitivity", changed(0.5, nan), "gradient_bound", "sensitivity NaN; want a finite number > 0"},
		{"sensitivity of half a gradient", changed(0.5, 0.5), "gradient_bound", "sensitivity 0.4; one datum moves C G by up to 0.8"},
		{"sensitivity below that of convex losses", func(o *ofl.Options) {
			o.Version = ofl.PerRound
			withNoise(factorization.Independent)(o)
			o.Noise = resized(o.Noise, o.Noise.Scale(), o.Noise.Sensitivity()/5)
		}, "gradient_bound", "sensitivity 0.16; one datum moves C G by up to 0.2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := logisticOptions(test.change)
			err := o.Validate()
			if err == nil || option.Message(err) != test.message {
				t.Fatalf("error %v, want %q", err, test.message)
			}
			if diff := cmp.Diff([]string{test.field}, algorithmtest.Fields(err)); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if machines, failure := ofl.New(o); machines != nil || failure == nil || option.Message(failure) != test.message {
				t.Errorf("New gave %d machines and %v", len(machines), failure)
			}
		})
	}
}

func TestValidateReportsEverything(t *testing.T) {
	o := ofl.Options{Noise: noise.OnSamples(1, 1)}
	want := []string{"version", "nodes", "rounds", "tau", "local_step", "global_step", "gradient_bound", "on_bound", "model", "data", "kind"}
	if diff := cmp.Diff(want, algorithmtest.Fields(o.Validate())); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestValidateAccepts(t *testing.T) {
	for name, change := range map[string]func(*ofl.Options){
		"no noise":        func(*ofl.Options) {},
		"error on bound":  func(o *ofl.Options) { o.Bound = ofl.BoundError },
		"one of anything": func(o *ofl.Options) { o.Learners, o.Rounds, o.Tau = 1, 1, 1 },
		"a sensitivity that is more than needed": func(o *ofl.Options) {
			withNoise(factorization.Toeplitz)(o)
			o.Noise = moved(o.Noise, 2)
		},
		"version 1, convex": func(o *ofl.Options) {
			o.Version = ofl.PerRound
			withNoise(factorization.Toeplitz)(o)
			o.Noise = resized(o.Noise, o.Noise.Scale(), o.Noise.Sensitivity()/float64(o.Tau))
		},
	} {
		o := logisticOptions(change)
		if err := o.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if machines, err := ofl.New(o); err != nil || len(machines) != o.Participants() {
			t.Errorf("%s: %d machines, %v", name, len(machines), err)
		}
	}
}

func TestBoundsAreAccepted(t *testing.T) {
	for _, bound := range []ofl.Bound{ofl.BoundError, ofl.BoundClip} {
		o := logisticOptions(func(o *ofl.Options) { o.Bound = bound })
		if err := o.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// The machines keep what they were made with.
func TestNewCopiesTheStart(t *testing.T) {
	o := logisticOptions()
	run := newRun(o, newDiary())
	want := slices.Clone(o.Start)
	o.Start[0] = 9
	for node, name := range []string{"x", "x", "z"} {
		if got := algorithmtest.Quantity(run.Machines[node], name); !slices.Equal(got, want) {
			t.Errorf("machine %d starts at %v, want %v", node, got, want)
		}
	}
}

// The schedule: two hops in a step, and a third, for the server, at the end of a round.
// Learners have the first hop of a step where a model may come: at the beginning of a
// round and, under effects, always.
func TestSchedule(t *testing.T) {
	type hop struct{ First, End messages.NodeID }
	everybody, clients, learners, server := hop{1, 7}, hop{4, 7}, hop{1, 4}, hop{0, 1}
	for _, c := range []struct {
		tau     int
		effects bool
		want    [][]hop
	}{
		{1, false, [][]hop{{everybody, learners, server}, {everybody, learners, server}}},
		{3, false, [][]hop{{everybody, learners}, {clients, learners}, {clients, learners, server}, {everybody, learners}}},
		{3, true, [][]hop{{everybody, learners}, {everybody, learners}, {everybody, learners, server}, {everybody, learners}}},
	} {
		tau, want := c.tau, c.want
		o := logisticOptions(func(o *ofl.Options) { o.Tau, o.Effects = tau, c.effects })
		var got [][]hop
		for offset := range want {
			var hops []hop
			for h := range o.Hops(offset) {
				first, end := o.Acts(offset, h)
				hops = append(hops, hop{first, end})
			}
			got = append(got, hops)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tau = %d, effects %v (-want +got):\n%s", tau, c.effects, diff)
		}
	}
}

func TestGraph(t *testing.T) {
	want := map[messages.NodeID][]messages.NodeID{0: {1, 2, 3}, 1: {0}, 2: {0}, 3: {0}, 4: {1}, 5: {2}, 6: {3}}
	g := must(ofl.Graph(3))
	if g.Nodes() != 7 {
		t.Fatalf("%d nodes", g.Nodes())
	}
	got := map[messages.NodeID][]messages.NodeID{}
	for i := range messages.NodeID(7) {
		got[i] = slices.Clone(view(g, i).Out())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("out-neighbours (-want +got):\n%s", diff)
	}
}

func view(s topology.Sequence, node messages.NodeID) topology.View { return s.At(0).View(node) }
