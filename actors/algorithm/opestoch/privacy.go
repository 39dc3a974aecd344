package opestoch

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/portable"
)

// The protected unit is one loss of one client at one step. It is used in at most one vertex
// of one tree of one phase, so its loss is the loss of the releases at the leaves below that
// vertex, and the loss of a run is the largest over vertices: parallel composition. A meter
// adds up losses; so each release spends the amount by which it raises the largest sum so far,
// and the sum of a run is exactly the largest.

// moved is by how much one loss drawn at depth q of a tree moves an entry of the releases at
// the leaves below. A loss at the root moves an entry of the estimate by spread/b. One at a
// right child enters with the difference of two gradients, which moves by twice the spread,
// over the 2^-q b losses there; linear losses do not enter, because their gradients do not
// differ.
func (o *Options) moved(p *Phase, q int) float64 {
	var moved float64
	switch size := p.Batch >> q; {
	case q == 0:
		moved = o.spread() / float64(p.Batch)
	case o.Losses == nil || size == 0:
		return 0
	default:
		moved = 2 * o.spread() / float64(size)
	}
	if o.Variant == Central {
		moved /= float64(o.Clients)
	}
	return moved
}

// vector is the amount by which a release of d entries moves if every entry moves by moved.
func (o *Options) vector(moved float64) noise.Moves {
	d := float64(o.Experts)
	return noise.Moves{L1: d * moved, L2: math.Sqrt(d) * moved, Entries: o.Experts}
}

// mostMoved is the most that one loss moves a release at a leaf of tree j.
func (o *Options) mostMoved(p *Phase, j int) noise.Moves {
	var most float64
	for q := range j + 1 {
		most = max(most, o.moved(p, q))
	}
	return o.vector(most)
}

// unit is the pure loss, for one loss drawn at depth q of tree j, of one leaf's
// release seen one coordinate at a time.
func (o *Options) unit(p *Phase, j, q int) float64 {
	moved := o.moved(p, q)
	if moved == 0 {
		return 0
	}
	return moved / p.Scales[j-1] // +Inf without noise
}

// law is the law of the noise: the paper's, or the law of the calibration of a release.
func (o *Options) law() noise.Law {
	if o.Release.Law != nil {
		return o.Release.Law
	}
	return noise.LaplaceLaw
}

// foreign reports whether the noise is of another law than the paper's. There is then no proof
// for single entries of a release.
func (o *Options) foreign() bool { return o.law() != noise.LaplaceLaw }

// gaussian reports whether the noise is Gaussian. Costs are then a rho, which adds up exactly.
func (o *Options) gaussian() bool { return o.Release.Law == noise.GaussianLaw }

// cost is the privacy loss of the given number of releases below depth q of tree j for one
// loss drawn there: epsilon, or rho of Gaussian noise, which adds up exactly.
func (o *Options) cost(p *Phase, j, q, releases int) float64 {
	if o.gaussian() {
		units := o.vector(o.unit(p, j, q)).L2
		return times(releases, units*units/2)
	}
	if o.foreign() {
		return times(releases, o.Release.Law.Loss(p.Scales[j-1], o.vector(o.moved(p, q))).Epsilon)
	}
	factor, index := o.coordinates()
	if o.Variant == Central {
		factor = index
	}
	return times(factor*releases, o.unit(p, j, q))
}

// loss returns a cost as a loss.
func (o *Options) loss(cost float64) accountant.Loss {
	if o.gaussian() && !math.IsInf(cost, 1) {
		return accountant.Loss{Rho: cost}
	}
	return accountant.Loss{Epsilon: cost}
}

// coordinates is the cost of a release in units, for an observer of the vector of d noisy
// coordinates, and for an observer of the index of the smallest alone: two
// (selection.ReportNoisyMax, for utilities that are not monotone), or none where there is
// nothing to choose from.
func (o *Options) coordinates() (vector, index int) {
	if o.Experts == 1 {
		return 1, 0
	}
	return o.Experts, 2
}

// times returns n units. It is 0 for n = 0, even if a unit is infinite.
func times(n int, unit float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * unit
}

// charge is the loss of the release of leaf k of a phase beyond the releases before it.
func (s *shared) charge(p *Phase, k int) accountant.Loss {
	return s.loss(s.charges[p.Number-1][k-1])
}

// charges returns the loss of every release, by phase from 1, then by leaf.
func charges(o *Options, s *Schedule) [][]float64 {
	list := make([][]float64, len(s.Phases))
	var largest float64
	for i := range s.Phases {
		p := &s.Phases[i]
		for j := 1; j <= p.Trees; j++ {
			sums := make([]float64, j+1) // by depth: of the vertex with a batch on the path
			for leaf := range 1 << j {
				before := largest
				for q := range sums {
					if fresh := freshDepth(j, leaf); q == fresh {
						sums[q] = 0
					}
					if q == 0 || leaf>>(j-q)&1 == 1 {
						sums[q] += o.cost(p, j, q, 1)
						largest = max(largest, sums[q])
					}
				}
				list[i] = append(list[i], increase(before, largest))
			}
		}
	}
	return list
}

// increase returns after - before. If after is +Inf it returns +Inf: a release without noise
// has infinite loss.
func increase(before, after float64) float64 {
	if math.IsInf(after, 1) {
		return after
	}
	return after - before
}

// Accounted computes the account from the noise and the batches of the schedule. The
// approximate variant is composed vertex by vertex at its delta; Gaussian noise has a rho, and
// no delta of its own. No claim covers noise that is calibrated to a release. Accounted
// returns the errors of Validate.
func Accounted(o *Options) (algorithm.StarAccount, error) {
	s, err := NewSchedule(o)
	if err != nil {
		return algorithm.StarAccount{}, err
	}
	a := algorithm.StarAccount{Claimed: accountant.Loss{Epsilon: o.Epsilon, Delta: o.Delta}}
	if o.Release.Law != nil {
		a.Claimed = accountant.NotPrivate()
	}
	if o.foreign() {
		a.Wire = o.loss(largest(o, s, len(s.Phases)))
		a.Public = a.Wire // the index of the smallest sum follows from the sums
		return a, nil
	}
	vector, index := o.coordinates()
	for i := range s.Phases {
		p := &s.Phases[i]
		for j := 1; j <= p.Trees; j++ {
			for q := range j + 1 {
				unit, releases := o.unit(p, j, q), 1<<(j-q)
				wire, err := algorithm.ComposeReleases(unit, releases*vector, o.Delta)
				if err != nil {
					return algorithm.StarAccount{}, err
				}
				public, err := algorithm.ComposeReleases(times(index, unit), releases, o.Delta)
				if err != nil {
					return algorithm.StarAccount{}, err
				}
				a.Wire.Epsilon = max(a.Wire.Epsilon, wire)
				a.Public.Epsilon = max(a.Public.Epsilon, min(public, wire))
			}
		}
	}
	a.Wire.Delta, a.Public.Delta = o.Delta, o.Delta
	if o.Variant == Central && len(s.Phases) > 1 {
		a.Wire = accountant.NotPrivate()
	}
	return a, nil
}

// largest is the largest cost of a vertex with its batch in the first phases.
func largest(o *Options, s *Schedule, phases int) (cost float64) {
	for i := range s.Phases[:phases] {
		p := &s.Phases[i]
		for j := 1; j <= p.Trees; j++ {
			for q := range j + 1 {
				cost = max(cost, o.cost(p, j, q, 1<<(j-q)))
			}
		}
	}
	return cost
}

// Charged returns the loss that the payers of a run, clients or the server, pay in each phase,
// from 1: the growth of the largest loss of a vertex with its batch beyond the phases before,
// which have other losses. The sum over the vertex's releases is taken at once. It returns the
// errors of Validate.
func Charged(o *Options) ([]accountant.Loss, error) {
	s, err := NewSchedule(o)
	if err != nil {
		return nil, err
	}
	list := make([]accountant.Loss, len(s.Phases))
	var before float64
	for i := range s.Phases {
		after := largest(o, s, i+1)
		if s.Phases[i].Trees > 0 && (after > before || math.IsInf(after, 1)) {
			list[i] = o.loss(increase(before, after))
		}
		before = after
	}
	return list, nil
}

// Warnings are notes on the claim for readers of results: where the theorems do not apply to
// the schedule as it is.
func Warnings(o *Options) ([]string, error) {
	s, err := NewSchedule(o)
	if err != nil {
		return nil, err
	}
	var list []string
	if o.Variant == Approximate && o.Delta > 1/float64(o.Horizon) {
		list = append(list, fmt.Sprintf("delta = %.6g exceeds 1/T = %.6g, the largest that Theorem 6 allows", o.Delta, 1/float64(o.Horizon)))
	}
	single, outside := 0, 0
	for i := range s.Phases[1:] {
		p := &s.Phases[i+1]
		if p.Batch < 1<<p.Trees {
			single++
		}
		if o.Variant == Approximate && o.Epsilon > o.theorem6Epsilon(p) {
			outside++
		}
	}
	if single > 0 {
		list = append(list, fmt.Sprintf("in %d of %d phases the batch is a single loss, below the 2^T1 that Lemma 1 assumes", single, len(s.Phases)-1))
	}
	if outside > 0 {
		list = append(list, fmt.Sprintf("epsilon = %v exceeds the limit of Theorem 6 in %d of %d phases; the accounted loss is composed vertex by vertex", o.Epsilon, outside, len(s.Phases)-1))
	}
	return list, nil
}

// theorem6Epsilon is the largest epsilon for a phase under Theorem 6, and under
// Lemma 6, which it rests on: sqrt(2^-T1 log(1/delta)).
func (o *Options) theorem6Epsilon(p *Phase) float64 {
	lemma := math.Sqrt(-math.Ldexp(portable.Log(o.Delta), -p.Trees))
	if o.Beta == 0 {
		return lemma
	}
	numerator := portable.Pow(o.Alpha*o.logDelta(p.Number)*portable.Log(float64(o.Experts)), 0.25) * math.Sqrt(float64(p.Number-1))
	return min(lemma, numerator/portable.Pow(math.Ldexp(o.Beta, p.Number-1), 0.25))
}
