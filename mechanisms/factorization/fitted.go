package factorization

import (
	"math"

	"starling/mechanisms/kernel"
	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// The coefficients of a Toeplitz strategy C for a record that takes part several times are
// those that cost the least error for the sensitivity to such a record:
//
//	Banded    each of the first coefficients freely (McKenna 2024, Scaling up the Banded
//	          Matrix Factorization Mechanism, section 3)
//	Buffers   a few geometric sequences (McMahan, Xu, Zhang 2024, A Hassle-free Algorithm
//	          for Strong Differential Privacy in Federated Learning, section 4)
//
// Both keep coefficients positive and falling, for which the columns 0, b, 2b, .. are the
// worst (Kalinin, Lampert 2024, Theorem 2), so that the sensitivity is exact. A search finds a
// local minimum, and certifies nothing.

// mostSteps is the largest number of steps of a search.
const mostSteps = 400

// goal is the goal that a strategy C with coefficients c_0 = 1, c_1, .. is fitted to, B = A
// C^(-1).
type goal struct {
	// N is the number of steps. A record takes part in at most Times of them, at least
	// Apart from each other.
	N, Times, Apart int
	// Last means that the error is the error of the last prefix sum, which is the largest, in
	// place of the mean over all.
	Last bool
}

// weight is the weight of the square of the j-th coefficient of B in the error: so many rows
// have it.
func (g *goal) weight(j int) float64 {
	if g.Last {
		return 1
	}
	return float64(g.N-j) / float64(g.N)
}

// Loss is the error times the square of the sensitivity, by the first coefficients of C;
// those after them are 0.
func (g *goal) Loss(c []float64) float64 {
	_, b := g.response(c)
	return g.squares(b) * g.moved(c, nil)
}

// response returns the coefficients of C^(-1), and of B, its running sums.
func (g *goal) response(c []float64) (inverse, b []float64) {
	inverse, b = make([]float64, g.N), make([]float64, g.N)
	inverse[0] = 1
	sum := 0.0
	for t := range inverse {
		for j := 1; j < len(c) && j <= t; j++ {
			inverse[t] -= float64(c[j] * inverse[t-j])
		}
		sum += inverse[t]
		b[t] = sum
	}
	return inverse, b
}

// squares is the error of a B.
func (g *goal) squares(b []float64) (sum float64) {
	for j, x := range b {
		sum += float64(g.weight(j) * x * x)
	}
	return sum
}

// moved is the square of the sensitivity: of the length of the sum of columns 0, b, .., (k-1)
// b. It writes its gradient by the coefficients to slope, unless that is nil.
func (g *goal) moved(c, slope []float64) (sum float64) {
	rows := make([]float64, g.N)
	times := min(g.Times, (g.N-1)/g.Apart+1)
	for m := range times {
		begin := m * g.Apart
		for j := range min(len(c), g.N-begin) {
			rows[begin+j] += c[j]
		}
	}
	for j := range slope {
		slope[j] = 0
		for m := 0; m < times && m*g.Apart+j < g.N; m++ {
			slope[j] += 2 * rows[m*g.Apart+j]
		}
	}
	return kernel.Dot(rows, rows)
}

// Banded returns the first bands coefficients of C, 1 to N of them; the others are 0. It
// takes time O(N bands) for each trial of the search. watch hears the logarithm of the Loss
// of each, and ends the search by false, wherever it is then; nil hears nothing.
func (g *goal) Banded(bands int, watch func(cost float64) bool) []float64 {
	u := make([]float64, bands-1) // c_j = c_(j-1) logistic(u_j)
	for k := range u {
		u[k] = portable.Log(float64(2*k + 1)) // as the square root has it: 1 - 1/(2j)
	}
	c, slope, moves := make([]float64, bands), make([]float64, bands), make([]float64, bands)
	cost := func(gradient, u []float64) float64 {
		falling(c, u)
		square := g.moved(c, moves)
		spread := g.spread(c, slope)
		for j := range slope {
			slope[j] = slope[j]/spread + moves[j]/square
		}
		// c_i moves with every ratio up to the i-th.
		after := 0.0
		for k := len(u) - 1; k >= 0; k-- {
			after += float64(slope[k+1] * c[k+1])
			gradient[k] = after / (1 + portable.Exp(u[k]))
		}
		return portable.Log(spread) + portable.Log(square)
	}
	numeric.Descend(watched(cost, watch), u, mostSteps)
	falling(c, u)
	return c
}

// watched is a cost that watch hears of, and that is infinite once watch has returned false:
// a descent ends there.
func watched(cost func(gradient, x []float64) float64, watch func(cost float64) bool) func(gradient, x []float64) float64 {
	over := false
	return func(gradient, x []float64) float64 {
		if over {
			return math.Inf(1)
		}
		found := cost(gradient, x)
		over = watch != nil && !watch(found)
		return found
	}
}

// falling writes coefficients that fall from 1 by ratios below 1.
func falling(c, u []float64) {
	c[0] = 1
	for k, x := range u {
		c[k+1] = c[k] / (1 + portable.Exp(-x))
	}
}

// spread is the error of a C, with its gradient by the coefficients: the derivative of the
// j-th coefficient of B by c_i is -f_(j-i), f the series of B C^(-1).
func (g *goal) spread(c, slope []float64) float64 {
	_, b := g.response(c)
	f := make([]float64, g.N)
	for t := range f {
		f[t] = b[t]
		for j := 1; j < len(c) && j <= t; j++ {
			f[t] -= float64(c[j] * f[t-j])
		}
	}
	weighted := make([]float64, g.N)
	for j, x := range b {
		weighted[j] = float64(g.weight(j) * x)
	}
	for i := range slope {
		slope[i] = -2 * kernel.Dot(weighted[i:], f[:g.N-i])
	}
	return kernel.Dot(weighted, b)
}

// difference is the step by which slopes of Buffers are measured, in logarithms.
const difference = 1e-6

// Buffers returns scales and decays, as many as are given to start from, all above 0,
// decays at most 1, and scales with a sum below 1: c_j = sum_k scale_k decay_k^(j-1). It
// takes time O(N buffers^2) for each trial of the search, which watch hears of as in Banded.
func (g *goal) Buffers(scale, decay []float64, watch func(cost float64) bool) (scales, decays []float64) {
	n := len(scale)
	rest := 1.0
	for _, s := range scale {
		rest -= s
	}
	x := make([]float64, 2*n) // logarithms of scales over the rest of 1; odds of decays
	for k := range n {
		x[k] = portable.Log(scale[k] / max(rest, 1e-9))
		x[n+k] = portable.Log(decay[k] / max(1-decay[k], 0x1p-53))
	}
	scales, decays = make([]float64, n), make([]float64, n)
	value := func(x []float64) float64 {
		unpack(scales, decays, x)
		return portable.Log(g.bufferLoss(scales, decays))
	}
	cost := func(gradient, x []float64) float64 {
		for k, v := range x {
			x[k] = v + difference
			above := value(x)
			x[k] = v - difference
			gradient[k] = (above - value(x)) / (2 * difference)
			x[k] = v
		}
		return value(x)
	}
	numeric.Descend(watched(cost, watch), x, mostSteps)
	unpack(scales, decays, x)
	return scales, decays
}

// unpack writes the scales and decays that x stands for.
func unpack(scales, decays, x []float64) {
	n, sum := len(scales), 1.0
	for k := range n {
		scales[k] = portable.Exp(x[k])
		sum += scales[k]
		decays[k] = 1 / (1 + portable.Exp(-x[n+k]))
	}
	for k := range scales {
		scales[k] /= sum
	}
}

// bufferLoss is Loss, in time O(N buffers).
func (g *goal) bufferLoss(scales, decays []float64) float64 {
	times := min(g.Times, (g.N-1)/g.Apart+1)
	buffers, powers := make([]float64, len(scales)), append([]float64(nil), scales...)
	rows, all := make([]float64, g.Apart), make([]float64, g.N)
	spread, square, b := 0.0, 0.0, 0.0
	for t := range g.N {
		y, c := 0.0, 0.0
		if t == 0 {
			y, c = 1, 1
		}
		for k, s := range scales {
			y -= float64(s * buffers[k])
		}
		for k, decay := range decays {
			buffers[k] = float64(decay*buffers[k]) + y
			if t > 0 {
				c += powers[k]
				powers[k] *= decay
			}
		}
		b += y
		spread += float64(g.weight(t) * b * b)
		// Row t of the sum of columns is row t-b, with the coefficient of t, less the
		// coefficient of t - k b.
		all[t] = c
		row := rows[t%g.Apart] + c
		if ends := times * g.Apart; t >= ends {
			row -= all[t-ends]
		}
		rows[t%g.Apart] = row
		square += float64(row * row)
	}
	if !(spread > 0) || math.IsInf(spread, 1) {
		return math.Inf(1)
	}
	return spread * square
}
