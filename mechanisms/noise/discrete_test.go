package noise_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
)

// law are the probabilities of a discrete Gaussian on -reach .. reach, beyond which lies
// nothing that a float64 has.
func law(variance, reach int) []float64 {
	p, sum := make([]float64, 2*reach+1), 0.0
	for i := range p {
		k := float64(i - reach)
		p[i] = math.Exp(-k * k / (2 * float64(variance)))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// The sampler has the law: a chi-square statistic of 40,000 draws each over the cells of at
// least 20 on average. It exceeds its mean by 6 standard deviations with a probability below
// 1e-6 (of a normal law 1e-9, and its tail is a little heavier).
func TestDiscreteGaussianHasItsLaw(t *testing.T) {
	const draws, reach = 40_000, 400
	for _, variance := range []int{1, 2, 5, 30, 1000} {
		g, r := noise.DiscreteGaussian{Variance: variance}, rng.New(uint64(variance))
		counts := make([]float64, 2*reach+1)
		for range draws {
			counts[g.Draw(r)+reach]++
		}
		var statistic, cells, rest, expectedRest float64
		for i, p := range law(variance, reach) {
			expected := draws * p
			if expected < 20 {
				rest, expectedRest = rest+counts[i], expectedRest+expected
				continue
			}
			statistic += (counts[i] - expected) * (counts[i] - expected) / expected
			cells++
		}
		if expectedRest > 1 {
			statistic += (rest - expectedRest) * (rest - expectedRest) / expectedRest
		}
		if limit := cells + 6*math.Sqrt(2*cells); statistic > limit {
			t.Errorf("variance %d: chi square %v over %v cells, want at most %v", variance, statistic, cells, limit)
		}
	}
}

// The largest variance is drawn too: its second moment of 4,000 draws is within 6 standard
// errors, false with a probability of 2e-9.
func TestDiscreteGaussianOfTheLargestVariance(t *testing.T) {
	g, r := noise.DiscreteGaussian{Variance: noise.MostVariance}, rng.New(1)
	sum := 0.0
	for range 4000 {
		k := float64(g.Draw(r))
		sum += k * k / noise.MostVariance / 4000
	}
	if math.Abs(sum-1) > 6*math.Sqrt(2.0/4000) {
		t.Errorf("mean square %v times the variance", sum)
	}
	for _, variance := range []int{-1, noise.MostVariance + 1} {
		if (noise.DiscreteGaussian{Variance: variance}).Validate() == nil {
			t.Errorf("variance %d is accepted", variance)
		}
	}
}

// convolved is the law of a sum.
func convolved(p, q []float64) []float64 {
	sum := make([]float64, len(p)+len(q)-1)
	for i, a := range p {
		for j, b := range q {
			sum[i+j] += a * b
		}
	}
	return sum
}

// The loss of shares bounds the Renyi divergence of the sum itself, which is computed here
// from its law, on one entry. Where shares are of a variance of 1/2 or so tau counts, and the
// sum is further from its neighbour than Gaussian noise of its variance.
func TestDiscreteSharesBoundTheirSum(t *testing.T) {
	const reach = 60
	for _, test := range []struct{ variance, shares, moved int }{{1, 1, 1}, {1, 2, 1}, {1, 5, 2}, {2, 3, 1}, {4, 4, 3}} {
		sum := law(test.variance, reach)
		for range test.shares - 1 {
			sum = convolved(sum, law(test.variance, reach))
		}
		s := noise.DiscreteShares{
			Noise: noise.DiscreteGaussian{Variance: test.variance}, Survivors: test.shares,
			Granularity: 1, Clip: float64(test.moved), Length: 1, Bits: 20,
		}
		rho := s.Loss().Concentrated
		for _, order := range []float64{1.1, 1.5, 2, 3, 5, 10} {
			moment := 0.0
			for k := test.moved; k < len(sum); k++ {
				if p, q := sum[k], sum[k-test.moved]; p > 0 && q > 0 {
					moment += math.Exp(order*math.Log(p) + (1-order)*math.Log(q))
				}
			}
			if divergence := math.Log(moment) / (order - 1); !(divergence <= order*rho) {
				t.Errorf("%+v, order %v: divergence %v, bounded by %v", test, order, divergence, order*rho)
			}
		}
	}
}

// Values of theorem 1 by another program: where tau counts and where it does not.
func TestDiscreteSharesLoss(t *testing.T) {
	for _, test := range []struct {
		variance, survivors, length int
		granularity, clip, want     float64
	}{
		{100, 50, 1000, 0.01, 1, 1.0365811388300845},
		{1, 10, 100, 0.5, 4, 5.117373543686968},
		{1, 100, 10000, 0.001, 1, 5023.227886990601},
	} {
		s := noise.DiscreteShares{Noise: noise.DiscreteGaussian{Variance: test.variance}, Survivors: test.survivors, Granularity: test.granularity, Clip: test.clip, Length: test.length, Bits: 20}
		if got := s.Loss(); math.Abs(got.Concentrated-test.want) > 1e-9*test.want || got != (accountant.Loss{Concentrated: got.Concentrated}) {
			t.Errorf("%+v: %+v, want %v", test, got, test.want)
		}
		if more := s.Among(test.survivors - 1).Concentrated; !(more > s.Loss().Concentrated) {
			t.Errorf("%+v: who knows a share has %v", test, more)
		}
	}
}

// The sum of messages modulo 2^Bits is the whole number that the sum of what was encoded is,
// and decodes to the sum of the vectors but for rounding and noise: within 6 standard
// deviations on each of 40 entries, false with a probability of 1e-7.
func TestDiscreteSharesSum(t *testing.T) {
	const clients, length = 25, 40
	s, err := noise.SharesOnGrid(0.5, 20, 1e-3, 1, length, 16)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Deviation(), 0.5; got < want || got > want*1.001 {
		t.Errorf("deviation %v, want %v", got, want)
	}
	r := rng.New(4)
	want, sum, modulo := make([]float64, length), make([]float64, length), make([]int64, length)
	for range clients {
		x := make([]float64, length)
		for k := range x {
			x[k] = r.Float64()*0.2 - 0.1
			want[k] += x[k]
		}
		receipt, err := s.Release(x, r, func(accountant.Loss) error { return nil }, nil)
		if err != nil || !receipt.Protects() || receipt.Loss() != s.Loss() {
			t.Fatal(receipt, err)
		}
		for k, v := range x {
			if v != math.Trunc(v) || v < -1<<15 || v >= 1<<15 {
				t.Fatalf("an entry of a message is %v", v)
			}
			sum[k] += v
			modulo[k] = (modulo[k] + int64(v)) & (1<<16 - 1)
		}
	}
	if wrapped := s.Decode(sum, nil); wrapped > 0 {
		t.Errorf("%d entries have wrapped round", wrapped)
	}
	deviation := 0.5*math.Sqrt(clients/20.0) + 1e-3*math.Sqrt(clients)
	for k, v := range sum {
		if m := (modulo[k]+1<<15)&(1<<16-1) - 1<<15; v != 1e-3*float64(m) {
			t.Errorf("entry %d: %v, of the sum modulo 2^16 %d", k, v, m)
		}
		if math.Abs(v-want[k]) > 6*deviation {
			t.Errorf("entry %d: %v, want %v", k, v, want[k])
		}
	}
}

// Without noise to speak of, decoding undoes encoding to a step of the grid; what wraps round is
// off by a multiple of 2^Bits, and is told.
func TestDiscreteSharesWrap(t *testing.T) {
	s := noise.DiscreteShares{Noise: noise.DiscreteGaussian{Variance: 1}, Survivors: 1, Granularity: 0.125, Clip: 10, Length: 1, Bits: 6}
	for _, test := range []struct {
		sum, want float64
		wrapped   int
	}{{31, 31 * 0.125, 0}, {32, -32 * 0.125, 1}, {-32, -32 * 0.125, 0}, {-33, 31 * 0.125, 1}, {640, 0, 1}} {
		x := []float64{test.sum}
		if wrapped := s.Decode(x, nil); x[0] != test.want || wrapped != test.wrapped {
			t.Errorf("%v: %v, wrapped: %d", test.sum, x[0], wrapped)
		}
	}
}

// What wrapped round is what differs from the sum of the messages as they were before they were
// reduced, which the same draws modulo 2^24 show. Messages of 2 to 5 bits are often reduced by
// themselves: sums of those come out right, or are off though they look as if they were not.
func TestWrappedEntries(t *testing.T) {
	const length, clients = 50, 8
	seen := map[string]int{}
	for bits := 2; bits <= 7; bits++ {
		s := noise.DiscreteShares{Noise: noise.DiscreteGaussian{Variance: 30}, Survivors: clients, Granularity: 1, Clip: 10, Length: length, Bits: bits}
		wide := s
		wide.Bits = 24
		sum, reduced, want, plain := make([]float64, length), make([]float64, length), make([]float64, length), make([]int, length)
		for client := range clients {
			x, y := make([]float64, length), make([]float64, length)
			x[client], y[client] = 9.5, 9.5
			for _, one := range []struct {
				noise.DiscreteShares
				x    []float64
				told func(int, float64)
			}{{s, x, func(k int, times float64) { reduced[k] += times; plain[k]++ }}, {wide, y, nil}} {
				if _, err := one.Release(one.x, rng.New(uint64(client)), func(accountant.Loss) error { return nil }, one.told); err != nil {
					t.Fatal(err)
				}
			}
			for k := range sum {
				sum[k] += x[k]
				want[k] += y[k]
			}
		}
		off, half := 0, math.Ldexp(1, bits-1)
		for k, v := range want {
			looks := sum[k] < -half || sum[k] >= half
			wrapped := v < -half || v >= half
			if wrapped {
				off++
			}
			seen[fmt.Sprint("wrapped ", wrapped, ", looks so ", looks, ", reduced ", plain[k] > 0)]++
		}
		if got := s.Decode(sum, reduced); got != off {
			t.Errorf("%d bits: %d entries wrapped round, want %d", bits, got, off)
		}
	}
	for _, which := range []string{"wrapped true, looks so false, reduced true", "wrapped false, looks so true, reduced true", "wrapped false, looks so false, reduced true", "wrapped true, looks so true, reduced false"} {
		if seen[which] == 0 {
			t.Errorf("no entry is %s, of %v", which, seen)
		}
	}
}

// Rounding keeps vectors within the bound that the loss is for.
func TestDiscreteSharesRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(1, 30).Draw(t, "length")
		s := noise.DiscreteShares{Noise: noise.DiscreteGaussian{Variance: 1}, Survivors: 1, Granularity: rapid.Float64Range(0.01, 3).Draw(t, "granularity"), Clip: 1, Length: length, Bits: 24}
		x, r := make([]float64, length), rng.New(rapid.Uint64().Draw(t, "seed"))
		for k := range x {
			x[k] = (2*r.Float64() - 1) / math.Sqrt(float64(length))
		}
		if _, err := s.Release(x, r, func(accountant.Loss) error { return nil }, nil); err != nil {
			t.Fatal(err)
		}
		x[0] += 2
		before := x[0]
		if _, err := s.Release(x, r, func(accountant.Loss) error { return nil }, nil); err == nil && length == 1 && math.Abs(before) > 1.1 {
			t.Fatal("a vector beyond the clip is encoded")
		}
	})
}

func TestSharesOnGridRefuses(t *testing.T) {
	for _, test := range []struct {
		scale, granularity, clip float64
		survivors, length, bits  int
	}{{0, 1, 1, 1, 1, 8}, {1e9, 1e-3, 1, 1, 1, 8}, {1, 0, 1, 1, 1, 8}, {1, 1, 0, 1, 1, 8}, {1, 1, 1, 0, 1, 8}, {1, 1, 1, 1, 0, 8}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 25}, {math.NaN(), 1, 1, 1, 1, 8}} {
		if s, err := noise.SharesOnGrid(test.scale, test.survivors, test.granularity, test.clip, test.length, test.bits); err == nil {
			t.Errorf("%+v is accepted: %+v", test, s)
		}
	}
}

// The sum of as many shares as survive at least has the noise that is stated, of more more:
// variances of 4,000 entries, within 6 standard errors, false with a probability of 4e-9.
func TestSharesAddUp(t *testing.T) {
	const length = 4000
	s := noise.Shares{Scale: 3, Survivors: 8}
	for _, messages := range []int{8, 12} {
		sum, r := make([]float64, length), rng.New(uint64(messages))
		for range messages {
			receipt, err := s.Release(sum, r, 2, func(accountant.Loss) error { return nil })
			if err != nil || receipt.Loss() != (noise.Gaussian{Scale: 3}).Loss(2) {
				t.Fatal(receipt, err)
			}
		}
		square := 0.0
		for _, v := range sum {
			square += v * v / length
		}
		if want := s.Among(messages).Scale; math.Abs(square/(want*want)-1) > 6*math.Sqrt(2.0/length) || want < 3 {
			t.Errorf("%d messages: variance %v, want %v", messages, square, want*want)
		}
	}
	if err := (noise.Shares{Scale: 1}).Validate(); err == nil {
		t.Error("shares of no messages are accepted")
	}
}

// The share of sums that the noise alone makes wrap round is that of the law on the integers,
// summed term by term: the sum of shares has about the law of their variances together. A sum
// over integers from z deviations s on is off the integral, by the rule of midpoints, by the
// slope there over 24, which is about (1 + z^2)/(24 s^2) of it; twice that is let pass.
func TestWraps(t *testing.T) {
	for _, test := range []struct{ variance, messages, bits int }{{25, 4, 5}, {25, 4, 6}, {400, 4, 7}, {400, 9, 5}, {1000, 10, 9}} {
		s := noise.DiscreteShares{Noise: noise.DiscreteGaussian{Variance: test.variance}, Survivors: test.messages, Granularity: 1, Clip: 1, Length: 1, Bits: test.bits}
		all, inside, half := 0.0, 0.0, 1<<(test.bits-1)
		for k := -3000; k <= 3000; k++ {
			p := math.Exp(-float64(k) * float64(k) / float64(2*test.variance*test.messages))
			if all += p; k >= -half && k < half {
				inside += p
			}
		}
		variance := float64(test.variance * test.messages)
		tolerance := (1 + float64(half*half)/variance) / (12 * variance)
		if got, want := s.Wraps(float64(test.messages), 0), 1-inside/all; math.Abs(got-want) > tolerance*want {
			t.Errorf("%+v: %v of the sums wrap round, want %v", test, got, want)
		}
	}
}
