package aggregation

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/messages"
)

// drawsCohorts is a rule of a number of clients a round, for so many clients and rounds.
func drawsCohorts(t *testing.T, p Participation, m, clients, rounds int) Participation {
	t.Helper()
	p.Cohort = &m
	p, err := p.WithCohort(clients, rounds)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each round has the number of clients exactly, at the size of any population. Any client is in a
// round with probability m/n, any two with m(m-1)/(n(n-1)), and independently of other rounds: of a
// thousand million the different ones after R rounds are N(1 - (1-m/N)^R). Bounds are 5.5 standard
// deviations.
func TestCohortsFollowTheirLaw(t *testing.T) {
	const n, m, rounds = 1_000_000_000, 1000, 2000
	rule := drawsCohorts(t, Everybody(), m, n, rounds)
	a := rule.Attend(7, n, rounds)
	for round := 1; round <= rounds; round++ {
		if len(a.Of(round)) != m {
			t.Fatalf("round %d has %d clients, want %d", round, len(a.Of(round)), m)
		}
	}
	twice := float64(m*rounds) * float64(m*rounds) / 2 / n // pairs of rounds of one client, nearly Poisson
	if got := float64(m*rounds - a.Unique(rounds)); math.Abs(got-twice) > 5.5*math.Sqrt(twice) {
		t.Errorf("%v participations of a client that had come, want %.1f +- %.1f", got, twice, math.Sqrt(twice))
	}
	const few, of, draws = 5, 3, 20000
	small := drawsCohorts(t, Everybody(), of, few, draws)
	s := small.Attend(1, few, draws)
	var single [few]int
	var pairs, repeated int
	for round := 1; round <= draws; round++ {
		list := s.Of(round)
		for _, node := range list {
			single[node-1]++
		}
		if slices.Contains(list, 2) && slices.Contains(list, 5) {
			pairs++
		}
		if round > 1 && slices.Contains(list, 4) && slices.Contains(s.Of(round-1), 4) {
			repeated++
		}
	}
	near := func(what string, got int, p float64) {
		if math.Abs(float64(got)-p*draws) > 5.5*math.Sqrt(p*(1-p)*draws)*math.Sqrt2 {
			t.Errorf("%s: %d of %d rounds, want a share of %v", what, got, draws, p)
		}
	}
	for i, count := range single {
		near("client "+string(rune('1'+i)), count, 0.6)
	}
	near("clients 2 and 5", pairs, 0.3)
	near("client 4 in two rounds after each other", repeated, 0.36)
}

// Cohorts keep groups, distances and limits of rounds, and have all of their clients even in the
// smallest population that is accepted. One client less is refused, with the largest number.
func TestCohortsKeepTheRule(t *testing.T) {
	const m, rounds = 7, 12
	two, three := 2, 3
	for name, c := range map[string]struct {
		rule   Participation
		enough int // clients
	}{
		"plain": {Everybody(), 7}, "groups": {Participation{Groups: 3, Apart: 1}, 21}, "apart": {Participation{Groups: 1, Apart: 4}, 28},
		"once a run": {Participation{Groups: 1, Apart: 12}, 84}, "times": {Participation{Groups: 1, Apart: 1, Times: &two}, 46},
		"all": {Participation{Groups: 2, Apart: 3, Times: &three}, 52},
	} {
		t.Run(name, func(t *testing.T) {
			rule := drawsCohorts(t, c.rule, m, c.enough, rounds)
			a := rule.Attend(5, c.enough, rounds)
			last, times := map[messages.NodeID]int{}, map[messages.NodeID]int{}
			for round := 1; round <= rounds; round++ {
				list := a.Of(round)
				if len(list) != m || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != m {
					t.Fatalf("round %d: %v", round, list)
				}
				for _, node := range list {
					if node < 1 || int(node) > c.enough || !rule.Turn(round, node) || last[node] > 0 && round-last[node] < rule.Apart || rule.Times != nil && times[node] == *rule.Times {
						t.Errorf("client %d comes in round %d, after round %d and %d in all", node, round, last[node], times[node])
					}
					last[node], times[node] = round, times[node]+1
				}
			}
			_, err := rule.WithCohort(c.enough-1, rounds)
			if err == nil || !strings.Contains(err.Error(), "want at most 6") {
				t.Errorf("of one client less: %v", err)
			}
		})
	}
}

// The rate that a cohort pays for is the chance of a client to an observer that knows one other client
// that is not there; a rule with timers is no secret sample.
func TestCohortsPayFor(t *testing.T) {
	two := 2
	for _, c := range []struct {
		rule    Participation
		rate    float64
		secret  bool
		partial bool
	}{
		{Participation{Groups: 1, Apart: 1}, 10.0 / 99, true, true}, {Participation{Groups: 2, Apart: 2}, 10.0 / 49, true, true},
		{Participation{Groups: 1, Apart: 2}, 1, false, true}, {Participation{Groups: 1, Apart: 1, Times: &two}, 1, false, true},
		{Participation{Groups: 10, Apart: 1}, 1, true, false},
	} {
		rule := drawsCohorts(t, c.rule, 10, 100, 3)
		if rule.Sampled() != c.rate || rule.Secret() != c.secret || rule.Partial() != c.partial || rule.Expected(100) != 10 || rule.Seats(100) != 10 {
			t.Errorf("%+v: rate %v, secret %v, partial %v, %v clients and %d seats", c, rule.Sampled(), rule.Secret(), rule.Partial(), rule.Expected(100), rule.Seats(100))
		}
	}
}
