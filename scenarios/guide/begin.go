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

// Choice is what a new scenario is of: kinds of sections and values.
type Choice struct {
	// Path is that of the file to be; its name becomes that of the scenario.
	Path string
	// Kinds are by section: algorithm and problem, and those that are to be others than in
	// the example of the algorithm.
	Kinds map[string]string
	// File holds the data of a problem that reads a file; empty where there is none.
	File string
	// Values replace what the examples of the catalog have.
	Values []loading.Override
}

// chosen are the sections of which a choice can name kinds. Algorithm comes first, because
// its example is the scenario that the others change.
var chosen = []string{"algorithm", "problem", "topology", "mechanism", "network"}

// usual sizes of new scenarios, of which the first that loads is taken. Topologies ask for
// numbers of nodes, and examples of data are small.
var (
	usualNodes    = []int{10, 8, 6, 4, 3, 2}
	usualHorizons = []int{100, 12, 3}
)

// Begin writes a scenario that loads, with comments on every option. Its values are those
// of the examples of the catalog; what is not given stands in comments with its default.
// The error names every kind that is unknown, or says why kinds do not go together and
// what would, or what the loader says.
func (g *Guide) Begin(loader loading.Loader, c Choice) ([]byte, error) {
	if err := g.fit(c.Kinds); err != nil {
		return nil, err
	}
	settings, err := g.settingsOf(c)
	if err != nil {
		return nil, err
	}
	last := fmt.Errorf("the catalog has no example of the algorithm %s to begin from; kind.Kind.Like adds one", c.Kinds["algorithm"])
	// Examples differ in what they can be joined with, so that a draft may fail where the
	// next one loads. The user sees the error of the last.
	for _, doc := range g.drafts(c) {
		// Numbers of examples are lowered where the user's data ask for it, and not before.
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

// bounded are the settings that are values, and of those that bound a value the ones that a
// document is beyond, as values.
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

// fit refuses kinds that are not known, and those that do not go together.
func (g *Guide) fit(kinds map[string]string) error {
	var errs []error
	for _, section := range chosen {
		name, ok := kinds[section]
		if !ok && (section == "algorithm" || section == "problem") {
			errs = append(errs, fmt.Errorf("give --%s, one of %s", section, strings.Join(g.namesOf(section), ", ")))
		}
		if ok && !slices.Contains(g.namesOf(section), name) {
			errs = append(errs, errors.New(document.Unknown(section, name, g.namesOf(section))))
		}
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	// From here on every kind is known. Pairs are checked one by one, so that the user
	// reads all that are wrong at once, each with what would do in its place.
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

// described is what goes with a kind. Kinds that the catalog does not have go with
// nothing.
func (g *Guide) described(section, name string) *Description {
	return &Description{With: g.fits(Named{section, g.named(section, name)})}
}

// namesOf are the kinds of a section. The order is that of the catalog; an unknown section
// has none.
func (g *Guide) namesOf(section string) (names []string) {
	for _, k := range KindsOf(g.kinds) {
		if k.Section == section {
			names = append(names, k.Kind.Kind)
		}
	}
	return names
}

// named is a kind of the catalog. It is the zero Kind where the catalog has none of that
// name.
func (g *Guide) named(section, name string) kind.Kind {
	all := KindsOf(g.kinds)
	i := slices.IndexFunc(all, func(k Named) bool { return k.Section == section && k.Kind.Kind == name })
	if i < 0 {
		return kind.Kind{}
	}
	return all[i].Kind
}

// ReadsFile tells whether a problem reads a file of the user's own, which Choice.File names.
func (g *Guide) ReadsFile(problem string) bool {
	options, _ := g.Options("problem", problem)
	return slices.ContainsFunc(options, func(o Option) bool { return o.Key == "file" && o.Required })
}

// settingsOf are the values that a file of data asks for. A problem may read its file and
// suggest a setting for each column that it recognises; see study.FileBeginner. A file
// that is missing, or is one too many, is an error.
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
	// A builder that looks at the file says more than its path: which column is the label,
	// who has the rows, how the features are scaled.
	for _, build := range problem.Builds {
		if begin, ok := build.(study.FileBeginner); ok {
			return begin(c.File)
		}
	}
	return []study.Setting{{Path: "problem.file", Text: strconv.Quote(c.File)}}, nil
}

// drafts are scenarios with the kinds of a choice, as their examples have them. There is
// one for every combination of the algorithm's examples and the examples of the other
// kinds. A kind that the choice leaves open stays as the algorithm's example has it.
func (g *Guide) drafts(c Choice) (list []*document.Document) {
	for _, text := range g.named("algorithm", c.Kinds["algorithm"]).Examples {
		doc, err := document.Parse(c.Path, []byte(text))
		if err != nil {
			continue
		}
		if changed, err := doc.Delete("plots"); err == nil {
			doc = changed // and the usual figures are drawn
		}
		drafts := []*document.Document{doc}
		for _, section := range chosen[1:] {
			drafts = g.with(drafts, section, c)
		}
		list = append(list, drafts...)
	}
	return list
}

// with are drafts with every example of the kind of a section in each.
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

// set is a document with another value, which was written in a file. An empty text takes
// the value away.
func set(doc *document.Document, path, text, source string) (*document.Document, error) {
	if text == "" {
		if changed, err := doc.Delete(path); err == nil {
			return changed, nil
		}
		return doc, nil
	}
	return doc.Set(path, text, source)
}

// load finds a size at which a draft loads, unless values say it. The error is that of
// the last size, the smallest. The values of the user are set last and win over sizes and
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

// nameOf is the name of the scenario in a file. A file whose name cannot be that of a
// scenario gives "scenario".
func nameOf(path string) string {
	name := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	if !study.ValidName.MatchString(name) {
		return "scenario"
	}
	return name
}

// commented is the text of a draft that loads, with comments, checked once more.
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
