package ledger

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// deed is one thing that a participant does in a step: it pays a loss or, where that is nil,
// sends something, or stops.
type deed struct {
	node, step int
	pays       *accountant.Loss
	raw, stops bool
}

// fits tells whether payments are those of a bill, or where not all is due yet may be some of them.
func fits(payments []accountant.Loss, b ExpectedPayment, all bool) bool {
	if !b.total {
		return assigned(payments, b.Prices[:], make([]int, MostPrices), all)
	}
	sum := 0.0
	for _, p := range payments {
		if p.Rho > 0 {
			return false
		}
		sum += p.Epsilon // of small whole numbers
	}
	return !all || sum == b.sum.Epsilon
}

// assigned tells whether payments are all for prices, each for one of its own, so that
// every price is paid at most Most times, and at least Least times where all is due: by trying
// every assignment.
func assigned(payments []accountant.Loss, prices []Price, counts []int, all bool) bool {
	if len(payments) == 0 {
		for i, p := range prices {
			if all && counts[i] < p.Least {
				return false
			}
		}
		return true
	}
	for i, p := range prices {
		if p.Loss != payments[0] || counts[i] == p.Most {
			continue
		}
		counts[i]++
		ok := assigned(payments[1:], prices, counts, all)
		if counts[i]--; ok {
			return true
		}
	}
	return false
}

// enumerated is what is wrong with a transcript by bills: the first payment that no assignment
// has, or the first step, then participant, that sent something and left something unpaid. Both
// are 0 where nothing is.
func enumerated(deeds []deed, nodes, steps int, raw bool, bills Billing) (refused int, short, who int) {
	short = math.MaxInt
	refused = len(deeds)
	for node := range nodes {
		begun, earlier := false, 0
		for step := 1; step <= steps; step++ {
			var paid []accountant.Loss
			sent, stopped, any, before := false, false, false, earlier
			var bill ExpectedPayment
			for k, d := range deeds {
				if d.node != node || d.step != step {
					continue
				}
				any = true
				sent = sent || d.pays == nil && !d.stops && !(raw && d.raw)
				stopped = stopped || d.stops
				if d.pays != nil && *d.pays != (accountant.Loss{}) {
					paid, earlier = append(paid, *d.pays), earlier+1
				}
				bill = bills(messages.NodeID(node), step, Moment{Begins: !begun, Paid: before > 0, Payments: earlier})
				if !fits(paid, bill, false) {
					refused = min(refused, k)
					break
				}
			}
			if !any {
				continue
			}
			begun = true
			if sent && !stopped && !fits(paid, bill, true) && step < short {
				short, who = step, node
			}
		}
	}
	return refused, short, who
}

// What a ledger holds against bills is what an enumeration says of the whole transcript: every
// assignment of payments to prices is tried, and moments are counted from the beginning.
func TestDuesByEnumeration(t *testing.T) {
	var refusals, shorts, fine int
	rapid.Check(t, func(t *rapid.T) {
		const nodes, steps = 2, 4
		// Few sizes, so that prices are alike at times.
		losses := []accountant.Loss{{Epsilon: 1}, {Epsilon: 2}, {Rho: 1}}
		loss := rapid.SampledFrom(losses)
		price := func(name string) Price {
			least := rapid.IntRange(0, 2).Draw(t, name+" least")
			return Price{loss.Draw(t, name), least, least + rapid.IntRange(0, 1).Draw(t, name+" more")}
		}
		usual, other := ExpectedPayment{Prices: [MostPrices]Price{price("first"), price("second")}}, Pays(loss.Draw(t, "other"), 1, 1)
		kind := rapid.IntRange(0, 4).Draw(t, "what bills depend on")
		bills := func(node messages.NodeID, step int, at Moment) ExpectedPayment {
			switch {
			case kind == 1 && at.Begins, kind == 2 && at.Paid, kind == 4 && step == 3 && node == 1:
				return other
			case kind == 3:
				return PaysInAll(accountant.Loss{Epsilon: 3})
			}
			return usual
		}
		raw := rapid.Bool().Draw(t, "raw messages are apart")
		var deeds []deed
		for step := 1; step <= steps; step++ {
			for node := range nodes {
				// What the bill has, mostly, with something more or less at times.
				for _, p := range usual.Prices {
					for range max(0, p.Least+rapid.SampledFrom([]int{0, 0, 0, 0, 1, -1}).Draw(t, "more or less")) {
						paid := p.Loss
						deeds = append(deeds, deed{node: node, step: step, pays: &paid})
					}
				}
				switch rapid.IntRange(0, 9).Draw(t, "sends") {
				case 0:
				case 1:
					deeds = append(deeds, deed{node: node, step: step, stops: true}, deed{node: node, step: step})
				case 2, 3:
					deeds = append(deeds, deed{node: node, step: step, raw: true})
				case 4:
					deeds = append(deeds, deed{node: node, step: step}, deed{node: node, step: step, raw: true})
				default:
					deeds = append(deeds, deed{node: node, step: step})
				}
			}
		}
		l := New(unmeasured(), Options{
			Participants: nodes, Units: nodes, Points: []int{steps}, Raw: raw, Reasons: []algorithm.Reason{"known"},
			Accounts: []Account{{Observer: accountant.Wire, Delta: 1e-5, By: accountant.PLD}},
		})
		var made [nodes][steps + 1]int // payments of more than nothing
		l.Bills = func(node messages.NodeID, step int, at Moment) ExpectedPayment {
			count := 0
			for _, n := range made[node][:step+1] {
				count += n
			}
			if at.Payments != count {
				t.Fatalf("node %d is said to have made %d payments by step %d, and made %d", node, at.Payments, step, count)
			}
			return bills(node, step, at)
		}
		refused, short, who := enumerated(deeds, nodes, steps, raw, bills)
		for k, d := range deeds {
			var err error
			switch mark := algorithm.Public("known"); {
			case d.stops:
				l.Stopped(messages.NodeID(d.node), d.step, "a test")
			case d.pays != nil:
				made[d.node][d.step]++
				err = l.Spent(messages.NodeID(d.node), d.step, *d.pays)
			case d.raw:
				mark = algorithm.Raw()
				fallthrough
			default:
				l.Exposed(messages.NodeID(d.node), messages.NodeID(1-d.node), d.step, &mark)
			}
			if (err != nil) != (k == refused) {
				t.Fatalf("deed %d of %+v: %v; the first that is refused is %d", k, deeds, err, refused)
			}
			if err != nil {
				refusals++
				return
			}
		}
		err := l.Settled(1)
		if short == math.MaxInt {
			if fine++; err != nil {
				t.Fatalf("%v; want none", err)
			}
			return
		}
		shorts++
		want := fmt.Sprintf("step %d, node %d: it sent a message that somebody sees and paid", short, who+1)
		if err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
			t.Fatalf("%v; want %q", err, want)
		}
	})
	if refusals == 0 || shorts == 0 || fine == 0 {
		t.Errorf("%d payments refused, %d left out, %d runs that are as planned: want all three", refusals, shorts, fine)
	}
}

// What cohorts have paid and shown is what a transcript adds up to by hand, for each participant
// and point: sums of small whole numbers, which no order of addition changes, and what was seen
// raw, or as released before anything was paid.
func TestCohortsByTranscript(t *testing.T) {
	joined, apart := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		const nodes, steps = 7, 6
		points := []int{2, 4, steps}
		cuts := []messages.NodeID{0, 3, nodes}
		l := New(unmeasured(), Options{
			Participants: nodes, Units: nodes, Points: points,
			Accounts: []Account{{Observer: accountant.Wire, By: accountant.PLD}},
		})
		// By node and step: what is paid, and whether what is sent is raw, or unpaid.
		var paid [nodes][steps + 1]float64
		var raw, unpaid [nodes][steps + 1]bool
		sofar := func(node messages.NodeID) (sum float64) {
			for _, epsilon := range paid[node] {
				sum += epsilon
			}
			return sum
		}
		for step := 1; step <= steps; step++ {
			for c := range len(cuts) - 1 {
				first, end := cuts[c], cuts[c+1]
				loss := accountant.Loss{Epsilon: float64(rapid.IntRange(0, 3).Draw(t, "epsilon"))}
				if step == 1 {
					loss.Epsilon = float64(rapid.IntRange(0, 1).Draw(t, "first epsilon"))
				}
				together := l.SpentAll(first, end, step, loss)
				for node := first; node < end; node++ {
					if paid[node][step] += loss.Epsilon; together {
						continue
					}
					if err := l.Spent(node, step, loss); err != nil {
						t.Fatal(err)
					}
				}
				if joined++; !together {
					joined, apart = joined-1, apart+1
				}
				mark := algorithm.Released(accountant.NewReceipt(accountant.Loss{Epsilon: 1}))
				exposes := rapid.IntRange(0, 7).Draw(t, "raw, or nothing")
				if exposes == 0 {
					mark = algorithm.Raw()
				}
				if exposes != 1 || step == 1 {
					l.ExposedAll(first, end, step, &mark)
					for node := first; node < end; node++ {
						raw[node][step], unpaid[node][step] = exposes == 0, exposes > 0 && sofar(node) == 0
					}
				}
				if rapid.IntRange(0, 3).Draw(t, "one more") == 0 {
					node := messages.NodeID(rapid.IntRange(int(first), int(end)-1).Draw(t, "who"))
					if err := l.Spent(node, step, accountant.Loss{Epsilon: 5}); err != nil {
						t.Fatal(err)
					}
					paid[node][step] += 5
				}
			}
		}
		wire := ObserverIndex(accountant.Wire)
		for point, until := range points {
			seen := 0
			for _, g := range l.Groups(point, true) {
				for node := g.First; node < g.First+g.Count; node++ {
					seen++
					total, shown, missing := 0.0, false, false
					for step := range until + 1 {
						total, shown, missing = total+paid[node][step], shown || raw[node][step], missing || unpaid[node][step]
					}
					if epsilon, _ := g.Total.Pure(); epsilon != total || g.Shown[wire] != (shown || missing) || g.Unpaid[wire] != missing {
						t.Fatalf("node %d by step %d: paid %v, shown %v, unpaid %v; want %v, %v, %v", node, until, epsilon, g.Shown[wire], g.Unpaid[wire], total, shown || missing, missing)
					}
				}
			}
			if seen != nodes {
				t.Fatalf("%d participants by step %d, want %d", seen, until, nodes)
			}
		}
	})
	if joined == 0 || apart == 0 {
		t.Errorf("%d calls were charged as one, and %d were not: want both", joined, apart)
	}
}
