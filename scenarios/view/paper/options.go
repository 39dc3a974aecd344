package paper

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/typeset"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// Interval is the error beside a mean.
type Interval string

// The intervals.
const (
	CI   Interval = "ci"   // half the width of the 95 % interval: Student's t, bootstrap for statistics over seeds
	SE   Interval = "se"   // the standard error of the mean
	None Interval = "none" // no error
)

// Intervals returns the names of the intervals; a new slice.
func Intervals() []string { return []string{string(SE), string(CI), string(None)} }

// The axes that are no swept key.
const (
	ArmAxis    = "arm"
	MetricAxis = "metric"
)

// Options choose a table.
type Options struct {
	// Metrics are the metrics by name; nil is all that have a value at the step.
	Metrics []string
	// Arms are the arms by name, or by the beginning of names before a *; nil is all.
	Arms []string
	// Rows and Columns are ArmAxis, MetricAxis or a swept key. Where neither is MetricAxis the
	// table has one metric.
	Rows, Columns string
	// At is the step; nil is the last, or the last that all arms reached.
	At *int64
	// Interval is the error beside a mean, and Digits the number of its digits, at least 1.
	Interval Interval
	Digits   int
	// Statistics reads statistics over the seeds, for their intervals; nil is none, and they have none.
	Statistics comparison.Statistics
	// Marks asks for marks.
	Marks bool
	// Baseline is the arm of p-values; empty is no p-values.
	Baseline string
	// Observer is the observer by whose privacy losses arms are compared; empty is all.
	Observer string
	// Labels asks for names of arms as figures have them; else arms have their ids, which flags take.
	Labels bool
	// Readers asks for a table for people: metrics have their labels, with the ids in the caption, numbers
	// of swept keys ascend, and absent Metrics leave out windows of others and privacy losses but the run's.
	Readers bool
	// Ranked asks for the arms in the order of the headline metric, the best first, where there are more than ManyArms
	// rows of arms with columns of metrics; of chosen Metrics the first is taken. Foremost puts that metric first,
	// and the privacy loss second.
	Ranked, Foremost bool
	// Title replaces the description of the scenario. Captioned asks for a caption.
	Title     string
	Captioned bool
	// Brief makes the caption one sentence and the remarks on marks and tests.
	Brief bool
}

// ManyArms is the largest number of arms in the order of their labels where Options.Ranked asks for ranks.
const ManyArms = 8

// builder makes a table.
type builder struct {
	*Options
	run *view.Run
	// shown is the run with the arms that are shown.
	shown plot.Run
	// metrics are the metrics that are shown.
	metrics []string
	// at is the step of each arm.
	at map[string]int64
	// rows are the rows of the summary at these steps, by arm and metric.
	rows map[[2]string]results.SummaryRow
	// order is the metric by which arms are in order; empty where they are in the order of their labels.
	order string
	// base is the scenario as it was run, for keys that an arm does not set.
	base *document.Document
	// cells are the cells in the order of the arms, then of the metrics.
	cells []placed
	// resampled reports whether an interval is of the bootstrap, and missing says for each metric why
	// it has none.
	resampled bool
	missing   map[string]string
	faults    []error
	table     *typeset.Table
}

// Build returns the table of a run. The error has all faults of the options.
func Build(run *view.Run, o Options) (*typeset.Table, error) {
	b := newBuilder(run, o)
	if err := b.readScenario(); err != nil {
		return nil, err
	}
	b.checkNumbers()
	b.chooseArms()
	b.chooseStep()
	b.indexRows()
	b.chooseMetrics()
	if err := b.rank(); err != nil {
		return nil, err
	}
	b.checkAxes()
	b.checkBaseline()
	conditions, err := b.conditions()
	if err != nil {
		return nil, err
	}
	if len(b.faults) == 0 {
		b.layOut()
	}
	if err := b.bad(); err != nil {
		return nil, err
	}
	if err := b.test(conditions); err != nil {
		return nil, err
	}
	return b.table, nil
}

// newBuilder returns a builder of a table of all arms.
func newBuilder(run *view.Run, o Options) *builder {
	return &builder{Options: &o, run: run, shown: run.Run, missing: map[string]string{}, table: &typeset.Table{Name: run.Scenario, Digits: o.Digits, Tests: o.Baseline != ""}}
}

// readScenario reads the scenario of the run.
func (b *builder) readScenario() error {
	text, err := b.run.Source.Scenario()
	if err != nil {
		return err
	}
	if b.base, err = document.Parse(results.ScenarioFile, text); err != nil {
		return fmt.Errorf("%s: %w", b.run.Source.Dir, err)
	}
	return nil
}

// bad returns all faults; nil where there is none.
func (b *builder) bad() error {
	if len(b.faults) == 0 {
		return nil
	}
	return document.BadInput(errors.Join(b.faults...))
}

// fault notes a fault of an option.
func (b *builder) fault(option, format string, arguments ...any) {
	b.faults = append(b.faults, fmt.Errorf("--%s: %s", option, fmt.Sprintf(format, arguments...)))
}

// mostDigits is the largest number of digits of an error, and usualDigits the number in other tables of a run.
const (
	mostDigits  = 10
	usualDigits = 2
)

// checkNumbers checks the options that need no run.
func (b *builder) checkNumbers() {
	if !slices.Contains(Intervals(), string(b.Interval)) {
		b.fault("interval", "%s", document.Unknown("interval", string(b.Interval), Intervals()))
	}
	if b.Digits < 1 || b.Digits > mostDigits {
		b.fault("digits", "%d digits; want 1 to %d", b.Digits, mostDigits)
	}
}

// armNames returns the names of arms.
func armNames(arms []results.ArmEntry) []string {
	names := make([]string, len(arms))
	for i, arm := range arms {
		names[i] = arm.Name
	}
	return names
}

// chooseArms chooses the arms that are shown. A name that selects none is a fault.
func (b *builder) chooseArms() {
	if b.Readers {
		defer b.sortArms()
	}
	if b.Arms == nil {
		return
	}
	b.shown.Arms = nil
	for _, arm := range b.run.Arms {
		if slices.ContainsFunc(b.Arms, func(name string) bool { return plot.SelectsArm(name, arm.Name) }) {
			b.shown.Arms = append(b.shown.Arms, arm)
		}
	}
	all := armNames(b.run.Arms)
	for _, name := range b.Arms {
		if !slices.ContainsFunc(all, func(arm string) bool { return plot.SelectsArm(name, arm) }) {
			b.fault("arm", "%s", unknown("arm", name, all))
		}
	}
}

// sortArms puts the shown arms into the order of the numbers in their labels, arms of a family together.
func (b *builder) sortArms() {
	places := accounts.ByLabels(b.shown.Arms, plot.ArmLabels(b.run.Arms))
	b.shown.Arms = slices.Clone(b.shown.Arms)
	slices.SortStableFunc(b.shown.Arms, func(x, y results.ArmEntry) int { return places[x.Name] - places[y.Name] })
}

// unknown is the message of an unknown word, with the nearest known word, or else all known words.
func unknown(noun, word string, known []string) string {
	near := document.SuggestDotted(word, known, "")
	if near == "" {
		near = "; known: " + document.List(known)
	}
	return fmt.Sprintf("unknown %s %q%s", noun, word, near)
}

// chooseStep sets the step of each arm.
func (b *builder) chooseStep() {
	if b.At == nil {
		b.at, _ = view.LastSteps(&b.shown, b.run.Metrics())
		return
	}
	b.at = map[string]int64{}
	for _, arm := range b.shown.Arms {
		b.at[arm.Name] = *b.At
	}
	var steps []int64
	for _, name := range b.run.Metrics() {
		for _, row := range b.run.Rows[name] {
			if row.Step == *b.At {
				return
			}
			steps = append(steps, row.Step)
		}
	}
	if len(steps) == 0 {
		b.fault("at", "no metric is recorded at any step")
		return
	}
	apart := func(step int64) float64 { return math.Abs(float64(step - *b.At)) }
	nearest := slices.MinFunc(steps, func(x, y int64) int { return cmp.Compare(apart(x), apart(y)) })
	text := fmt.Sprintf("no metric is recorded at step %d; the nearest step is %d", *b.At, nearest)
	if first, last := slices.Min(steps), slices.Max(steps); first < last {
		text += fmt.Sprintf(", of steps %d to %d", first, last)
	}
	b.fault("at", "%s", text)
}

// recorded returns the metrics with a value of a shown arm at its step.
func (b *builder) recorded() (list []string) {
	for _, name := range b.run.Metrics() {
		if slices.ContainsFunc(b.shown.Arms, func(arm results.ArmEntry) bool { _, ok := b.row(arm.Name, name); return ok }) {
			list = append(list, name)
		}
	}
	return list
}

// indexRows finds the rows of the shown arms at their steps.
func (b *builder) indexRows() {
	b.rows = map[[2]string]results.SummaryRow{}
	for name, rows := range b.run.Rows {
		for _, row := range rows {
			if at, shown := b.at[row.Arm]; shown && row.Step == at {
				b.rows[[2]string{row.Arm, name}] = row
			}
		}
	}
}

// row returns the row of a metric of an arm at its step.
func (b *builder) row(arm, metricName string) (results.SummaryRow, bool) {
	row, ok := b.rows[[2]string{arm, metricName}]
	return row, ok
}

// chooseMetrics chooses the metrics that are shown.
func (b *builder) chooseMetrics() {
	recorded := b.recorded()
	if b.Metrics == nil {
		b.metrics = slices.DeleteFunc(slices.Clone(recorded), gauge.IsOfOwners)
		if b.Readers {
			b.metrics = slices.DeleteFunc(view.WithoutWindows(b.metrics), func(name string) bool {
				return accounts.IsEpsilon(name) && name != ledger.EpsilonTotal
			})
		}
	}
	for _, name := range b.Metrics {
		all := b.run.Metrics()
		m, known := b.run.Known.Find(name)
		switch {
		case slices.Contains(b.metrics, name):
		case slices.Contains(recorded, name):
			b.metrics = append(b.metrics, name)
		case slices.Contains(all, name) && len(b.faults) > 0: // the step or the arms are at fault
		case slices.Contains(all, name):
			b.fault("metric", "%s has no value at the step of the table; metrics with one: %s", name, strings.Join(recorded, ", "))
		case known && m.Level == metric.OfNode:
			b.fault("metric", "%s is a metric of nodes, and has no mean in the summary; known: %s", name, strings.Join(all, ", "))
		default:
			b.fault("metric", "%s", unknown("metric", name, all))
		}
	}
}

// checkAxes checks the axes, and that a table without the axis of metrics has one metric.
func (b *builder) checkAxes() {
	var keys []string
	for i := range b.shown.Arms {
		for _, key := range plot.KeysOf(&b.shown.Arms[i]) {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	known := append([]string{ArmAxis, MetricAxis}, keys...)
	for _, axis := range []struct{ option, key string }{{"rows", b.Rows}, {"columns", b.Columns}} {
		if !slices.Contains(known, axis.key) {
			b.fault(axis.option, "%s", unknown("axis", axis.key, known))
		}
	}
	if b.Rows == b.Columns {
		b.fault("columns", "rows and columns are both %s; known: %s", b.Rows, strings.Join(known, ", "))
	}
	if b.Rows != MetricAxis && b.Columns != MetricAxis && len(b.metrics) != 1 && (b.Metrics == nil || len(b.metrics) > 1) {
		b.fault("metric", "a table without an axis of metrics has one metric, and %d are chosen; known: %s", len(b.metrics), strings.Join(b.recorded(), ", "))
	}
}

// checkBaseline checks the arm of the p-values.
func (b *builder) checkBaseline() {
	shown := armNames(b.shown.Arms)
	switch {
	case b.Baseline == "" || slices.Contains(shown, b.Baseline):
	case slices.Contains(armNames(b.run.Arms), b.Baseline):
		b.fault("baseline", "arm %q is not shown; add it with --arm", b.Baseline)
	default:
		b.fault("baseline", "%s", unknown("arm", b.Baseline, shown))
	}
}
