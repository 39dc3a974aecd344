package portable

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// span is where random arguments lie: their sizes are log-uniform in [low, high], or
// with linear set they are uniform there.
type span struct {
	low, high float64
	signed    bool
	linear    bool
}

func (s span) draw(r *rand.Rand) float64 {
	if s.linear {
		return s.low + (s.high-s.low)*r.Float64()
	}
	x := math.Exp2(math.Log2(s.low) + (math.Log2(s.high)-math.Log2(s.low))*r.Float64())
	if s.signed && r.Uint64()&1 == 1 {
		return -x
	}
	return x
}

// A tested function is compared with its reference at random arguments of the spans
// and at hard ones.
type tested struct {
	name      string
	of        func(float64) float64
	reference func(x *big.Float) *big.Float
	bound     float64 // in ulp, as stated
	spans     []span
	hard      []float64
}

func sinh(x *big.Float) *big.Float {
	e := bigExp(x)
	return e.Quo(e.Sub(e, blank().Quo(whole(1), e)), whole(2))
}

func expm1(x *big.Float) *big.Float { return blank().Sub(bigExp(x), whole(1)) }

func bigTanh(x *big.Float) *big.Float {
	e := expm1(blank().Mul(x, whole(2)))
	return blank().Quo(e, blank().Add(e, whole(2)))
}

// around are x and its neighbours.
func around(xs ...float64) []float64 {
	var all []float64
	for _, x := range xs {
		all = append(all, x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)))
	}
	return all
}

var functions = []tested{
	{"Exp", Exp, bigExp, 0.52, []span{{-708, 709.7, false, true}, {0x1p-60, 1, true, false}, {-1, 1, false, true}},
		around(709.78, -708, 708, -708.39, 1, -1, math.Ln2, math.Ln2/256, 3*math.Ln2/256)},
	{"Exp", Exp, bigExp, 0.8, []span{{-745.1, -708.4, false, true}}, around(-745)},
	{"Expm1", Expm1, expm1, 0.6, []span{{-45, 709.7, false, true}, {0x1p-80, 1, true, false}, {-0.2, 0.2, false, true}},
		around(0.125, -0.125, math.Ln2/2, -math.Ln2/2, 40, -40)},
	{"Tanh", Tanh, bigTanh, 0.6, []span{{-22, 22, false, true}, {0x1p-60, 1, true, false}}, around(0.0625, 20, 0x1p-30)},
	{"Sinh", Sinh, sinh, 0.8, []span{{-710, 710, false, true}, {0x1p-60, 1, true, false}, {-3, 3, false, true}}, around(40, 0x1p-30, 710.4)},
	{"Log", Log, bigLog, 0.52, []span{{0x1p-1074, 0x1p1023, false, false}, {0.5, 2, false, true}, {0.98, 1.02, false, true}},
		around(1, 0.6875, 1.375, 1-0x1p-8, 1+0x1p-7, 0x1p-1022, math.MaxFloat64/2)},
	{"Log1p", Log1p, func(x *big.Float) *big.Float { return bigLog(blank().Add(x, whole(1))) }, 0.52,
		[]span{{0x1p-60, 0x1p200, false, false}, {0x1p-60, 1, true, false}, {-0.999, 3, false, true}, {-0.02, 0.02, false, true}},
		around(0x1p-54, 0x1p-53, -0.3125, 0.375, 0x1p53)},
	{"Log2", Log2, func(x *big.Float) *big.Float { return blank().Quo(bigLog(x), bigLn2) }, 0.51,
		[]span{{0x1p-1074, 0x1p1023, false, false}, {0.5, 2, false, true}, {0.98, 1.02, false, true}}, around(8, 1, 0.6875, 1.375)},
	{"Log10", Log10, func(x *big.Float) *big.Float { return blank().Quo(bigLog(x), bigLog(whole(10))) }, 0.51,
		[]span{{0x1p-1074, 0x1p1023, false, false}, {0.5, 2, false, true}}, around(1000, 1, 1e22)},
	{"Sin", Sin, func(x *big.Float) *big.Float { s, _ := bigSincos(x); return s }, 0.8,
		[]span{{-10, 10, false, true}, {0x1p-40, 0x1p1020, true, false}, {-0x1p20, 0x1p20, false, true}},
		around(math.Pi, math.Pi/2, math.Pi/4, 2*math.Pi, 0x1p20, 6381956970095103*0x1p797, 355)},
	{"Erf", Erf, func(x *big.Float) *big.Float {
		if math.Abs(float(x)) > 7 {
			return whole(int64(x.Sign()))
		}
		return bigErf(x)
	}, 0.8, []span{{-6.5, 6.5, false, true}, {0x1p-900, 1, true, false}, {-0.6, 0.6, false, true}}, around(0.25, -0.25, 6)},
	{"Erfc", Erfc, bigErfc, 0.8, []span{{-6.5, 26.5, false, true}, {0x1p-80, 1, true, false}, {-0.6, 3, false, true}}, around(0.25, -0.25, 26)},
	{"Erfc", Erfc, bigErfc, 1, []span{{26.5, 27.2, false, true}}, nil},
	{"NormalQuantile", NormalQuantile, func(p *big.Float) *big.Float { z := bigQuantile(bigLog(p)); return z.Neg(z) }, 2,
		[]span{{0x1p-1022, 0.49, false, false}, {0.01, 0.4999, false, true}}, []float64{0.25, 0.4, 1e-300, 0.499999}},
	{"Cos", Cos, func(x *big.Float) *big.Float { _, c := bigSincos(x); return c }, 0.8,
		[]span{{-10, 10, false, true}, {0x1p-40, 0x1p1020, true, false}, {-0x1p20, 0x1p20, false, true}},
		around(math.Pi, math.Pi/2, math.Pi/4, 2*math.Pi, 0x1p20, 6381956970095103*0x1p797, 355)},
}

func TestErrorBounds(t *testing.T) {
	for _, f := range functions {
		t.Run(fmt.Sprintf("%s below %g", f.name, f.bound), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			worst, at := 0.0, 0.0
			try := func(x float64) {
				if off := ulps(f.of(x), f.reference(number(x))); off > worst {
					worst, at = off, x
				}
			}
			for _, s := range f.spans {
				for range 200 {
					try(s.draw(r))
				}
			}
			for _, x := range f.hard {
				try(x)
			}
			t.Logf("%s: at most %.4f ulp, at %x", f.name, worst, at)
			if worst > f.bound {
				t.Errorf("%s is %.4f ulp off at %x (%g); the bound is %g", f.name, worst, at, at, f.bound)
			}
		})
	}
}

func TestPowErrorBound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	worst := 0.0
	check := func(x, y, bound float64) {
		want := bigExp(blank().Mul(number(y), bigLog(number(x))))
		off := ulps(Pow(x, y), want)
		if worst = max(worst, off); off > bound {
			t.Errorf("Pow(%x, %x) is %.4f ulp off", x, y, off)
		}
	}
	for range 1000 {
		x := span{0x1p-1074, 0x1p1023, false, false}.draw(r)
		check(x, span{-700, 700, false, true}.draw(r)/Log(x), 0.53)
		x = span{0.99, 1.01, false, true}.draw(r)
		check(x, span{-700, 700, false, true}.draw(r)/Log(x), 0.53)
		check(span{0.5, 20, false, true}.draw(r), span{-5, 5, false, true}.draw(r), 0.53)
	}
	t.Logf("at most %.4f ulp", worst)
	check(0.5, 1060.3, 0.8)
	check(10, -320, 0.8)
}

func TestLgammaErrorBound(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	worst := 0.0
	for i := range 900 {
		x := []span{{0.01, 20, false, true}, {0x1p-100, 0x1p100, false, false}, {0.9, 2.1, false, true}}[i%3].draw(r)
		want := bigLgamma(number(x))
		off := ulps(Lgamma(x), want)
		if distance := math.Abs(float(blank().Sub(number(Lgamma(x)), want))); distance < 0x1p-54 {
			off = min(off, 1)
		}
		if worst = max(worst, off); off > 1 {
			t.Errorf("Lgamma(%x) is %.4f ulp off", x, off)
		}
	}
	t.Logf("at most %.4f ulp", worst)
}

func TestHypotErrorBound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	worst := 0.0
	for range 3000 {
		x := span{0x1p-1000, 0x1p1020, true, false}.draw(r)
		y := x * span{0x1p-60, 0x1p60, true, false}.draw(r)
		if math.IsInf(y, 0) || math.Abs(y) < 0x1p-1010 {
			continue
		}
		a, b := number(x), number(y)
		want := blank().Sqrt(a.Add(a.Mul(a, a), b.Mul(b, b)))
		worst = max(worst, ulps(Hypot(x, y), want))
	}
	t.Logf("at most %.4f ulp", worst)
	if worst > 1.25 {
		t.Errorf("Hypot is %.4f ulp off", worst)
	}
}

// TestSpecialValues holds the special values against those of package math.
func TestSpecialValues(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), -2, 800, -800, -0.5, 0x1p-1022, -0x1p-1022,
		0x1p1000, -0x1p1000}
	same := func(got, want float64) bool {
		return math.Float64bits(got) == math.Float64bits(want) || math.IsNaN(got) && math.IsNaN(want) ||
			got != 0 && math.Abs(got-want) <= 1e-13*math.Abs(want)
	}
	for _, pair := range []struct {
		name      string
		got, want func(float64) float64
	}{
		{"Exp", Exp, math.Exp}, {"Expm1", Expm1, math.Expm1}, {"Tanh", Tanh, math.Tanh}, {"Sinh", Sinh, math.Sinh},
		{"Log", Log, math.Log}, {"Log1p", Log1p, math.Log1p}, {"Log2", Log2, math.Log2}, {"Log10", Log10, math.Log10},
		{"Sin", Sin, math.Sin}, {"Cos", Cos, math.Cos}, {"Erf", Erf, math.Erf}, {"Erfc", Erfc, math.Erfc},
	} {
		for _, x := range special {
			if got, want := pair.got(x), pair.want(x); !same(got, want) {
				t.Errorf("%s(%g) = %g, math's is %g", pair.name, x, got, want)
			}
		}
	}
	for p, want := range map[float64]float64{0: math.Inf(-1), 1: math.Inf(1), 0.5: 0, -1: math.NaN(), 2: math.NaN()} {
		if got := NormalQuantile(p); !same(got, want) {
			t.Errorf("NormalQuantile(%g) = %g, not %g", p, got, want)
		}
	}
	for _, x := range append(special, 3, -3, 0.5, -0.5, 1<<53+2) {
		for _, y := range append(special, 3, -3, 0.5, -0.5, 1<<53+2) {
			if got, want := Pow(x, y), math.Pow(x, y); !same(got, want) {
				t.Errorf("Pow(%g, %g) = %g, math's is %g", x, y, got, want)
			}
			if got, want := Hypot(x, y), math.Hypot(x, y); !same(got, want) {
				t.Errorf("Hypot(%g, %g) = %g, math's is %g", x, y, got, want)
			}
		}
	}
}

// TestExactValues names results that are numbers.
func TestExactValues(t *testing.T) {
	for k := -1074; k < 1024; k++ {
		if got := Log2(math.Ldexp(1, k)); got != float64(k) {
			t.Errorf("Log2(2^%d) = %g", k, got)
		}
		if got := Pow(2, float64(k)); got != math.Ldexp(1, k) {
			t.Errorf("Pow(2, %d) = %g", k, got)
		}
	}
	power := 1.0
	for k := range 23 { // 10^22 is the last that is a float64
		if got := Log10(power); got != float64(k) {
			t.Errorf("Log10(10^%d) = %g", k, got)
		}
		power *= 10
	}
	if got := Hypot(3e300, 4e300); got != 5e300 {
		t.Errorf("Hypot(3e300, 4e300) = %g", got)
	}
}

var sink float64

func BenchmarkFunctions(b *testing.B) {
	for _, f := range []struct {
		name      string
		ours, std func(float64) float64
		low, high float64
	}{
		{"Exp", Exp, math.Exp, -20, 5}, {"Expm1", Expm1, math.Expm1, -3, 3}, {"Log", Log, math.Log, 0, 4}, {"Log1p", Log1p, math.Log1p, -0.9, 2},
		{"Tanh", Tanh, math.Tanh, -3, 3}, {"Sin", Sin, math.Sin, -20, 20}, {"Cos", Cos, math.Cos, -20, 20}, {"Log2", Log2, math.Log2, 0, 4}, {"Log10", Log10, math.Log10, 0, 4}, {"Sinh", Sinh, math.Sinh, -3, 3},
		{"Erf", Erf, math.Erf, -3, 3}, {"Erfc", Erfc, math.Erfc, -3, 8}, {"Lgamma", Lgamma, func(x float64) float64 { l, _ := math.Lgamma(x); return l }, 1, 200},
		{"NormalQuantile", NormalQuantile, func(x float64) float64 { return math.Sqrt2 * math.Erfinv(2*x-1) }, 0, 1},
		{"Pow", func(x float64) float64 { return Pow(x, 0.6) }, func(x float64) float64 { return math.Pow(x, 0.6) }, 0, 50},
		{"Hypot", func(x float64) float64 { return Hypot(x, 0.6) }, func(x float64) float64 { return math.Hypot(x, 0.6) }, 0, 2},
	} {
		var xs [1024]float64
		r := rand.New(rand.NewPCG(7, 8))
		for i := range xs {
			xs[i] = span{f.low, f.high, false, true}.draw(r)
		}
		for _, way := range []struct {
			name string
			of   func(float64) float64
		}{{"portable", f.ours}, {"math", f.std}} {
			b.Run(f.name+"/"+way.name, func(b *testing.B) {
				total := 0.0
				for i := range b.N {
					total += way.of(xs[i&1023])
				}
				sink = total
			})
		}
	}
}
