package table

import (
	"strings"

	"starling/scenarios/problem/dataset"
)

// Value is a value of a party as it is written, and the place of its first row.
type Value struct {
	Text string
	At   dataset.Place
}

// Parameter returns the values of parties in their order of a column of parameters. ok is false
// where it is none.
func (t *Table) Parameter(column string) (values []Value, ok bool) {
	values, ok = t.parameters[column]
	return values, ok
}

// parametersOf notes the parameters of a row's party, by its code. A party has one value of each.
func (r *reader) parametersOf(at dataset.Place, cells []dataset.Cell, code int, party string) error {
	for k, column := range r.parameters {
		text, err := cells[column].Name()
		if err != nil {
			return at.Errorf("column %q: %w", r.Parameters[k], err)
		}
		if code == len(r.values[k]) {
			r.values[k] = append(r.values[k], Value{strings.Clone(text), at})
		}
		if first := r.values[k][code]; first.Text != text {
			return at.Errorf("column %q: got %q, and party %q has %q in %s %d: a parameter is one for all rows of a party", r.Parameters[k], text, party, first.Text, first.At.Unit(), first.At.Line)
		}
	}
	return nil
}

// orderParameters gives the table the parameters of parties in their order; rank has the place of
// each party by its code.
func (r *reader) orderParameters(rank []int) {
	for k, name := range r.Parameters {
		list := make([]Value, len(r.table.Parties))
		for code, value := range r.values[k] {
			if rank[code] >= 0 {
				list[rank[code]] = value
			}
		}
		if r.table.parameters == nil {
			r.table.parameters = map[string][]Value{}
		}
		r.table.parameters[name] = list
	}
}
