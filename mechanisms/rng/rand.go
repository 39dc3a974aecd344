package rng

import (
	"math"
	"math/bits"
	"slices"

	"starling/mechanisms/portable"
)

// Rand is the generator of a stream: xoshiro256++ 1.0 (Blackman, Vigna 2021, "Scrambled linear
// pseudorandom number generators"), 256 bits of state, period 2^256 - 1. Methods with names of
// math/rand/v2 draw from the same law as there. A Rand is a source of math/rand/v2, and
// belongs to one goroutine at a time. Get one from Stream.Open or New; the zero value draws
// zeros for ever.
type Rand struct{ a, b, c, d uint64 }

// New returns the generator of a seed, for uses that are no part of a run, such as tests.
func New(seed uint64) *Rand {
	r := NewKey(seed, 0).open(0, 0, 0)
	return &r
}

// word is the word of a state, and next the state after it: two functions, which the
// compiler inlines, so that loops over many words keep the state in registers.
func word(a, d uint64) uint64 { return bits.RotateLeft64(a+d, 23) + a }

func next(a, b, c, d uint64) (uint64, uint64, uint64, uint64) {
	c ^= a
	d ^= b
	return a ^ d, b ^ c, c ^ b<<17, bits.RotateLeft64(d, 45)
}

// Uint64 draws 64 bits. It implements rand.Source of math/rand/v2.
func (r *Rand) Uint64() uint64 {
	u := word(r.a, r.d)
	r.a, r.b, r.c, r.d = next(r.a, r.b, r.c, r.d)
	return u
}

// Float64 draws from the multiples of 2^-53 in [0, 1), from the upper bits of a word.
func (r *Rand) Float64() float64 { return float64(float64(r.Uint64()>>11) * 0x1p-53) }

// IntN draws from 0 .. n-1, each with the same probability (Lemire 2019). It panics
// unless n > 0.
func (r *Rand) IntN(n int) int {
	if n <= 0 {
		panic("rng: IntN of a number that is not above 0")
	}
	high, low := bits.Mul64(r.Uint64(), uint64(n))
	if low < uint64(n) {
		high = r.below(uint64(n), high, low)
	}
	return int(high)
}

// FillIntN overwrites entry i of dst with IntN(n - i less), for as many i: all of these are
// to be above 0 and below 2^31.
func (r *Rand) FillIntN(dst []int32, n, less int) {
	if len(dst) > 0 && (n > math.MaxInt32 || n-(len(dst)-1)*less <= 0) {
		panic("rng: FillIntN of numbers that are not above 0, or have more than 31 bits")
	}
	a, b, c, d := r.a, r.b, r.c, r.d
	for i := range dst {
		high, low := bits.Mul64(word(a, d), uint64(n))
		a, b, c, d = next(a, b, c, d)
		if low < uint64(n) {
			*r = Rand{a, b, c, d}
			high = r.below(uint64(n), high, low)
			a, b, c, d = r.a, r.b, r.c, r.d
		}
		dst[i] = int32(high)
		n -= less
	}
	*r = Rand{a, b, c, d}
}

// below goes on where the word of IntN may be one of the few that have to be left out.
func (r *Rand) below(n, high, low uint64) uint64 {
	for least := -n % n; low < least; {
		high, low = bits.Mul64(r.Uint64(), n)
	}
	return high
}

// Shuffle puts n things in an order drawn uniformly; swap exchanges two of them.
func (r *Rand) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, r.IntN(i+1))
	}
}

// Perm draws an order of 0 .. n-1.
func (r *Rand) Perm(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	Shuffle(r, order)
	return order
}

// Shuffle puts a list in an order drawn uniformly, the same as Rand.Shuffle does.
func Shuffle[E any](r *Rand, list []E) {
	for i := len(list) - 1; i > 0; i-- {
		j := r.IntN(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// Sample draws count of the numbers 0 .. n-1 uniformly without replacement, ascending, by
// Floyd's algorithm (Bentley and Floyd, "Programming pearls: a sample of brilliance", CACM
// 30(9), 1987).
func Sample[N ~int | ~int32](r *Rand, n, count int) []N {
	chosen := make(map[N]bool, count)
	list := make([]N, 0, count)
	for j := n - count; j < n; j++ {
		k := N(r.IntN(j + 1))
		if chosen[k] {
			k = N(j)
		}
		chosen[k] = true
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// PoissonSample draws each of the numbers 0 .. n-1 with a probability, 0 < rate <= 1,
// independently of the others, and returns those drawn, ascending. Its time goes with their
// number and not with n: the number of those left out before the next is geometric, floor(E/h)
// with E exponential of mean 1 and h = -ln(1 - rate), as P(E/h >= k) = (1 - rate)^k.
func PoissonSample[N ~int | ~int32](r *Rand, n int, rate float64) (list []N) {
	if rate == 1 {
		for k := range n {
			list = append(list, N(k))
		}
		return list
	}
	hazard := -portable.Log1p(-rate)
	for at := 0; ; at++ {
		left := float64(r.ExpFloat64() / hazard)
		if left >= float64(n-at) {
			return list
		}
		at += int(left)
		list = append(list, N(at))
	}
}

// Unit maps 64 random bits to the open interval (0, 1): the midpoints of 2^52
// equal cells, all of which a float64 holds exactly.
func Unit(bits uint64) float64 {
	return float64((float64(bits>>12) + 0.5) * 0x1p-52)
}
