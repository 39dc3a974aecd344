package table

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/rng"
)

// The uses of randomness of rows that are held out.
var (
	purposeTests      = rng.PurposeOf("table.tests")
	purposeValidation = rng.PurposeOf("table.validation")
	purposeParties    = rng.PurposeOf("table.test-parties")
)

// Split says which rows are held out of those that are learned from. Beside Stratified, Common,
// Seeded and Validation at most one field is not zero. The zero value holds no more rows out than the
// file does.
type Split struct {
	// Share is the share of the rows of each party that test, above 0 and below 1, one at least,
	// drawn at random. Last is the same of the last rows of each party in their order.
	Share, Last float64
	// Folds is K >= 2: the rows of each party are dealt at random into K folds, with sizes that
	// differ by at most 1. The i-th seed from 0 tests on fold i mod K.
	Folds int
	// Parties is the share of the parties, above 0 and below 1, one at least, that are
	// drawn at random and are no learners: all their rows test.
	Parties float64
	// Stratified: Share, Folds and Validation take the same share of each class of a party, within
	// one row.
	Stratified bool
	// Common: every learner is tested on the test rows of all learners.
	Common bool
	// Validation is the share of the training rows of each party that are held out for the choice
	// of keys, one at least; none of them is a test row.
	Validation float64
	// Seeded: each seed draws anew, and folds change every K seeds. Else all seeds draw alike.
	Seeded bool
}

// Varies reports whether seeds hold out different rows.
func (s Split) Varies() bool {
	return s.Folds > 0 || s.Seeded && (s.Share > 0 || s.Parties > 0 || s.Validation > 0)
}

// Uneven reports whether seeds leave different numbers of training rows to learners.
func (s Split) Uneven() bool { return s.Folds > 0 || s.Seeded && s.Parties > 0 }

// draw is the randomness of a split under a seed: the seeds of the keys of tests and of validation,
// and the fold that tests.
type draw struct {
	tests, validation uint64
	fold              int
}

// under returns the draw of a seed. first is the first seed of the study, which has number 0.
func (s Split) under(seed, first uint64) (d draw) {
	if s.Folds > 0 {
		d.fold = int((seed - first) % uint64(s.Folds))
	}
	if s.Seeded {
		d.tests, d.validation = seed-uint64(d.fold), seed
	}
	return d
}

// Split returns the table with test rows and validation rows held out under a seed; first is the
// first seed of the study. Both tables share the rows. Rows keep their order. A party without a row
// that is left is an *option.Error. A table is split before Data are made of it, so that nothing is
// fitted on rows that are held out.
func (t *Table) Split(s Split, seed, first uint64) (*Table, error) {
	d, split := s.under(seed, first), *t
	split.shared = s.Common
	var err error
	switch {
	case s.Share > 0:
		split.train, split.test, err = t.holdOut(t.drawn(s.Share, s.Stratified, "test.share", rng.NewKey(d.tests, purposeTests)))
	case s.Folds > 0:
		split.train, split.test, err = t.holdOut(t.folded(s, d))
	case s.Last > 0:
		split.train, split.test, err = t.holdOut(t.last(s.Last))
	case s.Parties > 0:
		err = split.holdParties(s.Parties, rng.NewKey(d.tests, purposeParties))
	}
	if err != nil || s.Validation == 0 {
		return &split, err
	}
	split.train, split.validation, err = split.holdOut(split.drawn(s.Validation, s.Stratified, "validation", rng.NewKey(d.validation, purposeValidation)))
	return &split, err
}

// chooser returns the places, among the training rows of a party, of those that are held out.
type chooser func(party int, rows []int) (places []int, err error)

// holdOut divides the training rows of each party. Both the rows that are left and those that are
// held out keep their order.
func (t *Table) holdOut(choose chooser) (left, out [][]int, err error) {
	left, out = make([][]int, len(t.train)), make([][]int, len(t.train))
	for party, rows := range t.train {
		places, err := choose(party, rows)
		if err != nil {
			return nil, nil, err
		}
		held := make([]bool, len(rows))
		for _, k := range places {
			held[k] = true
		}
		out[party], left[party] = make([]int, 0, len(places)), make([]int, 0, len(rows)-len(places))
		for k, row := range rows {
			if held[k] {
				out[party] = append(out[party], row)
			} else {
				left[party] = append(left[party], row)
			}
		}
	}
	return left, out, nil
}

// count returns the number of rows of a party in a share of them, one at least. It is an error at a
// key of the section if no row is left.
func (t *Table) count(party, rows int, share float64, key string) (int, error) {
	count := max(1, int(math.Round(share*float64(rows))))
	if count >= rows {
		return 0, option.Errorf(key, "%s has %s, of which a share of %v leaves none for training; want more rows, or a smaller share", t.party(party), rowCount(rows), share)
	}
	return count, nil
}

// drawn chooses a share of the rows of each party at random.
func (t *Table) drawn(share float64, stratified bool, name string, key rng.Key) chooser {
	var s rng.Stream
	return func(party int, rows []int) ([]int, error) {
		count, err := t.count(party, len(rows), share, name)
		if err != nil {
			return nil, err
		}
		order := s.Open(key, party, 0, 0).Perm(len(rows))
		if !stratified {
			return order[:count], nil
		}
		return t.stratify(rows, order, share, count), nil
	}
}

// stratify returns count places of rows, in the order of a permutation within each class: of a class
// with n rows the whole part of share * n, and one more of the classes with the largest fractions.
func (t *Table) stratify(rows, order []int, share float64, count int) (places []int) {
	byClass := make([][]int, len(t.Classes()))
	for _, k := range order {
		class := t.class(rows[k])
		byClass[class] = append(byClass[class], k)
	}
	take, fractions := make([]int, len(byClass)), make([]float64, len(byClass))
	classes := make([]int, len(byClass))
	for class, members := range byClass {
		quota := share * float64(len(members))
		take[class] = int(quota)
		fractions[class], classes[class] = quota-float64(take[class]), class
		count -= take[class]
	}
	slices.SortStableFunc(classes, func(a, b int) int {
		switch {
		case fractions[a] > fractions[b]:
			return -1
		case fractions[a] < fractions[b]:
			return 1
		}
		return 0
	})
	for _, class := range classes {
		if count > 0 && take[class] < len(byClass[class]) {
			take[class]++
			count--
		}
	}
	for class, members := range byClass {
		places = append(places, members[:take[class]]...)
	}
	return places
}

// folded chooses the fold of a draw. Every K-th row of a random order is in a fold; with Stratified
// the order has the classes one after the other.
func (t *Table) folded(s Split, d draw) chooser {
	var stream rng.Stream
	key := rng.NewKey(d.tests, purposeTests)
	return func(party int, rows []int) (places []int, err error) {
		if len(rows) < s.Folds {
			return nil, option.Errorf("test.folds", "%s has %s, fewer than the %d folds; want more rows, or fewer folds", t.party(party), rowCount(len(rows)), s.Folds)
		}
		order := stream.Open(key, party, 0, 0).Perm(len(rows))
		if s.Stratified {
			slices.SortStableFunc(order, func(a, b int) int { return t.class(rows[a]) - t.class(rows[b]) })
		}
		for k := d.fold; k < len(order); k += s.Folds {
			places = append(places, order[k])
		}
		return places, nil
	}
}

// last chooses a share of the last rows of each party.
func (t *Table) last(share float64) chooser {
	return func(party int, rows []int) (places []int, err error) {
		count, err := t.count(party, len(rows), share, "test.last")
		for k := len(rows) - count; k < len(rows) && err == nil; k++ {
			places = append(places, k)
		}
		return places, err
	}
}

// holdParties makes the rows of a share of the parties test rows without an owner, on which every
// learner is tested, and leaves these parties out.
func (t *Table) holdParties(share float64, key rng.Key) error {
	all := *t
	count := max(1, int(math.Round(share*float64(len(all.Parties)))))
	if count >= len(all.Parties) {
		return option.Errorf("test.parties", "the table has %s, of which a share of %v leaves none for training; want a smaller share", partyCount(len(all.Parties)), share)
	}
	held := make([]bool, len(all.Parties))
	var s rng.Stream
	for _, party := range s.Open(key, 0, 0, 0).Perm(len(held))[:count] {
		held[party] = true
	}
	t.Parties, t.train, t.test, t.parameters, t.shared = nil, nil, nil, nil, true
	for party, name := range all.Parties {
		if held[party] {
			t.common = append(t.common, all.train[party]...)
			continue
		}
		t.Parties, t.train, t.test = append(t.Parties, name), append(t.train, all.train[party]), append(t.test, nil)
	}
	for name, values := range all.parameters {
		if t.parameters == nil {
			t.parameters = map[string][]Value{}
		}
		for party, value := range values {
			if !held[party] {
				t.parameters[name] = append(t.parameters[name], value)
			}
		}
	}
	return nil
}

// party returns the name of a party in errors.
func (t *Table) party(i int) string {
	if t.Parties != nil {
		return fmt.Sprintf("party %q", t.Parties[i])
	}
	return "the table"
}
