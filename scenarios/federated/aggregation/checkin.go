package aggregation

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/section/networks"
)

// Clients may check in with the server, which admits the first of them, in place of being drawn. A round
// then ends with the report that reaches its goal, or at its deadline, and a round with too few reports is
// abandoned and tried again: it is no round of the run, which shows no report of it. So a round of the
// run has the clients with reports in time, and who they are depends on no data.

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
type Timeline struct{ rounds []timed }

// timed is a round. Its duration has the attempts that were abandoned.
type timed struct {
	seconds, wasted   float64 // wasted is of all rounds so far
	abandoned, within int     // so far; within is the least distance of two rounds of a client, 0 for none
	zone              float64
}

// Seconds is the duration of a round, with the attempts before it that were abandoned.
func (l *Timeline) Seconds(round int) float64 { return l.rounds[round-1].seconds }

// Wasted is the work of clients in the rounds up to one whose reports were not used, in seconds.
func (l *Timeline) Wasted(round int) float64 { return l.rounds[round-1].wasted }

// Abandoned is the number of attempts that were abandoned, in the rounds up to one.
func (l *Timeline) Abandoned(round int) int { return l.rounds[round-1].abandoned }

// Apart is the least number of rounds from one round of a client to its next in the rounds up to one;
// 0 where no client has come twice.
func (l *Timeline) Apart(round int) int { return l.rounds[round-1].within }

// Zone is the share of reports of the time zone with the fewest in the rounds up to one, as a multiple of
// its share of clients; 1 without zones.
func (l *Timeline) Zone(round int) float64 { return l.rounds[round-1].zone }

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
	seconds func(client messages.NodeID, round int) float64
	there   *networks.Presence // nil is always
	key     rng.Key
	been    map[messages.NodeID]attended
	zones   []int // reports by time zone
	now     float64
}

// Admit runs the protocol of the rounds 1 .. rounds of so many clients. seconds is the time of a client
// for its part of a round, and there has the times at which clients check in; nil is always. Time and
// memory go with the number of admissions. The error is of a round that never has enough reports.
func (p *Participation) Admit(seed uint64, clients, rounds int, there *networks.Presence, seconds func(client messages.NodeID, round int) float64) (*Attendees, *Timeline, error) {
	a, line := &Attendees{ends: make([]int, rounds+1)}, &Timeline{rounds: make([]timed, rounds)}
	d := &admission{
		Participation: p, clients: clients, seconds: seconds, there: there,
		key: rng.NewKey(seed, checkInPurpose), been: map[messages.NodeID]attended{}, zones: make([]int, there.Zones()),
	}
	var of timed
	for round := 1; round <= rounds; round++ {
		come, err := d.round(round, &of)
		if err != nil {
			return nil, nil, err
		}
		d.note(come, round, &of)
		a.nodes = append(a.nodes, come...)
		of.zone = d.fewest(len(a.nodes))
		a.ends[round], line.rounds[round-1] = len(a.nodes), of
	}
	a.count()
	return a, line, nil
}

// note notes the clients of a round.
func (d *admission) note(come []messages.NodeID, round int, of *timed) {
	for _, client := range come {
		been := d.been[client]
		if last := int(been.last); last > 0 && (of.within == 0 || round-last < of.within) {
			of.within = round - last
		}
		d.been[client] = attended{int32(round), been.times + 1}
		if len(d.zones) > 0 {
			d.zones[d.there.Zone(client)]++
		}
	}
}

// round tries a round until it has enough reports, and returns their clients, ascending.
func (d *admission) round(round int, of *timed) ([]messages.NodeID, error) {
	rule, begun := d.checks, d.now
	of.seconds = 0
	for attempt := range mostAttempts {
		list := d.admit(round, attempt)
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
		for _, late := range list[used:] {
			of.wasted += late.seconds
		}
		if used > 0 {
			return ascending(list[:used]), nil
		}
	}
	return nil, fmt.Errorf("round %d was abandoned %d times, until second %.6g: fewer than %d clients reported within %v s", round, mostAttempts, d.now, rule.AtLeast(), rule.Deadline)
}

// fewest is Timeline.Zone of so many reports.
func (d *admission) fewest(reports int) float64 {
	least := 1.0
	for zone, count := range d.zones {
		least = min(least, float64(count)/(float64(reports)*d.there.Share(zone)))
	}
	return least
}

// admitted is a client that the server has admitted, with the seconds until its report.
type admitted struct {
	client  messages.NodeID
	seconds float64
}

// ascending returns the clients of a list in their order.
func ascending(list []admitted) []messages.NodeID {
	clients := make([]messages.NodeID, len(list))
	for i := range list {
		clients[i] = list[i].client
	}
	slices.Sort(clients)
	return clients
}

// admit returns the first clients that check in for an attempt. They come in a uniform order of the
// members of the group that has its turn.
func (d *admission) admit(round, attempt int) []admitted {
	var stream rng.Stream
	r, places := stream.Open(d.key, attempt, round, 0), d.checks.Places()
	first, members := d.group(round, d.clients)
	list := make([]admitted, 0, min(places, members))
	shuffled := map[int]int{} // of 0 .. members-1; absent, the number itself
	at := func(i int) int {
		if k, ok := shuffled[i]; ok {
			return k
		}
		return i
	}
	for i := 0; i < min(members, mostAsked*places) && len(list) < places; i++ {
		j := i + r.IntN(members-i)
		client := first + messages.NodeID(at(j)*d.Groups)
		shuffled[j] = at(i)
		of := d.been[client]
		if d.there != nil && !d.there.There(client, d.now) {
			continue
		}
		if d.free(round, &Attendance{last: int(of.last), times: int(of.times)}) {
			list = append(list, admitted{client, d.seconds(client, round)})
		}
	}
	return list
}
