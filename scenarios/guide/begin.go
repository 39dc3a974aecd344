package guide

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/study"
)

// Choice selects a new scenario: the kinds of its sections and its values.
type Choice struct {
	// Path is the path of the new file; its name becomes the scenario's name.
	Path string
	// Kinds are kinds by section: algorithm and problem, and further sections that should have
	// another kind than in the algorithm's example.
	Kinds map[string]string
	// File holds the data of a problem that reads a file; empty where there is none.
	File string
	// Values replace values of the catalog's examples.
	Values []loading.Override
}

// chosen are the sections of which a choice can name kinds. algorithm comes first, because its
// example is the scenario that the other kinds change.
var chosen = []string{"algorithm", "problem", "topology", "mechanism", "network"}

// Usual sizes of new scenarios; the first that loads is taken. Topologies restrict the number
// of nodes, and examples of data are small.
var (
	usualNodes    = []int{10, 8, 6, 4, 3, 2}
	usualHorizons = []int{100, 12, 3}
)

// Begin writes a scenario that loads, with comments on every option. Its values are the values
// of the catalog's examples. Options that the examples leave out stand in comments with their
// defaults. The error names every unknown kind, or states why kinds do not go together and
// which kinds would, or it is the loader's.
func (g *Guide) Begin(loader loading.Loader, c Choice) ([]byte, error) {
	if err := g.fit(c.Kinds); err != nil {
		return nil, err
	}
	settings, err := g.settingsOf(c)
	if err != nil {
		return nil, err
	}
	last := fmt.Errorf("the catalog has no example of the algorithm %s to begin from; kind.Kind.Like adds one", c.Kinds["algorithm"])
	// Examples differ in the kinds with which they can be combined, so a draft may fail where
	// the next one loads. The user gets the error of the last draft.
	for _, doc := range g.drafts(c) {
		// Numbers of examples are lowered only if the draft fails without that.
		asked, lowered := bounded(doc, settings)
		sized, err := load(loader, c, doc, asked)
		if err != nil && len(lowered) > 0 {
			asked = append(asked, lowered...)
			sized, err = load(loader, c, doc, asked)
		}
		if err != nil {
			last = err
			continue
		}
		return g.commented(loader, c, sized, asked)
	}
	return nil, last
}

// bounded splits settings. values are the settings that set a value. lowered come from
// settings that bound a value: they set it to the bound, if the document's value is greater.
func bounded(doc *document.Document, settings []study.Setting) (values, lowered []study.Setting) {
	for _, s := range settings {
		if s.Most == 0 {
			values = append(values, s)
			continue
		}
		if node, ok := doc.Find(s.Path); ok {
			if has, err := strconv.Atoi(node.Text()); err == nil && has > s.Most {
				lowered = append(lowered, study.Setting{Path: s.Path, Text: strconv.Itoa(s.Most), Note: s.Note})
			}
		}
	}
	return values, lowered
}

// fit refuses unknown kinds, and kinds that do not go together.
func (g *Guide) fit(kinds map[string]string) error {
	var errs []error
	for _, section := range chosen {
		name, ok := kinds[section]
		if !ok && (section == "algorithm" || section == "problem") {
			names := g.namesOf(section)
			errs = append(errs, fmt.Errorf("give --%s, such as %s; starling list %ss has all %d", section, names[0], section, len(names)))
		}
		if ok && !slices.Contains(g.namesOf(section), name) {
			errs = append(errs, errors.New(document.UnknownOf(section, name, g.namesOf(section), "starling help "+section)))
		}
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	// From here on every kind is known. Pairs are checked one by one, so that the error lists
	// all wrong pairs at once, each with alternatives.
	of := g.described("algorithm", kinds["algorithm"])
	for _, section := range []string{"problem", "mechanism", "topology"} {
		name, ok := kinds[section]
		fitting, others := of.WithOf(section)
		if !ok || slices.Contains(fitting, name) {
			continue
		}
		// Only topologies leave Why empty: the table of pairs gives every other reason.
		i := slices.IndexFunc(others, func(f Fit) bool { return f.Kind == name })
		why := cmp.Or(others[i].Why, fmt.Sprintf("%s does not connect the nodes of %s", name, kinds["algorithm"]))
		text := fmt.Sprintf("%s and %s do not go together: %s; %s goes with %s", kinds["algorithm"], name, why, kinds["algorithm"], strings.Join(fitting, ", "))
		if with, _ := g.described(section, name).WithOf("algorithm"); len(with) > 0 {
			text += fmt.Sprintf("; %s goes with %s", name, strings.Join(with, ", "))
		}
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// described returns the description of a kind. It is empty for a kind that is not in the
// catalog.
func (g *Guide) described(section, name string) *Description {
	return &Description{With: g.fits(Named{section, g.named(section, name)})}
}

// namesOf returns the kinds of a section in the catalog's order; an unknown section has none.
func (g *Guide) namesOf(section string) (names []string) {
	for _, k := range KindsOf(g.kinds) {
		if k.Section == section {
			names = append(names, k.Kind.Kind)
		}
	}
	return names
}

// named returns a kind of the catalog, or the zero Kind if the catalog has none of that name.
func (g *Guide) named(section, name string) kind.Kind {
	all := KindsOf(g.kinds)
	i := slices.IndexFunc(all, func(k Named) bool { return k.Section == section && k.Kind.Kind == name })
	if i < 0 {
		return kind.Kind{}
	}
	return all[i].Kind
}

// ReadsFile reports whether a problem reads a file of the user's own, which Choice.File names.
func (g *Guide) ReadsFile(problem string) bool {
	options, _ := g.Options("problem", problem)
	return slices.ContainsFunc(options, func(o Option) bool { return o.Key == "file" && o.Required })
}

// settingsOf returns the values that a file of data requires. A problem may read its file and
// suggest a setting for each column that it recognises; see study.FileBeginner. A file that is
// missing, or is one too many, is an error.
func (g *Guide) settingsOf(c Choice) ([]study.Setting, error) {
	problem := g.named("problem", c.Kinds["problem"])
	reads := g.ReadsFile(problem.Kind)
	switch {
	case reads && c.File == "":
		return nil, fmt.Errorf("problem %s reads a file of your own: give --file", problem.Kind)
	case !reads && c.File != "":
		return nil, fmt.Errorf("problem %s reads no file; leave --file out", problem.Kind)
	case !reads:
		return nil, nil
	}
	// A problem that reads the file adds more than its path: the column of the label, the
	// owner of the rows, the scale of the features.
	if beginner, ok := problem.Piece.(study.FileBeginner); ok {
		given := map[string]string{}
		for _, v := range c.Values {
			if key, ok := strings.CutPrefix(v.Path, "problem."); ok {
				given[key] = strings.Trim(strings.TrimSpace(v.Text), `"'`)
			}
		}
		return beginner.Begin(c.File, given)
	}
	return []study.Setting{{Path: "problem.file", Text: strconv.Quote(c.File)}}, nil
}

// drafts returns scenarios with the kinds of a choice, as their examples have them. There is
// one for every combination of the algorithm's examples and the examples of the other kinds. A
// kind that the choice leaves open stays as in the algorithm's example.
func (g *Guide) drafts(c Choice) (list []*document.Document) {
	for _, text := range g.named("algorithm", c.Kinds["algorithm"]).Examples {
		doc, err := document.Parse(c.Path, []byte(text))
		if err != nil {
			continue
		}
		if changed, err := doc.Delete("plots"); err == nil {
			doc = changed // so the usual figures are drawn
		}
		drafts := []*document.Document{doc}
		for _, section := range chosen[1:] {
			drafts = g.with(drafts, section, c)
		}
		list = append(list, drafts...)
	}
	return list
}

// with returns drafts that each have an example of a section's kind, one for every example.
func (g *Guide) with(drafts []*document.Document, section string, c Choice) (list []*document.Document) {
	name, ok := c.Kinds[section]
	if !ok {
		return drafts
	}
	for _, doc := range drafts {
		// The algorithm's example has the kind already, and its values suit the algorithm
		// best.
		if was, ok := doc.Find(section + ".kind"); ok && was.Value() == name {
			list = append(list, doc)
		}
		for _, example := range g.named(section, name).Examples {
			if changed, err := set(doc, section, example, c.Path); err == nil {
				list = append(list, changed)
			}
		}
	}
	return list
}

// set returns a document with another value at a path. source is the value's file in
// positions. An empty text removes the value.
func set(doc *document.Document, path, text, source string) (*document.Document, error) {
	if text == "" {
		if changed, err := doc.Delete(path); err == nil {
			return changed, nil
		}
		return doc, nil
	}
	return doc.Set(path, text, source)
}

// load finds a size at which a draft loads, unless values set the size. The error is the error
// of the last size, the smallest. The user's values are set last and win over sizes and
// settings.
func load(loader loading.Loader, c Choice, doc *document.Document, settings []study.Setting) (*document.Document, error) {
	// Five seeds keep a first run short and still give standard errors.
	given := []loading.Override{{Path: "name", Text: nameOf(c.Path)}, {Path: "seeds.count", Text: "5"}}
	for _, s := range settings {
		given = append(given, loading.Override{Path: s.Path, Text: s.Text})
	}
	given = append(given, c.Values...)
	// A size that the user gives is tried once: searching over it would change nothing.
	sizes := func(path string, usual []int) []int {
		if slices.ContainsFunc(given, func(v loading.Override) bool { return v.Path == path }) {
			return usual[:1]
		}
		return usual
	}
	var err error
	// The longest horizon that loads is kept, and then the largest number of nodes.
	for _, horizon := range sizes("horizon", usualHorizons) {
		for _, nodes := range sizes("nodes", usualNodes) {
			sized := doc
			size := []loading.Override{{Path: "nodes", Text: strconv.Itoa(nodes)}, {Path: "horizon", Text: strconv.Itoa(horizon)}}
			for _, v := range append(size, given...) {
				source := cmp.Or(v.Source, c.Path)
				if sized, err = set(sized, v.Path, v.Text, source); err != nil {
					return nil, &document.InputError{Err: err, Line: document.SourceLine(source, []byte(v.Text))}
				}
			}
			if _, err = loader.Check(sized); err == nil {
				return sized, nil
			}
		}
	}
	return nil, err
}

// nameOf returns the name of the scenario in a file, or "scenario" if the file's name cannot
// be a scenario's.
func nameOf(path string) string {
	name := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	if !study.ValidName.MatchString(name) {
		return "scenario"
	}
	return name
}

// commented returns the text of a draft that loads, with comments. It checks the text once
// more.
func (g *Guide) commented(loader loading.Loader, c Choice, doc *document.Document, settings []study.Setting) ([]byte, error) {
	places := g.places(doc)
	doc = doc.Arrange(orderOf(places))
	text := doc.Annotated(document.Notes{
		Above: func(n *document.Node) []string { return g.above(places, n, settings) },
		Below: func(n *document.Node) []string { return below(places, n) },
	})
	parsed, err := document.Parse(c.Path, text)
	if err != nil {
		return nil, err
	}
	// Comments and the order of keys must not change what the file means. This check would
	// show a fault of the printer before the user does.
	if _, err := loader.Check(parsed); err != nil {
		return nil, err
	}
	return text, nil
}
