package command

import (
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
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

// mostTrials is the largest number of rows of the table of trials: of each arm the best ones, and the worst where there
// is room for three.
const mostTrials = 12

// choiceOf is the choice for an arm with the trials that it was made of.
type choiceOf struct {
	*study.TunedChoice
	// label names the arm; empty where the scenario has one.
	label string
	// list has the trials from the best on, and alike those that the tests do not tell from the chosen one.
	list  []study.TrialResult
	alike map[int]bool
	// tests is the number of tests, 0 where seeds are too few.
	tests int
}

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

// choices returns the choice for each arm with its trials.
func (t *tuner) choices(chosen []study.TunedChoice, kept [][]study.TrialResult) (list []choiceOf, err error) {
	labels := map[string]string{}
	if len(chosen) > 1 {
		var arms []results.ArmEntry
		for _, c := range chosen {
			arms = append(arms, results.ArmEntry{Name: c.Arm})
		}
		labels = plot.ArmLabels(arms)
	}
	for arm := range chosen {
		c := choiceOf{TunedChoice: &chosen[arm], label: labels[chosen[arm].Arm], list: t.plan.Best(kept[arm])}
		if c.alike, c.tests, err = t.alike(c.TunedChoice, c.list, t.tried[arm]); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// printTrials prints one table of the trials of all arms, and the choices.
func (t *tuner) printTrials(w io.Writer, list []choiceOf) error {
	m := t.plan.Metric
	heading := fmt.Sprintf("%s (%s, %s is better) at the last step, %s", m.Label, m.Name, m.Better, document.Counted(t.seeds, "seed"))
	if err := shell.WriteText(w, "", heading); err != nil {
		return err
	}
	table, more := t.table(list)
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	tests := slices.ContainsFunc(list, func(c choiceOf) bool { return c.tests > 0 })
	legend := fmt.Sprintf("±: half of the %g %% interval of the mean. %s chosen", 100*comparison.Confidence, chosenMark)
	if tests {
		legend += fmt.Sprintf("; %s not significantly different from it (paired t-test, Holm, p > %g)", alikeMark, comparison.Level)
	}
	lines := []string{legend + "."}
	if more > 0 {
		lines = append(lines, document.Counted(more, "other trial")+": "+t.where(list))
	}
	lines = append(lines, "")
	for i := range list {
		if i == mostTrials {
			lines = append(lines, fmt.Sprintf("And %s: --json has all.", document.Counted(len(list)-i, "other arm")))
			break
		}
		lines = append(lines, t.choiceText(&list[i]))
	}
	if few := comparison.TooFew(t.seeds); few != "" {
		lines = append(lines, fmt.Sprintf("A choice may be chance. %s (--set tune.seeds.count=%d).", few, comparison.FewestPairs))
	}
	for _, line := range lines {
		if err := shell.WriteText(w, "", line); err != nil {
			return err
		}
	}
	return nil
}

// where names the command that prints all trials, or the folder of their runs where several rounds made them.
func (t *tuner) where(list []choiceOf) string {
	dirs := map[string]bool{}
	for arm := range list {
		for _, r := range list[arm].list {
			dirs[t.tried[arm][r.Trial].run.Dir] = true
		}
	}
	all := slices.Sorted(maps.Keys(dirs))
	if len(all) == 1 {
		return "starling table " + document.Word(all[0])
	}
	return "starling runs " + document.Word(filepath.Dir(all[0]))
}

// choiceText states the choice for an arm, and whether the tests tell the other trials from it.
func (t *tuner) choiceText(c *choiceOf) string {
	text := t.valuesText(c.Values)
	if c.label != "" {
		text = c.label + ": " + text
	}
	others := len(c.list) - 1
	switch {
	case c.tests == 0 || others == 0:
		text += " has the best mean."
	case len(c.alike) == 0 && others == 1:
		text += " is significantly better than the other trial."
	case len(c.alike) == 0:
		text += fmt.Sprintf(" is significantly better than all %d others.", others)
	default:
		text += fmt.Sprintf(" has the best mean, and %s. The choice may be chance: more than %d seeds (tune.seeds.count) are needed to tell.", t.alikeText(c, others), t.seeds)
	}
	for _, key := range c.Edges {
		text += fmt.Sprintf(" %s is at the edge of its grid.", key)
	}
	if c.Failed > 0 {
		text += fmt.Sprintf(" %s without a number.", document.Counted(c.Failed, "trial"))
	}
	return text
}

// alikeText says which of the other trials the tests do not tell from the chosen one: a single one by its values.
func (t *tuner) alikeText(c *choiceOf, others int) string {
	switch n := len(c.alike); {
	case n == others && n > 1:
		return "none of the others is significantly different"
	case n > 1:
		return fmt.Sprintf("%d of %d others are not significantly different", n, others)
	}
	i := slices.IndexFunc(c.list, func(r study.TrialResult) bool { return c.alike[r.Trial] })
	return t.valuesText(t.plan.Trials[c.list[i].Trial].Values) + " is not significantly different"
}

// valuesText writes values of the keys.
func (t *tuner) valuesText(values []string) string {
	var parts []string
	for i, key := range t.plan.Keys() {
		parts = append(parts, key+" = "+values[i])
	}
	return strings.Join(parts, ", ")
}

// table has the trials of all arms, each arm's from the best on, a trial a row. more is the number of trials that it leaves
// out.
func (t *tuner) table(list []choiceOf) (table tabular.Table, more int) {
	table.Header = append(slices.Clone(t.plan.Keys()), "mean", "")
	if len(list) > 1 {
		table.Header = append([]string{"arm"}, table.Header...)
	}
	most := max(1, mostTrials/len(list))
	for arm := range list {
		c := &list[arm]
		rows := shownTrials(len(c.list), most)
		if arm >= mostTrials {
			rows = nil
		}
		more += len(c.list) - len(rows)
		for _, k := range rows {
			row := t.row(c, &c.list[k])
			if len(list) > 1 {
				row = append([]string{c.label}, row...)
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table, more
}

// shownTrials are the places of the trials of an arm that a table of at most so many rows has: the best, and the worst.
func shownTrials(trials, most int) (rows []int) {
	for k := range min(trials, most) {
		rows = append(rows, k)
	}
	if trials > most && most >= 3 {
		rows[most-1] = trials - 1
	}
	return rows
}

// row is the row of a trial: its values, the mean with its interval, and the mark.
func (t *tuner) row(c *choiceOf, r *study.TrialResult) []string {
	half := comparison.HalfWidth(r.SE, int64(t.seeds))
	mean := tabular.FormatValue(r.Mean)
	if half > 0 {
		mean = tabular.FormatEstimate(r.Mean, half)
	}
	return append(slices.Clone(t.plan.Trials[r.Trial].Values), mean, c.mark(r))
}

// mark is the mark of a trial.
func (c *choiceOf) mark(r *study.TrialResult) string {
	switch {
	case r.Trial == c.Trial:
		return chosenMark
	case c.alike[r.Trial]:
		return alikeMark
	}
	return ""
}
