package view

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
)

// sentences state how many arms differ from the baseline, by the corrected tests; nothing of fewer seeds
// than tests take.
func (f *Finding) sentences(b *Baseline) (list []string) {
	if b == nil || b.Tests == 0 || f.Seeds < comparison.FewestPairs {
		return nil
	}
	var better, worse, higher, lower, other, alike int
	largest := 0.0
	of := &b.Metrics[0]
	for i := range of.Rows {
		row := &of.Rows[i]
		if row.Baseline || math.IsNaN(row.Holm) {
			continue
		}
		switch verdict := b.Word(row, of.Metric); {
		case row.Holm > comparison.Level:
			alike++
			continue
		case verdict == comparison.BetterWord:
			better++
		case verdict == comparison.WorseWord:
			worse++
		case verdict == higherWord:
			higher++
		case verdict == lowerWord:
			lower++
		default: // neither side of the metric is better
			other++
		}
		largest = math.Max(largest, row.Holm)
	}
	var parts []string
	for _, part := range []struct {
		count int
		text  string
	}{{better, "better than"}, {worse, "worse than"}, {higher, "higher than"}, {lower, "lower than"}, {other, "different from"}, {alike, "not significantly different from"}} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.text))
		}
	}
	n, arms := better+worse+higher+lower+other+alike, "other arms"
	if n+1 < len(f.Rows) {
		arms = "other arms of its problem"
	}
	var text string
	if n == alike && n > 1 {
		text = fmt.Sprintf("None of the %d %s is significantly different from %s (p > %g, Holm)", n, arms, f.Name(f.Baseline), comparison.Level)
	} else if len(parts) == 1 && n > 1 {
		text = fmt.Sprintf("All %d %s are %s %s", n, arms, strings.TrimPrefix(parts[0], fmt.Sprint(n, " ")), f.Name(f.Baseline))
	} else if n == 1 {
		text = fmt.Sprintf("%s is %s %s", f.otherArm(), strings.TrimPrefix(parts[0], "1 "), f.Name(f.Baseline))
	} else {
		text = fmt.Sprintf("Of %d %s, %s %s", n, arms, joined(parts), f.Name(f.Baseline))
	}
	if n > alike {
		text += fmt.Sprintf(" (p %s, Holm)", atMost(largest))
	}
	return append(list, text+".")
}

// otherArm names the one arm that is compared with the baseline: by its name where the run has more arms.
func (f *Finding) otherArm() string {
	if len(f.Rows) > 2 {
		for _, row := range f.Rows {
			if row.Baseline == f.Baseline && !math.IsNaN(row.P) {
				return "The other arm of its problem, " + f.Name(row.Arm) + ","
			}
		}
	}
	return "The other arm"
}

// joined lists parts of a sentence.
func joined(parts []string) string {
	if len(parts) < 3 {
		return strings.Join(parts, " and ")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + ", and " + parts[len(parts)-1]
}

// atMost writes an upper end of p-values.
func atMost(p float64) string {
	text := comparison.FormatP(p)
	if strings.HasPrefix(text, "<") {
		return "< " + strings.TrimPrefix(text, "<")
	}
	return "≤ " + text
}

// verdict states the best arm, and the next, or the arms that share the best value; then the best arm with a bounded
// privacy loss, where it is none of them, or else the best with a kept claim.
func (f *Finding) verdict() (list []string) {
	rows := f.comparable()
	if f.Metric.Better == "" || len(rows) < 2 {
		return nil
	}
	equal := slices.IndexFunc(rows, func(row FindingRow) bool { return math.Abs(row.Value-rows[0].Value) > arithmetic*math.Abs(row.Value) })
	if equal < 0 {
		return nil // nothing tells the arms apart
	}
	if f.problems != nil {
		return f.bestOfProblems(rows)
	}
	best := &rows[0]
	side := side[f.Metric.Better]
	i := slices.IndexFunc(rows, func(row FindingRow) bool { return row.Private() })
	var names []string
	for _, row := range rows[:equal] {
		names = append(names, f.Name(row.Arm))
	}
	text := fmt.Sprintf("%s mean: %s (%s)", side, namesText(names), meanText(best))
	alike, next := f.alike(best, rows[equal:]), &rows[equal]
	if best.Baseline != "" && best.Baseline != next.Arm && best.Ratio.High > best.Ratio.Low && !boundless(best.Ratio) {
		text += fmt.Sprintf(", %s × %s", ratioText(best.Ratio), f.Name(best.Baseline))
	}
	if len(alike) > 0 {
		text += ", not distinguishable from " + namesText(alike)
	}
	text += "."
	if equal == 1 && !slices.Contains(alike, f.Name(next.Arm)) && (best.Private() || i != 1) {
		text += " Next: " + f.besides(best, next) + "."
	}
	list = append(list, text)
	switch {
	case i < 0:
		return append(list, f.claimed(best, rows)...)
	case i < equal:
		return list
	}
	private := &rows[i]
	return append(list, fmt.Sprintf("%s with a bounded privacy loss: %s, at epsilon %s over the run.", side, f.besides(best, private), lossText(private.Epsilon)))
}

// alike names the rows that the tests do not tell from the best one.
func (f *Finding) alike(best *FindingRow, rows []FindingRow) (names []string) {
	for i := range rows {
		if rows[i].alike(best) {
			names = append(names, f.Name(rows[i].Arm))
		}
	}
	return names
}

// alike reports whether the tests of a group do not tell a row from the best one.
func (r *FindingRow) alike(best *FindingRow) bool {
	return r.Mark == strings.TrimSpace(alikeMark) && best.Mark == strings.TrimSpace(bestMark) && r.Group == best.Group
}

// bestOfProblems states the best arm of each problem that several of the rows learn: values of different problems do
// not compare.
func (f *Finding) bestOfProblems(rows []FindingRow) []string {
	count := map[string]int{}
	for _, row := range rows {
		count[f.problems[row.Arm]]++
	}
	var best []string
	for i := range rows {
		problem := f.problems[rows[i].Arm]
		if count[problem] > 1 {
			best = append(best, f.Name(rows[i].Arm)+" "+meanText(&rows[i]))
		}
		count[problem] = 0 // the next rows of the problem are worse
	}
	if len(best) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s mean of each problem: %s.", side[f.Metric.Better], strings.Join(best, "; "))}
}

// mostTied is the largest number of arms with the best value that a sentence names.
const mostTied = 3

// namesText lists names; of many, the first with the number of the others. Names with commas are quoted.
func namesText(names []string) string {
	names = slices.Clone(names)
	for i, name := range names {
		if len(names) > 1 && strings.Contains(name, ",") {
			names[i] = strconv.Quote(name)
		}
	}
	if len(names) > mostTied {
		return fmt.Sprintf("%s and %d others", names[0], len(names)-1)
	}
	return joined(names)
}

// claimed states the best of the arms with a kept claim, where no loss is bounded to all observers.
func (f *Finding) claimed(best *FindingRow, rows []FindingRow) []string {
	i := slices.IndexFunc(rows, func(row FindingRow) bool { return row.claimText() == kept })
	if i < 0 {
		return nil
	}
	loss := fmt.Sprintf("epsilon %s to the observers that the claim names", lossText(rows[i].Covered))
	if rows[i].Arm == best.Arm {
		return []string{fmt.Sprintf("The claim of %s is kept: %s.", f.Name(best.Arm), loss)}
	}
	return []string{fmt.Sprintf("%s with a kept claim: %s, %s.", side[f.Metric.Better], f.besides(best, &rows[i]), loss)}
}

// besides states the mean of a row, and its factor to the best one.
func (f *Finding) besides(best, row *FindingRow) string {
	text := f.Name(row.Arm) + " (" + meanText(row)
	if times := f.times(best, row); times != "" {
		text += ", " + times
	}
	return text + ")"
}

// Opening states the question of the study, and its answer in a few sentences: the arm with the best mean
// of the headline metric, the next, and the best of those with a bounded privacy loss. The answer of a grid
// is the best of each column, and its ratio. Where no arm is the best it is the first sentence of the finding. The
// answer of a single arm is its mean and its privacy loss.
func (f *Finding) Opening() (question string, answer []string) {
	at := fmt.Sprintf("at step %d", f.Step)
	if f.Apart {
		at = "at the last step of each arm"
	}
	if len(f.Rows) == 1 {
		return f.alone(at)
	}
	question = fmt.Sprintf("%d arms are compared by the %s %s, over %s", len(f.Rows), f.Metric.Label, at, document.Counted(f.Seeds, "seed"))
	if f.Metric.Better != "" {
		question += fmt.Sprintf("; %s is better", f.Metric.Better)
	}
	answer = f.verdict()
	switch {
	case f.Grid != nil:
		answer = f.Answers()
	case len(answer) == 0 || !slices.Contains(f.Sentences, answer[0]):
		answer = f.Sentences[:min(1, len(f.Sentences))]
	}
	return question + ".", answer
}

// alone is the opening of a run of one arm at a step: its mean, and its privacy loss.
func (f *Finding) alone(at string) (question string, answer []string) {
	question = fmt.Sprintf("The %s %s, over %s", f.Metric.Label, at, document.Counted(f.Seeds, "seed"))
	if f.Metric.Better != "" {
		question += fmt.Sprintf("; %s is better", f.Metric.Better)
	}
	return question + ".", f.Rows[0].sentences()
}

// sentences state the mean of a row, its privacy loss, and whether its claim is kept.
func (r *FindingRow) sentences() (list []string) {
	mean := "Mean " + meanText(r)
	if half := halfOf(r.Half, r.Ratio); half > 0 {
		mean += fmt.Sprintf(", %g %% interval %s%s%s", 100*comparison.Confidence, rounded(r.Value-half, half), endsWord, rounded(r.Value+half, half))
	}
	list = append(list, mean+".")
	switch {
	case r.Private():
		list = append(list, fmt.Sprintf("Epsilon %s over the run, to the strongest observer.", lossText(r.Epsilon)))
	case math.IsInf(r.Epsilon, 1):
		list = append(list, "No finite epsilon bounds the privacy loss to the strongest observer.")
	}
	switch text := r.claimText(); {
	case text == kept && r.coversLess():
		list = append(list, fmt.Sprintf("The claim is kept: epsilon %s to the observers that it names.", lossText(r.Covered)))
	case text == kept:
		list = append(list, "The claim is kept.")
	case strings.HasSuffix(text, above):
		list = append(list, fmt.Sprintf("That is %s the claim.", text))
	case text != "":
		list = append(list, "The claim is exceeded.")
	}
	return list
}

// comparable returns the rows with a finite value, the best first.
func (f *Finding) comparable() []FindingRow {
	return slices.DeleteFunc(slices.Clone(f.Rows), func(row FindingRow) bool { return math.IsNaN(row.Value) || math.IsInf(row.Value, 0) })
}

// side names the better side of a metric.
var side = map[metric.Direction]string{metric.LowerIsBetter: "Lowest", metric.HigherIsBetter: "Highest"}

// meanText is the mean of a row, with the digits that its interval is worth.
func meanText(row *FindingRow) string {
	if row.Half > 0 && !boundless(row.Ratio) {
		return rounded(row.Value, row.Half)
	}
	return tabular.FormatValue(row.Value)
}

// leastFactor is the least factor between two values that a sentence states.
const leastFactor = 1.1

// times states the factor between the best value and another. Where it is near 1, or the values have no ratio, it
// states that a test does not tell them apart, or nothing.
func (f *Finding) times(best, other *FindingRow) string {
	lower := f.Metric.Better == metric.LowerIsBetter
	low, high := best.Value, other.Value
	if !lower {
		low, high = high, low
	}
	doubt, digits := f.doubt(best, other), 2
	if !(low > 0) || high/low < leastFactor {
		if !(low > 0) || !strings.HasPrefix(doubt, ";") {
			return strings.Replace(doubt, ", not significant", "not significantly different", 1)
		}
		digits = 3
	}
	text := "lower by a factor of "
	if lower {
		text = "higher by a factor of "
	}
	return text + strconv.FormatFloat(high/low, 'g', digits, 64) + doubt
}

// doubt states the interval of the factor between the best value and another, and whether a test does not tell them
// apart; empty where the two are not compared.
func (f *Finding) doubt(best, other *FindingRow) string {
	ratio, p := other.Ratio, other.P // over the best
	switch {
	case other.Baseline != "" && other.Baseline == best.Arm:
	case best.Baseline != "" && best.Baseline == other.Arm:
		ratio, p = comparison.Ratio{Value: 1 / best.Ratio.Value, Low: 1 / best.Ratio.High, High: 1 / best.Ratio.Low}, best.P
	default:
		return ""
	}
	if f.Metric.Better == metric.HigherIsBetter {
		ratio.Low, ratio.High = 1/ratio.High, 1/ratio.Low
	}
	text := ""
	if ratio.Low > 0 && ratio.High > ratio.Low && !boundless(ratio) && !math.IsInf(ratio.High, 1) {
		text = fmt.Sprintf("; %s to %s", strconv.FormatFloat(ratio.Low, 'g', 2, 64), strconv.FormatFloat(ratio.High, 'g', 2, 64))
	}
	if p > comparison.Level {
		text += ", not significant"
	}
	return text
}

// terms explain words of a table of at most so many rows.
func (f *Finding) terms(most int) (list []string) {
	t := f.Table(most)
	has := func(part string) bool {
		return slices.ContainsFunc(t.Rows, func(row []string) bool {
			return slices.ContainsFunc(row, func(cell string) bool { return strings.Contains(cell, part) })
		})
	}
	var parts []string
	if has(above) {
		parts = append(parts, "claim: the accounted epsilon, relative to the claimed one")
	}
	if slices.ContainsFunc(f.Rows, func(row FindingRow) bool { return row.claimText() == kept && row.coversLess() }) && has(kept) {
		parts = append(parts, "epsilon of the run: to the strongest observer; "+kept+" at: the epsilon to the observers that the claim names")
	}
	if has("∞") {
		parts = append(parts, "∞: no finite epsilon bounds the privacy loss")
	}
	if has(tabular.NotRun) {
		parts = append(parts, tabular.NotRun+": the study has no such arm")
	}
	if has(tabular.NoValue) {
		parts = append(parts, tabular.NoValue+": nothing was recorded")
	}
	if f.Grid != nil {
		parts = append(parts, f.Grid.terms(f)...)
	}
	if len(parts) > 0 {
		list = append(list, strings.Join(parts, "; ")+".")
	}
	return list
}
