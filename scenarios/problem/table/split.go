package table

import (
	"fmt"
	"math"

	"starling/actors/option"
	"starling/mechanisms/rng"
)

// The uses of randomness of rows that are held out. They are the same under every seed: they are a
// property of the data.
var (
	purposeTests      = rng.PurposeOf("table.tests")
	purposeValidation = rng.PurposeOf("table.validation")
)

// HoldOut returns the table with a share of the training rows of each party, above 0 and below 1
// and at least one row, as its test rows. They are drawn at random, and keep their order. A party
// without a row that is left is an *option.Error. Both tables share the rows. A table is split
// before Data are made of it, so that nothing is fitted on rows that are held out.
func (t *Table) HoldOut(share float64) (*Table, error) {
	split := *t
	var err error
	split.train, split.test, err = t.holdOut(share, purposeTests, "test.share")
	return &split, err
}

// Validate is HoldOut for validation rows, of the training rows that are left beside test rows.
func (t *Table) Validate(share float64) (*Table, error) {
	split := *t
	var err error
	split.train, split.validation, err = t.holdOut(share, purposeValidation, "validation")
	return &split, err
}

// holdOut draws a share of the training rows of each party. Both the rows that are left and those
// that are held out keep their order. key is the key of the section in errors.
func (t *Table) holdOut(share float64, purpose rng.Purpose, key string) (left, out [][]int, err error) {
	left, out = make([][]int, len(t.train)), make([][]int, len(t.train))
	var s rng.Stream
	for party, rows := range t.train {
		count := max(1, int(math.Round(share*float64(len(rows)))))
		if count >= len(rows) {
			return nil, nil, option.Errorf(key, "%s has %s, of which a share of %v leaves none for training; want more rows, or a smaller share", t.party(party), rowCount(len(rows)), share)
		}
		// The key has seed 0, so that arms and seeds that are compared are judged by the same rows.
		held := make([]bool, len(rows))
		for _, k := range s.Open(rng.NewKey(0, purpose), party, 0, 0).Perm(len(rows))[:count] {
			held[k] = true
		}
		out[party], left[party] = make([]int, 0, count), make([]int, 0, len(rows)-count)
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

// party returns the name of a party in errors.
func (t *Table) party(i int) string {
	if t.Parties != nil {
		return fmt.Sprintf("party %q", t.Parties[i])
	}
	return "the table"
}
