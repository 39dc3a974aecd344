package topology

import (
	"errors"
	"fmt"
	"math"

	"starling/mechanisms/portable"
	"starling/messages"
)

// Limits of Contraction.
const (
	// contractionNodes is the largest N it accepts.
	contractionNodes = 256
	// contractionStarts is the largest number of starts it follows, and
	// contractionState bounds starts * N^2, the entries of the products held at
	// once (32 MiB): 64 starts with N = 256.
	contractionStarts = 1 << 10
	contractionState  = 1 << 22
	// contractionLags is the largest t-s it looks at.
	contractionLags = 1 << 12
	// contractionWork bounds the multiplications (some seconds).
	contractionWork = min(1<<32, math.MaxInt/4)
	// contractionTolerance is how far sums of weights may be from 1.
	contractionTolerance = 1e-9
	// contractionRounding times N is the deviation from 1/N that counts as none.
	contractionRounding = 1e-14
)

var (
	// ErrTooLarge is wrapped by the error of Contraction for N > 256.
	ErrTooLarge = errors.New("too many nodes to measure the contraction")
	// ErrNoContraction is wrapped by the error of Contraction for a sequence if its products
	// have not come closer to averaging when the limit of work is reached. The rest of the
	// horizon is then unknown.
	ErrNoContraction = errors.New("the graphs do not contract")
)

// Contraction measures the constants of DPDO-NC, Lemma 2, (15), on a sequence, with the bound
// |Phi(t,s)_ij - 1/N| <= C lambda^(t-s) for all 0 <= s <= t <= horizon, with Phi(t,s) = A(t-1)
// ... A(s) and Phi(s,s) the identity, 0 < lambda < 1. The regret bound takes them in
// C/(1-lambda), so of all pairs that hold, lambda on a grid of spacing 1/1000 and finer
// towards 1, it returns the one that makes this smallest. It returns the error of
// CheckSequence if weights are not doubly stochastic within 1e-9.
//
// It forms the products of all starts s, of one period where there is one, lag by lag, with
// these exceptions: deviations below 1e-14 N are rounding, and count as 0 from there on. More
// than 1024 starts, or 2^22/N^2 where that is less (64 at N = 256), are thinned to an even
// spacing, which makes the pair an estimate from a sample. If the products have not come to
// 1/N by lag 4096 or within 2^32 multiplications, lambda is held so large that the pair covers
// the remaining lags too: in the norm of the maximum row sum, the distance of Phi(t,s) from
// averaging is no more than the product of the distances of its factors; if that norm is not
// below 1 by then, the error wraps ErrNoContraction.
func Contraction(seq Sequence, horizon int) (c, lambda float64, err error) {
	return ContractionWithin(seq, horizon, math.Inf(1))
}

// ContractionWithin is Contraction for a limit on its work, in multiply-adds. It returns a
// *WorkError where it would take more, by an estimate from the sizes and from how fast one
// vector comes to its mean, or where it has. The work does not depend on a clock.
func ContractionWithin(seq Sequence, horizon int, limit float64) (c, lambda float64, err error) {
	if n := seq.Nodes(); n > contractionNodes {
		return 0, 0, fmt.Errorf("%w: %d, at most %d", ErrTooLarge, n, contractionNodes)
	}
	if err := atLeast("horizon", horizon, 1); err != nil {
		return 0, 0, err
	}
	cost := costOf(seq, horizon)
	if cost.check > limit {
		return 0, 0, &WorkError{cost.check + cost.lag, limit}
	}
	if err := CheckSequence(seq, horizon, contractionTolerance); err != nil {
		return 0, 0, err
	}
	if !math.IsInf(limit, 1) {
		if err := foresee(seq, horizon, cost, limit); err != nil {
			return 0, 0, err
		}
	}
	deviations, smallest, _, err := measureDeviations(seq, horizon, cost, limit)
	if err != nil {
		return 0, 0, err
	}
	c, lambda = fitContraction(deviations, smallest)
	return c, lambda, nil
}

// measureDeviations returns e_k, the largest |Phi(s+k,s)_ij - 1/N|, for k = 0, 1, ... to the
// horizon or until e_k = 0, the smallest lambda that also covers the lags after the last one
// measured, 0 if none are left, and the multiply-adds that were made. It returns a *WorkError
// once these are over the limit.
func measureDeviations(seq Sequence, horizon int, cost contractionCost, limit float64) (e []float64, smallest, operations float64, err error) {
	n := seq.Nodes()
	products := startProducts(n, distinctSteps(seq, horizon))
	spare := make([]float64, n*n)
	work := 0
	for lag := 0; ; lag++ {
		var entry, rowSum float64
		for k := range products {
			if products[k].start+lag <= horizon {
				a, b := deviation(products[k].phi, n)
				entry, rowSum = max(entry, a), max(rowSum, b)
			}
		}
		if entry < contractionRounding*float64(n) {
			return append(e, 0), 0, operations, nil
		}
		e = append(e, entry)
		if lag == horizon {
			return e, 0, operations, nil
		}
		if lag == contractionLags || work > contractionWork {
			if smallest = portable.Pow(rowSum, 1/float64(lag)); smallest >= 1 {
				return nil, 0, operations, fmt.Errorf("%w: after %d steps an entry is still %.3g from 1/N", ErrNoContraction, lag, entry)
			}
			return e, smallest, operations, nil
		}
		if operations > limit {
			return nil, 0, operations, &WorkError{operations, limit}
		}
		operations += cost.replayed + contractionFit
		for k := range products {
			p := &products[k]
			if p.start+lag < horizon {
				g := seq.At(p.start + lag)
				multiply(spare, g, p.phi)
				p.phi, spare = spare, p.phi
				work += g.Edges() * n
				operations += cost.drawn + productCost(float64(g.Edges()), float64(n))
			}
		}
	}
}

// product is Phi(start+k, start), n by n and row-major, as k grows.
type product struct {
	start int
	phi   []float64
}

// startsOf returns how far apart the starts are that the memory allows, and how
// many of them there are.
func startsOf(n, starts int) (stride, count int) {
	limit := min(contractionStarts, contractionState/(n*n))
	stride = (starts + limit - 1) / limit
	return stride, (starts + stride - 1) / stride
}

// startProducts returns identities for the starts 0 .. starts-1, or for as many
// evenly spaced ones as the memory allows.
func startProducts(n, starts int) []product {
	stride, _ := startsOf(n, starts)
	var products []product
	for s := 0; s < starts; s += stride {
		p := product{start: s, phi: make([]float64, n*n)}
		for i := range n {
			p.phi[i*n+i] = 1
		}
		products = append(products, p)
	}
	return products
}

// multiply sets dst = A phi, A the matrix of g: row i of the product is the sum
// of the rows that i hears, in order of sender.
func multiply(dst []float64, g *Graph, phi []float64) {
	n := g.Nodes()
	for i := range n {
		row := dst[i*n : (i+1)*n]
		clear(row)
		from, weights := g.In(messages.NodeID(i))
		for k, j := range from {
			w := weights[k]
			for col, x := range phi[int(j)*n : (int(j)+1)*n] {
				row[col] += float64(w * x)
			}
		}
	}
}

// deviation returns how far phi is from averaging: the largest |phi_ij - 1/N|
// and the largest sum of them over a row.
func deviation(phi []float64, n int) (entry, rowSum float64) {
	mean := 1 / float64(n)
	for i := range n {
		var sum float64
		for _, x := range phi[i*n : (i+1)*n] {
			d := math.Abs(x - mean)
			sum += d
			if d > entry {
				entry = d
			}
		}
		rowSum = max(rowSum, sum)
	}
	return entry, rowSum
}

// fitContraction returns the pair that minimises C/(1-lambda) over the lambda
// of the grid that are not below smallest, C = max_k e_k lambda^-k.
func fitContraction(e []float64, smallest float64) (c, lambda float64) {
	logs := make([]float64, len(e))
	for k, x := range e {
		logs[k] = portable.Log(x) // -Inf for 0, which never is the largest
	}
	best, bestLag := math.Inf(1), 0
	for _, l := range append(contractionGrid(), smallest) {
		if l <= 0 || l < smallest {
			continue
		}
		// In logarithms, for lambda^-k may overflow.
		step, largest, lag := portable.Log(l), math.Inf(-1), 0
		for k, x := range logs {
			if v := x - float64(float64(k)*step); v > largest {
				largest, lag = v, k
			}
		}
		if v := largest - portable.Log1p(-l); v < best {
			best, bestLag, lambda = v, lag, l
		}
	}
	return e[bestLag] / portable.Pow(lambda, float64(bestLag)), lambda
}

// contractionGrid returns the candidates for lambda, ascending: thousandths,
// then 1-lambda from 1e-3 down to 1e-9 in ratios of 10^(1/100).
func contractionGrid() []float64 {
	var grid []float64
	for k := 1; k < 1000; k++ {
		grid = append(grid, float64(k)/1000)
	}
	for k := 1; k <= 600; k++ {
		grid = append(grid, 1-portable.Pow(10, -3-float64(k)/100))
	}
	return grid
}
