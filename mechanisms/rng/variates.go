package rng

import (
	"math"

	"starling/mechanisms/portable"
)

// Normal, Laplace and exponential numbers are drawn by the ziggurat (Marsaglia, Tsang 2000) of
// 256 strips of one area v, in float64, with the flaw mended that Doornik (2005) found: no bit
// of a word is used twice. The density f, not normalised, falls on [0, inf). Strip i = 1 ..
// 255 is the rectangle from 0 to x(i), between the heights f(x(i)) and f(x(i+1)), x(256) = 0.
// Strip 0 is the region under f and below f(x(1)): a rectangle to x(1) and the tail, together
// as large as a rectangle of that height to x(0) = v/f(x(1)).
//
// Of a word, 8 bits choose the strip, one the sign, and 53 others a point of the strip. A
// point left of x(i+1), and in strip 0 a point left of x(1), is under f at any height: the
// number is drawn. It is 98.8 % of the time. Another point of strip i >= 1 draws its height
// from another word, and is taken if that is below f; if not, all begins anew. Another point
// of strip 0 is replaced by a number beyond x(1), drawn from the law given that: for exp(-x)
// it is x(1) and one more exponential number, since that law has no memory; for the normal law
// see normalTail. So the points under f are uniform, and their abscissas have density f, up to
// this:
//
//   - The point of a strip is the midpoint of one of 2^52 cells: an odd multiple of
//     x(i) 2^-53. The smallest absolute value is x(255) 2^-53, 2.4e-17 of normal and
//     7.1e-18 of Laplace numbers; 0 is not drawn.
//   - The areas of the strips are equal to within 2e-14 of their size, by the rounding of
//     the tables, and heights are drawn from 2^52 equal cells.
//
// A test computes the tables anew, in 300 bits.
const strips = 256

// strip is one strip with a sign: the point m, odd, below 2^53, is the number m width, and is
// drawn at once if m is below inside. As inside is rounded down, a point that it leaves out
// draws a height, which is then low enough.
type strip struct {
	width  float64
	inside uint64
}

// The strips by the 9 lowest bits of a word, of which the lowest is the sign.
var (
	normalStrips      = stripsOf(&normalEdges)
	exponentialStrips = stripsOf(&exponentialEdges)
)

func stripsOf(edges *[strips + 1]float64) (list [2 * strips]strip) {
	for i := range strips {
		inside := uint64(edges[i+1] / edges[i] * (1 << 53))
		list[2*i] = strip{edges[i] * 0x1p-53, inside}
		list[2*i+1] = strip{-edges[i] * 0x1p-53, inside}
	}
	return list
}

// NormFloat64 draws from the standard normal law N(0, 1).
func (r *Rand) NormFloat64() float64 {
	u := r.Uint64()
	m, s := u>>11|1, &normalStrips[u%(2*strips)]
	x := float64(float64(int64(m)) * s.width)
	if m < s.inside {
		return x
	}
	return r.normalEdge(u, x)
}

// Laplace draws from the standard Laplace law, of density exp(-|x|)/2.
func (r *Rand) Laplace() float64 {
	u := r.Uint64()
	m, s := u>>11|1, &exponentialStrips[u%(2*strips)]
	x := float64(float64(int64(m)) * s.width)
	if m < s.inside {
		return x
	}
	return r.laplaceEdge(u, x)
}

// ExpFloat64 draws from the exponential law of mean 1. It is never 0.
func (r *Rand) ExpFloat64() float64 { return math.Abs(r.Laplace()) }

// normalEdge ends the draw of a point x, with its sign, that the word u has chosen and
// that is not surely under the density.
func (r *Rand) normalEdge(u uint64, x float64) float64 {
	i := u / 2 % strips
	if i == 0 {
		return math.Copysign(r.normalTail(), x)
	}
	if r.height(&normalHeights, i) < portable.Exp(-float64(x*x)/2) {
		return x
	}
	return r.NormFloat64()
}

func (r *Rand) laplaceEdge(u uint64, x float64) float64 {
	i := u / 2 % strips
	if i == 0 {
		return math.Copysign(exponentialEdges[1]+r.ExpFloat64(), x)
	}
	if r.height(&exponentialHeights, i) < portable.Exp(-math.Abs(x)) {
		return x
	}
	return r.Laplace()
}

// height draws a height in strip i.
func (r *Rand) height(heights *[strips + 1]float64, i uint64) float64 {
	low, high := heights[i], heights[i+1]
	return low + float64(Unit(r.Uint64())*(high-low))
}

// normalTail draws from the normal law given that x > e, e the edge of the lowest strip
// (Marsaglia 1964). The density at e + t goes as exp(-e t) exp(-t^2/2): an exponential number
// of rate e, taken with probability exp(-t^2/2), the probability with which another
// exponential number exceeds t^2/2.
func (r *Rand) normalTail() float64 {
	edge := normalEdges[1]
	for {
		t := r.ExpFloat64() / edge
		if 2*r.ExpFloat64() > float64(t*t) {
			return edge + t
		}
	}
}

// The methods below draw a vector at once. The numbers are those that the same calls of
// the method for one would draw, in half the time.

// FillUniform overwrites dst with numbers uniform on (0, 1), as Unit has them.
func (r *Rand) FillUniform(dst []float64) {
	a, b, c, d := r.a, r.b, r.c, r.d
	for i := range dst {
		dst[i] = Unit(word(a, d))
		a, b, c, d = next(a, b, c, d)
	}
	*r = Rand{a, b, c, d}
}

// FillNormal overwrites dst with numbers of the law N(0, 1).
func (r *Rand) FillNormal(dst []float64) {
	a, b, c, d := r.a, r.b, r.c, r.d
	for i := range dst {
		u := word(a, d)
		a, b, c, d = next(a, b, c, d)
		m, s := u>>11|1, &normalStrips[u%(2*strips)]
		x := float64(float64(int64(m)) * s.width)
		if m >= s.inside {
			*r = Rand{a, b, c, d}
			x = r.normalEdge(u, x)
			a, b, c, d = r.a, r.b, r.c, r.d
		}
		dst[i] = x
	}
	*r = Rand{a, b, c, d}
}

// AddNormal adds scale times a number of the law N(0, 1) to each entry of dst.
func (r *Rand) AddNormal(dst []float64, scale float64) {
	a, b, c, d := r.a, r.b, r.c, r.d
	for i := range dst {
		u := word(a, d)
		a, b, c, d = next(a, b, c, d)
		m, s := u>>11|1, &normalStrips[u%(2*strips)]
		x := float64(float64(int64(m)) * s.width)
		if m >= s.inside {
			*r = Rand{a, b, c, d}
			x = r.normalEdge(u, x)
			a, b, c, d = r.a, r.b, r.c, r.d
		}
		dst[i] += float64(scale * x)
	}
	*r = Rand{a, b, c, d}
}

// AddLaplace adds scale times a number of the standard Laplace law to each entry of dst.
func (r *Rand) AddLaplace(dst []float64, scale float64) {
	a, b, c, d := r.a, r.b, r.c, r.d
	for i := range dst {
		u := word(a, d)
		a, b, c, d = next(a, b, c, d)
		m, s := u>>11|1, &exponentialStrips[u%(2*strips)]
		x := float64(float64(int64(m)) * s.width)
		if m >= s.inside {
			*r = Rand{a, b, c, d}
			x = r.laplaceEdge(u, x)
			a, b, c, d = r.a, r.b, r.c, r.d
		}
		dst[i] += float64(scale * x)
	}
	*r = Rand{a, b, c, d}
}

// The methods below have a row for each of some consecutive nodes, from one on, of the same
// width side by side, and a stream of its own for each.

// FillNormalRows is FillNormal of each row by the stream of (k, node, step, hop).
func (k Key) FillNormalRows(rows []float64, width, node, step, hop int) {
	for ; len(rows) > 0; rows, node = rows[width:], node+1 {
		r := k.open(node, step, hop)
		r.FillNormal(rows[:width])
	}
}

// AddNormalRows is AddNormal to each row by the stream of (k, node, step, hop).
func (k Key) AddNormalRows(rows []float64, width int, scale float64, node, step, hop int) {
	for ; len(rows) > 0; rows, node = rows[width:], node+1 {
		r := k.open(node, step, hop)
		r.AddNormal(rows[:width], scale)
	}
}

// AddLaplaceRows is AddLaplace to each row by the stream of (k, node, step, hop).
func (k Key) AddLaplaceRows(rows []float64, width int, scale float64, node, step, hop int) {
	for ; len(rows) > 0; rows, node = rows[width:], node+1 {
		r := k.open(node, step, hop)
		r.AddLaplace(rows[:width], scale)
	}
}
