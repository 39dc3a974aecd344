package rng

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

var _ rand.Source = (*Rand)(nil)

// The first words of the state 1, 2, 3, 4, as the authors' program in C has them.
func TestGeneratorIsXoshiro(t *testing.T) {
	r := Rand{1, 2, 3, 4}
	for i, want := range []uint64{
		41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205,
		9973669472204895162, 14011001112246962877, 12406186145184390807, 15849039046786891736, 10450023813501588000,
	} {
		if got := r.Uint64(); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
}

// chance is the chance of a false failure of each statistical test below, over the choice
// of the seed; a normal law is beyond six standard errors with about that.
const chance = 1e-9

// fromUniform is the largest distance of the empirical distribution function of x, which
// it sorts, from the uniform law (Kolmogorov, Smirnov).
func fromUniform(x []float64) (d float64) {
	slices.Sort(x)
	n := float64(len(x))
	for i, u := range x {
		d = max(d, u-float64(i)/n, float64(i+1)/n-u)
	}
	return d
}

// farFromUniform is what n independent numbers exceed with probability at most chance:
// P(D > e) <= 2 exp(-2 n e^2) (Dvoretzky, Kiefer, Wolfowitz; Massart).
func farFromUniform(n int) float64 { return math.Sqrt(math.Log(2/chance) / (2 * float64(n))) }

// laws are those of numbers: their distribution functions, and moments E x^k.
var laws = map[string]struct {
	draw         func(*Rand) float64
	fill         func(*Rand, []float64)
	below        func(float64) float64
	mean         float64
	even, eighth float64 // E x^2 and E x^4; the variance of x^4 is eighth - E(x^4)^2
	fourth       float64
}{
	"normal": {
		(*Rand).NormFloat64, (*Rand).FillNormal,
		func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 },
		math.Sqrt(2 / math.Pi), 1, 105, 3,
	},
	"Laplace": {
		(*Rand).Laplace, func(r *Rand, dst []float64) { clear(dst); r.AddLaplace(dst, 1) },
		distuv.Laplace{Scale: 1}.CDF,
		1, 2, 40320, 24,
	},
}

// The distribution functions, of all numbers and of each sign alone, and counts in 512
// cells of equal probability. The chi-square law of the latter is that of many numbers:
// here 2,000 a cell.
func TestLaws(t *testing.T) {
	const n, cells = 1 << 20, 512
	for name, law := range laws {
		r, all := New(3), make([]float64, n)
		law.fill(r, all)
		var counts [cells]float64
		var positive, negative []float64
		for i, x := range all {
			u := law.below(x)
			all[i] = u
			counts[int(u*cells)]++
			if x > 0 {
				positive = append(positive, 2*u-1)
			} else {
				negative = append(negative, 1-2*u)
			}
		}
		for signs, x := range map[string][]float64{"all": all, "positive": positive, "negative": negative} {
			if d := fromUniform(x); d > farFromUniform(len(x)) {
				t.Errorf("%s, %s: distance %v from the law, want at most %v", name, signs, d, farFromUniform(len(x)))
			}
		}
		square := 0.0
		for _, count := range counts {
			square += (count - n/cells) * (count - n/cells) / (n / cells)
		}
		if most := (distuv.ChiSquared{K: cells - 1}).Quantile(1 - chance); square > most {
			t.Errorf("%s: chi-square %v in %d cells, want at most %v", name, square, cells, most)
		}
	}
}

// Moments lie within six standard errors, and neither the sign nor the size of a number
// tells of itself or of the next.
func TestMoments(t *testing.T) {
	const n = 1 << 20
	for name, law := range laws {
		r := New(4)
		x := make([]float64, n+1)
		law.fill(r, x)
		var mean, size, square, fourth, sign, own, next, signs float64
		for i, v := range x[:n] {
			s := math.Copysign(1, v)
			mean += v / n
			size += math.Abs(v) / n
			square += v * v / n
			fourth += v * v * v * v / n
			sign += s / n
			own += s * (math.Abs(v) - law.mean) / n
			next += (math.Abs(v) - law.mean) * (math.Abs(x[i+1]) - law.mean) / n
			signs += s * math.Copysign(1, x[i+1]) / n
		}
		spread := law.even - law.mean*law.mean
		for what, c := range map[string]struct{ got, want, variance float64 }{
			"mean":                       {mean, 0, law.even},
			"mean size":                  {size, law.mean, spread},
			"mean square":                {square, law.even, law.fourth - law.even*law.even},
			"mean fourth power":          {fourth, law.fourth, law.eighth - law.fourth*law.fourth},
			"mean sign":                  {sign, 0, 1},
			"covariance of sign, size":   {own, 0, spread},
			"covariance of sizes":        {next, 0, spread * spread},
			"covariance of signs, apart": {signs, 0, 1},
		} {
			if e := 6 * math.Sqrt(c.variance/n); math.Abs(c.got-c.want) > e {
				t.Errorf("%s: %s is %v, want %v within %v", name, what, c.got, c.want, e)
			}
		}
	}
}

// The lowest bits of a word choose strip and sign, and others the point: no number is 0,
// and the complement of the sign's bit gives the opposite number.
func TestSignIsOneBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Uint64().Draw(t, "word")
		for name, list := range map[string]*[2 * strips]strip{"normal": &normalStrips, "Laplace": &exponentialStrips} {
			at := func(u uint64) float64 { return float64(int64(u>>11|1)) * list[u%(2*strips)].width }
			if x := at(word); x == 0 || at(word^1) != -x {
				t.Fatalf("%s: %#x gives %v, and %#x %v", name, word, x, word^1, at(word^1))
			}
		}
	})
}

// Vectors have the numbers that single draws have, and leave the generator where they
// do; what is added is rounded before.
func TestVectorsAreSingleDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, n := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 2000).Draw(t, "length")
		scale := rapid.Float64Range(0, 10).Draw(t, "scale")
		for name, c := range map[string]struct {
			draw func(*Rand) float64
			add  func(r *Rand, dst []float64, scale float64)
		}{
			"normal":  {(*Rand).NormFloat64, (*Rand).AddNormal},
			"Laplace": {(*Rand).Laplace, (*Rand).AddLaplace},
			"uniform": {func(r *Rand) float64 { return Unit(r.Uint64()) }, func(r *Rand, dst []float64, scale float64) {
				u := make([]float64, len(dst))
				r.FillUniform(u)
				for i := range dst {
					dst[i] += float64(scale * u[i])
				}
			}},
			"filled": {(*Rand).NormFloat64, func(r *Rand, dst []float64, scale float64) {
				z := make([]float64, len(dst))
				r.FillNormal(z)
				for i := range dst {
					dst[i] += float64(scale * z[i])
				}
			}},
		} {
			one, many := New(seed), New(seed)
			got := make([]float64, n)
			for i := range got {
				got[i] = float64(i)
			}
			c.add(many, got, scale)
			for i := range got {
				if want := float64(i) + float64(scale*c.draw(one)); got[i] != want {
					t.Fatalf("%s: number %d is %v, want %v", name, i, got[i], want)
				}
			}
			if *one != *many {
				t.Fatalf("%s: %d numbers leave the generator elsewhere than single draws", name, n)
			}
		}
	})
}

// IntN is uniform: counts of small numbers by the chi-square law, and the bounds of
// thirds of a number so large that a quarter of all words are left out.
func TestIntN(t *testing.T) {
	const n = 300_000
	for _, size := range []int{1, 2, 3, 10, 100, 3 << 61} {
		r, cells := New(uint64(size)), min(size, 100)
		if size > 100 {
			cells = 3
		}
		counts := make([]float64, cells)
		for range n {
			k := r.IntN(size)
			if k < 0 || k >= size {
				t.Fatalf("IntN(%d) is %d", size, k)
			}
			high, low := bits.Mul64(uint64(k), uint64(cells))
			cell, _ := bits.Div64(high, low, uint64(size))
			counts[cell]++
		}
		square, mean := 0.0, n/float64(cells)
		for _, count := range counts {
			square += (count - mean) * (count - mean) / mean
		}
		if cells > 1 && square > (distuv.ChiSquared{K: float64(cells - 1)}).Quantile(1-chance) {
			t.Errorf("IntN(%d): counts %v", size, counts)
		}
	}
	for _, size := range []int{0, -1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("IntN(%d) has a value", size)
				}
			}()
			New(1).IntN(size)
		}()
	}
}

// All orders of four things are as likely, and the ways to draw one agree.
func TestOrders(t *testing.T) {
	const n = 240_000
	r, again, third := New(5), New(5), New(5)
	counts := map[[4]int]float64{}
	for range n {
		order := [4]int(r.Perm(4))
		counts[order]++
		list := []int{0, 1, 2, 3}
		again.Shuffle(4, func(i, j int) { list[i], list[j] = list[j], list[i] })
		same := []int{0, 1, 2, 3}
		Shuffle(third, same)
		if [4]int(list) != order || [4]int(same) != order {
			t.Fatalf("orders %v, %v and %v", order, list, same)
		}
	}
	square := 0.0
	for _, count := range counts {
		square += (count - n/24) * (count - n/24) / (n / 24)
	}
	if len(counts) != 24 || square > (distuv.ChiSquared{K: 23}).Quantile(1-chance) {
		t.Errorf("%d orders, chi-square %v", len(counts), square)
	}
}

// A number of Float64 is uniform, below 1, and has 53 bits.
func TestFloat64(t *testing.T) {
	const n = 200_000
	r, x := New(6), make([]float64, n)
	for i := range x {
		x[i] = r.Float64()
		if x[i] < 0 || x[i] >= 1 || x[i]*0x1p53 != math.Floor(x[i]*0x1p53) {
			t.Fatalf("%v is no multiple of 2^-53 in [0, 1)", x[i])
		}
	}
	if d := fromUniform(x); d > farFromUniform(n) {
		t.Errorf("distance %v from the uniform law, want at most %v", d, farFromUniform(n))
	}
}

// A vector allocates nothing.
func TestVectorsAllocateNothing(t *testing.T) {
	r, x := New(7), make([]float64, 100)
	if n := testing.AllocsPerRun(100, func() { r.FillNormal(x); r.AddNormal(x, 2); r.AddLaplace(x, 2) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FillIntN draws what as many calls of IntN draw, and leaves the generator where they do.
func TestFillIntN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, count, less := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 70).Draw(t, "count"), rapid.IntRange(0, 3).Draw(t, "less")
		n := count*less + rapid.OneOf(rapid.IntRange(1, 5), rapid.IntRange(1<<30, 1<<31-400)).Draw(t, "n")
		one, many := New(seed), New(seed)
		got := make([]int32, count)
		many.FillIntN(got, n, less)
		for i, v := range got {
			if want := one.IntN(n - i*less); int(v) != want {
				t.Fatalf("number %d is %d, want %d", i, v, want)
			}
		}
		if one.Uint64() != many.Uint64() {
			t.Fatal("the generators are not in the same state")
		}
	})
}

// TestSampleIsUniform draws 3 of 10 nodes 30,000 times. A node's count is
// binomial with mean 9,000 and deviation sqrt(30000 0.3 0.7) = 79.4; six of
// them are exceeded by one of ten counts with chance below 2e-8.
func TestSampleIsUniform(t *testing.T) {
	counts := make([]int, 10)
	r := New(1)
	for range 30_000 {
		for _, node := range Sample[int](r, 10, 3) {
			counts[node]++
		}
	}
	for node, count := range counts {
		if count < 9000-477 || count > 9000+477 {
			t.Errorf("node %d was drawn %d times, want 9000 within 477", node, count)
		}
	}
}

// Poisson samples of n = 10^9 numbers: their sizes are Binomial(n, q), their members ascend and
// are spread evenly, and two draws share as many members as chance has it. Bounds are 5.5
// standard deviations: a false failure has a chance below 1e-6 in all.
func TestPoissonSampleOfMany(t *testing.T) {
	const n, q, draws = 1_000_000_000, 1e-6, 200
	var stream Stream
	key := NewKey(5, PurposeOf("test"))
	total, halves, tens, last := 0, 0, 0, []int32(nil)
	for step := range draws {
		list := PoissonSample[int32](stream.Open(key, 0, step, 0), n, q)
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) || slices.Equal(list, last) {
			t.Fatalf("draw %d does not ascend, or repeats another", step)
		}
		last = list
		for _, k := range list {
			if k < 0 || k >= n {
				t.Fatalf("draw %d has %d of %d", step, k, n)
			}
			if k < n/2 {
				halves++
			}
			if k%10 == 3 {
				tens++
			}
		}
		total += len(list)
	}
	near := func(what string, got int, mean, variance float64) {
		if math.Abs(float64(got)-mean) > 5.5*math.Sqrt(variance) {
			t.Errorf("%s: %d, want %v +- %v", what, got, mean, math.Sqrt(variance))
		}
	}
	near("members of all draws", total, draws*n*q, draws*n*q*(1-q))
	near("members in the first half", halves, draws*n*q/2, draws*n*q/2)
	near("members that end in 3", tens, draws*n*q/10, draws*n*q/10)
}

// Each number is drawn with the rate, and pairs are independent: counts over many small draws
// against the binomial law, at rates from small to 1.
func TestPoissonSampleOfFew(t *testing.T) {
	const n, draws = 5, 20000
	for _, q := range []float64{0.01, 0.3, 0.9, 1} {
		var stream Stream
		key := NewKey(6, PurposeOf("test"))
		var each [n]int
		both := 0
		for step := range draws {
			list := PoissonSample[int](stream.Open(key, 0, step, 0), n, q)
			for _, k := range list {
				each[k]++
			}
			if slices.Contains(list, 1) && slices.Contains(list, 2) {
				both++
			}
		}
		within := func(what string, got int, p float64) {
			if math.Abs(float64(got)-draws*p) > 5.5*math.Sqrt(draws*p*(1-p)) {
				t.Errorf("rate %v, %s: %d of %d, want %v", q, what, got, draws, draws*p)
			}
		}
		for k, got := range each {
			within(fmt.Sprint("number ", k), got, q)
		}
		within("1 and 2", both, q*q)
	}
}
