package command

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// mostTrials is the largest number of trials of an arm that a table has: the best ones, and the worst.
const mostTrials = 8

// The marks of trials, as findings have them.
const (
	chosenMark = "*"
	alikeMark  = "~"
)

// tried is a trial that was run: its result, and the run and the arm that have it.
type tried struct {
	study.TrialResult
	run *results.Run
	arm string
}

// keep notes the run of a trial of an arm.
func (t *tuner) keep(arm int, result study.TrialResult, run *results.Run, name string) {
	if t.tried[arm] == nil {
		t.tried[arm] = map[int]tried{}
	}
	t.tried[arm][result.Trial] = tried{result, run, name}
}

// alike returns the trials of an arm that the tests do not tell from the chosen one, by their numbers, and the number of
// tests; none where seeds are too few for tests.
func (t *tuner) alike(chosen *study.TunedChoice, list []study.TrialResult, of map[int]tried) (alike map[int]bool, tests int, err error) {
	arms := []comparison.Arm{{Run: of[chosen.Trial].run, Name: of[chosen.Trial].arm, Label: chosen.Arm}}
	trials := []int{chosen.Trial}
	for _, r := range list {
		if r.Trial != chosen.Trial {
			arms, trials = append(arms, comparison.Arm{Run: of[r.Trial].run, Name: of[r.Trial].arm, Label: fmt.Sprint(r.Trial)}), append(trials, r.Trial)
		}
	}
	alike = map[int]bool{}
	if t.seeds < comparison.FewestPairs || len(arms) < 2 {
		return alike, 0, nil
	}
	join, err := comparison.ParseJoin(comparison.Last)
	if err != nil {
		return nil, 0, err
	}
	c, err := comparison.CompareAgainst(arms, metric.List{t.plan.Metric}, join, nil)
	if err != nil {
		return nil, 0, err
	}
	for _, row := range c.Metrics[0].Rows {
		if !row.Baseline && (math.IsNaN(row.Holm) || row.Holm > comparison.Level) {
			alike[trials[row.Arm]] = true
		}
	}
	return alike, c.Tests, nil
}

// print prints the trials of each arm, the best first, with the chosen one and those that tests do not tell from it.
func (t *tuner) print(w io.Writer, chosen []study.TunedChoice, kept [][]study.TrialResult) error {
	labels := map[string]string{}
	if len(chosen) > 1 {
		var arms []results.ArmEntry
		for _, c := range chosen {
			arms = append(arms, results.ArmEntry{Name: c.Arm})
		}
		labels = plot.ArmLabels(arms)
	}
	marked := false
	for arm := range chosen {
		c := &chosen[arm]
		list := t.plan.Best(kept[arm])
		alike, tests, err := t.alike(c, list, t.tried[arm])
		if err != nil {
			return err
		}
		marked = marked || tests > 0
		if err := shell.WriteText(w, "", t.choiceText(c, labels[c.Arm], len(list)-1, alike, tests)); err != nil {
			return err
		}
		if err := shell.WriteTable(w, t.table(c, list, alike)); err != nil {
			return err
		}
		if n := len(list); n > mostTrials {
			if err := shell.WriteText(w, "", fmt.Sprintf("The best %d of %d trials, and the last.", mostTrials-1, n)); err != nil {
				return err
			}
		}
		fmt.Fprintln(w)
	}
	legend := fmt.Sprintf("mean: of %s over %s of the trials, ± half of its %g %% interval.", t.plan.Metric.Name, document.Counted(t.seeds, "seed"), 100*comparison.Confidence)
	if marked {
		legend += fmt.Sprintf(" %s chosen; %s not significantly different from it (paired t-test, Holm, p > %g).", chosenMark, alikeMark, comparison.Level)
	} else if few := comparison.TooFew(t.seeds); few != "" {
		legend += fmt.Sprintf(" %s chosen. %s. A choice may be chance.", chosenMark, few)
	}
	return shell.WriteText(w, "", legend+"\n")
}

// choiceText states the choice for an arm, and how many of the other trials the tests tell from it.
func (t *tuner) choiceText(c *study.TunedChoice, arm string, others int, alike map[int]bool, tests int) string {
	var values []string
	for i, key := range t.plan.Keys() {
		values = append(values, key+" = "+c.Values[i])
	}
	text := strings.Join(values, ", ")
	if arm != "" {
		text = arm + ": " + text
	}
	switch {
	case tests == 0:
	case len(alike) == others:
		text += ", from which no other trial is significantly different"
	case len(alike) == 0:
		text += ", significantly better than all others"
	default:
		text += fmt.Sprintf(", from which %d of %d others are not significantly different", len(alike), others)
	}
	text += "."
	for _, key := range c.Edges {
		text += fmt.Sprintf(" %s is at the edge of its grid.", key)
	}
	if c.Failed > 0 {
		text += fmt.Sprintf(" %s without a number.", document.Counted(c.Failed, "trial"))
	}
	return text
}

// table has the trials of an arm from the best on, a trial a row.
func (t *tuner) table(c *study.TunedChoice, list []study.TrialResult, alike map[int]bool) tabular.Table {
	table := tabular.Table{Header: append(slices.Clone(t.plan.Keys()), "mean", "")}
	for k, r := range list {
		if len(list) > mostTrials && k >= mostTrials-1 && k < len(list)-1 {
			continue
		}
		mark := ""
		switch {
		case r.Trial == c.Trial:
			mark = chosenMark
		case alike[r.Trial]:
			mark = alikeMark
		}
		half := comparison.HalfWidth(r.SE, int64(t.seeds))
		mean := tabular.FormatValue(r.Mean)
		if half > 0 {
			mean = tabular.FormatEstimate(r.Mean, half)
		}
		table.Rows = append(table.Rows, append(slices.Clone(t.plan.Trials[r.Trial].Values), mean, mark))
	}
	return table
}
