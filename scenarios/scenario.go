package scenarios

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"

	"starling/scenarios/document"
)

// Scenario is a scenario file that has been checked: every arm of it can run.
type Scenario struct {
	Name        string
	Description string
	Seeds       Seeds
	Arms        []*Arm
	document    *document.Document // with all overrides
}

// Seeds are the seeds base, base+1, .., one run of every arm each.
type Seeds struct {
	Base  uint64 `yaml:"base"`
	Count int    `yaml:"count"`
}

// Measure says when and where metrics are taken.
type Measure struct {
	// Every is the number of steps between records; absent, about
	// usualPoints of them.
	Every int `yaml:"every"`
	// Nodes is at how many sampled nodes regret is taken; absent, at all of
	// them up to allNodes, at sampledNodes beyond.
	Nodes int `yaml:"nodes"`
	// At are further steps to record, the paper's numbers.
	At []int `yaml:"at"`
}

const (
	usualPoints  = 100
	allNodes     = 1000
	sampledNodes = 100
)

// file is the top level of a scenario file.
type file struct {
	Version     int            `yaml:"version,required"`
	Name        string         `yaml:"name,required"`
	Description string         `yaml:"description"`
	Horizon     int            `yaml:"horizon,required"`
	Nodes       int            `yaml:"nodes,required"`
	Algorithm   *document.Node `yaml:"algorithm,required"`
	Problem     *document.Node `yaml:"problem,required"`
	Topology    *document.Node `yaml:"topology,required"`
	Mechanism   *document.Node `yaml:"mechanism,required"`
	Seeds       Seeds          `yaml:"seeds"`
	Sweep       *document.Node `yaml:"sweep"`
	Measure     Measure        `yaml:"measure"`
}

// fileVersion is the version of the file format that this build reads.
const fileVersion = 1

// validName is what a results folder can be called.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

// decodeFile decodes the top level and checks what needs nothing else. What
// could not be decoded is zero.
func decodeFile(doc *document.Document) (file, document.Issues) {
	f := file{Seeds: Seeds{Base: 1, Count: 1}}
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
	within := func(value, most int, path, what string) {
		check(value >= 1 && value <= most, path, "%d %s; want 1 to %d", value, what, most)
	}
	check(f.Version == fileVersion, "version", "version %d; this build reads version %d", f.Version, fileVersion)
	check(validName.MatchString(f.Name), "name", "%q is no name: lower-case letters, digits, '.', '_' and '-', at most 100", f.Name)
	within(f.Horizon, mostSteps, "horizon", "steps")
	within(f.Nodes, mostNodes, "nodes", "nodes")
	within(f.Seeds.Count, mostSeeds, "seeds.count", "seeds")
	check(f.Seeds.Base <= math.MaxInt64-mostSeeds, "seeds.base", "base %d; want at most %d", f.Seeds.Base, math.MaxInt64-mostSeeds)
	within(f.Measure.Every, mostSteps, "measure.every", "steps")
	within(f.Measure.Nodes, mostMeasured, "measure.nodes", "nodes")
	return errors.Join(errs...)
}

// Load reads a library scenario or a file, applies overrides, and checks it
// with all its arms. Errors of the input are *InputError and hold every
// problem found.
func Load(nameOrFile string, overrides ...Override) (*Scenario, error) {
	doc, err := load(nameOrFile, overrides)
	if err != nil {
		return nil, err
	}
	scenario, err := newScenario(doc, overrides)
	if err != nil {
		return nil, &InputError{err: err, line: doc.Line}
	}
	return scenario, nil
}

func newScenario(doc *document.Document, overrides []Override) (*Scenario, error) {
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
	s := &Scenario{Name: f.Name, Description: f.Description, Seeds: f.Seeds, document: doc}
	b := newBuilder(f.Seeds)
	for _, v := range variants {
		arm, some := b.arm(v)
		issues = append(issues, some...)
		s.Arms = append(s.Arms, arm)
	}
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
		for _, path := range v.paths {
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
