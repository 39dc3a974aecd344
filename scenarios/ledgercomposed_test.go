package scenarios_test

import (
	"context"
	"math"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/guide"
	"starling/scenarios/ledger"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// payment is a loss of a release that a machine reported.
type payment struct {
	node messages.NodeID
	step int
	loss accountant.Loss
}

// witness notes payments as the ledger takes them.
type witness struct {
	*ledger.Ledger
	paid []payment
}

// Spent implements algorithm.Meter.
func (w *witness) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	err := w.Ledger.Spent(node, step, loss)
	if err == nil {
		w.paid = append(w.paid, payment{node, step, loss})
	}
	return err
}

// composed returns the epsilon at delta of releases of one form: a sum of epsilons, of Gaussian
// noise by its exact conversion, or of sampled steps by Rényi differential privacy. slack is the
// relative error of the accountant. ok is false for releases of several forms.
func composed(list []accountant.Loss, delta float64, by accountant.Method) (epsilon, slack float64, ok bool) {
	var pure, rho float64
	slack = 1e-9
	rates := map[accountant.SampledGaussian]int{}
	for _, l := range list {
		s := l.Sampled
		switch steps := s.Steps; {
		case !l.Private():
			return math.Inf(1), 0, true
		case l.Concentrated > 0 || l.Delta > 0:
			return 0, 0, false
		case steps > 0 && s.Rate == 1 && by == accountant.PLD: // on a grid, from above
			rho, slack = rho+float64(steps)/(2*s.Noise*s.Noise), 2e-3
		case steps > 0:
			s.Steps = 0
			rates[s] += steps
		}
		pure, rho = pure+l.Epsilon, rho+l.Rho
	}
	switch {
	case rho == 0 && len(rates) == 0 && (delta == 0 || pure == 0):
		return pure, slack, true
	case pure == 0 && len(rates) == 0 && delta > 0 && by == accountant.PLD:
		return exactGaussian(rho, delta), slack, true
	case pure == 0 && rho == 0 && len(rates) == 1 && by == accountant.RDP:
		for s, steps := range rates {
			return sampledRDP(s.Rate, s.Noise, steps, delta), slack, true
		}
	}
	return 0, 0, false
}

// leastComposed are the least numbers of pairs and of losses that TestLedgerIsTheSum compares.
const (
	leastComposedPairs = 125
	leastComposedRows  = 1200
)

// TestLedgerIsTheSum holds for every mechanism under every algorithm that takes it that the
// losses at the end of a run, to the observers of messages and to a named node, are composed of
// the losses of the releases that machines reported.
func TestLedgerIsTheSum(t *testing.T) {
	t.Chdir("testdata") // where the files are that examples name
	catalog := scenarios.Catalog()
	pairs, rows := 0, 0
	for _, p := range guide.Pairs(&catalog) {
		if p.Section != "mechanism" || !p.Fits || scenariotest.InPython(named(t, catalog.Algorithms, p.Algorithm)) && testneeds.NoPython() {
			continue
		}
		t.Run(p.Algorithm+"/"+p.Kind, func(t *testing.T) {
			algorithm, mechanism := named(t, catalog.Algorithms, p.Algorithm), named(t, catalog.Mechanisms, p.Kind)
			s, err := pair(t, algorithm, p.Section, mechanism, "measure.observers=[{node: 2}]")
			if err != nil { // an algorithm that knows no observers but its own
				s, err = pair(t, algorithm, p.Section, mechanism)
			}
			if err != nil {
				t.Fatal(err)
			}
			compared := comparedWithReleases(t, s)
			if compared > 0 {
				pairs++
			}
			rows += compared
		})
	}
	if pairs < leastComposedPairs || rows < leastComposedRows {
		t.Errorf("%d losses of %d pairs are compared, want at least %d of %d", rows, pairs, leastComposedRows, leastComposedPairs)
	}
	t.Logf("%d losses of %d pairs are compared", rows, pairs)
}

// comparedWithReleases runs a scenario and compares its ledger with the releases. It returns
// the number of losses that it compared: not those that a schedule alone decides, and those to
// nodes where the algorithm states them otherwise.
func comparedWithReleases(t *testing.T, s *study.Scenario) (compared int) {
	arm, j := s.Arms[0], scenariotest.JobOf(t, s)
	w := &witness{Ledger: j.Meter}
	j.Run.Meter = w
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	stated := finalRows(t, arm, j)
	for _, a := range arm.Privacy.Accounts {
		if a.Bound != nil || a.Guarantee != nil || arm.Privacy.Learns() && a.Observer != accountant.Wire {
			continue
		}
		for unit, epsilon := range stated[a.Observer] {
			node := messages.NodeID(unit - int32(arm.Extent.FirstLabel))
			var list []accountant.Loss
			for _, p := range w.paid {
				if p.node != node && !(arm.Extent.Server && p.node == 0) { // a server pays for all units
					continue
				}
				if a.Worth != nil {
					p.loss = a.Worth.Of(s.Seeds.Base, p.node, p.step, p.loss)
				}
				list = append(list, p.loss)
			}
			want, slack, ok := composed(list, a.Delta, a.By)
			if !ok {
				continue
			}
			compared++
			if epsilon != want && !(math.Abs(epsilon-want) <= slack*want) {
				t.Errorf("%s learns %v of unit %d, want %v by %d releases at delta %v by %v, the first %v", a.Observer, epsilon, unit, want, len(list), a.Delta, a.By, list[0])
			}
		}
	}
	return compared
}
