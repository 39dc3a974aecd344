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
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// marks hold, for each metric, the best arm of a run and the arms that do not differ
// significantly from it.
type marks struct {
	// of has the tests of each metric, one for each condition; it is nil where there are no
	// marks. seeds is the number of pairs of each test.
	of    map[string][]comparison.Tested
	seeds int
	// few says that the seeds are too few for marks; empty where they are enough.
	few string
	// apart is true if not all arms have the same privacy and setting, and settings if settings
	// differ.
	apart, settings bool
	// observer limits the privacy that is compared to one observer; empty is all.
	observer string
	// group is the place of each arm's group among those that are tested.
	group map[string]int
	// groups are the arms of each group.
	groups [][]string
	// bootstrapped is set where the tests are of the bootstrap over seeds.
	bootstrapped bool
}

// The marks.
const (
	bestMark  = " *"
	alikeMark = " ~"
	noMark    = "  "
)

// marks tests the arms of a run on some metrics, at the steps of its table of last values, arms of
// equal privacy against each other: less noise learns better, and that says nothing of an algorithm. There are
// no marks for privacy losses, which are no samples, and for runs with few seeds. Arms that learn
// other things, or among other adversaries, are not marked against each other.
func (r *Run) marks(ranked metric.List) (m marks, err error) {
	seeds := r.Source.Manifest.Seeds.Count
	if len(r.Arms) < 2 || seeds < 2 { // values of one seed have no interval that would suggest a test
		return marks{seeds: seeds}, nil
	}
	e, err := r.evidence()
	if err != nil {
		return m, err
	}
	return e.marks(r.Arms, seeds, ranked, func(metrics []string) (comparison.Samples, error) {
		at, _ := LastSteps(&r.Run, r.Metrics())
		return comparison.SamplesAt(r.Source, at, metrics)
	})
}

// marks tests arms on some metrics. samples reads the values by seed.
func (e *evidence) marks(arms []results.ArmEntry, seeds int, ranked metric.List, samples func(metrics []string) (comparison.Samples, error)) (m marks, err error) {
	m.seeds = seeds
	conditions, _ := e.Conditions(arms, "")
	m.observer = e.matched()
	m.apart = len(conditions) > 1
	m.settings = slices.ContainsFunc(conditions, func(c Condition) bool { return c.Setting != conditions[0].Setting })
	if len(conditions) == len(arms) { // no two arms to tell apart
		return m, nil
	}
	if m.few = comparison.TooFew(seeds); m.few != "" {
		return m, nil
	}
	m.group, m.of = map[string]int{}, map[string][]comparison.Tested{}
	for i, c := range conditions {
		m.groups = append(m.groups, c.Arms)
		for _, arm := range c.Arms {
			m.group[arm] = i
		}
	}
	if len(ranked) == 0 {
		return m, nil
	}
	values, err := samples(ranked.Names())
	if err != nil {
		return m, err
	}
	for _, metric := range ranked {
		m.add(metric.Name, values.Best(m.groups, metric))
	}
	return m, nil
}

// add adds the tests of a metric, by group, without groups that have no best arm.
func (m *marks) add(metricName string, tests []comparison.Tested) {
	for _, t := range tests {
		if t.Best != "" {
			m.of[metricName] = append(m.of[metricName], t)
		}
	}
}

// resampled adds the tests of a statistic over the seeds, by the bootstrap over them. Without groups of arms there are
// none.
func (r *Run) resampled(m *marks, of metric.Metric, statistics comparison.Statistics) {
	if len(m.groups) == 0 || len(overSeeds(metric.List{of}, of.Name)) == 0 {
		return
	}
	at, _ := LastSteps(&r.Run, []string{of.Name})
	m.resampled(of, comparison.BestOf(r.Source, m.groups, of, at, statistics))
}

// resampled adds tests of a statistic over the seeds.
func (m *marks) resampled(of metric.Metric, tests []comparison.Tested) {
	m.add(of.Name, tests)
	m.bootstrapped = true
}

// overSeeds returns the metric of a name as a list, where it is a statistic over the seeds with marks; else an empty one.
func overSeeds(known metric.List, name string) metric.List {
	m, ok := known.Find(name)
	if !ok || m.Better == "" || m.Level != metric.OfSummary {
		return nil
	}
	return metric.List{m}
}

// Jobs has the values of the jobs of a run that has just ended.
type Jobs struct {
	// Rows yields the values of all jobs that are of no node.
	Rows func(visit func(results.Row)) error
	// Statistic is the headline metric of an arm at a step, where it is a statistic over the seeds. The error says that
	// it was not kept.
	Statistic func(arm string, step int64) (comparison.Statistic, error)
}

// Mark gives a run that has just ended the marks of its headline metric, for figures, as the
// finding has them. It does nothing where the run has neither a heat map nor dots, or too few seeds.
func Mark(run *plot.Run, s *study.Scenario, jobs Jobs) error {
	known := s.Kinds.AllMetrics()
	name, ok := run.LastMetric(s)
	if !ok || run.Facts == nil || run.Facts.Seeds.Count < comparison.FewestPairs {
		return nil
	}
	ranked, of := rankedOf(known, name), overSeeds(known, name)
	if len(ranked)+len(of) == 0 {
		return nil
	}
	e := evidence{run.Arms, run.Facts.Ledger, run.Facts.Losses, s.Document, s.Emphasis.Conditions}
	m, err := e.marks(run.Arms, run.Facts.Seeds.Count, ranked, func([]string) (comparison.Samples, error) {
		at, _ := LastSteps(run, run.Metrics())
		samples := comparison.NewSamples(at, ranked.Names())
		err := jobs.Rows(samples.Add)
		return samples, err
	})
	if len(of) > 0 {
		at, _ := LastSteps(run, []string{name})
		m.resampled(of[0], comparison.BestOfSeeds(m.seeds, m.groups, of[0], func(arm string) (comparison.Statistic, error) {
			return jobs.Statistic(arm, at[arm])
		}))
	}
	run.Marks = m.figure(name)
	return err
}

// MarksOf returns the marks of a metric of a finished run for a figure of its last values; nil
// where there are none. metrics are the program's. statistics makes statistics over seeds again.
func MarksOf(run *results.Run, metrics metric.List, metricName string, statistics comparison.Statistics) (*plot.Marks, error) {
	r, err := Read(run, metrics)
	if err != nil {
		return nil, err
	}
	return r.MarksOf(metricName, statistics)
}

// MarksOf returns the marks of the last values of a metric of the run; nil where there are none.
func (r *Run) MarksOf(metricName string, statistics comparison.Statistics) (*plot.Marks, error) {
	m, err := r.marks(rankedOf(r.Known, metricName))
	if err != nil {
		return nil, err
	}
	if of, ok := r.Known.Find(metricName); ok {
		r.resampled(&m, of, statistics)
	}
	return m.figure(metricName), nil
}

// rankedOf returns the metric of a name as a list; an empty one where it has no marks.
func rankedOf(known metric.List, name string) metric.List {
	return slices.DeleteFunc(Ranked(known), func(m metric.Metric) bool { return m.Name != name })
}

// figure returns the marks of a metric for figures; nil where there are none.
func (m *marks) figure(metricName string) *plot.Marks {
	if len(m.of[metricName]) == 0 {
		return nil
	}
	f := &plot.Marks{Metric: metricName, Of: map[string]string{}, Text: m.shortText()}
	for _, t := range m.of[metricName] {
		f.Of[t.Best] = strings.TrimSpace(bestMark)
		for _, arm := range t.Alike {
			f.Of[arm] = strings.TrimSpace(alikeMark)
		}
	}
	return f
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
var settings = []string{"adversaries", "network", "clock"}

// SettingValues returns the values with which an arm changes the setting in which it learns: of the
// conditions that the study states, or, for nil, of the problem, the adversaries, the
// network and the clock. The choice of the set of decisions does not count as a change.
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

// text explains the marks, or says that the seeds are too few for them; it is empty where no two
// arms are tested.
func (m *marks) text() string {
	switch {
	case m.few != "":
		return m.few
	case len(m.of) == 0:
		return ""
	}
	return fmt.Sprintf("* best mean%s; ~ not significantly different from it (%s, p > %g)", m.among(), m.test(), comparison.Level)
}

// shortText is text in half a line.
func (m *marks) shortText() string {
	return fmt.Sprintf("* best mean%s; ~ not significantly different from it (%s)", m.among(), m.test())
}

// test names the test of the marks.
func (m *marks) test() string {
	name := "paired t-test"
	if m.bootstrapped {
		name = "bootstrap in pairs"
	}
	return fmt.Sprintf("%s, %s, Holm", name, document.Counted(m.seeds, "seed"))
}

// among names the arms that are tested against each other; it is empty for all arms of the run.
func (m *marks) among() (text string) {
	switch {
	case m.settings:
		text = " of each group of arms of equal privacy and setting"
	case m.apart:
		text = " of each group of arms of equal privacy"
	}
	if m.apart && m.observer != "" {
		text += " against " + m.observer
	}
	return text
}
