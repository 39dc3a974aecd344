package compression

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/rng"
)

// codecs are all, with options of several kinds.
var codecs = []Codec{
	TopK{Share: 0.01}, TopK{Share: 0.3}, TopK{Share: 1},
	RandomK{Share: 0.01}, RandomK{Share: 0.3}, RandomK{Share: 1}, RandomK{Share: 0.5, Unbiased: true},
	Dithering{Levels: 1}, Dithering{Levels: 15}, Dithering{Levels: 65535}, Dithering{Levels: 31, Unbiased: true},
	Sign{},
}

// normal is a vector of d normal entries.
func normal(seed uint64, d int) []float64 {
	x := make([]float64, d)
	rng.New(seed).FillNormal(x)
	return x
}

// through is x as receivers have it, and how many bytes it took.
func through(t testing.TB, c Codec, x []float64, seed uint64, narrow bool) (y []float64, size int) {
	t.Helper()
	src, err := c.Encode(nil, x, &Work{Rand: rng.New(seed), Narrow: narrow})
	if err != nil {
		t.Fatal(err)
	}
	if y, err = Decode(nil, src); err != nil {
		t.Fatal(err)
	}
	return y, len(src)
}

// error2 is ||y - x||^2 over ||x||^2.
func error2(x, y []float64) float64 {
	var off, all float64
	for i := range x {
		off += (y[i] - x[i]) * (y[i] - x[i])
		all += x[i] * x[i]
	}
	return off / all
}

// most is a bound on ||Q(x) - x||^2/||x||^2 for every draw.
func most(c Codec, d int) float64 {
	switch c := c.(type) {
	case RandomK:
		k := float64(kept(c.Share, d))
		if c.Unbiased {
			return max(1, (float64(d)/k-1)*(float64(d)/k-1))
		}
	case Dithering: // an entry is at most a level, and the part of tau, from its own
		tau := c.tau(d)
		if c.Unbiased {
			tau = 1
		}
		far := 1 - 1/tau + math.Sqrt(float64(d))/(float64(c.Levels)*tau)
		return far * far
	}
	return 1
}

// Assumption 1 of the paper for every codec, with the omega that it states, on vectors of
// normal entries, of one entry, and of equal ones. The mean of n independent errors, each
// between 0 and b, is beyond what it is of by t with a chance of at most
// exp(-2 n t^2/b^2) (Hoeffding, 1963): t = b sqrt(log(1e10)/(2n)) errs once in 1e10 tests.
func TestAssumption1(t *testing.T) {
	const n = 400
	spike, even := make([]float64, 50), make([]float64, 50)
	spike[17] = -3
	for i := range even {
		even[i] = 0.25
	}
	for _, c := range codecs {
		for _, x := range [][]float64{normal(1, 200), normal(2, 7), {-2}, spike, even} {
			d := len(x)
			var mean float64
			for seed := range uint64(n) {
				y, _ := through(t, c, x, seed, false)
				e := error2(x, y)
				if e > most(c, d)*(1+1e-9) {
					t.Fatalf("%v, d = %d: an error of %v, want at most %v", c, d, e, most(c, d))
				}
				mean += e / n
			}
			off := most(c, d) * math.Sqrt(math.Log(1e10)/(2*n))
			omega := c.Omega(d)
			if omega < 0 || omega > 1 || mean > 1-omega+off && omega > 0 {
				t.Errorf("%v, d = %d: a mean error of %v, want at most %v + %v", c, d, mean, 1-omega, off)
			}
			if r, ok := c.(RandomK); ok { // an equality
				want := 1 - omega
				if r.Unbiased {
					want = float64(d)/float64(kept(r.Share, d)) - 1
				}
				if math.Abs(mean-want) > off {
					t.Errorf("%v, d = %d: a mean error of %v, want %v +- %v", c, d, mean, want, off)
				}
			}
		}
	}
}

// The bounds are met where they are to be: top-k by equal entries, sign by a single one,
// and 2/pi of sign by normal ones.
func TestOmegaIsTight(t *testing.T) {
	even := slices.Repeat([]float64{2}, 40)
	y, _ := through(t, TopK{Share: 0.25}, even, 0, false)
	if e := error2(even, y); math.Abs(e-0.75) > 1e-15 {
		t.Errorf("top-k of equal entries errs by %v, want 3/4", e)
	}
	spike := make([]float64, 40)
	spike[3] = 5
	y, _ = through(t, Sign{}, spike, 0, false)
	if e := error2(spike, y); math.Abs(e-(1-1.0/40)) > 1e-15 {
		t.Errorf("sign of one entry errs by %v, want 1 - 1/40", e)
	}
	const d = 1 << 20
	x := normal(3, d)
	y, _ = through(t, Sign{}, x, 0, false)
	// ||x||_1/d and ||x||^2/d are within 6/sqrt(d) of their means, but once in 1e9.
	if e := error2(x, y); math.Abs(e-(1-2/math.Pi)) > 5*6/math.Sqrt(d) {
		t.Errorf("sign of normal entries errs by %v, want 1 - 2/pi", e)
	}
}

// Codecs that say so have a mean that is the vector, within Hoeffding's bound of every
// entry.
func TestUnbiased(t *testing.T) {
	const n, d = 4000, 12
	x := normal(4, d)
	var norm float64
	for _, v := range x {
		norm += v * v
	}
	norm = math.Sqrt(norm)
	for _, c := range []Codec{RandomK{Share: 0.25, Unbiased: true}, Dithering{Levels: 3, Unbiased: true}} {
		mean := make([]float64, d)
		for seed := range uint64(n) {
			y, _ := through(t, c, x, seed, false)
			for i := range y {
				mean[i] += y[i] / n
			}
		}
		for i, v := range x {
			width := 4 * math.Abs(v) // random-k: 0 or 4 x_i
			if _, ok := c.(Dithering); ok {
				width = norm / 3 // one of two levels beside each other
			}
			if off := width * math.Sqrt(math.Log(2e10)/(2*n)); math.Abs(mean[i]-v) > off {
				t.Errorf("%v: the mean of entry %d is %v, want %v +- %v", c, i, mean[i], v, off)
			}
		}
	}
}

// All sets of places are drawn alike: of the 10 pairs of 5 places each is within Hoeffding's
// bound of a tenth.
func TestPlacesAreUniform(t *testing.T) {
	const n = 20000
	x, counts := []float64{1, 2, 3, 4, 5}, map[string]int{}
	for seed := range uint64(n) {
		y, _ := through(t, RandomK{Share: 0.4}, x, seed, false)
		counts[fmt.Sprint(y)]++
	}
	for places, count := range counts {
		if math.Abs(float64(count)/n-0.1) > math.Sqrt(math.Log(2e10)/(2*n)) {
			t.Errorf("%s: %d of %d", places, count, n)
		}
	}
	if len(counts) != 10 {
		t.Errorf("%d pairs", len(counts))
	}
}

// What forms are, entry by entry, and how many bytes they take.
func TestForms(t *testing.T) {
	x := []float64{0.5, -4, 0, 2, -0.25, 2, 0, 0, 1}
	for _, test := range []struct {
		codec  Codec
		narrow bool
		want   []float64
		size   int
	}{
		// 5 bytes of header, 4 of the number of entries, places of 4 bits.
		{TopK{Share: 0.3}, false, []float64{0, -4, 0, 2, 0, 2, 0, 0, 0}, 5 + 4 + 2 + 3*8},
		{TopK{Share: 0.2}, true, []float64{0, -4, 0, 2, 0, 0, 0, 0, 0}, 5 + 4 + 1 + 2*4},
		{TopK{Share: 1}, false, x, 5 + 4 + 5 + 9*8},
		{RandomK{Share: 1}, false, x, 5 + 4 + 8 + 9*8},
		// The mean of the magnitudes is 9.75/9.
		{Sign{}, false, []float64{9.75 / 9, -9.75 / 9, 9.75 / 9, 9.75 / 9, -9.75 / 9, 9.75 / 9, 9.75 / 9, 9.75 / 9, 9.75 / 9}, 5 + 8 + 2},
	} {
		y, size := through(t, test.codec, x, 1, test.narrow)
		if size != test.size {
			t.Errorf("%v: %d bytes, want %d", test.codec, size, test.size)
		}
		for i := range y {
			if math.Abs(y[i]-test.want[i]) > 1e-15 {
				t.Errorf("%v: %v, want %v", test.codec, y, test.want)
				break
			}
		}
	}
	for _, test := range []struct {
		codec Codec
		size  int
	}{{Dithering{Levels: 1}, 5 + 4 + 8 + 3}, {Dithering{Levels: 15}, 5 + 4 + 8 + 6}, {RandomK{Share: 0.1}, 5 + 4 + 8 + 8}} {
		if _, size := through(t, test.codec, x, 1, false); size != test.size {
			t.Errorf("%v: %d bytes, want %d", test.codec, size, test.size)
		}
	}
}

// Dithering is the formula of the paper, computed plainly from the same draws.
func TestDitheringByTheFormula(t *testing.T) {
	x := normal(9, 33)
	var norm float64
	for _, v := range x {
		norm += v * v
	}
	norm = math.Sqrt(norm)
	for _, s := range []float64{1, 7, 16} {
		tau := 1 + min(33/(s*s), math.Sqrt(33)/s)
		y, _ := through(t, Dithering{Levels: int(s)}, x, 5, false)
		xi := rng.New(5)
		for i, v := range x {
			want := math.Copysign(norm/(s*tau)*math.Floor(s*math.Abs(v)/norm+xi.Float64()), v)
			if math.Abs(y[i]-want) > 1e-12 {
				t.Fatalf("s = %v: entry %d is %v, want %v", s, i, y[i], want)
			}
		}
	}
}

// Whatever vector: its form is decoded at its length and finite, is the same for the same
// draws, and stays what it is where it is encoded once more by top-k. Forms do not touch
// what they are of.
func TestEncodings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(codecs).Draw(t, "codec")
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1e-310, 1e30, -1e30})), 0, 70).Draw(t, "x")
		narrow := rapid.Bool().Draw(t, "narrow")
		if narrow {
			for i, v := range x {
				x[i] = float64(float32(v))
			}
		}
		before, seed := slices.Clone(x), rapid.Uint64().Draw(t, "seed")
		encode := func(w *Work) []byte {
			w.Rand, w.Narrow = rng.New(seed), narrow
			src, err := c.Encode([]byte("before"), x, w)
			if err != nil {
				t.Fatal(err)
			}
			return src[len("before"):]
		}
		w := &Work{}
		src := encode(w)
		if again := encode(w); !bytes.Equal(src, again) || !slices.Equal(x, before) {
			t.Fatalf("%v: %x and %x", c, src, again)
		}
		y, err := Decode(make([]float64, 3, 20), src)
		if err != nil || len(y) != len(x) {
			t.Fatalf("%v: %v, %v", c, y, err)
		}
		for _, v := range y {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%v: %v", c, y)
			}
		}
		if top, ok := c.(TopK); ok {
			next, err := top.Encode(nil, y, w)
			if err != nil || len(next) != len(src) {
				t.Fatalf("%v: %x, %v", c, next, err)
			}
			if z, err := Decode(nil, next); err != nil || !slices.Equal(y, z) {
				t.Fatalf("%v: %v, %v", z, y, err)
			}
			if limit := (1 - top.Omega(len(x))) * (1 + 1e-12); len(x) > 0 && error2(x, y) > limit {
				t.Fatalf("an error of %v, want at most %v", error2(x, y), limit)
			}
		}
	})
}

// nth is what sorting finds.
func TestNth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Uint64Range(0, 50), 1, 300).Draw(t, "v")
		n := rapid.IntRange(0, len(v)-1).Draw(t, "n")
		sorted := slices.Sorted(slices.Values(v))
		if got := nth(v, n); got != sorted[len(sorted)-1-n] {
			t.Fatalf("%d, want %d", got, sorted[len(sorted)-1-n])
		}
	})
}

// Options that are none, and vectors whose forms would have no numbers.
func TestRefused(t *testing.T) {
	for _, c := range []Codec{TopK{}, TopK{Share: 1.5}, TopK{Share: math.NaN()}, RandomK{Share: -1}, Dithering{}, Dithering{Levels: 65536}} {
		if err := c.Validate(); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
	for _, c := range codecs {
		if err := c.Validate(); err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
	for _, test := range []struct {
		codec  Codec
		x      []float64
		narrow bool
	}{
		{RandomK{Share: 0.5, Unbiased: true}, []float64{1.5e308, 1.5e308}, false},
		{RandomK{Share: 0.5, Unbiased: true}, []float64{3e38, 3e38}, true},
		{Dithering{Levels: 3, Unbiased: true}, []float64{1.5e308, 1.5e308}, false},
	} {
		if src, err := test.codec.Encode(nil, test.x, &Work{Rand: rng.New(1), Narrow: test.narrow}); err == nil || !strings.Contains(err.Error(), "beyond the largest number") {
			t.Errorf("%v: %x, %v", test.codec, src, err)
		}
	}
}

// TestWhole holds that whole numbers arrive as they are, in as many bits as they have, and that
// others are refused.
func TestWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Whole{Bits: rapid.IntRange(1, mostBits).Draw(t, "bits")}
		half := 1 << (c.Bits - 1)
		var x []float64
		for _, v := range rapid.SliceOf(rapid.IntRange(-half, half-1)).Draw(t, "entries") {
			x = append(x, float64(v))
		}
		src, err := c.Encode(nil, x, &Work{})
		if err != nil {
			t.Fatal(err)
		}
		if want := 1 + 4 + 1 + (len(x)*c.Bits+7)/8; len(src) != want {
			t.Errorf("%d bytes, want %d", len(src), want)
		}
		if y, err := Decode(nil, src); err != nil || !slices.Equal(x, y) {
			t.Errorf("%v, want %v, %v", y, x, err)
		}
		for _, other := range []float64{float64(half), float64(-half - 1), 0.5, math.NaN(), math.Inf(1)} {
			if _, err := c.Encode(nil, append(x, other), &Work{}); err == nil {
				t.Errorf("%v is encoded in %d bits", other, c.Bits)
			}
		}
	})
}

// FuzzDecode holds that no bytes make the decoder panic, give numbers that are not finite,
// or give another vector where they are decoded again.
func FuzzDecode(f *testing.F) {
	for _, c := range codecs {
		for _, narrow := range []bool{false, true} {
			x := []float64{0.5, -4, 0, 2, -0.25}
			src, err := c.Encode(nil, x, &Work{Rand: rng.New(1), Narrow: narrow})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
			f.Add(src[:len(src)-1])
			f.Add(append(src, 0))
			src[len(src)-1] ^= 0xff
			f.Add(src)
		}
	}
	f.Add([]byte{formPlaces, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	f.Add([]byte{formWhole, 2, 0, 0, 0, 3, 0b101_010})
	f.Add([]byte{formWhole, 2, 0, 0, 0, 25, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{formWhole, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, src []byte) {
		kept := bytes.Clone(src)
		x, err := Decode(nil, src)
		if err != nil {
			if !errors.Is(err, errForm) {
				t.Fatal(err)
			}
			return
		}
		for i, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("entry %d is %v", i, v)
			}
		}
		y, err := Decode(normal(1, 8), src)
		if err != nil || !slices.Equal(x, y) || !bytes.Equal(src, kept) {
			t.Fatalf("%v, then %v, %v", x, y, err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	x := normal(1, 10_000)
	for _, c := range []Codec{TopK{Share: 0.01}, RandomK{Share: 0.01}, Dithering{Levels: 15}, Sign{}} {
		b.Run(c.String(), func(b *testing.B) {
			b.ReportAllocs()
			w, dst := &Work{Rand: rng.New(1)}, []byte(nil)
			for b.Loop() {
				dst, _ = c.Encode(dst[:0], x, w)
			}
		})
	}
}
