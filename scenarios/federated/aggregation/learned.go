package aggregation

import (
	"fmt"
	"slices"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/ledger"
)

// AnyOthers are the neighbours of shuffled messages.
const AnyOthers = "the vectors of one client, or any others in their place"

// Accounts returns the accounts of observers, each made of a general account.
func (s *Sharing) Accounts(a ledger.Account) []ledger.Account {
	if s.Kind == Shuffle {
		a.Relation, a.Converted = accountant.Replace, false
		a.Neighbours, a.PaidFor = AnyOthers, ""
	}
	of := func(o accountant.Observer, why string, bound accountant.Loss) ledger.Account {
		b := a
		if b.Observer, b.Why = o, why; bound != s.paid {
			b.Worth = worth(bound)
		}
		return b
	}
	if s.clipped() {
		return s.clippedAccounts(a)
	}
	all, err := s.models(0)
	known, otherErr := s.models(1)
	if err != nil || otherErr != nil { // the sharing was priced by the same
		all, known = accountant.NotPrivate(), accountant.NotPrivate()
	}
	server, wire, open := "the server sees the sum of the messages of a round alone", "messages are masked, and models show no more than their sum", all
	switch {
	case s.Kind == Local:
		server, open = "messages are seen, each with its own noise", s.Message()
		wire = server
	case s.Kind == Shuffle:
		server, wire, open = "the server sees messages without their senders", "the wire sees messages with their senders, on the way to the shuffler", s.Message()
	}
	seen := all
	if s.Kind == Local {
		seen = open
	}
	models := s.modelsShow()
	return []ledger.Account{
		of(accountant.Server, server, seen), of(accountant.Wire, wire, open),
		of(accountant.Peer, "a peer sees models, which "+models+", and knows its own message", known), of(accountant.Public, "models "+models, all),
	}
}

// clippedAccounts returns the accounts of observers of sums, of clients with bounds of their own.
func (s *Sharing) clippedAccounts(a ledger.Account) []ledger.Account {
	of := func(o accountant.Observer, why string, known int) ledger.Account {
		b := a
		if b.Observer, b.Why = o, why; s.unknown(known) != s.Least() {
			b.Worth = s.worthAmong(known)
		}
		return b
	}
	models := s.modelsShow()
	return []ledger.Account{
		of(accountant.Server, "the server sees the sum of the messages of a round alone", 0), of(accountant.Wire, "messages are masked, and models show no more than their sum", 0),
		of(accountant.Peer, "a peer sees models, which "+models+", and knows its own message", 1), of(accountant.Public, "models "+models, 0),
	}
}

// unknown is the least number of messages of a round that an observer does not know, where it knows a
// number of them besides the liars'.
func (s *Sharing) unknown(known int) int { return max(1, s.Least()-len(s.of.Liars)-known) }

// models is the loss to an observer that sees models, and knows a number of messages of a
// round besides the liars'.
func (s *Sharing) models(known int) (accountant.Loss, error) {
	if s.of.Open || s.of.Factors != nil {
		return s.Message(), nil
	}
	loss, _, err := s.round(s.unknown(known))
	return loss, err
}

// modelsShow describes the models as functions of the messages of a round.
func (s *Sharing) modelsShow() string {
	switch n := len(s.of.Liars); {
	case s.of.Open:
		return "are no plain sums of messages, and may show one with its own noise"
	case n > 0:
		return fmt.Sprintf("show no more than the messages of a round, of which up to %d may be of Byzantine nodes, whose noise hides nobody", n)
	}
	return "show no more than the messages of a round"
}

// Named returns the losses of messages to coalitions. Coalitions know their own messages and
// the liars', which hide nobody from them. With the server among them they see the server's
// view.
func (s *Sharing) Named() func(members []messages.NodeID) (*ledger.Worth, error) {
	known, among := map[accountant.Loss]*ledger.Worth{}, map[int]*ledger.Worth{}
	return func(members []messages.NodeID) (*ledger.Worth, error) {
		if s.of.Factors != nil {
			return paidFor, nil
		}
		clients, server := 0, members[0] == 0
		for _, member := range members {
			if _, liar := slices.BinarySearch(s.of.Liars, member); member != 0 && !liar {
				clients++
			}
		}
		if s.clipped() {
			if among[clients] == nil {
				among[clients] = s.worthAmong(clients)
			}
			return among[clients], nil
		}
		loss, err := s.models(clients)
		if server && s.Kind == Local {
			loss = s.Message()
		}
		if known[loss] == nil {
			known[loss] = worth(loss)
		}
		return known[loss], err
	}
}

// worth gives every message the same loss to an observer.
func worth(message accountant.Loss) *ledger.Worth {
	return &ledger.Worth{
		Of:   func(uint64, messages.NodeID, int, accountant.Loss) accountant.Loss { return message },
		Most: func(int, accountant.Loss) accountant.Loss { return message },
	}
}

// Text describes the server's view, for readers of the results.
func (s *Sharing) Text() string {
	if !s.Private() {
		return fmt.Sprintf("%s, without noise", s.Kind)
	}
	deviation := s.deviation(1)
	switch {
	case s.Kind == Local && s.of.Factors != nil:
		return fmt.Sprintf("local: the server sees every message, with noise that differs between clients, of standard deviation %.6g to %.6g", deviation/s.strength()*slices.Min(s.of.Factors), deviation/s.strength()*slices.Max(s.of.Factors))
	case s.Kind == Local:
		return fmt.Sprintf("local: the server sees every message, with noise of standard deviation %.6g", deviation)
	case s.Kind == Shuffle:
		text := fmt.Sprintf("shuffle: messages have noise of standard deviation %.6g; a round with fewer than %d is aborted. ", deviation, s.Least())
		if s.hidden {
			return text + fmt.Sprintf("A batch costs %s, of messages of %s", s.paid, s.Message())
		}
		return text + "The known bounds amplify nothing for so few messages in so many rounds: a batch costs as much as a message"
	}
	text := fmt.Sprintf("secure: the server sees the sum of at least %d messages, with noise of standard deviation %.6g at least; a round with fewer is aborted", s.Least(), s.deviation(float64(s.Least())))
	if d := s.discrete; d != nil {
		text += fmt.Sprintf("; on a grid of %.6g, modulo 2^%d", d.Granularity, d.Bits)
	}
	return text
}
