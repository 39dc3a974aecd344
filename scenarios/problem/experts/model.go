package experts

import (
	"math"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/portable"
	"starling/scenarios/problem/stream"
)

// Linear is the loss <l, x> of decisions x on the simplex. A datum is the loss vector l,
// len d. It is a stream.Minimiser.
type Linear struct{ dim int }

// NewLinearModel returns the model of d experts.
func NewLinearModel(d int) Linear { return Linear{d} }

// Dim implements problem.Model.
func (m Linear) Dim() int { return m.dim }

// Loss implements problem.Model. Products are added in the order of the experts.
func (m Linear) Loss(x, datum []float64) (loss float64) {
	for n, v := range datum {
		loss += float64(v * x[n])
	}
	return loss
}

// Gradient implements problem.Model: the datum, whatever x is.
func (m Linear) Gradient(dst, _, datum []float64) { copy(dst, datum) }

// Within implements stream.Minimisable: the least losses are known on the simplex.
func (m Linear) Within(set mirror.Set) stream.Minimiser { return onSimplex(m, set) }

// LinearLoss implements stream.Linear.
func (Linear) LinearLoss() {}

// Against returns the comparator of regret.
func (Linear) Against() string { return "the best expert" }

// onSimplex returns a minimiser on the simplex, if that is the set; else nil.
func onSimplex(m stream.Minimiser, set mirror.Set) stream.Minimiser {
	if set == nil || set.Kind() != mirror.KindSimplex {
		return nil
	}
	return m
}

// Minimum implements stream.Minimiser, on the simplex: it is at an expert, the lowest
// where several are best. It leaves the data as they are.
func (m Linear) Minimum(data []float64) stream.Optimum { return minimum(m, data) }

// Add implements Model: the loss vector.
func (Linear) Add(sum, datum []float64) {
	for n, v := range datum {
		sum[n] += v
	}
}

// Hindsight implements Model.
func (m Linear) Hindsight(best, sum []float64) float64 {
	lowest := 0
	for n, v := range sum {
		if v < sum[lowest] {
			lowest = n
		}
	}
	clear(best)
	best[lowest] = 1
	return sum[lowest]
}

// CrossEntropies is the loss -sum_k y_k log q_k of decisions x on the simplex, with q = (1 - d
// gamma) x + gamma and y the softmax of a datum, d Gaussians. It is a stream.Minimiser.
type CrossEntropies struct {
	dim          int
	scale, floor float64 // 1 - d gamma and gamma
}

// Dim implements problem.Model.
func (m CrossEntropies) Dim() int { return m.dim }

// mixed returns the probability that is scored where x_k is predicted.
func (m CrossEntropies) mixed(x float64) float64 { return float64(m.scale*x) + m.floor }

// Loss implements problem.Model.
func (m CrossEntropies) Loss(x, datum []float64) (loss float64) {
	total := logSumExp(datum)
	for k, g := range datum {
		loss -= float64(portable.Exp(g-total) * portable.Log(m.mixed(x[k])))
	}
	return loss
}

// Gradient implements problem.Model.
func (m CrossEntropies) Gradient(dst, x, datum []float64) {
	total := logSumExp(datum)
	for k, g := range datum {
		dst[k] = portable.Exp(g-total) * (-m.scale / m.mixed(x[k]))
	}
}

// Within implements stream.Minimisable: the least losses are known on the simplex.
func (m CrossEntropies) Within(set mirror.Set) stream.Minimiser { return onSimplex(m, set) }

// Against returns the comparator of regret.
func (CrossEntropies) Against() string { return "the best decision of the simplex" }

// Minimum implements stream.Minimiser, on the simplex. It leaves the data as they are.
func (m CrossEntropies) Minimum(data []float64) stream.Optimum { return minimum(m, data) }

// Add implements Model: y, the softmax of a datum.
func (CrossEntropies) Add(sum, datum []float64) {
	total := logSumExp(datum)
	for k, g := range datum {
		sum[k] += portable.Exp(g - total)
	}
}

// minimum returns the least mean loss over data. It has no gap except rounding. The gradient is
// not 0 at a corner of the simplex, and is not taken.
func minimum(m Model, data []float64) stream.Optimum {
	d := m.Dim()
	sum, best := make([]float64, d), make([]float64, d)
	for row := data; len(row) > 0; row = row[d:] {
		m.Add(sum, row[:d])
	}
	least := m.Hindsight(best, sum)
	return stream.Optimum{Status: stream.Solved, Value: least / float64(len(data)/d), GradientNorm: math.NaN(), X: best}
}

// Hindsight implements Model. Over q >= gamma with sum 1 the loss -sum_k Y_k log
// q_k is least at q_k = max(gamma, Y_k/nu). Classes that fall to the floor are taken out until
// none does; each raises nu, so none comes back.
func (m CrossEntropies) Hindsight(best, sum []float64) (loss float64) {
	atFloor := make([]bool, len(sum))
	nu := 0.0
	for changed := true; changed; {
		changed = false
		var mass, floors float64
		for k, v := range sum {
			if atFloor[k] {
				floors += m.floor
			} else {
				mass += v
			}
		}
		nu = mass / (1 - floors)
		for k, v := range sum {
			if !atFloor[k] && v < nu*m.floor {
				atFloor[k], changed = true, true
			}
		}
	}
	for k, v := range sum {
		q := m.floor
		if !atFloor[k] && nu > 0 {
			q = v / nu
		}
		best[k] = max(0, (q-m.floor)/m.scale)
		loss -= float64(v * portable.Log(q))
	}
	return loss
}
