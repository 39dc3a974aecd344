package python

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
	"starling/scenarios/problem"
	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// KindPython is the kind of problems with costs that a class in Python computes.
const KindPython = "python"

// problemSection is the section of a problem with costs that a class computes.
type problemSection struct {
	Kind          string         `yaml:"kind,required"`
	Source        Source         `yaml:",inline"`
	Set           *document.Node `yaml:"set" doc:"Omega, the convex set that decisions are from, which nodes without a server need; absent, all of R^d"`
	Dimension     int            `yaml:"dimension" min:"1" max:"100000000" says:"dimension %v" unit:"none" doc:"d, the entries of a decision, where there is no set; absent, the dimension of the set"`
	GradientBound float64        `yaml:"gradient_bound" over:"0" says:"gradient bound %v" unit:"2-norm" doc:"largest 2-norm of the gradient of a cost on the set, which noise rests on: algorithms hold gradients to it, whatever Python returns; absent, it is not known, and private runs need algorithm.theta, ofl algorithm.gradient_bound; those who draw batches clip every sample to algorithm.clip in its place, and opestoch holds the entries of gradients to it"`
	Smoothness    float64        `yaml:"smoothness" over:"0" says:"smoothness %v" unit:"2-norm of gradients for each of distance" doc:"Lipschitz constant of the gradients in 2-norm; absent, it is not known"`
	Linear        bool           `yaml:"linear" doc:"whether losses are linear, as experts have them: <l, x> with entries of l from 0, at all x; fedsvt needs it"`
	Offers        []string       `yaml:"offers" range:"classify, test_loss, minimum, target, start, sums, losses and local" doc:"methods that the class has beside loss and gradient: four for the metrics accuracy.test, loss.fresh, regret.fixed and regret.interval, and target.error; and, where clients keep their data, start, the model that they begin with, sums and losses, which get each model once with all its data, and local, which takes the local steps of clients; absent, none"`
	Metrics       []ownMetric    `yaml:"metrics" doc:"metrics of your own of the model of a server, where clients keep their data: the method measure(x) returns a dictionary with a number for each, and results have them with own. before the name; absent, none"`
	State         int            `yaml:"state" min:"1" max:"100000000" says:"%v numbers of state" unit:"none" doc:"numbers that each client keeps from round to round, 0 at first, for offers: [local], which gets them as state and returns a dictionary of models and state; absent, none"`
	Sizes         []int          `yaml:"sizes" min:"1" says:"%v sizes" unit:"samples" range:"at least 1" doc:"number of samples of each client, where clients keep their data, one for each; absent, as many each"`
}

// ownMetric is a metric of the user's own.
type ownMetric struct {
	Name   string `yaml:"name,required" range:"lower case letters, digits, _ and dots" doc:"name, before which results have own."`
	Text   string `yaml:"text,required" range:"any text" doc:"what it is, for lists and help"`
	Label  string `yaml:"label" range:"any text" doc:"name for readers of figures and tables; absent, the name"`
	Unit   string `yaml:"unit" range:"any text" doc:"unit; absent, none"`
	Better string `yaml:"better" oneof:"lower higher" doc:"which values are better; absent, neither"`
}

// Problem is the piece of python in the catalog.
type Problem struct{}

// DefaultProblem returns the section with the values of keys that are absent.
func DefaultProblem() problemSection { return problemSection{Source: DefaultSource()} }

// offered are the optional methods of a class, and kept those for clients that keep their data.
var (
	offered = append([]string{pyproblem.Classify, pyproblem.TestLoss, pyproblem.Minimum, pyproblem.Target}, kept...)
	kept    = []string{pyproblem.Start, pyproblem.Sums, pyproblem.EachLoss, pyproblem.Local}
)

// check refuses unknown methods, names of private classes, and options that every class gets
// anyway.
func (s *problemSection) check(section *document.Node) error {
	var errs []error
	for i, name := range s.Offers {
		if !slices.Contains(offered, name) {
			errs = append(errs, document.At(fmt.Sprintf("offers[%d]", i), "%s", document.Unknown("method", name, offered)))
		}
	}
	for i, m := range s.Metrics {
		if !metric.IsName(m.Name) {
			errs = append(errs, document.At(fmt.Sprintf("metrics[%d].name", i), "%q is no name: lower case letters, digits, _ and dots", m.Name))
		}
		if j := slices.IndexFunc(s.Metrics, func(other ownMetric) bool { return other.Name == m.Name }); j < i {
			errs = append(errs, document.At(fmt.Sprintf("metrics[%d].name", i), "metrics[%d] has this name, too", j))
		}
	}
	if s.State > 0 && !slices.Contains(s.Offers, pyproblem.Local) {
		errs = append(errs, document.At("state", "clients keep numbers for the local steps of a class; want offers: [local], or leave this out"))
	}
	for i, size := range s.Sizes {
		if size < 1 {
			errs = append(errs, document.At(fmt.Sprintf("sizes[%d]", i), "a client has %d samples; want at least 1", size))
		}
	}
	return section.Resolve(errors.Join(append(errs, s.Source.Check())...))
}

// read reads a section for so many nodes, which must name a set if inSet is true.
func read(b *study.Builder, section *document.Node, nodes int, inSet bool) (*remarked, error) {
	s := DefaultProblem()
	err := errors.Join(document.Decode(section, &s), s.check(section))
	set, setErr := s.set(b, section, inSet)
	if err = errors.Join(err, setErr); err != nil {
		return nil, err
	}
	o := pyproblem.CostOptions{
		Kind: KindPython, File: s.Source.File, Class: s.Source.Name, Arguments: s.Source.Options.Values,
		Nodes: nodes, Set: set, Dimension: s.Dimension, GradientBound: s.GradientBound, Smoothness: s.Smoothness, Offers: s.Offers, Kept: s.State,
	}
	if o.GradientBound == 0 {
		o.GradientBound = math.Inf(1)
	}
	if o.Smoothness == 0 {
		o.Smoothness = math.Inf(1)
	}
	if p := pyproblem.NewCosts(o); limits.Product(nodes, p.Dim()) > limits.Coordinates {
		return nil, section.Issuef("%d nodes in %d dimensions; want at most %d coordinates in all", nodes, p.Dim(), limits.Coordinates)
	}
	code, err := s.Source.Read(b, section)
	if err != nil {
		return nil, err
	}
	o.Program = code.Program
	p := &remarked{code: code, linear: s.Linear, offered: s.Offers, sizes: s.Sizes}
	for _, m := range s.Metrics {
		o.Metrics = append(o.Metrics, m.Name)
		p.metrics = append(p.metrics, m.metric())
	}
	p.Problem = pyproblem.NewCosts(o)
	return p, nil
}

// set returns the set that the section names; nil where it gives only a dimension, and a set
// is not required.
func (s *problemSection) set(b *study.Builder, section *document.Node, inSet bool) (mirror.Set, error) {
	switch {
	case s.Set != nil && s.Set.Kind() != document.Null:
		set, err := problems.Build(b.Kinds, s.Set, max(1, s.Dimension))
		if err == nil && s.Dimension > 0 && set.Dim() != s.Dimension {
			err = document.At("dimension", "%d; the set has dimension %d", s.Dimension, set.Dim())
		}
		return set, section.Resolve(err)
	case inSet:
		return nil, section.Issuef("nodes without a server decide in a compact set, which is missing: give problem.set, such as {kind: l2-ball, dimension: %d, radius: 2}", max(1, s.Dimension))
	case s.Dimension == 0:
		return nil, section.Issuef("give problem.set, the set that decisions are from, or problem.dimension, of decisions that are from all of R^d")
	}
	return nil, nil
}

// Costs implements study.AsCosts.
func (Problem) Costs(b *study.Builder, section *document.Node, a *study.ArmFile) (problem.Problem, error) {
	p, err := readPassing(b, section, a.Nodes, true)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// readPassing is read for nodes that meet a cost a step. It refuses methods for clients that keep
// their data.
func readPassing(b *study.Builder, section *document.Node, nodes int, inSet bool) (*remarked, error) {
	p, err := read(b, section, nodes, inSet)
	if err != nil {
		return nil, err
	}
	for i, name := range p.offered {
		if slices.Contains(kept, name) {
			return nil, section.Resolve(document.At(fmt.Sprintf("offers[%d]", i), "%s is asked of clients that keep their data, and this algorithm meets a cost a step; leave it out", name))
		}
	}
	if p.metrics != nil {
		return nil, section.Resolve(document.At("metrics", "metrics of your own are of the models of a server whose clients keep their data, and this algorithm meets a cost a step; leave them out"))
	}
	if p.sizes != nil {
		return nil, section.Resolve(document.At("sizes", "sizes are of clients that keep their data, and this algorithm meets a cost a step; leave it out"))
	}
	return p, nil
}

// remarked is a problem with the notes and warnings about its code.
type remarked struct {
	*pyproblem.Problem
	code    *Code
	linear  bool
	offered []string
	sizes   []int
	metrics metric.List
}

// metric is the metric of results.
func (m *ownMetric) metric() metric.Metric {
	of := metric.Metric{
		Name: metric.Own + m.Name, Summary: m.Text, Label: cmp.Or(m.Label, m.Name), Unit: m.Unit, Better: metric.Direction(m.Better), Level: metric.OfRun, Course: metric.State,
	}
	of.Chart = metric.Chart{Name: "own-" + m.Name, Title: m.Text}
	return of
}

// offers reports whether the section names a method of the class.
func (p *remarked) offers(method string) bool { return slices.Contains(p.offered, method) }

// Remarks implements study.Remarked.
func (p *remarked) Remarks() ([]study.Note, []study.Warning) { return p.code.Notes, p.code.Warnings }

// class finds the classes of a file, at the beginning of a line.
var class = regexp.MustCompile(`(?m)^class\s+([A-Za-z]\w*)`)

// Begin implements study.FileBeginner: the settings of a new scenario that names a class.
func (Problem) Begin(path string, _ map[string]string) ([]study.Setting, error) {
	list, err := BeginClass(path)
	if err != nil {
		return nil, err
	}
	return append(list, study.Setting{Path: "problem.gradient_bound", Text: "1", Note: "A guess: the largest 2-norm of the gradients of your costs."}), nil
}

// BeginClass proposes the file and the first class of it.
func BeginClass(path string) ([]study.Setting, error) {
	text, err := inputs.ReadRegular(path)
	if err != nil {
		return nil, err
	}
	found := class.FindSubmatch(text)
	if found == nil {
		return nil, fmt.Errorf("%s has no class: a problem in Python is a class, see 'starling help python'", path)
	}
	return []study.Setting{
		{Path: "problem.file", Text: strconv.Quote(path)},
		{Path: "problem.name", Text: string(found[1]), Note: "The first class of the file."},
	}, nil
}
