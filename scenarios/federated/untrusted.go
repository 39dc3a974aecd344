package federated

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// checkAggregation refuses what is not proved where the server is not trusted.
func (p *plan) checkAggregation(found *study.Faults) {
	a, c := p.common.Aggregation, &p.common
	if a == nil {
		return
	}
	switch {
	case p.buffer != nil:
		found.At("algorithm.aggregation", "which clients meet in a buffer is the network's choice, and no round has a number of them at least: a server with a buffer is trusted")
	case c.Level == Record:
		found.At("algorithm.level", "clients protect their samples in every local step, whatever the server sees: leave aggregation out, or want %s", User)
	}
	// Clients of a round at most: of groups, the largest.
	if groups := max(1, c.Participation.Groups); a.least() > (p.file.Nodes+groups-1)/groups {
		found.At("algorithm.aggregation.survivors", "a round has at most %d clients, and would be aborted always", (p.file.Nodes+groups-1)/groups)
	}
	m := &p.mechanism
	switch {
	case m.Correlated != nil:
		found.At("mechanism.kind", "noise that is correlated over rounds has no shares that add up to it whoever drops out; want noise of its own on each round, such as gaussian")
	case m.Laplace > 0 && a.Kind == SecureAggregation:
		found.At("mechanism.kind", "shares of noise are Gaussian: want gaussian or sampled-gaussian")
	case m.Laplace > 0 && a.Kind == LocalNoise && a.Survivors != nil:
		found.At("algorithm.aggregation.survivors", "Laplace noise has no shares: each message has all of it; leave this out")
	case a.Bound == ClosedBound && m.Laplace == 0 && p.private():
		found.At("algorithm.aggregation.bound", "the theorem is for noise that is private without a delta: want the mechanism laplace, or the bound %s", NumericalBound)
	case a.Kind == Shuffle && m.Delta == 0 && a.Delta == nil && p.private():
		found.At("algorithm.aggregation", "missing required key %q: shuffling hides who sent what but for a delta, and the mechanism has none", "delta")
	case a.Delta != nil && m.Delta > 0:
		found.At("algorithm.aggregation.delta", "losses are stated at the delta of the mechanism, %v; leave this out", m.Delta)
	}
}

// share makes the noise of clients, where they add it to what they send. It is false where
// there is a fault, which it has noted.
func (p *plan) share(found *study.Faults) bool {
	a := p.common.Aggregation
	if a == nil {
		return true
	}
	if a.Delta != nil {
		p.mechanism.Delta = *a.Delta
	}
	s, m := sharing{Aggregation: a, clip: p.at.Clip, length: p.at.Width}, &p.mechanism
	scale := m.Sigma * p.at.Clip
	switch {
	case !p.private():
	case m.Laplace > 0:
		s.own = noise.Additive{Law: noise.LaplaceLaw, Scale: m.Laplace * noise.MovesL2(p.at.Clip, p.at.Width).L1}
	case a.Kind == Shuffle:
		s.own = noise.Additive{Law: noise.GaussianLaw, Scale: scale}
	case a.Shares == DiscreteShares:
		on, err := noise.SharesOnGrid(scale, a.least(), *a.Granularity*p.at.Clip, p.at.Clip, p.at.Width, *a.Bits)
		if err != nil {
			found.At("algorithm.aggregation.granularity", "%v", err)
			return false
		}
		s.discrete = &on
	default:
		s.shares = &noise.Shares{Scale: scale, Survivors: a.least()}
	}
	s.delta = m.Delta / float64(2*max(1, p.most.Times))
	s.total = func(of accountant.Loss) (float64, error) {
		var total accountant.Total
		total.AddTimes(of, p.most.Times)
		return ledger.EpsilonOf(total, m.Delta, m.Accountant)
	}
	priced, err := s.priced()
	if err != nil {
		found.At("algorithm.aggregation", "%v", err)
		return false
	}
	p.sharing = priced
	p.at.sharing = priced
	return true
}

// sharedPrice is what a client pays in a round, from 1, if it takes part whenever it may.
func (p *plan) sharedPrice(round int) accountant.Loss {
	if (round-1)%p.most.Apart != 0 || (round-1)/p.most.Apart >= p.most.Times {
		return accountant.Loss{}
	}
	return p.sharing.paid
}

// converted tells whether what is paid is for data that are added or removed, where the account
// is for those that are replaced: shuffled batches are paid for as those.
func (p *plan) converted() bool {
	return p.mechanism.Neighbours == accountant.Replace && !(p.sharing != nil && p.sharing.Kind == Shuffle)
}

// sharedAccounts are what observers learn where clients add noise to what they send.
func (p *plan) sharedAccounts(a ledger.Account) []ledger.Account {
	s := p.sharing
	if s.Kind == Shuffle {
		a.Relation, a.Converted = accountant.Replace, false
		a.Neighbours, a.PaidFor = "the vectors of one client, or any others in their place", ""
	}
	of := func(o accountant.Observer, why string, bound accountant.Loss) ledger.Account {
		b := a
		if b.Observer, b.Why = o, why; bound != s.paid {
			b.Bound = func(step int) accountant.Loss {
				var total accountant.Total
				total.AddTimes(bound, p.common.Participation.most(step).Times)
				return total.Loss()
			}
		}
		return b
	}
	all, _, err := s.round(s.least())
	known, _, otherErr := s.round(max(1, s.least()-1))
	if err != nil || otherErr != nil { // the sharing was priced by the same
		all, known = accountant.NotPrivate(), accountant.NotPrivate()
	}
	server, wire, open := "the server sees the sum of the messages of a round alone", "messages are masked, and models show no more than their sum", all
	switch {
	case s.Kind == LocalNoise:
		server, open = "messages are seen, each with its own noise", s.message()
		wire = server
	case s.Kind == Shuffle:
		server, wire, open = "the server sees messages, and not who sent which", "the wire sees who sends what to the shuffler", s.message()
	}
	seen := all
	if s.Kind == LocalNoise {
		seen = open
	}
	return []ledger.Account{
		of(accountant.Server, server, seen), of(accountant.Wire, wire, open),
		of(accountant.Peer, "a peer sees models, which show no more than the messages of a round, and knows its own message", known),
		of(accountant.Public, "models show no more than the messages of a round", all),
	}
}

// named tells whether the scenario asks what nodes, or coalitions of them, learn.
func (p *plan) named() bool { return p.file.Measure.Observers != nil || p.file.Measure.Pairs }

// sharedLearns is what coalitions learn: they know their own messages, which hide nobody from
// them. With the server among them they see what that does.
func (p *plan) sharedLearns(*study.Job) ledger.Learns {
	s, known := p.sharing, map[int]accountant.Loss{} // by clients of a coalition
	return func(of ledger.View, _ messages.NodeID, step int) (total accountant.Total, said bool, err error) {
		if of.Members == nil {
			return total, false, nil
		}
		clients := len(of.Members)
		server := of.Members[0] == 0
		if server {
			clients--
		}
		loss, ok := known[clients]
		if !ok {
			if loss, _, err = s.round(max(1, s.least()-clients)); err != nil {
				return total, true, err
			}
			known[clients] = loss
		}
		if server && s.Kind == LocalNoise {
			loss = s.message()
		}
		total.AddTimes(loss, p.common.Participation.most(step).Times)
		return total, true, nil
	}
}

// sharingText says what the server sees, for those who read the results.
func (p *plan) sharingText() string {
	s := p.sharing
	if !s.private() {
		return fmt.Sprintf("%s, without noise", s.Kind)
	}
	deviation := s.deviation(1)
	switch {
	case s.Kind == LocalNoise:
		return fmt.Sprintf("local: the server sees every message, with noise of standard deviation %.6g", deviation)
	case s.Kind == Shuffle:
		text := fmt.Sprintf("shuffle: messages have noise of standard deviation %.6g; a round with fewer than %d is aborted. ", deviation, s.least())
		if s.hidden {
			return text + fmt.Sprintf("A batch costs %s, of messages of %s", s.paid, s.message())
		}
		return text + "By what is proved so few messages hide nobody in so many rounds: a batch costs as much as a message"
	}
	text := fmt.Sprintf("secure: the server sees the sum of at least %d messages, with noise of standard deviation %.6g at least; a round with fewer is aborted", s.least(), s.deviation(float64(s.least())))
	if d := s.discrete; d != nil {
		text += fmt.Sprintf("; on a grid of %.6g, modulo 2^%d", d.Granularity, d.Bits)
	}
	return text
}

// sharedDrowning is the noise of a round beside the sum that it hides.
func (p *plan) sharedDrowning() (size, signal float64) {
	return p.sharing.deviation(p.at.Expected) * math.Sqrt(float64(p.at.Width)), p.at.Expected * p.at.Clip
}
