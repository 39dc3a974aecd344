package table

import (
	"fmt"
	"math"

	"starling/actors/option"
	"starling/mechanisms/rng"
)

// purposeTests is the use of randomness for the rows that are held out. They are the same under
// every seed: they are a property of the data.
var purposeTests = rng.PurposeOf("table.tests")

// HoldOut returns the table with a share of the training rows of each party, above 0 and below 1
// and at least one row, as its test rows. They are drawn at random, and keep their order. A party
// without a row that is left is an *option.Error. Both tables share the rows. A table is split
// before Data are made of it, so that nothing is fitted on test rows.
func (t *Table) HoldOut(share float64) (*Table, error) {
	split := *t
	split.train, split.test = make([][]int, len(t.train)), make([][]int, len(t.train))
	var s rng.Stream
	for party, rows := range t.train {
		count := max(1, int(math.Round(share*float64(len(rows)))))
		if count >= len(rows) {
			return nil, option.Errorf("test.share", "%s has %s, of which a share of %v leaves none for training; want more rows, or a smaller share", t.party(party), rowCount(len(rows)), share)
		}
		// The key has seed 0: test rows are a property of the data, and arms and seeds that
		// are compared are judged by the same ones.
		held := make([]bool, len(rows))
		for _, k := range s.Open(rng.NewKey(0, purposeTests), party, 0, 0).Perm(len(rows))[:count] {
			held[k] = true
		}
		split.test[party], split.train[party] = make([]int, 0, count), make([]int, 0, len(rows)-count)
		for k, row := range rows {
			if held[k] {
				split.test[party] = append(split.test[party], row)
			} else {
				split.train[party] = append(split.train[party], row)
			}
		}
	}
	return &split, nil
}

// party returns the name of a party in errors.
func (t *Table) party(i int) string {
	if t.Parties != nil {
		return fmt.Sprintf("party %q", t.Parties[i])
	}
	return "the table"
}
