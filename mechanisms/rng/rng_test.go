package rng_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/rng"
)

// The golden values below were computed apart from this code, with
// arbitrary-precision integers, from the published definitions: FNV-1a,
// the SplitMix64 finalizer and xoshiro256++. If one of them changes, the results of
// all earlier runs can no longer be reproduced.

func TestGoldenPurposes(t *testing.T) {
	tests := []struct {
		got  rng.Purpose
		want uint64
	}{
		{rng.PurposeOf(""), 0xcbf29ce484222325},
		{rng.PurposeOf("noise"), 0x6c092771d20768d1},
		{rng.PurposeOf("topology"), 0x516188458c0dece4},
		{rng.PurposeOf("noise").Of("eps=1"), 0xd5e4f5b6f48ae5cf},
	}
	for i, test := range tests {
		if uint64(test.got) != test.want {
			t.Errorf("purpose %d is %#x, want %#x", i+1, uint64(test.got), test.want)
		}
	}
}

func TestGoldenStreams(t *testing.T) {
	key := rng.NewKey(1, rng.PurposeOf("noise"))
	for got, want := range map[rng.Key][2]uint64{
		rng.NewKey(0, 0):              {0x0b4ce4ddac06e7bf, 0x11a2651c7b0bda9f},
		key:                           {0x93d7e7fcc1ce5a10, 0xd2934c1f727526dc},
		key.Of(rng.PurposeOf("data")): {0x62f857ff8fe72f43, 0xf40dc8d553572ee2},
	} {
		if got, want := fmt.Sprint(got), fmt.Sprint(want); got != "{"+want[1:len(want)-1]+"}" {
			t.Errorf("key %s, want %s", got, want)
		}
	}
	tests := []struct {
		node, step, hop int
		bits            uint64
		uniform         float64
		stream          [3]uint64
	}{
		{0, 0, 0, 0xa4da14351f8bfb2b, 0.6439526204772362, [3]uint64{0x1b3e10dd65fb823e, 0x8463609880814785, 0xdbd0de0d0c61fbc3}},
		{0, 1, 0, 0xe76cd6752690de5f, 0.9040044818889926, [3]uint64{0x30f5cd8a40ec02b1, 0x28b400d6754c684a, 0x93a50ea95834e81d}},
		{5, 500, 2, 0xd9ab35e7bd73855f, 0.8502687159320442, [3]uint64{0xfa1c20ff8d4252aa, 0xf042cf2507f19a29, 0x7dde1e4c19456143}},
		{999999, 123456, 7, 0x5d628149d1a5e04d, 0.3647843175146118, [3]uint64{0x358cdb48dde32a4a, 0xdcc0cc2d16dbb677, 0x4866b186e7d09155}},
		{-1, -1, -1, 0xa49989a3be250c5e, 0.6429677986872272, [3]uint64{0x52434b2c1cf3d249, 0x4dcae130b8e81e7e, 0x6f1d2199492135}},
	}
	for _, test := range tests {
		if got := key.Bits(test.node, test.step, test.hop); got != test.bits {
			t.Errorf("Bits(%d, %d, %d) = %#x, want %#x", test.node, test.step, test.hop, got, test.bits)
		}
		if got := key.Uniform(test.node, test.step, test.hop); got != test.uniform {
			t.Errorf("Uniform(%d, %d, %d) = %v, want %v", test.node, test.step, test.hop, got, test.uniform)
		}
		var s rng.Stream
		r := s.Open(key, test.node, test.step, test.hop)
		if got := [3]uint64{r.Uint64(), r.Uint64(), r.Uint64()}; got != test.stream {
			t.Errorf("stream (%d, %d, %d) begins %#x, want %#x", test.node, test.step, test.hop, got, test.stream)
		}
	}
}

func TestPurposeOfIsFNV1a(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		h := fnv.New64a()
		h.Write([]byte(name))
		if got := rng.PurposeOf(name); uint64(got) != h.Sum64() {
			t.Fatalf("PurposeOf(%q) = %#x, want %#x", name, uint64(got), h.Sum64())
		}
	})
}

// address is a stream's whole key.
type address struct {
	seed            uint64
	purpose         string
	node, step, hop int
}

func (a address) key() rng.Key { return rng.NewKey(a.seed, rng.PurposeOf(a.purpose)) }

// read returns the first numbers of the stream, opened on s.
func (a address) read(s *rng.Stream, n int) []uint64 {
	r := s.Open(a.key(), a.node, a.step, a.hop)
	x := make([]uint64, n)
	for i := range x {
		x[i] = r.Uint64()
	}
	return x
}

func drawAddress(t *rapid.T) address {
	return address{
		seed:    rapid.Uint64().Draw(t, "seed"),
		purpose: rapid.SampledFrom([]string{"noise", "data", "topology"}).Draw(t, "purpose"),
		node:    rapid.IntRange(0, math.MaxInt32).Draw(t, "node"),
		step:    rapid.IntRange(0, math.MaxInt32).Draw(t, "step"),
		hop:     rapid.IntRange(0, 100).Draw(t, "hop"),
	}
}

// What a stream yields depends on its key alone: not on the streams opened
// before it on the same Stream, how far they were read, or the order.
func TestOrderOfOpeningDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		addresses := rapid.SliceOfN(rapid.Custom(drawAddress), 1, 10).Draw(t, "addresses")
		want := make([][]uint64, len(addresses))
		for i, a := range addresses {
			want[i] = a.read(new(rng.Stream), 8)
		}
		order := make([]int, len(addresses))
		for i := range order {
			order[i] = i
		}
		var shared rng.Stream
		for _, i := range rapid.Permutation(order).Draw(t, "order") {
			n := rapid.IntRange(1, 8).Draw(t, "numbers")
			if got := addresses[i].read(&shared, n); !slices.Equal(got, want[i][:n]) {
				t.Fatalf("stream %+v begins %#x, want %#x", addresses[i], got, want[i][:n])
			}
		}
	})
}

// Every number drawn before is forgotten by Open, the ones that are drawn in
// several pieces (normal deviates) included.
func TestOpenForgetsHalfReadNumbers(t *testing.T) {
	a := address{seed: 3, purpose: "noise", node: 1, step: 2}
	var s rng.Stream
	want := a.read(&s, 4)
	r := s.Open(a.key(), 9, 9, 9)
	r.NormFloat64()
	r.Laplace()
	r.IntN(3)
	if got := a.read(&s, 4); !slices.Equal(got, want) {
		t.Errorf("got %#x, want %#x", got, want)
	}
}

// Each part of the key matters, and neighbouring values of different parts do
// not meet: (node 1, step 0) is not (node 0, step 1). Among the 3 * 3 * 4^3
// addresses below two 64-bit values coincide by chance with probability below
// 2e-15.
func TestEveryPartOfTheKeyMatters(t *testing.T) {
	bits, first := map[uint64]address{}, map[uint64]address{}
	var s rng.Stream
	for seed := range uint64(3) {
		for _, purpose := range []string{"noise", "data", "topology"} {
			for n := range 4 * 4 * 4 {
				a := address{seed, purpose, n % 4, n / 4 % 4, n / 16}
				b := a.key().Bits(a.node, a.step, a.hop)
				if other, seen := bits[b]; seen {
					t.Errorf("%+v and %+v have the same bits", a, other)
				}
				x := a.read(&s, 1)[0]
				if other, seen := first[x]; seen {
					t.Errorf("the streams of %+v and %+v begin alike", a, other)
				}
				bits[b], first[x] = a, a
			}
		}
	}
}

func TestOf(t *testing.T) {
	base := rng.PurposeOf("noise")
	seen := map[rng.Purpose]string{base: "no name"}
	for _, purpose := range []string{"noise", "data"} {
		for _, name := range []string{"", "eps=1", "eps=2", "noise", "data"} {
			p := rng.PurposeOf(purpose).Of(name)
			if p != rng.PurposeOf(purpose).Of(name) {
				t.Errorf("%q of %q is not a function of the names", name, purpose)
			}
			use := fmt.Sprintf("%q of %q", name, purpose)
			if other, found := seen[p]; found {
				t.Errorf("%s is the same purpose as %s", use, other)
			}
			seen[p] = use
		}
	}
	// Names do not commute and do not cancel: "a in b" is not "b in a".
	if base.Of("a").Of("b") == base.Of("b").Of("a") || base.Of("a").Of("a") == base {
		t.Error("names of names coincide")
	}
}

func TestUnitAtTheExtremes(t *testing.T) {
	tests := []struct {
		bits uint64
		want float64
	}{
		{0, 0x1p-53},
		{1<<12 - 1, 0x1p-53}, // the low 12 bits are not used
		{1 << 12, 0x3p-53},
		{1 << 63, 0.5 + 0x1p-53},
		{math.MaxUint64, 1 - 0x1p-53},
	}
	for _, test := range tests {
		got := rng.Unit(test.bits)
		if got != test.want || !(got > 0 && got < 1) {
			t.Errorf("Unit(%#x) = %v, want %v", test.bits, got, test.want)
		}
	}
}

func TestUnitIsMonotoneAndOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
		x, y := rng.Unit(a), rng.Unit(b)
		if !(x > 0 && x < 1) {
			t.Fatalf("Unit(%#x) = %v is outside (0, 1)", a, x)
		}
		if (a>>12 < b>>12) != (x < y) || (a>>12 == b>>12) != (x == y) {
			t.Fatalf("Unit(%#x) = %v and Unit(%#x) = %v are out of order or coincide", a, x, b, y)
		}
	})
}

// chance is the chance of a false failure of each statistical test below, over
// the choice of the key. The keys are fixed, so a test that has passed passes
// for ever, until the streams change.
const chance = 1e-9

// The values along each axis of the key are uniform. By the
// Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant the largest
// distance D of the empirical distribution function of n independent numbers
// from the true one has P(D > e) <= 2 exp(-2 n e^2).
func TestUniformAlongEveryAxis(t *testing.T) {
	const n = 200_000
	tolerance := math.Sqrt(math.Log(2/chance) / (2 * n))
	for name, at := range axes {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.Unit(at(i))
		}
		slices.Sort(x)
		var distance float64
		for i, u := range x {
			distance = max(distance, u-float64(i)/n, float64(i+1)/n-u)
		}
		if distance > tolerance {
			t.Errorf("along %s: distance %v from the uniform law, want at most %v", name, distance, tolerance)
		}
	}
}

// axes are sequences of 64-bit values in which one part of the key counts up.
var axes = map[string]func(i int) uint64{
	"seed":   func(i int) uint64 { return rng.NewKey(uint64(i), rng.PurposeOf("noise")).Bits(0, 1, 0) },
	"node":   func(i int) uint64 { return fixedKey.Bits(i, 1, 0) },
	"step":   func(i int) uint64 { return fixedKey.Bits(0, i, 0) },
	"hop":    func(i int) uint64 { return fixedKey.Bits(0, 1, i) },
	"stream": func(i int) uint64 { return streamNumbers[i] },
	"opened": func(i int) uint64 { return firstNumbers[i] },
}

var (
	fixedKey      = rng.NewKey(20240822, rng.PurposeOf("test"))
	streamNumbers = address{seed: 20240822, purpose: "test"}.read(new(rng.Stream), 200_000)
	firstNumbers  = func() []uint64 { // the first of each of many streams
		var s rng.Stream
		x := make([]uint64, 200_000)
		for i := range x {
			x[i] = s.Open(fixedKey, i%1000, i/1000, 0).Uint64()
		}
		return x
	}()
)

// Each of the 64 bits is set half of the time. By Hoeffding's inequality the
// mean of n fair bits is off by more than e with probability at most
// 2 exp(-2 n e^2); there are 64 of them an axis.
func TestEveryBitIsFair(t *testing.T) {
	const n = 100_000
	tolerance := math.Sqrt(math.Log(2*64/chance) / (2 * n))
	for name, at := range axes {
		var set [64]int
		for i := range n {
			for b, x := 0, at(i); b < 64; b++ {
				set[b] += int(x >> b & 1)
			}
		}
		for b, count := range set {
			if share := float64(count) / n; math.Abs(share-0.5) > tolerance {
				t.Errorf("along %s: bit %d is set in a share of %v", name, b, share)
			}
		}
	}
}

// Neighbours along an axis are uncorrelated. The products of n disjoint pairs
// of centred uniform numbers are independent, lie in [-1/4, 1/4] and have mean
// 0, so by Hoeffding's inequality their mean exceeds e in absolute value with
// probability at most 2 exp(-2 n e^2 / (1/2)^2).
func TestNeighboursAreUncorrelated(t *testing.T) {
	const n = 100_000
	tolerance := math.Sqrt(math.Log(2/chance) / (8 * n))
	for name, at := range axes {
		var sum float64
		for i := range n {
			sum += (rng.Unit(at(2*i)) - 0.5) * (rng.Unit(at(2*i+1)) - 0.5)
		}
		if mean := sum / n; math.Abs(mean) > tolerance {
			t.Errorf("along %s: covariance %v of neighbours, want at most %v", name, mean, tolerance)
		}
	}
}

func TestOpenAllocatesOnce(t *testing.T) {
	var s rng.Stream
	s.Open(fixedKey, 0, 0, 0)
	step := 0
	if n := testing.AllocsPerRun(1000, func() {
		step++
		s.Open(fixedKey, 1, step, 0).Uint64()
	}); n != 0 {
		t.Errorf("%v allocations after the first Open", n)
	}
}
