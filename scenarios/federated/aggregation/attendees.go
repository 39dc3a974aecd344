package aggregation

import (
	"math"
	"sort"

	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Draw names the drawer of the clients of a round.
type Draw string

// The drawers. The zero value is DrawnByClients.
const (
	DrawnByClients Draw = "clients"
	DrawnByServer  Draw = "server"
)

// ByServer reports whether the server draws the clients of a round.
func (p *Participation) ByServer() bool { return p.Draw == DrawnByServer }

// attendPurpose keys the server's draws: arms of one seed have the same clients.
var attendPurpose = rng.PurposeOf("federated.attendees")

// Attendees are the clients that the server has drawn for each round, which need not be held
// otherwise. It is immutable, once Seat has given seats where clients keep state.
type Attendees struct {
	// nodes has the clients, from 1, round by round and ascending in each, or after Seat in the
	// order of seats; round r has ends[r-1] .. ends[r], counted from 0.
	nodes []messages.NodeID
	ends  []int
	// seats has the seats of nodes, from 1, and again whether they come in a later round; nil means
	// that clients sit in their order.
	seats []int32
	again []bool
	// unique is the number of different clients in the rounds up to each, and most is how often
	// one of them has come.
	unique, most []int
}

// Attend draws the clients of the rounds 1 .. rounds out of so many clients: a Cohort of those that
// may take part, or each of them with probability Rate, independently of the others. The latter is
// the law of clients that draw by themselves, under other keys. Time and memory go with the number
// of participations.
func (p *Participation) Attend(seed uint64, clients, rounds int) *Attendees {
	if p.list != nil {
		return p.list.unseated()
	}
	a := &Attendees{ends: make([]int, rounds+1)}
	var stream rng.Stream
	key := rng.NewKey(seed, attendPurpose)
	var been map[messages.NodeID]attended // of clients that came, where it matters
	if !p.anew() {
		been = map[messages.NodeID]attended{}
	}
	draw := p.independent
	if p.Cohort != nil {
		draw = p.cohort
	}
	for round := 1; round <= rounds; round++ {
		if been != nil {
			p.forget(been, a.Of(round-p.Apart), round)
		}
		a.nodes = append(a.nodes, draw(stream.Open(key, 0, round, 0), been, round, clients)...)
		a.ends[round] = len(a.nodes)
	}
	a.count()
	return a
}

// independent draws the clients of a round, ascending, each with Rate. been has the attendance of
// clients, nil where it does not matter.
func (p *Participation) independent(r *rng.Rand, been map[messages.NodeID]attended, round, clients int) (list []messages.NodeID) {
	first, members := p.group(round, clients)
	for _, k := range rng.PoissonSample[int](r, members, p.Rate) {
		node := first + messages.NodeID(k*p.Groups)
		if been == nil || p.comes(been, node, round) {
			list = append(list, node)
		}
	}
	return list
}

// group returns the first client of the group that has its turn in a round, and the number of its
// members.
func (p *Participation) group(round, clients int) (first messages.NodeID, members int) {
	first = messages.NodeID((round-1)%p.Groups + 1)
	if int(first) > clients {
		return first, 0
	}
	return first, (clients-int(first))/p.Groups + 1
}

// comes reports whether a client that was drawn may take part in a round, and notes it if so.
func (p *Participation) comes(been map[messages.NodeID]attended, node messages.NodeID, round int) bool {
	of := been[node]
	if !p.free(round, &Attendance{last: int(of.last), times: int(of.times)}) {
		return false
	}
	been[node] = attended{int32(round), of.times + 1}
	return true
}

// attended is an Attendance in less memory: there are as many as clients that came.
type attended struct{ last, times int32 }

// forget drops the attendance of clients that came as long before a round as clients have to wait. They
// matter no more where no limit of times is left.
func (p *Participation) forget(been map[messages.NodeID]attended, came []messages.NodeID, round int) {
	if p.Times != nil {
		return
	}
	for _, node := range came {
		if int(been[node].last) == round-p.Apart {
			delete(been, node)
		}
	}
}

// count counts the different clients up to each round, and how often one has come.
func (a *Attendees) count() {
	rounds := len(a.ends) - 1
	a.unique, a.most = make([]int, rounds+1), make([]int, rounds+1)
	list := a.visits()
	times := 0
	for i, v := range list {
		round := v.round()
		if times++; i == 0 || list[i-1].client() != v.client() {
			times = 1
			a.unique[round]++
		}
		a.most[round] = max(a.most[round], times)
	}
	for round := 1; round <= rounds; round++ {
		a.unique[round] += a.unique[round-1]
		a.most[round] = max(a.most[round], a.most[round-1])
	}
}

// Of returns the clients of a round, read only, ascending or in the order of seats; none outside the
// rounds that were drawn.
func (a *Attendees) Of(round int) []messages.NodeID {
	if round < 1 || round >= len(a.ends) {
		return nil
	}
	return a.nodes[a.ends[round-1]:a.ends[round]]
}

// Largest is the largest number of clients in a round.
func (a *Attendees) Largest() (size int) {
	for round := range len(a.ends) - 1 {
		size = max(size, a.ends[round+1]-a.ends[round])
	}
	return size
}

// Unique is the number of different clients in the rounds up to one, and Most is how often the client
// that came most has come.
func (a *Attendees) Unique(round int) int { return a.unique[round] }
func (a *Attendees) Most(round int) int   { return a.most[round] }

// beyond is the natural logarithm of the largest chance with which a round has more clients than
// Seats: 2^-100.
const beyond = -100 * math.Ln2

// Seats is a number of clients that a round of so many has at most, but for a chance of 2^-100.
// The number of clients is at most Binomial(n, q), n the size of the largest group, and by
// Chernoff's bound P(K >= s) <= exp(-n KL(s/n, q)) for s >= nq. A Cohort has its number of clients,
// and clients that check in are as many as the goal. Of clients that work at their own pace so many are at work
// between two steps, or have reported since the first of them: each report but the last lets another one begin.
func (p *Participation) Seats(clients int) int {
	switch {
	case p.list != nil:
		return p.list.Largest()
	case p.ChecksIn() && p.checks.UsesLate(): // reports of a round, and clients that are late for it
		return min(clients, p.checks.Goal+p.checks.Places())
	case p.ChecksIn():
		return p.checks.Goal
	case p.concurrent != nil:
		return min(clients, p.concurrent.Most+p.concurrent.Buffer-1)
	case p.Cohort != nil:
		return *p.Cohort
	}
	_, members := p.group(1, clients)
	n, q := float64(members), p.Rate
	if q == 1 {
		return members
	}
	least := int(math.Ceil(n * q))
	return least + sort.Search(members-least, func(more int) bool { return n*relativeEntropy(float64(least+more)/n, q) >= -beyond })
}

// relativeEntropy is KL(p, q) of two coins, 0 < q < 1.
func relativeEntropy(p, q float64) float64 {
	part := func(p, q float64) float64 {
		if p == 0 {
			return 0
		}
		return float64(p * portable.Log(p/q))
	}
	return part(p, q) + part(1-p, 1-q)
}
