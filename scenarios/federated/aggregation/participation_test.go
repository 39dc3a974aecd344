package aggregation

import (
	"math"
	"testing"

	"starling/mechanisms/audit"
	"starling/mechanisms/factorization"
	"starling/messages"
)

// rounds are those that a client takes part in, where it draws so every time: by the rule
// that the keys state, and by no other.
func rounds(p *Participation, client, horizon int, draw func() bool) (list []int) {
	for round := 1; round <= horizon; round++ {
		if (round-client)%p.Groups != 0 || len(list) > 0 && round-list[len(list)-1] < p.Apart || p.Times != nil && len(list) >= *p.Times || !draw() {
			continue
		}
		list = append(list, round)
	}
	return list
}

// Whatever clients draw, they are in no more rounds, and no nearer ones, than noise is
// scaled to; and some are in as many, as near.
func TestMostParticipation(t *testing.T) {
	const horizon = 11
	two, many := 2, 9
	for groups := 1; groups <= 4; groups++ {
		for apart := 1; apart <= 5; apart++ {
			for _, times := range []*int{nil, &two, &many} {
				p := Participation{Rate: 0.5, Groups: groups, Apart: apart, Times: times}
				most := p.Most(horizon)
				seen, nearest, sum := 0, math.MaxInt, 0
				for client := 1; client <= groups; client++ {
					for coins := range 1 << horizon {
						left := coins
						list := rounds(&p, client, horizon, func() bool {
							heads := left&1 == 1
							left >>= 1
							return heads
						})
						seen, sum = max(seen, len(list)), sum+len(list)
						for k := 1; k < len(list); k++ {
							nearest = min(nearest, list[k]-list[k-1])
							if most.Even && (list[k]-list[k-1])%most.Apart != 0 {
								t.Fatalf("%+v: rounds %v, not evenly %d apart", p, list, most.Apart)
							}
						}
					}
				}
				if seen != most.Times || seen > 1 && nearest != most.Apart {
					t.Errorf("%+v: %d rounds, %d apart; scaled to %+v", p, seen, nearest, most)
				}
				if groups == 1 && times == nil && apart == 1 && most != (factorization.Participation{Times: horizon, Apart: 1, Even: true}) {
					t.Errorf("everybody: %+v", most)
				}
			}
		}
	}
}

// No client moves a release further than the sensitivity to the participation that is
// stated, whatever it draws: by all rounds that it can be in, on the covariance that streams
// draw. Clients that take every turn are in k turns that follow each other; those that draw
// may skip some, and then k turns are any k.
func TestSensitivityCoversAllDraws(t *testing.T) {
	two, three, eight := 2, 3, 8
	for _, kind := range []factorization.Kind{factorization.Tree, factorization.TreeOnline, factorization.TreeFull, factorization.Optimal, factorization.Toeplitz} {
		for _, c := range []struct {
			horizon int
			rule    Participation
		}{
			{12, Participation{Rate: 0.5, Groups: 2, Apart: 1, Times: &three}}, {12, Participation{Rate: 1, Groups: 2, Apart: 1, Times: &three}},
			{12, Participation{Rate: 0.5, Groups: 1, Apart: 1, Times: &two}}, {12, Participation{Rate: 0.5, Groups: 3, Apart: 1}},
			{12, Participation{Rate: 0.5, Groups: 1, Apart: 3, Times: &two}}, {12, Participation{Rate: 0.5, Groups: 2, Apart: 4, Times: &two}},
			{64, Participation{Rate: 0.5, Groups: 7, Apart: 1, Times: &eight}}, {64, Participation{Rate: 1, Groups: 7, Apart: 1, Times: &eight}},
		} {
			f, err := factorization.New(factorization.Options{Kind: kind, N: c.horizon})
			if err != nil {
				t.Fatal(err)
			}
			s, err := audit.NewSeparator(f)
			if err != nil {
				t.Fatal(err)
			}
			most := c.rule.Most(c.horizon)
			stated, err := f.SensitivityOf(most)
			if err != nil {
				t.Fatal(err)
			}
			moved := 0.0
			for client := 1; client <= c.rule.Groups; client++ {
				turns := (c.horizon-client)/c.rule.Groups + 1
				for coins := range 1 << turns {
					left := coins
					h := make([]float64, c.horizon)
					for _, round := range rounds(&c.rule, client, c.horizon, func() bool {
						heads := left&1 == 1 || c.rule.Rate == 1
						left >>= 1
						return heads
					}) {
						h[round-1] = 1
					}
					moved = max(moved, s.Separation(h))
				}
			}
			if moved > stated*(1+1e-8) {
				t.Errorf("%s, %d rounds, %+v: a client moves the release by %v, stated %v for %+v", kind, c.horizon, c.rule, moved, stated, most)
			}
			// Clients begin with their first turn, and a limit then leaves out the last.
			if most.Even && c.rule.Times == nil && moved < stated*(1-1e-8) {
				t.Errorf("%s, %d rounds, %+v: a client moves the release by %v at most, stated %v for %+v", kind, c.horizon, c.rule, moved, stated, most)
			}
		}
	}
}

// Noise counts on a sample only where a client is in each round that it may be in with the same
// probability, whatever was before. Of all that clients draw the share of those in a round is
// compared by what they were in before, over the turns of their group.
func TestSampledRates(t *testing.T) {
	const horizon, rate = 8, 0.25
	two := 2
	for groups := 1; groups <= 3; groups++ {
		for apart := 1; apart <= 4; apart++ {
			for _, times := range []*int{nil, &two} {
				p := Participation{Rate: rate, Groups: groups, Apart: apart, Times: times}
				weights := map[[2]int][2]float64{} // by turn and what was before: of all, and of those who take part
				for coins := range 1 << horizon {
					chance, before, at := 1.0, 0, 0
					left := coins
					list := rounds(&p, 1, horizon, func() bool {
						heads := left&1 == 1
						left >>= 1
						if at++; heads {
							chance *= rate
						} else {
							chance *= 1 - rate
						}
						return heads
					})
					chance /= float64(int(1) << (horizon - at)) // of coins that nobody looked at
					for round := 1; round <= horizon; round += groups {
						w := weights[[2]int{round, before}]
						w[0] += chance
						for _, in := range list {
							if in == round {
								w[1] += chance
								before |= 1 << round
							}
						}
						weights[[2]int{round, before &^ (1 << round)}] = w
					}
				}
				same := true
				for _, w := range weights {
					same = same && math.Abs(w[1]/w[0]-rate) < 1e-9
				}
				if (p.Sampled() == rate) != same || !same && p.Sampled() != 1 {
					t.Errorf("%+v: noise counts on a rate of %v; each round has the same: %v", p, p.Sampled(), same)
				}
			}
		}
	}
}

// The number of clients that sums are divided by is about the mean number in a round.
func TestExpected(t *testing.T) {
	for _, p := range []Participation{{Rate: 1, Groups: 1, Apart: 1}, {Rate: 0.3, Groups: 1, Apart: 1}, {Rate: 0.25, Groups: 4, Apart: 2}, {Rate: 0.5, Groups: 1, Apart: 6}, {Rate: 1, Groups: 3, Apart: 3}} {
		const clients, horizon = 12, 6000
		state, sum := uint64(7), 0
		for client := 1; client <= clients; client++ {
			sum += len(rounds(&p, client, horizon, func() bool {
				state = state*6364136223846793005 + 1442695040888963407
				return float64(state>>11)/(1<<53) < p.Rate
			}))
		}
		if got, want := float64(sum)/horizon, p.Expected(clients); math.Abs(got/want-1) > 0.03 {
			t.Errorf("%+v: %v clients in a round, expected %v", p, got, want)
		}
	}
}

// The rounds of a client's group are those that Turn counts, and the expected number of clients is the
// sum of their rates over the rounds of their groups.
func TestTurnsOfClients(t *testing.T) {
	for groups := 1; groups <= 4; groups++ {
		rates := []float64{0.1, 1, 0.5, 0.25, 0.7}
		rule := Participation{Rate: 1, Groups: groups, Apart: 1}.WithRates(rates)
		const horizon = 11
		mean := 0.0
		for client, rate := range rates {
			node, turns := messages.NodeID(client+1), 0
			for round := 1; round <= horizon; round++ {
				if rule.Turn(round, node) {
					turns++
				}
			}
			if got := rule.Turns(horizon, node); got != turns || rule.RateOf(node) != rate {
				t.Errorf("%d groups: client %d has %d turns of rate %v, want %d and %v", groups, node, got, rule.RateOf(node), turns, rate)
			}
			mean += rate / float64(groups)
		}
		if got := rule.Expected(len(rates)); !(math.Abs(got-mean) <= 1e-12) || !rule.Partial() {
			t.Errorf("%d groups: %v clients expected, want %v", groups, got, mean)
		}
	}
}
