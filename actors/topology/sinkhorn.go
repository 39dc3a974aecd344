package topology

import (
	"errors"
	"fmt"
	"math"

	"starling/mechanisms/portable"
	"starling/messages"
)

const (
	// sinkhornTolerance is how far from 1 a row may sum when scaling stops;
	// columns are then exact but for rounding.
	sinkhornTolerance = 5e-13
	// sinkhornWork bounds the additions (some ten seconds).
	sinkhornWork = min(1<<33, math.MaxInt/4)
	// sinkhornRounds bounds the rounds on small graphs.
	sinkhornRounds = 1 << 20
	// sinkhornCheck is the number of rounds between two checks of the sums.
	sinkhornCheck = 32
)

// ErrSlowScaling is wrapped by the error of Sinkhorn weights that do not come
// within 5e-13 of their sums within 2^20 rounds and 2^33 additions.
var ErrSlowScaling = errors.New("sinkhorn weights do not settle")

// sinkhorn scales the pattern: a_ij = r_i c_j. Near the solution the iteration is Gauss and
// Seidel's. Long and thin graphs make it slow, so it is overrelaxed (Thibault, Chizat, Dossal
// and Papadakis, Algorithms 14, 2021), with the factor that is best for the rate of
// convergence seen so far.
func sinkhorn(g *Graph) (*Graph, error) {
	if err := CheckSupport(g); err != nil {
		return nil, err
	}
	n := g.Nodes()
	r, c := make([]float64, n), make([]float64, n)
	for k := range n {
		r[k], c[k] = 1, 1
	}
	rounds := min(sinkhornRounds, 1+sinkhornWork/(2*max(g.Edges(), 1)))
	pace := newPace()
	off := math.Inf(1)
	for round := 1; round <= rounds; round++ {
		scaleTo(r, c, g.in, pace.omega)
		scaleTo(c, r, g.out, pace.omega)
		if round > 2 && round%sinkhornCheck > 0 {
			continue // regular graphs are done at once
		}
		off = max(sumError(r, c, g.in), sumError(c, r, g.out))
		if off <= sinkhornTolerance {
			scaleTo(c, r, g.out, 1)
			if off = sumError(r, c, g.in); off <= sinkhornTolerance {
				return g.withWeights(scaled(r, c, g.in)), nil
			}
		}
		if round%sinkhornCheck == 0 {
			pace.watch(off)
		}
	}
	return nil, fmt.Errorf("%w: after %d rounds a row or column still sums to 1 within %.3g only", ErrSlowScaling, rounds, off)
}

// pace is the factor of relaxation, and the errors seen since it was set. When it changes the
// error grows for a while, the longer the closer the factor is to 2, so that only the second
// half of the time is looked at.
type pace struct {
	omega  float64
	checks int     // since omega was set
	half   int     // of the checks before omega is set anew
	middle float64 // the error after that half
}

func newPace() *pace { return &pace{omega: 1, half: 1} }

// watch takes the error at a check.
func (p *pace) watch(off float64) {
	p.checks++
	switch p.checks {
	case p.half:
		p.middle = off
	case 2 * p.half:
		rate := portable.Pow(off/p.middle, 1/float64(sinkhornCheck*p.half))
		p.omega = relaxation(p.omega, rate)
		p.checks = 0
		p.half = 1 + int(4/(sinkhornCheck*(2-p.omega)))
	}
}

// relaxation returns the best factor, given the factor of the latest rounds and
// by how much a round has made the error smaller. If q is the rate without
// relaxation, the rate with omega satisfies (rate+omega-1)^2 = q omega^2 rate,
// and the best omega is 2/(1+sqrt(1-q)) (Young, Iterative Solution of Large Linear
// Systems, 1971, chapter 6).
func relaxation(omega, rate float64) float64 {
	if !(rate < 1) {
		return 1 // the error grows: too far from the solution for the theory
	}
	q := (rate + omega - 1) * (rate + omega - 1) / (omega * omega * rate)
	return 2 / (1 + math.Sqrt(1-min(q, 1-1e-12)))
}

// scaleTo moves each factor towards the value that makes its row sum to 1 with the factors of
// the other side, omega times as far, in logarithms.
func scaleTo(factor, other []float64, rows adjacency, omega float64) {
	for v, old := range factor {
		exact := 1 / sumRow(other, rows, v)
		if omega == 1 {
			factor[v] = exact
		} else {
			factor[v] = old * portable.Pow(exact/old, omega)
		}
	}
}

func sumRow(factor []float64, rows adjacency, v int) (sum float64) {
	for _, w := range rows.row(messages.NodeID(v)) {
		sum += factor[w]
	}
	return sum
}

// sumError returns the largest distance of a row's sum from 1.
func sumError(factor, other []float64, rows adjacency) (largest float64) {
	for v, f := range factor {
		largest = max(largest, math.Abs(float64(f*sumRow(other, rows, v))-1))
	}
	return largest
}

// scaled returns the weights r_i c_j.
func scaled(r, c []float64, in adjacency) []float64 {
	weights := make([]float64, len(in.to))
	for i, factor := range r {
		for k := in.start[i]; k < in.start[i+1]; k++ {
			weights[k] = factor * c[in.to[k]]
		}
	}
	return weights
}
