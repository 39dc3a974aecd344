package network_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/network"
	"starling/messages"
)

func mustEffects(t testing.TB, o network.Options) *network.Effects {
	t.Helper()
	e, err := network.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// sample is how many messages the statistical tests look at: independent ones,
// one for each of as many edges, unless a test says more.
const sample = 40_000

// edges calls f for sample edges between different nodes of 500.
func edges(f func(from, to messages.NodeID)) {
	for k := range sample {
		f(messages.NodeID(k/200), messages.NodeID(300+k%200))
	}
}

// near tells whether a share of the sample fits a probability: within 5 standard
// deviations, which a correct law misses with probability below 6e-7. The tests ask
// less than 200 times, with fixed seeds: one seed in 8,000 would fail one.
func near(count int, p float64) bool {
	return math.Abs(float64(count)-sample*p) <= 5*math.Sqrt(sample*p*(1-p))+1e-9
}

// TestDelayInSeconds: a message arrives in the first turn at or after its time, by hand, and after the run if there
// is none.
func TestDelayInSeconds(t *testing.T) {
	times := []float64{1, 1.5, 2.5, 4, 4.25}
	for seconds, want := range map[float64][]int{
		0.1: {0, 0, 0, 0, 0},
		0.5: {0, 0, 0, 1, 0}, // of turn 0 in time to the second
		1:   {1, 0, 0, 1, 0}, // 2 is reached at 2.5, 2.5 at 2.5, 3.5 at 4, and 5 never
		1.6: {2, 1, 1, 1, 0}, // 2.6 at 4, 3.1 at 4, 4.1 at 4.25
		9:   {4, 3, 2, 1, 0},
	} {
		e := mustEffects(t, network.Options{Nodes: 2, Seed: 4, Delay: network.NewSeconds(seconds, 0, 0, times)})
		most := 0
		for turn, turns := range want {
			if delay, lost := e.Fate(0, 1, turn); delay != turns || lost {
				t.Errorf("%v s, sent in turn %d: %d turns, want %d", seconds, turn, delay, turns)
			}
			most = max(most, turns)
		}
		if e.MaxDelay() != most {
			t.Errorf("%v s: at most %d turns, want %d", seconds, e.MaxDelay(), most)
		}
	}
}

func TestDelayLaws(t *testing.T) {
	table, err := network.NewTable([]network.EdgeDelay{{From: 3, To: 300, Turns: 4}, {From: 0, To: 301, Turns: 2}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	upTo := func(seconds float64) float64 { return math.Erfc(-math.Log(seconds)/math.Sqrt2) / 2 } // log-normal of median 1, spread 1
	geometric := func(k int) float64 { return 0.3 * math.Pow(0.7, float64(k)) }
	for name, test := range map[string]struct {
		delay network.Delay
		law   []float64 // by delay
	}{
		"constant":          {network.Constant{Delay: 2}, []float64{0, 0, 1}},
		"uniform":           {network.Uniform{Least: 1, Longest: 4}, []float64{0, 0.25, 0.25, 0.25, 0.25}},
		"uniform, one":      {network.Uniform{Least: 2, Longest: 2}, []float64{0, 0, 1}},
		"geometric":         {network.Geometric{Arrive: 0.3, Longest: 4}, []float64{geometric(0), geometric(1), geometric(2), geometric(3), math.Pow(0.7, 4)}},
		"geometric, never":  {network.Geometric{Arrive: 0, Longest: 3}, []float64{0, 0, 0, 1}},
		"geometric, always": {network.Geometric{Arrive: 1, Longest: 3}, []float64{1, 0, 0, 0}},
		"seconds, spread":   {network.NewSeconds(1, 1, 3, append(make([]float64, 18), 0.5, 1, 2, 4, 8)), []float64{upTo(0.5), upTo(1) - upTo(0.5), upTo(2) - upTo(1), 1 - upTo(2)}},
		"table":             {table, []float64{0, 1 - 2.0/sample, 1.0 / sample, 0, 1.0 / sample}},
	} {
		e := mustEffects(t, network.Options{Nodes: 500, Seed: 4, Delay: test.delay})
		counts := make([]int, len(test.law))
		edges(func(from, to messages.NodeID) {
			delay, lost := e.Fate(from, to, 17)
			if lost || delay > e.MaxDelay() {
				t.Fatalf("%s: delay %d, lost %v", name, delay, lost)
			}
			counts[delay]++
		})
		for k, p := range test.law {
			if !near(counts[k], p) {
				t.Errorf("%s: %d of %d come %d turns late, want a share of %v", name, counts[k], sample, k, p)
			}
		}
		if e.MaxDelay() != len(test.law)-1 {
			t.Errorf("%s: at most %d turns, want %d", name, e.MaxDelay(), len(test.law)-1)
		}
	}
}

func lostAt(e *network.Effects, from, to messages.NodeID, turn int) bool {
	_, lost := e.Fate(from, to, turn)
	return lost
}

func TestLossLaws(t *testing.T) {
	for _, p := range []float64{0, 0.2, 1} {
		e := mustEffects(t, network.Options{Nodes: 500, Seed: 4, Loss: network.Independent{Probability: p}})
		one, both := 0, 0
		edges(func(from, to messages.NodeID) {
			if lostAt(e, from, to, 8) {
				one++
				if lostAt(e, from, to, 9) {
					both++
				}
			}
		})
		if !near(one, p) || !near(both, p*p) {
			t.Errorf("loss %v: %d of %d are lost, %d of them twice", p, one, sample, both)
		}
	}
}

// The losses of a bursty edge at turns s and s+lag are a pair of the hidden
// chain's states: P(bad, bad) = pi (pi + (1-pi) r^lag) with r = 1 - enter -
// leave, and likewise for the others. This holds at any turn, the first among
// them, whether edges stay as they are or change their minds.
func TestBurstyLaw(t *testing.T) {
	for _, b := range []network.Bursty{
		{Enter: 0.1, Leave: 0.3, LossGood: 0, LossBad: 1},
		{Enter: 0.9, Leave: 0.8, LossGood: 0.1, LossBad: 0.7}, // alternates more than not
		{Enter: 1, Leave: 0.5, LossGood: 0, LossBad: 1},
		{Enter: 0.02, Leave: 0, LossGood: 0.5, LossBad: 0.25}, // bad from the beginning
	} {
		e := mustEffects(t, network.Options{Nodes: 500, Seed: 9, Loss: b})
		pi, r := b.Enter/(b.Enter+b.Leave), 1-b.Enter-b.Leave
		mean := float64((1-pi)*b.LossGood) + float64(pi*b.LossBad)
		for _, turn := range []int{0, 1, 40} {
			for _, lag := range []int{1, 2, 7} {
				one, both := 0, 0
				edges(func(from, to messages.NodeID) {
					first, second := lostAt(e, from, to, turn), lostAt(e, from, to, turn+lag)
					if first {
						one++
					}
					if first && second {
						both++
					}
				})
				covariance := pi * (1 - pi) * math.Pow(r, float64(lag)) * (b.LossBad - b.LossGood) * (b.LossBad - b.LossGood)
				if !near(one, mean) || !near(both, mean*mean+covariance) {
					t.Errorf("%+v, turn %d: %d of %d are lost, %d of them also %d turns later; want %v and %v",
						b, turn, one, sample, both, lag, mean, mean*mean+covariance)
				}
			}
		}
	}
}

// P(down in t) follows the recursion p(t+1) = p(t)(1-recover) + (1-p(t)) fail
// from p(0) = 0, and a node that is down stays so with probability 1-recover.
func TestChurnLaw(t *testing.T) {
	for _, c := range []network.Churn{{Fail: 0.1, Recover: 0.3}, {Fail: 0.05, Recover: 0}, {Fail: 1, Recover: 0.4}} {
		e := mustEffects(t, network.Options{Nodes: sample, Seed: 5, Churn: &c})
		p := 0.0
		for turn := range 12 {
			down, stays := 0, 0
			for i := range messages.NodeID(sample) {
				if !e.Up(i, turn) {
					down++
					if !e.Up(i, turn+1) {
						stays++
					}
				}
			}
			if !near(down, p) || !near(stays, p*(1-c.Recover)) {
				t.Errorf("%+v, turn %d: %d of %d are down, %d of them still a turn later, want shares of %v and %v", c, turn, down, sample, stays, p, p*(1-c.Recover))
			}
			p = float64(p*(1-c.Recover)) + float64((1-p)*c.Fail)
		}
	}
}

// Events, turn by turn.
func TestEvents(t *testing.T) {
	e := mustEffects(t, network.Options{
		Nodes: 6,
		Outages: []network.Outage{
			{Nodes: []messages.NodeID{0}, Interval: network.Interval{First: 0, End: 3}},               // joins at 3
			{Nodes: []messages.NodeID{1, 2}, Interval: network.Interval{First: 2, End: 4}},            // pauses
			{Nodes: []messages.NodeID{2}, Interval: network.Interval{First: 1, End: 3}, Forget: true}, // overlaps
			{Nodes: []messages.NodeID{3}, Interval: network.Interval{First: 5, End: network.Forever}, Forget: true},
		},
		Partitions: []network.Partition{
			{Groups: [][]messages.NodeID{{0, 1}, {2}}, Interval: network.Interval{First: 1, End: 3}},
		},
		Stragglings: []network.Straggling{
			{Nodes: []messages.NodeID{4}, Interval: network.Interval{First: 2, End: 5}, Turns: 2},
			{Nodes: []messages.NodeID{4}, Interval: network.Interval{First: 3, End: 4}, Turns: 5},
		},
		Delay: network.Constant{Delay: 1},
	})
	var got strings.Builder
	for turn := range 7 {
		fmt.Fprintf(&got, "%d:", turn)
		for i := range messages.NodeID(6) {
			switch {
			case e.Restarts(i, turn):
				got.WriteByte('R')
			case e.Up(i, turn):
				got.WriteByte('u')
			default:
				got.WriteByte('.')
			}
		}
		for _, edge := range [][2]messages.NodeID{{0, 1}, {1, 0}, {0, 2}, {2, 5}, {3, 5}, {4, 0}, {4, 4}} {
			if delay, lost := e.Fate(edge[0], edge[1], turn); lost {
				got.WriteString(" x")
			} else {
				fmt.Fprintf(&got, " %d", delay)
			}
		}
		got.WriteByte('\n')
	}
	want := `0:.uuuuu 1 1 1 1 1 1 0
1:.u.uuu 1 1 x x 1 x 0
2:...uuu 1 1 x x 1 x 0
3:u..uuu 1 1 1 1 1 6 0
4:uuRuuu 1 1 1 1 1 3 0
5:uuu.uu 1 1 1 1 1 1 0
6:uuu.uu 1 1 1 1 1 1 0
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	for i, want := range []bool{false, false, true, true, false, false} {
		if got := e.Forgets(messages.NodeID(i)); got != want {
			t.Errorf("node %d forgets: %v", i, got)
		}
	}
	if e.MaxDelay() != 6 {
		t.Errorf("delays up to %d, want 6", e.MaxDelay())
	}
}

// No effect is on a local link; all of them are on the others, and nodes at both of
// its ends can be down.
func TestLocalLinks(t *testing.T) {
	handOver := func(from, to messages.NodeID) bool { return from == 2 && to == 1 }
	e := mustEffects(t, network.Options{
		Nodes: 3, Local: handOver, Delay: network.Constant{Delay: 3},
		Loss:        network.Independent{Probability: 1},
		Bandwidth:   &network.Bandwidth{Bytes: 0, Queue: 0, Longest: network.NoLongest},
		Partitions:  []network.Partition{{Groups: [][]messages.NodeID{{1}, {2}}, Interval: network.Interval{First: 0, End: 9}}},
		Stragglings: []network.Straggling{{Nodes: []messages.NodeID{2}, Interval: network.Interval{First: 0, End: 9}, Turns: 4}},
		Outages:     []network.Outage{{Nodes: []messages.NodeID{2}, Interval: network.Interval{First: 4, End: 5}}},
	})
	for turn := range 9 {
		for edge := range messages.NodeID(9) {
			from, to := edge/3, edge%3
			local := from == to || handOver(from, to)
			if e.Local(from, to) != local {
				t.Errorf("%d to %d: local %v", from, to, !local)
			}
			delay, lost := e.Fate(from, to, turn)
			if lost == local || local && delay != 0 {
				t.Errorf("turn %d, %d to %d: %d turns late, lost %v", turn, from, to, delay, lost)
			}
		}
	}
	if e.Up(2, 4) {
		t.Error("a node whose link is local cannot be down")
	}
}

// Whatever the effects, what a node sends itself arrives at once, and what they
// say of a turn does not depend on what was asked before.
func TestEffectsArePure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		make := func() *network.Effects {
			e, err := network.New(network.Options{
				Nodes: 9, Seed: seed, Delay: network.Uniform{Longest: 3},
				Loss:  network.Bursty{Enter: 0.1, Leave: 0.2, LossBad: 0.9},
				Churn: &network.Churn{Fail: 0.1, Recover: 0.2, Forget: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		a, b := make(), make()
		for range 20 {
			from, to := messages.NodeID(rapid.IntRange(0, 8).Draw(t, "from")), messages.NodeID(rapid.IntRange(0, 8).Draw(t, "to"))
			turn := rapid.IntRange(0, 200).Draw(t, "turn")
			b.Fate(to, from, turn+1) // asked of one only
			delayA, lostA := a.Fate(from, to, turn)
			delayB, lostB := b.Fate(from, to, turn)
			if delayA != delayB || lostA != lostB || from == to && (lostA || delayA != 0) || a.Restarts(from, turn) != b.Restarts(from, turn) {
				t.Fatalf("from %d to %d in turn %d: %d %v and %d %v", from, to, turn, delayA, lostA, delayB, lostB)
			}
			if a.Restarts(from, turn) != (turn > 0 && a.Up(from, turn) && !a.Up(from, turn-1)) {
				t.Fatalf("node %d, turn %d: restarts %v", from, turn, a.Restarts(from, turn))
			}
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	nodes, whole := []messages.NodeID{0, 7}, network.Interval{First: 0, End: 3}
	for want, o := range map[string]network.Options{
		"patience: patience is -1 turns, want 0 .. 1048576":                         {Patience: -1},
		"delay: delay is -1 turns, want 0 .. 1048576":                               {Delay: network.Constant{Delay: -1}},
		"delay: longest is 1 turns, want at least 2, which is the least":            {Delay: network.Uniform{Least: 2, Longest: 1}},
		"delay: arrive is 1.5, want a probability":                                  {Delay: network.Geometric{Arrive: 1.5}},
		"loss: probability is NaN, want a probability":                              {Loss: network.Independent{Probability: math.NaN()}},
		"loss: loss_bad is 2, want a probability":                                   {Loss: network.Bursty{Enter: 0.5, Leave: 0.5, LossBad: 2}},
		"events: node 7, counted from 0, is not one of 3":                           {Outages: []network.Outage{{Nodes: nodes, Interval: whole}}},
		"events: node 1, counted from 0, is given twice":                            {Partitions: []network.Partition{{Groups: [][]messages.NodeID{{1}, {1}}, Interval: whole}}},
		"loss: enter + leave = 0, want it at least 0.0001 away from 0 and from 2":   {Loss: network.Bursty{}},
		"churn: fail + recover = 2, want it at least 0.0001 away from 0 and from 2": {Churn: &network.Churn{Fail: 1, Recover: 1}},
		"events: turns 3 .. 3, want an interval that begins at 0 or later and is not empty": {
			Stragglings: []network.Straggling{{Interval: network.Interval{First: 3, End: 3}}}},
	} {
		o.Nodes = 3
		if _, err := network.New(o); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := network.NewTable([]network.EdgeDelay{{From: 1, To: 2}, {From: 1, To: 2}}, 0); err == nil {
		t.Error("a table with an edge twice was accepted")
	}
	if !(&network.Options{Patience: 3}).Ideal() || (&network.Options{Loss: network.Independent{}}).Ideal() {
		t.Error("what is ideal is not told apart")
	}
}
