package aggregation_test

import (
	"math"
	"math/big"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
)

// sent has a client send vectors of given 2-norms through a filter, and returns the lengths that are
// sent.
func sent(of *aggregation.Filter, norms func(round int) float64, rounds int) (list []float64) {
	for round := range rounds {
		norm, bound := norms(round), of.Bound()
		of.Pay(min(norm, bound), norm > bound)
		list = append(list, min(norm, bound))
	}
	return list
}

// What is paid, added up without rounding, never passes rho, and comes to it once nothing is left.
// Nothing is sent after that.
func TestFiltersKeepToRho(t *testing.T) {
	r := rng.New(1)
	for trial := range 200 {
		rho, scale := math.Exp(6*r.Float64()-4), math.Exp(3*r.Float64()-1)
		of := aggregation.Filter{Rho: rho, Scale: scale}
		lengths := sent(&of, func(int) float64 { return r.Float64() }, 3000)
		total, left := new(big.Float).SetPrec(300), 0
		for _, norm := range lengths {
			square := new(big.Float).SetPrec(300).SetFloat64(norm)
			square.Mul(square, square)
			square.Quo(square, new(big.Float).SetPrec(300).Mul(big.NewFloat(2*scale), big.NewFloat(scale)))
			total.Add(total, square)
			if norm == 0 {
				left++
			}
		}
		share, _ := total.Quo(total, big.NewFloat(rho)).Float64()
		if share > 1 || of.Paid > rho {
			t.Fatalf("trial %d: %v of rho is paid, and noted %v of %v", trial, share, of.Paid, rho)
		}
		if spent := of.Bound() == 0; spent != (share > 1-1e-9) || spent && (left == 0 || of.Paid != rho) {
			t.Errorf("trial %d: %v of rho is paid, spent %v, %d empty vectors", trial, share, spent, left)
		}
	}
}

// Vectors that are ten times shorter are sent whole for 100 times as many rounds.
func TestShortVectorsLast(t *testing.T) {
	whole := func(norm float64) (rounds int) {
		for _, length := range sent(&aggregation.Filter{Rho: 1.6, Scale: 2}, func(int) float64 { return norm }, 5000) {
			if length == norm {
				rounds++
			}
		}
		return rounds
	}
	// A vector of norm 1 costs 1/8: 12.8 rounds, then 1280.
	if long, short := whole(1), whole(0.1); long != 12 || short != 1279 && short != 1280 {
		t.Errorf("%d rounds of norm 1 and %d of norm 0.1", long, short)
	}
}

// A filter goes on from its state.
func TestFiltersResume(t *testing.T) {
	of := aggregation.Filter{Rho: 1, Scale: 1, Paid: 0.75, Turns: 3}
	next := aggregation.Filter{Rho: 1, Scale: 1}
	if err := messages.Read(messages.Write(nil, &of), &next); err != nil || next != of {
		t.Errorf("%+v, want %+v (%v)", next, of, err)
	}
}

// The payments of a client with a filter add up to the least of rho and the largest payments of its
// rounds. A client pays in the rounds of its group alone, and the dearest is among the candidates.
func TestIndividualPayments(t *testing.T) {
	rule := aggregation.Participation{Rate: 1, Groups: 2, Apart: 1}
	n := &aggregation.Individual{Rule: &rule, Rounds: 9, Scale: 2, Clips: []float64{1, 1, 1, 0.5, 1, 1}, Filters: []float64{0.3, 0.3, 10, 10, math.Inf(1), math.Inf(1)}}
	step := accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 1, Noise: 2, Steps: 1}}
	n.Losses = []accountant.Loss{step, step, step, step, step, step}
	for client, want := range []float64{0.3, 0.3, 5.0 / 8, 4.0 / 32} {
		total, sum, of := n.Total(client), accountant.Total{}, n.FilterOf(client)
		for round := 1; round <= 9; round++ {
			loss := n.Pays(messages.NodeID(client+1), round, of)
			if loss != (accountant.Loss{}) {
				of.Turns++
			}
			if (round-client-1)%2 != 0 && loss != (accountant.Loss{}) || loss.Concentrated > n.LongestPays(client) {
				t.Errorf("client %d pays %v in round %d", client+1, loss, round)
			}
			sum.AddSum(loss)
		}
		if got := total.Loss(); !(math.Abs(got.Concentrated-want) <= 1e-15) || got != (accountant.Loss{Concentrated: got.Concentrated}) || sum.Loss() != got {
			t.Errorf("client %d pays %v in all, and %v round by round, want %v", client+1, got, sum.Loss(), want)
		}
	}
	for client, times := range map[int]int{4: 5, 5: 4} {
		if total := n.Total(client); total.Loss().Sampled.Steps != times {
			t.Errorf("client %d pays %v, want %d steps", client+1, total.Loss(), times)
		}
	}
	first, sizes := n.Kinds()
	if len(first) != 6 || sizes[0] != 1 {
		t.Errorf("kinds %v of %v clients", first, sizes)
	}
	if list := n.Candidates(first); len(list) != 3 || list[0] != 4 || list[1] != 5 || list[2] != 2 {
		t.Errorf("candidates %v", list)
	}
}
