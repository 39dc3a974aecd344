package table

import (
	"fmt"
	"math"
	"slices"

	"starling/scenarios/problem/dataset"
)

// Parties says which party owns a row.
type Parties struct {
	// Columns are the columns with the owner of a row: a party for each value of one, or for each
	// values of several together, whose names " / " joins. None means that no column says it.
	Columns []string
	// Quantiles is the number of parties of about the same number of training rows, by the values
	// of one column of numbers; 0 means that each value is a party.
	Quantiles int
	// Of says that the file itself divides its rows: OfFiles or OfGroups. Empty leaves it to Columns.
	Of string
	// Least is the least number of training rows of a party; 0 means 1. Small is the treatment of
	// smaller ones, SmallDrop or SmallMerge; empty refuses parties without rows.
	Least int
	Small string
}

// The treatments of parties with too few rows: their rows are left out, or are of one party
// together, the last.
const (
	SmallDrop  = "drop"
	SmallMerge = "merge"
)

// The divisions of rows by the file itself: a folder has a Parquet file for each client, with its name, or
// one Parquet file has its rows in row groups of one client each. A row group is a client, named by its number from 1,
// or it has the client in Columns, which then may have several.
const (
	OfFiles  = "files"
	OfGroups = "row-groups"
)

// partyOthers is the name of the party of the rows of small ones.
const partyOthers = "(others)"

// By returns parties with the values of columns.
func By(columns ...string) Parties { return Parties{Columns: columns} }

// owner returns the name of the party of a row. Of several columns the names are joined.
func (r *reader) owner(at dataset.Place, cells []dataset.Cell) (string, error) {
	joined := ""
	for k, column := range r.party {
		name, err := cells[column].Name()
		if err != nil {
			return "", at.Errorf("column %q: %w", r.Party.Columns[k], err)
		}
		if k > 0 {
			name = joined + " / " + name
		}
		joined = name
	}
	return joined, nil
}

// quantileOf keeps the number that decides the party of a row.
func (r *reader) quantileOf(at dataset.Place, cell dataset.Cell) error {
	v, err := number(cell)
	if err != nil {
		return at.Errorf("column %q: %w, whose quantiles are parties", r.Party.Columns[0], err)
	}
	r.quantity = append(r.quantity, v)
	return nil
}

// divideByQuantiles gives each row the party of its number. The bounds are from the rows that no
// file, column or step marks as test rows: a party has the numbers above the bound below it, up to its
// own. Rows that a seed draws for tests count among them. They are drawn within each party, or are all
// rows of some parties, so that parties come before them and are the same under every seed. Bounds are
// a part of the setting, as a column of parties is: nothing is learned by them, and no label counts.
func (r *reader) divideByQuantiles(kept []bool) error {
	t, parts := r.table, r.Party.Quantiles
	var values []float64
	for i, v := range r.quantity {
		if !t.tests[i] && (kept == nil || kept[i]) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	var bounds []float64 // the greatest number of each party but the last
	for k := 1; k < parts; k++ {
		bound := values[max(0, int(math.Ceil(float64(k)*float64(len(values))/float64(parts)))-1)]
		if len(bounds) > 0 && bound == bounds[len(bounds)-1] || bound == values[len(values)-1] {
			return fmt.Errorf("%s: column %q has too few different values for %d quantiles; want fewer", r.path, r.Party.Columns[0], parts)
		}
		bounds = append(bounds, bound)
	}
	column := r.Party.Columns[0]
	for k := range parts {
		name := fmt.Sprintf("%s above %v", column, bounds[max(0, k-1)])
		switch k {
		case parts - 1:
		case 0:
			name = fmt.Sprintf("%s to %v", column, bounds[0])
		default:
			name += fmt.Sprintf(" to %v", bounds[k])
		}
		r.owners.names = append(r.owners.names, name)
	}
	for i, v := range r.quantity {
		if i >= r.before && r.second && r.party == nil {
			break // rows of tests without an owner
		}
		party, _ := slices.BinarySearch(bounds, v)
		t.owners[i] = int32(party)
	}
	return nil
}

// orderParties returns the place of each party by its code, in the order of names or of quantiles,
// and keeps their names. Parties with too few rows have place -1, or the last one.
func (r *reader) orderParties(kept []bool) (rank []int, err error) {
	t := r.table
	if r.Party.Quantiles > 0 {
		if err := r.divideByQuantiles(kept); err != nil {
			return nil, err
		}
		rank = make([]int, len(r.owners.names))
		for k := range rank {
			rank[k] = k
		}
	} else {
		rank = r.owners.ranked(nil)
	}
	t.Parties = r.owners.names
	if r.Party.Small == "" {
		return rank, nil
	}
	return rank, r.joinSmall(rank, kept)
}

// joinSmall leaves out parties with too few training rows, or gives their rows to one party. It
// changes rank.
func (r *reader) joinSmall(rank []int, kept []bool) error {
	t := r.table
	rows := make([]int, len(rank)) // by place
	for i, owner := range t.owners {
		if owner >= 0 && !t.tests[i] && (kept == nil || kept[i]) {
			rows[rank[owner]]++
		}
	}
	var names []string
	places := make([]int, len(rank))
	others := 0
	for place, name := range t.Parties {
		if rows[place] >= max(1, r.Party.Least) {
			places[place], names = len(names), append(names, name)
			continue
		}
		places[place] = -1
		t.Small = append(t.Small, name)
		others += rows[place]
	}
	if len(t.Small) > 0 && r.Party.Small == SmallMerge {
		if others < max(1, r.Party.Least) {
			return fmt.Errorf("%s: %d training rows in all are of parties with fewer than %d, %s; want a smaller least, or small: drop", r.path, others, max(1, r.Party.Least), Listed(t.Small))
		}
		for place := range places {
			if places[place] < 0 {
				places[place] = len(names)
			}
		}
		names = append(names, partyOthers)
	}
	if names == nil {
		return fmt.Errorf("%s: no party has %d training rows", r.path, r.Party.Least)
	}
	for code := range rank {
		rank[code] = places[rank[code]]
	}
	t.Parties = names
	return nil
}
