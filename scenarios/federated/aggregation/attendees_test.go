package aggregation

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"starling/messages"
)

// Of a thousand million clients at rate q, the different ones after R rounds have mean
// N(1 - (1-q)^R), and the participations of a client are Binomial(R, q): the number of clients with
// k of them is Binomial(N, P(k)). Bounds are 5.5 standard deviations (chance of a false failure
// below 1e-6 in all). The clients that came can be named: a set of them is counted by hand.
func TestAttendeesOfManyFollowTheirLaw(t *testing.T) {
	const n, q, rounds = 1_000_000_000, 1e-6, 2000
	p := Participation{Rate: q, Groups: 1, Apart: 1}
	a := p.Attend(7, n, rounds)
	near := func(what string, got int, mean, variance float64) {
		if math.Abs(float64(got)-mean) > 5.5*math.Sqrt(variance)+1 {
			t.Errorf("%s: %d, want %.1f +- %.1f", what, got, mean, math.Sqrt(variance))
		}
	}
	count := map[messages.NodeID]int{}
	for round := 1; round <= rounds; round++ {
		for _, node := range a.Of(round) {
			count[node]++
		}
	}
	came := 1 - math.Pow(1-q, rounds)
	near("different clients", a.Unique(rounds), n*came, n*came*(1-came))
	if len(count) != a.Unique(rounds) {
		t.Errorf("%d different clients by their names, %d stated", len(count), a.Unique(rounds))
	}
	times, most := map[int]int{}, 0
	for _, k := range count {
		times[k]++
		most = max(most, k)
	}
	law := distuv.Binomial{N: rounds, P: q}
	for k := 1; k <= 2; k++ {
		near(fmt.Sprintf("clients that came %d times", k), times[k], n*law.Prob(float64(k)), n*law.Prob(float64(k)))
	}
	if most != a.Most(rounds) {
		t.Errorf("a client came %d times by its name, %d stated", most, a.Most(rounds))
	}
	if half := a.Unique(rounds / 2); half >= a.Unique(rounds) || half < a.Unique(rounds)/3 {
		t.Errorf("%d different clients at half of the rounds, %d at the end", half, a.Unique(rounds))
	}
}

// Of few clients, those that a server draws take turns in groups, keep the distance and the limit of
// rounds, and come as often as those that draw for themselves, whose law is a table here: the state
// of a client is the rounds since it came and its count.
func TestAttendeesKeepTheRule(t *testing.T) {
	k := 2
	for name, p := range map[string]Participation{
		"plain": {Rate: 0.4, Groups: 1, Apart: 1}, "all": {Rate: 1, Groups: 1, Apart: 1}, "groups": {Rate: 0.7, Groups: 3, Apart: 1},
		"apart": {Rate: 0.5, Groups: 1, Apart: 4}, "times": {Rate: 0.5, Groups: 2, Apart: 3, Times: &k},
	} {
		t.Run(name, func(t *testing.T) {
			const clients, rounds = 3000, 12
			a := p.Attend(3, clients, rounds)
			last, times := make([]int, clients+1), make([]int, clients+1)
			for round := 1; round <= rounds; round++ {
				if !slices.IsSorted(a.Of(round)) {
					t.Fatalf("round %d does not ascend", round)
				}
				for _, node := range a.Of(round) {
					if node < 1 || node > clients || !p.Turn(round, node) || last[node] > 0 && round-last[node] < p.Apart || p.Times != nil && times[node] == *p.Times {
						t.Fatalf("client %d comes in round %d, after round %d and %d in all", node, round, last[node], times[node])
					}
					last[node], times[node] = round, times[node]+1
				}
				mean := 0.0
				for node := messages.NodeID(1); node <= clients; node++ {
					mean += chance(&p, node, round)
				}
				if got := len(a.Of(round)); math.Abs(float64(got)-mean) > 5.5*math.Sqrt(clients/4) {
					t.Errorf("round %d: %d clients, want %.1f", round, got, mean)
				}
			}
		})
	}
}

// chance is the probability that a client takes part in a round, over all of its histories.
func chance(p *Participation, node messages.NodeID, round int) float64 {
	type state struct{ last, times int }
	states, now := map[state]float64{{}: 1}, 0.0
	for r := 1; r <= round; r++ {
		next := map[state]float64{}
		now = 0
		for s, weight := range states {
			if !p.Turn(r, node) || s.last > 0 && r-s.last < p.Apart || p.Times != nil && s.times == *p.Times {
				next[s] += weight
				continue
			}
			now += weight * p.Rate
			next[state{r, s.times + 1}] += weight * p.Rate
			next[s] += weight * (1 - p.Rate)
		}
		states = next
	}
	return now
}

// The seats of a round hold it but for a chance of 2^-100, by the exact tail of the binomial law, and
// half of those above the mean do not.
func TestSeats(t *testing.T) {
	for _, c := range []struct {
		clients int
		rate    float64
	}{{1000, 0.1}, {100, 0.9}, {50, 1}, {1_000_000, 1e-3}, {1_000_000_000, 1e-6}, {3, 0.5}} {
		p := Participation{Rate: c.rate, Groups: 1, Apart: 1}
		seats := p.Seats(c.clients)
		tail := func(from int) float64 { // P(K >= from), by its first terms
			law, sum := distuv.Binomial{N: float64(c.clients), P: c.rate}, 0.0
			for k := from; k <= min(c.clients, from+2000); k++ {
				sum += law.Prob(float64(k))
			}
			return sum
		}
		mean := float64(c.clients) * c.rate
		if seats > c.clients || float64(seats) < mean || c.rate < 1 && seats < c.clients && tail(seats+1) > math.Exp2(-100) {
			t.Errorf("%d clients at rate %v: %d seats, with a tail of %v", c.clients, c.rate, seats, tail(seats+1))
		}
		if half := int(mean) + (seats-int(mean))/2; seats < c.clients && tail(half) < math.Exp2(-60) {
			t.Errorf("%d clients at rate %v: %d seats are far more than needed", c.clients, c.rate, seats)
		}
	}
}
