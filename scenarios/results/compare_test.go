package results

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
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
		{"all equal", []float64{-0.5, -0.5, -0.5}, -0.5, 0},                 // s² = 0
		{"an infinity", []float64{1, inf, 2}, inf, nan},
		{"equal infinities", []float64{-inf, -inf}, -inf, nan},
		{"opposite infinities", []float64{-inf, inf}, nan, nan},
		{"NaN", []float64{1, nan}, nan, nan},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list := pairs(test.differences...)
			got := newDifference(series{"a", "m"}, 7, list)
			want := Difference{
				Arm: "a", Metric: "m", Step: 7, Pairs: list,
				Mean: test.mean, Low: test.mean - test.half, High: test.mean + test.half,
			}
			// The tables have 6 digits, so half an interval here is good to 1e-5.
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 5e-5), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
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
		d := newDifference(series{}, 1, pair(before, after, 0, n-1))
		e := newDifference(series{}, 1, pair(after, before, 0, n-1))
		if d.Mean != -e.Mean || d.Low != -e.High || d.High != -e.Low || !(d.Low <= d.Mean && d.Mean <= d.High) {
			t.Errorf("%v [%v, %v] and the other way round %v [%v, %v]", d.Mean, d.Low, d.High, e.Mean, e.Low, e.High)
		}
	})
}

// writeSamples writes and opens a complete run, its jobs filled by fill.
func writeSamples(t *testing.T, plan Plan, fill func(job *Job), extra ...SummaryRow) *Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	folder := create(t, dir, Options{Plan: plan, Scenario: []byte("name: demo\n")})
	for i := range plan.jobs() {
		job := NewJob(plan.job(i))
		fill(job)
		must(t, folder.WriteJob(job))
	}
	for _, row := range extra {
		must(t, folder.AddSummary(row))
	}
	manifest := testManifest(StatusComplete)
	manifest.Seeds, manifest.Arms, manifest.Warnings, manifest.Notes = plan.Seeds, nil, nil, nil
	for _, arm := range plan.Arms {
		manifest.Arms = append(manifest.Arms, Arm{Name: arm})
	}
	must(t, folder.Commit(manifest))
	must(t, folder.Close())
	run, err := Open(dir)
	must(t, err)
	return run
}

// TestCompare pairs seeds 1..3 with seeds 2..5 and steps 2, 4, 6 with 1..5: the
// pairs are seeds 2 and 3 at step 4.
func TestCompare(t *testing.T) {
	expected := func(arm string) SummaryRow {
		return SummaryRow{Arm: arm, Step: 4, Metric: "regret.expected", Mean: 1, SE: 1, N: 3}
	}
	first := writeSamples(t, Plan{Arms: []string{"z", "gone", "a"}, Seeds: Seeds{Base: 1, Count: 3}}, func(job *Job) {
		for _, step := range []int64{2, 4, 6} {
			job.Add(step, "regret", float64(step))
			job.Add(step, "error", 10*float64(job.Seed()))
			job.AddNode(step, 1, "node", 1)
		}
		if job.Seed() == 3 && job.Arm() == "z" {
			job.Add(4, "rare", 1)
		}
	}, expected("z"))
	second := writeSamples(t, Plan{Arms: []string{"a", "z", "new"}, Seeds: Seeds{Base: 2, Count: 4}}, func(job *Job) {
		for step := int64(1); step <= 5; step++ {
			job.Add(step, "regret", float64(step)+float64(job.Seed())) // differences 2 and 3
			if job.Arm() == "z" {
				job.Add(step, "error", 0) // differences -20 and -30
			}
			job.Add(step, "rare", 0.5)
			job.AddNode(step, 1, "node", 2)
		}
	}, expected("z"))
	got, err := Compare(first, second)
	must(t, err)
	regret := func(arm string) Difference {
		half := tTable[1] * 0.5 // s² = 1/2, se = 1/2
		return Difference{Arm: arm, Metric: "regret", Step: 4, Pairs: []Pair{{2, 2}, {3, 3}}, Mean: 2.5, Low: 2.5 - half, High: 2.5 + half}
	}
	want := Comparison{
		Rows: []Difference{
			{Arm: "z", Metric: "error", Step: 4, Pairs: []Pair{{2, -20}, {3, -30}}, Mean: -25, Low: -25 - tTable[1]*5, High: -25 + tTable[1]*5},
			{Arm: "z", Metric: "rare", Step: 4, Pairs: []Pair{{3, -0.5}}, Mean: -0.5, Low: math.NaN(), High: math.NaN()},
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
	plan := Plan{Arms: []string{"a", "b"}, Seeds: Seeds{Base: 1, Count: 2}}
	first := writeSamples(t, plan, func(job *Job) { job.Add(1, "m", 1) })
	second := writeSamples(t, plan, func(job *Job) {
		step := int64(1)
		if job.Arm() == "b" {
			step = 2
		}
		job.Add(step, "m", 1)
	})
	got, err := Compare(first, second)
	must(t, err)
	want := Comparison{
		Rows:  []Difference{{Arm: "a", Metric: "m", Step: 1, Pairs: []Pair{{1, 0}, {2, 0}}}},
		Notes: []string{`arm "b" has no metric with a step and a seed in both runs`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCompareNothing(t *testing.T) {
	write := func(arm string, base uint64, metric string, step int64) *Run {
		plan := Plan{Arms: []string{arm}, Seeds: Seeds{Base: base, Count: 2}}
		return writeSamples(t, plan, func(job *Job) { job.Add(step, metric, 1) })
	}
	first := write("a", 1, "m", 1)
	tests := []struct {
		name   string
		second *Run
		want   string
	}{
		{"seeds", write("a", 3, "m", 1), "the runs have nothing in common to compare: no seed is in both"},
		{"arms", write("b", 1, "m", 1), "the runs have nothing in common to compare: no arm is in both"},
		{"metrics", write("a", 1, "n", 1), "the runs have nothing in common to compare: no metric has a step and a seed in both"},
		{"steps", write("a", 1, "m", 2), "the runs have nothing in common to compare: no metric has a step and a seed in both"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Compare(first, test.second)
			if !errors.Is(err, ErrNothingCommon) || err.Error() != test.want {
				t.Errorf("%v, %v; want %q", got, err, test.want)
			}
		})
	}
	last := write("a", math.MaxUint64-1, "m", 1)
	if got, err := Compare(last, last); err != nil || len(got.Rows) != 1 || len(got.Rows[0].Pairs) != 2 {
		t.Errorf("the last seeds: %v, %v", got, err)
	}
}

// Epsilons of an arm whose ledger speaks of other neighbours, or of another unit,
// are marked, once noted; other metrics, and arms that say the same, are not.
func TestCompareMarksOtherNeighbours(t *testing.T) {
	entry := func(arm, unit, neighbours string) LedgerEntry {
		return LedgerEntry{Arm: arm, Observer: "wire", Unit: unit, Neighbours: neighbours}
	}
	c := Comparison{Rows: []Difference{
		{Arm: "a", Metric: "epsilon.spent"}, {Arm: "a", Metric: "epsilon.total"}, {Arm: "a", Metric: "regret.run"},
		{Arm: "b", Metric: "epsilon.total"}, {Arm: "c", Metric: "epsilon.total"}, {Arm: "d", Metric: "epsilon.total"},
	}}
	c.mark(
		[]LedgerEntry{entry("a", "a sample", "one added or removed"), entry("b", "a sample", "one replaced"), entry("c", "a sample", "one replaced"), entry("d", "a sample", "one replaced")},
		[]LedgerEntry{entry("a", "a sample", "one replaced"), entry("b", "a sample", "one replaced"), entry("c", "a node", "one replaced")},
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
		`arm "a": epsilons do not compare: those of the first run are for a sample, one added or removed, those of the second for a sample, one replaced`,
		`arm "c": epsilons do not compare: those of the first run are for a sample, one replaced, those of the second for a node, one replaced`,
	}; !slices.Equal(c.Notes, want) {
		t.Errorf("notes %q, want %q", c.Notes, want)
	}
}
