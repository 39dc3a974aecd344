package claim

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// The spread between seeds is common to the arms of these runs, so that only
// pairing sees their differences.
var noisy = []float64{3, 100, 41, 7, 250, 66, 12, 90}

// TestVerdicts decides claims on runs made so that the verdict is known.
func TestVerdicts(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	bounds := []results.Note{
		note("a", "bound", "5 a step, 50 in all"), note("b", "bound", "3.5e+01, vacuous: any decisions stay below 30"), note("c", "bound", "does not apply: the costs have no finite beta"),
		note("a", "claim", "4"), note("b", "claim", "50"), note("c", "claim", "not private"),
	}
	up := newData(t, byArm{"a": noisy, "b": shifted(noisy, 1), "c": shifted(noisy, 3)}, bounds...)
	mixed := newData(t, byArm{"a": noisy, "b": shifted(noisy, 1), "c": noisy})
	unclear := newData(t, byArm{"a": noisy, "b": shifted(noisy, 1), "c": {250, 3, 7, 100, 12, 66, 41, 90}})
	one := newData(t, byArm{"a": {1}, "b": {2}, "c": {3}})
	infinite := newData(t, byArm{"a": {1, 2}, "b": {inf, inf}, "c": {inf, inf}})
	some := newData(t, byArm{"a": {1, 2}, "b": {inf, 2}, "c": {nan, nan}})
	fives := derivedData(t, byArm{"a": {5, 5, 5}, "b": {5, 5, 5}, "c": {6, 6, 6}}, bounds...)
	// Standard error 1 over 8 seeds: the ratio of exponential values is at most 4.62 with
	// 97.5 %, of 4 million draws and by SkewedStudent, so that the interval is ±4.62.
	tens := newData(t, byArm{"a": around(10, 1, 8), "b": around(20, 1, 8), "c": around(40, 1, 8)})
	for _, test := range []struct {
		name, test string
		data       *Data
		want       Verdict
		states     string
	}{
		{"ascending", "{kind: ordered, metric: m, arms: [a, b, c]}", up, Holds, "for, for"},
		{"descending", "{kind: ordered, metric: m, arms: [c, b, a]}", up, DoesNotHold, "against, against"},
		{"up, then down", "{kind: ordered, metric: m, arms: [a, b, c]}", mixed, DoesNotHold, "for, against"},
		{"equal is not ordered", "{kind: ordered, metric: m, arms: [a, c]}", mixed, NotTestable, "not tested"},
		{"up, then undecided", "{kind: ordered, metric: m, arms: [a, b, c]}", unclear, Partly, "for, undecided"},
		{"undecided alone", "{kind: ordered, metric: m, arms: [b, c]}", unclear, Undecided, "undecided"},
		{"down, and undecided", "{kind: ordered, metric: m, arms: [b, a, c]}", unclear, DoesNotHold, "against, undecided"},
		{"one seed", "{kind: ordered, metric: m, arms: [a, b, c]}", one, NotTestable, "not tested, not tested"},
		{"infinities, equal ones", "{kind: ordered, metric: m, arms: [a, b, c]}", infinite, Partly, "for, not tested"},
		{"infinite under some seeds, NaN", "{kind: ordered, metric: m, arms: [a, b, c]}", some, NotTestable, "not tested, not tested"},
		{"under each seed", "{kind: ordered, metric: m, arms: [a, b], under: each-seed}", up, Holds, "for, for, for, for, for, for, for, for"},
		{"not under each seed", "{kind: ordered, metric: m, arms: [b, c], under: each-seed}", unclear, DoesNotHold, "for, against, against, for, against, against, for, against"},
		{"one seed alone", "{kind: ordered, metric: m, arms: [a, b, c], under: each-seed}", one, Holds, "for, for"},
		{"under each seed, a step that is not there", "{kind: ordered, metric: m, arms: [a, b], at: 7, under: each-seed}", up, NotTestable, "not tested"},
		{"a step that is not there", "{kind: ordered, metric: m, arms: [a, b], at: 7}", up, NotTestable, "not tested"},

		{"equal numbers", "{kind: close, metric: m, arms: [a, b], margin: {absolute: 1e-9}}", fives, Holds, "for"},
		{"at the margin", "{kind: close, metric: m, arms: [a, c], margin: {absolute: 1}}", fives, Holds, "for"},
		{"beyond the margin", "{kind: close, metric: m, arms: [a, c], margin: {absolute: 0.99}}", fives, DoesNotHold, "against"},
		{"within, paired", "{kind: close, metric: m, arms: [a, b, c], margin: {absolute: 3.5}}", up, Holds, "for, for"},
		{"one within", "{kind: close, metric: m, arms: [a, b, c], margin: {absolute: 2}}", up, DoesNotHold, "for, against"},
		{"unclear", "{kind: close, metric: m, arms: [b, c], margin: {absolute: 20}}", unclear, Undecided, "undecided"},
		{"relative, within", "{kind: close, metric: m, arms: [a, c], margin: {relative: 0.21}}", fives, Holds, "for"},
		{"relative, beyond", "{kind: close, metric: m, arms: [a, c], margin: {relative: 0.19}}", fives, DoesNotHold, "against"},

		{"exactly at most", "{kind: at-most, metric: m, arms: [a], bound: {value: 5}}", fives, Holds, "for"},
		{"exactly at least", "{kind: at-least, metric: m, arms: [a, c], bound: {value: 5}}", fives, Holds, "for, for"},
		{"above", "{kind: at-most, metric: m, bound: {value: 5}}", fives, DoesNotHold, "for, for, against"},
		{"interval below", "{kind: at-most, metric: m, arms: [a], bound: {value: 14.7}}", tens, Holds, "for"},
		{"interval across", "{kind: at-most, metric: m, arms: [a], bound: {value: 14.55}}", tens, Undecided, "undecided"},
		{"interval above", "{kind: at-most, metric: m, arms: [a], bound: {value: 5.3}}", tens, DoesNotHold, "against"},
		{"at least", "{kind: at-least, metric: m, arms: [a], bound: {value: 5.3}}", tens, Holds, "for"},
		{"notes", "{kind: at-most, metric: m, bound: {note: bound}}", fives, Partly, "for, for, not tested"},
		{"no number", "{kind: at-most, metric: m, arms: [c], bound: {note: bound}}", fives, NotTestable, "not tested"},
		{"times", "{kind: at-most, metric: m, arms: [a], bound: {note: bound, times: 0.9}}", fives, DoesNotHold, "against"},
		{"note to note", "{kind: at-most, note: claim, arms: [a, b], bound: {note: bound}}", fives, DoesNotHold, "for, against"},
		{"infinite", "{kind: at-most, metric: m, arms: [b], bound: {value: 5}}", infinite, DoesNotHold, "against"},
		{"the same, but measured", "{kind: at-most, metric: m, arms: [a], bound: {value: 50}}", newData(t, byArm{"a": {5, 5, 5}}), NotTestable, "not tested"},
		{"at most, under each seed", "{kind: at-most, metric: m, arms: [a], bound: {value: 250}, under: each-seed}", up, Holds, "for"},
		{"not at most, under each seed", "{kind: at-most, metric: m, arms: [a, b], bound: {value: 250}, under: each-seed}", up, DoesNotHold, "for, against"},
		{"not at least, under each seed", "{kind: at-least, metric: m, arms: [a], bound: {value: 4}, under: each-seed}", up, DoesNotHold, "against"},
		{"no number under some seed", "{kind: at-least, metric: m, arms: [c], bound: {value: 4}, under: each-seed}", some, NotTestable, "not tested"},

		{"ratios", "{kind: ratio, metric: m, arms: [a, b, c], expected: [1, 2, 4], margin: 0.6}", tens, Holds, "for, for"},
		{"other ratios", "{kind: ratio, metric: m, arms: [a, b, c], expected: [1, 5, 10], margin: 0.1}", tens, DoesNotHold, "against, against"},
		{"unclear ratios", "{kind: ratio, metric: m, arms: [a, b], expected: [1, 2], margin: 0.01}", tens, Undecided, "undecided"},
		{"ratios under each seed", "{kind: ratio, metric: m, arms: [a, b], expected: [1, 2], margin: 0.2, under: each-seed}", tens, Holds, "for"},
		{"not under each seed", "{kind: ratio, metric: m, arms: [a, b], expected: [1, 2], margin: 0.1, under: each-seed}", tens, DoesNotHold, "against"},
		{"a ratio that is none", "{kind: ratio, metric: m, arms: [a, c], expected: [1, 2], margin: 0.1, under: each-seed}", some, NotTestable, "not tested"},
		{"exact ratios", "{kind: ratio, metric: m, arms: [a, c], expected: [5, 6], margin: 1e-9}", fives, Holds, "for"},

		{"no run decides", "{kind: not-testable, reason: because}", up, NotTestable, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := decided(t, test.data, test.test)
			if d.Verdict != test.want || states(d) != test.states {
				t.Errorf("%s (%s), want %s (%s)\n%+v", d.Verdict, states(d), test.want, test.states, d.Parts)
			}
			if d.Verdict == NotTestable && d.Reason == "" {
				t.Error("no reason")
			}
		})
	}
}

// TestScaling decides exponents of values that are c s^k up to a factor of each seed, over
// arms of sizes 2, 8 and 32.
func TestScaling(t *testing.T) {
	values := byArm{"zero": {0, 1, 2}, "none": {1, 2}}
	for arm, size := range map[string]float64{"a": 2, "b": 8, "c": 32} {
		for i, exponent := range around(0.75, 0.01, 8) {
			values[arm] = append(values[arm], (3+0.1*float64(i))*math.Pow(size, exponent))
		}
	}
	d := newData(t, values)
	for _, test := range []struct {
		test   string
		want   Verdict
		states string
	}{
		{"{kind: scaling, metric: m, level: 0.99, arms: [a, b, c], sizes: [2, 8, 32], below: 1, above: 0.5}", Holds, "for"},
		{"{kind: scaling, metric: m, level: 0.99, arms: [c, a, b], sizes: [32, 2, 8], below: 0.6}", DoesNotHold, "against"},
		{"{kind: scaling, metric: m, level: 0.99, arms: [a, b, c], sizes: [2, 8, 32], below: 0.76}", Undecided, "undecided"},
		{"{kind: scaling, metric: m, level: 0.99, arms: [a, c], sizes: [4, 1024], above: 0.3, below: 0.45}", Holds, "for"},
		{"{kind: scaling, metric: m, arms: [a, zero], sizes: [2, 8], below: 1}", NotTestable, "not tested"},
		{"{kind: scaling, metric: m, arms: [a, none], sizes: [2, 8], below: 1}", NotTestable, "not tested"},
		{"{kind: scaling, metric: m, arms: [a, b], sizes: [2, 8], below: 1, at: 7}", NotTestable, "not tested"},
	} {
		decision := decided(t, d, test.test)
		if decision.Verdict != test.want || states(decision) != test.states {
			t.Errorf("%s: %s (%s), want %s (%s)\n%+v", test.test, decision.Verdict, states(decision), test.want, test.states, decision.Parts)
		}
	}
	part := decided(t, d, "{kind: scaling, metric: m, arms: [a, b, c], sizes: [2, 8, 32], below: 1}").Parts[0]
	near(t, "exponent", part.Value, 0.75, 1e-12)
}

// TestOverSteps decides trends and exponents of values that are c t^k up to a
// factor of each seed.
func TestOverSteps(t *testing.T) {
	steps := map[int64]byArm{}
	for _, step := range []int64{1, 2, 4, 10, 50, 100, 500} {
		x := float64(step)
		steps[step] = byArm{"c": {1 - x, 2, 3}}
		for arm, exponents := range map[string][]float64{"a": around(0.5, 0.01, 8), "b": around(1, 1e-4, 8)} {
			for i, exponent := range exponents {
				steps[step][arm] = append(steps[step][arm], (3+0.1*float64(i))*math.Pow(x, exponent))
			}
		}
	}
	d := newSteps(t, steps)
	for _, test := range []struct {
		test   string
		want   Verdict
		states string
	}{
		{"{kind: exponent, metric: m, arms: [a], below: 0.6, above: 0.4}", Holds, "for"},
		{"{kind: exponent, metric: m, arms: [a, b], below: 0.9}", DoesNotHold, "for, against"},
		{"{kind: exponent, metric: m, arms: [b], below: 0.9}", DoesNotHold, "against"},
		{"{kind: exponent, metric: m, arms: [a], below: 0.5}", Undecided, "undecided"},
		{"{kind: exponent, metric: m, arms: [b], per_step: true, above: -0.001, below: 0.001, from: 10, to: 100}", Holds, "for"},
		{"{kind: exponent, metric: m, arms: [c], below: 1}", NotTestable, "not tested"},
		{"{kind: exponent, metric: m, arms: [a], below: 1, from: last}", NotTestable, "not tested"},
		{"{kind: exponent, metric: m, arms: [a], below: 1, from: 3}", NotTestable, "not tested"},
		{"{kind: exponent, metric: m, arms: [a, b, c], apart: 0.6}", Partly, "for, not tested"},
		{"{kind: exponent, metric: m, arms: [a, b], apart: 0.6}", Holds, "for"},
		{"{kind: exponent, metric: m, arms: [b, a], apart: 0.4}", DoesNotHold, "against"},
		{"{kind: exponent, metric: m, arms: [a, b], apart: 0.5}", Undecided, "undecided"},
		{"{kind: exponent, metric: m, arms: [c, a], apart: 0.4}", NotTestable, "not tested"},
		{"{kind: trend, metric: m, arms: [a, b], direction: grows, from: 10, to: 500}", Holds, "for, for"},
		{"{kind: trend, metric: m, arms: [a, b], direction: falls}", DoesNotHold, "against, against"},
		{"{kind: trend, metric: m, per_step: true, arms: [a], direction: falls}", Holds, "for"},
		{"{kind: trend, metric: m, per_step: true, arms: [b], direction: falls, from: 2, to: 4}", Undecided, "undecided"},
		{"{kind: trend, metric: m, arms: [c], direction: falls}", Undecided, "undecided"},
		{"{kind: trend, metric: m, arms: [a], direction: falls, from: last}", NotTestable, "not tested"},
	} {
		decision := decided(t, d, test.test)
		if decision.Verdict != test.want || states(decision) != test.states {
			t.Errorf("%s: %s (%s), want %s (%s)\n%+v", test.test, decision.Verdict, states(decision), test.want, test.states, decision.Parts)
		}
	}
	// The slope of 3 t^0.51 on any window is 0.51: the mean is 0.5, and the standard error
	// 0.01.
	part := decided(t, d, "{kind: exponent, metric: m, arms: [a], below: 1}").Parts[0]
	near(t, "exponent", part.Value, 0.5, 1e-12)
	near(t, "its interval", part.High-part.Value, skewedQuantile(8, 0.975)*0.01, 1e-6)
}

// TestNodes decides on the spread between nodes: in each of two runs the largest
// is 1.02 and 1.06 times the smallest and the mean sizes are 101 and 103.
func TestNodes(t *testing.T) {
	d := emptyData()
	for seed, nodes := range [][]float64{{-100, -102}, {100, 106}} {
		for i, x := range nodes {
			node := int32(i + 1)
			d.AddRow(results.Row{Arm: "a", Seed: uint64(seed), Step: 5, Metric: "node", Node: &node, Value: x})
		}
	}
	for _, test := range []struct {
		margin string
		want   Verdict
	}{
		{"{relative: 2}", Holds}, {"{relative: 0.05}", Undecided}, {"{absolute: 100}", Holds}, {"{absolute: 4}", Undecided},
	} {
		decision := decided(t, d, "{kind: close, metric: node, arms: [a], across: nodes, margin: "+test.margin+"}")
		if decision.Verdict != test.want {
			t.Errorf("margin %s: %s, want %s\n%+v", test.margin, decision.Verdict, test.want, decision.Parts)
		}
	}
	part := decided(t, d, "{kind: close, metric: node, arms: [a], across: nodes, margin: {relative: 1}}").Parts[0]
	near(t, "spread", part.Value, 8.0/204, 1e-15) // (2 + 6)/(101 + 103)
}

// TestStatisticsOverSeeds decides on a metric that has only summary rows: its
// own standard errors are used, and added where two meet.
func TestStatisticsOverSeeds(t *testing.T) {
	d := emptyData()
	for _, row := range []results.SummaryRow{
		{Arm: "a", Step: 5, Metric: "whole", Mean: 100, SE: 1, N: 30},
		{Arm: "a", Step: 10, Metric: "whole", Mean: 90, SE: 1, N: 30},
		{Arm: "b", Step: 10, Metric: "whole", Mean: 100, SE: 2, N: 30},
	} {
		d.AddSummary(row)
	}
	t30 := skewedQuantile(30, 0.975)
	for _, test := range []struct {
		test        string
		value, half float64
		want        Verdict
	}{
		{"{kind: ordered, metric: whole, arms: [a, b]}", 10, 3 * t30, Holds},
		{"{kind: trend, metric: whole, arms: [a], direction: falls}", -10, 2 * t30, Holds},
		{"{kind: trend, metric: whole, per_step: true, arms: [a], direction: falls}", -11, 0.3 * t30, Holds},
		{"{kind: at-most, metric: whole, arms: [a], bound: {value: 91}}", 90, t30, Undecided},
		{"{kind: close, metric: whole, arms: [b, a], margin: {relative: 0.2}}", 0.9, 0.028 * t30, Holds},
	} {
		decision := decided(t, d, test.test)
		part := decision.Parts[0]
		if decision.Verdict != test.want || !strings.Contains(decision.Statistics, "standard error") {
			t.Errorf("%s: %s, want %s; %s", test.test, decision.Verdict, test.want, decision.Statistics)
		}
		near(t, test.test, part.Value, test.value, 1e-12)
		near(t, test.test+": to", part.High-part.Value, test.half, 1e-5)
		near(t, test.test+": from", part.Value-part.Low, test.half, 1e-5)
	}
}

// TestReasons: a claim that is not testable gives the reason of every part once.
func TestReasons(t *testing.T) {
	d := newData(t, byArm{"a": {1}, "c": {1, math.Inf(1)}})
	decision := decided(t, d, "{kind: at-most, metric: m, bound: {value: 1}}")
	if want := "one seed has no interval; the arm has no such metric; infinite under some seeds"; decision.Reason != want || decision.Verdict != NotTestable {
		t.Errorf("%s: %q, want %q", decision.Verdict, decision.Reason, want)
	}
}

// TestOver divides under each seed.
func TestOver(t *testing.T) {
	d := newData(t, byArm{"a": {6, 20}})
	for seed, value := range []float64{2, 4} {
		d.AddRow(results.Row{Arm: "a", Seed: uint64(seed + 1), Step: 10, Metric: "over", Value: value})
	}
	part := decided(t, d, "{kind: at-most, metric: m, over: over, per_step: true, arms: [a], bound: {value: 100}}").Parts[0]
	near(t, "mean of 6/2/10 and 20/4/10", part.Value, 0.4, 1e-15)
}

// TestWindow: a metric that swings between steps is compared by its means over a
// window, under each seed, and never by one of its steps.
func TestWindow(t *testing.T) {
	d := newSteps(t, map[int64]byArm{
		// Arm b is above a at every step but the last, by 4 and then below by 1.
		59: {"a": {100, 200}, "b": {0, 0}}, // outside of the window 60 .. 79
		60: {"a": {1, 2}, "b": {5, 6}}, 69: {"a": {2, 3}, "b": {6, 7}}, 79: {"a": {3, 4}, "b": {2, 3}},
	})
	d.horizon = 80 // steps 0 .. 79
	d.declared = metric.List{{Name: "m", Derived: true}}
	for _, test := range []struct {
		test  string
		value float64
		want  Verdict
	}{
		{"{kind: ordered, metric: m, arms: [a, b]}", -1, DoesNotHold},
		{"{kind: ordered, metric: m, window: 0.25, arms: [a, b]}", (4 + 4 - 1) / 3.0, Holds},
		{"{kind: ordered, metric: m, window: 0.25, at: 69, arms: [a, b]}", ((4+4-100)/3.0 + (4+4-200)/3.0) / 2, Undecided},
		{"{kind: at-least, metric: m, window: 0.25, arms: [b], bound: {value: 1}}", (5.5 + 6.5 + 2.5) / 3, Undecided},
		{"{kind: close, metric: m, window: 1e-9, arms: [a, b], margin: {absolute: 1.5}}", -1, Holds},
		{"{kind: trend, metric: m, window: 0.25, from: 60, arms: [a], direction: falls}", 2.5 - (50.5+101)/2, Undecided},
	} {
		decision := decided(t, d, test.test)
		if decision.Verdict != test.want {
			t.Errorf("%s: %s, want %s", test.test, decision.Verdict, test.want)
		}
		near(t, test.test, decision.Parts[0].Value, test.value, 1e-12)
	}
	text := decided(t, d, "{kind: ordered, metric: m, window: 0.25, arms: [a, b]}").Statistics
	if want := "m, means over a window of 25 % of the horizon, steps 60 to 79; "; !strings.HasPrefix(text, want) {
		t.Errorf("%q, want %q first", text, want)
	}
}

// TestReach: a metric is read at the first step of each seed at which another one is as good as a value.
func TestReach(t *testing.T) {
	d := emptyData()
	d.declared = metric.List{{Name: "over", Better: metric.LowerIsBetter}, {Name: "share", Better: metric.HigherIsBetter}, {Name: "m"}}
	losses := map[string][][]float64{ // by seed, at steps 1 to 4
		"a": {{9, 5, 4, 1}, {9, 9, 9, 5}, {4, 9, 9, 9}, {9, 9, 4, 4}},
		"b": {{9, 5, 9, 9}, {9, 4, 9, 9}, {9, 5, 9, 9}, {5, 9, 9, 9}},
		"c": {{9, 5, 9, 9}, {9, 6, 9, 9}, {9, math.NaN(), 9, 9}, {5, 9, 9, 9}},
	}
	for _, arm := range testArms {
		for seed, list := range losses[arm] {
			for i, loss := range list {
				for name, value := range map[string]float64{"over": loss, "share": -loss, "m": 10*float64(i+1) + float64(seed)} {
					d.AddRow(results.Row{Arm: arm, Seed: uint64(seed + 1), Step: int64(i + 1), Metric: name, Value: value})
				}
			}
		}
	}
	for _, target := range []string{"{metric: over, value: 5}", "{metric: share, value: -5}"} {
		decision := decided(t, d, "{kind: at-most, metric: m, reach: "+target+", bound: {value: 100}}")
		near(t, "mean of 20, 41, 12 and 33", decision.Parts[0].Value, 26.5, 1e-12)
		near(t, "mean of 20, 21, 22 and 13", decision.Parts[1].Value, 19, 1e-12)
		if got, want := decision.Parts[2].Reason, "is never "; !strings.Contains(got, want) || !strings.Contains(got, "under 2 of 4 seeds") {
			t.Errorf("%q, want %q of 2 seeds", got, want)
		}
		if want := " or better, steps 1 to 4; "; !strings.Contains(decision.Statistics, want) {
			t.Errorf("%q, want %q", decision.Statistics, want)
		}
	}
	if _, err := Decide(newClaim(t, "{kind: at-most, metric: over, reach: {metric: m, value: 5}, bound: {value: 100}}"), d); err == nil || !strings.Contains(err.Error(), "m has no better side") {
		t.Errorf("a target without a better side: %v", err)
	}
}

// TestMisfits reports claims that do not fit their run.
func TestMisfits(t *testing.T) {
	d := newData(t, byArm{"a": {1, 2}, "b": {1, 2}}, note("a", "theorem-2", "1"), note("b", "theorem-2", "1"))
	d.AddSummary(results.SummaryRow{Arm: "a", Step: 10, Metric: "whole", Mean: 1, SE: 1, N: 2})
	d.AddRow(results.Row{Arm: "a", Seed: 1, Step: 10, Metric: "regret.run", Value: 1})
	node := int32(1)
	d.AddRow(results.Row{Arm: "a", Seed: 1, Step: 10, Metric: "node", Node: &node, Value: 1})
	for test, want := range map[string]string{
		"{kind: ordered, metric: regret.rum, arms: [a, b]}":                         `claim x: the run has no metric "regret.rum"; did you mean "regret.run"?`,
		"{kind: ordered, metric: accuracy, arms: [a, b]}":                           `claim x: the run has no metric "accuracy"; it has m, node, regret.run, whole`,
		"{kind: at-most, metric: m, arms: [a], bound: {note: theorem-3}}":           `claim x: arm "a" has no note "theorem-3"; did you mean "theorem-2"?`,
		"{kind: at-most, note: utility, arms: [a], bound: {value: 1}}":              `claim x: arm "a" has no note "utility"; the notes are theorem-2`,
		"{kind: exponent, metric: whole, arms: [a], below: 1}":                      "", // one step: not an error
		"{kind: at-most, metric: whole, window: 1, arms: [a], bound: {value: 1}}":   "claim x: whole has no value for a seed, so no mean over a window",
		"{kind: at-most, metric: node, arms: [a], bound: {value: 1}}":               "claim x: node is a metric of nodes, not of whole runs",
		"{kind: close, metric: m, across: nodes, arms: [a], margin: {absolute: 1}}": "claim x: m is no metric of nodes",
		"{kind: at-most, metric: m, over: whole, arms: [a], bound: {value: 1}}":     "claim x: m/whole has no value for a seed at step 10 of arm \"a\"",
	} {
		_, err := Decide(newClaim(t, test), d)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", test, got, want)
		}
	}
}

// TestFalseDecisions draws runs whose three differences are all 0 and counts
// how often any is decided. Holm's method keeps the chance at 0.05 at most. By
// Chernoff's bound more than 280 of 4,000 then have the chance 3e-7.
func TestFalseDecisions(t *testing.T) {
	const runs, seeds = 4000, 20
	random := rand.New(rand.NewPCG(2024, 7))
	test := &Ordered{Common: Common{Kind: "ordered", Level: 0.95, Arms: []string{"a", "b", "c", "d"}}, Quantity: Quantity{Metric: "m"}, At: lastStep}
	decidedRuns := 0
	for range runs {
		d := emptyData()
		for _, arm := range test.Arms {
			for seed := range uint64(seeds) {
				d.AddRow(results.Row{Arm: arm, Seed: seed, Step: 1, Metric: "m", Value: random.NormFloat64()})
			}
		}
		decision, err := Decide(Claim{Test: test}, d)
		if err != nil {
			t.Fatal(err)
		}
		if states(decision) != "undecided, undecided, undecided" {
			decidedRuns++
		}
		if decision.Verdict == Holds {
			t.Errorf("all three differences are decided alike: %+v", decision.Parts)
		}
	}
	if decidedRuns > 280 {
		t.Errorf("%d of %d runs are decided, want at most 280", decidedRuns, runs)
	}
}
