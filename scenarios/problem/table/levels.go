package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starling/actors/option"
)

// merged are the levels of a column of words as features: names are the features' levels, and
// places has the feature of each level by its rank. A level for cells without a value is behind
// the others, and the level of rare ones is the last.
type merged struct {
	names  []string
	places []int
	// rare are the names of the levels that are merged.
	rare []string
}

// merge returns the levels of all columns of words as features; a column of numbers has none, and is
// empty. Levels with fewer than rare training rows are merged, and all but the most frequent, of
// which the earlier in order count, so that a column has at most that many levels. 0 merges
// none. Levels of test rows that no training row has are as rare as can be. With Steady the names are
// of all levels and of the rare one.
func (t *Table) merge(o DataOptions, fills []fill) ([]merged, error) {
	list, rare, most := make([]merged, len(t.features)), o.Rare, o.Levels
	steady := o.Steady && (rare > 0 || most > 0)
	for k := range t.features {
		f := &t.features[k]
		if !f.words {
			continue
		}
		m := &list[k]
		names := slices.Clone(f.levels.names)
		if f.gaps > 0 && f.missing == MissingIndicator {
			names = append(names, levelMissing)
		}
		m.places = make([]int, len(names))
		keep := make([]bool, len(names))
		if rare == 0 && most == 0 {
			for rank := range keep {
				keep[rank] = true
			}
		} else {
			t.frequent(k, keep, rare, most, fills[k])
		}
		for rank, name := range names {
			if !keep[rank] {
				m.rare = append(m.rare, name)
			}
			if keep[rank] || steady {
				m.places[rank], m.names = len(m.names), append(m.names, name)
			}
		}
		if m.rare == nil && !steady {
			continue
		}
		if len(m.rare) == len(names) {
			return nil, option.Errorf("rare", "column %q has no level with %d training rows; leave it out, or merge fewer", f.name, rare)
		}
		for rank := range names {
			if !keep[rank] {
				m.places[rank] = len(m.names)
			}
		}
		m.names = append(m.names, levelRare)
	}
	return list, nil
}

// frequent sets keep for each level of a column, by its rank, that has enough training rows and is
// among the most frequent.
func (t *Table) frequent(column int, keep []bool, rare, most int, fill fill) {
	f := &t.features[column]
	counts := make([]int, len(keep))
	for _, rows := range t.train {
		for _, row := range rows {
			if v := t.row(row)[column]; v == v {
				counts[f.rankOf[int(v)]]++
			} else {
				counts[int(fill.value)]++
			}
		}
	}
	ranks := make([]int, len(keep))
	for rank := range ranks {
		ranks[rank] = rank
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	if enough := len(ranks); most > 0 && enough > most {
		ranks = ranks[:most-1] // one more for the others
	}
	for _, rank := range ranks {
		keep[rank] = counts[rank] >= rare
	}
}

// Merged lists the columns with levels that are merged, and those levels; it is empty where there
// are none.
func (d *Data) Merged() string {
	var list []string
	for k, m := range d.merged {
		if m.rare != nil {
			list = append(list, fmt.Sprintf("%s: %d of %d, %s", d.Table.features[k].name, len(m.rare), len(m.places), Listed(m.rare)))
		}
	}
	return strings.Join(list, "; ")
}
