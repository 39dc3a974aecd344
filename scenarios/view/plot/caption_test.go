package plot

import (
	"math"
	"strings"
	"testing"

	"starling/scenarios/accounts"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// TestCutIntervalsAreSaid: the caption says how an interval that reaches 0 is drawn on a logarithmic axis.
func TestCutIntervalsAreSaid(t *testing.T) {
	f := figure.Figure{LogY: true, Series: []figure.Series{{X: []float64{1}, Y: []float64{1}, Low: []float64{-1}, High: []float64{3}}}}
	if text := clippedText(&f); !strings.Contains(text, "the band goes to the edge of the chart") {
		t.Error(text)
	}
	f.Series[0].Bars = true
	if text := clippedText(&f); !strings.Contains(text, "the bar goes to the edge") {
		t.Error(text)
	}
}

// TestSubject begins with a label as it is written, and names no axis that has no label.
func TestSubject(t *testing.T) {
	for want, f := range map[string]figure.Figure{
		"Loss, 2 arms.":                  {YLabel: "loss"},
		"ε so far against step, 2 arms.": {YLabel: "ε so far", XLabel: "step"},
	} {
		if got := strings.Join(subject([]Run{{Arms: make([]results.ArmEntry, 2)}}, &f, &study.PlotOptions{}), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestJumpsOfBandsAreSaid: the caption explains bands of the largest mean over nodes, and of no other metric.
func TestJumpsOfBandsAreSaid(t *testing.T) {
	run := Run{Scenario: "s", Label: "s 0123", Arms: []results.ArmEntry{{Name: "a"}}, Rows: map[string][]results.SummaryRow{}, Facts: &Facts{Hash: "0123456789ab", Seeds: results.Seeds{Base: 1, Count: 9}}}
	for _, name := range []string{gauge.RegretExpected, gauge.RegretRun} {
		for step := range int64(3) {
			take(&run, results.SummaryRow{Arm: "a", Step: 1 + step, Metric: name, Mean: 2, SE: 1, N: 9})
		}
		f, err := Figure([]Run{run}, study.PlotOptions{Metric: name, Band: study.BandCI, Known: gauge.RegretMetrics()})
		if err != nil {
			t.Fatal(err)
		}
		if said, want := strings.Contains(strings.Join(f.Caption, " "), "a band jumps where another node becomes the worst"), name == gauge.RegretExpected; said != want {
			t.Errorf("%s: %q", name, f.Caption)
		}
	}
}

// TestObserversOfClaims: a figure of losses names the arms that lose more to others than to the observers of their
// claims, and its caption does not call these the strongest. A mean over seeds of which one loses more is no other
// observer.
func TestObserversOfClaims(t *testing.T) {
	run := Run{
		Scenario: "s", Label: "s 0123", Arms: []results.ArmEntry{{Name: "a"}, {Name: "b"}},
		Rows: map[string][]results.SummaryRow{ledger.EpsilonTotal: {{Arm: "a", Mean: 1}, {Arm: "b", Mean: 1.5}}},
		Facts: &Facts{
			Hash: "0123456789ab", Seeds: results.Seeds{Base: 1, Count: 9},
			Ledger: []results.LedgerEntry{{Arm: "a", Observer: "peer"}, {Arm: "a", Observer: "wire"}, {Arm: "b", Observer: "peer"}, {Arm: "b", Observer: "wire"}},
			Losses: accounts.Losses{{"a", "peer"}: {Epsilon: 1}, {"a", "wire"}: {Epsilon: math.Inf(1)}, {"b", "peer"}: {Epsilon: 2}, {"b", "wire"}: {Epsilon: 2}},
		},
	}
	f, o := figure.Figure{YLabel: "ε so far"}, study.PlotOptions{Metric: ledger.EpsilonTotal}
	noteObservers(&f, []Run{run}, &o)
	if want := "ε to the observers of the claims; to others more: a (∞)."; f.Note != want {
		t.Errorf("%q, want %q", f.Note, want)
	}
	if text := run.privacyText(&f, &o); !strings.Contains(text, "to the observers of the claims.") {
		t.Error(text)
	}
	run.Arms = run.Arms[1:]
	if text := run.privacyText(&f, &o); !strings.Contains(text, "to the strongest observer (peer, wire).") {
		t.Error(text)
	}
}
