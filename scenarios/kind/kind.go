package kind

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"starling/scenarios/document"
	"starling/scenarios/metric"
)

// Entry is the catalog's text on one kind.
type Entry struct {
	// Kind is the name in files.
	Kind string `json:"kind"`
	// Summary is one line for lists and for help.
	Summary string `json:"summary"`
}

// Kind is an entry with its section and its piece. The section is the struct that it is decoded
// into, holding its defaults, for the schema.
type Kind struct {
	Entry
	// Section is a struct by value; its fields are the defaults.
	Section any
	// Piece is a value with the capabilities of the kind as methods: users ask it for an
	// interface. A kind by Of has a pointer to its section.
	Piece any
	// Metrics are those that runs of an algorithm may record.
	Metrics metric.List
	// Examples are sections that name the kind, as text of a scenario file; the examples of an
	// algorithm are whole scenarios of a few steps. There are several if different users of
	// the kind need different options. Lists print them, and tests run them.
	Examples []string
}

// Of returns an entry of a section; its tags are keys, bounds and help: defaults is a struct
// with the values of keys that are absent. The methods of *S decide which users can take the
// kind; As reads a section.
func Of[S any](name, summary string, defaults S, examples ...string) Kind {
	return Kind{Entry: Entry{name, summary}, Section: defaults, Piece: &defaults, Examples: examples}
}

// New returns an entry with a piece that is no section: its methods get the section and read it.
func New(name, summary string, section, piece any) Kind {
	return Kind{Entry: Entry{name, summary}, Section: section, Piece: piece}
}

// Indifferent is a section that lets keys of the other kinds of its list stand beside its own:
// a sweep that takes the mechanism away leaves them there.
type Indifferent interface{ Indifferent() }

// Among is a section that lets keys of the other kinds of its list stand, with values that
// those kinds take: a sweep can change the kind alone.
type Among interface{ Among() }

// IsIndifferent reports whether the section of the kind is Indifferent.
func (k Kind) IsIndifferent() bool {
	_, ok := k.Piece.(Indifferent)
	return ok
}

// Measuring returns the kind with metrics of these lists added to those that its runs record.
func (k Kind) Measuring(lists ...metric.List) Kind {
	k.Metrics = metric.Join(append([]metric.List{k.Metrics}, lists...)...)
	return k
}

// Like returns the kind with further examples of a section that names it.
func (k Kind) Like(examples ...string) Kind {
	k.Examples = slices.Concat(k.Examples, examples)
	return k
}

// Catalog is the list of kinds that scenarios can name, by the section that names them. A copy to
// change is made by Clone: a plain one would have AllMetrics of the original.
type Catalog struct {
	// The order of each list is the order in `starling list` and in help.
	Algorithms, Problems, Topologies, Mechanisms, Networks, Codecs, Adversaries, Combines, Sets, Divergences, Models []Kind
	// Metrics are recorded by runs of more than one algorithm, or of any.
	Metrics metric.List
	// Measures are metrics with gauges, for every run that answers their questions.
	Measures []Measure

	// all has AllMetrics, once it was asked for: every arm that is loaded asks.
	all *joined
}

// joined is the list of all metrics of a catalog, joined at its first use.
type joined struct {
	once sync.Once
	list metric.List
}

// Measure is a metric with its gauge; package gauge has the form of these.
type Measure interface{ Declared() metric.Metric }

// AllMetrics returns the metrics that scenarios can name: first of algorithms, in the order of
// the catalog, then of all runs. The list is shared, and nobody changes it. The catalog's own
// lists do not change after the first call.
func (c *Catalog) AllMetrics() metric.List {
	if c.all == nil {
		return c.join()
	}
	c.all.once.Do(func() { c.all.list = slices.Clip(c.join()) })
	return c.all.list
}

// join returns the metrics of AllMetrics; a new list.
func (c *Catalog) join() metric.List {
	all := metric.Join(append(c.metrics(), c.Metrics)...)
	return metric.Join(all, all.Windows())
}

// metrics returns the lists of algorithms, and the list of measures.
func (c *Catalog) metrics() (lists []metric.List) {
	for _, k := range c.Algorithms {
		lists = append(lists, k.Metrics)
	}
	var measured metric.List
	for _, m := range c.Measures {
		measured = append(measured, m.Declared())
	}
	return append(lists, measured)
}

// Sections returns the lists of the catalog, which it shares with c, in the order of help.
func (c *Catalog) Sections() []Section {
	return []Section{
		{"algorithm", &c.Algorithms}, {"problem", &c.Problems}, {"topology", &c.Topologies}, {"mechanism", &c.Mechanisms},
		{"network", &c.Networks}, {"compression", &c.Codecs},
		{"adversaries", &c.Adversaries}, {"combine", &c.Combines}, {"set", &c.Sets}, {"divergence", &c.Divergences}, {"model", &c.Models},
	}
}

// Section is a list of the catalog with its name in a file.
type Section struct {
	Name  string
	Kinds *[]Kind
}

// Clone returns a catalog that shares no list with c.
func (c Catalog) Clone() Catalog {
	for _, s := range c.Sections() {
		*s.Kinds = slices.Clone(*s.Kinds)
	}
	c.all = new(joined)
	return c
}

// With returns the catalog with more kinds, after c's own; c is unchanged. The error names
// every kind that has no name, the name of another kind of its section, or no piece.
func (c Catalog) With(more Catalog) (Catalog, error) {
	whole := c.Clone()
	added := more.Sections()
	var errs []error
	for i, s := range whole.Sections() {
		for _, k := range *added[i].Kinds {
			switch taken := slices.ContainsFunc(*s.Kinds, func(other Kind) bool { return other.Kind == k.Kind }); {
			case k.Kind == "":
				errs = append(errs, fmt.Errorf("a kind of section %s has no name", s.Name))
			case taken:
				errs = append(errs, fmt.Errorf("section %s has a kind %q already", s.Name, k.Kind))
			case k.Piece == nil || k.Section == nil:
				errs = append(errs, fmt.Errorf("kind %q of section %s lacks its section's struct, or its piece", k.Kind, s.Name))
			}
			*s.Kinds = append(*s.Kinds, k)
		}
	}
	whole.Metrics, whole.Measures = slices.Concat(c.Metrics, more.Metrics), slices.Concat(c.Measures, more.Measures)
	errs = append(errs, slices.Concat(append(whole.metrics(), whole.Metrics)...).Check())
	if err := errors.Join(errs...); err != nil {
		return Catalog{}, err
	}
	return whole, nil
}

// Exemplified returns the catalog with examples of its kinds, by section and kind as in
// "problem/logistic", after those that they have; c is unchanged. It leaves out examples of a
// kind that c has not.
func (c Catalog) Exemplified(examples map[string][]string) Catalog {
	whole := c.Clone()
	for _, s := range whole.Sections() {
		for i, k := range *s.Kinds {
			(*s.Kinds)[i] = k.Like(examples[s.Name+"/"+k.Kind]...)
		}
	}
	return whole
}

// Entries returns the catalog's text on kinds.
func Entries(kinds []Kind) []Entry {
	list := make([]Entry, len(kinds))
	for i, k := range kinds {
		list[i] = k.Entry
	}
	return list
}

// PieceOf returns the piece of the kind that a section names, as the capability C. It does not
// read the section: the methods of C do. It has the errors of As.
func PieceOf[C any](kinds []Kind, section *document.Node, whom string) (piece C, err error) {
	found, err := named(kinds, section, Takes[C](""), whom)
	piece, _ = found.(C)
	return piece, err
}

// Check returns the error of a section of a kind that is not known, or not wanted, as As before it
// reads the section.
func Check(kinds []Kind, section *document.Node, want Want, whom string) error {
	_, err := named(kinds, section, want, whom)
	return err
}

// named returns the piece of the kind that a section names.
func named(kinds []Kind, section *document.Node, want Want, whom string) (piece any, err error) {
	name, err := NameOf(section)
	if err != nil {
		return nil, err
	}
	return find(kinds, name, section, want, whom)
}

// find returns the piece of a kind that is known by its name. The error distinguishes a known
// kind that is not wanted from an unknown kind.
func find(kinds []Kind, name string, section *document.Node, want Want, whom string) (piece any, err error) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Kind == name })
	switch {
	case i < 0:
		return nil, unknownKind(section, name, kinds, want)
	case !want.Fits(kinds[i]):
		node, _ := section.Get("kind")
		command := "starling help " + topOf(section)
		if caller, ok := strings.CutPrefix(whom, "the algorithm "); ok && !strings.Contains(caller, " ") {
			command = "starling describe " + caller
		}
		return nil, document.Issues{node.Issuef("%q does not go with %s, which takes %s", name, whom, document.Instead(name, want.Names(kinds), command)).With(document.Misfit)}
	}
	return kinds[i].Piece, nil
}

// As reads the section as the capability C that the caller needs, by the kind that it names: a
// new value, with defaults for keys that are absent. It returns an error for a kind that is
// not known, or cannot do it, with the kinds that can; whom names the caller in that error.
func As[C any](kinds []Kind, section *document.Node, whom string) (value C, err error) {
	found, err := AsAny(kinds, section, Takes[C](""), whom)
	value, _ = found.(C)
	return value, err
}

// AsOr is As for sections that need not name a kind: absent is the kind of sections that do not.
// It returns the name of the kind, too.
func AsOr[C any](kinds []Kind, section *document.Node, absent, whom string) (name string, value C, err error) {
	name = absent
	if _, named := section.Get("kind"); named || section.Kind() != document.Mapping {
		if name, err = NameOf(section); err != nil {
			return name, value, err
		}
	}
	found, err := find(kinds, name, section, Takes[C](""), whom)
	if err != nil {
		return name, value, err
	}
	read, err := decoded(kinds, section, found, whom)
	return name, read.(C), err
}

// AsAny is As for callers that accept one of several capabilities. The value is nil only with
// an error that concerns the kind. It panics on a kind that has the capability but is not made
// by Of.
func AsAny(kinds []Kind, section *document.Node, want Want, whom string) (value any, err error) {
	found, err := named(kinds, section, want, whom)
	if err != nil {
		return nil, err
	}
	return decoded(kinds, section, found, whom)
}

// decoded returns a new section of the kind that was found, with the keys of the file.
func decoded(kinds []Kind, section *document.Node, found any, whom string) (value any, err error) {
	defaults := reflect.ValueOf(found)
	if defaults.Kind() != reflect.Pointer || defaults.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("the piece %T for %s is no pointer to a section's struct; make the kind by kind.Of", found, whom))
	}
	fresh := reflect.New(defaults.Type().Elem())
	fresh.Elem().Set(defaults.Elem())
	value = fresh.Interface()
	var others []any
	for _, k := range kinds {
		others = append(others, k.Section)
	}
	switch value.(type) {
	case Indifferent:
		return value, document.DecodeBeside(section, value, others...)
	case Among:
		return value, document.DecodeAmong(section, value, others...)
	}
	return value, document.Decode(section, value)
}

// CheckValues returns the faults of the values of a section by the types of their keys, also of keys
// that only other kinds of the list have.
func (k Kind) CheckValues(kinds []Kind, section *document.Node) error {
	var others []any
	for _, other := range kinds {
		others = append(others, other.Section)
	}
	return document.DecodeAmong(section, reflect.New(reflect.TypeOf(k.Section)).Interface(), others...)
}

// NameOf returns the kind a section names.
func NameOf(section *document.Node) (string, error) {
	node, ok := section.Get("kind")
	switch {
	case section.Kind() == document.String:
		return "", document.Issues{section.Issuef("expected a mapping, got the string %q; write {kind: %s}", section.Text(), section.Text())}
	case section.Kind() != document.Mapping:
		return "", document.Decode(section, &struct{}{})
	case !ok:
		for key, child := range section.Entries() {
			if _, near := document.Nearest(key, []string{"kind"}); near {
				return "", document.Issues{{Position: child.KeyPosition(), Path: child.Path(), Message: fmt.Sprintf("unknown key %q in %s; did you mean %q?", key, section.Path(), "kind"), Fault: document.UnknownKey}}
			}
		}
		return "", document.Issues{{Position: section.Position(), Path: section.Path(), Message: `missing required key "kind"`, Fault: document.MissingKey}}
	}
	var name string
	if err := document.Decode(node, &name); err != nil {
		return "", err
	}
	return name, nil
}

// unknownKind returns the error for a kind that is not known, with the nearest name of a fitting kind, or the one whose
// summary has the word, as that of images has MNIST.
func unknownKind(section *document.Node, name string, kinds []Kind, want Want) error {
	node, _ := section.Get("kind")
	names := want.Names(kinds)
	message := document.UnknownOf("kind", name, names, "starling help "+topOf(section))
	if _, near := document.Nearest(name, names); !near {
		if k := slices.IndexFunc(kinds, func(k Kind) bool { return want.Fits(k) && mentions(k.Summary, name) }); k >= 0 {
			message = fmt.Sprintf("unknown kind %q; did you mean %q: %s?", name, kinds[k].Kind, kinds[k].Summary)
		}
	}
	return document.Issues{node.Issuef("%s", message).With(document.UnknownKind)}
}

// mentions reports whether a text has a word of several letters, in large or small ones.
func mentions(text, word string) bool {
	return len(word) >= leastWord && slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;:()", r) }),
		func(other string) bool { return strings.EqualFold(other, word) })
}

// leastWord is the number of letters from which on a word of a summary names its kind.
const leastWord = 3

// topOf is the name of the section of the file that has a section.
func topOf(section *document.Node) string {
	top, _, _ := strings.Cut(section.Path(), ".")
	return top
}
