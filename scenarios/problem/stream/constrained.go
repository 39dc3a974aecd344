package stream

import (
	"fmt"
	"math"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/kernel"
)

// SetTolerance is the gap, in units of the mean loss, up to which a least loss on a set
// is solved for.
const SetTolerance = 1e-6

// The largest number of steps of the search for a least loss on a set, and the number of steps
// between computations of its gap.
const (
	mostSetSteps = 1000
	gapEvery     = 10
)

// LogisticOn is Logistic with decisions from a set. It is a Minimiser of losses on the set,
// which are attained whether or not data are separable.
type LogisticOn struct {
	Logistic
	set mirror.Set
}

// On returns the model with decisions from a set of its dimension.
func (l Logistic) On(set mirror.Set) LogisticOn { return LogisticOn{l, set} }

// Within implements Minimisable.
func (l Logistic) Within(set mirror.Set) Minimiser {
	if set == nil {
		return l
	}
	return l.On(set)
}

// Minimum implements Minimiser, for m data: the least mean loss on the set, by the method of
// LeastOn. It leaves the data as they are.
func (l LogisticOn) Minimum(data []float64) Optimum { return l.MinimumOf([][]float64{data}) }

// MinimumOf implements Reader.
func (l LogisticOn) MinimumOf(parts [][]float64) Optimum {
	o := newObjective(l.dim, parts)
	o.l2 = l.l2
	return leastOn(o, float64(o.longest*o.longest/4)+o.l2, l.set)
}

// LeastOn returns the least mean loss of a convex model over data, rows of width numbers, on a
// set. It uses projected gradients with momentum that begins anew where it points uphill
// (Beck, Teboulle 2009; O'Donoghue, Candes 2015). Curvature is a Lipschitz constant of the
// gradients at these data. The gap at x is max_y <gradient, x - y> over the set, a bound by
// convexity; it is at most SetTolerance, or the status is Undecided.
func LeastOn(model Model, data []float64, width int, curvature float64, set mirror.Set) Optimum {
	return leastOn(&mean{model, data, width, make([]float64, model.Dim())}, curvature, set)
}

func leastOn(o smooth, curvature float64, set mirror.Set) Optimum {
	s := newSetSearch(o, curvature, set)
	best := s.optimum()
	for step := 1; step <= mostSetSteps && best.Gap > SetTolerance; step++ {
		s.step()
		if step%gapEvery == 0 {
			if now := s.optimum(); now.Gap < best.Gap {
				best = now
			}
		}
	}
	if best.Gap <= SetTolerance {
		best.Status = Solved
	}
	return best
}

// smooth is a convex function with Lipschitz gradients.
type smooth interface {
	value(x []float64) float64
	gradient(grad, x []float64)
}

// mean is the mean loss of any model over data.
type mean struct {
	model Model
	data  []float64
	width int
	one   []float64 // scratch for a gradient
}

func (m *mean) value(x []float64) (sum float64) {
	for at := 0; at < len(m.data); at += m.width {
		sum += m.model.Loss(x, m.data[at:at+m.width])
	}
	return sum * float64(m.width) / float64(len(m.data))
}

func (m *mean) gradient(grad, x []float64) {
	clear(grad)
	for at := 0; at < len(m.data); at += m.width {
		m.model.Gradient(m.one, x, m.data[at:at+m.width])
		kernel.Add(grad, m.one)
	}
	kernel.Scale(grad, float64(m.width)/float64(len(m.data)), grad)
}

// Notes returns notes on the accuracy of the least losses that regret compares with. It solves
// all rounds, and all data together, that have not been solved. If leftOut is not empty it
// solves nothing, and leftOut is the reason.
func (l LogisticOn) Notes(c *Comparator, leftOut string) []Note {
	return GapNotes(c, "least losses on the set", leftOut)
}

// GapNotes returns the notes on least losses that are known up to a gap, as for
// LogisticOn.Notes, under a name.
func GapNotes(c *Comparator, name, leftOut string) []Note {
	if leftOut == "" {
		rounds := c.Rounds()
		leftOut = fmt.Sprintf("known to a gap of %.2g; of %d of %d rounds to one above %g", max(rounds.LargestGap, c.Static().Gap), rounds.Undecided, rounds.Count, SetTolerance)
	}
	return []Note{{name, leftOut}}
}

// setSearch is the state of the search: x, and the point ahead of it at which gradients are
// taken.
type setSearch struct {
	smooth
	set             mirror.Set
	at, ahead, next []float64
	grad, work      []float64
	size, momentum  float64 // 1/L, and t of the sequence of momenta
}

func newSetSearch(o smooth, curvature float64, set mirror.Set) *setSearch {
	s := &setSearch{smooth: o, set: set, work: make([]float64, set.WorkSize()), size: 1 / curvature, momentum: 1}
	if math.IsInf(s.size, 1) { // all features are 0
		s.size = 1
	}
	for _, v := range []*[]float64{&s.at, &s.ahead, &s.next, &s.grad} {
		*v = make([]float64, set.Dim())
	}
	set.Center(s.at)
	copy(s.ahead, s.at)
	return s
}

// step makes a projected gradient step from the point ahead.
func (s *setSearch) step() {
	s.gradient(s.grad, s.ahead)
	copy(s.next, s.ahead)
	kernel.Axpy(s.next, -s.size, s.grad)
	s.set.Project(s.next, s.next, s.work)
	uphill := 0.0
	for k, v := range s.next {
		uphill += float64((s.ahead[k] - v) * (v - s.at[k]))
	}
	if uphill > 0 {
		s.momentum = 1
	}
	before := s.momentum
	s.momentum = (1 + math.Sqrt(1+float64(4*before*before))) / 2
	for k, v := range s.next {
		s.ahead[k] = v + float64((before-1)/s.momentum*(v-s.at[k]))
	}
	s.at, s.next = s.next, s.at
}

// optimum returns the result at x.
func (s *setSearch) optimum() Optimum {
	s.gradient(s.grad, s.at)
	gap := kernel.Dot(s.grad, s.at) + s.set.Support(s.grad)
	return Optimum{
		Status: Undecided, Value: s.value(s.at), Gap: max(0, gap),
		GradientNorm: kernel.Norm(s.grad), X: append([]float64(nil), s.at...),
	}
}
