package aggregation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/section/networks"
)

// Clients may check in with the server, which admits the first of them, in place of being drawn. A round
// then ends with the report that reaches its goal, or at its deadline, and a round with too few reports is
// abandoned and tried again: it is no round of the run, which shows no report of it. So a round of the
// run has the clients with reports in time, and that list depends on no data.

// WithCheckIn returns the rule of clients that check in; nil is none. The error is of timers that leave
// too few clients for a number of rounds.
func (p Participation) WithCheckIn(of *networks.CheckIn, clients, rounds int) (Participation, error) {
	p.checks = of
	if of == nil || p.Groups < 1 || p.Groups > clients {
		return p, nil
	}
	members, turns := clients/p.Groups, p.Turns(rounds, 1)
	wait := min(turns, (max(p.Apart, p.Groups)+p.Groups-1)/p.Groups) // turns of a group in which all clients differ
	least := of.AtLeast()
	switch {
	case float64(least)*float64(wait) > float64(members):
		return p, document.At("least", "%d reports of different clients in each of %s in a row need %.0f clients, and there are %d; want at most %d", least, document.Counted(wait, "round"), float64(least)*float64(wait), members, members/wait)
	case p.Times != nil && float64(least)*float64(turns) > float64(members)*float64(*p.Times):
		return p, document.At("least", "%d reports in each of %s need %.0f clients that come %s, and there are %d", least, document.Counted(turns, "round"), math.Ceil(float64(least)*float64(turns)/float64(*p.Times)), document.Counted(*p.Times, "time"), members)
	}
	return p, nil
}

// ChecksIn reports whether clients check in.
func (p *Participation) ChecksIn() bool { return p.checks != nil }

// Timeline has the seconds of the rounds of clients that check in. It is immutable.
type Timeline struct {
	rounds []timed
	// Arrivals has the rounds in which clients began; nil where late reports are dropped.
	Arrivals *Arrivals
}

// timed is a round. Its duration has the attempts that were abandoned.
type timed struct {
	seconds, joules   float64 // joules are of all clients that were admitted
	wasted, lost      float64 // of all rounds so far, in seconds and in joules
	abandoned, within int     // so far; within is the least distance of two rounds of a client, 0 for none
	late              int     // so far, late reports that were used
	zoned
}

// Seconds is the duration of a round, with the attempts before it that were abandoned.
func (l *Timeline) Seconds(round int) float64 { return l.rounds[round-1].seconds }

// Wasted is the work for reports that were not used, in the rounds up to one, in seconds.
func (l *Timeline) Wasted(round int) float64 { return l.rounds[round-1].wasted }

// Joules is the energy of the clients that were admitted to a round, with the attempts before it that were
// abandoned.
func (l *Timeline) Joules(round int) float64 { return l.rounds[round-1].joules }

// WastedJoules is Wasted in joules.
func (l *Timeline) WastedJoules(round int) float64 { return l.rounds[round-1].lost }

// Abandoned is the number of attempts that were abandoned, in the rounds up to one.
func (l *Timeline) Abandoned(round int) int { return l.rounds[round-1].abandoned }

// Apart is the least number of rounds from one round of a client to its next in the rounds up to one;
// 0 where no client has come twice.
func (l *Timeline) Apart(round int) int { return l.rounds[round-1].within }

// Late is the number of late reports that were used, in the rounds up to one.
func (l *Timeline) Late(round int) int { return l.rounds[round-1].late }

// Zone is the share of reports of the time zone with the fewest in the rounds up to one, as a multiple of
// its share of clients; 1 without zones.
func (l *Timeline) Zone(round int) float64 { return l.rounds[round-1].share }

// Zones returns the time zones, from 0, with the fewest and with the most reports in the rounds up to one, by
// their shares of clients. Of equal ones it is the first.
func (l *Timeline) Zones(round int) (rare, common int) {
	return l.rounds[round-1].rare, l.rounds[round-1].common
}

// mostAttempts is the largest number of attempts at a round.
const mostAttempts = 1000

// mostAsked is the largest number of clients that an attempt looks for, for each that it admits.
const mostAsked = 100

// checkInPurpose keys the order in which clients check in: arms of one seed have the same.
var checkInPurpose = rng.PurposeOf("federated.checkin")

// admission is the state of the protocol of a run.
type admission struct {
	*Participation
	clients int
	effort  func(client messages.NodeID, round int) networks.Effort
	there   *networks.Presence // nil is always
	key     rng.Key
	been    map[messages.NodeID]attended
	zones   zoneCounts
	order   order
	now     float64
	late    []admitted // clients of the round before that are at work, where their reports are used
}

// Admit runs the protocol of the rounds 1 .. rounds of so many clients. effort is the cost of a client's
// part of a round, and there has the times at which clients check in; nil is always. Time and
// memory go with the number of admissions. The error is of a round that never has enough reports.
func (p *Participation) Admit(seed uint64, clients, rounds int, there *networks.Presence, effort func(client messages.NodeID, round int) networks.Effort) (*Attendees, *Timeline, error) {
	a, line := &Attendees{ends: make([]int, rounds+1)}, &Timeline{rounds: make([]timed, rounds)}
	d := &admission{
		Participation: p, clients: clients, effort: effort, there: there,
		key: rng.NewKey(seed, checkInPurpose), been: map[messages.NodeID]attended{}, zones: zonesOf(there),
	}
	var of timed
	var versions []int32
	for round := 1; round <= rounds; round++ {
		come, err := d.round(round, &of)
		if err != nil {
			return nil, nil, err
		}
		d.note(come, round, &of)
		for _, x := range come {
			a.nodes, versions = append(a.nodes, x.client), append(versions, x.version)
		}
		of.zoned = d.zones.compare()
		a.ends[round], line.rounds[round-1] = len(a.nodes), of
	}
	a.count()
	if d.checks.UsesLate() {
		line.Arrivals = line.arrivals(a, versions)
	}
	return a, line, nil
}

// note notes the clients of a round.
func (d *admission) note(come []admitted, round int, of *timed) {
	for _, x := range come {
		client := x.client
		if int(x.version) < round-1 {
			of.late++
		}
		been := d.been[client]
		if last := int(been.last); last > 0 && (of.within == 0 || round-last < of.within) {
			of.within = round - last
		}
		d.been[client] = attended{int32(round), been.times + 1}
		d.zones.add(client)
	}
}

// round tries a round until it has enough reports, and returns their clients, ascending.
func (d *admission) round(round int, of *timed) ([]admitted, error) {
	rule, begun := d.checks, d.now
	of.seconds, of.joules = 0, 0
	for attempt := range mostAttempts {
		list := d.admit(round, attempt)
		for _, x := range list {
			of.joules += x.work.Joules
		}
		list = append(list, d.late...)
		slices.SortFunc(list, func(x, y admitted) int {
			return cmp.Or(cmp.Compare(x.seconds, y.seconds), cmp.Compare(x.client, y.client))
		})
		used, took := 0, rule.Deadline
		for used < len(list) && used < rule.Goal && list[used].seconds <= rule.Deadline {
			used++
		}
		if used == rule.Goal {
			took = list[used-1].seconds
		}
		of.seconds += took
		d.now = begun + of.seconds
		if used < rule.AtLeast() {
			of.abandoned++
			used = 0
		}
		d.leave(list[used:], round, took, used > 0, of)
		if used > 0 {
			slices.SortFunc(list[:used], func(x, y admitted) int { return cmp.Compare(x.client, y.client) })
			return list[:used], nil
		}
	}
	return nil, fmt.Errorf("round %d was abandoned %d times, until second %.6g: fewer than %d clients reported within %v s", round, mostAttempts, d.now, rule.AtLeast(), rule.Deadline)
}

// leave takes the clients of an attempt with reports that it did not use, and adds up their lost work.
// Where late reports are used, clients of a round that has ended stay at work, and late clients of the round before
// do while the round is tried again.
func (d *admission) leave(list []admitted, round int, took float64, ended bool, of *timed) {
	d.late = d.late[:0]
	for _, x := range list {
		own := int(x.version) == round-1
		if d.checks.UsesLate() && own == ended && x.seconds > took {
			x.seconds -= took
			d.late = append(d.late, x)
			continue
		}
		of.wasted += x.work.Seconds
		of.lost += x.work.Joules
	}
}

// admitted is a client that the server has admitted: with the seconds until its report, its work, and the number
// of rounds in the model that it has.
type admitted struct {
	client  messages.NodeID
	version int32
	seconds float64
	work    networks.Effort
}

// admit returns the first clients that check in for an attempt. They come in a uniform order of the
// members of the group that has its turn.
func (d *admission) admit(round, attempt int) []admitted {
	var stream rng.Stream
	r, places := stream.Open(d.key, attempt, round, 0), d.checks.Places()
	first, members := d.group(round, d.clients)
	list := make([]admitted, 0, min(places, members))
	busy := make(map[messages.NodeID]bool, len(d.late))
	for _, x := range d.late {
		busy[x.client] = true
	}
	now := d.there.At(d.now)
	d.order.begin()
	for i := 0; i < min(members, mostAsked*places) && len(list) < places; i++ {
		client := first + messages.NodeID(d.order.next(i, i+r.IntN(members-i))*d.Groups)
		if !now.There(client) || len(busy) > 0 && busy[client] {
			continue
		}
		of := d.been[client]
		if d.free(round, &Attendance{last: int(of.last), times: int(of.times)}) {
			work := d.effort(client, round)
			list = append(list, admitted{client, int32(round - 1), work.Seconds, work})
		}
	}
	return list
}

// arrivals returns the attendees of rounds with the rounds in which they began. A late client has one seat up to its
// report.
func (l *Timeline) arrivals(a *Attendees, versions []int32) *Arrivals {
	rounds := len(l.rounds)
	out := &Arrivals{Attendees: a, versions: versions, begun: make([][]int32, rounds+1), ends: make([]float64, rounds+1)}
	a.seats, a.again = make([]int32, len(a.nodes)), make([]bool, len(a.nodes))
	for round := 1; round <= rounds; round++ {
		out.ends[round] = out.ends[round-1] + l.rounds[round-1].seconds
		first, end := a.ends[round-1], a.ends[min(round+1, rounds)]
		taken := map[int32]bool{}
		for k := first; k < a.ends[round]; k++ { // late ones have a seat
			taken[a.seats[k]] = true
		}
		seat := int32(1)
		for k := first; k < end; k++ {
			if int(versions[k]) != round-1 {
				continue
			}
			for taken[seat] {
				seat++
			}
			a.seats[k] = seat
			out.begun[round-1] = append(out.begun[round-1], seat)
			seat++
		}
		sort.Sort(reportsBySeat{bySeat{a, first, a.ends[round]}, versions})
	}
	return out
}

// reportsBySeat sorts the reports of a round.
type reportsBySeat struct {
	bySeat
	versions []int32
}

func (b reportsBySeat) Swap(i, j int) {
	b.bySeat.Swap(i, j)
	i, j = b.first+i, b.first+j
	b.versions[i], b.versions[j] = b.versions[j], b.versions[i]
}
