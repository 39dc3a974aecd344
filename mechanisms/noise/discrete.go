package noise

import (
	"fmt"
	"math"
	"math/bits"

	"starling/mechanisms/accountant"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// DiscreteGaussian is the law on the integers that has the integer k with probability
// proportional to exp(-k^2/(2 Variance)).
type DiscreteGaussian struct {
	// Variance is sigma^2, a whole number up to MostVariance. The variance of the law is a
	// little less. 0 adds nothing.
	Variance int
}

// MostVariance is the largest Variance, of which all numbers of the sampler fit words.
const MostVariance = 1 << 30

// Validate refuses a variance that is out of range.
func (g DiscreteGaussian) Validate() error {
	if g.Variance < 0 || g.Variance > MostVariance {
		return fmt.Errorf("variance %d of discrete Gaussian noise is not in [0, %d]", g.Variance, MostVariance)
	}
	return nil
}

// Draw draws from the law, which must be valid, exactly: by whole numbers alone (Canonne,
// Kamath, Steinke 2020, algorithm 3).
func (g DiscreteGaussian) Draw(r *rng.Rand) int {
	if g.Variance == 0 {
		return 0
	}
	scale := 1 + int(math.Sqrt(float64(g.Variance))) // t, any whole number is right
	for {
		y := discreteLaplace(r, scale)
		// Accepted with probability exp(-(|y| - sigma^2/t)^2/(2 sigma^2)).
		size := uint64(max(y, -y))
		high, far := bits.Mul64(size, uint64(scale))
		if high > 0 {
			continue // beyond 2^64/t: of all samplers none comes here
		}
		away := far - uint64(g.Variance)
		if far < uint64(g.Variance) {
			away = uint64(g.Variance) - far
		}
		high, low := bits.Mul64(away, away)
		if survives(r, high, low, 2*uint64(g.Variance)*uint64(scale)*uint64(scale)) {
			return y
		}
	}
}

// discreteLaplace draws k with probability proportional to exp(-|k|/scale) (algorithm 2).
func discreteLaplace(r *rng.Rand, scale int) int {
	for {
		rest := r.IntN(scale)
		if !bernoulliExp(r, uint64(rest), uint64(scale)) {
			continue
		}
		whole := 0
		for bernoulliExp(r, 1, 1) {
			whole++
		}
		k := rest + scale*whole
		negative := r.IntN(2) == 1
		if negative && k == 0 {
			continue
		}
		if negative {
			return -k
		}
		return k
	}
}

// survives is true with probability exp(-n/d), of n in two words and 0 < d < 2^63.
func survives(r *rng.Rand, high, low, d uint64) bool {
	// The whole units of the exponent are taken one by one, and then the rest.
	for high >= d {
		if !bernoulliExp(r, 1, 1) {
			return false
		}
		var borrow uint64
		low, borrow = bits.Sub64(low, d, 0)
		high -= borrow
	}
	whole, rest := bits.Div64(high, low, d)
	for ; whole > 0; whole-- {
		if !bernoulliExp(r, 1, 1) {
			return false
		}
	}
	return bernoulliExp(r, rest, d)
}

// bernoulliExp is true with probability exp(-n/d), of 0 <= n <= d and 0 < d < 2^63 (algorithm
// 1).
func bernoulliExp(r *rng.Rand, n, d uint64) bool {
	k := 1
	for uint64(r.IntN(int(d))) < n && r.IntN(k) == 0 { // with probability n/(d k)
		k++
	}
	return k%2 == 1
}

// DiscreteShares is noise in shares, as Shares is, of whole numbers: for sums modulo a power
// of 2 (Kairouz, Liu, Steinke 2021, The Distributed Discrete Gaussian Mechanism for Federated
// Learning with Secure Aggregation, algorithms 1 and 2, without the rotation that flattens
// vectors, which has no part in the privacy).
//
//	encode   x/gamma, rounded at random to whole numbers until the 2-norm is within a bound,
//	         with discrete Gaussian noise, modulo 2^Bits
//	decode   gamma times the sum modulo 2^Bits, of the numbers from -2^Bits/2 on
type DiscreteShares struct {
	// Noise is the noise of one share, in steps of the grid.
	Noise DiscreteGaussian
	// Survivors is the least number of messages of a sum, at least 1.
	Survivors int
	// Granularity is gamma > 0, a step of the grid in the unit of the entries, and Clip the
	// bound > 0 on the 2-norm of encoded vectors, in that unit too.
	Granularity, Clip float64
	// Length is d, of the vectors.
	Length int
	// Bits is the number of bits of an entry of a message, from 2 to 24: a float32 holds it as
	// well.
	Bits int
}

// SharesOnGrid is the noise in shares for which the sum of so many has a variance of scale^2,
// or up to a step more. It returns an error for numbers that DiscreteShares cannot have.
func SharesOnGrid(scale float64, survivors int, granularity, clip float64, length, bits int) (DiscreteShares, error) {
	s := DiscreteShares{Survivors: survivors, Granularity: granularity, Clip: clip, Length: length, Bits: bits}
	steps := scale / granularity
	share := float64(steps * steps / float64(survivors))
	variance := math.Ceil(share)
	if !(share >= 1 && variance <= MostVariance) {
		return s, fmt.Errorf("a share of %v steps of a grid of %v; want 1 to %v", steps/math.Sqrt(float64(survivors)), granularity, math.Sqrt(MostVariance))
	}
	s.Noise.Variance = int(variance)
	return s, s.Validate()
}

// Validate refuses numbers that are out of range.
func (s DiscreteShares) Validate() error {
	switch {
	case s.Survivors < 1:
		return fmt.Errorf("shares of %d messages; want at least 1", s.Survivors)
	case !(s.Granularity > 0) || math.IsInf(s.Granularity, 1):
		return fmt.Errorf("granularity %v is not a finite number > 0", s.Granularity)
	case !(s.Clip > 0) || math.IsInf(s.Clip, 1):
		return fmt.Errorf("a bound of %v on the encoded vector is not a finite number > 0", s.Clip)
	case s.Length < 1:
		return fmt.Errorf("vectors of length %d; want at least 1", s.Length)
	case s.Bits < 2 || s.Bits > 24:
		return fmt.Errorf("%d bits an entry; want 2 to 24", s.Bits)
	}
	return s.Noise.Validate()
}

// Deviation is about the standard deviation of the noise of the sum of Survivors messages, in
// the unit of the entries.
func (s DiscreteShares) Deviation() float64 {
	return s.Granularity * math.Sqrt(float64(s.Survivors)*float64(s.Noise.Variance))
}

// Wraps is about the probability with which an entry of the sum of so many messages is outside
// of [-2^Bits/2, 2^Bits/2). sum is the sum of the vectors in that entry, without noise, in
// steps; 0 is the noise alone. The noise is taken to have a normal law of the same variance,
// rounded to whole numbers.
func (s DiscreteShares) Wraps(messages, sum float64) float64 {
	half, root := math.Ldexp(1, s.Bits-1), math.Sqrt(2*messages*float64(s.Noise.Variance))
	return (portable.Erfc((half-0.5-sum)/root) + portable.Erfc((half+0.5+sum)/root)) / 2
}

// Flat is the entry, in steps, of the sum of so many vectors that are as long as Clip and all
// the same, with entries of one size: among sums of vectors that agree, this one has the least
// largest entry.
func (s DiscreteShares) Flat(messages float64) float64 {
	return messages * s.Clip / s.Granularity / math.Sqrt(float64(s.Length))
}

// rounded is the square of the bound on the 2-norm of a rounded vector, in steps (Kairouz, Liu,
// Steinke 2021, theorem 1, with beta = e^-1/2: rounding is within it with probability 1 - beta
// at least).
func (s DiscreteShares) rounded() float64 {
	c, root := s.Clip/s.Granularity, math.Sqrt(float64(s.Length))
	return min(float64((c+root)*(c+root)), float64(c*c)+float64(float64(s.Length)/4)+c+float64(root/2))
}

// Loss is the cost of a sum of Survivors messages or more, for one party with zeros in place
// of its vector.
func (s DiscreteShares) Loss() accountant.Loss { return s.Among(s.Survivors) }

// Among is Loss to an observer that knows all shares but so many, at least 1: with n of them,
// sigma^2 the variance of each, Delta the bound on rounded vectors and d the length
//
//	tau = 10 sum_{k=1}^{n-1} exp(-2 pi^2 sigma^2 k/(k+1))
//	rho = min(Delta^2/(2 n sigma^2) + tau d, (Delta/(sqrt(n) sigma) + tau sqrt(d))^2/2)
//
// a bound on the distance of a sum of discrete Gaussians from one of them (Kairouz, Liu,
// Steinke 2021, theorem 1 and proposition 14; the first bound there, a + tau d at order a, is
// at most a times this).
func (s DiscreteShares) Among(shares int) accountant.Loss {
	variance, d := float64(s.Noise.Variance), float64(s.Length)
	if variance == 0 {
		return accountant.NotPrivate()
	}
	tau := 0.0
	for k := 1; k < shares; k++ {
		term := portable.Exp(float64(-2 * math.Pi * math.Pi * variance * float64(k) / float64(k+1)))
		if tau += float64(10 * term); term == 0 {
			break // and all after it, which are smaller
		}
	}
	moved := math.Sqrt(s.rounded() / (float64(shares) * variance))
	along := moved + float64(tau*math.Sqrt(d))
	return accountant.Loss{Concentrated: min(float64(moved*moved/2)+float64(tau*d), float64(along*along/2))}
}

// Release encodes x in place, len d, with one share, after pay has accepted the loss of the
// sum: its entries are then whole numbers from -2^Bits/2 on, below 2^Bits/2. reduced, unless
// it is nil, is called with each entry that the modulus was taken off, ascending, and the
// number of times. An error of pay is returned as it is, and x is then unchanged; so is it
// where x is longer than Clip.
func (s DiscreteShares) Release(x []float64, r *rng.Rand, pay func(accountant.Loss) error, reduced func(entry int, times float64)) (accountant.Receipt, error) {
	if err := s.Validate(); err != nil {
		return accountant.Receipt{}, err
	}
	if len(x) != s.Length {
		return accountant.Receipt{}, fmt.Errorf("a vector of length %d where the shares are of length %d", len(x), s.Length)
	}
	square := 0.0
	for _, v := range x {
		square += float64(v * v)
	}
	if !(square <= float64(s.Clip*s.Clip)*(1+1e-9)) {
		return accountant.Receipt{}, fmt.Errorf("a vector of 2-norm %v where at most %v is encoded", math.Sqrt(square), s.Clip)
	}
	loss := s.Loss()
	if err := pay(loss); err != nil {
		return accountant.Receipt{}, err
	}
	steps := make([]float64, len(x))
	for !s.round(steps, x, r) {
	}
	for k, v := range steps {
		v += float64(s.Noise.Draw(r))
		if x[k] = s.modular(v); x[k] != v && reduced != nil {
			reduced(k, math.Ldexp(v-x[k], -s.Bits))
		}
	}
	return accountant.NewReceipt(loss), nil
}

// round rounds x in steps at random, each entry to a neighbour with x its mean; false where
// the result is beyond the bound.
func (s DiscreteShares) round(steps, x []float64, r *rng.Rand) bool {
	square := 0.0
	for k, v := range x {
		v /= s.Granularity
		low := math.Floor(v)
		if r.Float64() < v-low {
			low++
		}
		steps[k] = low
		square += float64(low * low)
	}
	return square <= s.rounded()
}

// Scaled has the standard deviation of its noise multiplied, to the nearest step.
func (s DiscreteShares) Scaled(by float64) DiscreteShares {
	s.Noise.Variance = int(math.Round(by * by * float64(s.Noise.Variance)))
	return s
}

// modular is the whole number equal to v modulo 2^Bits that lies in [-2^Bits/2, 2^Bits/2).
func (s DiscreteShares) modular(v float64) float64 {
	m := math.Ldexp(1, s.Bits)
	return v - float64(m*math.Floor((v+float64(m/2))/m))
}

// Decode turns a sum of messages, of at most 2^53 in all, into the sum of the encoded vectors,
// in place. reduced is the number of times that the modulus was taken off each entry of the
// messages, len d, or empty where it was off none. wrapped is the number of entries that
// differ from the sum of the encoded vectors, which is too large for the modulus there: a
// message that was reduced does no harm by itself. A server has neither reduced nor wrapped.
func (s DiscreteShares) Decode(sum, reduced []float64) (wrapped int) {
	for k, v := range sum {
		w := s.modular(v)
		if len(reduced) > 0 {
			v += math.Ldexp(reduced[k], s.Bits)
		}
		if w != v {
			wrapped++
		}
		sum[k] = float64(s.Granularity * w)
	}
	return wrapped
}
