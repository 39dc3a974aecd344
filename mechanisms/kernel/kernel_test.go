package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// longest is up to which length all lengths are tried: several times the lanes, and some.
const longest = 130

// laned is the stated order: lane k mod width adds term k, and lanes fold in halves.
func laned[F float32 | float64](n, width int, term func(k int) F) F {
	lane := make([]F, width)
	for k := range n {
		lane[k%width] += term(k)
	}
	for len(lane) > 1 {
		half := len(lane) / 2
		for j := range half {
			lane[j] += lane[half+j]
		}
		lane = lane[:half]
	}
	return lane[0]
}

// same tells whether two numbers have the same bits, or are both not numbers.
func same[F float32 | float64](a, b F) bool {
	return math.Float64bits(float64(a)) == math.Float64bits(float64(b)) || a != a && b != b
}

// draws makes vectors of numbers of many sizes, at all alignments; wild ones hold infinite
// numbers, NaN, zeros of both signs, and the smallest and largest numbers too.
type draws struct {
	r    *rand.Rand
	wild bool
}

func (d draws) number() float64 {
	if d.wild {
		switch d.r.IntN(12) {
		case 0:
			return math.Inf(1 - 2*d.r.IntN(2))
		case 1:
			return math.NaN()
		case 2:
			return math.Copysign(0, -1)
		case 3:
			return 0
		case 4:
			return math.SmallestNonzeroFloat64 * float64(1+d.r.IntN(9))
		case 5:
			return -math.MaxFloat64
		}
	}
	return math.Ldexp(d.r.NormFloat64(), d.r.IntN(20)-10)
}

func (d draws) vector(n int) []float64 {
	skip := d.r.IntN(4)
	x := make([]float64, skip+n)[skip:]
	for k := range x {
		x[k] = d.number()
	}
	return x
}

func (d draws) vector32(n int) []float32 {
	skip := d.r.IntN(8)
	x := make([]float32, skip+n)[skip:]
	for k := range x {
		x[k] = float32(d.number())
	}
	return x
}

func everyLength(t *testing.T, check func(t *testing.T, d draws, n int)) {
	for _, wild := range []bool{false, true} {
		t.Run(fmt.Sprintf("wild=%v", wild), func(t *testing.T) {
			d := draws{rand.New(rand.NewPCG(1, 2)), wild}
			for n := range longest + 1 {
				for range 4 {
					check(t, d, n)
				}
			}
		})
	}
}

// Every reduction is in the stated order, in Go and as it is called.
func TestReductions(t *testing.T) {
	everyLength(t, func(t *testing.T, d draws, n int) {
		x, y := d.vector(n), d.vector(n)
		for name, c := range map[string]struct {
			kernels []float64
			term    func(k int) float64
		}{
			"Dot":             {[]float64{Dot(x, y), dotGo(x, y)}, func(k int) float64 { return float64(x[k] * y[k]) }},
			"SquaredNorm":     {[]float64{SquaredNorm(x), dotGo(x, x)}, func(k int) float64 { return float64(x[k] * x[k]) }},
			"Sum":             {[]float64{Sum(x), sumGo(x)}, func(k int) float64 { return x[k] }},
			"Norm1":           {[]float64{Norm1(x), norm1Go(x)}, func(k int) float64 { return math.Abs(x[k]) }},
			"SquaredDistance": {[]float64{SquaredDistance(x, y), squaredDistanceGo(x, y)}, func(k int) float64 { return float64((x[k] - y[k]) * (x[k] - y[k])) }},
			"Distance1":       {[]float64{Distance1(x, y), distance1Go(x, y)}, func(k int) float64 { return math.Abs(x[k] - y[k]) }},
		} {
			want := laned(n, 16, c.term)
			for i, got := range c.kernels {
				if !same(got, want) {
					t.Fatalf("%s of %d entries (%d): %v, want %v", name, n, i, got, want)
				}
			}
		}
		z := d.vector32(n)
		want := laned(n, 16, func(k int) float64 { return float64(float64(z[k]) * float64(z[k])) })
		if got, also := SquaredNorm32(z), squaredNorm32Go(z); !same(got, want) || !same(also, want) {
			t.Fatalf("SquaredNorm32 of %d entries: %v and %v, want %v", n, got, also, want)
		}
	})
}

// The error of a sum is at most (the number of additions on the way of a term) units of
// rounding of the sum of sizes: n/16 + 5 with lanes, one more for products.
func TestErrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 400).Draw(t, "n")
		d := draws{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), false}
		x, y := d.vector(n), d.vector(n)
		exact, sizes := new(big.Float).SetPrec(2000), 0.0
		for k := range x {
			product := new(big.Float).SetPrec(2000).Mul(big.NewFloat(x[k]), big.NewFloat(y[k]))
			exact.Add(exact, product)
			sizes += math.Abs(x[k] * y[k])
		}
		off, _ := exact.Sub(exact, big.NewFloat(Dot(x, y))).Float64()
		if bound := float64(n/16+7) * 0x1p-53 * sizes * 1.01; math.Abs(off) > bound {
			t.Fatalf("off by %v, want at most %v", off, bound)
		}
	})
}

// One entry that is not finite is found wherever it is.
func TestAllFinite(t *testing.T) {
	for n := range longest + 1 {
		x, y := make([]float64, n+3)[3:], make([]float32, n+3)[3:]
		for k := range x {
			x[k], y[k] = -math.MaxFloat64, math.MaxFloat32
		}
		if !AllFinite(x) || !allFiniteGo(x) || !AllFinite32(y) {
			t.Fatalf("%d entries as large as can be are not finite", n)
		}
		for k := range x {
			for _, bad := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
				x[k], y[k] = bad, float32(bad)
				if AllFinite(x) || allFiniteGo(x) || AllFinite32(y) {
					t.Fatalf("entry %d of %d is %v", k, n, bad)
				}
			}
			x[k], y[k] = 0, 0
		}
	}
}

// Every entry that a kernel writes is what the documentation prints, and nothing else is
// written.
func TestVectors(t *testing.T) {
	everyLength(t, func(t *testing.T, d draws, n int) {
		around := d.vector(n + 20)
		dst := around[10 : 10+n]
		x := [4][]float64{d.vector(n), d.vector(n), d.vector(n), d.vector(n)}
		a := [4]float64{d.number(), d.number(), d.number(), d.number()}
		rows := d.vector(4*(n+1) - 1)
		width, picked := n+3, []int32{4, 0, 2, 1, 3, 2}
		block, weights := d.vector(5*width), d.vector(len(picked))
		for name, c := range map[string]struct {
			run   func()
			entry func(k int, was float64) float64
		}{
			"Add":  {func() { Add(dst, x[0]) }, func(k int, was float64) float64 { return was + x[0][k] }},
			"Axpy": {func() { Axpy(dst, a[0], x[0]) }, func(k int, was float64) float64 { return was + float64(a[0]*x[0][k]) }},
			"Axpy4": {func() { Axpy4(dst, &a, &x) }, func(k int, was float64) float64 {
				for i := range x {
					was += float64(a[i] * x[i][k])
				}
				return was
			}},
			"AxpyRows": {func() { AxpyRows(dst, a[:], rows, n+1) }, func(k int, was float64) float64 {
				for i := range a {
					was += float64(a[i] * rows[i*(n+1)+k])
				}
				return was
			}},
			"AxpyRows of none": {func() { AxpyRows(dst, nil, nil, n) }, func(_ int, was float64) float64 { return was }},
			"AddRows": {func() { AddRows(dst, weights, picked, block, width) }, func(k int, was float64) float64 {
				for i, row := range picked {
					was += float64(weights[i] * block[int(row)*width+k])
				}
				return was
			}},
			"Scale":               {func() { Scale(dst, a[0], x[0]) }, func(k int, _ float64) float64 { return a[0] * x[0][k] }},
			"Scale in place":      {func() { Scale(dst, a[0], dst) }, func(_ int, was float64) float64 { return a[0] * was }},
			"AddProduct":          {func() { AddProduct(dst, x[0], x[1], x[2]) }, func(k int, _ float64) float64 { return x[0][k] + float64(x[1][k]*x[2][k]) }},
			"AddProduct in place": {func() { AddProduct(dst, x[0], x[1], dst) }, func(k int, was float64) float64 { return x[0][k] + float64(x[1][k]*was) }},
			"ScaledDifference":    {func() { ScaledDifference(dst, a[0], x[0], x[1]) }, func(k int, _ float64) float64 { return a[0] * (x[0][k] - x[1][k]) }},
		} {
			before := append([]float64(nil), around...)
			c.run()
			for i, v := range around {
				want := before[i]
				if i >= 10 && i < 10+n {
					want = c.entry(i-10, before[i])
				}
				if !same(v, want) {
					t.Fatalf("%s of %d entries: entry %d is %v, want %v", name, n, i-10, v, want)
				}
			}
			copy(around, before)
		}
	})
}

func TestVectors32(t *testing.T) {
	everyLength(t, func(t *testing.T, d draws, n int) {
		around := d.vector32(n + 20)
		dst := around[10 : 10+n]
		x := [4][]float32{d.vector32(n), d.vector32(n), d.vector32(n), d.vector32(n)}
		a := [4]float32{float32(d.number()), float32(d.number()), float32(d.number()), float32(d.number())}
		for terms, run := range map[int]func(){1: func() { Axpy32(dst, a[0], x[0]) }, 4: func() { axpy4x32(dst, &a, &x) }} {
			before := append([]float32(nil), around...)
			run()
			for i, v := range around {
				want := before[i]
				if i >= 10 && i < 10+n {
					for j := range terms {
						want += float32(a[j] * x[j][i-10])
					}
				}
				if !same(v, want) {
					t.Fatalf("%d terms of %d entries: entry %d is %v, want %v", terms, n, i-10, v, want)
				}
			}
			copy(around, before)
		}
	})
}

// Products of matrices are in the stated order, whatever the shape.
func TestMatrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draws{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), rapid.Bool().Draw(t, "wild")}
		rows, columns, n := rapid.IntRange(0, 9).Draw(t, "rows"), rapid.IntRange(0, 9).Draw(t, "columns"), rapid.IntRange(0, 40).Draw(t, "n")
		if rapid.IntRange(0, 9).Draw(t, "wide") == 0 {
			columns += strip
		}
		a, b, transposed, before := d.vector32(rows*n), d.vector32(n*columns), make([]float32, n*columns), d.vector32(rows*columns)
		for k := range a {
			if d.r.IntN(3) == 0 {
				a[k] = 0
			}
		}
		other := make([]float32, len(a))
		for k := range n {
			for j := range columns {
				transposed[j*n+k] = b[k*columns+j]
			}
			for i := range rows {
				other[k*rows+i] = a[i*n+k]
			}
		}
		run := func(f func(c []float32)) []float32 {
			c := append([]float32(nil), before...)
			f(c)
			return c
		}
		inner := run(func(c []float32) { Inner(c, a, transposed, rows, columns, n, false) })
		added := run(func(c []float32) { Inner(c, a, transposed, rows, columns, n, true) })
		plain := run(func(c []float32) { innerGo(c, a, transposed, rows, columns, n, true) })
		outer := run(func(c []float32) { Outer(c, a, b, rows, columns, n, false) })
		turned := run(func(c []float32) { Outer(c, other, b, rows, columns, n, true) })
		for at, was := range before {
			i, j := at/columns, at%columns
			product := laned(n, 8, func(k int) float32 { return float32(a[i*n+k] * b[k*columns+j]) })
			sum := was
			for k := range n {
				if a[i*n+k] != 0 {
					sum += float32(a[i*n+k] * b[k*columns+j])
				}
			}
			if !same(inner[at], product) || !same(added[at], was+product) || !same(plain[at], was+product) || !same(outer[at], sum) || !same(turned[at], sum) {
				t.Fatalf("%d x %d x %d, entry (%d, %d): inner %v, %v, %v, want %v after %v; outer %v, %v, want %v",
					rows, columns, n, i, j, inner[at], added[at], plain[at], product, was, outer[at], turned[at], sum)
			}
		}
	})
}

// FuzzDot holds assembly and Go to each other on numbers of any bits.
func FuzzDot(f *testing.F) {
	f.Add(uint64(1), uint64(0x7ff0000000000000), 17)
	f.Fuzz(func(t *testing.T, seed, bits uint64, n int) {
		n = min(max(n, 0), 300)
		r := rand.New(rand.NewPCG(seed, bits))
		x, y := make([]float64, n), make([]float64, n)
		for k := range x {
			x[k], y[k] = math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64()^bits)
		}
		if got, want := Dot(x, y), dotGo(x, y); !same(got, want) {
			t.Errorf("Dot of %d entries is %v, in Go %v", n, got, want)
		}
		if got, want := AllFinite(x), allFiniteGo(x); got != want {
			t.Errorf("AllFinite is %v, in Go %v", got, want)
		}
	})
}

// Operands that are too short panic, and nothing is written.
func TestLengths(t *testing.T) {
	short, long := make([]float64, 7), make([]float64, 8)
	for name, f := range map[string]func(){
		"Dot":              func() { Dot(long, short[:7:7]) },
		"SquaredDistance":  func() { SquaredDistance(long, short[:7:7]) },
		"Distance1":        func() { Distance1(long, short[:7:7]) },
		"Add":              func() { Add(long, short[:7:7]) },
		"Axpy":             func() { Axpy(long, 1, short[:7:7]) },
		"Axpy4":            func() { Axpy4(long, &[4]float64{}, &[4][]float64{long, long, long, short[:7:7]}) },
		"AddRows":          func() { AddRows(long, make([]float64, 4), []int32{0, 0, 0, 1}, make([]float64, 15), 8) },
		"AddRows, weights": func() { AddRows(long, make([]float64, 1), []int32{0, 1}, make([]float64, 16), 8) },
		"Scale":            func() { Scale(long, 1, short[:7:7]) },
		"AxpyRows":         func() { AxpyRows(long, long[:2], long, 1) },
		"AddProduct":       func() { AddProduct(long, long, short[:7:7], long) },
		"ScaledDifference": func() { ScaledDifference(long, 1, long, short[:7:7]) },
		"Axpy32":           func() { Axpy32(make([]float32, 8), 1, make([]float32, 7)) },
		"Inner":            func() { Inner(make([]float32, 8), make([]float32, 7), make([]float32, 4), 4, 2, 2, false) },
		"Outer":            func() { Outer(make([]float32, 8), make([]float32, 8), make([]float32, 3), 4, 2, 2, false) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of slices that are too short does not panic", name)
				}
			}()
			f()
		}()
	}
}
