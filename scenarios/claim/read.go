package claim

import (
	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// NewData returns the data of a run with no rows yet. Metrics that no claim reads are not
// kept. A declaration states whether a metric is a share, and whether it is derived and not
// measured; an undeclared metric is neither.
func NewData(manifest results.Manifest, claims []Claim, declared metric.List) *Data {
	d := &Data{
		declared: declared, horizon: manifest.Horizon, notes: manifest.Notes, wanted: map[string]bool{},
		values: map[cell][]float64{}, nodes: map[cell][][]float64{}, seed: map[cell]uint64{},
		summary: map[cell]results.SummaryRow{}, steps: map[series][]int64{},
	}
	for _, arm := range manifest.Arms {
		d.arms = append(d.arms, arm.Name)
	}
	for _, c := range claims {
		for _, metric := range c.Test.metrics() {
			d.wanted[metric] = true
		}
	}
	return d
}

// Read returns the data of a run that the claims need; see NewData.
func Read(run *results.Run, claims []Claim, declared metric.List) (*Data, error) {
	d := NewData(run.Manifest, claims, declared)
	if err := run.Rows(func(row results.Row) error { d.AddRow(row); return nil }); err != nil {
		return nil, err
	}
	return d, run.Summary(func(row results.SummaryRow) error { d.AddSummary(row); return nil })
}
