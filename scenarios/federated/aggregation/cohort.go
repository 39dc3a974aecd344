package aggregation

import (
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
)

// A server may draw a fixed number of clients a round, without replacement, in place of each client
// with a probability. A client that is not there then leaves its place to another one.

// WithCohort returns the rule for a number of clients and of rounds, with Rate set to the largest
// chance of a client to be in a round; a rule without Cohort stays. An observer may know that one
// other client is not in the round, so that the cohort is of the others: the chance is m/(n-1), n
// the size of the smallest group. The error is of a cohort that may find too few clients.
func (p Participation) WithCohort(clients, rounds int) (Participation, error) {
	if p.Cohort == nil || p.Groups < 1 || p.Groups > clients {
		return p, nil
	}
	members := clients / p.Groups
	p.members = members
	p.Rate = min(1, float64(*p.Cohort)/float64(max(1, members-1)))
	out := p.out(p.Turns(rounds, 1))
	if err := p.enough(members, out); err != nil {
		return p, err
	}
	p.chance = min(1, float64(*p.Cohort)/(float64(members)-float64(out*float64(*p.Cohort))))
	return p, nil
}

// out is the largest number of clients of a group, in cohorts, that may not take part in one of a
// number of rounds: its last rounds within Apart, and clients that have come as often as Times.
func (p *Participation) out(turns int) float64 {
	out := float64((p.Apart - 1) / p.Groups)
	if p.Times != nil {
		out += float64(turns-1) / float64(*p.Times)
	}
	return min(out, float64(turns-1))
}

// enough refuses a cohort that may find too few clients in a group of a number of members, of which
// so many cohorts may be out.
func (p *Participation) enough(members int, out float64) error {
	m := *p.Cohort
	needed := math.Ceil(float64(m) * (1 + out))
	if needed <= float64(members) {
		return nil
	}
	others, want := "", "more nodes"
	if out > 0 {
		others = ", where some wait or may not come again"
	}
	if most := int(float64(members) / (1 + out)); most > 0 {
		want = fmt.Sprintf("at most %d", most)
	}
	return document.At("cohort", "a cohort of %d needs %.0f clients in a group%s; the smallest has %d; want %s", m, needed, others, members, want)
}

// Secret reports whether a cohort is a sample that is drawn anew in every round, independently of
// other rounds.
func (p *Participation) Secret() bool { return p.Cohort != nil && p.anew() }

// anew reports whether participation depends on no other round.
func (p *Participation) anew() bool {
	return p.Times == nil && p.Apart <= p.Groups && !p.Unsampled()
}

// cohort draws the clients of a round, ascending. been has the attendance of clients, nil where it does
// not matter.
func (p *Participation) cohort(r *rng.Rand, been map[messages.NodeID]attended, round, clients int) []messages.NodeID {
	first, members := p.group(round, clients)
	if been == nil {
		list := rng.Sample[messages.NodeID](r, members, *p.Cohort)
		for i, k := range list {
			list[i] = first + k*messages.NodeID(p.Groups)
		}
		return list
	}
	list := make([]messages.NodeID, 0, *p.Cohort)
	for len(list) < *p.Cohort { // a client that is in the round already may not come again
		if node := first + messages.NodeID(r.IntN(members)*p.Groups); p.comes(been, node, round) {
			list = append(list, node)
		}
	}
	slices.Sort(list)
	return list
}
