package scenarios

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

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
}

const (
	usualPoints  = 100
	allNodes     = 1000
	sampledNodes = 100
	// mostNodes and mostSteps keep indices in 32 bits.
	mostNodes = math.MaxInt32
	mostSteps = math.MaxInt32 - 1
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

// decodeFile decodes the top level and checks what needs nothing else.
func decodeFile(doc *document.Document) (file, error) {
	f := file{Seeds: Seeds{Base: 1, Count: 1}}
	if err := document.Decode(doc.Root(), &f); err != nil {
		return f, err
	}
	return f, doc.Resolve("", f.validate(doc)).Err()
}

func (f *file) validate(doc *document.Document) error {
	var errs []error
	check := func(ok bool, path, format string, args ...any) {
		if !ok {
			errs = append(errs, document.At(path, format, args...))
		}
	}
	given := func(path string) bool { _, ok := doc.Find(path); return ok }
	check(f.Version == fileVersion, "version", "version %d; this build reads version %d", f.Version, fileVersion)
	check(validName.MatchString(f.Name), "name", "%q is no name: lower-case letters, digits, '.', '_' and '-', at most 100", f.Name)
	check(f.Horizon >= 1 && f.Horizon <= mostSteps, "horizon", "%d steps; want 1 to %d", f.Horizon, mostSteps)
	check(f.Nodes >= 1 && f.Nodes <= mostNodes, "nodes", "%d nodes; want 1 to %d", f.Nodes, mostNodes)
	check(f.Seeds.Count >= 1, "seeds.count", "%d seeds; want at least 1", f.Seeds.Count)
	check(f.Seeds.Count < 1 || f.Seeds.Base <= math.MaxInt64-uint64(f.Seeds.Count), "seeds.base", "seeds from %d on exceed 2^63-1", f.Seeds.Base)
	check(f.Measure.Every >= 1 || !given("measure.every"), "measure.every", "every %d steps; want at least 1", f.Measure.Every)
	check(f.Measure.Nodes >= 1 || !given("measure.nodes"), "measure.nodes", "%d nodes; want at least 1", f.Measure.Nodes)
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
	f, err := decodeFile(doc)
	if err != nil {
		return nil, err
	}
	variants, err := spread(doc, f.Sweep)
	if err != nil {
		return nil, err
	}
	if err := refuseSweptOverrides(doc, variants, overrides); err != nil {
		return nil, err
	}
	s := &Scenario{Name: f.Name, Description: f.Description, Seeds: f.Seeds, document: doc}
	var issues document.Issues
	for _, v := range variants {
		arm, err := buildArm(v, f.Seeds)
		if err != nil {
			var some document.Issues
			if !errors.As(err, &some) {
				return nil, fmt.Errorf("arm %s: %w", v.name, err)
			}
			issues = append(issues, some...)
			continue
		}
		s.Arms = append(s.Arms, arm)
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// refuseSweptOverrides refuses an override of what the sweep sets anyway, which
// would do nothing.
func refuseSweptOverrides(doc *document.Document, variants []variant, overrides []Override) error {
	var issues document.Issues
	for _, o := range overrides {
		for _, v := range variants {
			under := slices.ContainsFunc(v.paths, func(swept string) bool {
				return o.Path == swept || strings.HasPrefix(o.Path, swept+".") || strings.HasPrefix(o.Path, swept+"[") || strings.HasPrefix(swept, o.Path+".")
			})
			if under {
				issues = append(issues, document.Issue{
					Position: doc.Position(o.Path), Path: o.Path,
					Message: fmt.Sprintf("%s is swept by this scenario, which would undo the value; change sweep, or drop it with --set sweep=null", o.Path),
				})
				break
			}
		}
	}
	return issues.Err()
}
