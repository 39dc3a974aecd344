package accountant

import (
	"errors"
	"fmt"
	"math"

	"starling/mechanisms/portable"
	"starling/messages"
)

// Relations lists the relations.
func Relations() []Relation { return []Relation{AddOrRemove, Replace} }

// ReplaceEpsilon is Epsilon for replacing one record, of losses for adding or removing one.
// Where nothing is sampled, or all, a replaced record moves every sum twice as far, which
// doubles epsilons and halves noise multipliers, exactly; for the Concentrated part that is a
// bound (Bun, Steinke 2016, proposition 1.9).
//
// For Poisson samples PLD composes the pair of records that add opposite vectors,
// PLDReplaceEpsilon, beside the pure and the Gaussian parts. The other methods take the least
// of two bounds that go by way of the data without the record: group privacy of two (Dwork,
// Roth 2014, theorem 2.2), (2 epsilon, (1 + e^epsilon) delta'), and the triangle inequality of
// Rényi divergences (Mironov 2017, proposition 11, at p = q = 2). PLD takes it, too, where a
// delta has been spent, where something is concentrated, and where the pair cannot be
// resolved.
func (t *Total) ReplaceEpsilon(delta float64, by Method) (float64, error) {
	return t.replace(delta, by, func(part float64) (float64, error) { return t.Epsilon(part, by) }, Curve.AddSampled)
}

// ReplaceEpsilon is t.ReplaceEpsilon(delta, by), up to rounding. Errors are not kept.
func (c *Converter) ReplaceEpsilon(t *Total, delta float64, by Method) (float64, error) {
	return c.keep(conversion{string(messages.Write(nil, t)), delta, by, Replace}, func() (float64, error) {
		return t.replace(delta, by, func(part float64) (float64, error) { return c.Epsilon(t, part, by) }, c.add)
	})
}

// EpsilonOf is Epsilon or ReplaceEpsilon of losses for adding or removing a record.
func (c *Converter) EpsilonOf(relation Relation, t *Total, delta float64, by Method) (float64, error) {
	if relation == Replace {
		return c.ReplaceEpsilon(t, delta, by)
	}
	return c.Epsilon(t, delta, by)
}

// replace is ReplaceEpsilon, given Epsilon at any part of delta.
func (t *Total) replace(delta float64, by Method, epsilon func(part float64) (float64, error), add addSampled) (float64, error) {
	if err := by.validate(); err != nil {
		return 0, err
	}
	if !(delta >= 0 && delta < 1) {
		return 0, fmt.Errorf("delta = %v is not in [0, 1)", delta)
	}
	if !t.Private() {
		return math.Inf(1), nil
	}
	if doubled, ok := t.doubled(); ok {
		return doubled.convert(delta, by, means{add, PLDEpsilon})
	}
	if by == PLD && t.delta == 0 && t.concentrated == 0 {
		// The pair moves sums twice as far itself; pure releases double beside it.
		apart := t.doublePure()
		apart.rho, apart.sampled = t.rho, t.sampled
		exact, err := apart.convert(delta, by, means{add, PLDReplaceEpsilon})
		if !errors.Is(err, ErrUnresolved) {
			return exact, err
		}
	}
	least, err := groupOfTwo(delta, epsilon)
	if err != nil || t.delta > 0 {
		return least, err
	}
	if by == PLD {
		by = RDPCKS
	}
	through, err := t.renyiThrough(delta, by, add)
	return min(least, through), err
}

// doubled is the total with all releases moved twice as far; false where a part of the records
// is sampled, or a delta has been spent.
func (t *Total) doubled() (Total, bool) {
	if t.delta > 0 {
		return Total{}, false
	}
	d := t.doublePure()
	d.rho, d.concentrated = 4*t.rho, 4*t.concentrated
	for _, s := range t.sampled {
		if s.idle() {
			continue
		}
		if s.Rate < 1 {
			return Total{}, false
		}
		s.Noise /= 2
		d.sampled = append(d.sampled, s)
	}
	return d, true
}

// doublePure is the pure part alone, of releases that cost twice as much.
func (t *Total) doublePure() Total {
	d := Total{epsilon: 2 * t.epsilon}
	for _, releases := range t.pure {
		releases.epsilon *= 2
		d.pure = append(d.pure, releases)
	}
	return d
}

// groupRounds bounds the search of groupOfTwo.
const groupRounds = 100

// groupOfTwo is the epsilon at delta of data two steps apart: 2 e where e is the epsilon of
// one step at a part of delta with (1 + e^e) part <= delta. The search comes from above, where
// the part is too large, down to one that fits, within a thousandth.
func groupOfTwo(delta float64, epsilon func(part float64) (float64, error)) (float64, error) {
	part := delta / 2
	for range groupRounds {
		e, err := epsilon(part)
		if err != nil || math.IsInf(e, 1) {
			return e, err
		}
		if part*(1+portable.Exp(e)) <= delta {
			return 2 * e, nil
		}
		if part = delta / (1 + portable.Exp(e)) * (1 - 1e-3); part == 0 {
			break
		}
	}
	return math.Inf(1), nil
}

// renyiThrough converts, at each order a, (a-1/2)/(a-1) times the divergence at 2a
// plus that at 2a - 1.
func (t *Total) renyiThrough(delta float64, by Method, add addSampled) (float64, error) {
	// With P, R, Q the laws of the data, of the data without the record, and of the data
	// with another record in its place, and p = q = 2: D_a(P||Q) <= (a-1/2)/(a-1)
	// D_2a(P||R) + D_(2a-1)(R||Q). Gaussian noise that is not sampled needs no detour:
	// twice the move is four times its rho.
	orders := IntegerOrders
	if by == RDPCKS {
		orders = ManyOrders
	}
	there, back := make([]float64, len(orders)), make([]float64, len(orders))
	for i, a := range orders {
		there[i], back[i] = 2*a, 2*a-1
	}
	first, second, both := NewCurve(there), NewCurve(back), NewCurve(orders)
	for _, s := range t.sampled {
		for _, curve := range []Curve{first, second} {
			if err := add(curve, s); err != nil {
				return 0, err
			}
		}
	}
	for i, a := range orders {
		both.RDP[i] = float64((a-0.5)/(a-1)*first.RDP[i]) + second.RDP[i]
	}
	both.AddRho(4 * (t.rho + t.concentrated))
	doubled := t.doublePure()
	doubled.addPureTo(both)
	convert := both.Epsilon
	if by == RDPCKS {
		convert = both.EpsilonCKS
	}
	epsilon, _, err := convert(delta)
	return epsilon, err
}
