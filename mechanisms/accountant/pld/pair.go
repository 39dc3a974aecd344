package pld

import (
	"math"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// direction is the step between two neighbouring data sets: which of them the releases come
// from, and which holds the record.
type direction int

const (
	remove  direction = iota // the releases come from the data with the record
	add                      // they come from the data without
	replace                  // both data hold a record; the two add opposite vectors
)

// source is the dominating pair of one step of the sampled Gaussian mechanism
// in one direction, taken a number of times.
//
// Adding and removing (Zhu, Dong, Wang 2022, theorem 11): N(0, sigma^2) against (1-q) N(0,
// sigma^2) + q N(1, sigma^2). The privacy loss at output x is L(x) = ln(1 - q + q
// exp((2x-1)/(2 sigma^2))), or -L(x).
//
// Replacing: (1-q) N(0, sigma^2) + q N(1, sigma^2) against (1-q) N(0, sigma^2) + q N(-1,
// sigma^2). The loss is L(x) - L(-x), grows with x, and is as likely in one direction as in
// the other. No two records are further apart, in any dimension and at any a >= 0 of the
// divergence E_a(P, Q) = sup_S P(S) - a Q(S), so that pairs compose. Given the others in the
// sample, records add u and v, |u|, |v| <= 1, with probability q, and the divergence is
// jointly convex. For a >= 1 it is the mean, over x of N(u, sigma^2 I), of a function that is
// convex and falls with the ratio of w N(v) + (1-w) N(0) to N(u), w in [0, 1]. That ratio is a
// sum of exp(G - var(G)/2) of Gaussian numbers with covariances |v-u|^2, |u|^2 and <v-u, -u>
// over sigma^2. By Kahane's inequality (1985) the mean of a convex function of it grows with
// each covariance, and all are the largest where u = -v has length 1: 4, 1 and 2. For a < 1
// use E_a(P, Q) = a E_(1/a)(Q, P) + 1 - a.
type source struct {
	SampledGaussian
	direction direction
	// least is the loss below which the discretisation stops: lower losses decide nothing
	// about delta at the epsilon that is looked for. See ignore.
	least float64
}

// loss returns the privacy loss at output x.
func (s source) loss(x float64) float64 {
	switch l := s.logRatio(x); s.direction {
	case add:
		return -l
	case replace:
		return l - s.logRatio(-x)
	default:
		return l
	}
}

// logRatio is L(x).
func (s source) logRatio(x float64) float64 {
	l := (x-0.5)/(s.Noise*s.Noise) + portable.Log(s.Rate)
	if s.Rate < 1 {
		l = numeric.LogAdd(l, portable.Log1p(-s.Rate))
	}
	return l
}

// output returns the x at which L(x) = l; -Inf where L is larger everywhere.
func (s source) output(l float64) float64 {
	if s.Rate < 1 {
		l = numeric.LogSub(l, portable.Log1p(-s.Rate)) - portable.Log(s.Rate)
	}
	return float64(s.Noise*s.Noise*l) + 0.5
}

// masses returns the logarithms of the probabilities that the loss is between
// low and high: first under the law the releases come from, then under its
// neighbour's.
func (s source) masses(low, high float64) (logP, logQ float64) {
	return s.massesBetween(s.edge(low), s.edge(high))
}

// edge returns the output at which the loss is l.
func (s source) edge(l float64) float64 {
	switch s.direction {
	case add:
		return s.output(-l)
	case replace:
		return math.Copysign(s.opposite(math.Abs(l)), l)
	default:
		return s.output(l)
	}
}

// opposite returns the x at which L(x) - L(-x) = l >= 0: y = exp(x/sigma^2) is the positive
// root of c y^2 - (1-q) (e^l - 1) y - c e^l, c = q exp(-1/(2 sigma^2)).
func (s source) opposite(l float64) float64 {
	if math.IsInf(l, 1) {
		return l
	}
	logTwice := math.Ln2 + portable.Log(s.Rate) - 0.5/(s.Noise*s.Noise)
	linear := math.Inf(-1)
	if s.Rate < 1 && l > 0 {
		linear = portable.Log1p(-s.Rate) + l + portable.Log(-portable.Expm1(-l))
	}
	root := numeric.LogAdd(2*linear, 2*logTwice+l) / 2
	return float64(s.Noise * s.Noise * (numeric.LogAdd(linear, root) - logTwice))
}

// massesBetween is masses of the losses between the losses at two outputs.
func (s source) massesBetween(a, b float64) (logP, logQ float64) {
	if s.direction == add {
		a, b = b, a
	}
	without := numeric.LogInterval(a/s.Noise, b/s.Noise)
	mixed := func(mean float64) float64 {
		with := portable.Log(s.Rate) + numeric.LogInterval((a-mean)/s.Noise, (b-mean)/s.Noise)
		if s.Rate < 1 {
			with = numeric.LogAdd(with, portable.Log1p(-s.Rate)+without)
		}
		return with
	}
	switch s.direction {
	case add:
		return without, mixed(1)
	case replace:
		return mixed(1), mixed(-1)
	default:
		return mixed(1), without
	}
}

// outputs returns a range of outputs. The releases fall beyond it on the side of large losses
// with a probability of logarithm at most logMissed, and never in practice on the other.
func (s source) outputs(logMissed float64) (low, high float64) {
	far := math.Sqrt(-2 * logMissed) // Q(t) <= exp(-t^2/2)
	const never = 9.5                // Q(9.5) is about 1e-21
	if s.direction == add {
		return -far * s.Noise, 1 + float64(never*s.Noise)
	}
	return -never * s.Noise, 1 + float64(far*s.Noise)
}

// pessimistic dominates the source: the mass between two points of the grid goes to both so
// that its probability is kept under either law, which makes the hockey-stick curve the chord
// of the true one between the grid's points (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi
// 2022, connect the dots). Mass below the grid goes to its first point, mass above it to
// infinity.
func (s source) pessimistic(width, logMissed float64) Distribution {
	first, count := s.grid(width, logMissed)
	d := Distribution{Width: width, First: first, LogMass: make([]float64, count), Steps: s.Steps}
	d.LogMass[0], _ = s.masses(math.Inf(-1), d.At(0))
	logSpan := portable.Log(-portable.Expm1(-width))
	// Neighbouring cells share an edge, and the edge of a loss takes logarithms: each is
	// computed once.
	end := s.edge(d.At(0))
	for i := range count - 1 {
		begin := end
		end = s.edge(d.At(i + 1))
		p, q := s.massesBetween(begin, end)
		// p = low + high, q = low e^-l + high e^-(l + width) at the losses l and
		// l + width of the two points.
		high := min(p, numeric.LogSub(p, q+d.At(i))-logSpan)
		d.LogMass[i] = numeric.LogAdd(d.LogMass[i], numeric.LogSub(p, high))
		d.LogMass[i+1] = high
	}
	d.LogInfinite, _ = s.masses(d.At(count-1), math.Inf(1))
	return d
}

// optimistic is dominated by the source: outputs with losses nearest to the same point of the
// grid are merged. This is post-processing, and makes their loss the logarithm of the ratio of
// their probabilities. That loss is not the grid's; all losses are lowered by the largest
// excess of the grid over it. Cells with a mass under the tilt below exp(-drop) of the largest
// cell's are dropped, which lowers delta.
func (s source) optimistic(width, logMissed, tilt, drop float64) Distribution {
	first, count := s.grid(width, logMissed)
	d := Distribution{Width: width, First: first, LogMass: make([]float64, count), Steps: s.Steps, LogInfinite: math.Inf(-1)}
	excess := make([]float64, count)
	largest := math.Inf(-1)
	// Cells are centred on the points of the grid here, so that the mean excess is about
	// 0.
	end := s.edge(d.At(0) - float64(width/2))
	for i := range count {
		begin := end
		end = s.edge(d.At(i) + float64(width/2))
		p, q := s.massesBetween(begin, end)
		d.LogMass[i], excess[i] = p, d.At(i)-(p-q)
		largest = max(largest, p+float64(tilt*d.At(i)))
	}
	var lower float64
	// A cell that holds next to nothing may have a large excess, which would lower the
	// losses of all others. Dropping the cell lowers delta by less than that.
	for i, p := range d.LogMass {
		if p+float64(tilt*d.At(i)) < largest-drop {
			d.LogMass[i] = math.Inf(-1)
			continue
		}
		lower = max(lower, excess[i])
	}
	d.Shift = -lower
	return d
}

// mostIndex is the largest index of a grid: beyond it float64 cannot hold points apart.
const mostIndex = 1 << 52

// grid returns the first index and the number of the points that cover the
// losses of the source's outputs: more than maxWindow where these are not to be counted.
func (s source) grid(width, logMissed float64) (first, count int) {
	a, b := s.outputs(logMissed)
	low, high := s.loss(a), s.loss(b)
	if low > high {
		low, high = high, low
	}
	low = min(max(low, s.least), high)
	begin, end := math.Floor(low/width), math.Ceil(high/width)
	if !(math.Abs(begin) <= mostIndex && end-begin <= 2*maxWindow) {
		return 0, 2 * maxWindow
	}
	return int(begin), int(end) - int(begin) + 1
}
