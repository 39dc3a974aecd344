package guide

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/study/pairing"
)

// Named is a kind with the section that names it.
type Named struct {
	// Section is the key of a scenario that names the kind: algorithm, problem, and so on.
	// Sets and divergences are sections inside others.
	Section string
	kind.Kind
}

// KindsOf lists the kinds of a catalog, section by section. Within a section the order is
// that of the catalog. The list is the caller's own.
func KindsOf(c *kind.Catalog) (list []Named) {
	for _, s := range []struct {
		name  string
		kinds []kind.Kind
	}{
		{"algorithm", c.Algorithms}, {"problem", c.Problems}, {"topology", c.Topologies}, {"mechanism", c.Mechanisms},
		{"network", c.Networks}, {"compression", c.Codecs},
		{"adversaries", c.Adversaries}, {"combine", c.Combines}, {"set", c.Sets}, {"divergence", c.Divergences},
	} {
		for _, k := range s.kinds {
			list = append(list, Named{s.name, k})
		}
	}
	return list
}

// Fit says whether a kind goes with another, and why not.
type Fit struct {
	// Section and Kind name the other kind. Why is a clause for people, empty where the
	// two fit.
	Section string `json:"section"`
	Kind    string `json:"kind"`
	Fits    bool   `json:"fits"`
	Why     string `json:"why,omitempty"`
	// because is Why without the names, where several kinds share it.
	because string
}

// Description is what people are told of a name.
type Description struct {
	// Section is that of a kind; metric, or scenario, sweep or events themselves.
	Section string `json:"section"`
	Name    string `json:"name"`
	Summary string `json:"summary"`
	// Papers are those that scenarios of the library with this algorithm are from.
	Papers  []results.Paper `json:"papers,omitempty"`
	Options []Option        `json:"options,omitempty"`
	// Examples are sections that name the kind, as text; of an algorithm whole scenarios.
	Examples []string `json:"examples,omitempty"`
	// With are kinds of other sections and whether this goes with them.
	With []Fit `json:"goes_with,omitempty"`
	// Metric is what lists say of a metric.
	Metric *metric.Metric `json:"metric,omitempty"`
	// RecordedBy are the algorithms that record a metric; empty where all may.
	RecordedBy []string `json:"recorded_by,omitempty"`
}

// Describe finds what a name is: a kind, a metric, or one of Whole. A name that several
// sections have gives all of them; problem/logistic means one. An unknown name is an
// error with the nearest.
func (g *Guide) Describe(name string) (list []Description, err error) {
	for _, k := range KindsOf(g.kinds) {
		if name != k.Kind.Kind && name != k.Section+"/"+k.Kind.Kind {
			continue
		}
		// A description is of one kind: where two sections share a name the list has both,
		// and the prefix of the section chooses.
		d := Description{Section: k.Section, Name: k.Kind.Kind, Summary: k.Summary, Examples: k.Examples, With: g.fits(k)}
		d.Options, _ = g.Options(k.Section, k.Kind.Kind)
		if k.Section == "algorithm" {
			// The catalog knows no papers. The library does, by its scenarios.
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
		d := Description{Section: name, Name: name, Summary: g.definitions[name].Description}
		d.Options, _ = g.Options(name, "")
		list = append(list, d)
	}
	if list == nil {
		return nil, fmt.Errorf("unknown kind or metric %q%s; starling list names them", name, document.Suggest(name, g.Names(), ""))
	}
	return list, nil
}

// Names are all that Describe takes, without sections in front.
func (g *Guide) Names() []string {
	names := slices.Clone(Whole)
	for _, k := range KindsOf(g.kinds) {
		names = append(names, k.Kind.Kind)
	}
	names = append(names, g.kinds.AllMetrics().Names()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// recorders are the algorithms with a metric; nil where it is one of all algorithms.
func (g *Guide) recorders(metric string) (list []string) {
	for _, a := range g.kinds.Algorithms {
		if slices.Contains(a.Metrics.Names(), metric) {
			list = append(list, a.Kind)
		}
	}
	return list
}

// papersOf are the papers of library scenarios with an algorithm, each once.
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

// fits are the kinds of other sections that a kind could stand beside: by the table of
// pairs, by what builds topologies, and by which sections hold it.
func (g *Guide) fits(k Named) (list []Fit) {
	// The table of pairs has problems and mechanisms. Each pair is read from either side,
	// with the half of the reason that is about the other.
	for _, p := range pairing.Of(g.kinds) {
		switch {
		case k.Section == "algorithm" && p.Algorithm == k.Kind.Kind:
			list = append(list, Fit{p.Section, p.Kind, p.Fits, p.Why, p.Is})
		case k.Section == p.Section && p.Kind == k.Kind.Kind:
			list = append(list, Fit{"algorithm", p.Algorithm, p.Fits, p.Why, p.Takes})
		}
	}
	for _, a := range g.kinds.Algorithms {
		switch {
		// Topologies have no needs that could be compared. A topology goes with an
		// algorithm if it has builders of the same types as the one in the algorithm's
		// example.
		case k.Section == "algorithm" && a.Kind == k.Kind.Kind:
			for _, t := range g.kinds.Topologies {
				list = append(list, Fit{Section: "topology", Kind: t.Kind, Fits: slices.Equal(builtBy(t), g.connected(a))})
			}
		case k.Section == "topology":
			list = append(list, Fit{Section: "algorithm", Kind: a.Kind, Fits: slices.Equal(builtBy(k.Kind), g.connected(a))})
		}
	}
	return append(list, g.holders(k.Section)...)
}

// connected are the types of what builds the topologies that an algorithm takes: those of
// the one in its example.
func (g *Guide) connected(a kind.Kind) []reflect.Type {
	if len(a.Examples) == 0 {
		return nil
	}
	return builtBy(g.named("topology", kindIn(a.Examples[0], "topology")))
}

// kindIn is the kind of a section of a scenario's text. It is empty where the text has no
// such section.
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

// builtBy are the types of what builds a kind.
func builtBy(k kind.Kind) (types []reflect.Type) {
	for _, build := range k.Builds {
		types = append(types, reflect.TypeOf(build))
	}
	return types
}

// holders are the kinds with a key that holds a section, as problems hold a set.
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

// WithOf splits what goes with a kind by section: those that do, and those that do not.
// Both are in the order of With; the first keeps names only, because a fit needs no
// reason.
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

// Usual says how a scenario with the kind is begun, in flags of init; empty for sections
// that init does not choose.
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
