package accountant

import (
	"fmt"

	"starling/mechanisms/portable"
)

// Relation names the data that are neighbours, for losses of one record.
type Relation string

// The relations. Losses for different ones do not compare: replacing a record is
// removing it and adding another.
const (
	// AddOrRemove adds or removes one record: even the number of records is private. It
	// is the relation of every Loss in this package.
	AddOrRemove Relation = "add-or-remove"
	// Replace exchanges one record for another: the number of records is the same, and
	// public.
	Replace Relation = "replace"
)

// Group returns the loss for data that differ in count records, each of which is a step
// between neighbours. Pure epsilons multiply; a pair becomes (count epsilon, delta (e^(count
// epsilon) - 1)/(e^epsilon - 1)) (Dwork, Roth 2014, theorem 2.2; Vadhan 2017, lemma 2.2 with
// its sum); the mean of Gaussian noise moves count times as far, so Rho grows by count^2, as
// does Concentrated (Bun, Steinke 2016, proposition 1.9). It returns an error for a count
// below 1, and for sampled Gaussian steps, which have no such rule.
func (l Loss) Group(count int) (Loss, error) {
	switch {
	case count < 1:
		return Loss{}, fmt.Errorf("a group of %d records; want at least 1", count)
	case count == 1:
		return l, nil
	case l.Sampled.Steps > 0:
		return Loss{}, fmt.Errorf("group privacy of sampled Gaussian steps")
	}
	k := float64(count)
	group := Loss{Epsilon: k * l.Epsilon, Laplace: k * l.Laplace, Rho: k * k * l.Rho, Concentrated: k * k * l.Concentrated}
	if l.Delta > 0 {
		growth := k
		if l.Epsilon > 0 {
			growth = portable.Expm1(k*l.Epsilon) / portable.Expm1(l.Epsilon)
		}
		group.Delta = min(1, l.Delta*growth)
	}
	return group, nil
}
