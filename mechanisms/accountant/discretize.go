package accountant

import "math"

// direction says which of two neighbouring data sets holds the record more.
type direction int

const (
	remove direction = iota // the releases come from the data with the record
	add                     // they come from the data without
)

// source is the dominating pair of one step of the sampled Gaussian mechanism
// in one direction, taken a number of times (Zhu, Dong, Wang 2022, theorem 11):
// N(0, sigma^2) against (1-q) N(0, sigma^2) + q N(1, sigma^2). The privacy loss
// at output x is L(x) = ln(1 - q + q exp((2x-1)/(2 sigma^2))), or -L(x).
type source struct {
	SampledGaussian
	direction direction
	// least is the loss below which the discretisation stops: what lies lower decides
	// nothing about delta at the epsilon that is looked for. See ignore.
	least float64
}

// loss returns the privacy loss at output x.
func (s source) loss(x float64) float64 {
	l := (x-0.5)/(s.Noise*s.Noise) + math.Log(s.Rate)
	if s.Rate < 1 {
		l = logAdd(l, math.Log1p(-s.Rate))
	}
	if s.direction == add {
		return -l
	}
	return l
}

// output returns the x at which L(x) = l; -Inf where L is larger everywhere.
func (s source) output(l float64) float64 {
	if s.Rate < 1 {
		l = logSub(l, math.Log1p(-s.Rate)) - math.Log(s.Rate)
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
	if s.direction == add {
		l = -l
	}
	return s.output(l)
}

// massesBetween is masses of the losses between those at two outputs.
func (s source) massesBetween(a, b float64) (logP, logQ float64) {
	if s.direction == add {
		a, b = b, a
	}
	without := logInterval(a/s.Noise, b/s.Noise)
	with := math.Log(s.Rate) + logInterval((a-1)/s.Noise, (b-1)/s.Noise)
	if s.Rate < 1 {
		with = logAdd(with, math.Log1p(-s.Rate)+without)
	}
	if s.direction == add {
		return without, with
	}
	return with, without
}

// outputs returns a range of outputs beyond which the releases fall with a
// probability whose logarithm is at most logMissed on the side of large losses,
// and never in practice on the other.
func (s source) outputs(logMissed float64) (low, high float64) {
	far := math.Sqrt(-2 * logMissed) // Q(t) <= exp(-t^2/2)
	const never = 9.5                // Q(9.5) is about 1e-21
	if s.direction == add {
		return -far * s.Noise, 1 + never*s.Noise
	}
	return -never * s.Noise, 1 + far*s.Noise
}

// lossDistribution is a privacy loss distribution on the grid (first + i) width
// + shift.
type lossDistribution struct {
	// width is the distance of neighbouring losses on the grid, in units of epsilon.
	width float64
	// shift is added to every loss of the grid. Only the optimistic discretisation uses
	// it: it lowers all losses by the largest excess of the grid over the true losses.
	shift float64
	// first is the index of the first loss: entry i of logMass belongs to (first + i)
	// width + shift.
	first int
	// logMass holds the logarithms of probabilities. Probabilities of 1e-300 and less
	// matter here, and sums of logarithms do not underflow.
	logMass []float64
	// logInfinite is the logarithm of the probability of an infinite loss. That mass
	// counts towards delta whatever epsilon is.
	logInfinite float64
	// steps is how many times the distribution is composed with itself.
	steps int
}

// at returns the i-th loss without the shift.
func (d *lossDistribution) at(i int) float64 { return float64(d.first+i) * d.width }

// pessimistic dominates the source: the mass between two points of the grid
// goes to both so that its probability is kept under either law, which makes
// the hockey-stick curve the chord of the true one between the grid's points
// (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, connect the dots). What
// lies below the grid goes to its first point, what lies above to infinity.
func (s source) pessimistic(width, logMissed float64) lossDistribution {
	first, count := s.grid(width, logMissed)
	d := lossDistribution{width: width, first: first, logMass: make([]float64, count), steps: s.Steps}
	d.logMass[0], _ = s.masses(math.Inf(-1), d.at(0))
	logSpan := math.Log(-math.Expm1(-width))
	// Neighbouring cells share an edge, and the edge of a loss takes logarithms: each is
	// computed once.
	end := s.edge(d.at(0))
	for i := range count - 1 {
		begin := end
		end = s.edge(d.at(i + 1))
		p, q := s.massesBetween(begin, end)
		// p = low + high, q = low e^-l + high e^-(l + width) at the losses l and
		// l + width of the two points.
		high := min(p, logSub(p, q+d.at(i))-logSpan)
		d.logMass[i] = logAdd(d.logMass[i], logSub(p, high))
		d.logMass[i+1] = high
	}
	d.logInfinite, _ = s.masses(d.at(count-1), math.Inf(1))
	return d
}

// optimistic is dominated by the source: outputs whose losses are nearest to
// one point of the grid are told apart no more, which is post-processing and
// makes their loss the logarithm of the ratio of their probabilities. That is
// not the grid's; all losses are lowered by the largest excess of the grid over
// it. Cells whose mass under the tilt is below exp(-drop) of the largest cell's
// are dropped, which lowers delta.
func (s source) optimistic(width, logMissed, tilt, drop float64) lossDistribution {
	first, count := s.grid(width, logMissed)
	d := lossDistribution{width: width, first: first, logMass: make([]float64, count), steps: s.Steps, logInfinite: math.Inf(-1)}
	excess := make([]float64, count)
	largest := math.Inf(-1)
	// Cells are centred on the points of the grid here, so that the mean excess is about
	// 0.
	end := s.edge(d.at(0) - width/2)
	for i := range count {
		begin := end
		end = s.edge(d.at(i) + width/2)
		p, q := s.massesBetween(begin, end)
		d.logMass[i], excess[i] = p, d.at(i)-(p-q)
		largest = max(largest, p+tilt*d.at(i))
	}
	var lower float64
	// A cell that holds next to nothing may have a large excess, which would lower the
	// losses of all others. Dropping the cell lowers delta by less than that.
	for i, p := range d.logMass {
		if p+tilt*d.at(i) < largest-drop {
			d.logMass[i] = math.Inf(-1)
			continue
		}
		lower = max(lower, excess[i])
	}
	d.shift = -lower
	return d
}

// grid returns the first index and the number of the points that cover the
// losses of the source's outputs.
func (s source) grid(width, logMissed float64) (first, count int) {
	a, b := s.outputs(logMissed)
	low, high := s.loss(a), s.loss(b)
	if low > high {
		low, high = high, low
	}
	low = min(max(low, s.least), high)
	first = int(math.Floor(low / width))
	return first, int(math.Ceil(high/width)) - first + 1
}

// moments returns ln E exp(t loss) over the finite losses, and mean and
// variance of the loss under the law tilted by exp(t loss), all without the
// shift.
func (d *lossDistribution) moments(t float64) (logMoment, mean, variance float64) {
	top := math.Inf(-1)
	for i, p := range d.logMass {
		top = max(top, p+t*d.at(i))
	}
	var sum, first, second float64
	for i, p := range d.logMass {
		w, l := math.Exp(p+t*d.at(i)-top), d.at(i)
		sum += w
		first += w * l
		second += w * l * l
	}
	mean = first / sum
	return top + math.Log(sum), mean, max(0, second/sum-mean*mean)
}
