package factorization

import (
	"math"
	"slices"
	"testing"

	"starling/mechanisms/rng"
	"starling/messages"

	"pgregory.net/rapid"

	"starling/mechanisms/numeric"
)

// manyChains is the law of chains for n steps with about the optimum's
// multipliers.
func manyChains(t *testing.T, n, count int) *chains {
	t.Helper()
	c := newCoarse(n)
	blocks, err := c.solve()
	if err != nil {
		t.Fatal(err)
	}
	for b := range blocks {
		blocks[b] = math.Log(blocks[b])
	}
	v := make([]float64, n)
	c.spread(v, blocks)
	for i := range v {
		v[i] = math.Exp(v[i])
	}
	low, high := spectrum(v)
	r, _ := numeric.InverseRoot(low, high, count)
	return newChains(v, r, 0, nil)
}

// After a million steps one number a step still has the covariance of the sum of
// independent chains. What the stream keeps is x_t = (1 - decay) x_{t-1} + gain z,
// so M_t = E x x' follows, and the covariance of the sums at t and t+lag is 1'
// (product of 1 - decay) M_t 1; the chains' own is the sum of the products with
// their variances. Neither knows of the filter.
func TestInnovationsOfManySteps(t *testing.T) {
	const n, count, tolerance = 1_000_000, 8, 1e-11
	law := manyChains(t, n, count)
	f := law.filter()
	var m [count][count]float64
	var variance [count]float64
	type pair struct{ got, want [count]float64 } // covariances with the sum at step from
	pairs := map[int]*pair{}
	from := []int{0, 1, 1000, 500_000, 900_000, n - 1000, n - 2, n - 1}
	lags := []int{0, 1, 2, 10, 100, 999, 99_999}
	checked, row := 0, 0
	for want := range law.rowNorms {
		f.advance()
		for i, di := range f.decays {
			for j, dj := range f.decays {
				m[i][j] = (1-di)*(1-dj)*m[i][j] + f.gains[i]*f.gains[j]
			}
			variance[i] = (1-di)*(1-di)*variance[i] + law.weights[i]*law.v[row]*(1-di)
		}
		for start, p := range pairs {
			if row-start > lags[len(lags)-1] {
				delete(pairs, start)
				continue
			}
			got, exact := 0.0, 0.0
			for j, d := range f.decays {
				p.got[j] *= 1 - d
				p.want[j] *= 1 - d
				got += p.got[j]
				exact += p.want[j]
			}
			if slices.Contains(lags, row-start) {
				checked++
				if !near(got, exact, tolerance) {
					t.Errorf("covariance of steps %d and %d is %.15g, want %.15g", start, row, got, exact)
				}
			}
		}
		sum := 0.0
		for i := range m {
			for j := range m {
				sum += m[i][j]
			}
		}
		if math.Abs(sum-want) > tolerance*want {
			t.Fatalf("variance at step %d is %.15g, want %.15g", row, sum, want)
		}
		if slices.Contains(from, row) {
			p := &pair{want: variance}
			for i := range m {
				for j := range m {
					p.got[i] += m[i][j]
				}
			}
			pairs[row] = p
		}
		row++
	}
	if row != n || checked != 36 {
		t.Errorf("%d steps and %d covariances were checked", row, checked)
	}
}

// Gains that are computed step by step are those that are stored, whatever the
// order in which they are asked for.
func TestGainsOfAnyStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, count := rapid.IntRange(1, 300).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "chains")
		v := make([]float64, n)
		for i := range v {
			v[i] = 2 + math.Sin(float64(i))
		}
		low, high := spectrum(v)
		r, _ := numeric.InverseRoot(low, high, count)
		stored, computed := newChains(v, r, math.MaxInt, nil), newChains(v, r, 0, nil)
		f := computed.filter()
		step := 0
		for range 20 {
			if rapid.Bool().Draw(t, "jump") {
				step = rapid.IntRange(0, n-1).Draw(t, "step")
			}
			gains, decays := f.at(step)
			if got, want := slices.Concat(gains, decays), stored.stored[2*count*step:][:2*count]; !slices.Equal(got, want) {
				t.Fatalf("step %d of %d: gains and decays %v, want %v", step, n, got, want)
			}
			step = (step + 1) % n
		}
	})
}

// Streams of both are the same, also after a state was restored, and neither
// allocates.
func TestStreamsOfComputedGains(t *testing.T) {
	const n, d = 200, 3
	stored := build(t, options(ARSum, n))
	law := stored.law.(*chains)
	other := newChains(law.v, numeric.Rational{Poles: law.poles, Weights: law.weights}, 0, nil)
	a, _ := stored.Stream(d)
	b, _ := (&Factorization{kind: ARSum, n: n, law: other}).Stream(d)
	if _, ok := b.sampler.(*filtered); !ok {
		t.Fatalf("the stream draws with a %T", b.sampler)
	}
	r := rng.New(1)
	dst := make([]float64, d)
	if got := testing.AllocsPerRun(100, func() { b.next(dst, r) }); got != 0 {
		t.Errorf("%v allocations a step", got)
	}
	if err := messages.Read(messages.Write(nil, a), b); err != nil {
		t.Fatal(err)
	}
	for range 77 {
		a.next(dst, rng.New(1))
	}
	if err := messages.Read(messages.Write(nil, a), b); err != nil {
		t.Fatal(err)
	}
	if got, want := increments(t, b, d, 1), increments(t, a, d, 1); !slices.Equal(got, want) {
		t.Error("the streams differ")
	}
}
