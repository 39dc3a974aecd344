package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// A ledger that is told of cohorts, now and then of single participants, holds what one that
// is told of each does: to the bytes of a checkpoint, with budgets and with plans.
func TestCohortsHaveTheAccountsOfEach(t *testing.T) {
	joined := 0
	rapid.Check(t, func(t *rapid.T) {
		const steps, size = 9, 4
		nodes := rapid.IntRange(1, 11).Draw(t, "nodes")
		limit, planned, alike := rapid.Float64Range(0, 12).Draw(t, "budget"), rapid.Bool().Draw(t, "planned"), rapid.Bool().Draw(t, "bills alike")
		extra := rapid.IntRange(0, 40).Draw(t, "who pays more, and when")
		fresh := func() *Ledger {
			o := Options{
				Participants: nodes, Units: nodes, Points: []int{2, 5, steps}, Reasons: []algorithm.Reason{"known"},
				Accounts: []Account{{Observer: accountant.Wire, Delta: 1e-5, By: accountant.PLD}},
				Stated:   Statement{Metrics: []string{EpsilonStep, EpsilonTotal}},
			}
			o.Budget = NewBudget(accountant.Loss{Epsilon: limit}, Account{By: accountant.PLD})
			l := New(unmeasured(), o)
			if planned {
				l.Bills = func(node messages.NodeID, step int, at Moment) ExpectedPayment {
					if at.Begins {
						return ExpectedPayment{Alike: alike}
					}
					b := Pays(accountant.Loss{Epsilon: float64(step%2 + 1)}, 1, 2)
					b.Alike = alike
					return b
				}
			}
			return l
		}
		reason := algorithm.Reason(rapid.SampledFrom([]string{"known", "unknown"}).Draw(t, "reason"))
		loss := func(step int) accountant.Loss {
			if step == 1 {
				return accountant.Loss{}
			}
			return accountant.Loss{Epsilon: float64(step%2 + 1)}
		}
		mark := func(step int) *algorithm.Mark {
			m := algorithm.Released(accountant.NewReceipt(loss(step)))
			if step == 1 {
				m = algorithm.Public(reason)
			}
			return &m
		}
		one := func(l *Ledger, node messages.NodeID, step int) {
			if l.Spent(node, step, loss(step)) != nil {
				l.Stopped(node, step, "the budget is spent")
				return
			}
			l.Exposed(node, (node+1)%messages.NodeID(nodes), step, mark(step))
			if int(node) == extra%11 && step == extra/5 {
				_ = l.Spent(node, step, loss(step))
			}
		}
		single, together := fresh(), fresh()
		for step := 1; step <= steps; step++ {
			for first := 0; first < nodes; first += size {
				from, end := messages.NodeID(first), messages.NodeID(min(first+size, nodes))
				for node := from; node < end; node++ {
					one(single, node, step)
				}
				if rapid.IntRange(0, 4).Draw(t, "one by one") > 0 && together.SpentAll(from, end, step, loss(step)) {
					joined++
					together.ExposedAll(from, end, step, mark(step))
					if node := messages.NodeID(extra % 11); from <= node && node < end && step == extra/5 {
						_ = together.Spent(node, step, loss(step))
					}
					continue
				}
				for node := from; node < end; node++ {
					one(together, node, step)
				}
			}
			if rapid.IntRange(0, 5).Draw(t, "checkpoint") == 0 {
				if diff := cmp.Diff(messages.Write(nil, single), messages.Write(nil, together)); diff != "" {
					t.Fatalf("after step %d: -each +cohorts:\n%s", step, diff)
				}
				again := fresh()
				if err := messages.Read(messages.Write(nil, together), again); err != nil {
					t.Fatal(err)
				}
				together = again
			}
		}
		text := func(err error) string {
			if err == nil {
				return ""
			}
			return err.Error()
		}
		if a, b := text(single.Settled(1)), text(together.Settled(1)); a != b {
			t.Fatalf("settled %q, want %q", b, a)
		}
		exported := cmp.Comparer(func(a, b Group) bool { return a.First == b.First && a.Count == b.Count && a.equal(&b.standing) })
		for point := range single.Points {
			if diff := cmp.Diff(single.Groups(point, true), together.Groups(point, true), exported); diff != "" {
				t.Fatalf("at point %d: -each +cohorts:\n%s", point, diff)
			}
		}
		if diff := cmp.Diff(messages.Write(nil, single), messages.Write(nil, together)); diff != "" {
			t.Fatalf("-each +cohorts:\n%s", diff)
		}
	})
	if joined == 0 {
		t.Error("no cohort was charged as one")
	}
}
