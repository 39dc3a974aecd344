package study

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
)

// Thresholds of suspicious numbers, for warnings of results that are no finding because the
// run did not do as its reader believes.
const (
	// fewest is the smallest number of points for a metric to count as unmoved.
	fewest = 5
	// mostClipped is the largest part of the gradients that may be clipped, and mostOutward
	// the largest part of the decisions that may be on the boundary, without a warning.
	mostClipped, mostOutward = 0.5, 0.8
	// drowned is the factor by which noise may exceed the signal that it hides.
	drowned = 100
)

// Oddities returns warnings about the metrics of a job that has run: metrics that were never
// recorded or never moved, gradients that were clipped, too few vectors heard for a rule
// against lies, sums that wrapped round, decisions at the boundary. Each begins with the seed,
// so that equal warnings of several seeds are merged into one. recorded yields the name of a
// metric and a value for each row of the job, in order.
func Oddities(arm *Arm, seed uint64, recorded iter.Seq2[string, float64], l *ledger.Ledger, known metric.List) (warnings []Warning) {
	say := func(code, format string, args ...any) {
		warnings = append(warnings, Warning{Code: code, Message: fmt.Sprintf("seed %d: ", seed) + fmt.Sprintf(format, args...)})
	}
	curves := map[string][]float64{} // of recorded numbers, by metric
	for name, value := range recorded {
		if !math.IsNaN(value) {
			curves[name] = append(curves[name], value)
		}
	}
	for _, m := range known {
		values := curves[m.Name]
		switch {
		case m.Level == metric.OfSummary || !RecordsMetric(arm, m.Name):
		case len(values) > 0 && gauge.IsOfOwners(m.Name): // the quantity itself has moved or not
		case len(values) == 0:
			say("not-recorded", "%s was never recorded: there was no number to record", m.Name)
		case !strings.HasPrefix(m.Name, "loss.") && !strings.HasPrefix(m.Name, "accuracy."):
		case len(values) >= fewest && slices.Min(values) == slices.Max(values):
			say("unmoved", "%s never moved from %.4g, at %d recorded steps", m.Name, values[0], len(values))
		}
	}
	if shares := curves[gauge.ClipShare]; len(shares) > 0 && shares[len(shares)-1] > mostClipped {
		say("clipped", "%.0f %% of the gradients were clipped", 100*shares[len(shares)-1])
	}
	if list := l.Meter.WithoutRegret(); list != nil {
		numbers := make([]string, len(list))
		for i, number := range list {
			numbers[i] = strconv.Itoa(number)
		}
		say("without-regret", "no regret of %s that did not decide in every step: %s", document.Counted(len(list), "participant"), document.First(numbers, mostListed))
	}
	if f, ok := gauge.Find[*gauge.BelowQuorum](l.Meter); ok {
		if text := f.Shortage(); text != "" {
			say("few-heard", "%s", text)
		}
	}
	if w, ok := gauge.Find[*gauge.Wraps](l.Meter); ok {
		if text := w.Wrapped(); text != "" {
			say("wrapped", "%s", text)
		}
	}
	if e, ok := gauge.Find[*gauge.OnBoundary](l.Meter); ok {
		if share := float64(e.On.Load()) / float64(e.Met.Load()); share > mostOutward {
			say("boundary", "%.0f %% of the recorded decisions lie on the boundary of the %s", 100*share, arm.Extent.Set.Kind())
		}
	}
	return warnings
}

// mostListed is the largest number of participants that a warning lists.
const mostListed = 10
