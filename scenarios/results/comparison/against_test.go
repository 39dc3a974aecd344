package comparison

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// Both ends of Fieller's interval are ratios at which the paired t-test of y - r x has the
// p-value 0.05; the middle has more, and beyond the ends there is less. 1 lies in the interval
// just where the paired t-test of y - x has p at least 0.05.
func TestFieller(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	p := func(x, y []float64, r float64) float64 {
		d := make([]float64, len(x))
		for i := range d {
			d[i] = y[i] - r*x[i]
		}
		mean, se := results.MeanSE(d)
		return pairedP(mean, se, len(d))
	}
	holding := 0
	for range 500 {
		n := 2 + draw.IntN(20)
		x, y := make([]float64, n), make([]float64, n)
		sign := float64(1 - 2*draw.IntN(2))
		for i := range x {
			common := draw.Float64()
			x[i], y[i] = sign*(2+common+draw.Float64()), 2+common+draw.NormFloat64()
		}
		r := fieller(x, y, false)
		if math.IsNaN(r.Value) {
			if n > 3 {
				t.Fatalf("no ratio of %v to %v", y, x)
			}
			continue
		}
		width := r.High - r.Low
		for at, want := range map[float64]int{r.Low: 0, r.High: 0, r.Low - width/50: -1, r.High + width/50: -1, r.Low + width/50: 1, r.High - width/50: 1} {
			got := p(x, y, at)
			if want == 0 && math.Abs(got-0.05) > 1e-6 || want < 0 && got >= 0.05 || want > 0 && got <= 0.05 {
				t.Errorf("n = %d: at the ratio %v of [%v, %v] p is %v", n, at, r.Low, r.High, got)
			}
		}
		inside := r.Low <= 1 && 1 <= r.High
		if equal := p(x, y, 1) >= 0.05; equal != inside {
			t.Errorf("[%v, %v] and p = %v", r.Low, r.High, p(x, y, 1))
		}
		if inside {
			holding++
		}
	}
	if holding == 0 || holding == 500 {
		t.Errorf("1 is in %d of 500 intervals", holding)
	}
}

// There is no ratio to what is 0, of both signs or not told apart from 0; agreement under all
// seeds has an interval for a derived metric alone.
func TestNoFieller(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		x, y    []float64
		derived bool
		want    string
	}{
		{[]float64{1, 0}, []float64{1, 2}, false, "{NaN NaN NaN}"},
		{[]float64{1, -1}, []float64{1, 2}, false, "{NaN NaN NaN}"},
		{[]float64{1, 20}, []float64{1, 2}, false, "{NaN NaN NaN}"}, // t is 12.7 for 1 degree of freedom
		{[]float64{inf, inf}, []float64{1, 2}, false, "{NaN NaN NaN}"},
		{[]float64{1, 1}, []float64{inf, inf}, true, "{NaN NaN NaN}"},
		{nil, nil, false, "{NaN NaN NaN}"},
		{[]float64{2}, []float64{3}, false, "{1.5 NaN NaN}"},
		{[]float64{2, 2}, []float64{3, 3}, false, "{1.5 NaN NaN}"},
		{[]float64{2, 2}, []float64{3, 3}, true, "{1.5 1.5 1.5}"},
		{[]float64{-2, -2}, []float64{3, 3}, true, "{-1.5 -1.5 -1.5}"},
	} {
		if got := fmt.Sprint(fieller(test.x, test.y, test.derived)); got != test.want {
			t.Errorf("%v to %v: %s, want %s", test.y, test.x, got, test.want)
		}
	}
}

// meanOf is the mean of values as a statistic.
func meanOf(of []float64) Statistic {
	return func(weights, values []float64) float64 {
		mean := 0.0
		for s, w := range weights {
			mean += w * of[s]
		}
		copy(values, of)
		return mean
	}
}

// The studentized bootstrap of a mean, by a plain loop over lists of the drawn values. Of normal
// values its interval is about Student's, and it has 0 just where p exceeds 0.05.
func TestStudentized(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for n := 5; n <= 40; n += 7 {
		x, y, d := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = draw.NormFloat64()
			y[i] = x[i] + 0.4 + draw.NormFloat64()
			d[i] = y[i] - x[i]
		}
		b := newBootstrap(n)
		got := b.studentized(combine(b.of(meanOf(x)), b.of(meanOf(y)), difference))
		mean, se := results.MeanSE(d)
		var away []float64
		extreme := 0
		for _, sample := range b.samples {
			var list []float64
			for s, count := range sample {
				for range count {
					list = append(list, d[s])
				}
			}
			if len(list) != n {
				t.Fatalf("a sample of %d of %d seeds", len(list), n)
			}
			m, s := results.MeanSE(list)
			away = append(away, math.Abs(m-mean)/s)
			if math.Abs(m-mean)/s >= math.Abs(mean)/se {
				extreme++
			}
		}
		sort.Float64s(away)
		half := away[4749] * se
		if math.Abs(got.low-(mean-half)) > 1e-9 || math.Abs(got.high-(mean+half)) > 1e-9 || math.Abs(got.p-float64(1+extreme)/5000) > 1e-9 {
			t.Errorf("n = %d: %+v, want %v ± %v, p %v", n, got, mean, half, float64(1+extreme)/5000)
		}
		if (got.low <= 0 && 0 <= got.high) != (got.p > 0.05) {
			t.Errorf("[%v, %v] and p = %v", got.low, got.high, got.p)
		}
		if student := newDifference(series{}, 1, pair(bySeed(x), bySeed(y), 0, uint64(n-1)), false); n > 20 && math.Abs((got.high-got.low)/(student.High-student.Low)-1) > 0.2 {
			t.Errorf("n = %d: width %v, Student's %v", n, got.high-got.low, student.High-student.Low)
		}
		if again := newBootstrap(n).studentized(b.of(meanOf(d))); again != b.studentized(b.of(meanOf(d))) {
			t.Error("other bits")
		}
	}
}

// bySeed are values under the seeds 0, 1, ..
func bySeed(x []float64) map[uint64]float64 {
	m := map[uint64]float64{}
	for i, v := range x {
		m[uint64(i)] = v
	}
	return m
}

// The ratio of two means by the bootstrap is near Fieller's, keeps its sign where both do, and
// is not there where the first has both signs.
func TestBootstrappedRatio(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	const n = 30
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 10 + draw.NormFloat64()
		y[i] = x[i] + 2 + draw.NormFloat64()
	}
	b := newBootstrap(n)
	got, want := b.ratioOf(b.of(meanOf(x)), b.of(meanOf(y))), fieller(x, y, false)
	if math.Abs(got.Value-want.Value) > 1e-12 || math.Abs((got.High-got.Low)/(want.High-want.Low)-1) > 0.2 {
		t.Errorf("%+v, want about %+v", got, want)
	}
	for i := range x {
		y[i] = 0.1 + 0.5*draw.NormFloat64()*draw.NormFloat64()
	}
	if r := b.ratioOf(b.of(meanOf(y)), b.of(meanOf(x))); !math.IsNaN(r.Value) {
		t.Errorf("ratio %+v to what has both signs", r)
	}
	if r := b.ratioOf(b.of(meanOf(x)), b.of(meanOf(y))); math.IsNaN(r.Low) || !(r.Low < 0 && r.High > 0) {
		t.Errorf("ratio %+v of what has both signs", r)
	}
	for i := range x {
		y[i] = math.Exp(2 * draw.NormFloat64())
	}
	if r := b.ratioOf(b.of(meanOf(x)), b.of(meanOf(y))); !(r.Low > 0) {
		t.Errorf("ratio %+v of what is above 0", r)
	}
	if r := b.studentized(b.of(meanOf(slices.Repeat([]float64{3}, n)))); !math.IsNaN(r.low) || !math.IsNaN(r.p) {
		t.Errorf("equal values: %+v", r)
	}
}

// Under the hypothesis the bootstrap refuses the largest of several means, a statistic over
// seeds, in at most 5 % of the studies, up to 3 standard errors of their number.
func TestBootstrapHoldsItsLevel(t *testing.T) {
	const studies, n, nodes = 400, 8, 4
	b := newBootstrap(n)
	largest := func(of [][]float64) Statistic {
		return func(weights, values []float64) float64 {
			most, at := math.Inf(-1), 0
			for k := range of {
				if mean := meanOf(of[k])(weights, values); mean > most {
					most, at = mean, k
				}
			}
			copy(values, of[at])
			return most
		}
	}
	draw := rand.New(rand.NewPCG(9, 10))
	wrong := 0
	for range studies {
		var arms [2][][]float64
		common := make([]float64, n)
		for s := range common {
			common[s] = draw.NormFloat64()
		}
		for i := range arms {
			for range nodes {
				values := make([]float64, n)
				for s := range values {
					values[s] = common[s] + draw.ExpFloat64()
				}
				arms[i] = append(arms[i], values)
			}
		}
		r := b.studentized(combine(b.of(largest(arms[0])), b.of(largest(arms[1])), difference))
		if r.p <= Level {
			wrong++
		}
	}
	t.Logf("refused in %d of %d studies", wrong, studies)
	if bound := studies*Level + 3*math.Sqrt(studies*Level*(1-Level)); float64(wrong) > bound {
		t.Errorf("refused in %d of %d studies, above %v", wrong, studies, bound)
	}
}

// againstRun has three arms with other numbers of steps and of data a step.
func againstRun(t *testing.T, seeds results.Seeds) *results.Run {
	return writeSamples(t, results.Plan{Arms: []string{"slow", "fast", "bare"}, Seeds: seeds}, func(job *results.Job) {
		data, steps := int64(10), int64(6)
		if job.Arm() == "fast" {
			data, steps = 25, 4
		}
		for step := int64(1); step <= steps; step++ {
			noise := float64((job.Seed() * uint64(step) * uint64(data)) % 7)
			if job.Arm() == "bare" {
				noise = float64((job.Seed()*job.Seed() + uint64(step)) % 5)
			} else {
				job.Add(step, "data.seen", float64(step*data))
			}
			job.Add(step, "loss", 100-float64(step*data)+noise)
			job.Add(step, "epsilon.total", float64(step))
		}
	})
}

// TestJoin chooses steps: the last, a number, and a column of which each arm takes the greatest
// value at or below the limit.
func TestJoin(t *testing.T) {
	run := againstRun(t, results.Seeds{Base: 1, Count: 3})
	arms := []Arm{{Run: run, Name: "slow"}, {Run: run, Name: "fast"}}
	loss := metric.List{{Name: "loss", Better: metric.LowerIsBetter, Level: metric.OfRun}}
	for _, test := range []struct{ at, steps, note string }{
		{"last", "6 4", "the last step that all have recorded is 4: --at step=4 compares there"},
		{"step=3", "3 3", ""},
		{"step=9", "4 4", "the greatest value that all reached is 4"},
		{"step", "4 4", ""},
		{"data.seen=50", "5 2", ""},
		{"data.seen=59", "5 2", ""},
		{"data.seen", "6 2", ""}, // slow ends at 60, and fast has 50 there
		{"data.seen=1000", "6 2", "the greatest value that all reached is 60"},
	} {
		j, err := ParseJoin(test.at)
		must(t, err)
		if j.String() != test.at {
			t.Errorf("%s is read as %s", test.at, j)
		}
		c, err := CompareAgainst(arms, loss, j, nil)
		must(t, err)
		rows := c.Metrics[0].Rows
		if got := fmt.Sprintf("%d %d", rows[0].Step, rows[1].Step); got != test.steps {
			t.Errorf("%s: steps %s, want %s", test.at, got, test.steps)
		}
		if got := strings.Join(c.Notes, "\n"); (got == "") != (test.note == "") || !strings.Contains(got, test.note) {
			t.Errorf("%s: notes %q", test.at, got)
		}
	}
	for at, want := range map[string]string{
		"data.seen=20": "arm fast has recorded no loss at or below data.seen=20; its first is at 25",
		"rounds=2":     "arm slow has not recorded rounds: name it in measure.metrics",
	} {
		j, err := ParseJoin(at)
		must(t, err)
		if _, err := CompareAgainst(arms, loss, j, nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", at, err, want)
		}
	}
	for _, at := range []string{"last=3", "=3", "step=x", "step=inf", "step="} {
		if j, err := ParseJoin(at); err == nil {
			t.Errorf("%s is read as %v", at, j)
		}
	}
	one, stop := int64(0), int64(3)
	run.Manifest.Arms[1].StoppedAt = &stop
	c, err := CompareAgainst(arms, loss, Join{}, nil)
	must(t, err)
	if rows := c.Metrics[0].Rows; rows[0].Step != 2 || rows[1].Step != 2 || len(c.Notes) != 1 {
		t.Errorf("stopped apart: steps %d and %d, %q", rows[0].Step, rows[1].Step, c.Notes)
	}
	run.Manifest.Arms[1].FirstStep, run.Manifest.FirstStep = &one, 1 // its step 3 is the fourth
	c, err = CompareAgainst(arms, loss, Join{Column: StepColumn, Value: 3}, nil)
	must(t, err)
	if rows := c.Metrics[0].Rows; rows[0].Step != 3 || rows[1].Step != 2 {
		t.Errorf("other numbers: steps %d and %d", rows[0].Step, rows[1].Step)
	}
}

// TestCompareAgainst holds rows against the comparison of two arms, and Holm's correction against
// that of all p-values.
func TestCompareAgainst(t *testing.T) {
	first, second := againstRun(t, results.Seeds{Base: 1, Count: 8}), againstRun(t, results.Seeds{Base: 3, Count: 8})
	arms := []Arm{{Run: first, Name: "slow"}, {Run: first, Name: "fast"}, {Run: second, Name: "bare", Label: "other:bare"}}
	metrics := metric.List{
		{Name: "loss", Better: metric.LowerIsBetter, Level: metric.OfRun}, {Name: "epsilon.total", Level: metric.OfRun, Derived: true},
		{Name: "data.seen", Level: metric.OfRun}, {Name: "no.such", Level: metric.OfRun}, {Name: "over.seeds", Level: metric.OfSummary},
	}
	j := Join{Column: StepColumn, Value: 4}
	c, err := CompareAgainst(arms, metrics, j, nil)
	must(t, err)
	var p, holm []float64
	for _, of := range c.Metrics {
		for _, row := range of.Rows {
			p, holm = append(p, row.P), append(holm, row.Holm)
		}
	}
	if want := Holm(p); fmt.Sprint(want) != fmt.Sprint(holm) || c.Tests != 2 {
		t.Errorf("%d tests, p %v: %v, want %v", c.Tests, p, holm, want)
	}
	if len(c.Metrics) != 3 || len(c.Metrics[0].Rows) != 3 || len(c.Metrics[2].Rows) != 2 {
		t.Fatalf("%+v", c.Metrics)
	}
	row := c.Metrics[0].Rows[2]
	if len(row.Seeds) != 6 || row.Seeds[0] != 3 {
		t.Errorf("seeds %v", row.Seeds)
	}
	pairs, err := CompareArms(first, "slow", first, "fast", metrics)
	must(t, err)
	i := slices.IndexFunc(pairs.Rows, func(d Difference) bool { return d.Metric == "loss" })
	if d, row := pairs.Rows[i], c.Metrics[0].Rows[1]; d.Mean != row.Difference || d.Low != row.Low || d.P != row.P || d.Step != row.Step {
		t.Errorf("%+v, want as %+v", row, d)
	}
	for _, want := range []string{"arm other:bare has 6 of the 8 seeds of the baseline", "arm other:bare has no metric data.seen", "arm slow has no metric no.such"} {
		if !slices.ContainsFunc(c.Notes, func(note string) bool { return strings.HasPrefix(note, want) }) {
			t.Errorf("notes %q, want %s", c.Notes, want)
		}
	}
	elsewhere := againstRun(t, results.Seeds{Base: 100, Count: 2})
	if _, err := CompareAgainst([]Arm{arms[0], {Run: elsewhere, Name: "fast"}}, metrics, Join{}, nil); !errors.Is(err, ErrNothingCommon) {
		t.Errorf("no common seed: %v", err)
	}
}

// A statistic over seeds is resampled; where its parts are missing the arm is left out, with the
// reason.
func TestCompareStatistics(t *testing.T) {
	expected := func(arm string) results.SummaryRow {
		return results.SummaryRow{Arm: arm, Step: 1, Metric: "over.seeds", Mean: 1, SE: 1, N: 6}
	}
	run := writeSamples(t, results.Plan{Arms: []string{"a", "b", "c"}, Seeds: results.Seeds{Base: 1, Count: 6}}, func(job *results.Job) {
		job.Add(1, "m", float64(job.Seed()))
	}, expected("a"), expected("b"), expected("c"))
	arms := []Arm{{Run: run, Name: "a"}, {Run: run, Name: "b"}, {Run: run, Name: "c"}}
	metrics := metric.List{{Name: "over.seeds", Level: metric.OfSummary, Better: metric.HigherIsBetter}}
	c, err := CompareAgainst(arms, metrics, Join{}, func(arm Arm, name string, step int64, seeds []uint64) (Statistic, error) {
		if arm.Name == "c" {
			return nil, errors.New("gone")
		}
		values := make([]float64, len(seeds))
		for i, seed := range seeds {
			if values[i] = 1 + float64(seed%2); arm.Name == "b" {
				values[i] += 10 + float64(seed)/10
			}
		}
		return meanOf(values), nil
	})
	must(t, err)
	rows := c.Metrics[0].Rows
	if len(rows) != 2 || !rows[1].Bootstrapped || math.Abs(rows[1].Difference-10.35) > 1e-9 || rows[1].Verdict(metrics[0]) != BetterWord || !(rows[1].Ratio.Low > 1) {
		t.Errorf("%+v", rows)
	}
	if want := []string{"over.seeds of arm c is left out: gone"}; !slices.Equal(c.Notes, want) {
		t.Errorf("notes %q", c.Notes)
	}
}

// Of three seeds a ninth of the samples has one seed alone. Their standard errors are rounding, and
// no interval may come of them: 95 % of the samples do not bound one.
func TestStudentizedOfFewSeeds(t *testing.T) {
	for n, bounded := range map[int]bool{2: false, 3: false, 4: true, 5: true} {
		b := newBootstrap(n)
		values := []float64{410.25, 403.8, 371.6, 517.3, 281.9}[:n]
		mean := meanOf(values)
		r := b.studentized(b.of(func(weights, of []float64) float64 {
			value := mean(weights, of)
			for s := range of {
				of[s] *= 1 + 0x1p-52 // as of a statistic that is computed in another order
			}
			return value
		}))
		if got := !math.IsNaN(r.high); got != bounded {
			t.Errorf("%d seeds: an interval up to %g", n, r.high)
		}
		if bounded && !(r.high-r.low < 1e5) {
			t.Errorf("%d seeds: an interval from %g to %g", n, r.low, r.high)
		}
	}
}

// TestBestOf marks a statistic over the seeds by the bootstrap: an arm that is far worse under every seed is told
// from the best, one that differs by chance is not, and fewer seeds than tests take have no marks.
func TestBestOf(t *testing.T) {
	of := map[string][]float64{"a": {1, 2, 3, 1.5, 2.5, 2.2}, "b": {1.2, 1.9, 3.1, 1.4, 2.6, 2.1}, "c": {21, 22.5, 23, 21.7, 22.4, 22}}
	statistics := func(arm Arm, _ string, _ int64, seeds []uint64) (Statistic, error) {
		if of[arm.Name] == nil {
			return nil, errors.New("no parts")
		}
		return func(weights, values []float64) (mean float64) {
			copy(values, of[arm.Name][:len(seeds)])
			for i, v := range values {
				mean += weights[i] * v
			}
			return mean
		}, nil
	}
	m := metric.Metric{Name: "regret.expected", Level: metric.OfSummary, Better: metric.LowerIsBetter}
	run := &results.Run{Manifest: results.Manifest{Seeds: results.Seeds{Base: 1, Count: 6}}}
	got := BestOf(run, [][]string{{"c", "b", "a", "gone"}, {"a"}}, m, nil, statistics)
	if diff := cmp.Diff([]Tested{{Best: "a", Alike: []string{"b"}}, {}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	run.Manifest.Seeds.Count = FewestPairs - 1
	if got := BestOf(run, [][]string{{"a", "c"}}, m, nil, statistics); got[0].Best != "" {
		t.Errorf("few seeds: %v", got)
	}
}
