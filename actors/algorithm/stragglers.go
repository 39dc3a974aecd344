package algorithm

import (
	"fmt"
	"math"

	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Stragglers is the rule for clients of a server that have time for fewer local steps in a
// round than it asks for (Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith, Federated Optimization
// in Heterogeneous Networks, MLSys 2020, section 5.2). The paper draws the epochs of a
// straggler uniformly from 1 to E, as is done here with local steps; its program leaves E out.
//
// Draws are by seed, client and round. They depend on no data and on no participation, so they
// are public: no loss is less because of them.
type Stragglers struct {
	Share    float64    `yaml:"share,required" min:"0" max:"1" says:"a share of %v" unit:"probability" doc:"probability with which a client is a straggler in a round, drawn for every client and round by itself"`
	Steps    int        `yaml:"steps" min:"1" says:"%v steps" unit:"steps" doc:"local steps that a straggler has time for; absent, a number drawn uniformly from 1 to the local steps of the round, unless there is a fraction"`
	Fraction float64    `yaml:"fraction" over:"0" max:"1" says:"a fraction of %v" unit:"none" doc:"part of the local steps of a round that a straggler has time for, rounded down to whole steps, and at least one; absent, see steps"`
	Update   Unfinished `yaml:"update" oneof:"partial drop" doc:"the update of a straggler that does not finish its local steps: partial, of the steps that it has taken, as in FedProx; drop, none, as in FedAvg; absent, partial"`
}

// Unfinished is the treatment of the update of a client that has not finished its local steps.
type Unfinished string

const (
	// UnfinishedPartial sends the update of the steps taken. The zero value means it.
	UnfinishedPartial Unfinished = "partial"
	// UnfinishedDrop sends nothing.
	UnfinishedDrop Unfinished = "drop"
)

// Validate checks the rule for rounds of tau local steps, at least 1. It returns an
// *option.Error with the path of the first fault.
func (s *Stragglers) Validate(tau int) error {
	switch {
	case s.Steps > 0 && s.Fraction > 0:
		return option.Errorf("fraction", "steps and fraction are given; want at most one")
	case s.Kept(tau) == 0:
		return option.Errorf("update", "every client is dropped in every round: none finishes its %d local steps", tau)
	}
	return nil
}

// has returns the local steps that a straggler has time for, of tau. drawn means that they are
// drawn uniformly from 1 to tau.
func (s *Stragglers) has(tau int) (steps int, drawn bool) {
	switch {
	case s.Steps > 0:
		return min(s.Steps, tau), false
	case s.Fraction > 0: // up to the rounding of the product
		return max(1, min(tau, int(math.Floor(s.Fraction*float64(tau)+1e-9)))), false
	}
	return tau, true
}

// finishes is the probability that a straggler finishes tau local steps.
func (s *Stragglers) finishes(tau int) float64 {
	switch steps, drawn := s.has(tau); {
	case drawn:
		return 1 / float64(tau)
	case steps < tau:
		return 0
	}
	return 1
}

// Any reports whether a client may take fewer than tau local steps. It is false of nil.
func (s *Stragglers) Any(tau int) bool { return s != nil && s.Share > 0 && s.finishes(tau) < 1 }

// Kept is the probability that the update of a client is not dropped in a round of tau local
// steps. It is 1 of nil.
func (s *Stragglers) Kept(tau int) float64 {
	if s == nil || s.Update != UnfinishedDrop {
		return 1
	}
	return 1 - s.Share*(1-s.finishes(tau))
}

// mean is the mean number of local steps of a client that takes part in a round of tau,
// whether or not its update is dropped.
func (s *Stragglers) mean(tau int) float64 {
	steps, drawn := s.has(tau)
	mean := float64(steps)
	if drawn {
		mean = (1 + mean) / 2
	}
	return (1-s.Share)*float64(tau) + s.Share*mean
}

// Text describes the stragglers of rounds of tau local steps, for readers of results.
func (s *Stragglers) Text(tau int) string {
	if kept := s.Kept(tau); s.Update == UnfinishedDrop {
		return fmt.Sprintf("a client drops out of a round with probability %.6g, as it does not finish its %d local steps", 1-kept, tau)
	}
	return fmt.Sprintf("%.6g of %d local steps in the mean; a client with fewer sends its partial update", s.mean(tau), tau)
}

// stragglersPurpose keys the draws: arms of one seed have the same stragglers.
var stragglersPurpose = rng.PurposeOf("stragglers")

// Draw returns the stragglers of a run in rounds of tau local steps; nil where all clients
// finish.
func (s *Stragglers) Draw(seed uint64, tau int) *DrawnStragglers {
	if !s.Any(tau) {
		return nil
	}
	return &DrawnStragglers{*s, rng.NewKey(seed, stragglersPurpose)}
}

// DrawnStragglers are the stragglers of a run: a pure function of client and round. It is
// immutable. nil is none.
type DrawnStragglers struct {
	rule Stragglers
	key  rng.Key
}

// Drops reports whether updates may be dropped.
func (s *DrawnStragglers) Drops() bool { return s != nil && s.rule.Update == UnfinishedDrop }

// Steps returns the local steps that a client, from 1, takes for its update in a round, from
// 1, of tau. 0 means that the update is dropped.
func (s *DrawnStragglers) Steps(client messages.NodeID, round, tau int) int {
	if s == nil {
		return tau
	}
	var stream rng.Stream
	r := stream.Open(s.key, int(client), round, 0)
	if !(r.Float64() < s.rule.Share) {
		return tau
	}
	steps, drawn := s.rule.has(tau)
	if drawn {
		steps = 1 + r.IntN(tau)
	}
	if steps < tau && s.Drops() {
		return 0
	}
	return steps
}

// mostTriedStragglers is the number of seeds that DrawAlike tries.
const mostTriedStragglers = 256

// DrawAlike returns the same stragglers for all runs of a number of rounds, for audits by
// observers that know them. It maximizes the rounds that have an update of the client in them.
// Of such draws it takes one in which the client takes about half of all local steps.
func (s *Stragglers) DrawAlike(client messages.NodeID, rounds, tau int) (best *DrawnStragglers) {
	if s == nil {
		return nil
	}
	most := math.Inf(-1)
	for seed := range uint64(mostTriedStragglers) {
		drawn, there, taken := s.Draw(seed, tau), 0, 0
		if drawn == nil {
			return nil
		}
		for round := 1; round <= rounds; round++ {
			if steps := drawn.Steps(client, round, tau); steps > 0 {
				there, taken = there+1, taken+steps
			}
		}
		far := math.Abs(float64(taken)/float64(rounds*tau) - 0.5)
		if worth := float64(there) - far; worth > most {
			most, best = worth, drawn
		}
	}
	return best
}
