package guide

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
)

// commentWidth is the number of columns of comments in a new scenario.
const commentWidth = 84

// above returns the comments before a key of a new scenario: the description of a kind, or of
// an option and its values, and the origin of its value. The lines have no number sign yet; an
// empty line stays empty in the file. nil is no comment.
func (g *Guide) above(places []place, n *document.Node, settings []study.Setting) (lines []string) {
	parent, key := cutLast(n.Path())
	// An empty line sets the sections of the file apart.
	if parent == "" && n.Kind() == document.Mapping {
		lines = []string{""}
	}
	if i := slices.IndexFunc(places, func(p place) bool { return p.kind != "" && p.path == parent }); i >= 0 && key == "kind" {
		p := places[i]
		return tabular.Wrap(fmt.Sprintf("%s: %s; more: starling describe %s/%s", p.kind, g.named(p.section, p.kind).Summary, p.section, p.kind), commentWidth)
	}
	// A note on the user's data stands before the description of the option.
	for _, s := range settings {
		if s.Path == n.Path() && s.Note != "" {
			lines = append(lines, tabular.Wrap(s.Note, commentWidth)...)
		}
	}
	// The innermost section that has the key explains it: places list outer sections
	// first.
	for _, p := range slices.Backward(places) {
		for _, o := range p.options {
			if joined(p.path, o.Key) != n.Path() {
				continue
			}
			return append(lines, tabular.Wrap(explained(&o), commentWidth)...)
		}
	}
	return lines
}

// cutLast splits the last key off a path.
func cutLast(path string) (parent, key string) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// explained describes an option, and in brackets its values. For a section it has no brackets:
// the section's kind has a description of its own.
func explained(o *Option) string {
	if o.section != "" || o.Type == "mapping" {
		return o.Text
	}
	return o.Text + " (" + o.Value() + ")"
}

// below returns the options that a mapping of a new scenario lacks, as comments, each followed
// by its description: without its number sign the line gives the option its default. The lines
// have no number sign yet.
func below(places []place, n *document.Node) (lines []string) {
	for _, o := range optionsAt(places, n) {
		if _, ok := n.Get(o.Key); ok {
			continue
		}
		if lines == nil && n.Path() == "" {
			lines = []string{""}
		}
		line := o.Key + ":"
		if o.value != nil {
			line += " " + textOf(o.value)
		}
		lines = append(lines, line)
		for _, line := range tabular.Wrap(explained(&o), commentWidth-4) {
			lines = append(lines, "    "+line)
		}
	}
	return lines
}
