package stream

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"starling/scenarios/problem"
)

// Tolerance is the gap, in units of the mean loss, up to which a least loss is
// solved for.
const Tolerance = 1e-10

// Status says what is known of a least loss.
type Status int

// The statuses.
const (
	// Undecided: the solver stopped short of the tolerance; Value is a loss
	// that is reached, and the infimum is at most Gap below it.
	Undecided Status = iota
	// Solved: Value is within Tolerance above the infimum.
	Solved
	// Separable: X classifies every datum right, so that the loss of x = c X
	// falls to 0 as c grows. Value is this infimum, 0, which no x attains.
	Separable
)

// String is the name of the status.
func (s Status) String() string {
	return [...]string{"undecided", "solved", "separable"}[s]
}

// Optimum is the least mean loss over some data, as far as it is known.
type Optimum struct {
	Status Status
	Value  float64 // mean loss of a datum
	// Gap bounds Value minus the infimum, up to rounding. It is the duality
	// gap, which needs no strong convexity; 0 where the data are separable.
	Gap float64
	// GradientNorm is the 2-norm of the gradient at X; NaN where X is only a
	// direction, as it is of separable data.
	GradientNorm float64
	X            []float64 // len d
}

// Known is Value; NaN where the search did not come within its tolerance of the infimum.
func (o Optimum) Known() float64 {
	if o.Status == Undecided {
		return math.NaN()
	}
	return o.Value
}

// Minimum implements Minimiser, for m data. It overwrites the data.
//
// Data are separable exactly if some x has <x, a_j> b_j > 0 for all j, and that
// is how it is proven: by an x whose margins exceed their rounding errors. Where
// m <= d such an x is looked for where <x, a_j> b_j = 1, which data in general
// position allow. After that Newton's method runs on the mean loss, and stops at
// an x that separates or where the duality gap is within Tolerance. On
// separable data the mean loss falls below log(2)/m sooner or later, and then
// every margin is positive, so that no separable data are missed but for
// rounding; a gap below the value proves that they are not separable.
//
// With a ridge term every data have one minimiser, separable or not, and the gap
// is ||gradient||^2/(2 l2), which strong convexity gives.
func (l Logistic) Minimum(data []float64) Optimum {
	o := newObjective(l.dim, data)
	if o.l2 = l.l2; o.l2 > 0 {
		return o.minimise()
	}
	if o.m <= o.d {
		if x := o.interpolate(); x != nil && o.separates(x) {
			return separated(x)
		}
	}
	return o.minimise()
}

func separated(x []float64) Optimum {
	return Optimum{Status: Separable, GradientNorm: math.NaN(), X: x}
}

// objective is f(x) = (1/m) sum_j log(1 + exp(-<x, z_j>)) + l2/2 ||x||^2,
// z_j = b_j a_j.
type objective struct {
	m, d    int
	l2      float64
	z       blas64.General // m x d, in the rows of the data
	longest float64        // the largest ||z_j||
	x       []float64      // where margins and weights are taken; NaN at first
	margins []float64      // m: <x, z_j>
	weights []float64      // m: s_j = 1/(1 + exp(<x, z_j>))
	curve   *mat.SymDense  // the Hessian at x, if curved
	curved  bool
	scaled  blas64.General // scratch for the Hessian
}

// newObjective multiplies every datum's features by its label, in place.
func newObjective(dim int, data []float64) *objective {
	width := dim + 1
	m := len(data) / width
	o := &objective{
		m: m, d: dim, z: blas64.General{Rows: m, Cols: dim, Stride: width, Data: data},
		x: make([]float64, dim), margins: make([]float64, m), weights: make([]float64, m),
	}
	o.x[0] = math.NaN()
	for j := range m {
		row := data[j*width : (j+1)*width]
		z, label := row[:dim], row[dim]
		for k := range z {
			z[k] *= label
		}
		o.longest = max(o.longest, math.Sqrt(problem.Dot(z, z)))
	}
	return o
}

// interpolate returns the shortest x with all margins 1, nil where the data are
// in no general position: x = Z'y with ZZ'y = 1.
func (o *objective) interpolate() []float64 {
	gram := blas64.General{Rows: o.m, Cols: o.m, Stride: o.m, Data: make([]float64, o.m*o.m)}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, o.z, o.z, 0, gram)
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(o.m, gram.Data)) {
		return nil
	}
	ones := make([]float64, o.m)
	for j := range ones {
		ones[j] = 1
	}
	y := mat.NewVecDense(o.m, nil)
	if err := factor.SolveVecTo(y, mat.NewVecDense(o.m, ones)); err != nil {
		return nil // too ill conditioned to trust; the margins would tell anyway
	}
	x := make([]float64, o.d)
	blas64.Gemv(blas.Trans, 1, o.z, y.RawVector(), 0, vector(x))
	return x
}

// separates tells whether every margin at x is positive beyond the rounding of
// an inner product, d 2^-53 ||x|| ||z_j|| to first order; twice that is allowed
// for.
func (o *objective) separates(x []float64) bool {
	o.at(x)
	rounding := float64(o.d+2) * 0x1p-52 * math.Sqrt(problem.Dot(x, x)) * o.longest
	for _, margin := range o.margins {
		if !(margin > rounding) {
			return false
		}
	}
	return true
}

// at takes margins and weights at x.
func (o *objective) at(x []float64) {
	same := true
	for k, v := range x {
		same = same && v == o.x[k]
		o.x[k] = v
	}
	if same {
		return
	}
	o.curved = false
	blas64.Gemv(blas.NoTrans, 1, o.z, vector(x), 0, vector(o.margins))
	for j, margin := range o.margins {
		o.weights[j] = problem.LogisticWeight(margin)
	}
}

// value is f(x).
func (o *objective) value(x []float64) float64 {
	o.at(x)
	var sum float64
	for _, margin := range o.margins {
		sum += problem.LogisticLoss(margin)
	}
	mean := sum / float64(o.m)
	if o.l2 > 0 {
		mean += o.l2 / 2 * problem.Dot(x, x)
	}
	return mean
}

// gradient is -(1/m) sum_j s_j z_j + l2 x.
func (o *objective) gradient(grad, x []float64) {
	o.at(x)
	blas64.Gemv(blas.Trans, -1/float64(o.m), o.z, vector(o.weights), 0, vector(grad))
	if o.l2 > 0 {
		blas64.Axpy(o.l2, vector(x), vector(grad))
	}
}

// block is how many data the Hessian takes at a time.
const block = 512

// hessian is (1/m) sum_j s_j (1 - s_j) z_j z_j' + l2 I. The matrix is the
// objective's.
func (o *objective) hessian(x []float64) *mat.SymDense {
	if o.at(x); o.curved {
		return o.curve
	}
	if o.curve == nil {
		o.curve = mat.NewSymDense(o.d, nil)
		o.scaled = blas64.General{Cols: o.d, Stride: o.d, Data: make([]float64, min(block, o.m)*o.d)}
	}
	full := blas64.General{Rows: o.d, Cols: o.d, Stride: o.d, Data: make([]float64, o.d*o.d)}
	for first := 0; first < o.m; first += block {
		end := min(first+block, o.m)
		for j := first; j < end; j++ {
			s := o.weights[j]
			c := s * (1 - s) / float64(o.m)
			to := o.scaled.Data[(j-first)*o.d : (j-first+1)*o.d]
			for k, v := range o.row(j) {
				to[k] = c * v
			}
		}
		o.scaled.Rows = end - first
		part := blas64.General{Rows: end - first, Cols: o.d, Stride: o.z.Stride, Data: o.z.Data[first*o.z.Stride:]}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, o.scaled, part, 1, full)
	}
	for i := range o.d {
		full.Data[i*o.d+i] += o.l2
		for j := i; j < o.d; j++ {
			o.curve.SetSym(i, j, full.Data[i*o.d+j])
		}
	}
	o.curved = true
	return o.curve
}

func (o *objective) row(j int) []float64 { return o.z.Data[j*o.z.Stride : j*o.z.Stride+o.d] }

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
