package personal

import (
	"starling/actors/topology"
	"starling/scenarios/document"
)

// Column is a column of the problem's own data with the epsilon of every party. Nodes are the
// parties.
type Column struct {
	Column string `yaml:"column,required" range:"a column" doc:"column of the problem's own file with the epsilon of each party, above 0, or none: problem.parameters lists it, so that it is no feature, and nodes are the parties"`
}

// Value is a value of a party as it is written. Errorf returns an error at its place.
type Value struct {
	Text   string
	Errorf func(format string, args ...any) error
}

// read returns the epsilons of nodes, from 0. The error has keys of the section, and all faults of
// the column.
func (c *Column) read(at *Site) ([]float64, error) {
	if at.Column == nil {
		return nil, document.At("groups.column", "there are no columns of parties here")
	}
	values, err := at.Column(c.Column)
	if err != nil {
		return nil, document.At("groups.column", "%v", err)
	}
	if len(values) != at.Nodes && !(at.Fewer && len(values) > at.Nodes) {
		return nil, document.At("groups.column", "the column has values of %d parties, and there are %d nodes", len(values), at.Nodes)
	}
	faults := topology.FileFaults{Name: "column " + c.Column}
	list := make([]float64, at.Nodes)
	for node := range list {
		epsilon, err := document.ParseEpsilon(values[node].Text)
		if err != nil {
			faults.Add(values[node].Errorf("column %q: %w", c.Column, err))
		}
		list[node] = epsilon
	}
	if err := faults.Err(); err != nil {
		return nil, document.AtEach("groups.column", err)
	}
	return list, nil
}
