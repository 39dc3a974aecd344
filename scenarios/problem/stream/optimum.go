package stream

import (
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"

	"starling/mechanisms/kernel"
	"starling/mechanisms/numeric"
	"starling/scenarios/problem"
)

// Tolerance is the gap, in units of the mean loss, up to which a least loss is
// solved for.
const Tolerance = 1e-10

// Status is the state of knowledge of a least loss.
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

// String returns the name of the status.
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
	// GradientNorm is the 2-norm of the gradient at X; NaN where X is only a direction, as for
	// separable data.
	GradientNorm float64
	X            []float64 // len d
}

// Known returns Value, or NaN where the search did not come within its tolerance of the
// infimum.
func (o Optimum) Known() float64 {
	if o.Status == Undecided {
		return math.NaN()
	}
	return o.Value
}

// Point returns X, or nil where the search did not come within its tolerance, and where no point
// attains the infimum. It is shared: read only.
func (o Optimum) Point() []float64 {
	if o.Status != Solved {
		return nil
	}
	return o.X
}

// Minimum implements Minimiser, for m data. It leaves them as they are.
//
// Data are separable exactly if some x has <x, a_j> b_j > 0 for all j, and such an x is the
// proof, if its margins exceed their rounding errors. Where m <= d the first candidate solves
// <x, a_j> b_j = 1 for all j, which data in general position allow. After that Newton's method
// runs on the mean loss, and stops at an x that separates or where the duality gap is within
// Tolerance. On separable data the mean loss falls below log(2)/m sooner or later, and then
// every margin is positive, so that separable data are found, apart from rounding. A gap below
// the value proves that data are not separable.
//
// With a ridge term every data have one minimiser, separable or not, and the gap
// is ||gradient||^2/(2 l2), which strong convexity gives.
func (l Logistic) Minimum(data []float64) Optimum { return l.MinimumOf([][]float64{data}) }

// MinimumOf implements Reader.
func (l Logistic) MinimumOf(parts [][]float64) Optimum {
	o := newObjective(l.dim, parts)
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
// z_j = b_j a_j. As b_j is -1 or 1, multiplication by it rounds nothing.
type objective struct {
	m, d    int
	l2      float64
	parts   [][]float64 // m rows of d + 1 in all: a_j, and b_j; read only
	longest float64     // the largest ||z_j||
	x       []float64   // the point of margins and weights; NaN at first
	margins []float64   // m: <x, z_j>
	weights []float64   // m: s_j = 1/(1 + exp(<x, z_j>))
	curve   []float64   // d x d, the Hessian at x, if curved
	curved  bool
	bends   []float64 // m: s_j (1 - s_j)/m, at x, if curved
}

// newObjective takes data in parts, of whole rows each, and reads them where they are.
func newObjective(dim int, parts [][]float64) *objective {
	o := &objective{d: dim, x: make([]float64, dim), parts: make([][]float64, len(parts))}
	o.x[0] = math.NaN()
	for i, part := range parts {
		o.parts[i] = o.signed(part)
		o.m += len(part) / (dim + 1)
	}
	o.margins, o.weights = make([]float64, o.m), make([]float64, o.m)
	for s := range o.blocks() {
		for j := range s.rows {
			a, _ := s.row(j)
			o.longest = max(o.longest, kernel.Norm(a))
		}
	}
	return o
}

// signed returns the part itself if all its labels are -1 or 1, else its z_j with labels of 1.
func (o *objective) signed(part []float64) []float64 {
	width := o.d + 1
	whole := true
	for at := o.d; at < len(part) && whole; at += width {
		whole = math.Abs(part[at]) == 1
	}
	if whole {
		return part
	}
	part = slices.Clone(part)
	for at := 0; at < len(part); at += width {
		z := part[at : at+o.d]
		kernel.Scale(z, part[at+o.d], z)
		part[at+o.d] = 1
	}
	return part
}

// some is a run of adjacent data: rows of them from row first on.
type some struct {
	first, rows int
	data        []float64
	d           int
}

// row returns the features and the label of row j of the run.
func (s *some) row(j int) (a []float64, b float64) {
	at := j * (s.d + 1)
	return s.data[at : at+s.d : at+s.d], s.data[at+s.d]
}

// blocks goes through all data in their order, up to block of them at a time.
func (o *objective) blocks() iter.Seq[some] {
	return func(yield func(some) bool) {
		first, width := 0, o.d+1
		for _, part := range o.parts {
			for len(part) > 0 {
				rows := min(block, len(part)/width)
				if !yield(some{first, rows, part[:rows*width], o.d}) {
					return
				}
				first, part = first+rows, part[rows*width:]
			}
		}
	}
}

// interpolate returns the shortest x with all margins 1, nil where the data are
// in no general position: x = Z'y with ZZ'y = 1.
func (o *objective) interpolate() []float64 {
	gram, y, rows := make([]float64, o.m*o.m), make([]float64, o.m), make([]some, 0, o.m)
	for s := range o.blocks() {
		for j := range s.rows {
			rows = append(rows, some{s.first + j, 1, s.data[j*(o.d+1):], o.d})
		}
	}
	for i := range o.m {
		a, b := rows[i].row(0)
		for j := range i + 1 {
			other, label := rows[j].row(0)
			gram[i*o.m+j] = b * label * kernel.Dot(a, other)
		}
		y[i] = 1
	}
	factor, ok := numeric.NewCholesky(gram, o.m, leastPivot)
	if !ok {
		return nil
	}
	factor.Solve(y)
	x := make([]float64, o.d)
	o.combine(x, y)
	return x
}

// combine adds sum_j weights_j z_j to dst, some data at a time.
func (o *objective) combine(dst, weights []float64) {
	var factors [block]float64
	for s := range o.blocks() {
		for j := range s.rows {
			_, b := s.row(j)
			factors[j] = b * weights[s.first+j]
		}
		kernel.AxpyRows(dst, factors[:s.rows], s.data, o.d+1)
	}
}

// separates reports whether every margin at x is positive beyond the rounding of an inner
// product, d 2^-53 ||x|| ||z_j|| to first order; twice that is allowed for.
func (o *objective) separates(x []float64) bool {
	o.at(x)
	rounding := float64(o.d+2) * 0x1p-52 * kernel.Norm(x) * o.longest
	for _, margin := range o.margins {
		if !(margin > rounding) {
			return false
		}
	}
	return true
}

// at computes margins and weights at x.
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
	for s := range o.blocks() {
		for j := range s.rows {
			a, b := s.row(j)
			margin := b * kernel.Dot(a, x)
			o.margins[s.first+j], o.weights[s.first+j] = margin, problem.LogisticWeight(margin)
		}
	}
}

// value returns f(x).
func (o *objective) value(x []float64) float64 {
	o.at(x)
	var sum float64
	for _, margin := range o.margins {
		sum += problem.LogisticLoss(margin)
	}
	mean := sum / float64(o.m)
	if o.l2 > 0 {
		mean += float64(o.l2 / 2 * kernel.SquaredNorm(x))
	}
	return mean
}

// gradient writes -(1/m) sum_j s_j z_j + l2 x to grad.
func (o *objective) gradient(grad, x []float64) {
	o.at(x)
	clear(grad)
	o.combine(grad, o.weights)
	kernel.Scale(grad, -1/float64(o.m), grad)
	if o.l2 > 0 {
		kernel.Axpy(grad, o.l2, x)
	}
}

// hessian returns (1/m) sum_j s_j (1 - s_j) z_j z_j' + l2 I, d x d. The matrix is the
// objective's.
func (o *objective) hessian(x []float64) []float64 {
	if o.at(x); o.curved {
		return o.curve
	}
	if o.curve == nil {
		o.curve, o.bends = make([]float64, o.d*o.d), make([]float64, o.m)
	}
	for j, s := range o.weights {
		o.bends[j] = s * (1 - s) / float64(o.m)
	}
	clear(o.curve)
	workers := 1
	if o.d*o.d*o.m > sideBySide {
		workers = min(runtime.GOMAXPROCS(0), o.d)
	}
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() { o.addOuters(worker, workers) })
	}
	group.Wait()
	for i := range o.d {
		o.curve[i*o.d+i] += o.l2
		for j := range i {
			o.curve[i*o.d+j] = o.curve[j*o.d+i]
		}
	}
	o.curved = true
	return o.curve
}

const (
	// sideBySide is about the number of products that is worth several goroutines.
	sideBySide = 1 << 20
	// block is the number of data that are taken at a time, so that they stay in the
	// processor's first cache.
	block = 32
)

// addOuters adds the terms of all data, in their order, to every step-th row of the upper
// triangle of the Hessian, from a first.
func (o *objective) addOuters(first, step int) {
	var factors [block]float64
	for s := range o.blocks() {
		bends := o.bends[s.first : s.first+s.rows]
		for i := first; i < o.d; i += step {
			a := s.data[i:]
			for j, bend := range bends {
				factors[j] = bend * a[j*(o.d+1)]
			}
			kernel.AxpyRows(o.curve[i*o.d+i:(i+1)*o.d], factors[:len(bends)], a, o.d+1)
		}
	}
}
