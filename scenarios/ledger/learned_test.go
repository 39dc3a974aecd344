package ledger

import (
	"errors"
	"reflect"
	"testing"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// coalitions are accounts of a peer and of coalitions of participants.
func coalitions(members ...[]messages.NodeID) []Account {
	list := []Account{{Observer: accountant.Peer, By: accountant.PLD}}
	for _, m := range members {
		list = append(list, Account{Observer: "named", Members: m, By: accountant.PLD})
	}
	return list
}

// told is a plan that says that a coalition learns 10 of everybody, and 1 a step more of
// whom has a number above its first member's; it says nothing of others.
func told(of View, unit messages.NodeID, step int) (accountant.Total, bool, error) {
	if of.Members == nil {
		return accountant.Total{}, false, nil
	}
	epsilon := 10.0
	if unit > of.Members[0] {
		epsilon += float64(step)
	}
	return accountant.Loss{Epsilon: epsilon}.Total(), true, nil
}

// learned are the epsilons of all units at a point, by unit, with those of whom there is
// nothing left out, and those without a bound as -1.
func learned(t *testing.T, l *Ledger, a *Account, point int) map[int]float64 {
	t.Helper()
	of := map[int]float64{}
	for _, g := range l.GroupsFor(a, l.Groups(point, true), point) {
		total, _, err := l.Learned(a, &g, l.Points[point])
		if err != nil {
			t.Fatal(err)
		}
		epsilon, _ := total.Pure()
		if !total.Private() {
			epsilon = -1
		}
		for i := range g.Count {
			of[g.First+i] = epsilon
		}
	}
	return of
}

// A coalition learns what the plan says, of others than its members, and of those without
// a bound who sent a member something raw, or as released before paying.
func TestCoalitionsLearn(t *testing.T) {
	raw, released, public := algorithm.Raw(), algorithm.Released(accountant.NewReceipt(accountant.Loss{})), algorithm.Public("")
	l := New(unmeasured(), Options{
		Participants: 5, Units: 5, Points: []int{2, 4}, Accounts: coalitions([]messages.NodeID{1}, []messages.NodeID{1, 3}),
		Learns: func() Learns { return told },
	})
	if !l.EachReceiver() {
		t.Error("receivers are taken for alike")
	}
	for node := range messages.NodeID(4) {
		if err := l.Spent(node, 1, accountant.Loss{Epsilon: 7}); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range []struct {
		from, to messages.NodeID
		step     int
		mark     algorithm.Mark
	}{{0, 3, 3, raw}, {2, 4, 1, raw}, {2, 1, 1, public}, {3, 1, 1, released}, {4, 1, 2, released}} {
		l.Exposed(e.from, e.to, e.step, &e.mark)
	}
	for _, test := range []struct {
		account, point int
		want           map[int]float64
	}{
		{0, 0, map[int]float64{0: 7, 1: 7, 2: -1, 3: 7, 4: -1}}, // 2 sent 4 something raw, who is a peer
		{0, 1, map[int]float64{0: -1, 1: 7, 2: -1, 3: 7, 4: -1}},
		{1, 0, map[int]float64{0: 10, 2: 12, 3: 12, 4: -1}}, // 4 has not paid
		{1, 1, map[int]float64{0: 10, 2: 14, 3: 14, 4: -1}},
		{2, 0, map[int]float64{0: 10, 2: 12, 4: -1}},
		{2, 1, map[int]float64{0: -1, 2: 14, 4: -1}}, // 3 was sent something raw of 0
	} {
		if got := learned(t, l, &l.Accounts[test.account], test.point); !reflect.DeepEqual(got, test.want) {
			t.Errorf("account %d, point %d: %v, want %v", test.account, test.point, got, test.want)
		}
	}
	again := New(unmeasured(), Options{Participants: 5, Units: 5, Points: l.Points, Accounts: l.Accounts, Learns: func() Learns { return told }})
	if err := messages.Read(messages.Write(nil, l), again); err != nil || !reflect.DeepEqual(again.paid, l.paid) {
		t.Errorf("restored %+v, %v, want %+v", again.paid, err, l.paid)
	}
}

// Where the plan says nothing, a coalition learns what units paid, and what is raw reaches
// it over whoever was sent it.
func TestCoalitionsOfPlansThatSayNothing(t *testing.T) {
	raw := algorithm.Raw()
	for name, learns := range map[string]func() Learns{"no plan": nil, "no answer": func() Learns { return nil }} {
		l := New(unmeasured(), Options{Participants: 5, Units: 5, Points: []int{4}, Accounts: coalitions([]messages.NodeID{1}), Learns: learns})
		for node := range messages.NodeID(5) {
			if err := l.Spent(node, 1, accountant.Loss{Epsilon: 7}); err != nil {
				t.Fatal(err)
			}
		}
		l.Exposed(2, 4, 3, &raw)
		if got, want := learned(t, l, &l.Accounts[1], 0), (map[int]float64{0: 7, 2: -1, 3: 7, 4: 7}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// What clients send a server raw is not seen by another client, and is by the server; what
// the server sends raw is of all clients.
func TestCoalitionsBesideAServer(t *testing.T) {
	raw := algorithm.Raw()
	said := func(View, messages.NodeID, int) (accountant.Total, bool, error) {
		return accountant.Loss{Epsilon: 3}.Total(), true, nil
	}
	for name, test := range map[string]struct {
		from, to       messages.NodeID
		learns         func() Learns
		client, server map[int]float64
	}{
		"to the server":         {1, 0, nil, map[int]float64{1: 7, 3: 7}, map[int]float64{1: -1, 3: 7}},
		"to the server, said":   {1, 0, func() Learns { return said }, map[int]float64{1: 3, 3: 3}, map[int]float64{1: -1, 3: 3}},
		"from the server":       {0, 2, nil, map[int]float64{1: -1, 3: -1}, map[int]float64{1: -1, 3: -1}},
		"from the server, said": {0, 2, func() Learns { return said }, map[int]float64{1: -1, 3: -1}, map[int]float64{1: -1, 3: -1}},
	} {
		l := New(unmeasured(), Options{
			Server: true, Participants: 4, Units: 3, Points: []int{4}, Accounts: coalitions([]messages.NodeID{2}, []messages.NodeID{0, 2}), Learns: test.learns,
		})
		for node := range messages.NodeID(4) {
			if err := l.Spent(node, 1, accountant.Loss{Epsilon: 3.5}); err != nil {
				t.Fatal(err)
			}
		}
		l.Exposed(test.from, test.to, 2, &raw)
		for i, want := range []map[int]float64{test.client, test.server} {
			if got := learned(t, l, &l.Accounts[i+1], 0); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: account %d: %v, want %v", name, i+1, got, want)
			}
		}
	}
}

// What a plan cannot say is the error of whoever asks.
func TestPlansThatFail(t *testing.T) {
	failure := errors.New("no such graph")
	l := New(unmeasured(), Options{Participants: 2, Units: 2, Points: []int{4}, Accounts: coalitions([]messages.NodeID{1}), Learns: func() Learns {
		return func(View, messages.NodeID, int) (accountant.Total, bool, error) {
			return accountant.Total{}, false, failure
		}
	}})
	if err := l.Spent(0, 1, accountant.Loss{Epsilon: 7}); err != nil {
		t.Fatal(err)
	}
	a := &l.Accounts[1]
	for _, g := range l.GroupsFor(a, l.Groups(0, true), 0) {
		if _, _, err := l.Learned(a, &g, 4); !errors.Is(err, failure) {
			t.Errorf("%v", err)
		}
	}
}
