package vector

import (
	"math"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/kernel"
	"starling/scenarios/problem/stream"
)

// Best returns the minimiser of the mean loss of a model over any data, with decisions from a
// set or, where set is nil, from R^d. It returns nil where the least loss is not known: for
// hidden layers, and on R^d for hinge and softmax without a ridge term, where the gap has no
// bound. Each kind has a search of its own, and the optimum has a certified gap:
//
//	logistic        on R^d by Newton's method, on a set by accelerated gradients
//	linear, huber   on R^d by weighted least squares, on a set by accelerated gradients
//	hinge           as a game of two players, on a set or the ball of its ridge term
//	softmax         by accelerated gradients, on a set or that ball
func Best(m Model, set mirror.Set) stream.Minimiser {
	if !m.Convex() {
		return nil
	}
	compact := set != nil || m.StrongConvexity() > 0
	switch m := m.(type) {
	case logistic:
		if set == nil {
			return m.Logistic
		}
		return m.On(set)
	case margin:
		if set == nil {
			return best{m, m.leastResiduals}
		}
		return smooth(m, m.dim, m.curvature, set)
	case classifier:
		if compact {
			return best{m, func(data []float64) stream.Optimum { return m.leastHinge(data, compacted(m, data, m.dim+1, set)) }}
		}
	case network:
		if compact {
			return smooth(m, m.Width()-1, m.curvature, set)
		}
	}
	return nil
}

// smooth returns the minimiser for losses with Lipschitz gradients, on a set or, with a ridge
// term, on R^d. curvature returns a Lipschitz constant for features of at most the 2-norm
// longest.
func smooth(m Model, features int, curvature func(longest float64) float64, set mirror.Set) best {
	return best{m, func(data []float64) stream.Optimum {
		t := table{data: data, features: features}
		return stream.LeastOn(m, data, features+1, curvature(t.longest()), compacted(m, data, features+1, set))
	}}
}

// best is a model with its least losses.
type best struct {
	Model
	minimum func(data []float64) stream.Optimum
}

// Minimum implements stream.Minimiser.
func (b best) Minimum(data []float64) stream.Optimum { return b.minimum(data) }

// Notes returns notes on the accuracy of the least losses that regret compares with.
func (b best) Notes(c *stream.Comparator, leftOut string) []stream.Note {
	return stream.GapNotes(c, "least losses", leftOut)
}

// table is data as rows of features and a label.
type table struct {
	// data are rows of features and a label one after the other; features is the number of
	// features of a row. rows is the number of rows, where means need it.
	data     []float64
	features int
	rows     float64
}

// each calls use with the number, the features and the label of every datum.
func (t *table) each(use func(j int, a []float64, y float64)) {
	width := t.features + 1
	for at := 0; at < len(t.data); at += width {
		use(at/width, t.data[at:at+t.features], t.data[at+t.features])
	}
}

// longest returns the largest 2-norm of features.
func (t *table) longest() (norm float64) {
	t.each(func(_ int, a []float64, _ float64) { norm = max(norm, kernel.Norm(a)) })
	return norm
}

// compacted returns the set, or where it is nil a ball that contains the minimiser of losses
// with a ridge term. No loss is below 0, and so l2/2 ||x||^2 at the minimiser x is at most the
// mean loss at 0.
func compacted(m Model, data []float64, width int, set mirror.Set) mirror.Set {
	if set != nil {
		return set
	}
	zero := make([]float64, m.Dim())
	var sum float64
	for at := 0; at < len(data); at += width {
		sum += m.Loss(zero, data[at:at+width])
	}
	mean := sum * float64(width) / float64(len(data))
	const wider = 1 + 1e-6 // than rounding
	ball, err := mirror.NewL2Ball(m.Dim(), max(1e-6, wider*math.Sqrt(2*mean/m.StrongConvexity())), nil)
	if err != nil {
		panic(err) // data are finite
	}
	return ball
}
