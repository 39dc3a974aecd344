package accountant

import (
	"fmt"
	"math"
)

// Method is the conversion of the Gaussian parts of a total into an epsilon.
type Method string

// The methods, from loose to sharp.
const (
	// RDP takes Rényi divergences at the whole orders 2 to 64 and the plain conversion of
	// Mironov 2017. Most papers state this figure, so it is the one to compare with.
	RDP Method = "rdp"
	// RDPCKS takes Rényi divergences at many orders, fractional ones among them, and the
	// conversion of Canonne, Kamath and Steinke.
	RDPCKS Method = "rdp-cks"
	// PLD composes privacy loss distributions numerically, and is exact for Gaussian
	// noise where nothing is sampled.
	PLD Method = "pld"
)

// Methods lists the methods.
func Methods() []Method { return []Method{RDP, RDPCKS, PLD} }

// Total adds up losses of different kinds without mixing them. The zero value
// is nothing spent. Adding allocates only for a pure epsilon, or a sampled Gaussian
// of a rate and noise, not seen before. Not for concurrent use; a copy shares its
// lists.
type Total struct {
	// epsilon is the sum of the pure epsilons: the epsilon of basic composition, with no
	// delta.
	epsilon float64
	// pure holds the releases with epsilons that add up to epsilon, by class, in the order of
	// arrival. A small delta pays for their optimal composition.
	pure []pureReleases
	// delta is the sum of the deltas that losses have already spent.
	delta float64
	// rho is the sum of the rhos of Gaussian noise.
	rho float64
	// concentrated is the sum of the rhos of mechanisms that are zCDP, and perhaps no Gaussian
	// noise.
	concentrated float64
	// sampled holds sampled Gaussian steps, distinct by rate and noise, in the order of
	// arrival.
	sampled []SampledGaussian
}

// Add composes a valid loss. A loss that is itself composed counts as one
// release of its epsilon.
func (t *Total) Add(l Loss) {
	t.AddSum(l)
	t.addPure(pureReleases{l.Laplace, 1, true})
	t.addPure(pureReleases{l.Epsilon - l.Laplace, 1, false})
}

// AddTimes is Add of the same loss so many times, at least 0, in one call.
func (t *Total) AddTimes(l Loss, times int) {
	n := float64(times)
	if times == 0 {
		return // 0 times an infinite loss is nothing
	}
	one := l
	l.Epsilon, l.Delta, l.Rho, l.Concentrated = n*l.Epsilon, n*l.Delta, n*l.Rho, n*l.Concentrated
	l.Sampled.Steps *= times
	t.AddSum(l)
	t.addPure(pureReleases{one.Laplace, times, true})
	t.addPure(pureReleases{one.Epsilon - one.Laplace, times, false})
}

// Grow adds a loss by which a bound on all earlier releases grows. It is no release of its
// own: its epsilons add up to the epsilon of one release.
func (t *Total) Grow(l Loss) {
	t.AddSum(l)
	t.pure = t.pure[:0]
	t.addPure(pureReleases{t.epsilon, 1, false})
}

// AddSum is Add for totals that are converted by the sum of their pure epsilons
// alone, as at a delta of 0, and takes no memory for them.
func (t *Total) AddSum(l Loss) {
	t.epsilon += l.Epsilon
	t.delta += l.Delta
	t.rho += l.Rho
	t.concentrated += l.Concentrated
	t.addSampled(l.Sampled)
}

// addSampled adds steps to the steps of the same rate and noise.
func (t *Total) addSampled(l SampledGaussian) {
	if l.Steps == 0 {
		return
	}
	for i := range t.sampled {
		if s := &t.sampled[i]; s.Rate == l.Rate && s.Noise == l.Noise {
			s.Steps += l.Steps
			return
		}
	}
	t.sampled = append(t.sampled, l)
}

// Pure returns the sum of the epsilons and true where the total is pure: no
// delta, no Gaussian part.
func (t *Total) Pure() (epsilon float64, ok bool) {
	return t.epsilon, t.delta == 0 && !t.gaussian()
}

// gaussian reports whether there is a part that needs a delta.
func (t *Total) gaussian() bool {
	for _, s := range t.sampled {
		if !s.idle() {
			return true
		}
	}
	return t.rho > 0 || t.concentrated > 0
}

// Epsilon returns an epsilon for which everything added is (epsilon, delta) differentially
// private; +Inf where nothing is, as where the deltas spent reach delta. A pure total has the
// optimal composition of the known losses of its releases, by any method, and needs no delta:
// 0 is accepted for it and gives the sum. Beside Gaussian parts it is the least of their
// epsilon plus that sum, of both at half of delta each, and for the Rényi methods of the sum
// of all divergences. One call takes about 10 ms where losses of different kinds are composed,
// and by PLD of sampled Gaussians from 10 ms to seconds.
func (t *Total) Epsilon(delta float64, by Method) (float64, error) {
	return t.convert(delta, by, means{Curve.AddSampled, PLDEpsilon})
}

// addSampled adds the divergences of sampled Gaussian steps to a curve.
type addSampled func(Curve, SampledGaussian) error

// means are the conversions of sampled Gaussian steps: by divergences, or by distributions of
// losses.
type means struct {
	add addSampled
	pld func(steps []SampledGaussian, delta float64) (Bounds, error)
}

// convert is Epsilon by some means. A NaN does not leave the package.
func (t *Total) convert(delta float64, by Method, with means) (float64, error) {
	epsilon, err := t.converted(delta, by, with)
	if err == nil && !(epsilon >= 0) {
		return 0, fmt.Errorf("losses of %v have the epsilon %v at delta %v by %s", t.Loss(), epsilon, delta, by)
	}
	return epsilon, err
}

// converted is convert, unchecked.
func (t *Total) converted(delta float64, by Method, with means) (float64, error) {
	if err := by.validate(); err != nil {
		return 0, err
	}
	if !(delta >= 0 && delta < 1) {
		return 0, fmt.Errorf("delta = %v is not in [0, 1)", delta)
	}
	// The deltas that were spent come off first. The rest is for the conversion.
	left := delta - t.delta
	gaussian := t.gaussian()
	switch {
	case math.IsInf(t.epsilon, 1) || left < 0 || gaussian && left == 0:
		return math.Inf(1), nil
	case left == 0:
		return t.epsilon, nil
	case !gaussian:
		return t.pureEpsilon(left)
	}
	least, err := t.gaussianEpsilon(left, by, with)
	if err != nil || t.epsilon == 0 {
		return least, err
	}
	least += t.epsilon
	// A composition of the pure releases needs a delta of its own. Half and half is not
	// the best split, but no part is known to deserve more.
	pure, err := t.pureEpsilon(left / 2)
	if err != nil {
		return 0, err
	}
	if pure < t.epsilon {
		half, err := t.gaussianEpsilon(left/2, by, with)
		if err != nil {
			return 0, err
		}
		least = min(least, pure+half)
	}
	if by == PLD {
		return least, nil
	}
	// Rényi divergences of pure releases and of Gaussian noise add up at each order,
	// which needs no split of delta at all.
	together, err := t.renyi(left, by, true, with.add)
	return min(least, together), err
}

func (m Method) validate() error {
	for _, known := range Methods() {
		if m == known {
			return nil
		}
	}
	return fmt.Errorf("accounting method %q is not one of %v", string(m), Methods())
}

// gaussianEpsilon converts the Gaussian parts alone.
func (t *Total) gaussianEpsilon(delta float64, by Method, with means) (float64, error) {
	if by == PLD && t.concentrated > 0 {
		by = RDPCKS // of the Concentrated part only divergences are known
	}
	if len(t.sampled) == 0 && by != PLD {
		epsilon, err := ZCDPEpsilon(t.rho+t.concentrated, delta)
		if err != nil || by == RDP {
			return epsilon, err
		}
		tighter, err := t.renyi(delta, by, false, with.add)
		return min(epsilon, tighter), err
	}
	if by != PLD {
		return t.renyi(delta, by, false, with.add)
	}
	if math.IsInf(t.rho, 1) {
		return t.rho, nil
	}
	if len(t.sampled) == 0 {
		return GaussianEpsilon(SigmaOfRho(t.rho), delta)
	}
	steps := append([]SampledGaussian(nil), t.sampled...)
	if t.rho > 0 {
		steps = append(steps, SampledGaussian{Rate: 1, Noise: SigmaOfRho(t.rho), Steps: 1})
	}
	bounds, err := with.pld(steps, delta)
	return bounds.High, err
}

// renyi converts the sum of the Rényi divergences, the pure part's with them if
// asked: a pure epsilon has divergence at most epsilon and at most a epsilon^2/2
// at order a (Bun, Steinke 2016, proposition 3.3).
func (t *Total) renyi(delta float64, by Method, pure bool, add addSampled) (epsilon float64, err error) {
	orders := IntegerOrders
	if by == RDPCKS {
		orders = ManyOrders
	}
	curve := NewCurve(orders)
	curve.AddRho(t.rho + t.concentrated)
	for _, s := range t.sampled {
		if err := add(curve, s); err != nil {
			return 0, err
		}
	}
	if pure {
		t.addPureTo(curve)
	}
	if by == RDPCKS {
		epsilon, _, err = curve.EpsilonCKS(delta)
	} else {
		epsilon, _, err = curve.Epsilon(delta)
	}
	return epsilon, err
}

// addPureTo adds the divergences of the pure part to a curve.
func (t *Total) addPureTo(curve Curve) {
	var squares float64
	for _, p := range t.pure {
		squares += float64(float64(p.count) * p.epsilon * p.epsilon)
	}
	for i, a := range curve.Orders {
		curve.RDP[i] += min(t.epsilon, a*squares/2)
	}
}

// EpsilonAt returns an epsilon for which the loss alone is (epsilon, delta)
// differentially private; see Total.Epsilon.
func (l Loss) EpsilonAt(delta float64, by Method) (float64, error) {
	if err := l.Validate(); err != nil {
		return 0, err
	}
	t := l.Total()
	return t.Epsilon(delta, by)
}
