package view

import (
	"cmp"
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

// BaselineTable is the table of one metric of a Baseline, with its heading.
type BaselineTable struct {
	Heading string
	tabular.Table
	// Metric is the name of the metric.
	Metric string
	// Shown are the rows of the comparison in the order of the table's.
	Shown []comparison.Row
	// Text states the arms that the table leaves out; empty for none. A table of all arms
	// without one has no rows.
	Text string
}

// Verdict reports on which side of the baseline a row is, as comparison.Row.Verdict does. It is
// empty between arms of different privacy: less noise learns better, and that says nothing of an
// algorithm.
func (b *Baseline) Verdict(row *comparison.Row, m metric.Metric) string {
	if own := b.Arms[row.Arm]; own.Condition != b.Arms[own.Baseline].Condition {
		return ""
	}
	return row.Verdict(m)
}

// Word is the verdict on a row for people: between arms of different privacy higher or lower, by the test.
func (b *Baseline) Word(row *comparison.Row, m metric.Metric) string {
	if text := row.Verdict(m); text == "" || text == comparison.AlikeWord || b.Verdict(row, m) != "" {
		return text
	}
	if row.Difference < 0 {
		return lowerWord
	}
	return higherWord
}

// The verdicts between arms of different privacy.
const (
	lowerWord  = "lower"
	higherWord = "higher"
)

// Tables returns a table for each metric: an arm a row, the baseline first, and then the best. Beside other metrics a
// loss that the tables have as a column has no table.
func (b *Baseline) Tables() (list []BaselineTable) {
	for i := range b.Metrics {
		if b.repeats(&b.Metrics[i]) {
			continue
		}
		of := b.Metrics[i]
		of.Rows = bestFirst(of.Metric, of.Rows)
		list = append(list, b.table(&of))
	}
	return list
}

// bestFirst returns a copy of rows with the baseline first, and then the others from the best; in their order where the
// metric has no better side.
func bestFirst(m metric.Metric, rows []comparison.Row) []comparison.Row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, c comparison.Row) int {
		switch {
		case a.Baseline != c.Baseline:
			if a.Baseline {
				return -1
			}
			return 1
		case math.IsNaN(a.Value) != math.IsNaN(c.Value):
			return cmp.Compare(c.Value, a.Value) // an arm without a value is last
		case m.Better == metric.LowerIsBetter:
			return cmp.Compare(a.Value, c.Value)
		case m.Better == metric.HigherIsBetter:
			return cmp.Compare(c.Value, a.Value)
		}
		return 0
	})
	return rows
}

// column is a column of such a table, with the cell of a row.
type column struct {
	head string
	cell func(row *comparison.Row) string
}

// table returns the table of a metric, without columns of the given heads. Columns without a cell
// are left out.
func (b *Baseline) table(of *comparison.OfMetric, without ...string) BaselineTable {
	losses := b.losses()
	columns := []column{
		{"arm", func(row *comparison.Row) string { return b.Arms[row.Arm].Shown }},
		{lossHead, func(row *comparison.Row) string { return losses.epsilons[b.Arms[row.Arm].Condition] }},
		{losses.head, func(row *comparison.Row) string { return losses.kinds[b.Arms[row.Arm].Condition] }},
		{"step", func(row *comparison.Row) string { return strconv.FormatInt(row.Step, 10) }},
		{b.Join.Column, func(row *comparison.Row) string { return tabular.FormatValue(row.Joined) }},
		{"value", func(row *comparison.Row) string {
			if isLoss(of) {
				return lossText(row.Value)
			}
			return measured(of.Metric.Unit, row.Value, halfOf(row.Half, row.Ratio))
		}},
		{"difference", func(row *comparison.Row) string { return b.difference(of, row) }},
		{ratioHead(of), func(row *comparison.Row) string { return b.ratio(of, row) }},
		{"p, Holm", func(row *comparison.Row) string { return comparison.FormatP(row.Holm) }},
		{"verdict", func(row *comparison.Row) string { return b.Word(row, of.Metric) }},
	}
	columns = slices.DeleteFunc(columns, func(c column) bool { return b.leaves(c.head, of) || slices.Contains(without, c.head) })
	table := BaselineTable{Metric: of.Metric.Name, Heading: b.heading(of), Shown: of.Rows}
	for _, c := range columns {
		some := c.head == "arm"
		for i := range of.Rows {
			some = some || c.cell(&of.Rows[i]) != ""
		}
		if !some {
			continue
		}
		table.Header = append(table.Header, c.head)
		for i := range of.Rows {
			if i == len(table.Rows) {
				table.Rows = append(table.Rows, nil)
			}
			table.Rows[i] = append(table.Rows[i], c.cell(&of.Rows[i]))
		}
	}
	return table
}

// ratioHead is the head of the column of ratios, with their intervals where there are any.
func ratioHead(of *comparison.OfMetric) string {
	if slices.ContainsFunc(of.Rows, func(row comparison.Row) bool { return row.Ratio.Low < row.Ratio.High }) {
		return "ratio and 95 %"
	}
	return "ratio"
}

// leaves reports whether a table is without a column, because its heading, or another column, has its values.
func (b *Baseline) leaves(head string, of *comparison.OfMetric) bool {
	switch head {
	case lossHead:
		return isLoss(of)
	case "step":
		return b.Join.Reaches() || oneValue(of, func(row *comparison.Row) float64 { return float64(row.Step) })
	case b.Join.Column:
		return b.Join.Reaches() || head == "" || head == comparison.StepColumn || oneValue(of, func(row *comparison.Row) float64 { return row.Joined })
	}
	return false
}

// oneValue reports whether all rows have the same.
func oneValue(of *comparison.OfMetric, value func(row *comparison.Row) float64) bool {
	first := value(&of.Rows[0])
	return !slices.ContainsFunc(of.Rows, func(row comparison.Row) bool { return value(&row) != first })
}

// heading describes the metric, and the steps and seeds of the table.
func (b *Baseline) heading(of *comparison.OfMetric) string {
	text := labelOf(of.Metric)
	if of.Metric.Better != "" {
		text += fmt.Sprintf(" (%s is better)", of.Metric.Better)
	}
	first := &of.Rows[0]
	if base := &b.Arms[first.Arm]; b.Within() {
		text = strings.TrimPrefix(base.Setting+", against "+base.Shown+": ", ", ") + text
	}
	switch column := b.Join.Column; {
	case b.Join.Reaches():
		text += ", at the first recorded step of each seed with " + b.Join.String()
	case column != "" && column != comparison.StepColumn:
		if oneValue(of, func(row *comparison.Row) float64 { return row.Joined }) {
			text += fmt.Sprintf(", at %s = %s", column, tabular.FormatValue(first.Joined))
		} else {
			text += ", at " + b.Join.String()
		}
	case !b.leaves("step", of):
		if column == "" {
			text += ", at the last step of each arm"
		} else {
			text += ", after as many steps"
		}
	}
	if b.leaves("step", of) && !b.Join.Reaches() {
		text += fmt.Sprintf(", at step %d", first.Step)
	}
	if oneValue(of, func(row *comparison.Row) float64 { return float64(len(row.Seeds)) }) {
		text += ", over " + document.Counted(len(first.Seeds), "seed")
	}
	return text
}

// labelOf names a metric for people, with the name by which flags take it.
func labelOf(m metric.Metric) string {
	if m.Label == "" || m.Label == m.Name {
		return m.Name
	}
	return fmt.Sprintf("%s, %s", m.Name, m.Label)
}

// arithmetic is the relative difference between two values up to which it is of arithmetic.
const arithmetic = 1e-13

// difference writes the difference with half the width of its interval.
func (b *Baseline) difference(of *comparison.OfMetric, row *comparison.Row) string {
	switch {
	case row.Baseline || noBound(of):
		return ""
	case b.without(of, row) || math.IsInf(row.Difference, 0) || math.IsNaN(row.Difference):
		return "-"
	case isLoss(of) && tabular.FormatValue(row.Value) == tabular.FormatValue(of.Rows[0].Value):
		return "0" // noise is calibrated to the printed digits
	case math.Abs(row.Difference) <= arithmetic*math.Abs(row.Value) && !(row.High-row.Low > arithmetic*math.Abs(row.Value)):
		return "0"
	}
	if boundless(row.Ratio) {
		return tooFew
	}
	return measured("", row.Difference, (row.High-row.Low)/2) // of two shares it is none
}

// ratio writes the ratio with its interval; a dash where there is none.
func (b *Baseline) ratio(of *comparison.OfMetric, row *comparison.Row) string {
	r := row.Ratio
	switch {
	case row.Baseline || noBound(of):
		return ""
	case math.IsNaN(r.Value) || b.without(of, row):
		return "-"
	case math.IsNaN(r.Low) || r.Low == r.High:
		return ratioText(r)
	}
	if boundless(r) {
		return tooFew
	}
	half := (r.High - r.Low) / 2
	return fmt.Sprintf("%s (%s%s%s)", rounded(r.Value, half), rounded(r.Low, half), endsWord, rounded(r.High, half))
}

// without reports whether a difference says nothing: of losses for other units or neighbours.
func (b *Baseline) without(of *comparison.OfMetric, row *comparison.Row) bool {
	return isLoss(of) && b.Arms[row.Arm].Incomparable
}

// noBound reports whether a metric is a privacy loss that the baseline has no bound of: no other differs from it by a
// number.
func noBound(of *comparison.OfMetric) bool { return isLoss(of) && math.IsInf(of.Rows[0].Value, 1) }

// isLoss reports whether a metric is a privacy loss.
func isLoss(of *comparison.OfMetric) bool { return strings.HasPrefix(of.Metric.Name, "epsilon.") }

// rounded writes a value with the digits that an error is worth.
func rounded(value, err float64) string {
	text, _, _ := strings.Cut(tabular.FormatEstimate(value, err), " ± ")
	if strings.HasPrefix(text, "(") { // with an exponent
		return strconv.FormatFloat(value, 'g', 4, 64)
	}
	return text
}

// gaps explains dashes and missing p-values, if there are any.
func (b *Baseline) gaps() (list []string) {
	dash, untested, fewest := false, false, math.MaxInt
	for i := range b.Metrics {
		of := &b.Metrics[i]
		for k := range of.Rows {
			row := &of.Rows[k]
			loss := isLoss(of)
			dash = dash || !row.Baseline && math.IsNaN(row.Ratio.Value) && !loss
			if !row.Baseline && math.IsNaN(row.P) && !loss {
				untested, fewest = true, min(fewest, len(row.Seeds))
			}
		}
	}
	if dash {
		list = append(list, "-: no ratio, since the baseline is 0, has both signs, or may be 0.")
	}
	switch few := comparison.TooFew(fewest); {
	case !untested:
	case few != "":
		list = append(list, few+".")
	default:
		list = append(list, "No p: the same difference under every seed.")
	}
	return list
}

// tested states the tests that p and the verdict are of, for how many comparisons they are corrected, and that intervals
// are not where one of them seems to differ from a verdict.
func (b *Baseline) tested(bootstrapped, paired bool) (list []string) {
	if b.Tests == 0 {
		return nil
	}
	var tests []string
	if paired {
		tests = append(tests, "paired t-test")
	}
	if bootstrapped {
		tests = append(tests, "bootstrap-t test")
	}
	text := fmt.Sprintf("p: %s of no difference, corrected by Holm's method for %s", strings.Join(tests, " and "), document.Counted(b.Tests, "comparison"))
	if b.narrowed {
		text += " of all conditions"
	}
	text += fmt.Sprintf("; ~: p above %g", comparison.Level)
	if len(b.Conditions) > 1 {
		text += "; higher, lower: between arms of different privacy, where less noise learns better"
	}
	list = append(list, text+".")
	if slices.ContainsFunc(b.Metrics, func(of comparison.OfMetric) bool { return slices.ContainsFunc(of.Rows, unadjusted) }) {
		list = append(list, "Intervals are not corrected for the number of comparisons, so that one beside ~ may not contain equality.")
	}
	return list
}

// unadjusted reports whether an interval of a row excludes no difference where the corrected test
// does not.
func unadjusted(row comparison.Row) bool {
	outside := func(low, high, v float64) bool { return low > v || high < v }
	return row.Holm > comparison.Level && (outside(row.Low, row.High, 0) || outside(row.Ratio.Low, row.Ratio.High, 1))
}

// Texts explain the tables, a paragraph each.
func (b *Baseline) Texts() []string { return b.texts(func(int) bool { return true }) }

// texts explain tables that show some of the conditions, a fact a line.
func (b *Baseline) texts(shown func(condition int) bool) (list []string) {
	paired, bootstrapped := false, false
	for _, of := range b.Metrics {
		for _, row := range of.Rows {
			bootstrapped = bootstrapped || row.Bootstrapped
			paired = paired || !row.Bootstrapped && !row.Baseline && !isLoss(&of)
		}
	}
	text := "±: half of the 95 % interval"
	if slices.ContainsFunc(b.Tables(), func(t BaselineTable) bool { return hasEnds(t.Table) }) {
		text += endsText
	}
	list = append(list, text+"; difference, ratio: the arm - the baseline, and the arm ÷ the baseline, paired by seed.")
	list = append(list, b.tested(bootstrapped, paired)...)
	list = append(list, b.gaps()...)
	for _, c := range b.losses().legend {
		if c.condition < 0 || shown(c.condition) {
			list = append(list, c.text)
		}
	}
	return append(list, methods(bootstrapped, paired || !bootstrapped))
}

// methods names the methods of intervals.
func methods(bootstrapped, paired bool) string {
	var list []string
	if paired {
		list = append(list, "Student's t, and Fieller's for ratios")
	}
	if bootstrapped {
		list = append(list, fmt.Sprintf("of statistics over seeds a studentized bootstrap of %d samples of the seeds", comparison.Resamples))
	}
	return "Intervals: " + strings.Join(list, "; ") + "."
}
