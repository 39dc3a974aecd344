package accountant

import (
	"errors"
	"math"
	"slices"
	"sort"
)

// ErrBudget is wrapped by the error that refuses a release because a privacy
// budget does not pay for it.
var ErrBudget = errors.New("the privacy budget is spent")

// budgetSlack is the relative rounding that a sum of losses may have and still
// count as equal to a budget.
const budgetSlack = 1e-12

// Within reports whether the loss is at most a budget, part by part. A sum that only rounding
// takes beyond the budget is within it, and everything is within a budget that is not private.
// It converts nothing: Gaussian noise is never within a pure budget, however little it costs.
func (l Loss) Within(budget Loss) bool {
	if !budget.Private() {
		return true
	}
	return atMost(l.Epsilon, budget.Epsilon) && atMost(l.Delta, budget.Delta) && atMost(l.Rho, budget.Rho) && atMost(l.Concentrated, budget.Concentrated) &&
		(l.Sampled == SampledGaussian{} || l.Sampled == budget.Sampled)
}

// atMost compares with the relative slack: a budget of 1 pays for ten releases of 0.1,
// although their sum in floating point may exceed 1 by a bit.
func atMost(part, limit float64) bool { return part <= limit*(1+budgetSlack) }

// Within is Limit.Allows of a new limit, by PLD. A total that cannot be converted
// is not within the budget.
func (t *Total) Within(budget Loss) bool {
	within, err := NewLimit(budget, PLD).Allows(t)
	return within && err == nil
}

// Limit compares totals with a budget, many of them: it remembers earlier results. Not for
// concurrent use.
type Limit struct {
	// budget is the loss that may be spent. With Delta = 0 losses are compared part by part;
	// with a delta they are converted to an epsilon at that delta.
	budget Loss
	// replaces means that the budget is for replacing a record.
	replaces bool
	// by is the method of conversion. It must be the method of the reports, so that a run
	// does not stop at a figure that no report shows.
	by Method
	// convert remembers the conversions of totals with Gaussian parts.
	convert Converter
	// most maps a kind of pure release to the number of such releases that the budget pays
	// for. The key has a count of 0. One number answers every later question about releases of
	// one kind.
	most map[pureReleases]int
	// base is the last total of pure releases that a full composition found to be within the
	// budget; nil before the first. The releases that a total adds to base cost at most the
	// sum of their epsilons, which mostly decides without another composition of 10 ms.
	base *Total
	// atBase is the epsilon of base at the budget's delta.
	atBase float64
}

// NewLimit returns the limit of a budget, by a method of conversion.
func NewLimit(budget Loss, by Method) *Limit {
	return &Limit{budget: budget, by: by, most: map[pureReleases]int{}}
}

// NewReplaceLimit is NewLimit of a budget for replacing one record, of losses for adding or
// removing one: it limits Total.ReplaceEpsilon.
func NewReplaceLimit(budget Loss, by Method) *Limit {
	l := NewLimit(budget, by)
	l.replaces = true
	return l
}

// Allows reports whether the total is within the budget. For a budget without a delta that is
// Loss.Within of the sum. For a budget with a delta, Total.Epsilon at it decides. The
// composition of pure releases is for losses that are fixed beforehand: the budget may end
// them early only where their losses, and so the end, depend on no data.
func (l *Limit) Allows(t *Total) (bool, error) {
	if !l.replaces {
		return l.allows(t)
	}
	if doubled, ok := t.doubled(); ok {
		return l.allows(&doubled)
	}
	if b := l.budget; b.Delta == 0 || !b.Private() {
		return !b.Private(), nil // a delta was spent, or Gaussian noise needs one
	}
	epsilon, err := l.convert.ReplaceEpsilon(t, l.budget.Delta, l.by)
	return err == nil && atMost(epsilon, l.budget.Epsilon), err
}

// allows is Allows for the neighbours of the losses.
func (l *Limit) allows(t *Total) (bool, error) {
	b := l.budget
	if b.Delta == 0 || !b.Private() || !t.Private() {
		return t.Loss().Within(b), nil
	}
	if t.delta == 0 && !t.gaussian() {
		if within, known, err := l.allowsPure(t); known || err != nil {
			return within, err
		}
	}
	epsilon, err := l.convert.Epsilon(t, b.Delta, l.by)
	if err != nil {
		return false, err
	}
	within := atMost(epsilon, b.Epsilon)
	if within && t.delta == 0 && !t.gaussian() {
		base := t.Clone()
		l.base, l.atBase = &base, epsilon
	}
	return within, nil
}

// allowsPure decides about pure releases where that takes no composition of them all: their
// sum is within the budget, or they are of one kind, or the total adds only little to one that
// is known to be within.
func (l *Limit) allowsPure(t *Total) (within, known bool, err error) {
	// The cheapest test first: basic composition needs no delta.
	if atMost(t.epsilon, l.budget.Epsilon) {
		return true, true, nil
	}
	// Releases of one kind, the usual case: count them.
	if len(t.pure) == 1 {
		most, err := l.mostOf(t.pure[0])
		return t.pure[0].count <= most, true, err
	}
	// Basic composition of base, at its epsilon, with the releases after base. Here the deltas
	// are in order too: the additions are pure and need none.
	if l.base != nil && t.extends(l.base) && atMost(l.atBase+(t.epsilon-l.base.epsilon), l.budget.Epsilon) {
		return true, true, nil
	}
	return false, false, nil
}

// mostReleases is more releases than any run makes.
const mostReleases = min(1<<40, math.MaxInt/4)

// mostOf returns the number of releases of a kind that the budget allows.
func (l *Limit) mostOf(kind pureReleases) (most int, err error) {
	kind.count = 0
	if most, ok := l.most[kind]; ok {
		return most, nil
	}
	over := func(count int) bool {
		if err != nil || count > mostReleases {
			return true
		}
		of := Total{epsilon: float64(count) * kind.epsilon, pure: []pureReleases{{kind.epsilon, count, kind.laplace}}}
		var epsilon float64
		epsilon, err = of.Epsilon(l.budget.Delta, l.by)
		return err != nil || !atMost(epsilon, l.budget.Epsilon)
	}
	// Doubling, then bisection: epsilon grows with the count, and the answer is not known
	// to be below anything but mostReleases.
	bound := 1
	for !over(bound) {
		bound *= 2
	}
	most = bound/2 + sort.Search(bound-bound/2, func(i int) bool { return over(bound/2 + i + 1) })
	if err == nil {
		l.most[kind] = most
	}
	return most, err
}

// extends reports whether the total has all the pure releases that another has.
func (t *Total) extends(other *Total) bool {
	return !slices.ContainsFunc(other.pure, func(p pureReleases) bool {
		return !slices.ContainsFunc(t.pure, func(q pureReleases) bool {
			return q.cell() == p.cell() && q.count >= p.count && q.epsilon == p.epsilon
		})
	})
}
