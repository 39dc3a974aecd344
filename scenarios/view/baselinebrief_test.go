package view

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
)

// TestBrief checks that a brief comparison has the baseline, the best and the worst arms in this
// order, that it counts the others, and that a loss which a column has is without a table.
func TestBrief(t *testing.T) {
	nan := math.NaN()
	regret := comparison.OfMetric{Metric: metric.Metric{Name: "regret.run", Better: metric.LowerIsBetter}}
	loss := comparison.OfMetric{Metric: metric.Metric{Name: "epsilon.total", Better: metric.LowerIsBetter}}
	b := &Baseline{Conditions: []Condition{
		{Privacy: noPrivacy, Key: noPrivacy},
		{Privacy: "epsilon 2 for u, against wire", Key: "2", Epsilon: "2", Pattern: "epsilon " + EpsilonMark + " for u, against wire"},
	}}
	for i := range 15 {
		condition, epsilon := 0, math.Inf(1)
		if i > 12 {
			condition, epsilon = 1, 2
		}
		b.Arms = append(b.Arms, BaselineArm{Shown: fmt.Sprintf("arm%02d", i), Condition: condition})
		ratio := comparison.Ratio{Value: nan, Low: nan, High: nan}
		regret.Rows = append(regret.Rows, comparison.Row{Baseline: i == 0, Arm: i, Value: float64(100 - i), Half: nan, P: nan, Holm: nan, Ratio: ratio})
		loss.Rows = append(loss.Rows, comparison.Row{Baseline: i == 0, Arm: i, Value: epsilon, Half: nan, P: nan, Holm: nan, Ratio: ratio})
	}
	b.Against = &comparison.Against{Metrics: []comparison.OfMetric{regret, loss}}
	tables, texts := b.Brief("--all shows each")
	if len(tables) != 1 {
		t.Fatalf("%d tables, want 1: a column has the loss", len(tables))
	}
	var arms []string
	for _, row := range tables[0].Rows {
		arms = append(arms, row[0])
	}
	if got, want := strings.Join(arms, " "), "arm00 arm12 arm11 arm10 arm09 arm01 arm14 arm13"; got != want {
		t.Errorf("arms %s, want %s", got, want)
	}
	if want := "By privacy, and of each the best 4 and the worst, of 14 other arms; --all shows each"; !strings.HasPrefix(tables[0].Text, want) {
		t.Errorf("%q, want %q", tables[0].Text, want)
	}
	if all := strings.Join(texts, "\n"); !strings.Contains(all, "epsilon: of the whole run for u, against eavesdropper (wire).") {
		t.Errorf("the texts lack the privacy of the arms:\n%s", all)
	}
	for i := range b.Arms { // of one privacy
		b.Arms[i].Condition = 0
	}
	arms = nil
	tables, _ = b.Brief("--all shows each")
	for _, row := range tables[0].Rows {
		arms = append(arms, row[0])
	}
	if got, want := strings.Join(arms, " "), "arm00 arm14 arm13 arm12 arm11 arm10 arm09 arm03 arm02 arm01"; got != want {
		t.Errorf("arms %s, want %s", got, want)
	}
	b.Arms[13].Condition, b.Arms[14].Condition = 1, 1
	b.Metrics[1].Rows[14].Value = 3 // two losses of one condition: no column has them
	if tables, _ = b.Brief("--all shows each"); len(tables) != 2 || len(tables[1].Rows) != 2 || tables[1].Text != "13 arms without a bound on it." {
		t.Errorf("table of losses: %+v", tables[1:])
	}
}
