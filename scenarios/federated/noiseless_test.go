package federated_test

import (
	"context"
	"math"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/scenariotest"
)

// Clients that protect nothing pay for that before they send, whoever would have added noise:
// the ledger says that nothing bounds what is learned, and a budget ends their part before they
// send anything. Gradients need no bound then.
func TestWithoutNoise(t *testing.T) {
	for _, overrides := range [][]string{
		{"algorithm.level=record"},
		{"algorithm.level=record", "algorithm.clip=none"},
		{"algorithm.level=record", "algorithm.clip=none", "algorithm.batch=2"},
		{secure}, {local}, {shuffled},
		{local, "algorithm.clip=none"},
	} {
		overrides = append(overrides, "mechanism={kind: none}")
		w := scenariotest.WatchServer(t, untrustedText(t), overrides...)
		if len(w.Paid[1]) == 0 {
			t.Errorf("%v: a client pays nothing", overrides)
		}
		for _, loss := range w.Paid[1] {
			if loss.Private() {
				t.Errorf("%v: a client pays %v", overrides, loss)
			}
		}
		rows := scenariotest.MeasuredIn(t, untrustedText(t), overrides...).Rows
		if total := scenariotest.Last(scenariotest.ValuesOf(rows, "epsilon.total")); !math.IsInf(total, 1) {
			t.Errorf("%v: a loss of %v", overrides, total)
		}
		s := scenariotest.LoadText(t, untrustedText(t), append(overrides, "budget={epsilon: 1e9, delta: 0.5, on: stop}")...)
		j := scenariotest.JobOf(t, s)
		if err := lockstep.Run(context.Background(), &j.Run); err != nil {
			t.Fatal(err)
		}
		if rows := scenariotest.FinalRows(t, s.Arms[0], j); len(rows) > 0 {
			t.Errorf("%v with a budget: somebody learns %v", overrides, rows)
		}
		if stops := len(j.Meter.Stops()); stops != clients {
			t.Errorf("%v with a budget: %d of %d clients stop", overrides, stops, clients)
		}
	}
}

// A model that nobody has sent anything for shows nothing, although it is told before anybody
// has paid: with so small a rate the first rounds are without a client.
func TestRoundsOfNobody(t *testing.T) {
	s := scenariotest.LoadText(t, untrustedText(t), "algorithm.level=record", "algorithm.rate=0.03")
	j := scenariotest.JobOf(t, s)
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	first, paid := rounds, 0
	for client := range clients {
		if step, ok := j.Meter.LastPaid(messages.NodeID(client + 1)); ok {
			first, paid = min(first, step), paid+1
		}
	}
	if first < 2 || paid == 0 || paid == clients {
		t.Fatalf("%d clients take part, in round %d: want some of them, and none in the first", paid, first)
	}
	for o, units := range scenariotest.FinalRows(t, s.Arms[0], j) {
		for unit, epsilon := range units {
			if math.IsInf(epsilon, 1) {
				t.Errorf("%s learns all of client %d", o, unit)
			}
		}
		if len(units) != paid && o == accountant.Public {
			t.Errorf("%s learns of %d clients, of whom %d have paid", o, len(units), paid)
		}
	}
}
