package plot

import (
	"slices"
	"strings"

	"starling/scenarios/results"
	"starling/scenarios/study"
)

// Grid has the arms of a study by two keys: choices, such as rules or algorithms, a line each,
// and the conditions under which they are compared, such as attacks or epsilons, a column each.
type Grid struct {
	// Of names the choices.
	Of                      string
	RowLabels, ColumnLabels []string
	// Keys are the keys whose values are the columns.
	Keys []string
	// Arms are names of arms by line and column; "" where there is none.
	Arms [][]string
	// Others are arms that have no cell of their own.
	Others []string
	// Losses means that the columns are privacy losses, and Epsilon says which; it is empty for other columns.
	Losses  bool
	Epsilon string
}

// conditions are the sections with keys that are conditions.
var conditions = []string{"adversaries", "network", "clock", "problem", "nodes", "horizon", "stragglers"}

// isCondition reports whether a key is a condition and no choice.
func isCondition(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return isEpsilon(key) || slices.Contains(conditions, section)
}

// Grid returns the arms as a grid. The boolean is false where keys do not tell nearly all of them
// apart, or where the grid would be a single line.
func (r *Run) Grid() (g Grid, ok bool) {
	rows, columns := r.gridKeys()
	if len(columns) == 0 {
		return g, false
	}
	g.Keys = columns
	o := &study.PlotOptions{Hue: rows, Dash: columns[0]}
	p := plotter{options: o, runs: []Run{*r}}
	g.Of, g.Losses = "arm", slices.ContainsFunc(columns, isEpsilon)
	if i := slices.IndexFunc(columns, isEpsilon); i >= 0 {
		g.Epsilon = axisKey(columns[i])
	}
	if rows != study.EachName {
		g.Of = lastElement(strings.TrimSuffix(rows, ".kind"))
	}
	for i := range r.Arms {
		arm := &r.Arms[i]
		row := ""
		if rows == study.EachName {
			row = restLabel(arm, columns...)
		} else if value, ok := arm.Value(rows); ok {
			row = valueLabel(rows, factorName(o, rows), value)
		}
		column := p.conditionOf(r, arm, columns)
		if row == "" || column == "" || !g.add(row, column, arm.Name) {
			g.Others = append(g.Others, arm.Name)
		}
	}
	if len(g.RowLabels) < 2 || len(g.ColumnLabels) < 2 || len(g.Others) > mostBaselines {
		return Grid{}, false
	}
	for i := range g.Arms { // columns that came later
		g.Arms[i] = append(g.Arms[i], make([]string, len(g.ColumnLabels)-len(g.Arms[i]))...)
	}
	var order []string
	if len(columns) == 1 {
		for _, value := range degrees(r.Arms, columns[0]) {
			order = append(order, p.columnLabel(columns[0], value))
		}
	}
	return g.sorted(order), true
}

// Full returns the grid of the arms. The boolean is false where there is none, and where less than two thirds of its
// cells have an arm: such a grid compares few of them.
func (r *Run) Full() (g Grid, ok bool) {
	g, ok = r.Grid()
	placed, cells := len(r.Arms)-len(g.Others), len(g.RowLabels)*len(g.ColumnLabels)
	return g, ok && 3*placed >= 2*cells
}

// conditionOf labels the conditions of an arm of a run; it is empty where the arm has no value of some of them.
func (p *plotter) conditionOf(run *Run, arm *results.ArmEntry, keys []string) string {
	var labels []string
	for _, key := range keys {
		value, ok := valueOf(run, arm, key)
		if !ok {
			return ""
		}
		labels = append(labels, p.columnLabel(key, value))
	}
	return strings.Join(labels, ", ")
}

// columnLabel labels a value of a condition.
func (p *plotter) columnLabel(key, value string) string {
	return valueLabel(key, factorName(p.options, key), value) + p.accounted(key, value)
}

// sorted returns the grid with some columns first, in their order; none leaves it as it is.
func (g Grid) sorted(first []string) Grid {
	rank := func(label string) int {
		if i := slices.Index(first, label); i >= 0 {
			return i
		}
		return len(first)
	}
	places := make([]int, len(g.ColumnLabels))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return rank(g.ColumnLabels[a]) - rank(g.ColumnLabels[b]) })
	pick := func(cells []string) []string {
		moved := make([]string, len(cells))
		for i, place := range places {
			moved[i] = cells[place]
		}
		return moved
	}
	g.ColumnLabels = pick(g.ColumnLabels)
	for i := range g.Arms {
		g.Arms[i] = pick(g.Arms[i])
	}
	return g
}

// mostRowName is the longest name of a row that stays.
const mostRowName = 28

// namedRows returns the names of the rows for figures. In place of a long one, which lists values, it has the parts that the names of
// all arms of the row have, such as record of fedavg,record and scaffold,record, where no other row is called so.
func (g Grid) namedRows() []string {
	names := slices.Clone(g.RowLabels)
	for i, name := range names {
		if len([]rune(name)) <= mostRowName {
			continue
		}
		var parts []string
		for _, arm := range g.Arms[i] {
			own := strings.Split(arm, ",")
			switch {
			case arm == "":
			case parts == nil:
				parts = own
			default:
				parts = slices.DeleteFunc(parts, func(part string) bool { return !slices.Contains(own, part) })
			}
		}
		if short := strings.Join(parts, ", "); short != "" && len(short) < len(name) && !slices.Contains(names, short) {
			names[i] = short
		}
	}
	return names
}

// add puts an arm into its cell, unless another is there.
func (g *Grid) add(row, column, arm string) bool {
	i, k := max(0, place(&g.RowLabels, row)), max(0, place(&g.ColumnLabels, column))
	for len(g.Arms) <= i {
		g.Arms = append(g.Arms, nil)
	}
	for len(g.Arms[i]) <= k {
		g.Arms[i] = append(g.Arms[i], "")
	}
	if g.Arms[i][k] != "" {
		return false
	}
	g.Arms[i][k] = arm
	return true
}

// place returns the place of a label in a list, to which it adds a new one.
func place(list *[]string, label string) int {
	i := slices.Index(*list, label)
	if i < 0 {
		i = len(*list)
		*list = append(*list, label)
	}
	return i
}

// gridKeys returns the key of the lines, which may be study.EachName, and the keys of the columns, of
// which there are none where there is no grid.
func (r *Run) gridKeys() (rows string, columns []string) {
	arms := r.Arms
	if len(arms) < 4 {
		return "", nil
	}
	keys := factors(arms)
	if stated := r.Emphasis.Conditions; stated != nil {
		choices := slices.DeleteFunc(keysOf(arms), func(key string) bool { return holds(stated, key) })
		if len(choices) == 1 && legible(arms, choices[0]) && len(keys) > 0 {
			return choices[0], stated
		}
		return study.EachName, stated
	}
	if len(keys) != 2 || slices.ContainsFunc(keys, func(key string) bool { return !legible(arms, key) }) {
		if key := dividing(arms); key != "" {
			columns = []string{key}
		}
		return study.EachName, columns
	}
	if isCondition(keys[0]) && !isCondition(keys[1]) {
		return keys[1], keys[:1]
	}
	return keys[0], keys[1:]
}

// holds reports whether a key is one of some keys, or inside of one.
func holds(keys []string, key string) bool {
	return slices.ContainsFunc(keys, func(other string) bool { return key == other || strings.HasPrefix(key, other+".") })
}
