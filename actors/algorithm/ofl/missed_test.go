package ofl_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/actors/network"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// What a learner sends is linear in the normal numbers that it draws, sent = inputs + V L z,
// and L is measured here on the machine itself: with as many coordinates and seeds as there
// are numbers, which the keys of the streams give, the system has one solution. Then h'(L L')^(-1)h, h
// what a row moves the inputs by, is the square of what the ledger has to cover, whoever was
// down when. Nothing of the factorization's formulas is used but what is held against it.

// missing are the steps in which the learner is down, and its clients.
type missing struct{ learner, client []int }

// network is that of a run of one learner.
func (m missing) network(o ofl.Options) *network.Effects {
	var outages []network.Outage
	turn := 0
	for step := range o.Steps() {
		for node, down := range map[messages.NodeID][]int{1: m.learner, 2: m.client} {
			if slices.Contains(down, step) {
				outages = append(outages, network.Outage{Nodes: []messages.NodeID{node}, Interval: network.Interval{First: turn, End: turn + o.Hops(step)}})
			}
		}
		turn += o.Hops(step)
	}
	return must(network.New(network.Options{Nodes: o.Participants(), Local: ofl.Local(o.Learners), Patience: 2 * o.Tau, Outages: outages}))
}

// sentIn is what the learner sends in a network, a row a vector.
func sentIn(t algorithmtest.Fataler, o ofl.Options, in *network.Effects, seed uint64) (rows [][]float64) {
	t.Helper()
	run := newRun(o, newDiary())
	run.Network, run.Seed = in, seed
	watch(t, run, ofl.Learner(0), func(w *lockstep.Watched) {
		if w.Outbox.HasSingles() {
			rows = append(rows, slices.Clone(w.Outbox.Singles(0)[0].Payload.(*messages.Vector).Values))
		}
	})
	return rows
}

// coordinates is how many a run of the machine has: streams draw as many numbers at once.
const coordinates = 32

// numbers are the normal numbers that the learner could draw in its turns under so many
// seeds, so many each of a turn: a row for each turn and number, a column for each seed and
// coordinate.
func numbers(o ofl.Options, each, seeds int) *mat.Dense {
	z, row := mat.NewDense(o.Steps()*each, seeds*coordinates, nil), make([]float64, coordinates)
	for seed := range seeds {
		key := rng.NewKey(uint64(seed), o.NoisePurpose)
		for step := range o.Steps() {
			r := new(rng.Stream).Open(key, int(ofl.Learner(0)), step, 1)
			for k := range each {
				r.FillNormal(row)
				copy(z.RawRowView(step*each + k)[seed*coordinates:], row)
			}
		}
	}
	return z
}

// drawnBy counts the normal numbers of a stream, for a coordinate.
func drawnBy(f *factorization.Factorization) int {
	stream, source, row := must(f.Stream(1)), &impulse{one: -1}, make([]float64, 1)
	for range f.N() {
		if err := stream.Next(row, source); err != nil {
			panic(err)
		}
	}
	return source.drawn
}

// missedOptions are a run of one learner whose gradients are its data, clipped to 1.
func missedOptions(version ofl.Version, tau, steps, d int) ofl.Options {
	return ofl.Options{
		Version: version, Learners: 1, Rounds: steps / tau, Tau: tau, LocalStep: 0.3, GlobalStep: 0.7, Start: make([]float64, d),
		GradientBound: 1, Bound: ofl.BoundClip, NoisePurpose: noisePurpose, Model: given(d), Effects: true, Late: algorithm.LateDrop,
		Data: data{d, func(dst []float64, _, _ int) { clear(dst) }},
	}
}

// met has the row of some inputs have gradients of length 1 to a side. In version 1 a datum
// moves the whole round.
func met(o ofl.Options, inputs []int, side float64) ofl.Options {
	o.Data = data{o.Model.Dim(), func(dst []float64, _, step int) {
		clear(dst)
		if o.Version == ofl.PerRound {
			step /= o.Tau
		}
		if slices.Contains(inputs, step) {
			dst[0] = side
		}
	}}
	return o
}

// A row that is met again, by a learner that is down in some steps or is not visited, moves
// what is sent by no more than the schedule allows. Kinds whose inputs were taken in the order
// in which they came would bring the inputs of a row together: at 16 steps, four rows, and a
// learner that is down in three of four steps, the sensitivity is 2 for 1.
func TestMissedStepsKeepRowsApart(t *testing.T) {
	const steps, apart, seed = 12, 4, 1
	r := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range factorization.Kinds() {
		for _, test := range []struct {
			version ofl.Version
			tau     int
		}{{ofl.PerStep, 1}, {ofl.PerStep, 3}, {ofl.PerRound, 1}, {ofl.PerRound, 2}} {
			name := fmt.Sprintf("%s, version %d, tau %d", kind, test.version, test.tau)
			o := missedOptions(test.version, test.tau, steps, 1)
			p := factorization.Participation{Times: steps, Apart: apart, Even: true}
			if test.version == ofl.PerRound {
				p = p.Rounds(test.tau)
			}
			p = p.Within(o.Inputs())
			withNoise(kind)(&o)
			each := drawnBy(o.Noise.Factorization())
			full := missedOptions(test.version, test.tau, steps, coordinates)
			o.Noise = resized(o.Noise, 1, 2*must(o.Noise.Factorization().SensitivityOf(p)))
			full.Noise = o.Noise
			seeds := steps*each/coordinates + 2
			z := numbers(full, each, seeds)
			var factor mat.QR
			factor.Factorize(z.T())
			worst := 0.0
			for pattern := range 8 {
				away := missing{}
				for step := range steps {
					switch {
					case pattern < apart && step%apart != pattern, pattern >= apart && r.IntN(2) == 0: // one row alone is met
						away.learner = append(away.learner, step)
					case pattern >= apart && r.IntN(4) == 0:
						away.client = append(away.client, step)
					}
				}
				in := away.network(o)
				response := responseOf(t, name, full, in, seeds, z, &factor)
				for first := range p.Apart {
					var inputs []int
					for input := first; input < o.Inputs(); input += p.Apart {
						inputs = append(inputs, input)
					}
					worst = max(worst, movedBy(t, o, in, response, inputs))
				}
			}
			if !(worst <= o.Noise.Sensitivity()*(1+1e-9)) {
				t.Errorf("%s: a row moves what is sent by %v, of a sensitivity of %v", name, worst, o.Noise.Sensitivity())
			}
			if test.tau == 1 && worst < o.Noise.Sensitivity()/2 {
				t.Errorf("%s: a row moves what is sent by %v, of a sensitivity of %v: the test has little to tell", name, worst, o.Noise.Sensitivity())
			}
		}
	}
}

// responseOf is L L', with L the coefficients of what is sent in a network without data, by
// the numbers and their factorization; nil where nothing is sent.
func responseOf(t *testing.T, name string, o ofl.Options, in *network.Effects, seeds int, numbers *mat.Dense, by *mat.QR) *mat.SymDense {
	t.Helper()
	var noise *mat.Dense // a column a vector
	for seed := range seeds {
		rows := sentIn(t, o, in, uint64(seed))
		if len(rows) == 0 {
			return nil
		}
		if noise == nil {
			noise = mat.NewDense(seeds*coordinates, len(rows), nil)
		}
		for k, row := range rows {
			for c, v := range row {
				noise.Set(seed*coordinates+c, k, v)
			}
		}
	}
	var coefficients, off mat.Dense
	if err := by.SolveTo(&coefficients, false, noise); err != nil {
		t.Fatal(err)
	}
	off.Mul(numbers.T(), &coefficients)
	off.Sub(&off, noise)
	if left := mat.Max(&off); left > 1e-9 { // there are more equations than numbers
		t.Fatalf("%s: what is sent is off by %v from its numbers", name, left)
	}
	var covariance mat.SymDense
	covariance.SymOuterK(1, coefficients.T())
	return &covariance
}

// movedBy is how far the row of some inputs moves what is sent, in standard deviations of
// unit noise.
func movedBy(t *testing.T, o ofl.Options, in *network.Effects, covariance *mat.SymDense, inputs []int) float64 {
	t.Helper()
	if covariance == nil {
		return 0
	}
	o.Noise = noise.Released{}
	first, second := sentIn(t, met(o, inputs, 1), in, 1), sentIn(t, met(o, inputs, -1), in, 1)
	var h [][]float64
	for k := range first {
		h = append(h, minus(first[k], second[k]))
	}
	return separation(t, covariance, h)
}
