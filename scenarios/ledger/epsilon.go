package ledger

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// EpsilonCache turns totals into epsilons, and remembers results that take long. Nothing else in
// scenarios converts totals. The zero value is ready for use, by one goroutine.
type EpsilonCache struct {
	by     accountant.Converter
	shared *Epsilons
}

// Epsilons returns a cache that shares the slowest conversions with the jobs of the study.
func (l *Ledger) Epsilons() EpsilonCache { return EpsilonCache{shared: l.shared} }

// Cache returns a cache that shares the slowest conversions with all others of e; nil shares none.
func (e *Epsilons) Cache() EpsilonCache { return EpsilonCache{shared: e} }

// Stated returns the epsilon of a total at the delta of an account, by its method and for its
// neighbours; +Inf if nothing bounds it. The total is unchanged.
func (t *EpsilonCache) Stated(a *Account, total *accountant.Total) (float64, error) {
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

// EpsilonOf returns the epsilon of a total at a delta, by a method, for the neighbours that
// its losses are for.
func EpsilonOf(total accountant.Total, delta float64, by accountant.Method) (float64, error) {
	return new(EpsilonCache).Stated(&Account{Delta: delta, By: by}, &total)
}

// BoundsOf returns bounds on the epsilon of sampled Gaussian steps at a delta, by their
// privacy loss distribution.
func BoundsOf(steps accountant.SampledGaussian, delta float64) (accountant.Bounds, error) {
	return accountant.PLDEpsilon([]accountant.SampledGaussian{steps}, delta)
}

// Stated returns a total as one loss. Pure releases are converted to an epsilon at the delta,
// if there is one and the epsilon is smaller.
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
