package metric

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Direction is the direction in which a metric improves.
type Direction string

// The directions. A metric without one is neither good nor bad by itself.
const (
	LowerIsBetter  Direction = "lower"
	HigherIsBetter Direction = "higher"
)

// AsGood reports whether a value is as good as a target, of a metric with a better side.
func (d Direction) AsGood(value, target float64) bool {
	if d == LowerIsBetter {
		return value <= target
	}
	return value >= target
}

// Beats reports whether a value is better than another; no value is where neither side is better, and NaN is never.
func (d Direction) Beats(v, other float64) bool {
	return d == LowerIsBetter && v < other || d == HigherIsBetter && v > other
}

// Level is the unit of recording of a metric: a run, a node or the summary.
type Level string

// The levels.
const (
	OfRun     Level = "run"     // one value a run and step; its mean over the seeds is in the summary
	OfNode    Level = "node"    // one value a run, step and measured node; not in the summary
	OfSummary Level = "summary" // a statistic over all seeds at once; in the summary only
)

// Course is the relation of a value to the steps before its own. Records every few steps miss
// values of states and rates between them, and none of a cumulative metric.
type Course string

// The courses.
const (
	Cumulative Course = ""      // of all steps up to its own
	State      Course = "state" // of the decisions, or the models, of its step
	Rate       Course = "rate"  // of the actions of its step, or of the round that it ends
)

// Share is the unit of a part of a whole, from 0 to 1. The usual figures show it on a linear
// axis: on a logarithmic one the good values lie on top of each other.
const Share = "share"

// Own is the beginning of the names of metrics that a scenario's own code declares: they are
// no part of a catalog.
const Own = "own."

// ownName is the pattern of a metric's name in a scenario's own code, where Own does not come before it.
var ownName = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)

// IsName reports whether a text can follow Own in the name of a metric.
func IsName(text string) bool { return ownName.MatchString(text) }

// Metric is the declaration of a metric, by the code that records it. Its name selects it in
// measure.metrics, in tables and in plots. Lists, axes, usual figures and refusals all follow
// from the declaration.
type Metric struct {
	// Name is words of lower case with dots between, the family first: regret.expected.
	Name string `json:"kind"`
	// Summary is the meaning of the metric in one line, for lists and help.
	Summary string `json:"summary"`
	// Label is the label of an axis, a few words.
	Label string `json:"label"`
	// Unit is empty if there is none; Share marks parts of a whole.
	Unit string `json:"unit,omitempty"`
	// PerStep is true if the metric adds up over the steps, so that the usual figures divide
	// it by the step.
	PerStep bool `json:"per_step"`
	// Better is empty for a metric that is neither good nor bad by itself.
	Better Direction `json:"better,omitempty"`
	// Level decides whether the summary has the metric.
	Level Level `json:"level"`
	// Chart is the metric's usual figure, of one curve an arm; the zero value is none.
	Chart Chart `json:"-"`
	// Asked is true if the metric is recorded only where measure.metrics names it.
	Asked bool `json:"asked,omitempty"`
	// Derived is true if the metric follows from the scenario, as privacy losses and traffic
	// do, unless the network or the algorithm makes it random: where all seeds agree on it, it
	// is exact. Agreement on measured values is chance.
	Derived bool `json:"derived,omitempty"`
	// Course is the relation of a value to the steps before its own.
	Course Course `json:"course,omitempty"`
	// Cost is true if the metric is of the resources of a run, such as messages, and not of the
	// quality of decisions.
	Cost bool `json:"-"`
}

// Chart is a usual figure: the name of its files in plots/, and its title.
type Chart struct{ Name, Title string }

// List is metrics, in the order of lists and of the usual figures.
type List []Metric

// Join returns the metrics of several lists, each once, where it stands first; a new list.
func Join(lists ...List) (all List) {
	known := make(map[string]struct{}, 256)
	for _, list := range lists {
		for i := range list { // a metric has many words: it is copied once
			if _, ok := known[list[i].Name]; !ok {
				known[list[i].Name] = struct{}{}
				all = append(all, list[i])
			}
		}
	}
	return all
}

// Check returns an error if some metrics cannot be recorded, listed and drawn: one that has no
// name, label, level or summary, and two of one name.
func (l List) Check() error {
	for i, m := range l {
		if m.Name == "" || m.Summary == "" || m.Label == "" || m.Level == "" {
			return fmt.Errorf("metric %q lacks a name, a summary, a label or a level", m.Name)
		}
		if j := slices.IndexFunc(l, func(other Metric) bool { return other.Name == m.Name }); l[j] != l[i] {
			return fmt.Errorf("metric %q is declared twice, and otherwise", m.Name)
		}
	}
	return nil
}

// Find returns the metric of a name.
func (l List) Find(name string) (Metric, bool) {
	if i := slices.IndexFunc(l, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return l[i], true
	}
	return Metric{}, false
}

// Derives reports whether the metric of a name is derived; false if it is not in the list.
func (l List) Derives(name string) bool {
	m, ok := l.Find(name)
	return ok && m.Derived
}

// Names returns the names of the metrics; a new slice.
func (l List) Names() []string {
	names := make([]string, len(l))
	for i, m := range l {
		names[i] = m.Name
	}
	return names
}

// Charted returns the metrics that have a usual figure; a new list.
func (l List) Charted() (list List) {
	for _, m := range l {
		if m.Chart != (Chart{}) {
			list = append(list, m)
		}
	}
	return list
}

// Label returns the label of an axis that shows a metric, or the metric divided by the step. A
// metric that is not in the list has its name as label.
func (l List) Label(name string, perStep bool) string {
	label := name
	if m, ok := l.Find(name); ok {
		label = m.Label
	}
	if perStep {
		label += " / t"
	}
	return label
}

// Matches reports whether a pattern of measure.metrics, a name or a prefix that
// ends in ".*", selects a metric.
func Matches(pattern, metric string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasSuffix(prefix, ".") {
		return strings.HasPrefix(metric, prefix)
	}
	return pattern == metric
}
