package topology

import (
	"errors"
	"fmt"
	"math"

	"starling/actors/option"
	"starling/messages"
)

const (
	// spectralTolerance is the relative tolerance of the norms below.
	spectralTolerance = 1e-9
	// spectralWork bounds the multiplications of one iteration (some seconds).
	spectralWork = min(1<<31, math.MaxInt/4)
	// spectralRounds bounds the rounds on small graphs.
	spectralRounds = 1 << 16
)

// ErrSlowIteration is wrapped by the error of a spectral norm that has not
// settled when the limit of work is reached.
var ErrSlowIteration = errors.New("the spectral norm does not settle")

// SpectralGap returns 1 - rho for the weights W of a graph. rho is the spectral norm of W -
// 11'/N: the factor by which a step brings the values of the nodes closer to their mean, at
// worst. Where W is normal, as symmetric and circulant matrices are, rho is the second largest
// modulus of an eigenvalue; otherwise it is no less. It returns the error of CheckWeights for
// weights that are not doubly stochastic within 1e-9.
//
// rho comes from a power iteration on (W - 11'/N)' (W - 11'/N), in the form of Lanczos, which
// uses all earlier vectors: it takes about the square root of the rounds. It is stopped when
// the residual is 1e-9 of the eigenvalue: some eigenvalue is that close. It is the largest
// unless the start is orthogonal to its vectors, which has probability 0. If that has not come
// after 2^16 rounds or 2^31 multiplications the error wraps ErrSlowIteration.
func SpectralGap(g *Graph) (float64, error) { return Measures{}.SpectralGap(g) }

// SpectralGap is the function SpectralGap.
func (m Measures) SpectralGap(g *Graph) (float64, error) {
	rho, err := m.WindowContraction(Static(g), 0, 1)
	if err != nil {
		return 0, err
	}
	return 1 - rho, nil
}

// WindowContraction returns the spectral norm of Phi - 11'/N, Phi the product
// A(first+length-1) ... A(first) over a window, as SpectralGap does; length is at
// least 1. It forms no product of matrices, and holds the graphs of the window at
// once.
func WindowContraction(seq Sequence, first, length int) (float64, error) {
	return Measures{}.WindowContraction(seq, first, length)
}

// WindowContraction is the function WindowContraction.
func (m Measures) WindowContraction(seq Sequence, first, length int) (float64, error) {
	window, rounds, err := m.window(DoublyStochastic, seq, first, length)
	if err != nil {
		return 0, err
	}
	return m.productNorm(window, averages{}, rounds)
}

// PushSumContraction returns the contraction of push-sum over a window, as WindowContraction does
// for averaging. Push-sum (Kempe, Dobra, Gehrke 2003) shares out values and masses w by weights A
// whose columns sum to 1, from w = 1 in step 0. The estimate z of a node is value over mass. A window
// of product Phi takes w to v = Phi w and z to diag(1/v) Phi diag(w) z. It keeps the mean of z weighted by
// mass, and multiplies the deviation of z from it, the root of the sum of w (z - mean)^2, by at most
//
//	| diag(v)^(-1/2) Phi diag(w)^(1/2) - v^(1/2) (w^(1/2))'/N |
//
// in the spectral norm, which is the result. It is at most 1 by Jensen's inequality, and equals
// WindowContraction where rows sum to 1, too. It visits all steps before the window. The error is of
// weights whose columns do not sum to 1 within 1e-9, or of a node that hears nobody, in a *StepError.
func PushSumContraction(seq Sequence, first, length int) (float64, error) {
	return Measures{}.PushSumContraction(seq, first, length)
}

// PushSumContraction is the function PushSumContraction.
func (m Measures) PushSumContraction(seq Sequence, first, length int) (float64, error) {
	return m.PushSumMasses(seq).Contraction(first, length)
}

// PushSumMasses are the masses of push-sum over the steps of a sequence. A walk over windows takes
// each step once.
type PushSumMasses struct {
	measures Measures
	seq      Sequence
	step     int       // from 0
	mass     []float64 // before the step; nil before the first
	graph    *Graph    // of the step before, checked
	work     int
}

// PushSumMasses returns the masses before the first step.
func (m Measures) PushSumMasses(seq Sequence) *PushSumMasses {
	return &PushSumMasses{measures: m, seq: seq}
}

// Contraction is PushSumContraction for a window that begins no earlier than the window before.
func (p *PushSumMasses) Contraction(first, length int) (float64, error) {
	window, rounds, err := p.measures.window(PushSum, p.seq, first, length)
	if err != nil {
		return 0, err
	}
	if first < p.step {
		return 0, option.Errorf("first", "first is %d, want at least %d: windows go on in their order", first, p.step)
	}
	if err := p.advance(first); err != nil {
		return 0, err
	}
	mass := p.mass
	of := averages{before: roots(mass)}
	for _, g := range window {
		mass = moved(g, mass)
	}
	of.after = mass
	return p.measures.productNorm(window, of, rounds)
}

// advance goes on to a step.
func (p *PushSumMasses) advance(step int) error {
	if p.mass == nil {
		p.mass = make([]float64, p.seq.Nodes())
		for i := range p.mass {
			p.mass[i] = 1
		}
	}
	for ; p.step < step; p.step++ {
		if k := p.step; p.graph == nil || p.seq.Epoch(k) != p.seq.Epoch(k-1) {
			if err := p.measures.stopped(); err != nil {
				return err
			}
			g := p.seq.At(k)
			if err := PushSum.Check(g, contractionTolerance); err != nil {
				return &StepError{Step: k, Base: printedBase, Err: err}
			}
			p.graph = g
		}
		if p.work += p.graph.Edges() + p.graph.Nodes(); p.work > spectralWork {
			return fmt.Errorf("%w: the masses of push-sum before step %d are more work than they may take", ErrSlowIteration, step+printedBase)
		}
		p.mass = moved(p.graph, p.mass)
	}
	return nil
}

// moved returns W x.
func moved(g *Graph, x []float64) []float64 {
	y := make([]float64, len(x))
	applyRows(y, g, x)
	return y
}

// roots returns the square roots of the entries of x.
func roots(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Sqrt(v)
	}
	return y
}

// window returns the graphs of a window that meet a demand, and the rounds of an iteration on them
// that the limit of work allows.
func (m Measures) window(demand Demand, seq Sequence, first, length int) (window []*Graph, rounds int, err error) {
	if err := atLeast("first", first, 0); err != nil {
		return nil, 0, err
	}
	if err := atLeast("length", length, 1); err != nil {
		return nil, 0, err
	}
	window = make([]*Graph, length)
	work := 0
	for k := range window {
		step := first + k
		if k > 0 && seq.Epoch(step) == seq.Epoch(step-1) {
			window[k] = window[k-1]
		} else {
			if err := m.stopped(); err != nil {
				return nil, 0, err
			}
			window[k] = seq.At(step)
			if err := demand.Check(window[k], contractionTolerance); err != nil {
				return nil, 0, &StepError{Step: step, Base: printedBase, Err: err}
			}
		}
		work += 2 * (window[k].Edges() + window[k].Nodes())
	}
	return window, min(spectralRounds, 1+spectralWork/work), nil
}

// averages are the means that a product of weights keeps. Without before they are plain means.
type averages struct {
	before []float64 // the roots of the masses before the product
	after  []float64 // the masses after it
}

// center takes the part of x that the product keeps away.
func (a averages) center(x []float64) {
	if a.before == nil {
		removeMean(x)
		return
	}
	mean := dot(a.before, x) / dot(a.before, a.before)
	for i := range x {
		x[i] -= float64(mean * a.before[i])
	}
}

// scale multiplies x by the roots of the masses before the product.
func (a averages) scale(x []float64) {
	for i, root := range a.before {
		x[i] *= root
	}
}

// productNorm returns the norm of the product of a window, from averaging: the
// root of the largest eigenvalue of M'M, M the product less 11'/N, or its form with masses.
func (m Measures) productNorm(window []*Graph, of averages, rounds int) (norm float64, err error) {
	n := window[0].Nodes()
	x, before, y, spare := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	key := topologyKey(0, "power-iteration")
	for i := range x {
		x[i] = float64(key.Uniform(i, 0, 0)) - 0.5
	}
	of.center(x)
	if n == 1 || normalize(x) == 0 {
		return 0, nil // one node is its own mean
	}
	// Lanczos (Journal of Research of the National Bureau of Standards 45, 1950), without
	// reorthogonalization, which the largest eigenvalue does not need (Paige, Linear Algebra
	// and its Applications 34, 1980).
	var t tridiagonal
	var theta, residual float64
	beta := 0.
	for check := 4; len(t.diagonal) < rounds; {
		copy(y, x)
		if y, spare, err = m.applyProduct(window, of, y, spare); err != nil {
			return 0, err
		}
		alpha := dot(x, y)
		for i := range y {
			y[i] -= float64(alpha*x[i]) + float64(beta*before[i])
		}
		of.center(y)
		beta = normalize(y)
		t.diagonal = append(t.diagonal, alpha)
		// A remainder of rounding alone is no direction.
		exhausted := beta <= 1e-15
		if k := len(t.diagonal); k == check || k == rounds || exhausted {
			check += 1 + check/4
			theta, residual = t.largest(beta)
			if exhausted || residual <= spectralTolerance*theta || residual <= 1e-15 {
				return math.Sqrt(max(theta, 0)), nil
			}
		}
		t.beside = append(t.beside, beta)
		before, x, y = x, y, before
	}
	return 0, fmt.Errorf("%w: the residual is %.3g after %d rounds, all the work it may take", ErrSlowIteration, residual, rounds)
}

// applyProduct returns M'M y for the product of a window, y centred, and the slice left to
// overwrite: they are y and spare, in one order or the other.
func (m Measures) applyProduct(window []*Graph, of averages, y, spare []float64) (product, rest []float64, err error) {
	of.scale(y)
	for _, g := range window {
		if err := m.stopped(); err != nil {
			return nil, nil, err
		}
		applyRows(spare, g, y)
		y, spare = spare, y
	}
	for i, mass := range of.after {
		y[i] /= mass
	}
	for k := len(window) - 1; k >= 0; k-- {
		if err := m.stopped(); err != nil {
			return nil, nil, err
		}
		applyColumns(spare, window[k], y)
		y, spare = spare, y
	}
	of.scale(y)
	return y, spare, nil
}

// applyRows sets dst = W x.
func applyRows(dst []float64, g *Graph, x []float64) {
	for i := range dst {
		from, weights := g.In(messages.NodeID(i))
		var sum float64
		for k, j := range from {
			sum += float64(weights[k] * x[j])
		}
		dst[i] = sum
	}
}

// applyColumns sets dst = W' x.
func applyColumns(dst []float64, g *Graph, x []float64) {
	clear(dst)
	for i, v := range x {
		from, weights := g.In(messages.NodeID(i))
		for k, j := range from {
			dst[j] += float64(weights[k] * v)
		}
	}
}

// removeMean subtracts the mean from each entry: it takes 11'/N x away.
func removeMean(x []float64) {
	var sum float64
	for _, v := range x {
		sum += v
	}
	mean := sum / float64(len(x))
	for i := range x {
		x[i] -= mean
	}
}

func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// normalize divides x by its length, which it returns, unless that is 0.
func normalize(x []float64) float64 {
	length := math.Sqrt(dot(x, x))
	if length > 0 {
		for i := range x {
			x[i] /= length
		}
	}
	return length
}
