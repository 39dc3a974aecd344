package ledger

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// Teller turns totals into epsilons, and remembers what takes long. Nothing else of
// scenarios does. The zero value is ready for use, by one goroutine.
type Teller struct {
	by     accountant.Converter
	shared *Epsilons
}

// Teller returns one that shares with the jobs of the study what takes longest.
func (l *Ledger) Teller() Teller { return Teller{shared: l.shared} }

// Stated is the epsilon of a total at the delta of an account, by its method and for
// its neighbours; +Inf where nothing bounds it. The total stays as it is.
func (t *Teller) Stated(a *Account, total *accountant.Total) (float64, error) {
	if !total.Private() {
		return math.Inf(1), nil
	}
	convert := t.by.Epsilon
	if a.Converted {
		convert = t.by.ReplaceEpsilon
	}
	if t.shared == nil || a.By != accountant.PLD || total.Loss().Sampled.Steps == 0 {
		return convert(total, a.Delta, a.By)
	}
	key := conversion{string(messages.Write(nil, total)), a.Delta, a.Converted}
	return t.shared.get(key, func() (float64, error) { return convert(total, a.Delta, a.By) })
}

// EpsilonOf is the epsilon of a total at a delta, by a method, for the neighbours that
// its losses are for.
func EpsilonOf(total accountant.Total, delta float64, by accountant.Method) (float64, error) {
	return new(Teller).Stated(&Account{Delta: delta, By: by}, &total)
}

// BoundsOf are bounds on the epsilon of sampled Gaussian steps at a delta, by their
// privacy loss distribution.
func BoundsOf(steps accountant.SampledGaussian, delta float64) (accountant.Bounds, error) {
	return accountant.PLDEpsilon([]accountant.SampledGaussian{steps}, delta)
}

// Stated is a total as one loss: pure releases by what they come to at a delta, if
// there is one.
func Stated(total *accountant.Total, delta float64) accountant.Loss {
	loss := total.Loss()
	if _, pure := total.Pure(); !pure || delta == 0 {
		return loss
	}
	if epsilon, err := total.Epsilon(delta, accountant.PLD); err == nil && epsilon < loss.Epsilon {
		return accountant.Loss{Epsilon: epsilon, Delta: delta}
	}
	return loss
}
