package federated_test

import (
	"context"
	"slices"
	"testing"

	"starling/actors/lockstep"
	"starling/scenarios/accounts"
	"starling/scenarios/results"
	"starling/scenarios/scenariotest"
)

// rowsOf runs the only job of a scenario, whose payments are as planned, and returns its rows of losses.
func rowsOf(t *testing.T, text string, set []string) []results.PrivacyRow {
	t.Helper()
	s := scenariotest.LoadText(t, text, set...)
	j := scenariotest.JobOf(t, s)
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	if err := j.Meter.Settled(0); err != nil {
		t.Errorf("%v: %v", set, err)
	}
	rows, err := accounts.PrivacyRows(s.Arms[0], 1, j.Meter)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestPopulationOfClientsThatPay: clients that add noise, to their samples or to their messages, lose
// the same to every observer whether the server draws them or they do, at every step up to which one of
// them has come as often as it may.
func TestPopulationOfClientsThatPay(t *testing.T) {
	for _, set := range [][]string{
		{"algorithm.level=record"}, {"algorithm.level=record", "nodes=60", "algorithm.rate=0.9"}, {"algorithm.level=record", "algorithm.times=null", "algorithm.stragglers={share: 0.1, steps: 1}"},
		{"algorithm.kind=dp-scaffold", "algorithm.level=record", "algorithm.apart=2"},
		{"algorithm.aggregation={kind: local}", "algorithm.apart=3"}, {"algorithm.aggregation={kind: local}", "mechanism={kind: laplace, epsilon: 3}", "algorithm.times=null"},
		{"algorithm.aggregation={kind: secure, survivors: 5, dropout: 0.2}"}, {"algorithm.aggregation={kind: shuffle, survivors: 20}"},
		{"algorithm.aggregation={kind: secure, survivors: 5, shares: discrete, granularity: 0.01, bits: 20}"},
	} {
		drawn := append([]string{"nodes=200", "algorithm.rate=0.6", "measure.every=1"}, set...)
		units := scenariotest.LoadText(t, populationText, drawn...).Arms[0].File.Nodes
		held := append(slices.Clone(drawn), "algorithm.draw=clients")
		last := map[string]float64{}
		for _, row := range rowsOf(t, populationText, held) {
			if row.Final && row.Epsilon > last[row.Observer] {
				last[row.Observer] = row.Epsilon
			}
		}
		final := 0
		for _, row := range rowsOf(t, populationText, drawn) {
			if int(row.Units) != units {
				t.Errorf("%v: a row of %d units", set, row.Units)
			}
			if row.Final {
				final++
				if row.Epsilon != last[row.Observer] {
					t.Errorf("%v: %s loses %v, and %v where clients draw", set, row.Observer, row.Epsilon, last[row.Observer])
				}
			}
		}
		if final != len(last) || final == 0 {
			t.Errorf("%v: %d rows of the end, want %d", set, final, len(last))
		}
		got := scenariotest.ValuesOf(scenariotest.MeasuredIn(t, populationText, drawn...).Rows, "epsilon.total")
		want := scenariotest.ValuesOf(scenariotest.MeasuredIn(t, populationText, held...).Rows, "epsilon.total")
		if len(got) == 0 || !slices.Equal(got, want) {
			t.Errorf("%v: losses so far %v, and %v where clients draw", set, got, want)
		}
	}
}
