package aggregation

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/section/networks"
)

// uniformTimes are times of clients that are uniform on 0 .. 100 s, of any round.
func uniformTimes(client messages.NodeID, round int) float64 {
	return 100 * rng.NewKey(3, rng.PurposeOf("test")).Uniform(int(client), round, 0)
}

// lasting is work of these times, without energy.
func lasting(seconds func(client messages.NodeID, step int) float64) func(client messages.NodeID, step int) networks.Effort {
	return func(client messages.NodeID, step int) networks.Effort {
		return networks.Effort{Seconds: seconds(client, step)}
	}
}

// admitted runs a protocol of so many clients and rounds, and holds each round against the protocol.
func admitsAll(t *testing.T, p Participation, of networks.CheckIn, clients, rounds int) (*Attendees, *Timeline) {
	t.Helper()
	p, err := p.WithCheckIn(&of, clients, rounds)
	if err != nil {
		t.Fatal(err)
	}
	a, line, err := p.Admit(1, clients, rounds, nil, lasting(uniformTimes))
	if err != nil {
		t.Fatal(err)
	}
	for round := 1; round <= rounds; round++ {
		come, slowest := a.Of(round), 0.0
		for _, client := range come {
			slowest = max(slowest, uniformTimes(client, round))
		}
		tried := line.Abandoned(round)
		if round > 1 {
			tried -= line.Abandoned(round - 1)
		}
		want := float64(tried) * of.Deadline
		if want += slowest; len(come) < of.Goal {
			want += of.Deadline - slowest
		}
		if len(come) > of.Goal || len(come) < of.AtLeast() || slowest > of.Deadline || !slices.IsSorted(come) || math.Abs(line.Seconds(round)-want) > 1e-9 {
			t.Errorf("round %d: clients %v, the slowest after %v s, %d attempts abandoned, %v s in all, want %v", round, come, slowest, tried, line.Seconds(round), want)
		}
	}
	return a, line
}

// TestRoundsEndAtTheGoal: of 130 clients with uniform times the 100th report comes after 100 x 100/131 s
// in the mean, and the work of the 30 later ones is lost: in the mean the sum of 100 k/131 s. Bounds are
// four standard deviations.
func TestRoundsEndAtTheGoal(t *testing.T) {
	const rounds = 400
	_, line := admitsAll(t, Everybody(), networks.CheckIn{Goal: 100, Over: 0.3, Deadline: 1000}, 1_000_000_000, rounds)
	var mean float64
	for round := 1; round <= rounds; round++ {
		mean += line.Seconds(round) / rounds
	}
	want := 100 * 100.0 / 131
	if deviation := 100 * math.Sqrt(100.0*31/(131*131*132)/rounds); math.Abs(mean-want) > 4*deviation {
		t.Errorf("a round takes %v s in the mean, want %v", mean, want)
	}
	lost := 0.0
	for k := 101; k <= 130; k++ {
		lost += 100 * float64(k) / 131
	}
	if got := line.Wasted(rounds) / rounds; math.Abs(got-lost) > 0.02*lost {
		t.Errorf("%v s of work are lost in a round, want %v", got, lost)
	}
	if line.Abandoned(rounds) > 0 {
		t.Errorf("%d rounds are abandoned", line.Abandoned(rounds))
	}
}

// TestRoundsAreAbandoned: with a deadline that half of the clients meet, 10 of 10 reports are in time with
// probability 1/1024, and at least 6 with probability 386/1024: the mean number of attempts is its
// inverse, less one that is not abandoned.
func TestRoundsAreAbandoned(t *testing.T) {
	const rounds = 400
	least := 6
	_, line := admitsAll(t, Everybody(), networks.CheckIn{Goal: 10, Deadline: 50, Least: &least}, 100_000, rounds)
	p := 386.0 / 1024
	if got, deviation := float64(line.Abandoned(rounds))/rounds, math.Sqrt((1-p)/(p*p)/rounds); math.Abs(got-(1/p-1)) > 4*deviation {
		t.Errorf("%v abandoned attempts a round, want %v +- %v", got, 1/p-1, deviation)
	}
	_, err := Participation{Groups: 1, Apart: 1}.WithCheckIn(&networks.CheckIn{Goal: 10, Deadline: 50}, 5, 3)
	if err == nil || !strings.Contains(err.Error(), "10 reports of different clients") {
		t.Errorf("10 reports of 5 clients: %v", err)
	}
	none, _ := Everybody().WithCheckIn(&networks.CheckIn{Goal: 10, Deadline: 1e-9}, 100, 3)
	if _, _, err := none.Admit(1, 100, 3, nil, lasting(uniformTimes)); err == nil || !strings.Contains(err.Error(), "round 1 was abandoned 1000 times") {
		t.Errorf("a deadline that nobody meets: %v", err)
	}
}

// TestTimersHoldForThoseThatCheckIn: clients keep their distance and their number of rounds, which bind
// here, and groups take turns.
func TestTimersHoldForThoseThatCheckIn(t *testing.T) {
	three := 3
	for name, c := range map[string]struct {
		rule           Participation
		clients, apart int
	}{
		"apart": {Participation{Groups: 1, Apart: 4}, 45, 4}, "times": {Participation{Groups: 1, Apart: 2, Times: &three}, 80, 2},
		"groups": {Participation{Groups: 3, Apart: 1}, 36, 3}, "groups, apart": {Participation{Groups: 2, Apart: 3}, 50, 4},
	} {
		t.Run(name, func(t *testing.T) {
			const rounds = 20
			a, line := admitsAll(t, c.rule, networks.CheckIn{Goal: 10, Deadline: 100}, c.clients, rounds)
			last, times := map[messages.NodeID]int{}, map[messages.NodeID]int{}
			least, most := rounds, 0
			for round := 1; round <= rounds; round++ {
				for _, client := range a.Of(round) {
					if last[client] > 0 {
						least = min(least, round-last[client])
					}
					if last[client] = round; !c.rule.Turn(round, client) || client < 1 || int(client) > c.clients {
						t.Errorf("client %d in round %d", client, round)
					}
					times[client]++
					most = max(most, times[client])
				}
			}
			if least != c.apart || line.Apart(rounds) != least || c.rule.Times != nil && most != three {
				t.Errorf("rounds of a client are %d apart, %d on the timeline, want %d; one comes %d times", least, line.Apart(rounds), c.apart, most)
			}
		})
	}
}

// TestClientsThatCheckInAreNoSample: nothing is secret, and what a client can take part in is any of its
// turns.
func TestClientsThatCheckInAreNoSample(t *testing.T) {
	two := 2
	p, err := Participation{Rate: 1, Groups: 1, Apart: 2, Times: &two}.WithCheckIn(&networks.CheckIn{Goal: 3, Deadline: 1}, 100, 10)
	if err != nil {
		t.Fatal(err)
	}
	if most := p.Most(10); p.Sampled() != 1 || !p.Partial() || most.Times != 2 || most.Apart != 2 || most.Even || p.Expected(100) != 3 || p.Seats(100) != 3 {
		t.Errorf("sampled %v, partial %v, most %+v, expected %v, seats %d", p.Sampled(), p.Partial(), most, p.Expected(100), p.Seats(100))
	}
}

// TestLateReports: a late report is one of those of the next round, in which it arrives, or is dropped. A round
// ends with the report that reaches its goal. No client is at work twice, and no seat has two clients at a time.
func TestLateReports(t *testing.T) {
	const rounds, clients = 60, 200
	of := networks.CheckIn{Goal: 20, Over: 0.5, Deadline: 1000, Late: "use"}
	p, err := Participation{Rate: 1, Groups: 1, Apart: 3}.WithCheckIn(&of, clients, rounds)
	if err != nil {
		t.Fatal(err)
	}
	a, line, err := p.Admit(1, clients, rounds, nil, lasting(uniformTimes))
	if err != nil {
		t.Fatal(err)
	}
	late, last := 0, map[messages.NodeID]int{}
	busy := map[messages.NodeID]int32{} // seats of clients that are late for the round before
	for round := 1; round <= rounds; round++ {
		latest, next, seats := 0.0, map[messages.NodeID]int32{}, map[int32]bool{}
		for k, client := range a.Of(round) {
			seat := int32(a.SeatOf(round, k))
			version, taken := line.Arrivals.Version(round, int(seat))
			arrives := uniformTimes(client, version+1)
			if version == round-2 {
				late++
				arrives -= line.Seconds(round - 1)
				if busy[client] != seat {
					t.Errorf("round %d: client %d is late at seat %d, and began at %d", round, client, seat, busy[client])
				}
			}
			if !taken || version > round-1 || version < round-2 || !(arrives > 0 && arrives <= line.Seconds(round)) || seats[seat] || int(seat) > p.Seats(clients) {
				t.Errorf("round %d of %v s: client %d at seat %d arrives after %v s with version %d, %v", round, line.Seconds(round), client, seat, arrives, version, taken)
			}
			if before := last[client]; before > 0 && (round-before < 3 || version < before) {
				t.Errorf("client %d reports to rounds %d and %d, of which it began after %d", client, before, round, version)
			}
			last[client], seats[seat], latest = round, true, max(latest, arrives)
		}
		if round < rounds {
			for k, client := range a.Of(round + 1) {
				seat := int32(a.SeatOf(round+1, k))
				if version, _ := line.Arrivals.Version(round+1, int(seat)); version == round-1 {
					next[client] = seat
					if seats[seat] {
						t.Errorf("round %d: seat %d has a client that reports, and one that is late", round, seat)
					}
				}
			}
		}
		busy = next
		if len(a.Of(round)) != of.Goal || latest != line.Seconds(round) || line.Late(round) != late {
			t.Errorf("round %d of %v s: %d reports, the last after %v s; %d late ones so far, want %d", round, line.Seconds(round), len(a.Of(round)), latest, line.Late(round), late)
		}
	}
	if late < rounds {
		t.Errorf("%d late reports test little", late)
	}
}
