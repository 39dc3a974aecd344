package personal

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"starling/mechanisms/rng"
	"starling/scenarios/document"
)

// Values are numbers of clients that differ, of a key of their algorithm. They are given in the four
// ways of Groups, with the value in place of the epsilon.
type Values struct{ groups Groups }

// Valued is a value of some clients.
type Valued struct {
	Members `yaml:",inline"`
	Value   float64 `yaml:"value,required" over:"0" says:"a value of %v" unit:"as the key says" doc:"value of its clients, above 0"`
}

// ValueFile is a CSV file with the value of every client.
type ValueFile struct {
	File  string `yaml:"file,required" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a CSV file with a line for each client"`
	Nodes string `yaml:"nodes" range:"any text" doc:"its column of clients: numbers from 1"`
	Value string `yaml:"value,required" range:"any text" doc:"its column of values, above 0"`
}

// DefaultValueFile returns the keys of a file with the values of keys that are absent.
func DefaultValueFile() ValueFile { return ValueFile{Nodes: "node"} }

// ValueLaw draws the value of every client from a law, as Law draws epsilons. Keys have streams of
// their own: laws of two keys draw independent values.
type ValueLaw struct {
	Law    string    `yaml:"law,required" oneof:"uniform log-uniform choice" doc:"law of the values of clients, each drawn apart from the others: uniform between from and to; log-uniform, whose logarithm is uniform between theirs; or choice of values"`
	From   float64   `yaml:"from" over:"0" says:"from = %v" unit:"as the key says" doc:"least value, of uniform and log-uniform; absent, for choice"`
	To     float64   `yaml:"to" over:"0" says:"to = %v" unit:"as the key says" doc:"greatest value, of uniform and log-uniform; absent, for choice"`
	Values []float64 `yaml:"values" min:"1" says:"%v values" unit:"as the key says" range:"above 0" doc:"values of choice; absent, for other laws"`
	Shares []float64 `yaml:"shares" unit:"share" range:"0 to 1" doc:"chances of values, which sum to 1; absent, all are alike"`
	Draw   int       `yaml:"draw" min:"1" says:"draw = %v" unit:"number" doc:"number of the draw: another number gives clients other values of the law; no seed does"`
}

// DefaultValueLaw returns the keys of a law with the values of keys that are absent.
func DefaultValueLaw() ValueLaw { return ValueLaw{Draw: 1} }

// ValueColumn is a column of the problem's own data with the value of every party.
type ValueColumn struct {
	Column string `yaml:"column,required" range:"a column" doc:"column of the problem's own file with the value of each party, above 0: problem.parameters lists it, so that it is no feature, and clients are the parties"`
}

// valuePurpose is the purpose of the streams of values, by key.
var valuePurpose = rng.PurposeOf("clients.values")

// law returns the law with its values in place of epsilons.
func (l *ValueLaw) law() *Law {
	of := &Law{Law: l.Law, From: l.From, To: l.To, Shares: l.Shares, Draw: l.Draw}
	for _, value := range l.Values {
		of.Values = append(of.Values, document.Epsilon(value))
	}
	return of
}

// DecodeNode implements document.NodeDecoder. Null is no groups, for an arm of a sweep.
func (v *Values) DecodeNode(node *document.Node) error {
	*v = Values{}
	switch node.Kind() {
	case document.Null:
		return nil
	case document.Mapping:
		return v.decodeMapping(node)
	}
	var list []Valued
	err := document.Decode(node, &list)
	if err == nil && len(list) == 0 {
		return node.Issuef("0 groups; want at least 1")
	}
	for _, one := range list {
		v.groups.List = append(v.groups.List, Group{Members: one.Members, Epsilon: document.Epsilon(one.Value)})
	}
	return err
}

// decodeMapping reads a law, a column or a file.
func (v *Values) decodeMapping(node *document.Node) error {
	switch formOf(node) {
	case "law":
		law := DefaultValueLaw()
		err := document.Decode(node, &law)
		v.groups.Law = law.law()
		return err
	case "column":
		var column ValueColumn
		err := document.Decode(node, &column)
		v.groups.Column = &Column{Column: column.Column}
		return err
	}
	file := DefaultValueFile()
	err := document.Decode(node, &file)
	v.groups.File = &File{File: file.File, Nodes: file.Nodes, Epsilon: file.Value}
	return err
}

// Any reports whether there are groups. It is false of nil.
func (v *Values) Any() bool { return v != nil && v.groups.Any() }

// Of returns the value of each client, from 0; base is of clients in no group. key is the name of
// the values in the section of the site. most is the largest value that there may be. The error has
// all faults, each at its place.
func (v *Values) Of(at Site, key string, base, most float64) ([]float64, error) {
	if !v.Any() {
		return nil, nil
	}
	g := v.groups.keyed(key, func(text string) (float64, error) {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || !(value > 0) || math.IsInf(value, 1) {
			return 0, fmt.Errorf("the value is %q, want a finite number > 0", text)
		}
		if value > most {
			return 0, fmt.Errorf("the value is %q, want at most %v", text, most)
		}
		return value, nil
	})
	err := errors.Join(g.Check(), g.named(g.within(most)))
	var list []float64
	if err == nil {
		var of Assigned
		of, err = g.Assign(&at, base)
		list = of.Epsilons
	}
	return list, at.Section.Resolve(err)
}

// keyed returns the groups under another key of their section, with values that are read by parse in
// place of epsilons.
func (g Groups) keyed(key string, parse func(text string) (float64, error)) Groups {
	g.key = key
	switch {
	case g.File != nil:
		file := *g.File
		file.parse, g.File = parse, &file
	case g.Column != nil:
		column := *g.Column
		column.parse, g.Column = parse, &column
	case g.Law != nil:
		law := *g.Law
		law.purpose, g.Law = valuePurpose.Of(key), &law
	}
	return g
}

// within returns the faults of values of lists and laws that are no numbers above 0, or above most.
func (g *Groups) within(most float64) error {
	var errs []error
	check := func(path string, value float64) {
		switch {
		case !(value > 0) || math.IsInf(value, 1):
			errs = append(errs, document.At(path, "a value of %v; want a finite number > 0", value))
		case value > most:
			errs = append(errs, document.At(path, "a value of %v; want at most %v", value, most))
		}
	}
	for k, one := range g.List {
		check(fmt.Sprintf("groups[%d].value", k), float64(one.Epsilon))
	}
	if l := g.Law; l != nil {
		for k, value := range l.Values {
			check(fmt.Sprintf("groups.values[%d]", k), float64(value))
		}
		if l.To > most {
			check("groups.to", l.To)
		}
	}
	return errors.Join(errs...)
}
