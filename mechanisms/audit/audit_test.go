package audit_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
)

// The bound holds with its confidence under mechanisms whose parameter is known,
// and says something. Of 200 bounds of confidence 0.9, the number that exceed
// the parameter is at most binomial with mean 20; that it is over 45 has chance
// 7e-8.
func TestCoverage(t *testing.T) {
	const repeats, most, samples = 200, 45, 400
	for name, c := range map[string]struct {
		law     law
		measure audit.Measure
		truth   float64
	}{
		"laplace":             {laplace(1), audit.Epsilon(0), 1},
		"randomized response": {response(0.5), audit.Epsilon(0), 0.5},
		"gaussian":            {gaussian(1), audit.Mu(), 1},
		"gaussian at delta":   {gaussian(1), audit.Epsilon(0.1), must(accountant.GaussianEpsilon(1, 0.1))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over, mean := 0, 0.0
			for k := range repeats {
				a, b := c.law.samples(generator(k), samples)
				got := bound(t, a, b, c.measure, 0.9)
				mean += got / repeats
				if got > c.truth {
					over++
				}
			}
			if over > most {
				t.Errorf("%d of %d bounds of confidence 0.9 exceed %v", over, repeats, c.truth)
			}
			if mean < 0.3*c.truth {
				t.Errorf("the bounds are %v on average, of %v", mean, c.truth)
			}
		})
	}
}

// Half the noise is caught with the samples that SamplesNeeded predicts for power
// 0.9: of 60 audits as many fail as a binomial of mean 6 at most; over 17 has
// chance 2e-5. With a sixteenth of the samples most fail.
func TestPower(t *testing.T) {
	const repeats, mostMissed = 60, 17
	for name, c := range map[string]struct {
		law     law
		measure audit.Measure
		p, q    float64 // of the event {statistic >= 1}, which a calculation by hand would take
	}{
		"laplace":  {laplace(2), audit.Epsilon(0), 0.5, math.Exp(-2) / 2},
		"gaussian": {gaussian(2), audit.Mu(), normal(1), normal(-1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needed, err := audit.SamplesNeeded(c.p, c.q, audit.HalfPilot, c.measure, 1, 0.95, 0.9)
			if err != nil {
				t.Fatal(err)
			}
			missed := func(samples int) (count int) {
				for k := range repeats {
					a, b := c.law.samples(generator(1000+k), samples)
					if bound(t, a, b, c.measure, 0.95) <= 1 {
						count++
					}
				}
				return count
			}
			if got := missed(needed); got > mostMissed {
				t.Errorf("%d of %d audits with %d samples miss half the noise", got, repeats, needed)
			}
			if got := missed(max(4, needed/16)); got < repeats/2 {
				t.Errorf("%d of %d audits with a sixteenth of %d samples miss it", got, repeats, needed)
			}
		})
	}
}

// The bound is that of the event that it names, counted on the second halves.
func TestBoundIsOfItsEvent(t *testing.T) {
	a, b := gaussian(1.5).samples(generator(5), 2000)
	got, err := audit.LowerBound(a, b, audit.HalfPilot, audit.Epsilon(0), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	count := func(x []float64) (n int) {
		for _, v := range x[1000:] {
			if !got.Below && v >= got.Threshold || got.Below && v <= got.Threshold {
				n++
			}
		}
		return n
	}
	more, less := count(b), count(a)
	if got.Below {
		more, less = less, more
	}
	want := math.Log(audit.LowerLimit(more, 1000, 0.025) / audit.UpperLimit(less, 1000, 0.025))
	if math.Abs(got.Value-want) > 1e-12 || got.Samples != 2000 {
		t.Errorf("bound %+v, want %v", got, want)
	}
}

// Outcomes that say nothing give nothing, and what is no sample is refused.
func TestNothingToFind(t *testing.T) {
	same := make([]float64, 100)
	if got := bound(t, same, same, audit.Epsilon(0), 0.9); got != 0 {
		t.Errorf("equal outcomes bound epsilon by %v", got)
	}
	for want, f := range map[string]func() (audit.Bound, error){
		"equally many": func() (audit.Bound, error) { return audit.LowerBound(same, same[1:], audit.HalfPilot, audit.Mu(), 0.9) },
		"at least 4": func() (audit.Bound, error) {
			return audit.LowerBound(same[:2], same[:2], audit.HalfPilot, audit.Mu(), 0.9)
		},
		"confidence": func() (audit.Bound, error) { return audit.LowerBound(same, same, audit.HalfPilot, audit.Mu(), 1) },
		"outcome 3 is not a number": func() (audit.Bound, error) {
			odd := slices.Clone(same)
			odd[2] = math.NaN()
			return audit.LowerBound(same, odd, audit.HalfPilot, audit.Mu(), 0.9)
		},
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Classes are scored by what the first outcomes show: the two classes that tell
// the inputs apart are found among ten, and the second halves have no say.
func TestScores(t *testing.T) {
	r := generator(6)
	const samples = 20_000
	a, b := make([]int, samples), make([]int, samples)
	truth := 1 / (1 + math.Exp(-1))
	for i := range samples {
		a[i], b[i] = r.IntN(10), r.IntN(10)
		for side, x := range [][]int{a, b} {
			if x[i] == 4 || x[i] == 7 {
				x[i] = 4
				if (r.Float64() < truth) == (side == 1) {
					x[i] = 7
				}
			}
		}
	}
	scoresA, scoresB, err := audit.Scores(a, b, 10, audit.HalfPilot)
	if err != nil {
		t.Fatal(err)
	}
	if got := bound(t, scoresA, scoresB, audit.Epsilon(0), 0.95); got > 1 || got < 0.75 {
		t.Errorf("bound %v of epsilon 1", got)
	}
	a[samples-1] = 3
	b[samples-1] = 9
	again, _, _ := audit.Scores(a, b, 10, audit.HalfPilot)
	if !slices.Equal(again[:samples-1], scoresA[:samples-1]) {
		t.Error("a later outcome changed the scores")
	}
	if _, _, err := audit.Scores([]int{0, 10}, []int{0, 1}, 10, audit.HalfPilot); err == nil {
		t.Error("a class out of range is accepted")
	}
}

// Blocks depend on key and block alone.
func TestFill(t *testing.T) {
	c := must(audit.Canaries(1))[0]
	n, key := 3*256+17, rng.NewKey(1, rng.PurposeOf("fill"))
	fill := func(order []int) (a, b []float64) {
		a, b = make([]float64, n), make([]float64, n)
		for _, k := range order {
			if err := c.Sampler().Fill(a, b, key, k); err != nil {
				t.Fatal(err)
			}
		}
		return a, b
	}
	a, b := fill([]int{0, 1, 2, 3})
	otherA, otherB := fill([]int{3, 1, 0, 2})
	if audit.Blocks(n) != 4 || !slices.Equal(a, otherA) || !slices.Equal(b, otherB) || slices.Equal(a, b) {
		t.Error("outcomes depend on the order of the blocks")
	}
}

// Judge says with how many samples the loss was first exceeded, and what its
// samples can reach: with 64 test samples, none of the other input, at most
// ln(miss^(1/64)/(1 - miss^(1/64))).
func TestJudge(t *testing.T) {
	a, b := laplace(3).samples(generator(8), 4096)
	f, err := audit.Judge(accountant.Loss{Epsilon: 1}, 0, a, b, audit.HalfPilot, 0.95)
	if err != nil || !f.Exceeded() || f.Shown == 0 || f.Shown > 1024 || f.Accounted != 1 || f.Audited > 3 {
		t.Errorf("%+v, %v", f, err)
	}
	if short := bound(t, a[:f.Shown], b[:f.Shown], audit.Epsilon(0), 0.95); short <= 1 {
		t.Errorf("%d samples give %v", f.Shown, short)
	}
	if f.Shown > 64 && bound(t, a[:f.Shown/2], b[:f.Shown/2], audit.Epsilon(0), 0.95) > 1 {
		t.Errorf("%d samples were enough", f.Shown/2)
	}
	f, err = audit.Judge(accountant.Loss{Epsilon: 3}, 0, a[:128], b[:128], audit.HalfPilot, 0.95)
	root := math.Pow(0.025, 1.0/64)
	if want := math.Log(root / (1 - root)); err != nil || f.Exceeded() || f.Shown != 0 || math.Abs(f.Reach-want) > 1e-9 {
		t.Errorf("%+v, %v, want reach %v", f, err, want)
	}
	if f, err := audit.Judge(accountant.Loss{Rho: 1}, 0, a, b, audit.HalfPilot, 0.95); err == nil {
		t.Errorf("a Gaussian loss at delta 0: %+v", f)
	}
}

// must returns the value of a call that cannot fail on its arguments.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprint(err))
	}
	return value
}
