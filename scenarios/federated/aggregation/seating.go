package aggregation

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"starling/mechanisms/portable"
	"starling/messages"
)

// A run may have its clients keep state between rounds. A client then has one seat in all of its
// rounds, which keeps its state. Two clients of one round have different seats.

// StateSeats is a number of seats that is enough for clients of which each has one seat in all of so
// many rounds, but for a chance of 2^-98. Clients that come once take any seat that is left. Any
// other one has at most v rounds, in each of which at most k-1 others have such seats, so that one of
// v(k-1) + 1 seats is free in all of them. See visits and returning for v and k.
func (p *Participation) StateSeats(clients, rounds int) int {
	if p.list != nil {
		return p.list.Unique(rounds)
	}
	size := p.Seats(clients)
	needed := float64(p.visits(clients, rounds))*float64(p.returning(clients, rounds, size)-1) + 1
	return int(min(float64(clients), max(float64(size), needed)))
}

// chanceIn is the largest chance of a client to be in a round that is a turn of its group, whatever the
// rounds before were.
func (p *Participation) chanceIn() float64 {
	if p.Cohort != nil {
		return p.chance
	}
	return p.Rate
}

// visits is a number of rounds that no client exceeds, but for a chance of 2^-100: by Chernoff's bound,
// as the rounds of one are at most Binomial.
func (p *Participation) visits(clients, rounds int) int {
	most, turns, q := p.Most(rounds).Times, p.Turns(rounds, 1), p.chanceIn()
	if q == 1 {
		return most
	}
	least := int(math.Ceil(float64(turns) * q))
	exceeds := func(visits int) bool {
		share := min(1, float64(visits+1)/float64(turns))
		return float64(turns)*relativeEntropy(share, q) < -beyond+portable.Log(float64(clients))
	}
	return min(most, least+sort.Search(max(0, turns-least), func(more int) bool { return !exceeds(least + more) }))
}

// returning is a number of clients of one round, of a size, that are in other rounds as well. No round
// exceeds it, but for a chance of 2^-100. Each is in others with a chance of 1 - (1 - q)^(turns-1) at
// most, independently of the others, or for a cohort negatively associated with them, for which
// Chernoff's bound holds, too (Dubhashi and Ranjan 1998). Rounds that depend on rounds before have no
// such bound.
func (p *Participation) returning(clients, rounds, size int) int {
	turns, q := p.Turns(rounds, 1), p.chanceIn()
	if !p.anew() || q == 1 {
		return size
	}
	n, again := float64(size), -portable.Expm1(float64(turns-1)*portable.Log1p(-q))
	if again == 0 {
		return 0
	}
	least := int(math.Ceil(n * again))
	return least + sort.Search(size-least, func(more int) bool {
		return n*relativeEntropy(float64(least+more)/n, again) >= -beyond+portable.Log(float64(rounds))
	})
}

// Returning is about the number of clients that come more than once in a number of rounds.
func (p *Participation) Returning(clients, rounds int) float64 {
	if p.list != nil {
		return float64(p.list.returns(rounds))
	}
	n, turns, q := float64(clients), float64(p.Turns(rounds, 1)), p.chanceIn()
	visits := float64(rounds) * p.Expected(clients)
	if p.Most(rounds).Times < 2 {
		return 0
	}
	most := min(n, visits/2)
	if q == 1 {
		return most
	}
	none := turns * portable.Log1p(-q)
	return min(most, n*max(0, -portable.Expm1(none)-float64(turns*q*portable.Exp(none-portable.Log1p(-q)))))
}

// Seat gives each client one seat of so many in all of its rounds. The clients of a round are in the
// order of their seats from then on. The error is of seats that are too few, see StateSeats.
func (a *Attendees) Seat(clients, seats int) error {
	a.seats, a.again = make([]int32, len(a.nodes)), make([]bool, len(a.nodes))
	list := a.visits()
	var taken *occupancy
	if seats < clients {
		taken = newOccupancy(len(a.ends), seats)
	}
	var once []visit
	for len(list) > 0 {
		own := 1
		for own < len(list) && list[own].client() == list[0].client() {
			own++
		}
		switch {
		case taken == nil:
			a.sit(list[:own], int32(list[0].client()))
		case own == 1:
			once = append(once, list[0])
		default:
			seat, ok := taken.free(list[:own])
			if !ok {
				return fmt.Errorf("a client of %d rounds has no seat among %d that is free in all of them, which has a chance of 2^-98", own, seats)
			}
			a.sit(list[:own], seat)
		}
		list = list[own:]
	}
	for _, v := range once {
		seat, ok := taken.next(v.round())
		if !ok {
			return fmt.Errorf("a round has more clients than its %d seats, which has a chance of 2^-98", seats)
		}
		a.sit([]visit{v}, seat)
	}
	a.arrange()
	return nil
}

// visit is a client and a round in which it comes. Clients are in the upper bits.
type visit uint64

func (v visit) client() messages.NodeID { return messages.NodeID(v >> 32) }
func (v visit) round() int              { return int(uint32(v)) }

// visits lists the visits by client, and by round of each.
func (a *Attendees) visits() []visit {
	list := make([]visit, 0, len(a.nodes))
	for round := 1; round < len(a.ends); round++ {
		for _, node := range a.Of(round) {
			list = append(list, visit(node)<<32|visit(round))
		}
	}
	slices.Sort(list)
	return list
}

// sit gives a client a seat in its rounds.
func (a *Attendees) sit(rounds []visit, seat int32) {
	for i, v := range rounds {
		k, _ := slices.BinarySearch(a.Of(v.round()), v.client())
		k += a.ends[v.round()-1]
		a.seats[k], a.again[k] = seat, i < len(rounds)-1
	}
}

// arrange sorts the clients of rounds by their seats.
func (a *Attendees) arrange() {
	for round := 1; round < len(a.ends); round++ {
		sort.Sort(bySeat{a, a.ends[round-1], a.ends[round]})
	}
}

// bySeat sorts the clients of a round.
type bySeat struct {
	*Attendees
	first, end int
}

func (b bySeat) Len() int           { return b.end - b.first }
func (b bySeat) Less(i, j int) bool { return b.seats[b.first+i] < b.seats[b.first+j] }
func (b bySeat) Swap(i, j int) {
	i, j = b.first+i, b.first+j
	b.nodes[i], b.nodes[j] = b.nodes[j], b.nodes[i]
	b.seats[i], b.seats[j] = b.seats[j], b.seats[i]
	b.again[i], b.again[j] = b.again[j], b.again[i]
}

// occupancy has a bit for each seat, from 1, that is taken in a round.
type occupancy struct {
	words int
	taken []uint64 // by round
	from  []int32  // the first word with a seat that next may find, by round
}

func newOccupancy(rounds, seats int) *occupancy {
	words := (seats + 63) / 64
	o := &occupancy{words: words, taken: make([]uint64, rounds*words), from: make([]int32, rounds)}
	if past := seats % 64; past > 0 { // bits after the last seat
		for round := range rounds {
			o.taken[(round+1)*words-1] = ^uint64(0) << past
		}
	}
	return o
}

// free takes a seat that is free in the rounds of a client. The search begins at a place by the number of
// the client, so that seats in all parts of a run are taken.
func (o *occupancy) free(rounds []visit) (seat int32, ok bool) {
	start := int(uint64(uint32(rounds[0].client())*0x9e3779b1) * uint64(o.words) >> 32)
	for k := range o.words {
		word := (start + k) % o.words
		var taken uint64
		for _, v := range rounds {
			taken |= o.taken[v.round()*o.words+word]
		}
		if taken != ^uint64(0) {
			bit := bits.TrailingZeros64(^taken)
			for _, v := range rounds {
				o.taken[v.round()*o.words+word] |= 1 << bit
			}
			return int32(word*64 + bit + 1), true
		}
	}
	return 0, false
}

// next takes the lowest seat that is free in a round.
func (o *occupancy) next(round int) (seat int32, ok bool) {
	for word := int(o.from[round]); word < o.words; word++ {
		o.from[round] = int32(word)
		if taken := &o.taken[round*o.words+word]; *taken != ^uint64(0) {
			bit := bits.TrailingZeros64(^*taken)
			*taken |= 1 << bit
			return int32(word*64 + bit + 1), true
		}
	}
	return 0, false
}

// Seated reports whether each client has one seat in all of its rounds.
func (a *Attendees) Seated() bool { return a.seats != nil }

// At returns the client at a seat in a round, whether there is one, and whether it comes again later.
func (a *Attendees) At(round, seat int) (client messages.NodeID, again, taken bool) {
	list := a.Of(round)
	if a.seats == nil {
		if seat < 1 || seat > len(list) {
			return 0, false, false
		}
		return list[seat-1], false, true
	}
	if len(list) == 0 {
		return 0, false, false
	}
	first := a.ends[round-1]
	k, taken := slices.BinarySearch(a.seats[first:a.ends[round]], int32(seat))
	if !taken {
		return 0, false, false
	}
	return list[k], a.again[first+k], true
}

// SeatOf returns the seat of the client with a number, from 0, in the order of seats in a round. It is
// ascending.
func (a *Attendees) SeatOf(round, index int) messages.NodeID {
	if a.seats == nil {
		return messages.NodeID(index + 1)
	}
	return messages.NodeID(a.seats[a.ends[round-1]+index])
}
