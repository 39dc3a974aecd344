package ofl_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	family "starling/scenarios/family/ofl"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/problem/stream"
)

// recording is a meter that keeps what it is told, too.
type recording struct {
	*ledger.Ledger
	history *history
}

func (r *recording) last(node messages.NodeID) *move {
	moves := r.history.moves[node-1]
	return &moves[len(moves)-1]
}

func (r *recording) Played(node messages.NodeID, step int, x []float64) {
	if node == 0 {
		r.history.left = slices.Clone(x)
		r.Ledger.Played(node, step, x)
		return
	}
	r.history.moves[node-1] = append(r.history.moves[node-1], move{x: slices.Clone(x), noise: -1})
	r.Ledger.Played(node, step, x)
}

func (r *recording) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	if quantity == ofl.Clipped {
		r.last(node).clipped = value == 1
	} else {
		r.last(node).noise = value
	}
	r.Ledger.Recorded(node, step, quantity, value)
}

func (r *recording) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	r.last(node).spent = append(r.last(node).spent, loss)
	return r.Ledger.Spent(node, step, loss)
}

// runOFL measures a run of n = 4 learners with noise by the tree. Gradients are
// clipped at B_g = 0.4, which the logistic loss exceeds until it has learned.
func runOFL(t *testing.T, version ofl.Version) (*history, *rows) {
	t.Helper()
	shape := stream.Shape{Learners: 4, Rounds: 6, Tau: 3}
	p := must(stream.NewSyntheticLogistic(stream.SyntheticOptions{Dimension: dim, Alpha: 1, Beta: 1, Normalise: true, TestSamples: 4}, shape.Learners))
	in := p.Draw(7)
	o := ofl.Options{
		Version: version, Learners: shape.Learners, Rounds: shape.Rounds, Tau: shape.Tau, LocalStep: 0.5, GlobalStep: 1,
		Start: make([]float64, dim), GradientBound: 0.4, Bound: ofl.BoundClip,
		NoisePurpose: rng.PurposeOf("federated.test"), Model: p.Model(), Data: in,
	}
	f := must(factorization.New(factorization.Options{Kind: factorization.Tree, N: o.Inputs()}))
	sensitivity := 2 * o.GradientBound * f.Sensitivity()
	o.Noise = noise.OnPrefixes(sensitivity/math.Sqrt(2*must(accountant.RhoOf(2, 1e-3))), sensitivity, f)
	h := &history{options: options{
		GaugeOptions: family.GaugeOptions{Shape: shape, Model: p.Model(), Instance: in, Comparator: stream.NewComparator(p.Model(), in, shape)},
		points:       []int{0, 4, 8, 13, 17},
	}, moves: make([][]move, shape.Learners)}
	m := &recording{paying(h.options), h}
	run := &algorithm.Run{
		Seed: 7, Steps: shape.Steps(), Graphs: must(ofl.Graph(shape.Learners)), Machines: must(ofl.New(o)), Meter: m, Hops: o.Hops, Acts: o.Acts,
	}
	if err := lockstep.Run(context.Background(), run); err != nil {
		t.Fatal(err)
	}
	return h, finish(m.Ledger)
}

// The metrics of real runs, recomputed from what the machines did. A step has a
// message of each client, and at the end of a round n to the server and n from
// it; a datum takes 5 + 8 (d + 1) bytes and a vector of the model 5 + 8 d. What
// the noise was calibrated to by the paper's rho is an upper bound on what it
// costs, and in version 1 there is none before the first round ends.
func TestMetricsOfRuns(t *testing.T) {
	for _, version := range []ofl.Version{ofl.PerStep, ofl.PerRound} {
		h, got := runOFL(t, version)
		clipped := 0.0
		for key, value := range got.values {
			want := h.at(key.metric, key.step)
			datum, model := float64(4*(key.step+1)), float64(2*4*((key.step+1)/3))
			switch key.metric {
			case gauge.MessagesSent:
				want = datum + model
			case gauge.BytesSent:
				want = (5+8*(dim+1))*datum + (5+8*dim)*model
			case gauge.ClipShare:
				clipped = max(clipped, value)
			case ledger.EpsilonTotal:
				if paid := version == ofl.PerStep || key.step >= 2; paid != (value > 1) || value > 2 {
					t.Errorf("version %d: epsilon %v at step %d", version, value, key.step)
				}
			}
			if !(math.Abs(value-want) <= 1e-9*max(1, math.Abs(want))) {
				t.Errorf("version %d: %s %v at step %d, want %v", version, key.metric, value, key.step, want)
			}
		}
		if clipped == 0 || len(got.values) != 6+5*9+2 {
			t.Errorf("version %d: %v clipped, %d values", version, clipped, len(got.values))
		}
	}
}
