package guide

import (
	"strings"

	"starling/scenarios/document"
)

// Value is a word that can stand on a command line, with its description.
type Value struct{ Text, About string }

// Paths returns the paths that a scenario can set, with descriptions: the keys of the file and
// of the kinds that it names. doc may be nil, for any scenario.
func (g *Guide) Paths(doc *document.Document) (list []Value) {
	options, _ := g.Options("scenario", "")
	places := []place{{"", "scenario", "", options}}
	if doc != nil {
		places = g.places(doc)
	}
	for _, p := range places {
		if p.kind != "" {
			list = append(list, Value{joined(p.path, "kind"), "the kind of " + p.section})
		}
		for _, o := range p.options {
			if !strings.Contains(o.Key, "[]") {
				list = append(list, Value{joined(p.path, o.Key), o.Text})
			}
		}
	}
	return list
}

// Values returns words that a path can be set to: the kinds of a section, the words of an
// option, and its default. It is empty where any value is allowed. A shell's completion calls
// it for every key press: it reads no data and builds nothing.
func (g *Guide) Values(doc *document.Document, path string) (list []Value) {
	if doc == nil {
		return nil
	}
	for _, p := range g.places(doc) {
		if p.kind != "" && joined(p.path, "kind") == path {
			return g.KindValues(p.section)
		}
		for _, o := range p.options {
			switch {
			case joined(p.path, o.Key) != path:
			case len(o.Words) > 0:
				for _, word := range o.Words {
					list = append(list, Value{word, ""})
				}
			case o.value != nil:
				list = append(list, Value{o.Default, "the default"})
			}
		}
	}
	return list
}

// KindValues returns the kinds of a section of the catalog.
func (g *Guide) KindValues(section string) (list []Value) {
	for _, name := range g.namesOf(section) {
		list = append(list, Value{name, g.named(section, name).Summary})
	}
	return list
}
