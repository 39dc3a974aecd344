package rng

import (
	"math"
	"math/big"
	"testing"
)

// Arithmetic in 300 bits, of which the last 40 or so may be wrong: nothing of what the
// package computes with.
const precision = 300

func number(x float64) *big.Float { return big.NewFloat(x).SetPrec(precision) }

func blank() *big.Float { return new(big.Float).SetPrec(precision) }

// bigExp is exp(x) for |x| < 1000: the Taylor series at x/2^20, squared 20 times.
func bigExp(x *big.Float) *big.Float {
	small := blank().SetMantExp(x, -20)
	sum, term := number(1), number(1)
	for k := 1; k < 40; k++ {
		term.Mul(term, small)
		term.Quo(term, number(float64(k)))
		sum.Add(sum, term)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog is log(y), by Newton's method for exp.
func bigLog(y *big.Float) *big.Float {
	near, _ := y.Float64()
	x := number(math.Log(near))
	for range 3 { // 16 digits become 128
		e := bigExp(blank().Neg(x))
		x.Add(x, e.Sub(e.Mul(e, y), number(1)))
	}
	return x
}

// ziggurat is a density that falls on [0, inf), with f(0) = 1.
type ziggurat struct {
	density, inverse, tail func(*big.Float) *big.Float
	edge                   float64 // of the lowest strip, nearly
	edges, heights         *[strips + 1]float64
}

var ziggurats = map[string]ziggurat{
	"normal": {
		density: func(x *big.Float) *big.Float {
			s := blank().Mul(x, x)
			return bigExp(s.Neg(s.SetMantExp(s, -1)))
		},
		inverse: func(y *big.Float) *big.Float {
			s := bigLog(y)
			return s.Sqrt(s.Neg(s.SetMantExp(s, 1)))
		},
		tail: func(x *big.Float) *big.Float {
			// sqrt(pi/2) less the integral from 0 to x, term by term.
			square := blank().Mul(x, x)
			sum, term := number(0), blank().Set(x)
			for k := 0; k < 250; k++ {
				part := blank().Quo(term, number(float64(2*k+1)))
				sum.Add(sum, part)
				term.Mul(term, square)
				term.Quo(term, number(-2*float64(k+1)))
			}
			half := blank().SetMantExp(bigPi(), -1)
			return half.Sub(half.Sqrt(half), sum)
		},
		edge: 3.65415, edges: &normalEdges, heights: &normalHeights,
	},
	"exponential": {
		density: func(x *big.Float) *big.Float { return bigExp(blank().Neg(x)) },
		inverse: func(y *big.Float) *big.Float { s := bigLog(y); return s.Neg(s) },
		tail:    func(x *big.Float) *big.Float { return bigExp(blank().Neg(x)) },
		edge:    7.69711, edges: &exponentialEdges, heights: &exponentialHeights,
	},
}

// bigPi is Machin's 16 arctan(1/5) - 4 arctan(1/239).
func bigPi() *big.Float {
	arctan := func(n float64) *big.Float {
		sum, power := number(0), blank().Quo(number(1), number(n))
		for k := 0; k < 150; k++ {
			sum.Add(sum, blank().Quo(power, number(float64(2*k+1))))
			power.Quo(power, number(-n*n))
		}
		return sum
	}
	a, b := arctan(5), arctan(239)
	return a.Sub(a.Mul(a, number(16)), b.Mul(b, number(4)))
}

// climb lays strips of one area from the edge of the lowest. What is left between the
// top of the last and f(0) = 1 is 0 for the right edge only.
func (z ziggurat) climb(edge *big.Float) (edges []*big.Float, left *big.Float) {
	bottom := z.density(edge)
	area := blank().Mul(edge, bottom)
	area.Add(area, z.tail(edge))
	edges = []*big.Float{blank().Quo(area, bottom), edge}
	for {
		x := edges[len(edges)-1]
		top := blank().Quo(area, x)
		top.Add(top, z.density(x))
		if len(edges) == strips {
			return append(edges, number(0)), top.Sub(top, number(1))
		}
		edges = append(edges, z.inverse(top))
	}
}

// The tables are those of the equations, correctly rounded: the edge of the lowest strip
// is found by the secant method in 300 bits.
func TestTables(t *testing.T) {
	for name, z := range ziggurats {
		a, b := number(z.edge+1e-4), number(z.edge+2e-4)
		edges, left := z.climb(a)
		var before *big.Float
		for range 12 {
			before = left
			edges, left = z.climb(b)
			if left.Sign() == 0 || left.MantExp(nil) < -200 {
				break
			}
			step := blank().Sub(b, a)
			step.Quo(step.Mul(step, left), blank().Sub(left, before))
			a, b = b, blank().Sub(b, step)
		}
		if left.MantExp(nil) > -200 {
			t.Fatalf("%s: the strips leave %v", name, left)
		}
		area := blank().Mul(edges[1], blank().Sub(z.density(edges[2]), z.density(edges[1])))
		for i := range z.edges {
			if want, _ := edges[i].Float64(); z.edges[i] != want {
				t.Errorf("%s: edge %d is %v, want %v", name, i, z.edges[i], want)
			}
			if want, _ := z.density(edges[i]).Float64(); z.heights[i] != want {
				t.Errorf("%s: height %d is %v, want %v", name, i, z.heights[i], want)
			}
			if i == 0 || i == strips {
				continue
			}
			strip := blank().Sub(number(z.heights[i+1]), number(z.heights[i]))
			strip.Quo(strip.Mul(strip, number(z.edges[i])), area)
			if off, _ := strip.Sub(strip, number(1)).Float64(); math.Abs(off) > 2e-14 {
				t.Errorf("%s: the area of strip %d is off by a share of %v", name, i, off)
			}
		}
	}
}

// draw is the ziggurat once more, written from its definition: the density is that of 300
// bits at every point, and no point is taken for its distance from the edge.
func (z ziggurat) draw(r *Rand, tail func() float64) float64 {
	for {
		u := r.Uint64()
		i := u >> 1 & 255
		point := blank().Mul(number(float64(u>>11|1)), number(z.edges[i]))
		x, _ := point.SetMantExp(point, -53).Float64()
		sign := 1 - 2*float64(u&1)
		switch below := number(x).Cmp(number(z.edges[i+1])) < 0; {
		case below: // under the density, whatever its height
			return sign * x
		case i == 0:
			return sign * tail()
		}
		height := blank().Sub(number(z.heights[i+1]), number(z.heights[i]))
		height.Mul(height, number((float64(r.Uint64()>>12)+0.5)*0x1p-52))
		if height.Add(height, number(z.heights[i])).Cmp(z.density(number(x))) < 0 {
			return sign * x
		}
	}
}

// The numbers are those of the definition, to the last bit. Where heights and densities
// are nearer than their rounding, which is so once in 10^13 numbers, they may differ.
func TestNumbersAreThoseOfTheDefinition(t *testing.T) {
	got, ours := New(1), New(1)
	laplace := func() float64 { return 0 }
	exponential := func() float64 { return math.Abs(ziggurats["exponential"].draw(ours, laplace)) }
	laplace = func() float64 { return exponentialEdges[1] + exponential() }
	tail := func() float64 {
		for {
			x := exponential() / normalEdges[1]
			if y := exponential(); 2*y > float64(x*x) {
				return normalEdges[1] + x
			}
		}
	}
	tails := 0
	for k := range 100_000 {
		if want, got := ziggurats["normal"].draw(ours, tail), got.NormFloat64(); got != want {
			t.Fatalf("normal number %d is %v, want %v", k, got, want)
		} else if math.Abs(got) > normalEdges[1] {
			tails++
		}
		if want, got := ziggurats["exponential"].draw(ours, laplace), got.Laplace(); got != want {
			t.Fatalf("Laplace number %d is %v, want %v", k, got, want)
		}
	}
	if tails == 0 {
		t.Error("no number came from the tail")
	}
}

// The laws given that a number is beyond the lowest strip are those of the tails. The
// tolerance is that of the Dvoretzky-Kiefer-Wolfowitz inequality at a chance of 1e-9.
func TestTails(t *testing.T) {
	const n = 200_000
	r := New(2)
	edge := exponentialEdges[1]
	for name, c := range map[string]struct {
		draw   func() float64
		beyond func(x float64) float64
	}{
		"normal": {r.normalTail, func(x float64) float64 {
			return math.Erfc(x/math.Sqrt2) / math.Erfc(normalEdges[1]/math.Sqrt2)
		}},
		"Laplace":  {func() float64 { return r.laplaceEdge(0, 1) }, func(x float64) float64 { return math.Exp(edge - x) }},
		"-Laplace": {func() float64 { return -r.laplaceEdge(1, -1) }, func(x float64) float64 { return math.Exp(edge - x) }},
	} {
		shares := make([]float64, n)
		for i := range shares {
			shares[i] = c.beyond(c.draw())
		}
		if d := fromUniform(shares); d > farFromUniform(n) {
			t.Errorf("%s: distance %v from the law of the tail, want at most %v", name, d, farFromUniform(n))
		}
	}
}
