package algorithm_test

import (
	"math"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/messages"
)

// counted are how often a client in a round takes each number of steps, 0 for a dropped update.
func counted(s algorithm.Stragglers, tau int) (steps []float64) {
	const clients, rounds = 100, 200
	drawn := s.Draw(7, tau)
	steps = make([]float64, tau+1)
	for client := range clients {
		for round := range rounds {
			steps[drawn.Steps(messages.NodeID(client+1), round+1, tau)] += 1.0 / clients / rounds
		}
	}
	return steps
}

// The law of the steps of a client, with its mean in the text for readers.
func TestStragglersLaw(t *testing.T) {
	const drop = algorithm.UnfinishedDrop
	for _, test := range []struct {
		rule algorithm.Stragglers
		tau  int
		want []float64
		text string
	}{
		{algorithm.Stragglers{Share: 0.8}, 4, []float64{0, 0.2, 0.2, 0.2, 0.4}, "2.8 of 4 local steps"},
		{algorithm.Stragglers{Share: 1}, 2, []float64{0, 0.5, 0.5}, "1.5 of 2 local steps"},
		{algorithm.Stragglers{Share: 0.8, Update: drop}, 4, []float64{0.6, 0, 0, 0, 0.4}, "with probability 0.6"},
		{algorithm.Stragglers{Share: 0.5, Steps: 3}, 4, []float64{0, 0, 0, 0.5, 0.5}, "3.5 of 4"},
		{algorithm.Stragglers{Share: 0.5, Steps: 9}, 4, []float64{0, 0, 0, 0, 1}, "4 of 4"},
		{algorithm.Stragglers{Share: 0.5, Fraction: 0.7}, 4, []float64{0, 0, 0.5, 0, 0.5}, "3 of 4"},
		{algorithm.Stragglers{Share: 0.5, Fraction: 0.1}, 4, []float64{0, 0.5, 0, 0, 0.5}, "2.5 of 4"},
		{algorithm.Stragglers{Share: 0.5, Fraction: 0.1, Update: drop}, 4, []float64{0.5, 0, 0, 0, 0.5}, "with probability 0.5"},
		{algorithm.Stragglers{Share: 0.5, Fraction: 1, Update: drop}, 4, []float64{0, 0, 0, 0, 1}, "with probability 0"},
		{algorithm.Stragglers{Share: 0.5, Fraction: 0.3}, 10, []float64{0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0.5}, "6.5 of 10"},
	} {
		for steps, share := range counted(test.rule, test.tau) {
			if math.Abs(share-test.want[steps]) > 0.015 { // four deviations of 20,000 draws
				t.Errorf("%+v of %d: %d steps in a share %v, want %v", test.rule, test.tau, steps, share, test.want[steps])
			}
		}
		if got, want := test.rule.Kept(test.tau), 1-test.want[0]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%+v of %d: kept %v, want %v", test.rule, test.tau, got, want)
		}
		if text := test.rule.Text(test.tau); !strings.Contains(text, test.text) {
			t.Errorf("%+v of %d: %q, want %q", test.rule, test.tau, text, test.text)
		}
	}
}

// Draws are by seed, client and round alone: rules of one share have the same stragglers, so
// that dropped and partial updates can be compared.
func TestStragglersAreTheSame(t *testing.T) {
	partial := algorithm.Stragglers{Share: 0.7}
	drop := partial
	drop.Update = algorithm.UnfinishedDrop
	a, again, b, other := partial.Draw(1, 5), partial.Draw(1, 5), drop.Draw(1, 5), partial.Draw(2, 5)
	differ := 0
	for client := messages.NodeID(1); client < 30; client++ {
		for round := 1; round < 30; round++ {
			steps := a.Steps(client, round, 5)
			if again.Steps(client, round, 5) != steps {
				t.Fatalf("client %d, round %d: drawn twice", client, round)
			}
			if want := b.Steps(client, round, 5); steps == 5 && want != 5 || steps < 5 && want != 0 {
				t.Errorf("client %d, round %d: %d steps, and %d where updates are dropped", client, round, steps, want)
			}
			if other.Steps(client, round, 5) != steps {
				differ++
			}
		}
	}
	if differ < 200 {
		t.Errorf("two seeds differ in %d draws", differ)
	}
}

// Without stragglers every client takes all steps.
func TestNobodyIsAStraggler(t *testing.T) {
	var none *algorithm.Stragglers
	for _, s := range []*algorithm.Stragglers{none, {Share: 0, Update: algorithm.UnfinishedDrop}, {Share: 1, Steps: 5}} {
		if drawn := s.Draw(1, 5); drawn != nil || drawn.Drops() || drawn.Steps(3, 4, 5) != 5 || s.Kept(5) != 1 || s.DrawAlike(1, 4, 5) != nil {
			t.Errorf("%+v has stragglers", s)
		}
	}
}

// The draw of audits has the client in as many rounds as a draw can, with fewer steps in some.
func TestStragglersOfAudits(t *testing.T) {
	drop := algorithm.Stragglers{Share: 0.5, Update: algorithm.UnfinishedDrop}
	partial := algorithm.Stragglers{Share: 0.5}
	taken, fewer := 0, 0
	for round := 1; round <= 4; round++ {
		if drop.DrawAlike(2, 4, 3).Steps(2, round, 3) == 3 {
			taken++
		}
		if partial.DrawAlike(2, 4, 3).Steps(2, round, 3) < 3 {
			fewer++
		}
	}
	if taken != 4 || fewer == 0 {
		t.Errorf("the client takes part in %d rounds of 4, and is a straggler in %d", taken, fewer)
	}
}

func TestStragglersRefused(t *testing.T) {
	const drop = algorithm.UnfinishedDrop
	for _, test := range []struct {
		rule algorithm.Stragglers
		want string
	}{
		{algorithm.Stragglers{Share: 0.5, Steps: 2, Fraction: 0.5}, "fraction: steps and fraction are given"},
		{algorithm.Stragglers{Share: 1, Steps: 2, Update: drop}, "update: every client is dropped in every round"},
		{algorithm.Stragglers{Share: 1, Steps: 3, Update: drop}, ""},
		{algorithm.Stragglers{Share: 1, Update: drop}, ""},
		{algorithm.Stragglers{Share: 1, Steps: 2}, ""},
	} {
		err := test.rule.Validate(3)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.rule, err, test.want)
		}
	}
}
