package accountant

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"starling/mechanisms/accountant/pld"
	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// pureReleases are count releases of a pure epsilon each, at most.
type pureReleases struct {
	epsilon float64 // > 0
	count   int
	laplace bool // of Laplace noise
}

// cell is a class of losses that differ by 2^-12 of themselves at most: all losses of a class
// are counted as the largest of them.
type cell struct {
	bits    uint64
	laplace bool
}

const cellBits = 52 - 12

func (p *pureReleases) cell() cell { return cell{math.Float64bits(p.epsilon) >> cellBits, p.laplace} }

// mostCells is the number of classes that a total keeps apart: the time of a composition grows
// with them.
const mostCells = 32

// addPure adds releases to the releases of their class. Infinite epsilons, and epsilons of 0,
// are in the sum of epsilons alone.
func (t *Total) addPure(r pureReleases) {
	if !(r.epsilon > 0) || math.IsInf(r.epsilon, 1) || r.count == 0 {
		return
	}
	at := r.cell()
	for i := len(t.pure) - 1; i >= 0; i-- { // neighbours in time are often alike
		if p := &t.pure[i]; p.cell() == at {
			p.epsilon = max(p.epsilon, r.epsilon)
			p.count += r.count
			return
		}
	}
	if t.pure = append(t.pure, r); len(t.pure) > mostCells {
		t.mergeCells()
	}
}

// mergeCells counts one kind of releases as the next larger one, where that adds
// the least to the sum of squares.
func (t *Total) mergeCells() {
	slices.SortStableFunc(t.pure, func(a, b pureReleases) int {
		return cmp.Or(cmp.Compare(b2i(a.laplace), b2i(b.laplace)), cmp.Compare(a.epsilon, b.epsilon))
	})
	best, least := -1, math.Inf(1)
	for i := range len(t.pure) - 1 {
		a, b := &t.pure[i], &t.pure[i+1]
		if added := float64(a.count) * (b.epsilon - a.epsilon) * (b.epsilon + a.epsilon); a.laplace == b.laplace && added < least {
			best, least = i, added
		}
	}
	if best < 0 {
		best = 0 // all squares overflow
	}
	t.pure[best+1].count += t.pure[best].count
	t.pure = slices.Delete(t.pure, best, best+1)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pureEpsilon returns an epsilon that all pure releases together have at delta, in (0, 1): the
// sum, or the optimal composition of losses of which only the epsilons are known (Kairouz, Oh,
// Viswanath 2015, theorems 3.3 and 3.5: as for randomized responses), and for Laplace noise
// the composition of its own privacy loss distribution. One kind of randomized responses
// composes exactly; else it is an upper bound by discretised losses, sharp to about 3e-4. It
// is for releases that are chosen one after the other too, as long as their epsilons are fixed
// beforehand.
//
// The sum needs no delta, and stands where the composition would save less than a
// thousandth, as of one release.
func (t *Total) pureEpsilon(delta float64) (float64, error) {
	if len(t.pure) == 0 || len(t.pure) == 1 && t.pure[0].count == 1 || math.IsInf(t.epsilon, 1) {
		return t.epsilon, nil
	}
	epsilon, err := t.composed(delta)
	if err != nil || epsilon > 0.999*t.epsilon {
		return t.epsilon, err
	}
	return epsilon, nil
}

// composed is the composition of pure releases. It ignores their sum.
func (t *Total) composed(delta float64) (float64, error) {
	if len(t.pure) == 1 && !t.pure[0].laplace {
		return OptimalComposition(t.pure[0].epsilon, t.pure[0].count, delta)
	}
	bound := t.hoeffding(delta)
	epsilon, err := composeAtoms(t.pure, portable.Log(delta))
	if errors.Is(err, ErrUnresolved) {
		return bound, nil
	}
	return min(bound, epsilon), err
}

// hoeffding bounds the composition by Hoeffding's inequality: the losses have at
// most the mean of randomized response, epsilon tanh(epsilon/2), and lie within
// epsilon of 0 (Kairouz, Oh, Viswanath 2015, theorem 3.5). It is +Inf where squares are too
// small or too large for a float64.
func (t *Total) hoeffding(delta float64) float64 {
	var means, squares float64
	for _, p := range t.pure {
		n := float64(p.count)
		means += float64(n * p.epsilon * portable.Tanh(p.epsilon/2))
		squares += float64(n * p.epsilon * p.epsilon)
	}
	if !(squares >= leastSquares && squares <= 1/leastSquares) {
		return math.Inf(1)
	}
	return means + math.Sqrt(-2*portable.Log(delta)*squares)
}

// leastSquares is the least sum of squares of losses that is computed with: below it they
// lose digits, and above its reciprocal they overflow.
const leastSquares = 0x1p-900

// cellsOfLoss and cellsOfSum are the least numbers of points of a grid into which the root
// mean square of the losses, and the root of the sum of their squares, are divided. Each loss
// is spread by at most half a width, which adds at most 1/(4 cellsOfLoss^2) to the variance of
// the sum, and half of that to epsilon.
const (
	cellsOfLoss = 24
	cellsOfSum  = 512
)

// mostTilt is the largest amount that the tilt adds to the logarithm of the ratio of the
// likeliest and the least likely loss of a release.
const mostTilt = 15

// composeAtoms bounds the epsilon of pure releases by their privacy loss
// distributions. Both directions are alike.
func composeAtoms(list []pureReleases, logDelta float64) (float64, error) {
	var count, squares, largest float64
	nodes := make([]pld.Law, len(list))
	steps := make([]int, len(list))
	for i := range list {
		p := &list[i]
		nodes[i], steps[i] = p.rough(), p.count
		count += float64(p.count)
		squares += float64(float64(p.count) * p.epsilon * p.epsilon)
		largest = max(largest, p.epsilon)
	}
	if !(squares >= leastSquares && squares <= 1/leastSquares) {
		return 0, ErrUnresolved
	}
	// The width follows the losses: it is fine enough for the shape of one loss, which would
	// blur otherwise, and for the tail of the sum, which decides.
	tilt, _ := pld.BestTilt(nodes, steps, logDelta)
	tilt = min(tilt, mostTilt/largest) // few releases: all but the largest loss would be out of sight
	width := min(math.Sqrt(squares/count)/cellsOfLoss, math.Sqrt(squares)/cellsOfSum)
	parts := make([]pld.Distribution, len(list))
	// A grid that takes too many points is made coarser. A coarser grid is still an upper
	// bound; it is given up where a cell is wider than the losses themselves, and
	// hoeffding is left.
	for {
		for i := range list {
			parts[i] = list[i].pessimistic(width)
		}
		epsilon, _, err := pld.Epsilon(parts, tilt, logDelta, 1)
		if !errors.Is(err, ErrUnresolved) {
			return epsilon, err
		}
		if width *= 2; width > math.Sqrt(squares/count) {
			return 0, err
		}
	}
}

// logAtoms are the logarithms of the probabilities of the losses epsilon and
// -epsilon: of randomized response, e^epsilon to 1; of Laplace noise, where the
// output is beyond either of the two centres.
func (p *pureReleases) logAtoms() (high, low float64) {
	if p.laplace {
		return -math.Ln2, -math.Ln2 - p.epsilon
	}
	return -numeric.Log1pExp(-p.epsilon), -numeric.Log1pExp(p.epsilon)
}

// between are the probabilities that a loss of Laplace noise is between two, in
// (-epsilon, epsilon), under the law of the releases and under its neighbour's:
// the densities are e^((l-epsilon)/2)/4 and e^(-(l+epsilon)/2)/4.
func (p *pureReleases) between(from, to float64) (logP, logQ float64) {
	logHalf := portable.Log(-portable.Expm1((from-to)/2)) - math.Ln2
	return logHalf + float64((to-p.epsilon)/2), logHalf - float64((from+p.epsilon)/2)
}

// rough is the law by a few atoms.
func (p *pureReleases) rough() (r pld.Law) {
	high, low := p.logAtoms()
	r = pld.Law{Losses: []float64{p.epsilon, -p.epsilon}, LogMass: []float64{high, low}}
	const inside = 64
	for i := range inside {
		if !p.laplace {
			break
		}
		from := float64(p.epsilon * (float64(2*float64(i)/inside) - 1))
		to := from + float64(2*p.epsilon/inside)
		logP, _ := p.between(from, to)
		r.Losses, r.LogMass = append(r.Losses, (from+to)/2), append(r.LogMass, logP)
	}
	return r
}

// pessimistic dominates the law of the loss, as a source's pessimistic does: mass between two
// points of the grid goes to both, so that its probability is kept under either law.
func (p *pureReleases) pessimistic(width float64) pld.Distribution {
	first := int(math.Floor(-p.epsilon / width))
	d := pld.Distribution{Width: width, First: first, Steps: p.count, LogInfinite: math.Inf(-1)}
	d.LogMass = make([]float64, int(math.Ceil(p.epsilon/width))-first+1)
	for i := range d.LogMass {
		d.LogMass[i] = math.Inf(-1)
	}
	high, low := p.logAtoms()
	d.Split(0, low, low+p.epsilon)
	d.Split(len(d.LogMass)-2, high, high-p.epsilon)
	for i := range len(d.LogMass) - 1 {
		from, to := max(d.At(i), -p.epsilon), min(d.At(i+1), p.epsilon)
		if !p.laplace || from >= to {
			continue
		}
		logP, logQ := p.between(from, to)
		d.Split(i, logP, logQ)
	}
	return d
}
