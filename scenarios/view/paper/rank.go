package paper

import (
	"cmp"
	"math"
	"slices"

	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// rank puts the arms into the order of the headline metric, or of the first of chosen metrics, and that metric
// before the others.
func (b *builder) rank() error {
	if !b.Ranked || len(b.faults) > 0 || len(b.shown.Arms) <= ManyArms || b.Rows != ArmAxis || b.Columns != MetricAxis || len(b.metrics) == 0 {
		return nil
	}
	by, _ := b.run.Known.Find(b.metrics[0])
	if b.Metrics == nil {
		var err error
		if by, _, err = b.run.HeadlineMetric(); err != nil {
			return err
		}
		if b.Foremost {
			b.metrics = foremost(foremost(b.metrics, ledger.EpsilonTotal), by.Name)
		}
	}
	if by.Better == "" || !slices.Contains(b.metrics, by.Name) {
		return nil
	}
	b.order = by.Name
	value := func(arm results.ArmEntry) float64 {
		row, ok := b.row(arm.Name, by.Name)
		switch {
		case !ok || math.IsNaN(row.Mean):
			return math.Inf(1)
		case by.Better == metric.HigherIsBetter:
			return -row.Mean
		}
		return row.Mean
	}
	b.shown.Arms = slices.Clone(b.shown.Arms)
	slices.SortStableFunc(b.shown.Arms, func(x, y results.ArmEntry) int { return cmp.Compare(value(x), value(y)) })
	return nil
}

// foremost returns a list with a name at its beginning, if the name is in it.
func foremost(list []string, name string) []string {
	at := slices.Index(list, name)
	if at < 0 {
		return list
	}
	return append([]string{name}, slices.Delete(slices.Clone(list), at, at+1)...)
}
