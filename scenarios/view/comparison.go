package view

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view/plot"
)

// Side is a finished run, or an arm of it where Arm is not empty.
type Side struct {
	Run *results.Run
	Arm string
}

// Shown names a side for people: its folder, and the label of its arm as tables have it.
func (s Side) Shown() string {
	if s.Arm == "" {
		return s.Run.Dir
	}
	return s.Run.Dir + ":" + cmp.Or(plot.ArmLabels(s.Run.Manifest.Arms)[s.Arm], s.Arm)
}

// Comparison has the differences of the second of two runs, or arms, from the first. Readers
// need the values in which the scenarios differ to understand a difference of metrics.
type Comparison struct {
	// Comparison has the differences of metrics, after Measure.
	comparison.Comparison
	// Scenarios has an entry for each path at which the two scenarios, as they were run,
	// differ.
	Scenarios []Difference
	// Known are the program's metrics, and those that the runs have declared.
	Known         metric.List
	first, second Side
}

// Compare compares the scenarios of two runs, or of two arms. known are the metrics of both.
func Compare(first, second Side, known metric.List) (*Comparison, error) {
	list, err := differences(first, second)
	return &Comparison{Scenarios: list, Known: known, first: first, second: second}, err
}

// OtherProblem returns the differences of the learning problems. If there are any, the runs
// learn different things, and differences of metrics say nothing.
func (c *Comparison) OtherProblem() (list []Difference) {
	for _, d := range c.Scenarios {
		if d.Problem {
			list = append(list, d)
		}
	}
	return list
}

// Measure compares the metrics. The error of runs without an arm, seed and metric in common is
// comparison.ErrNothingCommon.
func (c *Comparison) Measure() (err error) {
	if c.first.Arm != "" {
		c.Comparison, err = comparison.CompareArms(c.first.Run, c.first.Arm, c.second.Run, c.second.Arm, c.Known)
	} else {
		c.Comparison, err = comparison.Compare(c.first.Run, c.second.Run, c.Known)
	}
	if err != nil {
		return err
	}
	return c.noteStatistics()
}

// noteStatistics notes the statistics over the seeds that the first run has: none has a value for a seed.
func (c *Comparison) noteStatistics() error {
	read, err := plot.Read(c.first.Run, func(name string) bool {
		m, _ := c.Known.Find(name)
		return m.Level == metric.OfSummary
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(read.Rows)) {
		if len(read.Rows[name]) == 0 {
			continue
		}
		c.Notes = append(c.Notes, fmt.Sprintf("%s is a statistic over the seeds, and has no value for a pair: compare with --baseline ARM has its interval and test", name))
	}
	return nil
}

// Texts returns the texts of a value in both scenarios: absent for a value that a scenario does
// not have.
func (d *Difference) Texts() (first, second string) {
	return cmp.Or(d.First, "absent"), cmp.Or(d.Second, "absent")
}

// ScenarioTable returns the values in which the scenarios differ, a value a row.
func (c *Comparison) ScenarioTable() tabular.Table {
	table := tabular.Table{Header: []string{"the scenarios differ in", "first", "second"}, Rows: [][]string{}}
	for _, d := range c.Scenarios {
		first, second := d.Texts()
		table.Rows = append(table.Rows, []string{d.Path, first, second})
	}
	return table
}

// Table returns the differences of metrics, a metric of an arm a row. The columns of the
// interval are empty where there is no interval, and never 0.
func (c *Comparison) Table() tabular.Table {
	table := tabular.Table{Header: []string{"arm", "metric", "step", "pairs", "second - first", "95 % from", "to", "p, Holm", "better"}, Rows: [][]string{}}
	labels := plot.ArmLabels(c.first.Run.Manifest.Arms)
	for i := range c.Rows {
		d := &c.Rows[i]
		low, high := "", ""
		if !math.IsNaN(d.Low) {
			low, high = tabular.FormatValue(d.Low), tabular.FormatValue(d.High)
		}
		metric := d.Metric
		// The mark stands at the name of the metric, where a reader meets it before the
		// number.
		if d.Incomparable {
			metric += " (other neighbours)"
		}
		table.Rows = append(table.Rows, []string{
			cmp.Or(labels[d.Arm], d.Arm), metric, strconv.FormatInt(d.Step, 10), strconv.Itoa(len(d.Pairs)),
			tabular.FormatValue(d.Mean), low, high, comparison.FormatP(d.Holm), c.verdict(d),
		})
	}
	return table
}

// verdict is the better side of a difference by its test, as Better has it. Between arms of different
// privacy it is higher or lower, for the second side: less noise learns better.
func (c *Comparison) verdict(d *comparison.Difference) string {
	better := d.Better(c.Known)
	switch {
	case better == "" || better == "~" || !c.otherPrivacy(d.Arm):
		return better
	case d.Mean > 0:
		return higherWord
	}
	return lowerWord
}

// otherPrivacy reports whether the losses of an arm over the run differ between the two sides, or do not compare.
func (c *Comparison) otherPrivacy(arm string) bool {
	return slices.ContainsFunc(c.Rows, func(d comparison.Difference) bool {
		return d.Arm == arm && d.Metric == ledger.EpsilonTotal && (d.Incomparable || d.Mean != 0)
	})
}

// TestsText describes the p-values, or says that the seeds are too few for them; it is empty where nothing is tested.
func (c *Comparison) TestsText() string {
	if c.Tests == 0 {
		most := 0
		for _, d := range c.Rows {
			most = max(most, len(d.Pairs))
		}
		if most == 0 {
			return ""
		}
		return comparison.TooFew(most)
	}
	text := fmt.Sprintf("p: paired t-test over the seeds, corrected by Holm's method for %s; ~: not significantly different at %g", document.Counted(c.Tests, "test"), comparison.Level)
	if slices.ContainsFunc(c.Rows, func(d comparison.Difference) bool { return c.otherPrivacy(d.Arm) }) {
		text += "; higher, lower: the second, between arms of different privacy, of which less noise learns better"
	}
	return text
}
