package view

import (
	"math"
	"slices"

	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
)

// The sentences of a finding of a run that measures no quality of decisions.
const (
	onlyLosses = "No metric of quality is measured: the arms stand by their privacy loss to the strongest observer."
	// noOrder ends the other one: a loss of a record is neither less nor more than one of a participant.
	noOrder = "No metric of quality is measured, and the privacy losses are of different units or neighbours: the arms stand in their order."
)

// LossOfRun is the metric of findings of runs that measure no quality: the accounted epsilon to the
// strongest observer. It is in no summary: epsilon.total is of one observer.
var LossOfRun = metric.Metric{
	Name: "epsilon.accounted", Summary: "accounted privacy loss of the run to the strongest observer", Label: "accounted epsilon of the run to the strongest observer",
	Better: metric.LowerIsBetter, Level: metric.OfRun, Derived: true,
}

// measuresQuality reports whether the preferred metric of a run says how well its arms learn, or is
// the one that the study states.
func (r *Run) measuresQuality(preferred metric.Metric) bool {
	return preferred.Name == r.Emphasis.Headline || preferred.Name != ledger.EpsilonTotal && !preferred.Cost
}

// byLoss sets the metric and the rows of a finding to the losses of the arms. Losses of different
// units or neighbours have no order. It reports whether any loss is accounted.
func (r *Run) byLoss(f *Finding, stated map[string][]statement) bool {
	m, sentence := LossOfRun, onlyLosses
	var rows []FindingRow
	protected := ""
	for _, arm := range r.Arms {
		for _, s := range stated[arm.Name] {
			if protected == "" {
				protected = s.protected
			}
			if s.protected != protected {
				m.Better, sentence = "", noOrder
			}
		}
		row := newRow(arm.Name, 0, worst(stated[arm.Name]))
		if i := slices.IndexFunc(f.Rows, func(other FindingRow) bool { return other.Arm == arm.Name }); i >= 0 {
			row.Step = f.Rows[i].Step
		}
		rows = append(rows, row)
	}
	if !slices.ContainsFunc(rows, func(row FindingRow) bool { return !math.IsNaN(row.Value) }) {
		return false
	}
	f.Metric, f.Rows, f.Sentences = m, rows, []string{sentence}
	return true
}

// newRow is the row of an arm, without an interval and a comparison.
func newRow(arm string, step int64, value float64) FindingRow {
	return FindingRow{
		Arm: arm, Step: step, Value: value, Half: math.NaN(), P: math.NaN(), Epsilon: math.NaN(), Covered: math.NaN(),
		Ratio: comparison.Ratio{Value: math.NaN(), Low: math.NaN(), High: math.NaN()},
	}
}
