package personal

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"starling/actors/option"
	"starling/scenarios/document"
)

// Values are numbers of clients that differ, of a key of their algorithm: a list of groups, or a
// file with a line for each client. They name clients as Groups do.
type Values struct{ groups Groups } // with the value in place of the epsilon

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

// DecodeNode implements document.NodeDecoder. Null is no groups, for an arm of a sweep.
func (v *Values) DecodeNode(node *document.Node) error {
	if node.Kind() == document.Null {
		*v = Values{}
		return nil
	}
	if node.Kind() == document.Mapping {
		file := DefaultValueFile()
		err := document.Decode(node, &file)
		v.groups.File = &File{File: file.File, Nodes: file.Nodes, Epsilon: file.Value, parse: valueOf}
		return err
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

// valueOf reads a value.
func valueOf(text string) (float64, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value > 0) || math.IsInf(value, 1) {
		return 0, fmt.Errorf("the value is %q, want a finite number > 0", text)
	}
	return value, nil
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
	groups := v.groups
	if groups.File != nil {
		file := *groups.File
		file.key, groups.File = key, &file
	}
	err := groups.Check()
	var list []float64
	if err == nil {
		var of Assigned
		of, err = groups.Assign(&at, base)
		list = of.Epsilons
	}
	err = option.Rename(err, func(path string) string {
		if rest, ok := strings.CutPrefix(path, "groups["); ok {
			return key + "[" + rest
		}
		return path
	})
	for client, value := range list {
		if err == nil && value > most {
			err = document.At(key, "client %d has %v; want at most %v", client+1, value, most)
		}
	}
	return list, at.Section.Resolve(err)
}
