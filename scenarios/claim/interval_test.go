package claim

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMean compares with numbers worked out by hand.
func TestMean(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		values    []float64
		value, se float64
		reason    string
	}{
		{[]float64{1, 2, 3, 4, 5}, 3, math.Sqrt(0.5), ""}, // variance 2.5 over 5
		{[]float64{7, 7}, 7, 0, ""},
		{[]float64{inf, inf}, inf, 0, ""},
		{[]float64{7}, 7, math.NaN(), "one seed has no interval"},
		{[]float64{1, inf}, inf, math.NaN(), "infinite under some seeds"},
		{[]float64{-inf, inf}, math.NaN(), math.NaN(), "not a number under every seed"},
		{[]float64{1, math.NaN()}, math.NaN(), math.NaN(), "not a number under every seed"},
		{[]float64{math.NaN(), 1}, math.NaN(), math.NaN(), "not a number under every seed"},
		{nil, math.NaN(), math.NaN(), "not a number under every seed"},
		{[]float64{-1e200, 1e200}, 0, inf, "no standard error"},
	} {
		e := mean(test.values)
		if !same(e.value, test.value) || !same(e.se, test.se) || e.missing() != test.reason {
			t.Errorf("%v: %+v, %q, want %v ± %v, %q", test.values, e, e.missing(), test.value, test.se, test.reason)
		}
	}
}

func same(x, y float64) bool {
	return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) < 1e-12
}

// TestInterval: Student's t on 4 degrees of freedom is 2.776445 at 97.5 %.
func TestInterval(t *testing.T) {
	low, high := mean([]float64{1, 2, 3, 4, 5}).interval(0.95)
	near(t, "low", low, 3-2.776445*math.Sqrt(0.5), 1e-6)
	near(t, "high", high, 3+2.776445*math.Sqrt(0.5), 1e-6)
}

// TestSide checks the ends of ranges: a closed one has its ends, an open one has
// not.
func TestSide(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		span      span
		low, high float64
		want      State
	}{
		{span{low: 0, high: 1}, 0, 1, For},
		{span{low: 0, high: 1}, 1, 1, For},
		{span{low: 0, high: 1}, 1, 1.1, Open},
		{span{low: 0, high: 1}, 1.01, 1.1, Against},
		{span{low: 0, high: 1}, -1, -0.01, Against},
		{span{low: 0, high: 1}, -1, 2, Open},
		{span{low: 0, high: inf, open: true}, 0, 0, Against},
		{span{low: 0, high: inf, open: true}, -1, 0, Against},
		{span{low: 0, high: inf, open: true}, 0, 1, Open},
		{span{low: 0, high: inf, open: true}, 0.001, 1, For},
		{span{low: -inf, high: 0, open: true}, -1, -0.001, For},
	} {
		if got := test.span.side(test.low, test.high); got != test.want {
			t.Errorf("[%v, %v] in %+v: %s, want %s", test.low, test.high, test.span, got, test.want)
		}
	}
}

// TestHolm: four numbers with 1,000,001 seeds, so that Student's t is normal,
// standard error 1 and the p-values 0.001, 0.0127, 0.02 and 0.04 of being above
// 0. They are tested at 0.0125, 0.05/3 and 0.025 in Holm's order, which decides
// on the first three, and the last at 0.05. Were the second 0.02, the method
// would stop there and decide on none of the later.
func TestHolm(t *testing.T) {
	z := map[float64]float64{0.001: 3.290527, 0.0127: 2.491693, 0.02: 2.326348, 0.04: 2.053749, 0.03: 2.170090}
	newParts := func(ps ...float64) (parts []Part) {
		for _, p := range ps {
			parts = append(parts, Part{estimate: estimate{z[p], 1, 1_000_001}, span: span{low: 0, high: math.Inf(1), open: true}})
		}
		return parts
	}
	for _, test := range []struct {
		p      []float64
		states []State
		levels []float64
	}{
		{[]float64{0.04, 0.001, 0.02, 0.0127}, []State{For, For, For, For}, []float64{0.95, 0.9875, 0.975, 1 - 0.05/3}},
		{[]float64{0.04, 0.001, 0.02, 0.03}, []State{Open, For, Open, Open}, []float64{1 - 0.05/3, 0.9875, 1 - 0.05/3, 1 - 0.05/3}},
		{[]float64{0.03}, []State{For}, []float64{0.95}},
	} {
		parts := newParts(test.p...)
		decide(parts, 0.95)
		for i, part := range parts {
			if part.State != test.states[i] || math.Abs(part.Level-test.levels[i]) > 1e-12 {
				t.Errorf("p = %v: %s at %v, want %s at %v", test.p[i], part.State, part.Level, test.states[i], test.levels[i])
			}
		}
	}
}

// TestUntestedPartsDoNotCount: Holm's method is over what is tested.
func TestUntestedPartsDoNotCount(t *testing.T) {
	above := span{low: 0, high: math.Inf(1), open: true}
	parts := []Part{
		{estimate: estimate{2.2, 1, 1_000_001}, span: above}, // p = 0.028
		{estimate: unknown, span: above, Reason: "absent"},
	}
	decide(parts, 0.95)
	if parts[0].State != For || parts[1].State != Untested || parts[1].Reason != "absent" || verdict(parts) != Partly {
		t.Errorf("%+v", parts)
	}
}

// TestRatioCoverage draws pairs of means 3 and 1.5, correlated by what a seed
// has in common, and counts how often the interval holds their ratio. Noise of
// 2 % leaves the linearisation an error of the order of 0.02²/20 beside a
// standard error of 0.02/√20, which changes the coverage by less than 0.001. The
// count of 4,000 has the standard deviation 13.8, so that 72 from 3,800 is 5.2 of
// them: a chance of 2e-7.
func TestRatioCoverage(t *testing.T) {
	const runs, seeds = 4000, 20
	random := rand.New(rand.NewPCG(11, 5))
	covered := 0
	for range runs {
		a, b := sample{}, sample{}
		for range seeds {
			common := 1 + 0.02*random.NormFloat64()
			a.values = append(a.values, 3*common*(1+0.02*random.NormFloat64()))
			b.values = append(b.values, 1.5*common*(1+0.02*random.NormFloat64()))
		}
		e, reason := ratio(a, b)
		if reason != "" {
			t.Fatal(reason)
		}
		if low, high := e.interval(0.95); low <= 2 && 2 <= high {
			covered++
		}
	}
	if covered < 3800-72 || covered > 3800+72 {
		t.Errorf("%d of %d intervals hold the ratio, want 3800 ± 72", covered, runs)
	}
}

// TestRatioEdges: a denominator of 0 has no ratio.
func TestRatioEdges(t *testing.T) {
	for _, test := range []struct {
		a, b   []float64
		reason string
	}{
		{[]float64{1, 2}, []float64{0, 0}, "not a number under every seed"},
		{[]float64{0, 0}, []float64{0, 0}, "not a number under every seed"},
		{[]float64{1, 2}, []float64{-1, 1}, "not a number under every seed"},
		{[]float64{1}, []float64{2}, "one seed has no interval"},
		{[]float64{2, 2}, []float64{1, 1}, ""},
		{[]float64{math.Inf(1), math.Inf(1)}, []float64{math.Inf(1), math.Inf(1)}, "not a number under every seed"},
	} {
		e, reason := ratio(sample{values: test.a}, sample{values: test.b})
		if reason != "" || e.missing() != test.reason {
			t.Errorf("%v / %v: %+v, %q %q, want %q", test.a, test.b, e, reason, e.missing(), test.reason)
		}
	}
}
