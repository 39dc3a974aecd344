package vector

import (
	"math"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/kernel"
	"starling/scenarios/problem/stream"
)

// Within implements Model: the least losses of a curve that is smooth are known on a compact
// set, and of others nowhere.
func (m margin) Within(set mirror.Set) stream.Minimiser { return smooth(m, m.dim, m.curvature, set) }

// residuals is a margin with the loss of Huber or its limit, the squared loss: on R^d the least
// losses are those of weighted least squares.
type residuals struct{ margin }

// newResiduals returns the model of numbers with such a loss.
func newResiduals(c Curve, r Ridge, data Data) (Model, error) {
	m, err := marginOf(c, Value, r, data)
	return residuals{m}, err
}

// Within implements Model.
func (m residuals) Within(set mirror.Set) stream.Minimiser {
	if set == nil {
		return best{m, m.leastResiduals}
	}
	return m.margin.Within(set)
}

// hinged is the classifier of hinge losses, whose least losses are the value of a game.
type hinged struct{ classifier }

// Within implements Model.
func (m hinged) Within(set mirror.Set) stream.Minimiser {
	if !compact(m, set) {
		return nil
	}
	return best{m, func(data []float64) stream.Optimum { return m.leastHinge(data, compacted(m, data, m.dim+1, set)) }}
}

// Within implements Model: the least losses of networks with hidden layers are not known.
func (n network) Within(set mirror.Set) stream.Minimiser {
	if n.hidden {
		return nil
	}
	return smooth(n, n.Width()-1, n.curvature, set)
}

// compact reports whether all minimisers are in a compact set: the given one, or the ball of a
// ridge term.
func compact(m Model, set mirror.Set) bool { return set != nil || m.StrongConvexity() > 0 }

// smooth returns the minimiser for losses with Lipschitz gradients, on a set or, with a ridge
// term, on R^d, by accelerated gradients; nil if there is none. curvature returns a Lipschitz
// constant for features of at most the 2-norm longest, at parameters of at most the 2-norm
// radius.
func smooth(m Model, features int, curvature func(longest, radius float64) float64, set mirror.Set) stream.Minimiser {
	const some = 1 // a length that is finite
	if !compact(m, set) || math.IsInf(curvature(some, some), 1) {
		return nil
	}
	return best{m, func(data []float64) stream.Optimum {
		t := table{data: data, features: features}
		on := compacted(m, data, features+1, set)
		radius := on.MaxDistance(make([]float64, m.Dim()))
		return stream.LeastOn(m, data, features+1, curvature(t.longest(), radius), on)
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
