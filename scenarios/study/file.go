package study

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/personal"
	"starling/scenarios/section/networks"
)

// File is the top level of a scenario file, its keys in the order in which a
// resolved file has them.
type File struct {
	Version     int                   `yaml:"version,required" example:"1" range:"the one that this build reads" doc:"version of the file format"`
	Name        string                `yaml:"name,required" example:"my-study" doc:"name of the scenario, and of the folder of its results"`
	Extends     string                `yaml:"extends" range:"a name of the library, or a path" doc:"scenario that this file changes: a name of the library, or a path relative to this file; absent, none"`
	Description string                `yaml:"description" range:"any text" doc:"one line for lists and reports; absent, none"`
	Paper       *metric.Paper         `yaml:"paper" doc:"paper that the scenario is from"`
	Horizon     int                   `yaml:"horizon,required" example:"100" min:"1" max:"10000000" says:"%v steps" unit:"steps" doc:"number of steps, T"`
	Nodes       int                   `yaml:"nodes,required" example:"10" min:"1" max:"1000000000" says:"%v nodes" unit:"nodes" doc:"number of nodes, N: at most 10 million, and more where a server draws the clients of a round, algorithm.draw: server"`
	Algorithm   *document.Node        `yaml:"algorithm,required" example:"{kind: KIND}, of 'starling list algorithms'" doc:"learning algorithm of the nodes"`
	Problem     *document.Node        `yaml:"problem,required" example:"{kind: KIND}, of 'starling list problems'" doc:"costs of the nodes, and the set of decisions"`
	Topology    *document.Node        `yaml:"topology,required" example:"{kind: ring}" doc:"graph and weights of each step"`
	Network     *document.Node        `yaml:"network" doc:"effects of the network on messages and nodes; absent, ideal"`
	Clock       *networks.Clock       `yaml:"clock" doc:"seconds of the rounds of a server: laws of the speeds of its clients and of their links; absent, rounds have no seconds"`
	Adversaries *document.Node        `yaml:"adversaries" doc:"Byzantine nodes, which send other vectors than they have computed; absent, none"`
	Mechanism   *document.Node        `yaml:"mechanism,required" doc:"noise that protects what nodes send"`
	Match       *MatchSection         `yaml:"match" doc:"privacy that the arms have in common: the noise of each is calibrated to it; absent, as the mechanism says"`
	Budget      *ledger.BudgetSection `yaml:"budget" doc:"limit on the privacy loss of every node over the run; absent, none"`
	Seeds       Seeds                 `yaml:"seeds" doc:"seeds of the runs"`
	Sweep       *document.Node        `yaml:"sweep" doc:"arms of the scenario, by the values they set, where null is as absent; absent, one arm"`
	Tune        *Tune                 `yaml:"tune" doc:"trials from which the verb tune chooses values of keys; other verbs do not read it; absent, there are none"`
	Tuned       []Tuned               `yaml:"tuned" max:"1000" says:"%v arms" doc:"values that the verb tune has chosen, and the privacy cost of its trials, as it wrote them; absent, none"`
	Measure     Measure               `yaml:"measure" doc:"metrics to record, with their steps and nodes"`
	Plots       []PlotSection         `yaml:"plots" max:"100" says:"%v figures" doc:"figures to draw; absent, the usual ones; an empty list, none"`
	Checkpoint  Checkpoint            `yaml:"checkpoint" doc:"how often the state of a run is saved, so that one that is killed can go on"`
}

// DefaultFile returns the values of absent keys.
func DefaultFile() File { return File{Seeds: Seeds{Base: 1, Count: 1}} }

// FileVersion is the version of the file format that this build reads.
const FileVersion = 1

// ValidName matches the names that a results folder can have.
var ValidName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

// DecodeFile decodes the top level and checks the parts that need nothing else. A value that
// could not be decoded is zero.
func DecodeFile(doc *document.Document) (File, document.Issues) {
	f := DefaultFile()
	issues := doc.Resolve("", document.Decode(doc.Root(), &f))
	return f, append(issues, doc.Resolve("", f.validate(doc, issues))...)
}

// validate checks the values that are given and were decoded.
func (f *File) validate(doc *document.Document, issues document.Issues) error {
	var errs []error
	check := func(ok bool, path, format string, args ...any) {
		_, given := doc.Find(path)
		reported := slices.ContainsFunc(issues, func(i document.Issue) bool { return i.Path == path })
		if given && !reported && !ok {
			errs = append(errs, document.At(path, format, args...))
		}
	}
	check(f.Version == FileVersion, "version", "version %d; this build reads version %d", f.Version, FileVersion)
	check(ValidName.MatchString(f.Name), "name", "%q is no name: lower-case letters, digits, '.', '_' and '-', at most 100", f.Name)
	check(false, "extends", "only a file can name the file that it extends; leave extends out of --set")
	return errors.Join(errs...)
}

// MostSeeds is the largest number of seeds of a scenario; the tag of Seeds.Count has it, too.
const MostSeeds = 1_000_000

// Seeds are the seeds base, base+1, .., one run of every arm each.
type Seeds struct {
	Base  uint64 `yaml:"base" min:"0" max:"9223372036853775807" says:"base %v" unit:"seed number" doc:"first seed"`
	Count int    `yaml:"count" min:"1" max:"1000000" says:"%v seeds" unit:"seeds" doc:"number of seeds, each run once in every arm"`
}

// Measure says which metrics are taken, when and where.
type Measure struct {
	Every   int      `yaml:"every" min:"1" max:"10000000" says:"%v steps" unit:"steps" doc:"number of steps between records; absent, about 100 records over the horizon"`
	Nodes   int      `yaml:"nodes" min:"1" max:"100000" says:"%v nodes" unit:"nodes" doc:"at how many sampled nodes regret is taken; absent, at all up to 1000, at 100 beyond"`
	At      []int    `yaml:"at" unit:"steps" range:"steps of the run" doc:"further steps to record, the paper's numbers; absent, none"`
	Metrics []string `yaml:"metrics" min:"1" says:"%v metrics" range:"names of metrics, or beginnings with .*" doc:"metrics to record, by name or by a prefix such as regret.*; absent, all"`
	// By and Groups ask for values of single participants; see ownersOf of package arms.
	By       string         `yaml:"by" oneof:"node group" doc:"record accuracy, loss, regret, epsilon and messages, and the scores that metrics names, of single participants, nodes or clients of a server: their worst, best, quantiles, Gini coefficient and spread at each record, and with node the value of each at the last step and those of at, with group the mean of each group at each record; absent, none of these"`
	Groups   []MeasureGroup `yaml:"groups" min:"1" max:"10000" says:"%v groups" doc:"groups for by: group, numbered from 1; all other nodes are group 0; absent, the groups of mechanism.groups, or the nodes of each epsilon of its file, column or choice, by rising epsilon"`
	Moves    bool           `yaml:"moves" doc:"record how far mirror steps move from z_t, against inequality (11) of DPDO-NC: move.largest and move.excess; for dpdonc"`
	Interval int            `yaml:"interval" min:"1" max:"10000000" says:"%v steps" unit:"steps" doc:"length of the intervals of regret.adaptive; absent, it is not recorded"`
	// Headline is of the views alone: no bit of a job depends on it. See Scenario.Headline.
	Headline string `yaml:"headline" range:"name of a metric" doc:"metric with a better side by which arms are compared first: the finding, the table of runs, the first figure and compare begin with it; absent, the metric of the first figure, or else the first usual one"`
	Window   bool   `yaml:"window" doc:"record the mean, the least and the most of states and rates of a step, such as consensus.error, accuracy.test, loss.train and scores, over the steps of each record, too: those since the last record, or the whole periods of the graphs that have them; figures then draw the mean, with a band from the least to the most; each is then computed at every step, which takes time"`
	// AlsoRecord are metrics that are recorded as if Metrics named them: the metrics of the
	// scenario's figures, and those by which arms of different families are compared.
	AlsoRecord []string `yaml:"-"`
	// Observers and Pairs ask for accounts of named nodes; see namedObservers of package arms.
	Observers []NamedObserver `yaml:"observers" min:"1" max:"100" says:"%v observers" doc:"nodes, and coalitions of nodes that share their view: the ledger accounts for the losses of all others to them; absent, none"`
	Levels    bool            `yaml:"levels" doc:"observers at levels: the servers of each level of the topology tiers or clusters, and readers of all links below a level, such as level edge and wire below edge; arms without levels have no such observers"`
	Pairs     bool            `yaml:"pairs" doc:"account for the knowledge of every node of every other at the end of a run, of up to 500 nodes; tables leave these observers out"`
	Model     bool            `yaml:"model" doc:"write the model that each run ends with into models/, for algorithms that train softmax, mlp or cnn on images"`
}

// MeasureGroup is a group of participants.
type MeasureGroup struct {
	First int `yaml:"first,required" min:"1" says:"first is %v" unit:"node number" doc:"the first node of the group, from 1"`
	Last  int `yaml:"last,required" min:"1" says:"last is %v" unit:"node number" doc:"the last node of the group"`
}

// The values of Measure.By.
const (
	ByNode  = "node"
	ByGroup = "group"
)

// GroupsNote is the key of the note that says which participants are in which group.
const GroupsNote = "groups"

// Records reports whether a metric is to be recorded.
func (m *Measure) Records(metricName string) bool {
	return m.Metrics == nil || slices.Contains(m.AlsoRecord, metricName) || slices.ContainsFunc(m.Metrics, func(pattern string) bool { return metric.Matches(pattern, metricName) })
}

// Names reports whether a metric is asked for by its whole name, or is recorded as if it
// were.
func (m *Measure) Names(metric string) bool {
	return slices.Contains(m.Metrics, metric) || slices.Contains(m.AlsoRecord, metric)
}

// RecordsRegret reports whether any metric needs the nodes' regret.
func (m *Measure) RecordsRegret() bool {
	return m.Records(gauge.RegretExpected) || m.Records(gauge.RegretRun) || m.Records(gauge.RegretNode) || m.Interval > 0 && m.Records(gauge.RegretAdaptive)
}

// Check returns an error for patterns that select no metric.
func (m *Measure) Check(names []string) error { return m.check(names, false) }

// CheckOwn is Check for patterns that begin with metric.Own. Their metrics are known once arms
// are built.
func (m *Measure) CheckOwn(names []string) error { return m.check(names, true) }

func (m *Measure) check(names []string, own bool) error {
	var errs []error
	for i, pattern := range m.Metrics {
		// An empty pattern could not be decoded, and is reported already.
		if pattern != "" && strings.HasPrefix(pattern, metric.Own) == own && !slices.ContainsFunc(names, func(name string) bool { return metric.Matches(pattern, name) }) {
			errs = append(errs, document.At(fmt.Sprintf("measure.metrics[%d]", i), "%s", document.Unknown("metric", pattern, withPrefixes(names))))
		}
	}
	return errors.Join(errs...)
}

// withPrefixes returns names of metrics, and the prefixes that a slip may have meant.
func withPrefixes(names []string) []string {
	known := slices.Clone(names)
	for _, name := range names {
		if prefix, _, dotted := strings.Cut(name, "."); dotted && !slices.Contains(known, prefix+".*") {
			known = append(known, prefix+".*")
		}
	}
	return known
}

// Checkpoint says how often the state of a run is saved.
type Checkpoint struct {
	Every int `yaml:"every" min:"1" max:"10000000" says:"%v steps" unit:"steps" doc:"number of steps between states that are saved; absent, a tenth of the horizon, at most one state a second, and at most a twentieth of the time"`
}

const (
	usualCheckpoints = 10 // of a run, if the file sets no number
	// usualPause is the shortest time between two states, if the file sets no number of them:
	// writing them costs more than short runs.
	usualPause = time.Second
)

// Interval returns the number of steps between pauses, and the shortest time between two
// states that are saved.
func (c *Checkpoint) Interval(horizon int) (steps int, pause time.Duration) {
	if c.Every > 0 {
		return c.Every, 0
	}
	return (horizon + usualCheckpoints - 1) / usualCheckpoints, usualPause
}

// NamedObserver is a node, or nodes that share all they see, by the paper's numbers or by names.
type NamedObserver struct {
	Node  *personal.NodeRef  `yaml:"node" unit:"node number" range:"a number from 0 to 10000000, or a name" doc:"number of one node, as results have it, or its name in a network with names of nodes; 0 is the server of an algorithm that has one; absent, nodes are given"`
	Nodes []personal.NodeRef `yaml:"nodes" min:"2" max:"1000" says:"%v nodes" unit:"node numbers" range:"numbers or names of nodes, each once" doc:"numbers or names of the nodes of a coalition; absent, one node is given"`
}

// Numbers returns the numbers of an observer's nodes, in the order of the file. The arm's nodes have
// these names, nil is none, and numbers from first on.
func (o *NamedObserver) Numbers(names []string, first int) (list []int, err error) {
	refs := o.Nodes
	switch {
	case o.Node != nil && o.Nodes != nil:
		return nil, errors.New("a node or nodes: not both")
	case o.Node != nil:
		refs = []personal.NodeRef{*o.Node}
	case o.Nodes == nil:
		return nil, errors.New("nobody is named: give node or nodes")
	}
	for _, ref := range refs {
		number, err := ref.In(names, first)
		if err != nil {
			return nil, err
		}
		list = append(list, number)
	}
	return list, nil
}
