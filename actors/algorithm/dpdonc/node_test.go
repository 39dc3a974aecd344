package dpdonc_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/actors/runtimetest"
	"starling/messages"
)

// Lemma 1 rests on theta, so a longer gradient fails the run, or is scaled down
// where that is asked for; one that is longer by rounding passes as it is. x_2 is
// z_1 - alpha_1 g = -g/6, which shows the g that was used.
func TestGradientBound(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct {
		name  string
		bound algorithm.OnBound
		g     []float64
		want  []float64 // used, nil if refused
		err   string
	}{
		{"inside", algorithm.BoundError, []float64{3, 0}, []float64{3, 0}, ""},
		{"zero", algorithm.BoundClip, []float64{0, 0}, []float64{0, 0}, ""},
		{"equal", algorithm.BoundError, []float64{3, 4}, []float64{3, 4}, ""},
		{"equal, clipping", algorithm.BoundClip, []float64{3, 4}, []float64{3, 4}, ""},
		{"longer by rounding", algorithm.BoundError, []float64{0, 5 * (1 + 1e-12)}, []float64{0, 5}, ""},
		{"longer", algorithm.BoundError, []float64{6, 8}, nil, "step 1, node 1: the gradient has length 10, over the bound 5 that its privacy rests on: set theta to 10.1 or more, or gradient_bound to clip"},
		{"of many digits", algorithm.BoundError, []float64{6, 7}, nil, "step 1, node 1: the gradient has length 9.21954446, over the bound 5 that its privacy rests on: set theta to 9.31 or more, or gradient_bound to clip"},
		{"a little longer", algorithm.BoundError, []float64{0, 5.00001}, nil, "step 1, node 1: the gradient has length 5.00001, over the bound 5 that its privacy rests on: set theta to 5.05 or more, or gradient_bound to clip"},
		{"longer, clipping", algorithm.BoundClip, []float64{6, -8}, []float64{3, -4}, ""},
		{"a little longer, clipping", algorithm.BoundClip, []float64{0, 5.00001}, []float64{0, 5}, ""},
		{"NaN", algorithm.BoundError, []float64{0, nan}, nil, "step 1, node 1: the gradient has length NaN, which no clipping brings to the bound 5"},
		{"NaN, clipping", algorithm.BoundClip, []float64{nan, 0}, nil, "step 1, node 1: the gradient has length NaN, which no clipping brings to the bound 5"},
		{"infinite, clipping", algorithm.BoundClip, []float64{inf, 0}, nil, "step 1, node 1: the gradient has length +Inf, which no clipping brings to the bound 5"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := printedOptions()
			o.Theta, o.Bound, o.Calibration.Level = 5, test.bound, math.Inf(1)
			r, played := spec(o, constant(test.g...), 2), algorithmtest.NewDiary(o.Nodes)
			r.Meter = played
			err := algorithmtest.Lockstep(r)
			if test.want == nil {
				if err == nil || err.Error() != test.err {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				if played.Losses[0] != nil {
					t.Error("node 1 paid for a release it did not make")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for k, x := range played.Decisions[2][1] {
				algorithmtest.CloseTo(t, fmt.Sprintf("entry %d of the gradient", k+1), -6*x, test.want[k], 1e-11)
			}
		})
	}
}

// A refused payment stops the release: nothing is sent.
func TestRefusedSpending(t *testing.T) {
	b := newBench(spec(printedOptions(), constant(0, 0), 3))
	var outbox messages.Outbox
	b.run.Meter = miser{b.Diary}
	stepper := algorithm.NewStepper(b.run, messages.Range(0, 6), 2)
	stepper.Begin(&b.clock)
	_, failure := stepper.Step(b.run.Machines[1], b.run.Graphs.At(0).View(1), nil, &outbox)
	if failure == nil || failure.Error() != "step 1, node 2: budget spent" || !outbox.Empty() {
		t.Errorf("failure %v, outbox %+v", failure, outbox)
	}
}

// Messages say whether they show a decision that depends on data: without noise
// all but x_1 do.
func TestProtected(t *testing.T) {
	for _, test := range []struct {
		epsilon float64
		want    []messages.Exposure
	}{
		{1, []messages.Exposure{messages.Public, messages.Released, messages.Released}},
		{math.Inf(1), []messages.Exposure{messages.Public, messages.Raw, messages.Raw}},
	} {
		o := printedOptions()
		o.Calibration.Level = test.epsilon
		b := newBench(spec(o, constant(1, 0), 3))
		for s, want := range test.want {
			b.turn(t)
			for i, sent := range b.sent {
				if sent.Exposure != want {
					t.Errorf("epsilon %v, step %d, node %d: exposure %v, want %v", test.epsilon, s+1, i+1, sent.Exposure, want)
				}
			}
		}
	}
}

// The negative entropy against its formulas: x_{t+1} is z exp(-alpha_t g) up to
// its sum, z the weighted mean of the q, no entry below the floor, or the
// weighted geometric mean of the q, no entry of which is below the floor (the
// gradient of phi is 1 + log x, so that is the mean of the dual points). The q
// have entries below 0.
func TestEntropyUpdate(t *testing.T) {
	q := [][]float64{{0.7, -0.4, 0.2}, {-3, -0.1, 0.5}, {0.9, 0.3, 1e-9}}
	weights, g := []float64{0.5, 0.25, 0.25}, []float64{2, -1, 0.5}
	const floor = 1e-3
	z := map[dpdonc.Positivity][]float64{
		dpdonc.ClipMean: {floor, floor, 0.225 + 0.25e-9}, // -0.175, -0.15 are raised
		dpdonc.DualAverage: {
			math.Sqrt(0.7) * math.Pow(floor*0.9, 0.25),
			math.Sqrt(floor) * math.Pow(floor*0.3, 0.25),
			math.Sqrt(0.2) * math.Pow(0.5*floor, 0.25),
		},
	}
	for positivity, mean := range z {
		got := solo(t, must(dpdonc.New(entropyOptions(positivity)))[0], constant(g...), [][]messages.Envelope{nil, inboxOf(weights, q...)})[1]
		want, sum := make([]float64, 3), 0.0
		for k := range want {
			want[k] = mean[k] * math.Exp(-g[k]/6) // alpha_1 = 1/6
			sum += want[k]
		}
		for k := range want {
			algorithmtest.CloseTo(t, fmt.Sprintf("%s: entry %d", positivity, k+1), got[k], want[k]/sum, 1e-14)
		}
	}
}

// However strong the noise, decisions stay probability vectors.
func TestEntropyStaysInTheSimplex(t *testing.T) {
	for _, positivity := range []dpdonc.Positivity{dpdonc.ClipMean, dpdonc.DualAverage} {
		o := entropyOptions(positivity)
		o.Calibration.Level = 0.01 // sigma_1 is about 400, the simplex of size 1
		b := newBench(spec(o, constant(4, -4, 0), 40))
		negative := 0
		for range 40 {
			b.turn(t)
			for _, sent := range b.sent {
				if slices.Min(sent.Values) < 0 {
					negative++
				}
			}
		}
		for i, played := range b.Decisions {
			for s, x := range played {
				if v := o.Set.Violation(x); v != 0 {
					t.Errorf("%s: node %d, step %d: %v is outside the simplex by %v", positivity, i+1, s+1, x, v)
				}
			}
		}
		if negative < 100 {
			t.Errorf("%s: %d of 240 messages have a negative entry, too few to show anything", positivity, negative)
		}
	}
}

// saveAndRestore replaces all machines by new ones with their state.
func saveAndRestore(t algorithmtest.Fataler, b *bench, o dpdonc.Options) {
	fresh := must(dpdonc.New(o))
	for i, m := range b.run.Machines {
		state := messages.Write(nil, m)
		if err := messages.Read(state, fresh[i]); err != nil {
			t.Fatalf("node %d: %v", i+1, err)
		}
		clear(state) // must not be kept
	}
	b.run.Machines = fresh
}

// A run that is interrupted anywhere, its machines restored in new ones, goes on
// with the same bits. What is in flight is the runtime's to keep.
func TestRestoredRunGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := optionsFor(t, geometries(rapid.IntRange(1, 3).Draw(t, "d")).Draw(t, "geometry"))
		o.Nodes, o.Theta, o.Bound = 6, 1, algorithm.BoundClip
		o.Calibration.Level = rapid.SampledFrom([]float64{1, 10, math.Inf(1)}).Draw(t, "epsilon")
		steps := rapid.IntRange(1, 8).Draw(t, "steps")
		pull := gradients(func(dst []float64, node messages.NodeID, step int, x []float64) {
			for k := range dst {
				dst[k] = x[k] - math.Sin(float64(step+k)+float64(node))
			}
		})
		straight, interrupted := newBench(spec(o, pull, steps)), newBench(spec(o, pull, steps))
		at := rapid.SliceOfN(rapid.Bool(), steps, steps).Draw(t, "interrupted before the step")
		for s := range steps {
			if at[s] {
				saveAndRestore(t, interrupted, o)
			}
			straight.turn(t)
			interrupted.turn(t)
		}
		if diff := cmp.Diff(straight.Decisions, interrupted.Decisions); diff != "" {
			t.Fatalf("decisions (-straight +interrupted):\n%s", diff)
		}
		for i := range straight.run.Machines {
			want := messages.Write([]byte("before"), straight.run.Machines[i])
			if got := messages.Write([]byte("before"), interrupted.run.Machines[i]); !bytes.Equal(got, want) || !bytes.HasPrefix(got, []byte("before")) {
				t.Fatalf("node %d ends in the state\n%x, want\n%x", i+1, got, want)
			}
		}
	})
}

// The state is t, x_t and the gradient of f_t at x_t, little-endian.
func TestStateLayout(t *testing.T) {
	b := newBench(spec(printedOptions(), constant(1, -2), 2))
	b.turn(t)
	b.turn(t)
	want := binary.LittleEndian.AppendUint32(nil, 2)
	for _, v := range append(slices.Clone(b.Decisions[4][1]), 1, -2) {
		want = binary.LittleEndian.AppendUint64(want, math.Float64bits(v))
	}
	if got := messages.Write(nil, b.run.Machines[4]); !bytes.Equal(got, want) {
		t.Errorf("state\n%x, want\n%x", got, want)
	}
}

func TestNodeRefusesStates(t *testing.T) {
	m := must(dpdonc.New(printedOptions()))[0]
	state := messages.Write(nil, m)
	for want, src := range map[string][]byte{
		"t: malformed state: 4 bytes wanted, 0 left":          nil,
		"gradient: malformed state: 16 bytes wanted, 15 left": state[:len(state)-1],
		"malformed state: 1 bytes too many":                   append(slices.Clone(state), 0),
	} {
		if err := messages.Read(src, m); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A turn allocates nothing once the first vectors exist.
func TestStepDoesNotAllocate(t *testing.T) {
	mahalanobis := printedOptions()
	mahalanobis.Divergence = must(mirror.NewMahalanobis([][]float64{{2, 0.5}, {0.5, 1}}))
	for name, o := range map[string]dpdonc.Options{
		"euclidean": printedOptions(), "mahalanobis": mahalanobis, "gaussian noise": gaussianOptions(0.5),
		"entropy, clip-mean": entropyOptions(dpdonc.ClipMean), "entropy, dual-average": entropyOptions(dpdonc.DualAverage),
	} {
		d := o.Set.Dim()
		r := spec(o, constant(make([]float64, d)...), 1<<20)
		r.Meter = runtimetest.Silent{}
		graph, stepper, clock := r.Graphs.At(1), algorithm.NewStepper(r, messages.Range(0, 6), 2), r.Clock()
		inbox := inboxOf([]float64{0.5, 0.5}, make([]float64, d), make([]float64, d))
		var outbox messages.Outbox
		turn := func() {
			stepper.Begin(&clock)
			outbox.Reset()
			if _, failure := stepper.Step(r.Machines[0], graph.View(0), inbox, &outbox); failure != nil {
				t.Fatal(failure)
			}
			clock.Next()
		}
		turn()
		turn()
		if n := testing.AllocsPerRun(100, turn); n != 0 {
			t.Errorf("%s: %v allocations a turn", name, n)
		}
	}
}
