package accounts

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
)

// CurveOptions choose the curves of a ledger.
type CurveOptions struct {
	// Observer is the observer of the curves, a coalition in any order. If it is empty, there
	// are curves of every observer, except those recorded for the table of pairs alone.
	Observer string
	// Unit is a protected unit in the paper's numbering, and OfUnit means that the curves are
	// of this unit. Otherwise they are of the unit that ends with the largest loss, the first
	// of those if there are several.
	Unit   int32
	OfUnit bool
}

// PrivacyCurve is the loss of one unit of an arm to one observer by the steps of a run: the
// loss after each step in which the curve has a point. Between two points it is at least the
// loss of the earlier and at most the loss of the later.
type PrivacyCurve struct {
	// Arm and Seed name the run of the curve: of all seeds the one in which the unit loses the
	// most.
	Arm      string
	Seed     uint64
	Observer string
	Unit     int32
	// Relation says which data are neighbours; it is empty for a run that has not kept it.
	Relation string
	// Points are by ascending step; losses never fall.
	Points []results.PrivacyRow
}

// PrivacyCurves returns the curves of a run's ledger, by arm and observer, each under the seed
// in which the unit's loss ends largest. An unknown observer is an error, and so are an
// observer and a unit without any loss.
func PrivacyCurves(run *results.Run, options CurveOptions) ([]PrivacyCurve, error) {
	if err := options.check(run); err != nil {
		return nil, err
	}
	entries := listed(run.Manifest.Ledger)
	type key struct{ arm, observer string }
	chosen := map[key]int{} // index of the list
	var list []PrivacyCurve
	ends := map[key]float64{}
	of := RelationsOf(run.Manifest.Ledger)
	// Two passes: the final rows select the seed and unit of each curve, then its points are
	// collected.
	err := run.Privacy(func(row results.PrivacyRow) error {
		if !options.wants(&row) || options.Observer == "" && !entries[[2]string{row.Arm, row.Observer}] {
			return nil
		}
		k, unit := key{row.Arm, row.Observer}, row.Unit
		if options.OfUnit {
			unit = options.Unit
		}
		curve := PrivacyCurve{Arm: row.Arm, Seed: row.Seed, Observer: row.Observer, Unit: unit, Relation: of[row.Arm]}
		if i, ok := chosen[k]; !ok {
			chosen[k], ends[k] = len(list), row.Epsilon
			list = append(list, curve)
		} else if row.Epsilon > ends[k] {
			list[i], ends[k] = curve, row.Epsilon
		}
		return nil
	})
	if err == nil {
		err = run.PrivacyCurves(func(row results.PrivacyRow) error {
			if i, ok := chosen[key{row.Arm, row.Observer}]; ok {
				list[i].add(row)
			}
			return nil
		})
	}
	if _, coalition := accountant.Observer(options.Observer).Members(); err == nil && len(list) == 0 && coalition && !options.OfUnit {
		err = fmt.Errorf("%s: the run has not accounted for %s; its observers are %s; measure.observers of the scenario names others",
			run.Dir, options.Observer, strings.Join(observersOf(run.Manifest.Ledger), ", "))
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: nobody learns anything of unit %d", run.Dir, options.Unit)
	}
	return list, err
}

// listed returns the arms and observers of a ledger.
func listed(ledger []results.LedgerEntry) map[[2]string]bool {
	list := map[[2]string]bool{}
	for i := range ledger {
		list[[2]string{ledger[i].Arm, ledger[i].Observer}] = true
	}
	return list
}

// observersOf returns the observers of a ledger, each once.
func observersOf(ledger []results.LedgerEntry) (has []string) {
	for i := range ledger {
		if !slices.Contains(has, ledger[i].Observer) {
			has = append(has, ledger[i].Observer)
		}
	}
	return has
}

// check refuses an observer that no ledger can have, and one that this ledger has not and
// would list. It changes the name of an observer to its form in ledgers.
func (o *CurveOptions) check(run *results.Run) error {
	if o.Observer == "" {
		return nil
	}
	has := observersOf(run.Manifest.Ledger)
	named, err := accountant.ParseObserver(o.Observer)
	if err == nil {
		o.Observer = string(named)
	}
	if _, coalition := named.Members(); coalition || slices.Contains(has, o.Observer) {
		return nil
	}
	if err == nil {
		return fmt.Errorf("%s: nobody is %s in this run; its observers are %s", run.Dir, o.Observer, strings.Join(has, ", "))
	}
	return fmt.Errorf("unknown observer %q%s", o.Observer, document.Suggest(o.Observer, has, "its observers are"))
}

// wants reports whether a row is of the observer and unit in the options.
func (o *CurveOptions) wants(row *results.PrivacyRow) bool {
	return (o.Observer == "" || o.Observer == row.Observer) && (!o.OfUnit || covers(row, o.Unit))
}

// covers reports whether a unit is among the units of a row.
func covers(row *results.PrivacyRow, unit int32) bool {
	return row.Unit <= unit && unit-row.Unit < row.Units
}

// add adds a row of the curve. The final row repeats the last point if nothing was paid after
// it.
func (c *PrivacyCurve) add(row results.PrivacyRow) {
	if row.Seed != c.Seed || !covers(&row, c.Unit) {
		return
	}
	if n := len(c.Points); n > 0 && c.Points[n-1].Step == row.Step {
		c.Points[n-1] = row
		return
	}
	c.Points = append(c.Points, row)
}

// CurveRows returns the points of curves as rows of one unit each.
func CurveRows(curves []PrivacyCurve) (rows []results.PrivacyRow) {
	for _, c := range curves {
		for _, p := range c.Points {
			p.Unit, p.Units = c.Unit, 1
			rows = append(rows, p)
		}
	}
	return rows
}

// tablePoints is the largest number of points of a curve in a table.
const tablePoints = 12

// CurveTable returns curves as a table for reading. Observers with equal losses are together,
// and cells are empty if they equal the row above. Of the points at which the loss changes, a
// curve has at most twelve, evenly spread, with the last. leftOut is the number of these
// points that are left out.
func CurveTable(curves []PrivacyCurve) (table tabular.Table, leftOut int) {
	table.Header = []string{"arm", "observer", "seed", "unit", "step", "epsilon", "delta", "definition", "neighbours", "odometer"}
	for _, c := range joined(curves) {
		points := slices.CompactFunc(slices.Clone(c.Points), func(a, b results.PrivacyRow) bool {
			return a.Epsilon == b.Epsilon && a.Definition == b.Definition && OdometerText(&a) == OdometerText(&b)
		})
		most := min(len(points), tablePoints)
		leftOut += len(points) - most
		var above []string
		for k := range most {
			p := &points[(k+1)*len(points)/most-1]
			row := []string{
				c.Arm, c.Observer, fmt.Sprint(c.Seed), fmt.Sprint(c.Unit), fmt.Sprint(p.Step),
				tabular.FormatValue(p.Epsilon), tabular.FormatValue(p.Delta), p.Definition, c.Relation, OdometerText(p),
			}
			table.Rows = append(table.Rows, withoutRepeats(row, above))
			above = row
		}
	}
	table.DropEmpty("odometer")
	return table, leftOut
}

// WithinTable returns, for each curve, the last of its points up to which the loss is within
// epsilon, and the first at which it is over it. It says nothing about steps between points.
func WithinTable(curves []PrivacyCurve, epsilon float64) tabular.Table {
	table := tabular.Table{Header: []string{"arm", "observer", "seed", "unit", "within up to step", "epsilon", "over it at step", "delta", "definition", "neighbours"}}
	for _, c := range joined(curves) {
		row := []string{c.Arm, c.Observer, fmt.Sprint(c.Seed), fmt.Sprint(c.Unit), "", "", "never", "", "", c.Relation}
		for i := range c.Points {
			p := &c.Points[i]
			row[7], row[8] = tabular.FormatValue(p.Delta), p.Definition
			if !(p.Epsilon <= epsilon) {
				row[6] = fmt.Sprint(p.Step)
				break
			}
			row[4], row[5] = fmt.Sprint(p.Step), tabular.FormatValue(p.Epsilon)
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// joined returns curves with neighbouring observers of equal losses as one, under all their
// names.
func joined(curves []PrivacyCurve) (list []PrivacyCurve) {
	for _, c := range curves {
		if n := len(list); n > 0 && list[n-1].same(&c) {
			list[n-1].Observer += ", " + c.Observer
			continue
		}
		list = append(list, c)
	}
	return list
}

// same reports whether another observer of the arm has an equal curve of the unit.
func (c *PrivacyCurve) same(other *PrivacyCurve) bool {
	return c.Arm == other.Arm && c.Seed == other.Seed && c.Unit == other.Unit &&
		slices.EqualFunc(c.Points, other.Points, func(a, b results.PrivacyRow) bool {
			return a.Step == b.Step && a.Epsilon == b.Epsilon && a.Delta == b.Delta && a.Definition == b.Definition
		})
}

// withoutRepeats returns a row of a curve with cells empty that equal the row above; step and
// epsilon are always there.
func withoutRepeats(row, above []string) []string {
	row = slices.Clone(row)
	for k := range above {
		if row[k] == above[k] && k != 4 && k != 5 {
			row[k] = ""
		}
	}
	return row
}

// CurveFigure draws curves over the steps, one for observers with equal losses, each as the upper
// stair through its points. If nothing bounds a loss, it is not drawn, and the name of its curve
// says so.
func CurveFigure(run *results.Run, curves []PrivacyCurve) figure.Figure {
	of := RelationsOf(run.Manifest.Ledger)
	finite := slices.DeleteFunc(slices.Clone(curves), func(c PrivacyCurve) bool {
		n := len(c.Points)
		return n > 0 && math.IsInf(c.Points[n-1].Epsilon, 1)
	})
	shown := armsOfCurves(run, finite)
	f := figure.Figure{Title: run.Manifest.Scenario, XLabel: "step", YLabel: EpsilonAxis("privacy loss ε, at most", "epsilon.", of.Among(shown))}
	end := float64(run.Manifest.FirstStep + run.Manifest.Horizon - 1)
	for _, c := range joined(curves) {
		s := figure.Series{Name: fmt.Sprintf("%s: %s, unit %d", c.Arm, c.Observer, c.Unit)}
		s.Name = of.Mark(s.Name, "epsilon.", c.Arm, shown)
		if n := len(c.Points); n > 0 && math.IsInf(c.Points[n-1].Epsilon, 1) {
			s.Name += notPrivate
		}
		var steps, losses []float64
		for _, p := range c.Points {
			steps, losses = append(steps, float64(p.Step)), append(losses, p.Epsilon)
		}
		s.X, s.Y = UpperStair(steps, losses, float64(max(run.Manifest.FirstStep-1, 0)))
		if n := len(losses); n > 0 {
			s.X, s.Y = append(s.X, end), append(s.Y, losses[n-1])
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// UpperStair returns the corners of the least curve that lies nowhere below a loss with these
// values after these steps: before a step, the loss may already be that after it. Steps ascend and
// losses do not fall. The stair begins with no loss at the step before the first.
func UpperStair(steps, losses []float64, before float64) (x, y []float64) {
	at := 0.0
	if len(steps) > 0 {
		before = math.Min(before, steps[0])
	}
	for i, step := range steps {
		x, y = append(x, before), append(y, at)
		before, at = math.Max(before, step), losses[i]
		x, y = append(x, x[len(x)-1]), append(y, at)
	}
	if len(steps) > 0 {
		x, y = append(x, before), append(y, at)
	}
	return x, y
}

// armsOfCurves returns the arms of a run that have a curve.
func armsOfCurves(run *results.Run, curves []PrivacyCurve) (arms []results.ArmEntry) {
	for _, arm := range run.Manifest.Arms {
		if slices.ContainsFunc(curves, func(c PrivacyCurve) bool { return c.Arm == arm.Name }) {
			arms = append(arms, arm)
		}
	}
	return arms
}
