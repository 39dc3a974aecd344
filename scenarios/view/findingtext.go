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
	var sides [len(sideTexts)][]string // arms by the side on which they are, in the order of the finding
	largest, n := 0.0, 0
	of := &b.Metrics[0]
	place := func(row comparison.Row) int {
		return slices.IndexFunc(f.Rows, func(other FindingRow) bool { return other.Arm == b.Arms[row.Arm].Arm })
	}
	rows := slices.Clone(of.Rows)
	slices.SortStableFunc(rows, func(x, y comparison.Row) int { return place(x) - place(y) })
	for i := range rows {
		row := &rows[i]
		if row.Baseline || math.IsNaN(row.Holm) {
			continue
		}
		side := slices.Index(sideWords[:], b.Word(row, of.Metric))
		switch {
		case row.Holm > comparison.Level:
			side = len(sideTexts) - 1
		case side < 0: // neither side of the metric is better
			side = len(sideTexts) - 2
		}
		if row.Holm <= comparison.Level {
			largest = math.Max(largest, row.Holm)
		}
		sides[side] = append(sides[side], f.Name(b.Arms[row.Arm].Arm))
		n++
	}
	arms := "other arms"
	if n+1 < len(f.Rows) {
		arms = "other arms of its problem"
	}
	var parts []string
	for i, names := range sides {
		if len(names) == 0 {
			continue
		}
		subject, are := f.subject(names, n, arms)
		base := "it"
		if len(parts) == 0 {
			base = f.Name(f.Baseline)
		}
		parts = append(parts, fmt.Sprintf("%s %s %s %s", subject, are, sideTexts[i], base))
	}
	alike := len(sides[len(sideTexts)-1])
	text := strings.Join(parts, "; ")
	if n == alike && n > 1 {
		text = fmt.Sprintf("None of the %d %s is significantly different from %s (p > %g, Holm)", n, arms, f.Name(f.Baseline), comparison.Level)
	}
	if n > alike {
		text += fmt.Sprintf(" (p %s, Holm)", atMost(largest))
	}
	return append(list, text+".")
}

// The sides of arms by the tests, as verdicts have them and as sentences do: arms that differ where neither side is
// better, and arms that are alike, have no verdict of their own.
var (
	sideWords = [...]string{comparison.BetterWord, comparison.WorseWord, higherWord, lowerWord}
	sideTexts = [...]string{
		"significantly better than", "significantly worse than", "significantly higher than", "significantly lower than",
		"significantly different from", "not significantly different from",
	}
)

// subject names the arms on a side, of so many that are compared, as the subject of a sentence with its verb: few by
// their names, and many by their number.
func (f *Finding) subject(names []string, all int, arms string) (subject, are string) {
	switch n := len(names); {
	case n == 1 && all == 1:
		return f.otherArm(), "is"
	case n == 1:
		return names[0], "is"
	case n == all && n > mostTied:
		return fmt.Sprintf("All %d %s", n, arms), "are"
	case n > mostTied:
		return fmt.Sprintf("%d of %d %s", n, all, arms), "are"
	}
	return namesText(names), "are"
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
		text += ", " + timesText(best.Ratio, f.Name(best.Baseline))
	}
	if len(alike) > 0 {
		text += ", not distinguishable from " + namesText(alike)
	}
	text += "."
	if equal == 1 && !slices.Contains(alike, f.Name(next.Arm)) && (best.Private() || i != 1) {
		text += " Next: " + f.besides(best, next, "") + "."
	}
	list = append(list, text)
	switch {
	case i < 0:
		return append(list, f.claimed(best, rows)...)
	case i < equal:
		return list
	}
	private := &rows[i]
	return append(list, fmt.Sprintf("Best private arm: %s.", f.besides(best, private, " with epsilon "+lossText(private.Epsilon)+" over the run")))
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
	loss := fmt.Sprintf("epsilon %s to the observers that it names", lossText(rows[i].Covered))
	if rows[i].Arm == best.Arm {
		return []string{fmt.Sprintf("The claim of %s is kept: %s.", f.Name(best.Arm), loss)}
	}
	return []string{fmt.Sprintf("%s with a kept claim: %s.", side[f.Metric.Better], f.besides(best, &rows[i], ", "+loss))}
}

// besides states the mean of a row, then its loss, which may be empty, and its ratio to the best one.
func (f *Finding) besides(best, row *FindingRow, loss string) string {
	text := f.Name(row.Arm) + " (" + meanText(row) + ")" + loss
	if times := f.times(best, row); times != "" {
		text += ", " + times
	}
	return text
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

// leastFactor is the least factor between two values that a sentence states without an interval.
const leastFactor = 1.1

// timesText states a ratio to a named arm, with its interval where it has one.
func timesText(r comparison.Ratio, name string) string {
	value, interval, ok := strings.Cut(ratioText(r), " (")
	if ok {
		interval = " (" + interval
	}
	return value + " times " + name + interval
}

// times states the ratio of a value to the best one, and whether a test does not tell them apart. Where the ratio is
// near 1 and has no interval, or where the values have none, it states the test, or nothing.
func (f *Finding) times(best, other *FindingRow) string {
	ratio, p := f.ratioTo(best, other)
	var parts []string
	switch {
	case !(best.Value > 0 && other.Value > 0) || boundless(ratio):
	case ratio.Low > 0 && ratio.High > ratio.Low && !math.IsInf(ratio.High, 1):
		parts = append(parts, timesText(ratio, f.Name(best.Arm)))
	case max(other.Value/best.Value, best.Value/other.Value) >= leastFactor:
		parts = append(parts, strconv.FormatFloat(other.Value/best.Value, 'g', 2, 64)+" times "+f.Name(best.Arm))
	}
	if p > comparison.Level {
		parts = append(parts, "not significantly different")
	}
	return strings.Join(parts, ", ")
}

// ratioTo returns the ratio of a value to the best one, and the p-value of the test of the two; NaN where they are not
// compared.
func (f *Finding) ratioTo(best, other *FindingRow) (ratio comparison.Ratio, p float64) {
	switch {
	case other.Baseline != "" && other.Baseline == best.Arm:
		return other.Ratio, other.P
	case best.Baseline != "" && best.Baseline == other.Arm:
		return comparison.Ratio{Value: 1 / best.Ratio.Value, Low: 1 / best.Ratio.High, High: 1 / best.Ratio.Low}, best.P
	}
	nan := math.NaN()
	return comparison.Ratio{Value: nan, Low: nan, High: nan}, nan
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
