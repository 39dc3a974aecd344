package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/results"
)

// Scenario is a scenario file that has been checked: every arm of it can run.
type Scenario struct {
	kinds       *catalog
	Name        string
	Description string
	Paper       *results.Paper // nil where the file names none
	Seeds       Seeds
	Arms        []*Arm
	plots       []plotSection
	remarks     []results.Warning  // for the results, of how the file was read
	data        []dataDigest       // what arms read besides, sorted
	document    *document.Document // canonical, with all it extends and all overrides
}

// Remarks are warnings of how the file was read: what overrides have changed
// besides their own values. The results of a run begin theirs with them.
func (s *Scenario) Remarks() []results.Warning { return slices.Clone(s.remarks) }

// Seeds are the seeds base, base+1, .., one run of every arm each.
type Seeds struct {
	Base  uint64 `yaml:"base" min:"0" max:"9223372036853775807" says:"base %v" doc:"first seed"`
	Count int    `yaml:"count" min:"1" max:"1000000" says:"%v seeds" doc:"number of seeds, each run once in every arm"`
}

// Measure says what metrics are taken, when and where.
type Measure struct {
	Every   int      `yaml:"every" min:"1" max:"10000000" says:"%v steps" doc:"number of steps between records; absent, about 100 records over the horizon"`
	Nodes   int      `yaml:"nodes" min:"1" max:"100000" says:"%v nodes" doc:"at how many sampled nodes regret is taken; absent, at all up to 1000, at 100 beyond"`
	At      []int    `yaml:"at" doc:"further steps to record, the paper's numbers"`
	Metrics []string `yaml:"metrics" doc:"metrics to record, by name or by a prefix such as regret.*; absent, all"`
	Moves   bool     `yaml:"moves" doc:"record how far mirror steps move from z_t, against inequality (11) of DPDO-NC: move.largest and move.excess; for dpdonc"`
	Model   bool     `yaml:"model" doc:"write the model that each run ends with into models/, for algorithms that train softmax, mlp or cnn on images"`
}

const (
	usualPoints  = 100
	allNodes     = 1000
	sampledNodes = 100
)

// file is the top level of a scenario file, its keys in the order in which a
// resolved file has them.
type file struct {
	Version     int            `yaml:"version,required" doc:"version of the file format"`
	Name        string         `yaml:"name,required" doc:"name of the scenario, and of the folder of its results"`
	Extends     string         `yaml:"extends" doc:"scenario that this file changes: a name of the library, or a path relative to this file"`
	Description string         `yaml:"description" doc:"one line for lists and reports"`
	Paper       *results.Paper `yaml:"paper" doc:"paper that the scenario is from"`
	Horizon     int            `yaml:"horizon,required" min:"1" max:"10000000" says:"%v steps" doc:"number of steps, T"`
	Nodes       int            `yaml:"nodes,required" min:"1" max:"10000000" says:"%v nodes" doc:"number of nodes, N"`
	Algorithm   *document.Node `yaml:"algorithm,required" doc:"what the nodes run"`
	Problem     *document.Node `yaml:"problem,required" doc:"costs of the nodes, and the set of decisions"`
	Topology    *document.Node `yaml:"topology,required" doc:"who hears whom at each step, with which weights"`
	Network     *document.Node `yaml:"network" doc:"what becomes of messages on their way; absent, ideal"`
	Mechanism   *document.Node `yaml:"mechanism,required" doc:"noise that protects what nodes send"`
	Budget      *budgetSection `yaml:"budget" doc:"limit on the privacy loss of every node over the run; absent, none"`
	Seeds       Seeds          `yaml:"seeds" doc:"seeds of the runs"`
	Sweep       *document.Node `yaml:"sweep" doc:"arms of the scenario, by the values they set; absent or null, one arm"`
	Measure     Measure        `yaml:"measure" doc:"what is recorded, when and where"`
	Plots       []plotSection  `yaml:"plots" doc:"figures to draw; absent, the usual ones"`
	Checkpoint  Checkpoint     `yaml:"checkpoint" doc:"how often the state of a run is saved, so that one that is killed can go on"`
}

// defaultFile holds what keys that are absent mean.
func defaultFile() file { return file{Seeds: Seeds{Base: 1, Count: 1}} }

// fileVersion is the version of the file format that this build reads.
const fileVersion = 1

// validName is what a results folder can be called.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

// decodeFile decodes the top level and checks what needs nothing else. What
// could not be decoded is zero.
func decodeFile(doc *document.Document) (file, document.Issues) {
	f := defaultFile()
	issues := doc.Resolve("", document.Decode(doc.Root(), &f))
	return f, append(issues, doc.Resolve("", f.validate(doc, issues))...)
}

// validate checks what is given and was decoded.
func (f *file) validate(doc *document.Document, issues document.Issues) error {
	var errs []error
	check := func(ok bool, path, format string, args ...any) {
		_, given := doc.Find(path)
		reported := slices.ContainsFunc(issues, func(i document.Issue) bool { return i.Path == path })
		if given && !reported && !ok {
			errs = append(errs, document.At(path, format, args...))
		}
	}
	check(f.Version == fileVersion, "version", "version %d; this build reads version %d", f.Version, fileVersion)
	check(validName.MatchString(f.Name), "name", "%q is no name: lower-case letters, digits, '.', '_' and '-', at most 100", f.Name)
	check(false, "extends", "only a file can say what it extends; it is not to be set")
	check(f.Paper == nil || f.Paper.Title != "", "paper.title", "the title is empty")
	if f.Budget != nil {
		check(f.Budget.Delta >= 0 && f.Budget.Delta < 1, "budget.delta", "delta = %v; it must be a number >= 0 and < 1", f.Budget.Delta)
		check(slices.Contains(budgetActions(), f.Budget.On), "budget.on", "unknown value %q; known: %s, %s", f.Budget.On, budgetStop, budgetRefuse)
	}
	return errors.Join(append(errs, f.Measure.validateMetrics()...)...)
}

// Loader reads scenarios.
type Loader struct {
	// Kinds are what scenarios can name.
	Kinds *catalog
	// Data is the folder of data sets, a subfolder each, which scenarios that
	// name one need; empty where there is none.
	Data string
}

// Load reads a library scenario or a file with all that it extends, applies
// overrides, and checks it with all its arms and the data that they name. Errors
// of the input are *InputError and hold every problem found.
func (l Loader) Load(nameOrFile string, overrides ...Override) (*Scenario, error) {
	r, err := load(nameOrFile, overrides)
	if err != nil {
		return nil, err
	}
	issues := r.undone()
	data := newDataFolder(l.Data)
	scenario, err := checkScenario(l.Kinds, r.doc, overrides, data)
	if issues = append(issues, r.doc.Resolve("", err)...); len(issues) > 0 {
		return nil, &InputError{err: issues, line: r.doc.Line, data: data.missing}
	}
	scenario.remarks = r.remarks
	return scenario, nil
}

// check checks a document that extends nothing. The error is of type
// document.Issues.
func (l Loader) check(doc *document.Document) (*Scenario, error) {
	return checkScenario(l.Kinds, doc, nil, newDataFolder(l.Data))
}

// checkScenario checks a document, with all that it extends and all overrides in
// place. The error is of type document.Issues.
func checkScenario(kinds *catalog, doc *document.Document, overrides []Override, data *dataFolder) (*Scenario, error) {
	doc = canonical(doc)
	f, issues := decodeFile(doc)
	if version, ok := doc.Find("version"); ok && f.Version != fileVersion {
		// Whatever else is unknown in it may be known to its own version.
		return nil, slices.DeleteFunc(issues, func(i document.Issue) bool { return i.Path != version.Path() }).Err()
	}
	variants, err := spread(doc, f.Sweep)
	if err != nil {
		return nil, append(issues, doc.Resolve("", err)...).Err()
	}
	issues = append(issues, sweptOverrides(doc, variants, overrides)...)
	s := &Scenario{kinds: kinds, Name: f.Name, Description: f.Description, Paper: f.Paper, Seeds: f.Seeds, plots: f.Plots, document: doc}
	b := newBuilder(kinds, f.Seeds, data)
	for _, v := range variants {
		arm, some := b.arm(v)
		issues = append(issues, some...)
		s.Arms = append(s.Arms, arm)
	}
	s.data = b.data.used()
	issues = append(issues, doc.Resolve("", s.validatePlots(len(issues) == 0))...)
	if err := issues.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// sweptOverrides refuses overrides of what the sweep sets anyway, which would
// do nothing.
func sweptOverrides(doc *document.Document, variants []variant, overrides []Override) (issues document.Issues) {
	seen := map[string]bool{}
	for _, v := range variants {
		for _, a := range v.assigned {
			path := a.path
			node, ok := doc.Find(path)
			if !ok || seen[path] {
				continue
			}
			seen[path] = true
			for _, o := range overrides {
				if writtenIn(node, o.Source) {
					issues = append(issues, document.Issue{
						Position: doc.Position(o.Path), Path: o.Path,
						Message: fmt.Sprintf("the sweep sets %s in its arms, so this would do nothing; change the sweep, or drop it with --set sweep=null", path),
					})
				}
			}
		}
	}
	return issues
}

// writtenIn reports whether a value or a part of it was written in a source.
func writtenIn(node *document.Node, source string) bool {
	if node.Position().File == source {
		return true
	}
	for _, child := range node.Entries() {
		if writtenIn(child, source) {
			return true
		}
	}
	for _, item := range node.Items() {
		if writtenIn(item, source) {
			return true
		}
	}
	return false
}
