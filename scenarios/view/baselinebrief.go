package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results/comparison"
)

// BriefArms is the largest number of arms that a comparison shows in full unless asked for all.
const BriefArms = 12

// The number of arms that a brief table has besides the baseline.
const (
	briefBest  = 6
	briefWorst = 3
)

// Brief returns tables of the best and the worst arms of each metric, without differences, and the
// texts that explain them. Arms without a bound on a privacy loss are counted, and have no row. Beside
// other metrics a loss that the tables have as a column has no table. more says how to see all arms.
func (b *Baseline) Brief(more string) (tables []BaselineTable, texts []string) {
	shown := map[int]bool{}
	for i := range b.Metrics {
		if b.repeats(&b.Metrics[i]) {
			continue
		}
		of, text := b.brief(&b.Metrics[i], more)
		table := BaselineTable{Heading: b.heading(&b.Metrics[i])}
		if len(of.Rows) > 0 {
			table = b.table(&of, "difference")
		}
		table.Text = text
		tables = append(tables, table)
		for _, row := range of.Rows {
			shown[b.Arms[row.Arm].Condition] = true
		}
	}
	return tables, b.texts(func(condition int) bool { return shown[condition] })
}

// The number of arms of each privacy that a brief table has where few privacies have many arms.
const (
	groupBest  = 4
	groupWorst = 1
	mostGroups = 3
)

// groups divides the rows of many arms by their privacy, as a grid does whose columns are epsilons, in the order of the
// conditions; nil where they have one privacy or many, and of privacy losses.
func (b *Baseline) groups(of *comparison.OfMetric, rows []comparison.Row) (list [][]comparison.Row) {
	if len(rows) <= briefBest+briefWorst || isLoss(of) || of.Metric.Better == "" {
		return nil
	}
	for c := range b.Conditions {
		var group []comparison.Row
		for _, row := range rows {
			if b.Arms[row.Arm].Condition == c {
				group = append(group, row)
			}
		}
		if len(group) > 0 {
			list = append(list, group)
		}
	}
	if len(list) < 2 || len(list) > mostGroups {
		return nil
	}
	return list
}

// briefGroups returns the best and the worst rows of each group, and a sentence on the others.
func briefGroups(groups [][]comparison.Row, others int, more string) (rows []comparison.Row, text string) {
	for _, group := range groups {
		if n := len(group); n > groupBest+groupWorst {
			group = append(slices.Clone(group[:groupBest]), group[n-groupWorst:]...)
		}
		rows = append(rows, group...)
	}
	if len(rows) == others {
		return rows, ""
	}
	return rows, fmt.Sprintf("By privacy, and of each the best %d and the worst, of %s; %s.", groupBest, document.Counted(others, "other arm"), more)
}

// brief returns the rows of a metric that a brief table shows, the baseline first and then the best,
// and a sentence on the others.
func (b *Baseline) brief(of *comparison.OfMetric, more string) (comparison.OfMetric, string) {
	out := *of
	rows := bestFirst(of.Metric, of.Rows)
	text := ""
	if isLoss(of) {
		rows = slices.DeleteFunc(rows, func(row comparison.Row) bool { return math.IsInf(row.Value, 1) })
		if n := len(of.Rows) - len(rows); n > 0 {
			text = fmt.Sprintf("%s without a bound on it.", document.Counted(n, "arm"))
		}
	}
	first := 0 // of the others
	if len(rows) > 0 && rows[0].Baseline {
		first = 1
	}
	others := rows[first:]
	if groups := b.groups(of, others); groups != nil {
		shown, on := briefGroups(groups, len(others), more)
		out.Rows = append(slices.Clone(rows[:first]), shown...)
		return out, strings.TrimSpace(on + after(text))
	}
	if n := len(others); n > briefBest+briefWorst {
		rows = append(slices.Clone(rows[:first+briefBest]), others[n-briefWorst:]...)
		which := fmt.Sprintf("The best %d and the worst %d", briefBest, briefWorst)
		if of.Metric.Better == "" {
			which = fmt.Sprintf("The first %d and the last %d", briefBest, briefWorst)
		}
		text = fmt.Sprintf("%s of %s; %s.", which, document.Counted(n, "other arm"), more) + after(text)
	}
	out.Rows = rows
	return out, text
}

// after puts a blank before a sentence that is not empty.
func after(text string) string {
	if text == "" {
		return ""
	}
	return " " + text
}
