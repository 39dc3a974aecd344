package scenarios

import (
	"slices"
	"strings"

	"starling/scenarios/document"
)

// Entry is what the catalog says of one kind.
type Entry struct {
	Kind    string `json:"kind"`
	Summary string `json:"summary"`
}

// kind is an entry with the struct that its section is decoded into, holding its
// defaults, for the schema, and what builds it: a value for each who takes the kind,
// whose type says for whom it is.
type kind struct {
	Entry
	section any
	builds  []any
}

// newKind makes an entry of the catalog.
func newKind(name, summary string, section any, builds ...any) kind {
	return kind{Entry{name, summary}, section, builds}
}

// catalog is what scenarios can name, by the section that names it.
type catalog struct {
	algorithms, problems, topologies, mechanisms, networks, sets, divergences []kind
}

func entries(kinds []kind) []Entry {
	list := make([]Entry, len(kinds))
	for i, k := range kinds {
		list[i] = k.Entry
	}
	return list
}

// find returns what builds a section for those who take a B, by the kind that the
// section names. A kind that goes with others only is told from one that is not known
// at all; whom names those who take a B in that error.
func find[B any](kinds []kind, section *document.Node, whom string) (build B, err error) {
	name, err := kindOf(section)
	if err != nil {
		return build, err
	}
	var fitting []string
	known := false
	for _, k := range kinds {
		known = known || k.Kind == name
		for _, candidate := range k.builds {
			b, ok := candidate.(B)
			if ok && k.Kind == name {
				return b, nil
			}
			if ok {
				fitting = append(fitting, k.Kind)
			}
		}
	}
	if known {
		node, _ := section.Get("kind")
		return build, document.Issues{node.Issuef("%q does not go with %s, which takes %s", name, whom, strings.Join(slices.Compact(fitting), ", "))}
	}
	return build, unknownKind(section, name, fitting)
}

// kindOf returns the kind a section names.
func kindOf(section *document.Node) (string, error) {
	node, ok := section.Get("kind")
	switch {
	case section.Kind() != document.Mapping:
		return "", document.Decode(section, &struct{}{})
	case !ok:
		return "", document.Issues{section.Issuef("missing required key %q", "kind")}
	}
	var name string
	if err := document.Decode(node, &name); err != nil {
		return "", err
	}
	return name, nil
}

func unknownKind(section *document.Node, name string, names []string) error {
	node, _ := section.Get("kind")
	return document.Issues{node.Issuef("%s", document.Unknown("kind", name, names))}
}
