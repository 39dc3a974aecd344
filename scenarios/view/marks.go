package view

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
)

// marks hold, for each metric, the best arm of a run and the arms that do not differ
// significantly from it.
type marks struct {
	// of has the tests of each metric, one for each condition; it is nil where there are no
	// marks. seeds is the number of pairs of each test.
	of    map[string][]comparison.Tested
	seeds int
	// apart is true if not all arms have the same privacy and setting, and alone if no two have.
	// settings is true if settings differ.
	apart, alone, settings bool
	// observer limits the privacy that is compared to one observer; empty is all.
	observer string
}

// The marks.
const (
	bestMark  = " *"
	alikeMark = " ~"
	noMark    = "  "
)

// marks tests the arms of a run at the steps of its table of last values, those of equal privacy
// against each other: less noise learns better, and that says nothing of an algorithm. There are
// no marks for privacy losses, which are no samples, and for runs with few seeds. Arms that learn
// other things, or among other adversaries, are not marked against each other.
func (r *Run) marks() (m marks, err error) {
	m.seeds = r.Source.Manifest.Seeds.Count
	if len(r.Arms) < 2 || m.seeds < comparison.FewestPairs {
		return m, nil
	}
	conditions, _, err := r.Conditions(r.Arms, "")
	if err != nil {
		return m, err
	}
	if m.observer, err = r.matched(); err != nil {
		return m, err
	}
	m.apart = len(conditions) > 1
	m.settings = slices.ContainsFunc(conditions, func(c Condition) bool { return c.Setting != conditions[0].Setting })
	if m.alone = len(conditions) == len(r.Arms); m.alone {
		return m, nil
	}
	ranked := Ranked(r.Known)
	at, _ := LastSteps(&r.Run, r.Metrics())
	samples, err := comparison.SamplesAt(r.Source, at, ranked.Names())
	if err != nil {
		return m, err
	}
	var groups [][]string
	for _, c := range conditions {
		groups = append(groups, c.Arms)
	}
	m.of = map[string][]comparison.Tested{}
	for _, metric := range ranked {
		for _, t := range samples.Best(groups, metric) {
			if t.Best != "" {
				m.of[metric.Name] = append(m.of[metric.Name], t)
			}
		}
	}
	return m, nil
}

// Ranked returns the metrics that have marks: the metrics of whole runs with a better side,
// without privacy losses and quantities of participants. Each metric has tests of its own; the
// correction is for the number of arms and not for the number of metrics.
func Ranked(known metric.List) (ranked metric.List) {
	for _, c := range known {
		if c.Better != "" && c.Level == metric.OfRun && !strings.HasPrefix(c.Name, "epsilon.") && !gauge.IsOfOwners(c.Name) {
			ranked = append(ranked, c)
		}
	}
	return ranked
}

// settings are the sections of the setting in which arms learn, besides the problem.
var settings = []string{"adversaries", "network"}

// SettingValues returns the values with which an arm changes the setting in which it learns: of the
// conditions that the study states, or, for nil, of the problem, the adversaries and the
// network. The choice of the set of decisions does not count as a change.
func SettingValues(arm results.ArmEntry, conditions []string) (list []results.Value) {
	for _, key := range conditions {
		if value, ok := arm.Value(key); ok {
			list = append(list, results.Value{Path: key, Value: value})
		}
	}
	if conditions != nil {
		return list
	}
	for _, v := range arm.Values {
		section, _, _ := strings.Cut(v.Path, ".")
		ofSet := v.Path == "problem.set" || strings.HasPrefix(v.Path, "problem.set.")
		if ofProblem(v.Path) && !ofSet || slices.Contains(settings, section) {
			list = append(list, v)
		}
	}
	return list
}

// on returns a cell of a table with its mark. Where a table has marks, all cells have room for
// one, so that numbers stay under each other. A mark takes two columns, as does the blank in
// cells without one.
func (m *marks) on(cell, metricName, arm string) string {
	if cell == "" || len(m.of) == 0 {
		return cell
	}
	for _, t := range m.of[metricName] {
		switch {
		case arm == t.Best:
			return cell + bestMark
		case slices.Contains(t.Alike, arm):
			return cell + alikeMark
		}
	}
	return cell + noMark
}

// text explains the marks, or why there are none; it is empty where there is nothing to explain.
func (m *marks) text() string {
	switch {
	case m.alone && m.settings:
		return "no marks: no two arms have the same privacy and setting"
	case m.alone:
		return "no marks: no two arms have the same privacy, and less noise learns better"
	case len(m.of) == 0:
		return ""
	}
	return fmt.Sprintf("* best mean%s; ~ not significantly different from the best (paired t-test, %s, Bonferroni, p > %g)", m.among(), document.Counted(m.seeds, "seed"), comparison.Level)
}

// shortText is text in half a line.
func (m *marks) shortText() string {
	return fmt.Sprintf("* best mean%s; ~ not significantly different (paired t-test, %s, Bonferroni)", m.among(), document.Counted(m.seeds, "seed"))
}

// among names the arms that are tested against each other; it is empty for all arms of the run.
func (m *marks) among() (text string) {
	switch {
	case m.settings:
		text = " among arms of equal privacy and setting"
	case m.apart:
		text = " among arms of equal privacy"
	}
	if m.apart && m.observer != "" {
		text += " against " + m.observer
	}
	return text
}
