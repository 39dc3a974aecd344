package guide

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// Named is a kind with the section that names it.
type Named struct {
	// Section is the key of a scenario that names the kind: algorithm, problem, and so on.
	// Sets, divergences and models of rows are sections inside others.
	Section string
	kind.Kind
}

// KindsOf lists the kinds of a catalog, section by section, in the catalog's order. The caller
// owns the list.
func KindsOf(c *kind.Catalog) (list []Named) {
	for _, s := range c.Sections() {
		for _, k := range *s.Kinds {
			list = append(list, Named{s.Name, k})
		}
	}
	return list
}

// Fit states whether a kind goes with another, and why not.
type Fit struct {
	// Section and Kind name the other kind. Why is a clause for people, empty where the
	// two fit.
	Section string `json:"section"`
	Kind    string `json:"kind"`
	Fits    bool   `json:"fits"`
	Why     string `json:"why,omitempty"`
	// because is Why without the names; several kinds may share it.
	because string
}

// Glossary is the section of a word that is neither a kind nor a metric.
const Glossary = "glossary"

// Description describes a name for users.
type Description struct {
	// Section is the section of a kind; or metric; or scenario, sweep or events; or Glossary.
	Section string `json:"section"`
	Name    string `json:"name"`
	Summary string `json:"summary"`
	// Papers are the papers of library scenarios with this algorithm.
	Papers  []results.Paper `json:"papers,omitempty"`
	Options []Option        `json:"options,omitempty"`
	// Examples are sections that name the kind, as text; for an algorithm, whole scenarios.
	Examples []string `json:"examples,omitempty"`
	// With are kinds of other sections, and whether this one goes with them.
	With []Fit `json:"goes_with,omitempty"`
	// Metric is the entry of a metric in the lists.
	Metric *metric.Metric `json:"metric,omitempty"`
	// RecordedBy are the algorithms that record a metric; empty where all may.
	RecordedBy []string `json:"recorded_by,omitempty"`
}

// wholeExamples are examples of parts of a scenario that are no kinds, by their names in Whole.
var wholeExamples = map[string][]string{
	"sweep": {
		"{grid: {mechanism.epsilon: [0.5, 1, none], nodes: [6, 12]}}",
		"{list: [{name: ring, set: {topology: {kind: ring}}}, {name: torus, set: {topology: {kind: torus, sides: [2, 3]}}}]}",
	},
}

// Describe describes a name: a kind, a metric, or one of Whole. If several sections have a
// kind of the name, it returns all; problem/logistic means one. For an unknown name the error
// names the nearest.
func (g *Guide) Describe(name string) (list []Description, err error) {
	for _, k := range KindsOf(g.kinds) {
		if name != k.Kind.Kind && name != k.Section+"/"+k.Kind.Kind {
			continue
		}
		// A description describes one kind: where two sections share a name the list has both,
		// and the prefix of the section chooses.
		d := Description{Section: k.Section, Name: k.Kind.Kind, Summary: k.Summary, Examples: k.Examples, With: g.fits(k)}
		d.Options, _ = g.Options(k.Section, k.Kind.Kind)
		if k.Section == "algorithm" {
			// The catalog has no papers. The library has them, with its scenarios.
			if d.Papers, err = papersOf(k.Kind.Kind); err != nil {
				return nil, err
			}
		}
		list = append(list, d)
	}
	for _, m := range g.kinds.AllMetrics() {
		if name == m.Name || name == "metric/"+m.Name {
			list = append(list, Description{Section: "metric", Name: m.Name, Summary: m.Summary, Metric: &m, RecordedBy: g.recorders(m.Name)})
		}
	}
	if slices.Contains(Whole, name) {
		d := Description{Section: name, Name: name, Summary: g.definitions[name].Description, Examples: wholeExamples[name]}
		d.Options, _ = g.Options(name, "")
		list = append(list, d)
	}
	if list == nil {
		return nil, errors.New(document.Unknown("kind or metric", name, g.Names()))
	}
	return list, nil
}

// Names returns all names that Describe takes, without sections in front.
func (g *Guide) Names() []string {
	names := slices.Clone(Whole)
	for _, k := range KindsOf(g.kinds) {
		names = append(names, k.Kind.Kind)
	}
	names = append(names, g.kinds.AllMetrics().Names()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// Labelled returns the names of the metrics that have a label, in small letters or large, where it is no name of a metric or
// kind.
func (g *Guide) Labelled(label string) (names []string) {
	if slices.Contains(g.Names(), label) {
		return nil
	}
	for _, m := range g.kinds.AllMetrics() {
		if strings.EqualFold(m.Label, label) && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// recorders returns the algorithms that record a metric; nil where all algorithms record it.
func (g *Guide) recorders(metric string) (list []string) {
	for _, a := range g.kinds.Algorithms {
		if slices.Contains(a.Metrics.Names(), metric) {
			list = append(list, a.Kind)
		}
	}
	return list
}

// papersOf returns the papers of library scenarios with an algorithm, each once.
func papersOf(algorithm string) (list []results.Paper, err error) {
	entries, err := loading.LibraryEntries()
	for _, e := range entries {
		p := e.Paper
		if p == nil || e.Algorithm != algorithm || slices.ContainsFunc(list, func(other results.Paper) bool { return other.Title == p.Title }) {
			continue
		}
		list = append(list, results.Paper{Title: p.Title, Authors: p.Authors, URL: p.URL})
	}
	return list, err
}

// fits returns the kinds of other sections that a kind could stand beside: by the table of
// pairs, by the topologies that algorithms take, and by the sections that hold it.
func (g *Guide) fits(k Named) (list []Fit) {
	// The table of pairs has problems and mechanisms. Each pair is read from either side,
	// with the half of the reason that is about the other.
	for _, p := range Pairs(g.kinds) {
		switch {
		case k.Section == "algorithm" && p.Algorithm == k.Kind.Kind:
			list = append(list, Fit{p.Section, p.Kind, p.Fits, p.Why, p.Is})
		case k.Section == p.Section && p.Kind == k.Kind.Kind:
			list = append(list, Fit{"algorithm", p.Algorithm, p.Fits, p.Why, p.Takes})
		}
	}
	for _, a := range g.kinds.Algorithms {
		takes := TopologiesOf(a)
		switch {
		case k.Section == "algorithm" && a.Kind == k.Kind.Kind:
			for _, t := range g.kinds.Topologies {
				list = append(list, Fit{Section: "topology", Kind: t.Kind, Fits: takes.Fits(t)})
			}
		case k.Section == "topology":
			list = append(list, Fit{Section: "algorithm", Kind: a.Kind, Fits: takes.Fits(k.Kind)})
		}
	}
	return append(list, g.holders(k.Section)...)
}

// kindIn returns the kind of a section of a scenario's text, or "" where the text has no such
// section.
func kindIn(text, section string) string {
	doc, err := document.Parse("example", []byte(text))
	if err != nil {
		return ""
	}
	if node, ok := doc.Find(section + ".kind"); ok {
		return node.Value()
	}
	return ""
}

// holders returns the kinds with a key that holds a section, as problems hold a set.
func (g *Guide) holders(section string) (list []Fit) {
	for _, k := range KindsOf(g.kinds) {
		options, _ := g.Options(k.Section, k.Kind.Kind)
		if k.Section != section && slices.ContainsFunc(options, func(o Option) bool { return o.section == section }) {
			list = append(list, Fit{Section: k.Section, Kind: k.Kind.Kind, Fits: true})
		}
	}
	slices.SortStableFunc(list, func(a, b Fit) int { return cmp.Compare(a.Section, b.Section) })
	return list
}

// WithOf splits the kinds of a section in With into those that go with this kind, as names,
// and the others, with reasons. Both are in the order of With.
func (d *Description) WithOf(section string) (fitting []string, others []Fit) {
	for _, f := range d.With {
		switch {
		case f.Section != section:
		case f.Fits:
			fitting = append(fitting, f.Kind)
		default:
			others = append(others, f)
		}
	}
	return fitting, others
}

// Usual returns the flags of init that begin a scenario with the kind; it is empty for
// sections that init does not choose.
func (d *Description) Usual() string {
	problem := ""
	if d.Section == "algorithm" && len(d.Examples) > 0 {
		problem = kindIn(d.Examples[0], "problem")
	}
	with, _ := d.WithOf("algorithm")
	switch {
	case problem != "":
		return "--algorithm " + d.Name + " --problem " + problem
	case len(with) > 0 && d.Section == "problem":
		return "--algorithm " + with[0] + " --problem " + d.Name
	}
	return ""
}
