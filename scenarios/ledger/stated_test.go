package ledger_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
)

// payments of all kinds; few kinds, so that they meet again.
var payments = rapid.SampledFrom([]accountant.Loss{
	{}, {Epsilon: 0.1, Laplace: 0.1}, {Epsilon: 0.25}, {Rho: 0.02}, {Epsilon: 0.1, Delta: 1e-9},
	{Sampled: accountant.SampledGaussian{Rate: 0.1, Noise: 2, Steps: 3}}, {Sampled: accountant.SampledGaussian{Rate: 0.02, Noise: 1, Steps: 1}},
})

// spent is one payment.
type spent struct {
	node messages.NodeID
	step int
	loss accountant.Loss
}

// places is a meter of nothing, with a place for what is paid at every point.
func places(o ledger.Options) *gauge.Meter {
	return gauge.New(gauge.Span{Points: o.Points}, []gauge.Gauge{gauge.Paid()})
}

// stating are the options of a ledger that states epsilon.step and epsilon.total.
func stating(participants int, delta float64, by accountant.Method, points ...int) ledger.Options {
	return ledger.Options{
		Participants: participants, Units: participants, Points: points, Accounts: []ledger.Account{{Delta: delta, By: by}},
		Stated: ledger.Statement{Metrics: []string{ledger.EpsilonStep, ledger.EpsilonTotal}},
	}
}

// values are what a ledger records, in the order of rows.
type values []float64

func (v *values) Add(_ int, _ string, value float64) { *v = append(*v, value) }
func (v *values) AddNode(int, int, string, float64)  { panic("a metric of a node") }

// stated are epsilon.step and epsilon.total at every point.
func stated(l *ledger.Ledger) (list [][2]float64) {
	var v values
	l.Finish(&v)
	for ; len(v) > 0; v = v[2:] {
		list = append(list, [2]float64{v[0], v[1]})
	}
	return list
}

// The epsilons at every point are the largest of a participant, by adding all up anew
// with package accountant, also where the run went on from a state.
func TestSpendingOfEverybody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := stating(rapid.IntRange(1, 4).Draw(t, "participants"), rapid.SampledFrom([]float64{0, 1e-5}).Draw(t, "delta"), accountant.RDP, 2, 3, 7, 9)
		o.Growing = rapid.Bool().Draw(t, "growing")
		s := ledger.New(places(o), o)
		var list []spent
		resume := rapid.IntRange(1, 9).Draw(t, "resume")
		for step := 1; step <= 9; step++ {
			if step == resume {
				text := messages.Write(nil, s)
				s = ledger.New(places(o), o)
				if err := messages.Read(text, s); err != nil {
					t.Fatal(err)
				}
			}
			for node := range o.Participants {
				for _, loss := range rapid.SliceOfN(payments, 0, 2).Draw(t, "losses") {
					list = append(list, spent{messages.NodeID(node), step, loss})
					if err := s.Spent(messages.NodeID(node), step, loss); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		got := stated(s)
		for point, step := range o.Points {
			total, inStep := largestOf(o, list, 1, step), largestOf(o, list, step, step)
			if got := got[point][1]; math.Abs(got-total) > 1e-9*total {
				t.Fatalf("step %d: %v so far, want %v", step, got, total)
			}
			if got := got[point][0]; o.Accounts[0].Delta == 0 && math.Abs(got-inStep) > 1e-9*inStep || got < inStep*(1-1e-9) {
				t.Fatalf("step %d: %v alone, want %v", step, got, inStep)
			}
		}
	})
}

// largestOf is the largest epsilon of what a participant paid in some steps.
func largestOf(o ledger.Options, list []spent, first, last int) (largest float64) {
	for node := range o.Participants {
		var total accountant.Total
		for _, p := range list {
			switch {
			case int(p.node) != node || p.step < first || p.step > last:
			case o.Growing:
				total.Grow(p.loss)
			default:
				total.Add(p.loss)
			}
		}
		epsilon, err := total.Epsilon(o.Accounts[0].Delta, o.Accounts[0].By)
		if err != nil {
			panic(err)
		}
		largest = max(largest, epsilon)
	}
	return largest
}

// Of many who pay each in another way none is forgotten.
func TestSpendingOfManyKinds(t *testing.T) {
	o := stating(50, 1e-5, accountant.PLD, 1)
	s := ledger.New(places(o), o)
	var want float64
	for i := range 50 {
		loss := accountant.Loss{Epsilon: 0.01 * float64(i), Rho: 0.001 * float64((i*31)%50)}
		if err := s.Spent(messages.NodeID(i), 1, loss); err != nil {
			t.Fatal(err)
		}
		epsilon, err := loss.EpsilonAt(1e-5, accountant.PLD)
		if err != nil {
			t.Fatal(err)
		}
		want = max(want, epsilon)
	}
	if got := stated(s)[0][1]; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// What is composed otherwise than by adding up is asked for by step and payments, and a
// step costs the difference; payments of nothing do not count.
func TestComposedLosses(t *testing.T) {
	o := stating(2, 1e-5, accountant.PLD, 2, 3, 7)
	o.Stated.Composed = func(step, payments int) float64 { return float64(100*step + payments) }
	l := ledger.New(places(o), o)
	for _, p := range []spent{{0, 1, accountant.Loss{Epsilon: 1}}, {0, 2, accountant.Loss{Epsilon: 1}}, {1, 3, accountant.Loss{}}, {1, 5, accountant.Loss{Rho: 1}}, {1, 7, accountant.Loss{Rho: 1}}} {
		if err := l.Spent(p.node, p.step, p.loss); err != nil {
			t.Fatal(err)
		}
	}
	want := [][2]float64{{101, 202}, {100, 302}, {101, 704}}
	if got := stated(l); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Local steps are counted apart from all else that is paid, and what is guaranteed is
// stated in place of what was paid once anybody has paid.
func TestLocalStepsAndGuarantee(t *testing.T) {
	step := accountant.SampledGaussian{Rate: 0.1, Noise: 2, Steps: 1}
	guaranteed := accountant.Loss{Rho: 3}.Total()
	o := stating(3, 1e-5, accountant.RDP, 1, 4, 5)
	o.Server, o.Units = true, 2
	o.Accounts[0].Guarantee = func(unit, _ int) accountant.Total { return guaranteed }
	o.Stated.Metrics = []string{ledger.EpsilonSpent, ledger.EpsilonTotal, ledger.EpsilonOdometer, ledger.Delta}
	l := ledger.New(places(o), o)
	l.Local = func(messages.NodeID) accountant.Loss { return accountant.Loss{Sampled: step} }
	for _, p := range []spent{{1, 2, accountant.Loss{Sampled: step}}, {1, 3, accountant.Loss{Rho: 0.5}}, {1, 4, accountant.Loss{Sampled: step}}, {2, 5, accountant.NotPrivate()}} {
		if err := l.Spent(p.node, p.step, p.loss); err != nil {
			t.Fatal(err)
		}
	}
	of := func(loss accountant.Loss) float64 {
		epsilon, err := loss.EpsilonAt(1e-5, accountant.RDP)
		if err != nil {
			t.Fatal(err)
		}
		return epsilon
	}
	local := accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 0.1, Noise: 2, Steps: 2}}
	want := values{
		0, 0, 0, 1e-5,
		of(local), of(accountant.Loss{Rho: 3}), of(local.Compose(accountant.Loss{Rho: 0.5})), 1e-5,
		of(local), math.Inf(1), math.Inf(1), 1e-5,
	}
	var got values
	l.Finish(&got)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if steps := l.LocalSteps(); steps != local.Sampled {
		t.Errorf("local steps %v, want %v", steps, local.Sampled)
	}
}

// A loss that no mechanism has, and a state that is cut or damaged, are refused.
func TestSpendingRefuses(t *testing.T) {
	o := stating(1, 1e-5, accountant.PLD, 1, 2)
	s := ledger.New(places(o), o)
	if err := s.Spent(0, 1, accountant.Loss{Epsilon: -1}); err == nil {
		t.Error("a negative loss is accepted")
	}
	for step := 1; step <= 2; step++ {
		if err := s.Spent(0, step, accountant.Loss{Rho: 1}); err != nil {
			t.Fatal(err)
		}
	}
	text := messages.Write(nil, s)
	for n := range text {
		if messages.Read(text[:n], ledger.New(places(o), o)) == nil {
			t.Errorf("%d of %d bytes are taken", n, len(text))
		}
	}
}
