package scenarios_test

import (
	"math"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/view"
)

// The finding and the headline of a run are by the metric that the study states, or else by the
// usual one; without a metric of quality they are by the loss to the strongest observer.
func TestHeadlines(t *testing.T) {
	for name, test := range map[string]struct {
		sets   []string
		metric string
		says   string
	}{
		"usual":      {[]string{"measure={every: 5}"}, gauge.RegretExpected, ""},
		"stated":     {[]string{"measure={every: 5, headline: consensus.error}"}, gauge.Consensus, ""},
		"costs":      {[]string{"measure={every: 5, metrics: [messages.sent, epsilon.total]}"}, view.LossOfRun.Name, "No metric of quality is measured: the arms stand by their privacy loss"},
		"costs wins": {[]string{"measure={every: 5, metrics: [messages.sent, epsilon.total], headline: messages.sent}"}, gauge.MessagesSent, ""},
		"traffic":    {[]string{"measure={every: 5, metrics: [bytes.sent]}"}, view.LossOfRun.Name, "No metric of quality"},
	} {
		t.Run(name, func(t *testing.T) {
			o := drawnIn(t, loadText(t, base, append(test.sets, "sweep={grid: {mechanism.epsilon: [2, 1, none]}}")...), runner.RunOptions{})
			f, h := found(t, o.Dir)
			text := strings.Join(f.Answers(), " ")
			if f.Metric.Name != test.metric || h.Metric != test.metric || h.Arm != f.Rows[0].Arm || !strings.Contains(text, test.says) || test.says == "" && strings.Contains(text, "No metric") {
				t.Errorf("%s, %+v: %s, want %s", f.Metric.Name, h, text, test.metric)
			}
			if test.metric != view.LossOfRun.Name {
				return
			}
			// The loss of the run to the strongest observer, twice as much for the larger epsilon.
			if f.Rows[0].Arm != "epsilon=1" || math.Abs(f.Rows[1].Value/f.Rows[0].Value-2) > 1e-9 || !math.IsInf(f.Rows[2].Value, 1) {
				t.Errorf("%+v", f.Rows)
			}
			if head := f.Table(9).Header; len(head) < 2 || head[1] != "epsilon of the run" {
				t.Errorf("columns %q", head)
			}
		})
	}
}

// found returns the finding and the headline of a finished run.
func found(t *testing.T, dir string) (*view.Finding, *view.Headline) {
	t.Helper()
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	catalog := scenarios.Catalog()
	known := catalog.AllMetrics()
	read, err := view.Read(run, known)
	if err != nil {
		t.Fatal(err)
	}
	f, err := read.Find(nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := view.HeadlineOf(run, known)
	if err != nil {
		t.Fatal(err)
	}
	return f, h
}

// Arms whose losses are of different units have no order, and a run of such arms no headline.
func TestNoHeadline(t *testing.T) {
	o := drawnIn(t, loadText(t, base, "measure={every: 5, metrics: [messages.sent]}", "sweep={list: [{name: replaced, set: {}}, {name: central, set: {algorithm: {kind: opestoch, variant: central, batch: theorem-1}, problem: {kind: uniform-zero, experts: 4}, topology: {kind: star}, mechanism: {kind: dp-fw, epsilon: 1}}}]}"), runner.RunOptions{})
	f, h := found(t, o.Dir)
	if text := strings.Join(f.Answers(), " "); f.Rows[0].Arm != "replaced" || !strings.Contains(text, "stand in their order") {
		t.Errorf("%+v: %s", f.Rows, text)
	}
	if h != nil {
		t.Errorf("%+v", h)
	}
}
