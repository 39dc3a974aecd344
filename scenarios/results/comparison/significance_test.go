package comparison

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// The p-value is that of Student's t, by closed forms for 1 and 2 degrees of freedom.
func TestPairedP(t *testing.T) {
	cauchy := func(t float64) float64 { return 1 - 2*math.Atan(t)/math.Pi }
	two := func(t float64) float64 { return 1 - t/math.Sqrt(2+t*t) }
	for _, test := range []struct {
		mean, se float64
		n        int
		want     float64
	}{
		{5, 1, 2, cauchy(5)}, {-5, 1, 2, cauchy(5)}, {0, 1, 2, 1}, {3, 2, 3, two(1.5)}, {-0.1, 1, 3, two(0.1)},
		{1, 1, 1, math.NaN()}, {1, 0, 5, math.NaN()}, {math.Inf(1), math.NaN(), 5, math.NaN()}, {1, math.Inf(1), 5, math.NaN()},
	} {
		if got := pairedP(test.mean, test.se, test.n); !(math.Abs(got-test.want) < 1e-12 || math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

func TestHolm(t *testing.T) {
	nan := math.NaN()
	got := Holm([]float64{0.01, nan, 0.04, 0.03, 0.005})
	if diff := cmp.Diff([]float64{0.03, nan, 0.06, 0.06, 0.02}, got, cmpopts.EquateApprox(1e-12, 0), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// What is corrected keeps the order, is no less than before, and no more than m times.
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 20).Draw(t, "p")
		corrected := Holm(p)
		for i := range p {
			if corrected[i] < p[i] || corrected[i] > min(1, float64(len(p))*p[i])+1e-12 && corrected[i] > slices.Max(corrected[:]) {
				t.Fatalf("%v became %v", p, corrected)
			}
			for k := range p {
				if p[i] < p[k] && corrected[i] > corrected[k] {
					t.Fatalf("%v became %v: %d and %d changed places", p, corrected, i, k)
				}
			}
		}
	})
}

// The best arm is that of the best mean; what is not told from it is alike, and what every
// seed tells from it is not. Metrics that are the same under every seed, and few seeds, tell nothing.
func TestBestArms(t *testing.T) {
	run := func(seeds int) *results.Run {
		return writeSamples(t, results.Plan{Arms: []string{"a", "b", "c"}, Seeds: results.Seeds{Base: 1, Count: seeds}}, func(job *results.Job) {
			k := map[string]float64{"a": 0, "b": 1, "c": 2}[job.Arm()]
			wobble := float64(job.Seed()%3) - 1 // -1, 0 or 1
			job.Add(1, "loss", 100)             // another step
			job.Add(2, "loss", map[string]float64{"a": 5 + wobble, "b": 5.1 - wobble, "c": 50 + wobble/10}[job.Arm()])
			job.Add(2, "gain", map[string]float64{"a": 5 + wobble, "b": 5.1 - wobble, "c": 50 + wobble/10}[job.Arm()])
			job.Add(2, "bytes", 10+k)
			job.Add(2, "flips", 10+k)
			job.Add(2, "same", 3)
			if job.Arm() == "a" {
				job.Add(2, "alone", 1)
			}
		})
	}
	at := map[string]int64{"a": 2, "b": 2, "c": 2}
	lower := func(name string, derived bool) metric.Metric {
		return metric.Metric{Name: name, Better: metric.LowerIsBetter, Derived: derived}
	}
	metrics := metric.List{lower("loss", false), {Name: "gain", Better: metric.HigherIsBetter}, lower("bytes", true), lower("flips", false), lower("same", false), lower("alone", false), lower("none", false)}
	best := func(r *results.Run) (map[string]Tested, error) {
		samples, err := SamplesAt(r, at, metrics.Names())
		found := map[string]Tested{}
		for _, m := range metrics {
			if t := samples.Best([][]string{{"a", "b", "c"}}, m)[0]; t.Best != "" {
				found[m.Name] = t
			}
		}
		return found, err
	}
	got, err := best(run(6))
	must(t, err)
	want := map[string]Tested{"loss": {Best: "a", Alike: []string{"b"}}, "gain": {Best: "c"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, seeds := range []int{1, FewestPairs - 1} {
		if got, err := best(run(seeds)); err != nil || len(got) > 0 {
			t.Errorf("%d seeds tell %v, %v", seeds, got, err)
		}
	}
}

// Of arms that are alike, with a part of each seed in common, a given one hardly ever lacks its mark,
// whatever their number and whatever other arms are far off: in 5 % of the runs at most. Above 150 of
// 2,000 runs, a chance of 5e-7 were it just 5 %, the level does not hold. Some arm of k lacks its mark
// in at most k*Level/2 of the runs, up to five standard errors.
func TestMarksHoldTheirLevel(t *testing.T) {
	for _, test := range []struct{ alike, off int }{{2, 0}, {6, 0}, {20, 0}, {2, 6}, {6, 6}, {3, 17}} {
		const runs = 2000
		draw := rand.New(rand.NewPCG(7, uint64(test.alike+100*test.off)))
		first, some := 0, 0 // runs in which the first arm, and some alike arm, lacks its mark
		for range runs {
			marks := drawnMarks(draw, test.alike, test.off)
			lacking := 0
			for i := range test.alike {
				if name := fmt.Sprint(i); name != marks.Best && !slices.Contains(marks.Alike, name) {
					if lacking++; i == 0 {
						first++
					}
				}
			}
			if lacking > 0 {
				some++
			}
			if len(marks.Alike) >= test.alike {
				t.Fatalf("%+v: an arm 50 standard deviations off is alike: %v", test, marks)
			}
		}
		share := min(1, float64(test.alike)*Level/2)
		most := runs*share + 5*math.Sqrt(runs*share*(1-share))
		t.Logf("%+v: the first arm in %d, some arm in %d of %d runs", test, first, some, runs)
		if first > 150 || float64(some) > most {
			t.Errorf("%+v: in %d of %d runs the first of the best arms lacks its mark, in %d some of them, above 150 or %.0f", test, first, runs, some, most)
		}
	}
}

// drawnMarks marks arms by the values of 8 seeds, the first ones alike and the others far worse.
func drawnMarks(draw *rand.Rand, alike, off int) Tested {
	values, arms := map[series]map[uint64]float64{}, make([]string, alike+off)
	for i := range arms {
		arms[i] = fmt.Sprint(i)
		values[series{arms[i], "loss"}] = map[uint64]float64{}
	}
	for seed := range uint64(8) {
		common := 3 * draw.NormFloat64()
		for i, arm := range arms {
			value := common + draw.NormFloat64()
			if i >= alike {
				value += 50
			}
			values[series{arm, "loss"}][seed] = value
		}
	}
	return Samples{values: values}.Best([][]string{arms}, metric.Metric{Name: "loss", Better: metric.LowerIsBetter})[0]
}

// Arms far from the best lack a mark with the fewest seeds: the rule can tell arms apart.
func TestFewestSeedsTell(t *testing.T) {
	values := map[series]map[uint64]float64{}
	for i, arm := range []string{"a", "b", "c", "d", "e"} {
		of := map[uint64]float64{}
		for seed := range uint64(FewestPairs) {
			of[seed] = float64(10*i) + math.Sin(float64(7*i)+float64(seed))
		}
		values[series{arm, "loss"}] = of
	}
	got := Samples{values: values}.Best([][]string{{"a", "b", "c", "d", "e"}}, metric.Metric{Name: "loss", Better: metric.LowerIsBetter})[0]
	if got.Best != "a" || len(got.Alike) > 0 {
		t.Errorf("%+v", got)
	}
	if TooFew(FewestPairs) != "" || TooFew(3) != "3 seeds are too few for tests: 5 would do" {
		t.Error(TooFew(3))
	}
}

// Two arms of one run are paired by seed; arms that budgets stopped apart are compared
// before the first of them stopped.
func TestCompareArms(t *testing.T) {
	run := writeSamples(t, results.Plan{Arms: []string{"a", "b"}, Seeds: results.Seeds{Base: 1, Count: 3}}, func(job *results.Job) {
		for step := int64(1); step <= 4; step++ {
			value := float64(step) * float64(job.Seed())
			if job.Arm() == "b" {
				value += 10 + float64(job.Seed())
			}
			job.Add(step, "m", value)
		}
	})
	got, err := CompareArms(run, "a", run, "b", nil)
	must(t, err)
	if d := got.Rows[0]; len(got.Rows) != 1 || d.Step != 4 || d.Mean != 12 || fmt.Sprint(d.Pairs) != "[{1 11} {2 12} {3 13}]" || len(got.Notes) > 0 {
		t.Errorf("%+v", got)
	}
	at := int64(3)
	run.Manifest.Arms[1].StoppedAt = &at
	got, err = CompareArms(run, "a", run, "b", nil)
	must(t, err)
	if got.Rows[0].Step != 2 || len(got.Notes) != 1 {
		t.Errorf("stopped at step 3: %+v", got)
	}
	if _, err := CompareArms(run, "a", run, "c", nil); err == nil {
		t.Error("there is no arm c")
	}
}
