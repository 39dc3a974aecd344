package accounts

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
)

// Pairs are the losses of units to single nodes by the end of a run, in an arm: under each seed,
// and of each pair under the seed in which it is the largest.
type Pairs struct {
	Arm string
	// Relation says which data are neighbours.
	Relation string
	// Units and Observers are ascending, by the numbers of results.
	Units, Observers []int32
	// Seeds are the seeds with losses, ascending.
	Seeds []uint64
	// rows are the largest over the seeds, by unit, then observer; nil if there is no loss, as for
	// a node and itself. under has the losses by seed.
	rows  pairRows
	under map[uint64]pairRows
}

// pairRows are losses by unit and observer.
type pairRows map[[2]int32]*results.PrivacyRow

// add adds a row, unless the pair has a larger loss.
func (rows pairRows) add(key [2]int32, row *results.PrivacyRow) {
	if before := rows[key]; before == nil || row.Epsilon > before.Epsilon {
		rows[key] = row
	}
}

// ErrNoPairs is the error of a run that has not accounted for single nodes.
var ErrNoPairs = errors.New("the run has not accounted for the losses to single nodes; set measure.pairs: true, or name nodes by measure.observers")

// PairsOf returns the pairs of a run, by arm. It leaves out arms that account for no single
// node; the error is ErrNoPairs if no arm does.
func PairsOf(run *results.Run) (list []Pairs, err error) {
	of, index := RelationsOf(run.Manifest.Ledger), map[string]int{}
	for _, arm := range run.Manifest.Arms {
		index[arm.Name] = len(list)
		list = append(list, Pairs{Arm: arm.Name, Relation: of[arm.Name], rows: pairRows{}, under: map[uint64]pairRows{}})
	}
	err = run.Privacy(func(row results.PrivacyRow) error {
		observer := Single(row.Observer)
		if observer < 0 {
			return nil
		}
		p := &list[index[row.Arm]]
		if p.under[row.Seed] == nil {
			p.under[row.Seed] = pairRows{}
		}
		for unit := row.Unit; unit < row.Unit+row.Units; unit++ {
			one, key := row, [2]int32{unit, observer}
			one.Unit, one.Units = unit, 1
			p.rows.add(key, &one)
			p.under[row.Seed].add(key, &one)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(p Pairs) bool { return len(p.rows) == 0 })
	for i := range list {
		list[i].number()
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %w", run.Dir, ErrNoPairs)
	}
	return list, nil
}

// Single returns the number of the node if an observer is one node, and -1 otherwise.
func Single(observer string) int32 {
	if members, ok := accountant.Observer(observer).Members(); ok && len(members) == 1 {
		return int32(members[0])
	}
	return -1
}

// number lists the numbers of units and observers, and the seeds.
func (p *Pairs) number() {
	for key := range p.rows { // in any order: they are sorted
		p.Units, p.Observers = append(p.Units, key[0]), append(p.Observers, key[1])
	}
	p.Seeds = slices.Sorted(maps.Keys(p.under))
	slices.Sort(p.Units)
	slices.Sort(p.Observers)
	p.Units, p.Observers = slices.Compact(p.Units), slices.Compact(p.Observers)
}

// Rows returns the rows of all pairs, by unit, then observer, each under the seed in which its loss
// is the largest.
func (p *Pairs) Rows() []results.PrivacyRow { return p.listed(p.rows) }

// Under returns the rows of all pairs under a seed, by unit, then observer.
func (p *Pairs) Under(seed uint64) []results.PrivacyRow { return p.listed(p.under[seed]) }

// listed returns rows by unit, then observer.
func (p *Pairs) listed(rows pairRows) (list []results.PrivacyRow) {
	for _, unit := range p.Units {
		for _, observer := range p.Observers {
			if row := rows[[2]int32{unit, observer}]; row != nil {
				list = append(list, *row)
			}
		}
	}
	return list
}

// tablePairs is the largest number of units, and of observers, in a table.
const tablePairs = 16

// Fits reports whether the pairs go into a table.
func (p *Pairs) Fits() bool { return len(p.Units) <= tablePairs && len(p.Observers) <= tablePairs }

// Table returns a table with a unit a row and an observer a column: epsilons at the delta of
// the arm.
func (p *Pairs) Table() tabular.Table {
	table := tabular.Table{Header: []string{"unit"}}
	for _, observer := range p.Observers {
		table.Header = append(table.Header, fmt.Sprintf("node %d", observer))
	}
	for _, unit := range p.Units {
		row := []string{fmt.Sprint(unit)}
		for _, observer := range p.Observers {
			text := "-"
			if r := p.rows[[2]int32{unit, observer}]; r != nil {
				text = tabular.FormatValue(r.Epsilon)
			}
			row = append(row, text)
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// PairsSummary returns a table with an arm a row: the number of pairs, quantiles of their
// epsilons, and the pair with the largest.
func PairsSummary(list []Pairs) tabular.Table { return summaryOf(list, (*Pairs).Rows) }

// ShownSummary is PairsSummary of the losses that the boxes of PairsFigure have, with a column that says over which seeds they
// are: of each pair the largest, or, where seeds have graphs of their own, the loss under each seed.
func ShownSummary(list []Pairs, near Near) tabular.Table {
	table := summaryOf(list, func(p *Pairs) []results.PrivacyRow { return p.shown(near) })
	if !slices.ContainsFunc(list, func(p Pairs) bool { return len(p.Seeds) > 1 }) {
		return table
	}
	table.Header = append(slices.Clone(table.Header), "over the seeds")
	for i := range table.Rows {
		at := slices.IndexFunc(list, func(p Pairs) bool { return p.Arm == table.Rows[i][0] })
		text := "largest of each pair"
		if of, ok := near[list[at].Arm]; ok && of.Under != nil {
			text = "each pair under each seed"
		}
		table.Rows[i] = append(table.Rows[i], text)
	}
	return table
}

// summaryOf is PairsSummary of some rows of each arm.
func summaryOf(list []Pairs, rowsOf func(p *Pairs) []results.PrivacyRow) tabular.Table {
	table := tabular.Table{Header: []string{"arm", "pairs", "least", "lower quartile", "median", "upper quartile", "most", "of unit", "by node", "delta", "neighbours"}}
	for i := range list {
		rows := rowsOf(&list[i])
		if len(rows) == 0 {
			continue
		}
		slices.SortStableFunc(rows, func(a, b results.PrivacyRow) int {
			switch {
			case a.Epsilon < b.Epsilon:
				return -1
			case a.Epsilon > b.Epsilon:
				return 1
			}
			return 0
		})
		row := []string{list[i].Arm, fmt.Sprint(len(rows))}
		for quarter := range 5 {
			row = append(row, tabular.FormatValue(rows[quarter*(len(rows)-1)/4].Epsilon))
		}
		most := rows[len(rows)-1]
		table.Rows = append(table.Rows, append(row, fmt.Sprint(most.Unit), fmt.Sprint(Single(most.Observer)), tabular.FormatValue(most.Delta), list[i].Relation))
	}
	return table
}

// PairsFigure draws the pairs of all arms as maps, a unit a row and an observer a column, in the
// orders of near, beside boxes of the losses by distance in the network. labels are the names of arms for readers;
// an arm without one has its own name.
func PairsFigure(run *results.Run, list []Pairs, near Near, labels map[string]string) figure.Heat {
	spaced := strings.NewReplacer(", ", ", ", ",", ", ", " = ", " = ", "=", " = ")
	name := func(arm string) string { return spaced.Replace(cmp.Or(labels[arm], arm)) }
	h := figure.Heat{
		Title: run.Manifest.Scenario + ": privacy loss ε of each node to each other", XLabel: "who learns", YLabel: "whose data", Label: "privacy loss ε",
		BoxTitle: "ε by distance", BoxLabel: "edges apart", Note: near.said(list, name, labels != nil),
	}
	if labels != nil && near.severalSeeds(list) {
		h.BoxNote = "Boxes have the losses of all seeds."
	}
	for i := range list {
		p := &list[i]
		m := p.Map(near, near.ordered(p.Arm, p.Units), near.ordered(p.Arm, p.Observers))
		m.Name = name(p.Arm)
		if labels != nil {
			m.Name += p.aggregate(near)
		}
		h.Maps = append(h.Maps, m)
	}
	return h
}

// aggregate says in the title of a map which losses of several seeds it has; empty for one seed.
func (p *Pairs) aggregate(near Near) string {
	if len(p.Seeds) < 2 {
		return ""
	}
	if seed, one := p.seedShown(near); one {
		return fmt.Sprintf(", seed %d", seed)
	}
	return fmt.Sprintf(", largest of %d seeds", len(p.Seeds))
}

// Map draws the pairs of units and observers in an order, beside boxes of the losses by distance:
// of one seed where the graphs differ between seeds or are not known, and the largest over the
// seeds elsewhere. SeedsText says which.
func (p *Pairs) Map(near Near, units, observers []int32) figure.HeatMap {
	rows := p.rows
	if seed, one := p.seedShown(near); one {
		rows = p.under[seed]
	}
	m := figure.HeatMap{Name: p.Arm, Columns: observers, Rows: units, Boxes: boxes(p.ByHops(near))}
	for _, unit := range units {
		row := make([]float64, len(observers))
		for k, observer := range observers {
			row[k] = math.NaN()
			if r := rows[[2]int32{unit, observer}]; r != nil {
				row[k] = r.Epsilon
			}
		}
		m.Values = append(m.Values, row)
	}
	return m
}
