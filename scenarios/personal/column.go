package personal

import (
	"errors"

	"starling/actors/topology"
	"starling/scenarios/document"
)

// Column is a column of the problem's own data with the epsilon of every party. Nodes are the
// parties.
type Column struct {
	Column string `yaml:"column,required" range:"a column" doc:"column of the problem's own file with the epsilon of each party, above 0, or none: problem.parameters lists it, so that it is no feature, and nodes are the parties"`
	Delta  string `yaml:"delta" range:"a column" doc:"column of the same file with the delta of each party, above 0 and below 1, to which epsilons belong and at which losses are stated; absent, all nodes have the section's"`

	parse func(text string) (float64, error) // of a column of other values; nil is document.ParseEpsilon
}

// quantities are the columns of the values of every party.
func (c *Column) quantities() []quantity {
	return quantitiesIn(c.Column, c.parse, c.Delta)
}

// Value is a value of a party as it is written. Errorf returns an error at its place.
type Value struct {
	Text   string
	Errorf func(format string, args ...any) error
}

// read returns the values of nodes, from 0, of each quantity. The error has keys of the section, and
// all faults of the columns.
func (c *Column) read(at *Site) ([][]float64, error) {
	if at.Column == nil {
		return nil, document.At("groups.column", "there are no columns of parties here")
	}
	var lists [][]float64
	var errs []error
	for k, q := range c.quantities() {
		list, err := q.read(at, []string{"groups.column", "groups.delta"}[k])
		lists, errs = append(lists, list), append(errs, err)
	}
	return lists, errors.Join(errs...)
}

// read returns the values of nodes, from 0, of one column of the problem's data,
// which a key names.
func (q *quantity) read(at *Site, key string) ([]float64, error) {
	values, err := at.Column(q.column)
	if err != nil {
		return nil, document.At(key, "%v", err)
	}
	if len(values) != at.Nodes && !(at.Fewer && len(values) > at.Nodes) {
		return nil, document.At(key, "the column has values of %d parties, and there are %d nodes", len(values), at.Nodes)
	}
	faults := topology.FileFaults{Name: "column " + q.column}
	list := make([]float64, at.Nodes)
	for node := range list {
		value, err := q.parse(values[node].Text)
		if err != nil {
			faults.Add(values[node].Errorf("column %q: %w", q.column, err))
		}
		list[node] = value
	}
	if err := faults.Err(); err != nil {
		return nil, document.AtEach(key, err)
	}
	return list, nil
}
