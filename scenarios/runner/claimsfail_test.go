package runner_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starling/scenarios/claim"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// A claim is worth a verdict only if some run would be against it. checkFailable
// looks for such a run by changing the numbers that a claim reads into those of
// a world in which it is false:
//
//   - alike: what is measured is the same in all arms and at all steps, so that
//     no order, proportion, trend or growth is left;
//   - reversed: the arms have each other's numbers, the last those of the first;
//   - slow: the metric grows like t^(3/4), which is no sqrt T; where exponents are
//     held against each other, with 3/4 more in each arm than in the one before;
//   - unlike: the arms, or nodes, have the first one's numbers times 1, 2, 4, .., which
//     claims that arms are as good as each other are held to in place of the first two;
//   - worse: the metric or note is ten times as large (at-most) or as small
//     (at-least), or of the other sign where that makes no difference: no claim has an
//     order of magnitude of room.
//
// Besides, a number that ought to depend on what is random but is the same under
// all seeds is the adversary's and not the algorithm's, and an epsilon within the
// budget that a run is stopped by is that of the accountant which stops it.
type world struct {
	name string
	// applies tells whether the claim has to fail in this world; holds is whether
	// it does hold in the run.
	applies func(test claim.Test, holds bool) bool
	// value is what becomes of the value of an arm, counted from 0 in the order of
	// the claim, at a step and a node.
	value func(w *claimRun, arm int, row results.Row) float64
}

// worst is by what factor a number is made worse.
const worst = 10

var worlds = []world{
	{"alike", func(test claim.Test, _ bool) bool {
		switch test := test.(type) {
		case *claim.Ordered, *claim.Trend:
			return true
		case *claim.Ratio:
			return !alike(test)
		case *claim.Exponent:
			return test.Above != nil
		}
		return false
	}, func(*claimRun, int, results.Row) float64 { return 1 }},
	{"reversed", func(test claim.Test, holds bool) bool {
		switch test := test.(type) {
		case *claim.Ordered:
			return holds
		case *claim.Ratio:
			return holds && !alike(test)
		}
		return false
	}, func(w *claimRun, arm int, row results.Row) float64 { return w.of(len(w.arms)-1-arm, row) }},
	{"slow", func(test claim.Test, _ bool) bool {
		e, ok := test.(*claim.Exponent)
		return ok && (e.Below != nil || e.Apart != nil) && !e.PerStep
	}, func(w *claimRun, arm int, row results.Row) float64 {
		if w.claim.Test.(*claim.Exponent).Apart == nil {
			arm = 0
		}
		return math.Pow(float64(row.Step), 0.75*float64(arm+1))
	}},
	{"unlike", func(test claim.Test, _ bool) bool {
		if ratio, ok := test.(*claim.Ratio); ok {
			return alike(ratio)
		}
		_, ok := test.(*claim.Close)
		return ok
	},
		func(w *claimRun, arm int, row results.Row) float64 {
			if row.Node != nil {
				return row.Value * math.Exp2(float64(*row.Node))
			}
			return w.of(0, row) * math.Exp2(float64(arm))
		}},
	{"worse", func(test claim.Test, holds bool) bool { _, ok := test.(*claim.Limit); return ok && holds },
		func(w *claimRun, _ int, row results.Row) float64 {
			if row.Metric != w.claim.Metrics()[0] {
				return row.Value // what is divided by
			}
			return w.worse(row.Value)
		}},
}

// alike tells whether a claim is that arms are as good as each other: numbers that are the
// same are within its margin.
func alike(test *claim.Ratio) bool {
	return slices.Max(test.Expected) <= (1+test.Margin)*slices.Min(test.Expected)
}

// claimRun is what one claim reads of a run.
type claimRun struct {
	claim    claim.Claim
	arms     []string // in the order of the claim
	manifest results.Manifest
	rows     []results.Row
	summary  []results.SummaryRow
	values   map[spot]float64 // of rows and of the summary, by place
}

// spot is where a value is.
type spot struct {
	arm, metric string
	seed        uint64
	step        int64
	node        int32 // -1 for a metric of the whole run
}

func place(arm string, row results.Row) spot {
	at := spot{arm, row.Metric, row.Seed, row.Step, -1}
	if row.Node != nil {
		at.node = *row.Node
	}
	return at
}

// summaryRow is a statistic over seeds in the form of a value.
func summaryRow(s results.SummaryRow) results.Row {
	return results.Row{Arm: s.Arm, Seed: math.MaxUint64, Step: s.Step, Metric: s.Metric, Value: s.Mean}
}

// of is the value that an arm has where a row is.
func (w *claimRun) of(arm int, row results.Row) float64 { return w.values[place(w.arms[arm], row)] }

// worse is a value that is further from what a limit has it at.
func (w *claimRun) worse(x float64) float64 {
	limit := w.claim.Test.(*claim.Limit)
	if limit.Kind == "at-least" {
		if bound := limit.Bound.Value; bound != nil && *bound == 0 && x > 0 {
			return -x
		}
		return x / worst
	}
	if x < 0 {
		return -x
	}
	if x == 0 {
		return 1
	}
	return x * worst
}

// decide decides the claim in a world, nil for the run as it is.
func (w *claimRun) decide(in *world) (claim.Decision, error) {
	manifest := w.manifest
	if limit, ok := w.claim.Test.(*claim.Limit); ok && in != nil && limit.Note != "" {
		manifest.Notes = slices.Clone(manifest.Notes)
		for i, n := range manifest.Notes {
			word, rest, _ := strings.Cut(n.Value, " ")
			if x, err := strconv.ParseFloat(strings.TrimSuffix(word, ","), 64); err == nil && n.Key == limit.Note {
				manifest.Notes[i].Value = fmt.Sprint(w.worse(x), " ", rest)
			}
		}
	}
	// What a world, or the run, has at all seeds is taken for certain: the question is what
	// would be decided, and not how few the seeds are.
	var declared metric.List
	for _, name := range w.claim.Metrics() {
		declared = append(declared, metric.Metric{Name: name, Derived: true})
	}
	data := claim.NewData(manifest, []claim.Claim{w.claim}, declared)
	for _, row := range w.rows {
		if in != nil {
			row.Value = in.value(w, slices.Index(w.arms, row.Arm), row)
		}
		data.AddRow(row)
	}
	for _, s := range w.summary {
		if in != nil {
			s.Mean = in.value(w, slices.Index(w.arms, s.Arm), summaryRow(s))
		}
		data.AddSummary(s)
	}
	return claim.Decide(w.claim, data)
}

// newClaimRuns reads what each claim needs of a run.
func newClaimRuns(t *testing.T, dir string, claims []claim.Claim) (runs []*claimRun) {
	t.Helper()
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range claims {
		w := &claimRun{claim: c, manifest: run.Manifest, arms: c.Arms(), values: map[spot]float64{}}
		if len(w.arms) == 0 {
			for _, arm := range run.Manifest.Arms {
				w.arms = append(w.arms, arm.Name)
			}
		}
		runs = append(runs, w)
	}
	reads := func(w *claimRun, arm, metric string) bool {
		return slices.Contains(w.claim.Metrics(), metric) && slices.Contains(w.arms, arm)
	}
	err = run.Rows(func(row results.Row) error {
		for _, w := range runs {
			if reads(w, row.Arm, row.Metric) {
				w.rows = append(w.rows, row)
				w.values[place(row.Arm, row)] = row.Value
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = run.Summary(func(s results.SummaryRow) error {
		for _, w := range runs {
			if reads(w, s.Arm, s.Metric) {
				w.summary = append(w.summary, s)
				w.values[place(s.Arm, summaryRow(s))] = s.Mean
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// roomy are the claims that have more room than that, with the reason why they
// are claims all the same.
var roomy = map[string]string{
	"dpdonc-noise: theorem-2": "the bound is below the trivial one at the full horizon, so that the worst decisions exceed it",
}

// undetermined are the beginnings of metrics that depend on the data or the noise of
// a run, so that no two seeds have the same.
var undetermined = []string{"regret.", "accuracy.", "loss.", "consensus.", "target.", "noise."}

// faults says why no run would be against a claim; none if some would.
func (w *claimRun) faults(scenario *study.Scenario) (faults []string, err error) {
	d, err := w.decide(nil)
	if _, unable := w.claim.Test.(*claim.Unable); unable || err != nil {
		return nil, err
	}
	for i := range worlds {
		in := &worlds[i]
		if !in.applies(w.claim.Test, d.Verdict == claim.Holds) || in.name == "worse" && roomy[w.manifest.Scenario+": "+w.claim.ID] != "" {
			continue
		}
		if other, err := w.decide(in); err != nil || other.Verdict == claim.Holds {
			faults = append(faults, fmt.Sprintf("it holds where the numbers are made %s (%v)", in.name, err))
		}
	}
	random := slices.ContainsFunc(w.claim.Metrics(), func(metric string) bool {
		return slices.ContainsFunc(undetermined, func(prefix string) bool { return strings.HasPrefix(metric, prefix) })
	})
	for _, part := range d.Parts {
		if random && part.N > 0 && part.State != claim.Untested && part.Low == part.High { // N is 0 of what is held under each seed
			faults = append(faults, fmt.Sprintf("%s is the same under all %d seeds", part.Label, part.N))
		}
	}
	return append(faults, w.ownAccountant(scenario)...), nil
}

// ownAccountant reports an epsilon that is claimed to be within the budget by
// which its run is stopped.
func (w *claimRun) ownAccountant(scenario *study.Scenario) (faults []string) {
	limit, ok := w.claim.Test.(*claim.Limit)
	if !ok || limit.Kind != "at-most" || limit.Bound.Value == nil || !strings.HasPrefix(limit.Metric, "epsilon.") {
		return nil
	}
	for _, arm := range scenario.Arms {
		if budget := arm.File.Budget; slices.Contains(w.arms, arm.Name) && budget != nil && float64(budget.Epsilon) <= *limit.Bound.Value*limit.Bound.Times {
			faults = append(faults, arm.Name+" is stopped by the same accountant at the same epsilon")
		}
	}
	return faults
}

// checkFailable reports the claims of the library that no run would be against, of
// scenarios that need no data set.
func checkFailable(t *testing.T, reports []claim.Report) {
	t.Helper()
	for _, r := range reports {
		if needsData(r.Scenario) {
			continue // of blank images all models are alike
		}
		scenario := scenariotest.Load(t, r.Scenario)
		var claims []claim.Claim
		for _, d := range r.Decisions {
			claims = append(claims, d.Claim)
		}
		for _, w := range newClaimRuns(t, r.Dir, claims) {
			faults, err := w.faults(scenario)
			if err != nil {
				t.Errorf("%s: %v", r.Scenario, err)
			}
			for _, fault := range faults {
				t.Errorf("%s: claim %s cannot fail: %s", r.Scenario, w.claim.ID, fault)
			}
		}
	}
}

// checkFaultsAreFound holds checkFailable to claims that the library had and that
// no run was against, or that are as bad.
func checkFaultsAreFound(t *testing.T, reports []claim.Report) {
	t.Helper()
	for _, test := range []struct{ scenario, test, fault string }{
		{"dpdonc-localization", "{kind: exponent, metric: regret.run, below: 1, from: 50, to: last}", "made slow"},
		{"dpdonc-localization", "{kind: exponent, metric: regret.run, apart: 0.8, arms: ['epsilon=none', 'epsilon=1'], from: 50, to: last}", "made slow"},
		{"dpdonc-localization", "{kind: at-most, metric: regret.expected, at: last, bound: {note: theorem-2}}", "made worse"},
		{"dpdonc-nodes", "{kind: close, metric: regret.node, across: nodes, margin: {relative: 50}, at: last}", "made unlike"},
		{"ope-lower-bounds", "{kind: close, metric: regret.client, arms: ['theorem-2,nodes=1', 'theorem-2,nodes=4'], margin: {relative: 2}}", "made unlike"},
		{"ope-lower-bounds", "{kind: ratio, metric: regret.client, arms: ['theorem-3,nodes=1', 'theorem-3,nodes=4'], expected: [4, 1], margin: 0.5}", "the same under all"},
		{"svt-speedup", "{kind: ratio, metric: communication.up, arms: ['interval=16,nodes=1', 'interval=16,nodes=4'], expected: [1, 4], margin: 0.8}", "made alike"},
		{"svt-speedup", "{kind: ratio, metric: communication.up, arms: ['interval=16,nodes=1', 'interval=16,nodes=4'], expected: [1, 3], margin: 0.95}", "made reversed"},
		{"ope-stochastic", "{kind: at-most, note: epsilon.public, arms: ['nodes=1'], bound: {note: epsilon.claimed, times: 10}}", "made worse"},
		{"ali-fmnist", "{kind: at-most, metric: epsilon.spent, arms: ['Rc/5,ali'], bound: {value: 3.25}}", "stopped by the same accountant"},
	} {
		text := "version: 1\nclaims:\n  - {id: bad, source: {where: here}, says: so, test: " + strings.ReplaceAll(test.test, "'", `"`) + "}\n"
		file, err := claim.Decode("bad.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(reports, func(r claim.Report) bool { return r.Scenario == test.scenario })
		faults, err := newClaimRuns(t, reports[i].Dir, file.Claims)[0].faults(scenariotest.Load(t, test.scenario))
		if err != nil || !strings.Contains(strings.Join(faults, "; "), test.fault) {
			t.Errorf("%s: %s: faults %q (%v), want %q", test.scenario, test.test, faults, err, test.fault)
		}
	}
}
