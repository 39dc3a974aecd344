package aggregation

import (
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
)

// Trusted is the noise of a server that is trusted, on the sums of rounds. The zero value is
// none. It is immutable.
type Trusted struct {
	Of Vectors
	// Servers are the participants that add it, each to the sum of its own clients; the zero
	// value is participant 0.
	Servers algorithm.Range
	// Buffered means that sums are of full buffers, in place of rounds.
	Buffered bool
	// Noise is paid for in each round in which pays is true, one in every Most.Apart rounds up
	// to Most.Times, unless one payment covers all rounds.
	Noise noise.Released
	// Individual, unless nil, has clients pay in place of servers.
	Individual *Individual
}

// Charges reports whether the server pays for its release of a round.
func (n *Trusted) Charges(round int) bool {
	return n.Individual == nil && n.Loss(round) != accountant.Loss{}
}

// Loss implements Noise.
func (n *Trusted) Loss(step int) accountant.Loss {
	switch round, there := n.Of.Calendar.Round(step); {
	case !there:
		return accountant.Loss{}
	case n.Individual != nil:
		of, turn := n.Individual, (round-1)/n.Of.Most.Apart+1
		if !pays(n.Of.Most, n.Of.Calendar, step) || turn > of.Turns(of.Dearest) {
			return accountant.Loss{}
		}
		return of.Of(of.Dearest, turn)
	case !n.Noise.Private():
	case n.Noise.Once() && round > 1, !n.Noise.Once() && !pays(n.Of.Most, n.Of.Calendar, step):
		return accountant.Loss{}
	}
	return n.Noise.Loss()
}

// Bill implements Noise: servers pay in rounds. With a buffer it pays once for every
// buffer in which a client comes to be in more of them than any was before, in all no more
// than the rounds that a client can have taken part in. Correlated noise is paid for once, for all buffers.
func (n *Trusted) Bill(node messages.NodeID, step int, moment ledger.Moment) ledger.ExpectedPayment {
	if n.Individual != nil {
		round, there := n.Of.Calendar.Round(step)
		if !there {
			return ledger.ExpectedPayment{}
		}
		return n.Individual.bill(node, round, moment)
	}
	if node > 0 && !n.Servers.Has(node) || node == 0 && n.Servers.First > 0 {
		return ledger.ExpectedPayment{}
	}
	if n.Buffered && !n.Noise.Once() {
		most := n.Of.Rule.Most(step).Times
		if moment.Payments > most {
			return ledger.ExpectedPayment{}
		}
		return ledger.Pays(n.Loss(1), 0, most)
	}
	if price := n.Loss(step); price != (accountant.Loss{}) {
		return ledger.Pays(price, 1, 1)
	}
	return ledger.ExpectedPayment{}
}

// Drowning implements Noise. It returns zeros for correlated noise: its prefix sums matter.
func (n *Trusted) Drowning() (size, signal float64) {
	if n.Noise.Correlated() {
		return 0, 0
	}
	return n.Noise.Additive().Deviation() * math.Sqrt(float64(n.Of.Length)), n.Of.Expected * n.Of.Clip
}

// Metrics implements Noise. The noise of several servers on their sums is no noise of one sum.
func (n *Trusted) Metrics() metric.List {
	if n.Servers.First > 0 {
		return nil
	}
	return metric.List{roundsNoise}
}

// Stated is the noise of a mean, in an audit.
func (n *Trusted) Stated(at auditing.Place) auditing.Noise {
	return auditing.Noise{Law: n.Noise.Law(), Length: at.Length, Scale: n.Noise.Scale() / n.Of.Expected}
}

// serverPurpose keys the noise of the server.
var serverPurpose = rng.PurposeOf("federated.noise")

// Drawn is the noise of one trusted server in a run, with its state.
type Drawn struct {
	*Trusted
	stream *noise.Stream
	added  []float64 // working memory
	total  []float64 // the noise of all rounds so far
}

// Drawn returns the noise of a server at the beginning of its run.
func (n *Trusted) Drawn() (s Drawn, err error) {
	s = Drawn{Trusted: n, added: make([]float64, n.Of.Length), total: make([]float64, n.Of.Length)}
	s.stream, err = n.Noise.Stream(n.Of.Length)
	return s, err
}

// Release adds the noise of the turn's round to a sum in place, once it is paid for. It
// returns the mark of values that follow from the sum. pays is false if the noise is
// independent and an earlier payment covers this round. An error of a budget is returned as it
// is.
func (s *Drawn) Release(t *algorithm.Turn, sum []float64, pays bool) (algorithm.Mark, error) {
	kernel.Axpy(s.total, -1, sum)
	mark, err := s.add(t, sum, pays)
	kernel.Add(s.total, sum)
	return mark, err
}

// add is Release without the book of noise.
func (s *Drawn) add(t *algorithm.Turn, sum []float64, pays bool) (algorithm.Mark, error) {
	switch {
	case s.Noise.Private():
	case pays:
		return algorithm.Raw(), t.Spend(accountant.NotPrivate())
	default:
		return algorithm.Raw(), nil
	}
	var receipt accountant.Receipt
	var err error
	if r := t.Rand(serverPurpose); pays || s.Noise.Once() {
		receipt, err = s.stream.Release(sum, s.added, r, t.Spend)
	} else {
		receipt, err = s.stream.Covered(sum, s.added, r)
	}
	return algorithm.Released(receipt), err
}

// Size is the root of the mean square of the entries of the noise of all sums so far.
func (s *Drawn) Size() float64 {
	return kernel.Norm(s.total) / math.Sqrt(float64(s.Of.Length))
}

// State encodes and decodes the drawn noise.
func (s *Drawn) State(c *messages.Codec) {
	c.Floats("noise so far", s.total)
	c.Part("", s.stream)
}
