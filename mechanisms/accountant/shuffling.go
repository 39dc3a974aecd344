package accountant

import (
	"fmt"
	"math"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// ShuffledBatch is a batch of messages of as many parties, each of them the output of a local
// randomizer, from which no observer learns the senders. Losses are for one party with data
// that are replaced, for any data of the others.
type ShuffledBatch struct {
	// Local is epsilon_0 >= 0 of the local randomizers, and LocalDelta their delta_0 >= 0, for
	// any two inputs of a party.
	Local, LocalDelta float64
	// Messages is n >= 1, the number of messages.
	Messages int
}

// Validate refuses numbers that no such batch has.
func (s ShuffledBatch) Validate() error {
	switch {
	case !(s.Local >= 0):
		return fmt.Errorf("local epsilon = %v is not a number >= 0", s.Local)
	case !(s.LocalDelta >= 0 && s.LocalDelta < 1):
		return fmt.Errorf("local delta = %v is not in [0, 1)", s.LocalDelta)
	case s.Messages < 1:
		return fmt.Errorf("a batch of %d messages; want at least 1", s.Messages)
	}
	return nil
}

// excess is the part that the local delta adds to delta where the batch is (epsilon, delta)
// private with local randomizers that are purely private: (1 + e^epsilon) tau, where tau =
// delta_0 (1 + 2 (n-1) e^-epsilon_0). The theorems are of pure randomizers; the argument from
// there is our own. It shows that the batch is within tau, in total variation, of one to which
// their proof applies, under either input of the party.
//
// The party: let P_0 and P_1 be the laws of its message for the two inputs. Both follow from
// randomized response of epsilon_0 that shows the input with probability delta_0 (Kairouz,
// Oh, Viswanath, ICML 2015). Where it shows nothing they have laws Q_0 and Q_1, which are
// purely epsilon_0 indistinguishable, and Q_b is within delta_0 of P_b.
//
// Another: let R be the law of its message. P_b(S) <= e^epsilon_0 R(S) + delta_0 for every set
// S, so that R lacks at most e^-epsilon_0 delta_0 of having e^-epsilon_0 P_b as a part. It
// lacks as much again, at most, of having e^-epsilon_0 Q_b as a part, and no more than for the
// worse b of having their mean, e^-epsilon_0 (Q_0 + Q_1)/2. A law R' that has it all takes the
// lacking mass from elsewhere, and is within 2 e^-epsilon_0 delta_0 of R.
//
// The batch: the proof of theorem III.2 needs of Q_0, Q_1 and all R' no more than that. Two
// batches that are each within tau of two others have a divergence at epsilon that is larger
// by at most (1 + e^epsilon) tau.
func (s ShuffledBatch) excess(epsilon float64) float64 {
	others := float64(2 * float64(s.Messages-1) * portable.Exp(-s.Local))
	return (1 + portable.Exp(epsilon)) * s.LocalDelta * (1 + others)
}

// ClosedForm is the epsilon of a batch at delta by Feldman, McMillan, Talwar 2021 (Hiding
// Among the Clones), theorem III.1:
//
//	ln(1 + (e^e0 - 1)/(e^e0 + 1) (8 sqrt(e^e0 ln(4/delta))/sqrt(n) + 8 e^e0/n))
//
// of pure local randomizers. amplified is false where its condition e0 <= ln(n/(16
// ln(2/delta))) does not hold, or its bound is no better: the epsilon is then the local one.
func (s ShuffledBatch) ClosedForm(delta float64) (epsilon float64, amplified bool, err error) {
	if err := s.check(delta); err != nil {
		return 0, false, err
	}
	if s.LocalDelta > 0 {
		return 0, false, fmt.Errorf("the closed form is of local randomizers without a delta; these have %v", s.LocalDelta)
	}
	n := float64(s.Messages)
	if !(s.Local <= portable.Log(n/(16*portable.Log(2/delta)))) {
		return s.Local, false, nil
	}
	odds := portable.Exp(s.Local)
	clones := float64(8*math.Sqrt(odds*portable.Log(4/delta)/n)) + float64(8*odds/n)
	epsilon = portable.Log1p(float64(portable.Tanh(s.Local/2) * clones))
	if epsilon >= s.Local {
		return s.Local, false, nil
	}
	return epsilon, true, nil
}

// Epsilon is an epsilon of a batch at delta, by the hockey-stick divergence of the two laws of
// which the laws of the batch are a function (Feldman, McMillan, Talwar 2021, theorem III.2
// and section V), summed exactly and rounded outwards. amplified is false where it is no less
// than the local epsilon, which is returned then; the local delta holds with that alone.
func (s ShuffledBatch) Epsilon(delta float64) (epsilon float64, amplified bool, err error) {
	if err := s.check(delta); err != nil {
		return 0, false, err
	}
	clones := newClones(s.Local, s.Messages, delta)
	over := func(epsilon float64) bool { return clones.delta(epsilon)+s.excess(epsilon) > delta }
	if s.Local == 0 || math.IsInf(s.Local, 1) || over(s.Local) {
		return s.Local, false, nil
	}
	if !over(0) {
		return 0, true, nil
	}
	_, epsilon = numeric.Bisect(0, s.Local, over)
	return epsilon, true, nil
}

// AmplifiedByShuffling is the epsilon of a batch at delta with local randomizers that have an epsilon for
// every delta_0 > 0: local, for any two inputs. The delta_0 is one that serves well. amplified
// is false where local(delta) is as good; then local(delta) is returned.
func AmplifiedByShuffling(messages int, delta float64, local func(delta float64) (float64, error)) (epsilon float64, amplified bool, err error) {
	s := ShuffledBatch{Messages: messages}
	if err := s.check(delta); err != nil {
		return 0, false, err
	}
	if epsilon, err = local(delta); err != nil {
		return 0, false, err
	}
	s.LocalDelta = delta / float64(8*messages)
	for range localDeltas {
		if s.Local, err = local(s.LocalDelta); err != nil {
			return 0, false, err
		}
		e, better, err := s.Epsilon(delta)
		switch {
		case err != nil:
			return 0, false, err
		case better && e < epsilon:
			epsilon, amplified = e, true
		case amplified: // less local delta costs more local epsilon
			return epsilon, true, nil
		}
		s.LocalDelta /= 4
	}
	return epsilon, amplified, nil
}

// localDeltas is the number of them that are tried, each a quarter of the one before.
const localDeltas = 40

func (s ShuffledBatch) check(delta float64) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if !(delta > 0 && delta < 1) {
		return fmt.Errorf("delta = %v is not in (0, 1)", delta)
	}
	return nil
}

// clones are the two laws: of C ~ Bin(n-1, e^-e0) clones of the two inputs of a party, half
// of either on average, with the party itself, which is the likelier one by e^e0 to 1.
//
// Feldman, McMillan, Talwar 2023 (arXiv 2208.04591) have 2/(e^e0 + 1) in the place of e^-e0:
// more clones, and less loss. By their erratum the proof is for some randomizers alone, so
// that it is not used here.
type clones struct {
	truth   float64   // e^e0/(e^e0 + 1)
	first   int       // the least C that is looked at
	masses  []float64 // probabilities of C, from first on
	dropped float64   // at least the probability of all others
}

// roundingOfMass bounds the relative error of the probability of C = c and A = a, of up to 10^6
// messages: logarithms of factorials have as many digits less than a float64.
const roundingOfMass = 1e-6

// mostUnsure is the relative error from which on a tail is summed anew. The error of numbers
// made of the tail is at most some hundred times as large, and so below roundingOfMass.
const mostUnsure = 1e-9

func newClones(local float64, messages int, delta float64) *clones {
	c := &clones{truth: 1 / (1 + portable.Exp(-local))}
	n, p := float64(messages-1), portable.Exp(-local)
	if p == 1 {
		c.first, c.masses = messages-1, []float64{1}
		return c
	}
	log := func(k float64) float64 {
		return numeric.LogChoose(n, k) + float64(k*portable.Log(p)) + float64((n-k)*portable.Log1p(-p))
	}
	mode := int(min(n, (n+1)*p))
	negligible := delta * 1e-4 / (n + 1)
	var below, above []float64
	mass := portable.Exp(log(float64(mode))) * (1 + roundingOfMass)
	for k, m := mode, mass; k >= 0; k-- {
		if m < negligible {
			c.dropped += float64(float64(k+1) * m)
			break
		}
		below = append(below, m)
		m *= float64(k) / (n - float64(k) + 1) * (1 - p) / p
	}
	for k, m := mode, mass; k < messages; k++ {
		if m < negligible {
			c.dropped += float64((n - float64(k) + 1) * m)
			break
		}
		above = append(above, m)
		m *= (n - float64(k)) / float64(k+1) * p / (1 - p)
	}
	c.first = mode - len(below) + 1
	for i := len(below) - 1; i > 0; i-- {
		c.masses = append(c.masses, below[i])
	}
	c.masses = append(c.masses, above...)
	return c
}

// delta is at least the hockey-stick divergence of the laws at epsilon >= 0, the same in both
// directions.
//
// Given C = c, A ~ Bin(c, 1/2): one law is the law of (A + D, c - A + 1 - D), D one with
// probability truth, and the other has them the other way round. Their ratio grows with the
// first number x, and is over e^epsilon from where x exceeds a share of c + 1.
func (c *clones) delta(epsilon float64) (delta float64) {
	odds, lie := portable.Exp(epsilon), 1-c.truth
	gain, cost := c.truth-float64(odds*lie), float64(odds*c.truth)-lie
	if !(gain > 0) {
		return 0
	}
	share := cost / ((c.truth - lie) * (1 + odds))
	from := func(count int) int { return int(float64(share*float64(count+1))) + 1 }
	count := c.first
	k := from(count)
	// tail is P(A >= k), and next P(A = k-1), of A ~ Bin(count, 1/2). unsure bounds the error
	// of tail: rounding errors from when it was large stay as it gets small.
	var tail, next, unsure float64
	steps := 0 // since both were summed anew
	for _, mass := range c.masses {
		if steps == 0 || unsure > mostUnsure*tail {
			tail, next, unsure, steps = halfTail(count, k), halfMass(count, k-1), 0, 0
		}
		// The sum over x >= k of one law less e^epsilon times the other.
		part := float64(gain*next) - float64((odds-1)*tail)
		delta += float64(mass * (max(0, part) + float64(1e-12*odds*(next+tail))))
		steps++
		unsure += float64(0x1p-51 * (tail + float64(float64(steps)*next)))
		// One more clone: P(A' >= k) = P(A >= k) + P(A = k-1)/2.
		tail += float64(next / 2)
		if count++; k > count {
			next = halfMass(count, k-1)
		} else {
			next *= float64(count) / 2 / float64(count-k+1)
		}
		if to := from(count); to != k { // one further at most
			if k <= count {
				at := next * float64(count-k+1) / float64(k)
				tail, next = max(0, tail-at), at
			} else {
				tail, next = 0, 0
			}
			k = to
		}
	}
	return float64(delta*(1+1e-9)) + c.dropped
}

// halfMass is P(A = k) of A ~ Bin(n, 1/2).
func halfMass(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	return portable.Exp(numeric.LogChoose(float64(n), float64(k)) - float64(float64(n)*math.Ln2))
}

// halfTail is P(A >= k) of A ~ Bin(n, 1/2), k above the mean.
func halfTail(n, k int) (tail float64) {
	mass := halfMass(n, k)
	for ; k <= n && mass > tail*1e-18; k++ {
		tail += mass
		mass *= float64(n-k) / float64(k+1)
	}
	return tail
}
