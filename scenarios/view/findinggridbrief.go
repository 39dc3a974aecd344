package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/metric"
)

// mostNamedColumns is the largest number of columns of a grid for sentences that name the best choice of each.
const mostNamedColumns = 3

// wins are the columns in which a choice is the best.
type wins struct {
	choice     string
	conditions []string
}

// winsOf returns the choices with a best value of a unit, the one with the most columns first.
func (g *FindingGrid) winsOf(better metric.Direction, unit string) (list []wins) {
	for k, i := range g.winners(better, unit) {
		if i < 0 {
			continue
		}
		choice := strings.TrimSuffix(g.RowLabels[i], ", "+unit)
		at := slices.IndexFunc(list, func(w wins) bool { return w.choice == choice })
		if at < 0 {
			at, list = len(list), append(list, wins{choice: choice})
		}
		list[at].conditions = append(list[at].conditions, g.condition(k))
	}
	slices.SortStableFunc(list, func(a, b wins) int { return len(b.conditions) - len(a.conditions) })
	return list
}

// brief states the choice that is the best of the most columns, and the others with their numbers of columns; empty
// where no column has a best one. The table has the values.
func (g *FindingGrid) brief(f *Finding, unit string) string {
	list := g.winsOf(f.Metric.Better, unit)
	if len(list) == 0 {
		return ""
	}
	columns := 0
	for _, w := range list {
		columns += len(w.conditions)
	}
	text := strings.TrimSuffix("Best "+g.noun()+" "+unit, " ") + ": "
	if len(list) == 1 {
		return fmt.Sprintf("%s%s under each of the %d conditions.", text, list[0].choice, columns)
	}
	var once []string
	for i, w := range list {
		switch n := len(w.conditions); {
		case i == 0:
			text += fmt.Sprintf("%s under %d of %d conditions (%s)", w.choice, n, columns, strings.Join(w.conditions, ", "))
		case n == 1:
			once = append(once, fmt.Sprintf("%s (%s)", w.choice, w.conditions[0]))
		default:
			text += fmt.Sprintf("; %s under %d (%s)", w.choice, n, strings.Join(w.conditions, ", "))
		}
	}
	switch len(once) {
	case 0:
	case 1:
		text += "; " + once[0]
	default:
		text += fmt.Sprintf("; %d others under one each", len(once))
	}
	return text + "."
}

// worst states the worst value of the grid; empty where no side is better, or where values of several units do not compare.
func (g *FindingGrid) worst(f *Finding) string {
	if f.Metric.Better == "" || g.units != nil {
		return ""
	}
	row, column := -1, -1
	for i := range g.Rows {
		for k, cell := range g.Rows[i] {
			if cell != nil && !math.IsNaN(cell.Value) && (row < 0 || f.Metric.Better.Beats(g.Rows[row][column].Value, cell.Value)) {
				row, column = i, k
			}
		}
	}
	if row < 0 {
		return ""
	}
	return fmt.Sprintf("Worst of all: %s under %s (%s).", g.RowLabels[row], g.condition(column), meanText(g.Rows[row][column]))
}

// alike states how many other choices the tests do not tell from the best of their columns; empty without tests.
func (g *FindingGrid) alike() string {
	same, others := 0, 0
	for k := range g.ColumnLabels {
		alike, apart := g.tested(k)
		same, others = same+alike, others+alike+apart
	}
	if others == 0 {
		return ""
	}
	if same == 0 {
		return fmt.Sprintf("Each of the %d others is significantly worse than the best of its column.", others)
	}
	return fmt.Sprintf("Of the %d others in the table, %d are not significantly different from the best of their column.", others, same)
}

// nouns are words of sentences for keys that are no nouns.
var nouns = map[string]string{"combine": "rule"}

// noun names what the rows of the grid are in sentences: by the key, or by a noun for it.
func (g *FindingGrid) noun() string { return cmp.Or(nouns[g.Of], g.Of) }
