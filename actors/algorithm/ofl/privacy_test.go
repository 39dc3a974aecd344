package ofl_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/mechanisms/factorization"
	"starling/messages"
)

// What a learner releases is its mechanism's inputs plus the increments of its
// noise, D = inputs + K^(1/2) normal, K the covariance of the increments that
// its stream draws. By how much one datum moves the law of that is the test of
// everything between the gradient and the ledger: two Gaussians with means h
// apart have the zCDP loss rho = h'K^(-1)h/(2 V^2), which is ||C h||^2/(2 V^2),
// as K^(-1) = C'C for square C.

// impulse has normal numbers that are all 0 but for one, which is 1.
type impulse struct{ drawn, one int }

func (p *impulse) FillNormal(dst []float64) {
	for k := range dst {
		dst[k] = 0
		if p.drawn == p.one {
			dst[k] = 1
		}
		p.drawn++
	}
}

// covariance returns K, for unit noise: the increments are a linear function of
// the normal numbers that the stream draws.
func covariance(t algorithmtest.Fataler, f *factorization.Factorization) *mat.SymDense {
	t.Helper()
	draw := func(one int) (increments []float64, drawn int) {
		stream, source, row := must(f.Stream(1)), &impulse{one: one}, make([]float64, 1)
		for range f.N() {
			if err := stream.Next(row, source); err != nil {
				t.Fatalf("%v", err)
			}
			increments = append(increments, row[0])
		}
		return increments, source.drawn
	}
	_, drawn := draw(-1)
	responses := mat.NewDense(f.N(), drawn, nil)
	for k := range drawn {
		increments, _ := draw(k)
		responses.SetCol(k, increments)
	}
	var k mat.SymDense
	k.SymOuterK(1, responses)
	return &k
}

// separation is sqrt(sum over coordinates of h'K^(-1)h), h by input.
func separation(t algorithmtest.Fataler, k *mat.SymDense, h [][]float64) float64 {
	t.Helper()
	var factor mat.Cholesky
	if !factor.Factorize(k) {
		t.Fatalf("the covariance of the increments is not positive definite")
	}
	sum := 0.0
	for c := range h[0] {
		column, solved := mat.NewVecDense(len(h), nil), mat.NewVecDense(len(h), nil)
		for input := range h {
			column.SetVec(input, h[input][c])
		}
		if err := factor.SolveVecTo(solved, column); err != nil {
			t.Fatalf("%v", err)
		}
		sum += mat.Dot(column, solved)
	}
	return math.Sqrt(sum)
}

// released steps the machine of learner 0 alone and returns what it releases,
// by input: ghat_i^{r,t} in version 2, ghat_i^r in version 1. The server says
// models[r] at the beginning of round r, whatever was sent: the comparison of
// two data sets is for the same view of the world.
func released(t algorithmtest.Fataler, o ofl.Options, models [][]float64) (inputs [][]float64) {
	t.Helper()
	run := newRun(o, newDiary())
	stepper, view, machine := algorithm.NewStepper(run, messages.Range(0, o.Participants()), 2), run.Graphs.At(0).View(1), run.Machines[1]
	datum := make([]float64, o.Data.Width())
	for clock := run.Clock(); !clock.Done(); clock.Next() {
		if clock.Hop == 2 {
			continue
		}
		o.Data.Datum(datum, 0, clock.Offset+1)
		inbox := []messages.Envelope{{From: messages.NodeID(1 + o.Learners), Payload: &messages.Vector{Values: datum}}}
		if clock.Hop == 0 {
			inbox = []messages.Envelope{{From: 0, Payload: &messages.Vector{Values: models[clock.Offset/o.Tau]}}}
			if clock.Offset%o.Tau != 0 {
				inbox = nil
			}
		}
		before := algorithmtest.Quantity(machine, "z")
		var outbox messages.Outbox
		stepper.Begin(&clock)
		if _, failure := stepper.Step(machine, view, inbox, &outbox); failure != nil {
			t.Fatalf("%v\n%s", failure, failure.Stack)
		}
		switch {
		case clock.Hop == 1 && o.Version == ofl.PerStep:
			inputs = append(inputs, combination(1/o.LocalStep, before, -1/o.LocalStep, algorithmtest.Quantity(machine, "z")))
		case outbox.HasSingles():
			inputs = append(inputs, slices.Clone(outbox.Singles(0)[0].Payload.(*messages.Vector).Values))
		}
	}
	return inputs
}

// neighbours are what the learner releases from data, and from data with
// another datum in a step, on the same noise.
func neighbours(t algorithmtest.Fataler, o ofl.Options, models, rows [][]float64, at int, other []float64) (h [][]float64) {
	t.Helper()
	o.Learners, o.Data = 1, table(rows)
	first := released(t, o, models)
	rows = append([][]float64(nil), rows...)
	rows[at] = other
	o.Data = table(rows)
	for input, v := range released(t, o, models) {
		h = append(h, minus(v, first[input]))
	}
	return h
}

func drawVectors(t *rapid.T, count, d int, size float64, label string) [][]float64 {
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(-size, size), d, d), count, count).Draw(t, label)
}

// rounding is what the differences of two releases may be off by.
const rounding = 1e-9

// Version 2: with the other gradients given, one datum moves one input, by at
// most 2 B_g, and C G by at most Delta = 2 B_g max ||c||. That Delta^2/(2 V_i^2) is
// paid for is with the ledger.
func TestSensitivityOfVersion2(t *testing.T) {
	for _, kind := range factorization.Kinds() {
		o := sensitivityOptions(kind, ofl.PerStep)
		k := covariance(t, o.Noise.Factorization())
		t.Run(string(kind), rapid.MakeCheck(func(t *rapid.T) {
			rows := drawVectors(t, o.Steps(), 2, 2, "data") // gradients up to 2 sqrt(2), B_g = 0.4
			at := rapid.IntRange(0, o.Steps()-1).Draw(t, "changed")
			h := neighbours(t, o, drawVectors(t, o.Rounds, 2, 3, "models"), rows, at, drawVectors(t, 1, 2, 2, "other")[0])
			for input, v := range h {
				if length := norm(v); input != at && length > rounding || length > 2*o.GradientBound+rounding {
					t.Fatalf("the datum of step %d moves input %d by %v", at, input, length)
				}
			}
			moved := separation(t, k, h)
			if moved > o.Noise.Sensitivity()+rounding {
				t.Fatalf("the datum of step %d moves C G by %v, more than Delta = %v", at, moved, o.Noise.Sensitivity())
			}
		}))
	}
}

// sensitivityOptions are a run of three rounds whose gradients are the data.
func sensitivityOptions(kind factorization.Kind, version ofl.Version) ofl.Options {
	return described(kind, func(o *ofl.Options) {
		o.Version, o.Learners, o.Rounds, o.Tau = version, 1, 3, 3
		if version == ofl.PerRound {
			o.Rounds = 5
		}
		o.Model, o.Start, o.Data = given(2), make([]float64, 2), data{width: 2}
	})
}

// Delta is attained, so less noise would not do: opposite gradients of length
// B_g in the step whose column of C is the longest.
func TestSensitivityIsTight(t *testing.T) {
	for _, kind := range factorization.Kinds() {
		o := sensitivityOptions(kind, ofl.PerStep)
		k := covariance(t, o.Noise.Factorization())
		rows, models := make([][]float64, o.Steps()), make([][]float64, o.Rounds)
		for r := range models {
			models[r] = make([]float64, 2)
		}
		most := 0.0
		for at := range rows {
			for i := range rows {
				rows[i] = []float64{0.1, 0}
			}
			rows[at] = []float64{0, o.GradientBound}
			most = max(most, separation(t, k, neighbours(t, o, models, rows, at, []float64{0, -o.GradientBound})))
		}
		ratio := most / o.Noise.Sensitivity()
		if ratio > 1+rounding || ratio < 1-1e-8 {
			t.Errorf("%s: a datum moves C G by %v of Delta", kind, ratio)
		}
	}
}

// Version 1: a datum moves the gradients of all later steps of its round, but
// the average of its round by at most 2 B_g, and no other.
func TestSensitivityOfVersion1(t *testing.T) {
	for _, kind := range factorization.Kinds() {
		o := sensitivityOptions(kind, ofl.PerRound)
		k := covariance(t, o.Noise.Factorization())
		o.Model = model{2, func(dst, x, datum []float64) {
			for c := range dst { // neither convex nor smooth for long
				dst[c] = math.Sin(20*x[c]+datum[c]) + datum[c]/8
			}
		}}
		t.Run(string(kind), rapid.MakeCheck(func(t *rapid.T) {
			rows := drawVectors(t, o.Steps(), 2, 9, "data")
			at := rapid.IntRange(0, o.Steps()-1).Draw(t, "changed")
			h := neighbours(t, o, drawVectors(t, o.Rounds, 2, 3, "models"), rows, at, drawVectors(t, 1, 2, 9, "other")[0])
			for input, v := range h {
				if length := norm(v); input != at/o.Tau && length > rounding || length > 2*o.GradientBound+rounding {
					t.Fatalf("the datum of step %d moves the average of round %d by %v", at, input, length)
				}
			}
			if moved := separation(t, k, h); moved > o.Noise.Sensitivity()+rounding {
				t.Fatalf("the datum of step %d moves C G by %v, more than Delta = %v", at, moved, o.Noise.Sensitivity())
			}
		}))
	}
}

// 2 B_g is attained in version 1 without convexity, so 2 B_g/tau is not enough:
// the loss -B_g |x + a| drives the model away from -a, and the first datum of a
// round decides to which side.
func TestVersion1NeedsTheWholeBound(t *testing.T) {
	o := sensitivityOptions(factorization.Independent, ofl.PerRound)
	o.Start, o.Model = []float64{0}, model{1, func(dst, x, datum []float64) { dst[0] = -math.Copysign(o.GradientBound, x[0]+datum[0]) }}
	rows, models := make([][]float64, o.Steps()), make([][]float64, o.Rounds)
	for i := range rows {
		rows[i] = []float64{0}
	}
	for r := range models {
		models[r] = []float64{0}
	}
	const round = 2
	rows[round*o.Tau] = []float64{1}
	h := neighbours(t, o, models, rows, round*o.Tau, []float64{-1})
	for input, v := range h {
		want := 0.0
		if input == round {
			want = 2 * o.GradientBound
		}
		if math.Abs(norm(v)-want) > 1e-12 {
			t.Errorf("the average of round %d moves by %v, want %v", input, norm(v), want)
		}
	}
	rows[round*o.Tau] = []float64{0}
	last := round*o.Tau + o.Tau - 1
	rows[last] = []float64{9} // the last datum of a round moves its own gradient only
	if got, want := norm(neighbours(t, o, models, rows, last, []float64{-9})[round]), 2*o.GradientBound/float64(o.Tau); math.Abs(got-want) > 1e-12 {
		t.Errorf("the last datum of a round moves its average by %v, want 2 B_g/tau = %v", got, want)
	}
}

// For convex losses of x a with eta <= 2/L the local steps bring two models no
// further apart, also where gradients are clipped, so 2 B_g/tau is enough in
// version 1: the least that Validate takes. Here L = ||a||^2/4 <= 2.
func TestConvexSensitivityOfVersion1(t *testing.T) {
	o := sensitivityOptions(factorization.Independent, ofl.PerRound)
	o.Model, o.LocalStep, o.Tau = logistic(2), 1, 4
	rapid.Check(t, func(t *rapid.T) {
		rows := drawVectors(t, o.Steps()+1, 3, 2, "data")
		for _, row := range rows {
			row[2] = math.Copysign(1, row[2])
		}
		at := rapid.IntRange(0, o.Steps()-1).Draw(t, "changed")
		h := neighbours(t, o, drawVectors(t, o.Rounds, 2, 3, "models"), rows[:o.Steps()], at, rows[o.Steps()])
		if moved := norm(h[at/o.Tau]); moved > 2*o.GradientBound/float64(o.Tau)+rounding {
			t.Fatalf("the datum of step %d moves the average of its round by %v", at, moved)
		}
	})
}

// Two learners' draws have nothing in common, and neither do two runs' with
// another seed.
func TestNoiseIsTheLearnersOwn(t *testing.T) {
	o := described(factorization.Toeplitz)
	seen := map[string]string{}
	for _, seed := range []uint64{7, 8} {
		p := newPaper(o, seed)
		for i := range o.Learners {
			for k := range o.Inputs() {
				who := fmt.Sprintf("seed %d, learner %d, input %d", seed, i+1, k)
				key := fmt.Sprint(minus(p.noise(i, k), p.noise(i, k-1)))
				if other, ok := seen[key]; ok {
					t.Errorf("%s and %s draw the same noise", who, other)
				}
				seen[key] = who
			}
		}
	}
}
