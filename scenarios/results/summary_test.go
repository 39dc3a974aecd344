package results

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// summarize returns the summary of one metric over seeds.
func summarize(t interface{ Fatal(...any) }, values []float64) SummaryRow {
	s := NewSummarizer([]string{"a"})
	for seed, value := range values {
		job := NewJob("a", uint64(seed))
		job.Add(1, "m", value)
		job.AddNode(1, 1, "m", -1e9) // must not count
		if err := s.AddJob(job); err != nil {
			t.Fatal(err)
		}
	}
	rows := s.Rows()
	if len(rows) != 1 {
		t.Fatal("rows:", rows)
	}
	return rows[0]
}

// TestSummaryAgainstTwoPasses compares with the textbook formulas in 200-bit
// arithmetic. Tolerance: Welford's mean has a relative error of order n·u of
// the largest |x|, and its sum of squares one of order n·κ·u with the condition
// number κ = ‖x‖/√S (Chan, Golub, LeVeque 1983); u = 1.1e-16, constants
// below 8.
func TestSummaryAgainstTwoPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 40).Draw(t, "values")
		got := summarize(t, values)
		mean, squares, norm, largest := twoPass(values)
		n, u := float64(len(values)), 0x1p-53
		if math.Abs(got.Mean-mean) > 8*n*u*largest {
			t.Errorf("mean %v, want %v", got.Mean, mean)
		}
		se := math.Sqrt(squares / (n - 1) / n)
		kappa := 1.0
		if squares > 0 {
			kappa = norm / math.Sqrt(squares)
		}
		if math.Abs(got.SE-se) > 8*n*kappa*u*se+8*n*u*u*largest {
			t.Errorf("se %v, want %v (κ = %v)", got.SE, se, kappa)
		}
		if got.N != int64(len(values)) {
			t.Errorf("n = %d", got.N)
		}
	})
}

// twoPass returns mean, Σ(x-mean)², ‖x‖ and max|x|.
func twoPass(values []float64) (mean, squares, norm, largest float64) {
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	sum := exact(0)
	for _, x := range values {
		sum.Add(sum, exact(x))
		norm = math.Hypot(norm, x)
		largest = math.Max(largest, math.Abs(x))
	}
	m := sum.Quo(sum, exact(float64(len(values))))
	total := exact(0)
	for _, x := range values {
		d := exact(x)
		d.Sub(d, m)
		total.Add(total, d.Mul(d, d))
	}
	mean, _ = m.Float64()
	squares, _ = total.Float64()
	return mean, squares, norm, largest
}

func TestSummaryEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tests := map[string]struct {
		values   []float64
		mean, se float64
	}{
		"one value":         {[]float64{3}, 3, nan},
		"equal":             {[]float64{0.1, 0.1, 0.1}, 0.1, 0},
		"known":             {[]float64{1, 2, 3, 4}, 2.5, math.Sqrt(5.0 / 3 / 4)},
		"all infinite":      {[]float64{inf, inf, inf}, inf, 0},
		"all -infinite":     {[]float64{-inf, -inf}, -inf, 0},
		"late infinity":     {[]float64{1, 2, inf}, inf, nan},
		"early infinity":    {[]float64{inf, 2, 1, inf}, inf, nan},
		"opposite infinity": {[]float64{inf, -inf}, nan, nan},
		"NaN":               {[]float64{1, nan, 1}, nan, nan},
		"NaN first":         {[]float64{nan, 1, 1}, nan, nan},
		"squares overflow":  {[]float64{-1e200, 1e200}, 0, inf},
		"tiny":              {[]float64{5e-324, 5e-324}, 5e-324, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want := SummaryRow{"a", 1, "m", test.mean, test.se, int64(len(test.values))}
			if diff := cmp.Diff(want, summarize(t, test.values), cmpopts.EquateNaNs()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSummaryOrder(t *testing.T) {
	s := NewSummarizer([]string{"z", "a"})
	job := NewJob("z", 0)
	for _, step := range []int64{10, 2} {
		job.Add(step, "regret", 1)
		job.Add(step, "distance", 1)
	}
	must(t, s.AddJob(job))
	must(t, s.AddSummary(SummaryRow{Arm: "a", Step: 1, Metric: "x", N: 1}))
	must(t, s.AddSummary(SummaryRow{Arm: "z", Step: 2, Metric: "expected", N: 1}))
	var got []string
	for _, row := range s.Rows() {
		got = append(got, strings.Join([]string{row.Arm, string(rune('0' + row.Step)), row.Metric}, " "))
	}
	want := []string{"z 2 distance", "z 2 expected", "z 2 regret", "z : distance", "z : regret", "a 1 x"} // ':' follows '9'
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSummaryRefuses(t *testing.T) {
	job := NewJob("a", 0)
	job.Add(1, "m", 1)
	double := NewJob("a", 1)
	double.Add(1, "m", 1)
	double.Add(1, "m", 1)
	foreign := NewJob("b", 1)
	foreign.Add(1, "m", 1)
	row := func(arm, metric string, n int64) SummaryRow {
		return SummaryRow{Arm: arm, Step: 1, Metric: metric, N: n}
	}
	tests := map[string]struct {
		add  func(*Summarizer) error
		want string
	}{
		"two values":     {func(s *Summarizer) error { return s.AddJob(double) }, "two values"},
		"unknown arm":    {func(s *Summarizer) error { return s.AddJob(foreign) }, `arm "b"`},
		"row twice":      {func(s *Summarizer) error { return s.AddSummary(row("a", "m", 1)) }, "already"},
		"row of no arm":  {func(s *Summarizer) error { return s.AddSummary(row("b", "x", 1)) }, `arm "b"`},
		"row of nothing": {func(s *Summarizer) error { return s.AddSummary(row("a", "x", 0)) }, "n = 0"},
		"nameless row":   {func(s *Summarizer) error { return s.AddSummary(row("a", "", 1)) }, "empty"},
		"job after row": {func(s *Summarizer) error {
			late := NewJob("a", 1)
			late.Add(1, "expected", 1)
			return s.AddJob(late)
		}, "reducer"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := NewSummarizer([]string{"a"})
			must(t, s.AddJob(job))
			must(t, s.AddSummary(row("a", "expected", 1)))
			if err := test.add(s); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want an error with %q", err, test.want)
			}
		})
	}
}

// TestSummaryRoundTrip reads summary.parquet back, an undefined error included.
func TestSummaryRoundTrip(t *testing.T) {
	run, err := Open(writeRun(t))
	must(t, err)
	var got []SummaryRow
	must(t, run.Summary(func(row SummaryRow) error { got = append(got, row); return nil }))
	summarizer := NewSummarizer(testPlan.Arms)
	for _, job := range testJobs() {
		must(t, summarizer.AddJob(job))
	}
	want := summarizer.Rows()
	extra := SummaryRow{Arm: "base", Step: 2, Metric: "regret.expected", Mean: 0.25, SE: 0.125, N: 3}
	want = slices.Insert(want, 2, extra) // after (base, 1, regret.network) and (base, 2, distance)
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}
