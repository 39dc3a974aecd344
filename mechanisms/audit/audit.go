// Package audit puts empirical lower bounds beside accounted privacy losses.
//
// An audit draws outcomes of a release on two neighbouring inputs and looks for an event that
// tells the inputs apart better than the accounted loss allows. The bound that it returns
// holds with the stated confidence, for any mechanism. A lower bound above the accounted loss
// refutes the account, or the code that adds the noise. A lower bound below the accounted loss
// proves nothing.
//
//	first input  -> release -> statistic -> a --+-- first part: choose an event    (choose)
//	neighbour    -> release -> statistic -> b --+-- the rest: bound its two chances (LowerLimit, UpperLimit)
//	                                                          |
//	                                                          v
//	                     Measure(p, q): the least parameter that allows these chances
//
// # The audits
//
//	LowerBound, Judge    many releases of one record, the classic audit
//	Pick                 the best of several statistics of an outcome
//	OneRun, OneRunMu     one release of many records, each in by a fair coin
//	Residuals            is the noise of a run as independent as it is stated to be?
//	Canaries             every mechanism of this module, with inputs that attain its loss
//
// # Limits of the package
//
// The package draws the releases that it is given, and knows no algorithm. Package
// scenarios/auditing turns whole runs into outcomes. A Canary audits a mechanism of this
// module alone, with no run around it.
package audit

import (
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/accountant"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// Bound is a lower bound on a privacy parameter, with the event that showed it.
type Bound struct {
	// Value is the bound, in the unit of the Measure. It is never below 0. A bound of 0 shows
	// nothing.
	Value float64
	// Samples is the number of outcomes of each input that the audit had, those that chose the
	// event included.
	Samples int
	// The event: outcomes of at least Threshold, counted under the second
	// input against the first; or, where Below is set, of at most Threshold,
	// the first against the second.
	Threshold float64
	Below     bool
}

// Pilot returns the number of outcomes of each input, the first ones, that choose the event of
// a bound. It is at most half of all samples, at least 1, and grows no faster than their
// number does. The other outcomes estimate the event's probabilities.
type Pilot func(samples int) int

// HalfPilot gives choice and test of the event the same share: for a statistic that takes many
// values the threshold of a rare event is hard to choose.
func HalfPilot(samples int) int { return samples / 2 }

// fewPilot is the number of outcomes that tell a few classes apart.
const fewPilot = 4096

// ClassPilot is for outcomes that are one of a few classes, where some thousands suffice to
// choose the event: the others, up to fifteen sixteenths, show how rare it is.
func ClassPilot(samples int) int { return max(min(samples/2, fewPilot), samples/16) }

// LowerBound bounds the privacy parameter that separates two inputs from below,
// with the given confidence: the chance that the bound exceeds the parameter is
// at most 1 - confidence. a and b, equally many, are independent outcomes under
// the inputs, as a statistic that is large where the second is more likely; the
// best is the likelihood ratio or anything that grows with it. They are read
// only.
//
// The first outcomes, so many as pilot says, choose the event, by the bound itself; the others
// bound its two probabilities by Clopper and Pearson (1934), each at half of the error. Given
// the event, which is independent of these, p >= its lower limit and q <= its upper limit hold
// together with the confidence, by the union bound; a Measure grows with p and falls with q,
// so its value at the limits is then at most its value at (p, q), and the parameter is at
// least that. As this holds given any event, it holds.
func LowerBound(a, b []float64, pilot Pilot, m Measure, confidence float64) (Bound, error) {
	if err := checkSamples(len(a), len(b), confidence); err != nil {
		return Bound{}, err
	}
	for _, x := range [][]float64{a, b} {
		for i, v := range x {
			if math.IsNaN(v) {
				return Bound{}, fmt.Errorf("audit: outcome %d is not a number", i+1)
			}
		}
	}
	// The split must not depend on the outcomes: pilot sees their number alone.
	first := pilot(len(a))
	chosen := choose(sorted(a[:first]), sorted(b[:first]), m, limitsOf(first, confidence))
	bound := chosen.bound(sorted(a[first:]), sorted(b[first:]), m, limitsOf(len(a)-first, confidence))
	return Bound{max(0, bound), len(a), chosen.threshold, chosen.below}, nil
}

func checkSamples(a, b int, confidence float64) error {
	if a != b || a < 4 {
		return fmt.Errorf("audit: %d and %d outcomes; want equally many, at least 4", a, b)
	}
	return checkConfidence(confidence)
}

func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return fmt.Errorf("audit: confidence %v is not in (0, 1)", confidence)
	}
	return nil
}

// sorted returns a sorted copy: the samples of a caller stay in the order of their
// drawing.
func sorted(x []float64) []float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x
}

// event is a set of outcomes with the direction in which it is counted.
type event struct {
	threshold float64
	below     bool
}

// counts returns the numbers of outcomes of the sorted samples that are in the event. The
// input under which the event is more likely comes first.
func (e event) counts(a, b []float64) (more, less int) {
	if e.below {
		// Outcomes equal to the threshold are in the event on either side, as a statistic
		// of classes has many that are equal.
		after := math.Nextafter(e.threshold, math.Inf(1))
		more, _ = slices.BinarySearch(a, after)
		less, _ = slices.BinarySearch(b, after)
		return more, less
	}
	notA, _ := slices.BinarySearch(a, e.threshold)
	notB, _ := slices.BinarySearch(b, e.threshold)
	return len(b) - notB, len(a) - notA
}

// bound is the measure at the limits of the event's probabilities.
func (e event) bound(a, b []float64, m Measure, l *limits) float64 {
	more, less := e.counts(a, b)
	return l.measure(more, less, m)
}

// choose returns the event with the largest bound on sorted samples. Thresholds
// are outcomes themselves, at ranks that grow geometrically from both ends: a
// rank between two of them changes a bound by little.
func choose(a, b []float64, m Measure, l *limits) (best event) {
	most := math.Inf(-1)
	for _, x := range [][]float64{a, b} {
		for rank := 0; rank < len(x); rank += 1 + rank/8 {
			for _, e := range []event{
				{x[rank], false}, {x[rank], true},
				{x[len(x)-1-rank], false}, {x[len(x)-1-rank], true},
			} {
				if value := e.bound(a, b, m, l); value > most {
					most, best = value, e
				}
			}
		}
	}
	return best
}

// Scores turns outcomes that are classes 0 .. classes-1 into statistics for LowerBound: the
// logarithm of the frequency of a class under the second input relative to the first, half an
// outcome added to each count. It looks at the outcomes only that choose the event, so the
// bound keeps its confidence.
func Scores(a, b []int, classes int, pilot Pilot) (scoresA, scoresB []float64, err error) {
	count := func(x []int) ([]float64, error) {
		counts := make([]float64, classes)
		for i, class := range x {
			if class < 0 || class >= classes {
				return nil, fmt.Errorf("audit: outcome %d is class %d of %d", i+1, class, classes)
			}
			if i < pilot(len(x)) {
				counts[class]++
			}
		}
		return counts, nil
	}
	countsA, err := count(a)
	if err != nil {
		return nil, nil, err
	}
	countsB, err := count(b)
	if err != nil {
		return nil, nil, err
	}
	score := func(x []int) []float64 {
		scores := make([]float64, len(x))
		for i, class := range x {
			// Half an outcome keeps the ratio finite where a class never came up, and is
			// the same for all classes.
			scores[i] = portable.Log((countsB[class] + 0.5) / (countsA[class] + 0.5))
		}
		return scores
	}
	return score(a), score(b), nil
}

// Draw makes one release, on the first input or on its neighbour, with
// randomness from r, and returns the statistic of its outcome. It belongs to one
// goroutine.
type Draw func(r *rng.Rand, neighbour bool) (float64, error)

// BlockSamples is the number of outcomes of an input that are drawn from one stream: the
// outcomes of a block.
const BlockSamples = 256

// Blocks is the number of blocks that a number of outcomes come in. Workers share out blocks:
// each block has its own stream of randomness, so the outcomes are the same for every
// assignment of blocks to workers.
func Blocks(samples int) int { return (samples + BlockSamples - 1) / BlockSamples }

// Seeds are the first words of the streams from which Fill draws the outcomes of a block of so
// many samples, in its order, where each draw takes one word.
func Seeds(samples int, key rng.Key, block int) (seeds [2][]uint64) {
	var stream rng.Stream
	for side := range seeds {
		r := stream.Open(key, block, side, 0)
		for range min(samples, (block+1)*BlockSamples) - block*BlockSamples {
			seeds[side] = append(seeds[side], r.Uint64())
		}
	}
	return seeds
}

// Fill draws one block of the outcomes a and b under both inputs, which depends
// on key and block alone, so that blocks can be drawn in any order.
func (d Draw) Fill(a, b []float64, key rng.Key, block int) error {
	var stream rng.Stream
	for side, x := range [][]float64{a, b} {
		r := stream.Open(key, block, side, 0)
		for i := block * BlockSamples; i < min(len(x), (block+1)*BlockSamples); i++ {
			var err error
			if x[i], err = d(r, side == 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// Finding is the outcome of an audit of a loss. Losses are epsilons at Delta.
type Finding struct {
	// Accounted is the epsilon that the accountant states for the loss; +Inf where the
	// loss bounds nothing, which no audit can refute.
	Accounted float64
	// Audited is the lower bound from the outcomes; 0 shows nothing.
	Audited float64
	// Delta in [0, 1) is the delta at which both epsilons are stated.
	Delta float64
	// Confidence in (0, 1) is the chance, at least, that Audited is a lower bound.
	Confidence float64
	// Samples is the number of outcomes of each input.
	Samples int
	// Reach is the largest bound that so many samples can give: a loss beyond it cannot be
	// refuted by them. No other statistic could reach much further. Let Q be the second
	// input's law, P the first's, and Q' = (1 - l) Q + l P with l = e^-E: then P <= e^E Q', so
	// that E is a true loss of P and Q' (if it is one of Q over P). With chance (1 - l)^n all
	// of n outcomes of Q' are of Q. A bound that exceeds E with chance c on P and Q then
	// exceeds it with chance c (1 - l)^n on P and Q', which is at most the error: E <= -ln(1 -
	// (error/c)^(1/n)), about ln(n / ln(1/error)) for c near 1. With n the outcomes that do
	// not choose the event, and half of the error, that is Reach, but for the limit of the
	// event that all outcomes are in.
	Reach float64
	// Shown is the number of samples with which the bound first exceeded the accounted loss,
	// samples being doubled; 0 where it does not.
	Shown int
}

// Exceeded reports whether the outcomes refute the accounted loss.
func (f Finding) Exceeded() bool { return f.Audited > f.Accounted }

// fewestShown is the first number of samples at which Judge looks.
const fewestShown = 64

// Judge puts the lower bound that outcomes give beside a loss, see LowerBound. A
// loss that is Gaussian alone is judged by mu, one step of the sampled Gaussian
// by the mu behind its sampling, any other loss by epsilon at delta. Where the
// loss is exceeded it also looks at the first samples alone; that search is no
// test of its own.
func Judge(loss accountant.Loss, delta float64, a, b []float64, pilot Pilot, confidence float64) (f Finding, err error) {
	f = Finding{Delta: delta, Confidence: confidence, Samples: len(a)}
	if f.Accounted, err = loss.EpsilonAt(delta, accountant.PLD); err != nil {
		return f, err
	}
	g := gaugeOf(loss, delta)
	audited := func(n int) (float64, error) {
		bound, err := LowerBound(a[:n], b[:n], pilot, g.measure, confidence)
		if err != nil {
			return 0, err
		}
		return g.epsilon(bound.Value)
	}
	if f.Audited, err = audited(len(a)); err != nil {
		return f, err
	}
	// Reach: all remaining outcomes in the event under one input, none under the other.
	tests := len(a) - pilot(len(a))
	if f.Reach, err = g.epsilon(max(0, limitsOf(tests, confidence).measure(tests, 0, g.measure))); err != nil || !f.Exceeded() {
		return f, err
	}
	for n := fewestShown; n < len(a); n *= 2 {
		if value, err := audited(n); err != nil || value > f.Accounted {
			f.Shown = n
			return f, err
		}
	}
	f.Shown = len(a)
	return f, nil
}

// Needed returns the number of samples of each input with which an audit finds a violation
// with chance at least power. a and b are outcomes of the violation: see LowerBound and
// SamplesNeeded. The first outcomes choose the event and the others estimate its
// probabilities, half an outcome added to each count. 0 means that such outcomes do not show
// that the loss is exceeded; more might.
func Needed(loss accountant.Loss, delta float64, a, b []float64, pilot Pilot, confidence, power float64) (int, error) {
	if err := checkSamples(len(a), len(b), confidence); err != nil {
		return 0, err
	}
	g := gaugeOf(loss, delta)
	limit, err := g.limit(loss)
	if err != nil {
		return 0, err
	}
	first := pilot(len(a))
	chosen := choose(sorted(a[:first]), sorted(b[:first]), g.measure, limitsOf(first, confidence))
	more, less := chosen.counts(sorted(a[first:]), sorted(b[first:]))
	trials := float64(len(a) - first + 1)
	// Half an outcome added to each count: a chance of 0 in the pilot is no proof of a
	// chance of 0.
	p, q := (float64(more)+0.5)/trials, (float64(less)+0.5)/trials
	if !(g.measure(p, q) > limit) {
		return 0, nil
	}
	return SamplesNeeded(p, q, pilot, g.measure, limit, confidence, power)
}
