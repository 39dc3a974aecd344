package federated

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// errSampled refuses a loss that this family of algorithms never has, and
// whose conversion would take seconds a point.
var errSampled = errors.New("a learner meets each client once, and no sampled Gaussian is accounted for")

// Spent implements algorithm.Meter. It refuses what takes the learner beyond
// the budget, and charges nothing for it: the error wraps accountant.ErrBudget.
func (m *Meter) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if loss.Sampled != (accountant.SampledGaussian{}) {
		return errSampled
	}
	l := &m.learners[m.learnerOf(node)]
	after := l.spent.Compose(loss)
	if b := m.Budget; b != nil && b.Private() {
		epsilon, err := after.EpsilonAt(b.Delta, accountant.PLD)
		if err != nil {
			return err
		}
		if !(accountant.Loss{Epsilon: epsilon}).Within(accountant.Loss{Epsilon: b.Epsilon}) {
			return fmt.Errorf("%w: a release of %s after %s is over the budget of %s", accountant.ErrBudget, loss, l.spent, *b)
		}
	}
	l.spent = after
	point, _ := m.point(step)
	m.spent[point].raise(after)
	return nil
}

// largest is the largest loss of a learner, part by part: an upper bound where
// learners spend in different ways, and exact where they spend alike.
type largest struct{ epsilon, delta, rho atomic.Uint64 }

func (l *largest) raise(loss accountant.Loss) {
	raise(&l.epsilon, loss.Epsilon)
	raise(&l.delta, loss.Delta)
	raise(&l.rho, loss.Rho)
}

// raise sets a number to the larger of itself and v. For numbers >= 0 the order
// of the bits is that of the numbers.
func raise(to *atomic.Uint64, v float64) {
	bits := math.Float64bits(v)
	for old := to.Load(); bits > old; old = to.Load() {
		if to.CompareAndSwap(old, bits) {
			return
		}
	}
}

// with is the larger of a loss and this one, part by part.
func (l *largest) with(loss accountant.Loss) accountant.Loss {
	return accountant.Loss{
		Epsilon: max(loss.Epsilon, math.Float64frombits(l.epsilon.Load())),
		Delta:   max(loss.Delta, math.Float64frombits(l.delta.Load())),
		Rho:     max(loss.Rho, math.Float64frombits(l.rho.Load())),
	}
}
