package plot

import (
	"math"
	"slices"

	"starling/scenarios/ledger"
)

// neighbouring returns the kinds of neighbouring data for which the losses of the arms of runs hold, each once: their
// relations, or, where finite losses of arms with a metric are of units of different extents, relations with units. Losses
// of several kinds do not compare.
func neighbouring(runs []Run, metric string) []string {
	var relations, units, both []string
	add := func(list *[]string, text string) {
		if !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	for i := range runs {
		r := &runs[i]
		for _, relation := range r.Of.Among(r.Arms) {
			add(&relations, relation)
		}
		last, shown := lastRows(r.Rows[ledger.EpsilonTotal]), lastRows(r.Rows[metric])
		for _, arm := range r.Arms {
			unit, loss := r.Units[arm.Name], math.Max(last[arm.Name].Mean, r.strongest(arm.Name))
			if _, drawn := shown[arm.Name]; !drawn || unit == "" || !(loss > 0) || math.IsInf(loss, 1) { // nothing to be compared
				continue
			}
			add(&units, unit)
			add(&both, r.Of[arm.Name]+" of a "+unit)
		}
	}
	if len(units) > 1 {
		return both
	}
	return relations
}
