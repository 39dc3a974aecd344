package scenarios_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// isWindow reports whether a metric is one over the steps of a record.
func isWindow(name string) bool {
	for _, end := range []string{".mean", ".least", ".most"} {
		if base, ok := strings.CutSuffix(name, end); ok {
			catalog := scenarios.Catalog()
			m, _ := catalog.AllMetrics().Find(base)
			return len(m.Windows()) > 0
		}
	}
	return false
}

// byStep returns the values of a metric of the run under the first seed, by step.
func byStep(rows []results.Row, metric string) map[int]float64 {
	list := map[int]float64{}
	for _, row := range rows {
		if row.Metric == metric && row.Seed == rows[0].Seed && row.Arm == rows[0].Arm {
			list[int(row.Step)] = row.Value
		}
	}
	return list
}

// The scenarios of the library whose graphs repeat every 3 steps. Windows at records every 5 steps
// are of the last 6 steps, two periods, and their statistics are those of the records at every step.
// Between the least and the most lies every value since the record before.
func TestWindowsHoldEveryStep(t *testing.T) {
	for _, scenario := range []string{"dpdonc-localization", "dpdonc-entropy", "network-churn"} {
		short := []string{"horizon=58", "seeds.count=1", "sweep=null", "plots=[]"}
		every := metricsOf(t, loadText(t, "version: 1\nname: own\nextends: "+scenario+"\n", append(short, "measure={every: 1}")...), runner.RunOptions{Engine: runner.Lockstep}).Rows
		s := loadText(t, "version: 1\nname: own\nextends: "+scenario+"\n", append(short, "measure={every: 5, window: true}")...)
		rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
		tried := 0
		for _, name := range []string{gauge.Consensus, gauge.TargetError} {
			all := byStep(every, name)
			mean, least, most := metric.WindowNames(name)
			means, lows, highs := byStep(rows, mean), byStep(rows, least), byStep(rows, most)
			if len(means) != len(byStep(rows, name)) {
				t.Errorf("%s: %d means of %s at %d records", scenario, len(means), name, len(byStep(rows, name)))
			}
			for step, got := range means {
				var sum float64
				low, high := math.Inf(1), math.Inf(-1)
				first := max(1, step-5)
				if step == 58 { // 3 steps since the last record
					first = 56
				}
				for k := first; k <= step; k++ {
					sum, low, high = sum+all[k], min(low, all[k]), max(high, all[k])
				}
				tried++
				if want := sum / float64(step-first+1); !(math.Abs(got-want) <= 1e-12*want) || lows[step] != low || highs[step] != high {
					t.Errorf("%s: %s at step %d: %v from %v to %v, want %v from %v to %v", scenario, name, step, got, lows[step], highs[step], want, low, high)
				}
			}
		}
		if tried < 12 {
			t.Errorf("%s: %d windows", scenario, tried)
		}
	}
}

// rippleAt is the size of the part of a list that repeats every 3 places, of the second half of its
// logarithms, without their line.
func rippleAt(list []float64) float64 {
	list = list[len(list)/2:]
	var re, im float64
	for k := 1; k+1 < len(list); k++ {
		bend := math.Log(list[k]) - (math.Log(list[k-1])+math.Log(list[k+1]))/2
		re += bend * math.Cos(2*math.Pi*float64(k)/3)
		im += bend * math.Sin(2*math.Pi*float64(k)/3)
	}
	return math.Hypot(re, im) / float64(len(list))
}

// The printed graphs repeat every 3 steps. Records every 5 show a period of 15, of 3 records; their
// windows show none.
func TestWindowsShowNoOtherPeriod(t *testing.T) {
	for _, scenario := range []string{"dpdonc-localization", "dpdonc-as-printed", "dpdonc-nodes"} {
		s := loadText(t, "version: 1\nname: own\nextends: "+scenario+"\n", "horizon=300", "seeds.count=1", "sweep=null", "plots=[]", "mechanism.epsilon=none", "measure={every: 5, window: true}")
		rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
		inOrder := func(name string) (list []float64) {
			values := byStep(rows, name)
			for _, step := range slices.Sorted(maps.Keys(values)) {
				list = append(list, values[step])
			}
			return list
		}
		mean, _, _ := metric.WindowNames(gauge.Consensus)
		points, means := rippleAt(inOrder(gauge.Consensus)), rippleAt(inOrder(mean))
		if !(points > 0.03) || !(means < points/4) {
			t.Errorf("%s: a period of 3 records of size %v in windows, and of %v in points", scenario, means, points)
		}
	}
}

// holdsEveryStep compares the windows of rows with the values at every step: NaN are left out, and a
// window without a number has none.
func holdsEveryStep(t *testing.T, s *study.Scenario, rows, every []results.Row) {
	t.Helper()
	period, names := 0, map[string]bool{}
	if s.Arms[0].Topology != nil {
		period = s.Arms[0].Topology.Period
	}
	for _, row := range rows {
		if name, ok := strings.CutSuffix(row.Metric, ".mean"); ok && isWindow(row.Metric) {
			names[name] = true
		}
	}
	for name := range names {
		all := byStep(every, name)
		mean, least, most := metric.WindowNames(name)
		means, lows, highs := byStep(rows, mean), byStep(rows, least), byStep(rows, most)
		before := int(s.Arms[0].Extent.FirstStep) - 1
		for _, step := range slices.Sorted(maps.Keys(means)) {
			length := step - before
			if period > 0 {
				length = (length + period - 1) / period * period
			}
			var values []float64
			for k := max(step-length+1, s.Arms[0].Extent.FirstStep); k <= step; k++ {
				if v, ok := all[k]; ok && !math.IsNaN(v) {
					values = append(values, v)
				}
			}
			before = step
			if len(values) == 0 {
				if !math.IsNaN(means[step]) {
					t.Errorf("%s at step %d: %v without a value", name, step, means[step])
				}
				continue
			}
			var sum float64
			for _, v := range values {
				sum += v
			}
			if want := sum / float64(len(values)); !(math.Abs(means[step]-want) <= 1e-12*math.Abs(want)) || lows[step] != slices.Min(values) || highs[step] != slices.Max(values) {
				t.Errorf("%s at step %d: %v from %v to %v, want those of %v", name, step, means[step], lows[step], highs[step], values)
			}
		}
	}
}

// Windows change no other row. They are one digest on all runtimes, also where messages are late and
// nodes are down or stopped by a budget, and of servers that are asked for the distance.
func TestWindowsKeepBits(t *testing.T) {
	for name, text := range map[string][]string{
		"equals": {base, "measure={every: 5}"},
		"lossy":  {scenariotest.Lossy, "measure={every: 5}"},
		"budget": {base, "measure={every: 5}", "budget={epsilon: 4.5, on: stop}"},
		"ofl":    {learning, "measure={every: 5, metrics: [consensus.error, accuracy.test, loss.fresh, loss.mean]}"},
		"narrow": {scenariotest.Narrow, "measure={every: 5, metrics: [bytes.queued, messages.sent]}"},
		"dpfl":   {trained, "measure={every: 3}"},
		"scores": append(slices.Clone(families["dsgd, splits"]), "measure={every: 5, metrics: [loss.fresh, accuracy.test, auc.roc, loss.log, validation.loss, validation.accuracy]}"),
	} {
		t.Run(name, func(t *testing.T) {
			without := metricsOf(t, loadText(t, text[0], text[1:]...), runner.RunOptions{Engine: runner.Lockstep}).Rows
			s := loadText(t, text[0], append(text[1:], "measure.window=true")...)
			scenariotest.OneDigest(t, s)
			rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
			others := slices.DeleteFunc(slices.Clone(rows), func(row results.Row) bool {
				return isWindow(row.Metric)
			})
			if len(others) != len(without) || len(rows) == len(others) {
				t.Fatalf("%d rows with windows, %d without those, %d in a run that asks for nothing", len(rows), len(others), len(without))
			}
			holdsEveryStep(t, s, rows, metricsOf(t, loadText(t, text[0], append(text[1:], "measure.every=1")...), runner.RunOptions{Engine: runner.Lockstep}).Rows)
			for i, row := range others {
				if row.Metric != without[i].Metric || math.Float64bits(row.Value) != math.Float64bits(without[i].Value) {
					t.Fatalf("%s is %v, and %v in a run without windows", row.Metric, row.Value, without[i].Value)
				}
			}
		})
	}
}

// Figures draw the means, with bands from the least to the most.
func TestFiguresOfWindows(t *testing.T) {
	s := loadText(t, base, "measure={every: 5, window: true}", "plots=[{name: own, y: consensus.error}]")
	o := drawnIn(t, s, runner.RunOptions{})
	run, err := results.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]float64{}
	if err := run.Summary(func(row results.SummaryRow) error {
		if row.Step == 10 {
			at[row.Metric] = row.Mean
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	mean, least, most := metric.WindowNames(gauge.Consensus)
	check := func(name, title string, c figure.Series) {
		k := slices.Index(c.X, 10)
		if k < 0 || c.Y[k] != at[mean] || c.Low[k] != at[least] || c.High[k] != at[most] || !(c.Low[k] < c.High[k]) || !strings.Contains(title, "mean over steps, from least to most") {
			t.Errorf("%s, %s: %+v, want %v from %v to %v", name, title, c, at[mean], at[least], at[most])
		}
	}
	var own struct {
		Title  string
		Series []struct{ X, Y, Low, High []float64 }
	}
	text, err := os.ReadFile(filepath.Join(o.Dir, "plots", "own.json"))
	if err == nil {
		err = json.Unmarshal(text, &own)
	}
	if err != nil {
		t.Fatal(err)
	}
	drawn := own.Series[0]
	check("the figure of the scenario", own.Title, figure.Series{X: drawn.X, Y: drawn.Y, Low: drawn.Low, High: drawn.High})
	options := study.PlotOptions{Metric: gauge.Consensus, X: study.AxisStep, By: study.EachArm, Band: study.BandSE, Known: s.Kinds.AllMetrics()}
	f, err := plot.Draw([]*results.Run{run}, options)
	if err != nil {
		t.Fatal(err)
	}
	check("the figure of a finished run", f.Title, f.Series[0])
	read, err := plot.Read(run, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, usual := range read.Usual(s, nil) {
		if usual.Name == "consensus" {
			check("the usual figure", usual.Figure.Title, usual.Figure.Series[0])
		}
	}
}

// An arm without such a metric has no windows, and says so.
func TestWindowsAreRefused(t *testing.T) {
	const want = "measure.window: this arm records no metric that has windows: states and rates of a step"
	for _, measure := range []string{"{window: true, metrics: [regret.*]}"} {
		if _, err := loadError(t, base, "measure="+measure); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", measure, err, want)
		}
	}
}
