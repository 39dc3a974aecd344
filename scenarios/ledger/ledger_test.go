package ledger

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Units are grouped where they are neighbours and have paid the same.
func TestLedgerGroups(t *testing.T) {
	l := &Ledger{end: 6, Points: []int{3, 7}, paid: make([]payer, 6)}
	for node, epsilon := range []float64{0, 1, 1, 2, 1, 0} {
		if epsilon > 0 {
			m := mark{last: 2}
			m.total.Add(accountant.Loss{Epsilon: epsilon})
			l.paid[node].marks = []mark{m}
		}
	}
	later := mark{point: 1, last: 6, total: l.paid[3].marks[0].total.Clone()}
	later.total.Add(accountant.Loss{Epsilon: 0.5})
	l.paid[3].marks = append(l.paid[3].marks, later)
	of := func(point int, all bool) (list [][3]float64) {
		for _, g := range l.Groups(point, all) {
			epsilon, _ := g.Total.Pure()
			list = append(list, [3]float64{float64(g.First), float64(g.Count), epsilon})
		}
		return list
	}
	for name, test := range map[string]struct{ got, want [][3]float64 }{
		"first point":          {of(0, true), [][3]float64{{1, 2, 1}, {3, 1, 2}, {4, 1, 1}}},
		"changed at the first": {of(0, false), [][3]float64{{1, 2, 1}, {3, 1, 2}, {4, 1, 1}}},
		"changed at the last":  {of(1, false), [][3]float64{{3, 1, 2.5}}},
		"the end":              {of(1, true), [][3]float64{{1, 2, 1}, {3, 1, 2.5}, {4, 1, 1}}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// Who sees which link.
func TestSees(t *testing.T) {
	star := &Ledger{server: true, first: 1, end: 4}
	equals := &Ledger{end: 3}
	if n := len(accountant.Observers()); n != observerCount || ObserverIndex(accountant.Public) != 3 || seesPublic != 1<<3 {
		t.Fatalf("%d observers, %d in ledgers", n, observerCount)
	}
	for _, test := range []struct {
		l        *Ledger
		from, to messages.NodeID
		want     sight
	}{
		{star, 1, 0, seesWire | seesServer},
		{star, 0, 3, seesWire | seesPeer | seesPublic},
		{star, 4, 1, 0}, // a learner's client
		{star, 1, 4, 0},
		{equals, 1, 0, seesWire | seesPeer | seesPublic},
	} {
		if got := test.l.sees(test.from, test.to); got != test.want {
			t.Errorf("%d to %d: %b, want %b", test.from, test.to, got, test.want)
		}
	}
}

// What is told of a raw payload costs no memory, and only the first counts.
func TestExposuresAllocateNothing(t *testing.T) {
	l := &Ledger{server: true, first: 1, end: 4, paid: make([]payer, 4)}
	step, raw := 5, algorithm.Raw()
	if n := testing.AllocsPerRun(100, func() { l.Exposed(2, 0, step, &raw); step++ }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if got, want := l.paid[2].shown, [observerCount]int32{6, 6, 0, 0}; got != want {
		t.Errorf("shown %v, want %v", got, want)
	}
}

// Points of curves are spread evenly, and fewer where there are many payers.
func TestCurvePoints(t *testing.T) {
	all := make([]int, 1000)
	for i := range all {
		all[i] = i + 1
	}
	for _, test := range []struct{ points, payers, want int }{
		{10, 3, 10}, {1000, 3, mostCurvePoints}, {1000, 1 << 12, 32}, {1000, 1 << 20, 1},
	} {
		got := curvePoints(all[:test.points], test.payers)
		if len(got) != test.want || got[len(got)-1] != test.points {
			t.Errorf("%d points for %d payers: %d, the last %d; want %d", test.points, test.payers, len(got), got[len(got)-1], test.want)
		}
		for i := range got[1:] {
			if got[i] >= got[i+1] {
				t.Errorf("%d points: %v", test.points, got)
				break
			}
		}
	}
}

// A release is paid for by its sender before it is sent; one of a server by
// anybody before or in its step. Paying nothing, or later, is not paying.
func TestPaidReleases(t *testing.T) {
	type event struct {
		node messages.NodeID
		step int
		pays float64 // or sends if negative
	}
	const sends = -1
	released := algorithm.Released(accountant.NewReceipt(accountant.Loss{}))
	for name, test := range map[string]struct {
		server bool
		events []event
		want   bool // unit 1 has shown what is unpaid for to peers
	}{
		"paid":                  {false, []event{{1, 3, 0.5}, {1, 3, sends}, {1, 9, sends}}, false},
		"of another":            {false, []event{{0, 2, 0.5}, {1, 3, sends}}, true},
		"later in the step":     {false, []event{{1, 3, sends}, {1, 3, 0.5}}, true},
		"nothing":               {false, []event{{1, 3, 0}, {1, 3, sends}}, true},
		"server, of a unit":     {true, []event{{1, 3, 0.5}, {0, 3, sends}}, false},
		"server, before a unit": {true, []event{{0, 2, sends}, {1, 3, 0.5}}, true},
		"server, its own":       {true, []event{{0, 2, 0.5}, {0, 2, sends}}, false},
		"server, of nobody":     {true, []event{{0, 2, sends}}, true},
	} {
		l := &Ledger{Meter: unmeasured(), server: test.server, end: 3, Points: []int{10}, paid: make([]payer, 3)}
		if test.server {
			l.first = 1
		}
		for _, e := range test.events {
			if e.pays >= 0 {
				if err := l.Spent(e.node, e.step, accountant.Loss{Epsilon: e.pays}); err != nil {
					t.Fatal(err)
				}
				continue
			}
			l.Exposed(e.node, 2, e.step, &released)
		}
		peer := ObserverIndex(accountant.Peer)
		s, _ := l.standing(1, 0, l.firstPayment())
		if s.Unpaid[peer] != test.want || s.Shown[peer] != test.want {
			t.Errorf("%s: unpaid %v, shown %v, want %v", name, s.Unpaid[peer], s.Shown[peer], test.want)
		}
		restored := &Ledger{Meter: unmeasured(), Points: l.Points, paid: make([]payer, 3)}
		if err := messages.Read(messages.Write(nil, l), restored); err != nil || !reflect.DeepEqual(restored.paid, l.paid) {
			t.Errorf("%s: restored %+v, %v, want %+v", name, restored.paid, err, l.paid)
		}
	}
}

// unmeasured is a meter of nothing, in steps up to 10.
func unmeasured() *gauge.Meter { return gauge.New(gauge.Span{First: 1, Points: []int{10}}) }

// dues survive a checkpoint.
func TestDuesInStates(t *testing.T) {
	for _, d := range []dues{
		{},
		{step: 4, payments: 9, counts: [MostPrices]int32{2, 1}, sum: 0.5, begins: true, sent: true},
		{step: 7, paid: true, stopped: true, fault: &fault{step: 3, text: "it paid nothing"}},
	} {
		var got dues
		if err := messages.Read(messages.Write(nil, messages.StateFunc(d.state)), messages.StateFunc(got.state)); err != nil {
			t.Fatal(err)
		}
		if (got.fault == nil) != (d.fault == nil) || got.fault != nil && *got.fault != *d.fault {
			t.Errorf("fault %+v, want %+v", got.fault, d.fault)
		}
		got.fault, d.fault = nil, nil
		if got != d {
			t.Errorf("%+v, want %+v", got, d)
		}
	}
}

// Where two prices are the same, as those of Fed-SVT are without noise, a payment is of
// the one that has to be paid.
func TestPricesThatAreTheSame(t *testing.T) {
	free, due := Price{Loss: accountant.NotPrivate(), Least: 0, Most: 1}, Price{Loss: accountant.NotPrivate(), Least: 1, Most: 1}
	raw := algorithm.Raw()
	for _, prices := range [][MostPrices]Price{{free, due}, {due, free}} {
		l := &Ledger{Meter: unmeasured(), end: 2, Points: []int{1}, paid: make([]payer, 2)}
		l.Bills = func(messages.NodeID, int, Moment) ExpectedPayment { return ExpectedPayment{Prices: prices} }
		if err := l.Spent(1, 1, accountant.NotPrivate()); err != nil {
			t.Fatal(err)
		}
		l.Exposed(1, 0, 1, &raw)
		if err := l.Settled(0); err != nil {
			t.Errorf("%v: %v", prices, err)
		}
	}
}
