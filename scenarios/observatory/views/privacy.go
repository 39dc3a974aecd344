package views

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// Privacy holds the privacy losses of a finished run, by observer.
type Privacy struct {
	// Ledger has the claimed losses beside the accounted ones.
	Ledger Table `json:"ledger"`
	// Matrix has the losses to all observers, with sentences below it.
	Matrix      Table    `json:"matrix"`
	MatrixTexts []string `json:"matrix_texts"`
	// Remarks name the protected unit and the neighbouring relation, with further remarks.
	Remarks   []string `json:"remarks"`
	Observers []string `json:"observers"`
	// Charts are the losses over the steps: one chart, or one for each family of many arms. ChartsText
	// names the unit and the observers where all curves have the same.
	Charts     []report.Chart `json:"charts"`
	ChartsText string         `json:"charts_text,omitempty"`
	// Costly are the steps between two points of a curve in which the loss grew most.
	Costly Table `json:"costly"`
	// Pairs are the losses to single nodes, by arm, where the run has accounted for them.
	// Spread has a row for each arm: the spread of the losses over the pairs.
	Pairs  []PairMap `json:"pairs"`
	Spread Table     `json:"spread"`
	// drawn is the figure that the charts show.
	drawn figure.Figure
}

// PairMap holds the losses of units to nodes by the end of a run, in an arm.
type PairMap struct {
	Arm string `json:"arm"`
	// Seeds says of which seeds the values and boxes are; absent for one seed.
	Seeds string `json:"seeds,omitempty"`
	// Units and Observers are ascending, by the numbers of results.
	Units     []int32 `json:"units"`
	Observers []int32 `json:"observers"`
	// OrderText is the order of nodes near each other in words, and Order are their numbers; both
	// are absent where the network is not known.
	OrderText string  `json:"order_text,omitempty"`
	Order     []int32 `json:"order,omitempty"`
	// Hops are the numbers of edges between unit and observer, -1 without a path; Boxes are the
	// spreads of the losses by them.
	Hops  [][]int  `json:"hops,omitempty"`
	Boxes []HopBox `json:"boxes,omitempty"`
	// Byzantine are the numbers of nodes that do not follow the protocol.
	Byzantine []int `json:"byzantine,omitempty"`
	// Values are epsilons by unit and observer. A value is nil for a node itself, which has
	// nothing to learn, and Unbounded where no epsilon bounds the loss.
	Values [][]*float64 `json:"values"`
}

// HopBox is the spread of the losses of pairs at a distance in the network.
type HopBox struct {
	accounts.HopSpread
	// Quartiles are the least, the lower quartile, the median, the upper quartile and the most,
	// Unbounded for an infinite one.
	Quartiles []*float64 `json:"quartiles"`
}

// matrixWidth is the number of letters up to which the page has arms beside each other.
const matrixWidth = 110

// Unbounded stands for an infinite epsilon, for which JSON has no number.
const Unbounded = -1

// mostPairs is the greatest number of units or observers for which a map is drawn: beyond,
// cells are smaller than points of a screen.
const mostPairs = 400

// mostCostly is about the number of rows of Costly, and leastCostly the least number of rows
// of an arm.
const (
	mostCostly  = 12
	leastCostly = 2
)

// Privacy describes the privacy losses of a finished run. An empty observer stands for all
// observers; a negative unit stands for the unit that loses the most.
func (f *Folder) Privacy(id, observer string, unit int32) (*Privacy, error) {
	o, err := f.opened(id)
	if err != nil {
		return nil, err
	}
	table, err := accounts.LedgerTable(o.Source)
	if err != nil {
		return nil, err
	}
	matrix, err := accounts.MatrixOf(o.Source)
	if err != nil {
		return nil, err
	}
	labels := plot.ArmLabels(o.Arms)
	places := accounts.ByLabels(o.Arms, labels)
	table = accounts.Named(accounts.Sorted(table, places), labels)
	matrix.Sort(places)
	matrix.Named(labels)
	p := &Privacy{Charts: []report.Chart{}, Matrix: Table{Header: []string{}, Rows: [][]string{}}, MatrixTexts: []string{}, Ledger: Table(accounts.ArmsTogether(table)), Remarks: []string{}, Observers: []string{}, Costly: Table{Header: []string{}, Rows: [][]string{}}, Pairs: []PairMap{}, Spread: Table{Header: []string{}, Rows: [][]string{}}}
	if len(table.Rows) == 0 {
		p.Remarks = append(p.Remarks, "Nothing was paid for: the run accounts for no privacy.")
		return p, nil
	}
	p.Matrix, p.MatrixTexts = Table(matrix.Condensed().Table(matrixWidth)), matrix.Texts()
	if text := matrix.ClaimsText(); text != "" {
		p.MatrixTexts = append([]string{text}, p.MatrixTexts...)
	}
	for _, entry := range o.Source.Manifest.Ledger {
		for _, line := range []string{fmt.Sprintf("Protected: %s. Neighbouring data: %s.", entry.Unit, entry.Neighbours), entry.Remark} {
			if line != "" && !slices.Contains(p.Remarks, line) {
				p.Remarks = append(p.Remarks, line)
			}
		}
		if !slices.Contains(p.Observers, entry.Observer) {
			p.Observers = append(p.Observers, entry.Observer)
		}
	}
	curves, err := accounts.PrivacyCurves(o.Source, accounts.CurveOptions{Observer: observer, Unit: max(unit, 0), OfUnit: unit >= 0})
	if err != nil {
		return nil, document.BadInput(err)
	}
	slices.SortStableFunc(curves, func(a, b accounts.PrivacyCurve) int { return places[a.Arm] - places[b.Arm] })
	f.charts(p, o, curves, labels)
	p.Costly = Table(accounts.RowsTogether(accounts.Named(tabular.Table(costly(curves)), labels)))
	return p, p.pairs(o.Source, labels, func() (*study.Scenario, error) { return f.scenario(id) })
}

// nearIn returns how near the nodes of a scenario are; nothing of one that this build cannot read.
func nearIn(scenario func() (*study.Scenario, error)) (accounts.Near, error) {
	s, err := scenario()
	if err != nil {
		return accounts.Near{}, nil
	}
	return view.Near(s)
}

// pairs fills in the losses to single nodes. Without a scenario that this build reads the
// distances of nodes are not known.
func (p *Privacy) pairs(run *results.Run, labels map[string]string, scenario func() (*study.Scenario, error)) error {
	list, err := accounts.PairsOf(run)
	if errors.Is(err, accounts.ErrNoPairs) {
		return nil
	}
	if err != nil {
		return err
	}
	near, err := nearIn(scenario)
	if err != nil {
		return err
	}
	p.Spread = Table(accounts.Named(accounts.ShownSummary(list, near), labels))
	for i := range list {
		one := &list[i]
		m := one.Map(near, one.Units, one.Observers)
		if max(len(m.Rows), len(m.Columns)) > mostPairs {
			continue
		}
		drawn := PairMap{Arm: cmp.Or(labels[m.Name], m.Name), Seeds: one.SeedsText(near), Units: m.Rows, Observers: m.Columns, Byzantine: near[m.Name].Byzantine}
		if of, ok := near[m.Name]; ok {
			drawn.OrderText, drawn.Order = of.Text, of.Order
			for _, unit := range m.Rows {
				hops := make([]int, len(m.Columns))
				for k, observer := range m.Columns {
					hops[k] = of.Hops(unit, observer)
				}
				drawn.Hops = append(drawn.Hops, hops)
			}
			for _, spread := range one.ByHops(near) {
				drawn.Boxes = append(drawn.Boxes, HopBox{spread, epsilons(spread.Quartiles[:])})
			}
		}
		for _, row := range m.Values {
			drawn.Values = append(drawn.Values, epsilons(row))
		}
		p.Pairs = append(p.Pairs, drawn)
	}
	return nil
}

// epsilons returns numbers in the form that PairMap has them.
func epsilons(row []float64) []*float64 {
	list := make([]*float64, len(row))
	for i, v := range row {
		switch {
		case math.IsInf(v, 1):
			v = Unbounded
		case math.IsNaN(v):
			continue
		}
		list[i] = &v
	}
	return list
}

// budgetName is the name of the line of a budget.
const budgetName = "budget"

// budget adds the limit on the loss as a level line, where every arm has the same.
func (f *Folder) budget(o *opened, fig *figure.Figure) {
	text, err := o.Source.Scenario()
	if err != nil {
		return
	}
	doc, err := document.Parse(results.ScenarioFile, text)
	if err != nil {
		return
	}
	node, ok := doc.Find("budget.epsilon")
	if !ok {
		return
	}
	var limit document.Number
	if err := document.Decode(node, &limit); err != nil {
		return
	}
	m := &o.Source.Manifest
	fig.Series = append(fig.Series, figure.Series{
		Name: budgetName, X: []float64{float64(m.FirstStep), float64(m.FirstStep + m.Horizon - 1)}, Y: []float64{float64(limit), float64(limit)},
	})
}

// evenly returns the growth in a step of a curve that grows by the same in all of at least three parts; false for
// others. The first step of a run is 0 or 1.
func evenly(c *accounts.PrivacyCurve) (grown float64, ok bool) {
	last := len(c.Points) - 1
	if last < 2 || math.IsInf(c.Points[last].Epsilon, 1) {
		return 0, false
	}
	step := func(i int) float64 {
		before, after := &c.Points[i-1], &c.Points[i]
		return (after.Epsilon - before.Epsilon) / float64(after.Step-before.Step)
	}
	grown = step(last)
	near := func(v, other float64) bool { return math.Abs(v-other) <= evenTolerance*math.Abs(other) }
	for i := 1; i < last; i++ {
		if !near(step(i), grown) {
			return 0, false
		}
	}
	first := &c.Points[0]
	return grown, grown > 0 && (near(first.Epsilon, grown*float64(first.Step)) || near(first.Epsilon, grown*float64(first.Step+1)))
}

// evenTolerance is the relative difference up to which two growths of a loss are the same.
const evenTolerance = 1e-6

// costly lists the parts of curves with the greatest growth, the largest first, the same
// number for each arm. A curve that grows evenly has one row.
func costly(curves []accounts.PrivacyCurve) Table {
	type rise struct {
		curve  *accounts.PrivacyCurve
		from   int64
		to     int64
		before float64
		grown  float64
		after  float64
	}
	var rises []rise
	for i := range curves {
		c := &curves[i]
		from, before := int64(0), 0.0
		if _, even := evenly(c); even {
			last := &c.Points[len(c.Points)-1]
			rises = append(rises, rise{c, 0, last.Step, 0, last.Epsilon, last.Epsilon})
			continue
		}
		for _, p := range c.Points {
			if grown := p.Epsilon - before; grown > 0 {
				rises = append(rises, rise{c, from, p.Step, before, grown, p.Epsilon})
			}
			from, before = p.Step, p.Epsilon
		}
	}
	// An arm that has no bound from the beginning is a remark of the figure, and no row beside others.
	bounded := map[string]bool{} // by arm
	for _, r := range rises {
		if !math.IsInf(r.after, 1) {
			bounded[r.curve.Arm] = true
		}
	}
	if len(bounded) > 0 {
		rises = slices.DeleteFunc(rises, func(r rise) bool { return !bounded[r.curve.Arm] })
	}
	slices.SortStableFunc(rises, func(a, b rise) int {
		switch {
		case a.grown > b.grown:
			return -1
		case a.grown < b.grown:
			return 1
		}
		return 0
	})
	listed := map[string]int{} // by arm
	for _, r := range rises {
		listed[r.curve.Arm] = 0
	}
	most := max(leastCostly, mostCostly/max(1, len(listed)))
	table := Table{Header: []string{"arm", "observer", "unit", "after step", "up to step", "epsilon before", "epsilon after", "grown by"}, Rows: [][]string{}}
	for _, r := range rises {
		row := []string{
			r.curve.Arm, r.curve.Observer, fmt.Sprint(r.curve.Unit), fmt.Sprint(r.from), fmt.Sprint(r.to),
			tabular.FormatValue(r.before), tabular.FormatValue(r.after), tabular.FormatValue(r.grown),
		}
		if grown, even := evenly(r.curve); even {
			row[len(row)-1] = tabular.FormatValue(grown) + " in each step"
		}
		// Observers with equal losses share a row.
		i := slices.IndexFunc(table.Rows, func(known []string) bool { return known[0] == row[0] && slices.Equal(known[2:], row[2:]) })
		switch {
		case i >= 0:
			table.Rows[i][1] += ", " + row[1]
		case listed[r.curve.Arm] < most:
			listed[r.curve.Arm]++
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

// errNothing is the error for a comparison of too few runs.
var errNothing = errors.New("select two runs, or two arms of a run, to compare")
