package dpdonc

import (
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/algorithm/mirror"
	"starling/actors/option"
	"starling/mechanisms/noise"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/mechanisms/robust"
)

// The schedules by which a release takes its noise. As printed, sigma_t follows alpha_t,
// as in Algorithm 1, and x_1 is perturbed. Lemma 1 bounds the change of x_{t+1} by
// alpha_t, so that release t really costs eps alpha_{t-1}/alpha_t, and release 1, of a
// public point, nothing. Shifted, sigma_t follows alpha_{t-1}, for which the claim of eps
// a step is exact, and x_1 stays as it is.
const (
	AsPrinted = noise.AsPrinted
	Shifted   = noise.Shifted
)

// Positivity is the way in which z_t is made positive for the negative entropy. Its gradient
// needs positive entries; noise can make them negative.
type Positivity string

const (
	// ClipMean raises the entries of z_t to the floor.
	ClipMean Positivity = "clip-mean"
	// DualAverage raises the entries of each q to the floor and averages their
	// logarithms: the average of the dual points.
	DualAverage Positivity = "dual-average"
)

// StepSize is alpha_t = Scale/(N sqrt t), the paper's with Scale = 1. With
// Unscaled it is Scale/sqrt t, for studies in which N grows.
type StepSize struct {
	Scale    float64
	Unscaled bool
}

// At returns alpha_t for N nodes.
func (s StepSize) At(t, nodes int) float64 {
	alpha := s.Scale / math.Sqrt(float64(t))
	if !s.Unscaled {
		alpha /= float64(nodes)
	}
	return alpha
}

// Options are the parameters of a run, the same for all nodes. There are no defaults: Validate
// names missing options.
type Options struct {
	Nodes      int               // N
	Divergence mirror.Divergence // D_phi; gives omega
	Set        mirror.Set        // Omega, of dimension d
	Step       StepSize          // alpha_t
	// Calibration fits noise to the amount by which data move a release. The paper's is
	// Laplace noise, with eps a step as its level.
	Calibration noise.Calibration
	// Vary, unless nil, returns the calibration of a node's release of a step, given
	// Calibration, where nodes or steps have noise of their own.
	Vary  func(c noise.Calibration, node, t int) noise.Calibration
	Theta float64 // bound on the 2-norm of every gradient
	Bound algorithm.OnBound
	Noise noise.Schedule
	Start []float64 // x_1, len d, in Omega; public, the same for all nodes
	// Positivity and Floor, in (0, 1), serve the negative entropy only.
	Positivity Positivity
	Floor      float64
	// Consensus is the way to make z_t; its zero value averages.
	Consensus Consensus
	// AverageRows demands that the weights of the messages that a node hears sum to 1 in every
	// step, as the rows of doubly stochastic matrices do. A breach fails the run.
	AverageRows bool
	// Missing and Late serve networks with effects only. Algorithm 1 by the letter drops
	// missing messages.
	Missing inbox.Missing
	Late    algorithm.Late
	// KeepsOwn is inbox.Rule's.
	KeepsOwn bool
	// Accumulates is inbox.Rule's. A mirror step of the Euclidean divergence, the projection of
	// z_t - alpha_t g_t, brings no two z_t further apart in 2-norm, and averaging with a weight
	// of at most 1 none either. So x_t moves, after steps without a release, by at most the sum
	// of the moves of the steps, to which the noise is then fit. Other divergences have no such
	// norm.
	Accumulates bool
	// Combine is inbox.Rule's. The proof of (8) is for any z_t that follows from releases.
	Combine robust.Rule
	// Moves has every node record mirror.QuantityMove in each step after its first: the
	// distance ||x_{t+1} - z_t|| that the mirror step of step t covers, as a multiple of
	// alpha_t theta/omega. Inequality (11) of the paper says that it is at most 1, which
	// is true of z_t in Omega; noise can put z_t outside.
	Moves bool
	// NoisePurpose keys the noise streams: one per node and step.
	NoisePurpose rng.Purpose
}

// Validate returns all errors in the options, joined: each an [option.Error]
// named as scenarios do. A pair of divergence and set without a solver is mirror's error
// alone, as the other options cannot be judged without the pair.
func (o *Options) Validate() error {
	switch {
	case o.Divergence == nil:
		return option.Errorf("divergence", "no divergence")
	case o.Set == nil:
		return option.Errorf("set", "no set")
	}
	if _, err := mirror.NewSolver(o.Divergence, o.Set); err != nil {
		return err
	}
	var found option.Faults
	check := found.Check
	check(o.Nodes > 0, "nodes", "%d nodes; at least 1 is needed", o.Nodes)
	check(o.Step.Scale > 0 && !math.IsInf(o.Step.Scale, 1), "step.scale", "step size scale %v is not a finite number > 0", o.Step.Scale)
	found.At("epsilon", o.Calibration.Validate())
	algorithm.Bound{Theta: o.Theta, On: o.Bound}.Check(&found)
	check(o.Noise == AsPrinted || o.Noise == Shifted, "noise", "unknown noise schedule %q; known: as-printed, shifted", o.Noise)
	check(o.Consensus == "" || o.Consensus == ConsensusAverage || o.Consensus == ConsensusPushSum,
		"consensus", "unknown consensus %q; known: average, push-sum", o.Consensus)
	o.Rule().Check(&found)
	check(!o.Accumulates || o.Divergence.Kind() == mirror.KindEuclidean, "divergence", "moves of several steps add up only for the Euclidean divergence")
	found.Check(o.Late.Known(), "late", "unknown rule for late messages %q; known: use, drop", o.Late)
	found.Add(o.validateStart())
	if o.Divergence.Kind() == mirror.KindEntropy {
		check(o.Positivity == ClipMean || o.Positivity == DualAverage, "positivity", "unknown positivity %q; known: clip-mean, dual-average", o.Positivity)
		check(o.Floor > 0 && o.Floor < 1, "floor", "floor %v is not in (0, 1)", o.Floor)
	}
	return found.Err()
}

func (o *Options) validateStart() error {
	if err := mirror.CheckStart(o.Set, o.Start); err != nil {
		return err
	}
	if o.Divergence.Kind() == mirror.KindEntropy {
		for k, v := range o.Start {
			if v <= 0 {
				return option.Errorf("start", "start entry %d is %v; the negative entropy needs positive entries", k+1, v)
			}
		}
	}
	return nil
}

// moves is how far the node's cost at t moves x_{t+1}, given all that was released
// before: Delta(t) = 2 sqrt(d) alpha_t theta/omega in 1-norm at most, which is Lemma 1,
// (8), and 2 alpha_t theta/omega in 2-norm, from which the lemma derives that.
func (o *Options) moves(t int) noise.Moves {
	d, alpha, omega := float64(o.Set.Dim()), o.Step.At(t, o.Nodes), o.Divergence.StrongConvexity()
	return noise.Moves{L1: 2 * math.Sqrt(d) * alpha * o.Theta / omega, L2: 2 * alpha * o.Theta / omega, Entries: o.Set.Dim()}
}

// Release describes the release of q_t: the mechanism and by how much data really move its
// argument x_t, given all that was released before. Nothing moves x_1, which is public.
func (o *Options) Release(t int) (mechanism noise.Additive, moves noise.Moves) {
	return o.ReleaseOf(0, t)
}

// ReleaseOf is Release of a node, from 0.
func (o *Options) ReleaseOf(node, t int) (mechanism noise.Additive, moves noise.Moves) {
	if t > 1 {
		moves = o.moves(t - 1)
	}
	if o.Noise == Shifted {
		return o.calibration(node, t).Fit(moves), moves
	}
	return o.calibration(node, t).Fit(o.moves(t)), moves
}

// calibration returns the calibration of a node's release of a step.
func (o *Options) calibration(node, t int) noise.Calibration {
	if o.Vary == nil {
		return o.Calibration
	}
	return o.Vary(o.Calibration, node, t)
}

// ReleaseStart is Release for a node that begins at step t, because it joins late or lost its
// state: it releases x_1, which is public.
func (o *Options) ReleaseStart(t int) noise.Additive { return o.ReleaseStartOf(0, t) }

// ReleaseStartOf is ReleaseStart of a node, from 0.
func (o *Options) ReleaseStartOf(node, t int) noise.Additive {
	if o.Noise == Shifted {
		return noise.Additive{}
	}
	mechanism, _ := o.ReleaseOf(node, t)
	return mechanism
}

// Rule returns the rule that makes z_t from the messages that arrive. x_1 released without
// noise stands for a release that was never heard; under push-sum its mass 1 goes with it.
func (o *Options) Rule() *inbox.Rule {
	r := inbox.Rule{Missing: o.Missing, Late: o.Late == algorithm.LateUse, Combine: o.Combine, Accumulates: o.Accumulates, KeepsOwn: o.KeepsOwn, Rows: o.AverageRows, Start: o.Start, PushSum: o.Consensus == ConsensusPushSum}
	if r.PushSum {
		r.Start = append(slices.Clone(o.Start), 1)
	}
	if o.Divergence != nil && o.Divergence.Kind() == mirror.KindEntropy && o.Positivity == DualAverage {
		floor := o.Floor
		r.Map, r.Inverse = func(entry float64) float64 { return portable.Log(max(entry, floor)) }, portable.Exp
	}
	return &r
}
