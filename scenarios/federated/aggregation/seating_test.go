package aggregation

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"starling/messages"
)

// A client has one seat in all of its rounds, and no other client of a round has it. It comes again
// exactly where a later round has it. As many seats as StateSeats states are enough, in populations of
// which many clients come again and in such of which few do.
func TestSeatsOfClientsThatComeAgain(t *testing.T) {
	three, fifty := 3, 50
	for name, c := range map[string]struct {
		rule    Participation
		clients int
	}{
		"dense": {Participation{Rate: 0.3, Groups: 1, Apart: 1}, 200}, "all": {Everybody(), 20}, "sparse": {Participation{Rate: 1e-4, Groups: 1, Apart: 1}, 1_000_000},
		"groups": {Participation{Rate: 0.2, Groups: 4, Apart: 1}, 900}, "timers": {Participation{Rate: 0.1, Groups: 1, Apart: 3, Times: &three}, 2000},
		"cohort": {Participation{Cohort: &fifty, Groups: 1, Apart: 1}, 20_000}, "cohort, timers": {Participation{Cohort: &fifty, Groups: 2, Apart: 5, Times: &three}, 3000},
	} {
		t.Run(name, func(t *testing.T) {
			const rounds = 30
			rule, err := c.rule.WithCohort(c.clients, rounds)
			if err != nil {
				t.Fatal(err)
			}
			seats := rule.StateSeats(c.clients, rounds)
			drawn, seated := rule.Attend(3, c.clients, rounds), rule.Attend(3, c.clients, rounds)
			if err := seated.Seat(c.clients, seats); err != nil {
				t.Fatal(err)
			}
			at, last := map[messages.NodeID]messages.NodeID{}, map[messages.NodeID]int{}
			for round := 1; round <= rounds; round++ {
				for _, node := range drawn.Of(round) {
					last[node] = round
				}
			}
			for round := 1; round <= rounds; round++ {
				there := map[messages.NodeID]bool{}
				for k, node := range seated.Of(round) {
					seat := seated.SeatOf(round, k)
					client, again, taken := seated.At(round, int(seat))
					if client != node || !taken || again != (last[node] > round) || there[node] || int(seat) > seats || k > 0 && seat <= seated.SeatOf(round, k-1) {
						t.Fatalf("round %d, seat %d: client %d (%v, again %v), want %d, last in round %d", round, seat, client, taken, again, node, last[node])
					}
					if of, came := at[node]; came && of != seat {
						t.Fatalf("client %d has the seats %d and %d", node, of, seat)
					}
					at[node], there[node] = seat, true
				}
				for _, node := range drawn.Of(round) {
					if !there[node] || len(there) != len(drawn.Of(round)) {
						t.Fatalf("round %d: client %d has no seat among those of %d", round, node, len(there))
					}
				}
				if _, _, taken := seated.At(round, seats+1); taken {
					t.Errorf("round %d has a client at seat %d of %d", round, seats+1, seats)
				}
			}
		})
	}
}

// Where few clients come again, no more seats are held than a round has; where all do, as many as
// clients. Too few seats are an error.
func TestStateSeats(t *testing.T) {
	for _, c := range []struct {
		rule    Participation
		clients int
		want    func(p *Participation) int
	}{
		{Participation{Rate: 1e-7, Groups: 1, Apart: 1}, 1_000_000_000, func(p *Participation) int { return p.Seats(1_000_000_000) }},
		{Participation{Rate: 0.5, Groups: 1, Apart: 1}, 300, func(*Participation) int { return 300 }},
	} {
		if got := c.rule.StateSeats(c.clients, 50); got != c.want(&c.rule) {
			t.Errorf("%d clients: %d seats, want %d", c.clients, got, c.want(&c.rule))
		}
	}
	p := Participation{Rate: 0.5, Groups: 1, Apart: 1}
	if err := p.Attend(1, 300, 20).Seat(300, 160); err == nil {
		t.Error("160 seats for clients of 20 rounds that have 150 each")
	}
}

// The bounds on the rounds of a client, and on the clients of a round that come again, hold but for a
// chance of 2^-100, by the exact tails of the binomial laws; half of what they are above the mean does not.
// The number of clients that come again has the mean of its law.
func TestSeatingBounds(t *testing.T) {
	tail := func(n int, q float64, above int) (sum float64) { // P(K > above)
		law := distuv.Binomial{N: float64(n), P: q}
		for k := above + 1; k <= min(n, above+300); k++ {
			sum += law.Prob(float64(k))
		}
		return sum
	}
	for _, c := range []struct {
		clients, rounds int
		rate            float64
	}{{1_000_000, 50, 1e-3}, {10_000, 100, 0.1}, {1_000_000_000, 1000, 1e-6}} {
		p := Participation{Rate: c.rate, Groups: 1, Apart: 1}
		visits := p.visits(c.clients, c.rounds)
		if visits < c.rounds && float64(c.clients)*tail(c.rounds, c.rate, visits) > math.Exp2(-100) {
			t.Errorf("%+v: %d visits of a client, with a tail of %v", c, visits, tail(c.rounds, c.rate, visits))
		}
		if half := int(float64(c.rounds)*c.rate) + visits/2; float64(c.clients)*tail(c.rounds, c.rate, half) < math.Exp2(-80) {
			t.Errorf("%+v: %d visits of a client are far more than needed", c, visits)
		}
		size, again := p.Seats(c.clients), 1-math.Pow(1-c.rate, float64(c.rounds-1))
		returning := p.returning(c.clients, c.rounds, size)
		if returning < size && float64(c.rounds)*tail(size, again, returning) > math.Exp2(-100) {
			t.Errorf("%+v: %d clients of %d come again, with a tail of %v", c, returning, size, tail(size, again, returning))
		}
		law := distuv.Binomial{N: float64(c.rounds), P: c.rate}
		if got, want := p.Returning(c.clients, c.rounds), float64(c.clients)*(1-law.Prob(0)-law.Prob(1)); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%+v: %v clients come again, want %v", c, got, want)
		}
	}
}
