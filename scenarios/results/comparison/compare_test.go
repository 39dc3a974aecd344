package comparison

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"starling/scenarios/results"
)

// tTable has two-sided 95 % points of Student's t by degrees of freedom, from
// printed tables (Abramowitz and Stegun 1964, table 26.10, and later ones with
// more digits).
var tTable = map[int]float64{1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 9: 2.26216, 29: 2.04523, 99: 1.98422}

func pairs(differences ...float64) (list []Pair) {
	for i, x := range differences {
		list = append(list, Pair{Seed: uint64(i), Difference: x})
	}
	return list
}

// alternating is n numbers -1, 1, -1, ...: for even n their mean is 0 and their
// standard error √(n/(n-1)/n) = 1/√(n-1).
func alternating(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(i%2*2 - 1)
	}
	return list
}

func TestDifference(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name        string
		differences []float64
		mean, half  float64 // half the interval; NaN for none
	}{
		{"one pair", []float64{3}, 3, nan},
		{"two", []float64{1, 2}, 1.5, tTable[1] * 0.5},
		{"three", []float64{-1, 0, 4}, 1, tTable[2] * math.Sqrt(7.0/3)},     // s² = (4+1+9)/2
		{"four", []float64{0, 0, 0, 8}, 2, tTable[3] * 2},                   // s² = (3·4+36)/3 = 16
		{"five", []float64{1, 2, 3, 4, 5}, 3, tTable[4] * math.Sqrt(2.5/5)}, // s² = 10/4
		{"ten", alternating(10), 0, tTable[9] / 3},                          // 1/√9
		{"thirty", alternating(30), 0, tTable[29] / math.Sqrt(29)},          // 1/√29
		{"a hundred", alternating(100), 0, tTable[99] / math.Sqrt(99)},      // 1/√99
		{"all equal", []float64{-0.5, -0.5, -0.5}, -0.5, nan},
		{"an infinity", []float64{1, inf, 2}, inf, nan},
		{"equal infinities", []float64{-inf, -inf}, -inf, nan},
		{"opposite infinities", []float64{-inf, inf}, nan, nan},
		{"NaN", []float64{1, nan}, nan, nan},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list := pairs(test.differences...)
			got := newDifference(series{"a", "m"}, 7, list, false)
			want := Difference{
				Arm: "a", Metric: "m", Step: 7, Pairs: list,
				Mean: test.mean, Low: test.mean - test.half, High: test.mean + test.half, P: got.P, // which TestPairedP has
			}
			// The tables have 6 digits, so half an interval here is good to 1e-5.
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 5e-5), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// What is derived has an interval where all seeds agree: that of width 0.
func TestDerivedDifference(t *testing.T) {
	d := newDifference(series{"a", "bytes"}, 1, pairs(-8, -8, -8), true)
	if d.Low != -8 || d.High != -8 {
		t.Errorf("%v to %v", d.Low, d.High)
	}
}

func TestPair(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	before := map[uint64]float64{1: 9, 2: 5, 3: inf, 4: inf, 5: -inf, 6: 1, 7: nan, 8: 2}
	after := map[uint64]float64{2: 3.5, 3: inf, 4: 1, 5: -inf, 6: inf, 7: nan, 9: 4}
	got := pair(before, after, 2, 9)
	want := []Pair{{2, -1.5}, {3, 0}, {4, -inf}, {5, 0}, {6, inf}, {7, nan}}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestDifferenceIsAntisymmetric: the other order of the runs mirrors the mean
// and the interval, to the bit.
func TestDifferenceIsAntisymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := map[uint64]float64{}, map[uint64]float64{}
		n := rapid.Uint64Range(2, 20).Draw(t, "n")
		for seed := range n {
			before[seed] = rapid.Float64Range(-1e6, 1e6).Draw(t, "before")
			after[seed] = rapid.Float64Range(-1e6, 1e6).Draw(t, "after")
		}
		d := newDifference(series{}, 1, pair(before, after, 0, n-1), false)
		e := newDifference(series{}, 1, pair(after, before, 0, n-1), false)
		if d.Mean != -e.Mean || d.Low != -e.High || d.High != -e.Low || !(d.Low <= d.Mean && d.Mean <= d.High) {
			t.Errorf("%v [%v, %v] and the other way round %v [%v, %v]", d.Mean, d.Low, d.High, e.Mean, e.Low, e.High)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writeSamples writes and opens a complete run, its jobs filled by fill.
func writeSamples(t *testing.T, plan results.Plan, fill func(job *results.Job), extra ...results.SummaryRow) *results.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	folder, err := results.Create(dir, results.Options{Plan: plan, Scenario: []byte("name: demo\n")})
	must(t, err)
	t.Cleanup(func() { folder.Close() })
	for _, arm := range plan.Arms {
		for i := range plan.Seeds.Count {
			job := results.NewJob(arm, plan.Seeds.Base+uint64(i))
			fill(job)
			must(t, folder.WriteJob(job))
		}
	}
	for _, row := range extra {
		must(t, folder.AddSummary(row))
	}
	manifest := results.Manifest{
		Scenario: "demo", Hash: "0123abcd", Status: results.StatusComplete, Digest: "00ff", Seeds: plan.Seeds, Horizon: 2,
		MeasuredNodes: results.MeasuredNodes{All: true}, Versions: results.CurrentVersions("test"),
	}
	for _, arm := range plan.Arms {
		manifest.Arms = append(manifest.Arms, results.ArmEntry{Name: arm})
	}
	must(t, folder.Commit(manifest))
	must(t, folder.Close())
	run, err := results.Open(dir)
	must(t, err)
	return run
}

// TestCompare pairs seeds 1..3 with seeds 2..5 and steps 2, 4, 6 with 1..5: the
// pairs are seeds 2 and 3 at step 4.
func TestCompare(t *testing.T) {
	expected := func(arm string) results.SummaryRow {
		return results.SummaryRow{Arm: arm, Step: 4, Metric: "regret.expected", Mean: 1, SE: 1, N: 3}
	}
	first := writeSamples(t, results.Plan{Arms: []string{"z", "gone", "a"}, Seeds: results.Seeds{Base: 1, Count: 3}}, func(job *results.Job) {
		for _, step := range []int64{2, 4, 6} {
			job.Add(step, "regret", float64(step))
			job.Add(step, "error", 10*float64(job.Seed()))
			job.AddNode(step, 1, "node", 1)
		}
		if job.Seed() == 3 && job.Arm() == "z" {
			job.Add(4, "rare", 1)
		}
	}, expected("z"))
	second := writeSamples(t, results.Plan{Arms: []string{"a", "z", "new"}, Seeds: results.Seeds{Base: 2, Count: 4}}, func(job *results.Job) {
		for step := int64(1); step <= 5; step++ {
			job.Add(step, "regret", float64(step)+float64(job.Seed())) // differences 2 and 3
			if job.Arm() == "z" {
				job.Add(step, "error", 0) // differences -20 and -30
			}
			job.Add(step, "rare", 0.5)
			job.AddNode(step, 1, "node", 2)
		}
	}, expected("z"))
	got, err := Compare(first, second, nil)
	must(t, err)
	none := math.NaN() // two pairs are too few for tests
	regret := func(arm string) Difference {
		half := tTable[1] * 0.5 // s² = 1/2, se = 1/2
		return Difference{Arm: arm, Metric: "regret", Step: 4, Pairs: []Pair{{2, 2}, {3, 3}}, Mean: 2.5, Low: 2.5 - half, High: 2.5 + half, P: none, Holm: none}
	}
	want := Comparison{
		Rows: []Difference{
			{Arm: "z", Metric: "error", Step: 4, Pairs: []Pair{{2, -20}, {3, -30}}, Mean: -25, Low: -25 - tTable[1]*5, High: -25 + tTable[1]*5, P: none, Holm: none},
			{Arm: "z", Metric: "rare", Step: 4, Pairs: []Pair{{3, -0.5}}, Mean: -0.5, Low: math.NaN(), High: math.NaN(), P: math.NaN(), Holm: math.NaN()},
			regret("z"),
			regret("a"),
		},
		Notes: []string{`arm "gone" is in the first run only`, `arm "new" is in the second run only`},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 5e-4), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// An arm whose metrics never meet is noted beside those that do.
func TestCompareNotesWhatNeverMeets(t *testing.T) {
	plan := results.Plan{Arms: []string{"a", "b"}, Seeds: results.Seeds{Base: 1, Count: 2}}
	first := writeSamples(t, plan, func(job *results.Job) { job.Add(1, "m", 1) })
	second := writeSamples(t, plan, func(job *results.Job) {
		step := int64(1)
		if job.Arm() == "b" {
			step = 2
		}
		job.Add(step, "m", 1)
	})
	got, err := Compare(first, second, nil)
	must(t, err)
	want := Comparison{
		Rows:  []Difference{{Arm: "a", Metric: "m", Step: 1, Pairs: []Pair{{1, 0}, {2, 0}}, Low: math.NaN(), High: math.NaN(), P: math.NaN(), Holm: math.NaN()}},
		Notes: []string{`arm "b" has no metric with a step and a seed in both runs`},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Arms that count their steps from 0 are compared with those that count from 1 after as many
// steps, also where some numbers are in both.
func TestCompareFirstSteps(t *testing.T) {
	run := writeSamples(t, results.Plan{Arms: []string{"from 0", "from 1"}, Seeds: results.Seeds{Base: 1, Count: 3}}, func(job *results.Job) {
		first := int64(0)
		if job.Arm() == "from 1" {
			first = 1
		}
		for taken := range int64(4) {
			job.Add(first+taken, "m", float64(10*taken+first)+float64(job.Seed())*float64(first))
		}
		job.Add(first+3, "last", float64(first))
	})
	one, at := int64(1), int64(3) // the third step of the second arm
	run.Manifest.Arms[1].FirstStep = &one
	got, err := CompareArms(run, "from 0", run, "from 1", nil)
	must(t, err)
	if len(got.Rows) != 2 || got.Rows[0].Step != 3 || got.Rows[0].Mean != 1 || got.Rows[1].Step != 3 || got.Rows[1].Mean != 3 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "counted from 0 in the first and from 1 in the second") {
		t.Errorf("%+v", got)
	}
	run.Manifest.Arms[1].StoppedAt = &at
	if got, err = CompareArms(run, "from 0", run, "from 1", nil); err != nil || got.Rows[0].Step != 1 {
		t.Errorf("stopped: %+v, %v", got, err)
	}
}

func TestCompareNothing(t *testing.T) {
	write := func(arm string, base uint64, metric string, step int64) *results.Run {
		plan := results.Plan{Arms: []string{arm}, Seeds: results.Seeds{Base: base, Count: 2}}
		return writeSamples(t, plan, func(job *results.Job) { job.Add(step, metric, 1) })
	}
	first := write("a", 1, "m", 1)
	tests := []struct {
		name   string
		second *results.Run
		want   string
	}{
		{"seeds", write("a", 3, "m", 1), "the runs have nothing in common to compare: no seed is in both"},
		{"arms", write("b", 1, "m", 1), "the runs have nothing in common to compare: no arm is in both"},
		{"metrics", write("a", 1, "n", 1), "the runs have nothing in common to compare: no metric has a step and a seed in both"},
		{"steps", write("a", 1, "m", 2), "the runs have nothing in common to compare: no metric has a step and a seed in both"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Compare(first, test.second, nil)
			if !errors.Is(err, ErrNothingCommon) || err.Error() != test.want {
				t.Errorf("%v, %v; want %q", got, err, test.want)
			}
		})
	}
	last := write("a", math.MaxUint64-1, "m", 1)
	if got, err := Compare(last, last, nil); err != nil || len(got.Rows) != 1 || len(got.Rows[0].Pairs) != 2 {
		t.Errorf("the last seeds: %v, %v", got, err)
	}
}

// Epsilons of an arm whose ledger speaks of other neighbours, or of another unit,
// are marked, once noted; other metrics, and arms that say the same, are not.
func TestCompareMarksOtherNeighbours(t *testing.T) {
	entry := func(arm, unit, neighbours string) results.LedgerEntry {
		return results.LedgerEntry{Arm: arm, Observer: "wire", Unit: unit, Neighbours: neighbours}
	}
	c := Comparison{Rows: []Difference{
		{Arm: "a", Metric: "epsilon.spent"}, {Arm: "a", Metric: "epsilon.total"}, {Arm: "a", Metric: "regret.run"},
		{Arm: "b", Metric: "epsilon.total"}, {Arm: "c", Metric: "epsilon.total"}, {Arm: "d", Metric: "epsilon.total"},
	}}
	c.mark(
		[]results.LedgerEntry{entry("a", "a sample", "one added or removed"), entry("b", "a sample", "one replaced"), entry("c", "a sample", "one replaced"), entry("d", "a sample", "one replaced")},
		side{Run: &results.Run{Manifest: results.Manifest{Ledger: []results.LedgerEntry{entry("a", "a sample", "one replaced"), entry("b", "a sample", "one replaced"), entry("c", "a node", "one replaced")}}}},
	)
	var marked []string
	for _, row := range c.Rows {
		if row.Incomparable {
			marked = append(marked, row.Arm+" "+row.Metric)
		}
	}
	if want := []string{"a epsilon.spent", "a epsilon.total", "c epsilon.total"}; !slices.Equal(marked, want) {
		t.Errorf("marked %q, want %q", marked, want)
	}
	if want := []string{
		`arm "a": epsilons do not compare: in the first run they are for a sample, one added or removed, in the second for a sample, one replaced`,
		`arm "c": epsilons do not compare: in the first run they are for a sample, one replaced, in the second for a node, one replaced`,
	}; !slices.Equal(c.Notes, want) {
		t.Errorf("notes %q, want %q", c.Notes, want)
	}
}

// TestOtherArithmetic checks when compare speaks of it: where digests differ,
// both names are known, and they or the processors are not the same.
func TestOtherArithmetic(t *testing.T) {
	of := func(goos, arithmetic, digest string) *results.Manifest {
		return &results.Manifest{Digest: digest, Versions: results.Versions{GOOS: goos, GOARCH: "amd64", GOAMD64: "v1", Arithmetic: arithmetic}}
	}
	ours := of("linux", "aa", "00")
	elsewhere := &results.Manifest{Digest: "01", Versions: results.Versions{GOOS: "linux", GOARCH: "arm64", GOARM64: "v8.0", Arithmetic: "aa"}}
	for _, test := range []struct {
		name   string
		theirs *results.Manifest
		want   string
	}{
		{"same", of("darwin", "aa", "01"), ""},
		{"older", of("linux", "", "01"), ""},
		{"equal digests", of("linux", "bb", "00"), ""},
		{"other processor", elsewhere, "different processors or by builds for different ones, linux/amd64 v1 aa and linux/arm64 v8.0 aa:"},
		{"other", of("darwin", "bb", "01"), "different arithmetic, linux/amd64 v1 aa and darwin/amd64 v1 bb:"},
	} {
		var c Comparison
		c.markArithmetic(ours, test.theirs)
		got := strings.Join(c.Notes, "\n")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Arms that budgets stopped apart are compared at the last step that all have before the
// first of them stopped; others are not moved.
func TestCommonStep(t *testing.T) {
	at := func(step int64) *int64 { return &step }
	steps := map[string][]int64{"a": {2, 4, 6, 8}, "b": {1, 2, 3, 4, 5, 6}, "c": {2, 4, 6}}
	for _, test := range []struct {
		name string
		a, b *int64
		step int64
		ok   bool
	}{
		{"nobody stopped", nil, nil, 0, false},
		{"all stopped at once", at(5), at(5), 0, false},
		{"one stopped", at(5), nil, 4, true},
		{"both stopped", at(7), at(4), 2, true},
		{"before the first record", nil, at(2), 0, false},
	} {
		c := (*int64)(nil)
		if test.name == "all stopped at once" {
			c = at(5)
		}
		arms := []results.ArmEntry{{Name: "a", StoppedAt: test.a}, {Name: "b", StoppedAt: test.b}, {Name: "c", StoppedAt: c}}
		step, ok := CommonStep(arms, steps)
		if step != test.step || ok != test.ok {
			t.Errorf("%s: %d, %v", test.name, step, ok)
		}
	}
}
