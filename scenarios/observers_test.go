package scenarios_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/scenarios/accounts"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/view"
)

// What named nodes and coalitions learn, of nodes without a server and beside a server, with
// noise and without: as much as peers do, or as the server among them, and nothing of
// themselves.
func TestNamedObservers(t *testing.T) {
	for name, test := range map[string]struct {
		text      string
		overrides []string
		observer  string
		like      accountant.Observer
		units     []int32 // of whom it learns, ascending
	}{
		"node of equals":         {base, nil, "node 3", accountant.Peer, []int32{1, 2}},
		"coalition of equals":    {base, nil, "nodes 1, 3", accountant.Peer, []int32{2}},
		"without noise":          {base, []string{"mechanism.epsilon=none"}, "node 3", accountant.Peer, []int32{1, 2}},
		"client":                 {realizable, nil, "node 2", accountant.Peer, []int32{1, 3}},
		"server":                 {realizable, nil, "node 0", accountant.Server, []int32{1, 2, 3}},
		"server and client":      {realizable, nil, "nodes 0, 2", accountant.Server, []int32{1, 3}},
		"client, recorded twice": {realizable, []string{"measure.pairs=true"}, "node 2", accountant.Peer, []int32{1, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			named := "measure.observers=[{nodes: [" + strings.TrimPrefix(test.observer, "nodes ") + "]}]"
			if node, one := strings.CutPrefix(test.observer, "node "); one {
				named = "measure.observers=[{node: " + node + "}]"
			}
			overrides := append(test.overrides, "seeds.count=1", named)
			s := loadText(t, test.text, overrides...)
			arm, j := s.Arms[0], jobOf(t, s)
			if err := lockstep.Run(context.Background(), &j.Run); err != nil {
				t.Fatal(err)
			}
			rows := finalRows(t, arm, j)
			var units []int32
			for unit, epsilon := range rows[accountant.Observer(test.observer)] {
				units = append(units, unit)
				if want := rows[test.like][unit]; epsilon != want {
					t.Errorf("it learns %v of %d, want %v", epsilon, unit, want)
				}
			}
			if slices.Sort(units); !slices.Equal(units, test.units) {
				t.Errorf("it learns of %v, want %v", units, test.units)
			}
		})
	}
}

// Named observers change nothing but the ledger, on both runtimes, and resumed.
func TestNamedObserversChangeNothingElse(t *testing.T) {
	s := loadText(t, base, "seeds.count=1", "measure.observers=[{node: 3}, {nodes: [2, 1]}]", "measure.pairs=true")
	plain := metricsOf(t, loadText(t, base, "seeds.count=1"), runner.RunOptions{})
	if got := metricsOf(t, s, runner.RunOptions{}); got.Digest != plain.Digest {
		t.Error("the digests differ")
	}
	text := privacyText(t, s, runner.RunOptions{})
	for _, engine := range scenariotest.SomeEngines(s) {
		if got := privacyText(t, s, engine); got != text {
			t.Errorf("the runtimes disagree: %s, want %s", got, text)
		}
	}
}

// Lists of observers have those that the scenario names, and none that pairs alone ask for.
func TestNamedObserversInTables(t *testing.T) {
	s := loadText(t, base, "seeds.count=1", "measure.observers=[{node: 3}, {nodes: [2, 1]}]", "measure.pairs=true")
	run, err := results.Open(runIn(t, s, runner.RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	table, err := accounts.LedgerTable(run)
	if err != nil {
		t.Fatal(err)
	}
	var has []string
	for _, row := range table.Rows {
		has = append(has, row[1])
	}
	text := strings.Join(has, ", ")
	if !strings.Contains(text, "node 3") || !strings.Contains(text, "nodes 1, 2") || strings.Contains(text, "node 1") {
		t.Errorf("observers %s", text)
	}
	for _, test := range []struct {
		observer string
		names    []string
	}{{"", []string{"wire", "peer", "public", "node 3", "nodes 1, 2"}}, {"nodes 2,1", []string{"nodes 1, 2"}}, {"node 2", []string{"node 2"}}} {
		curves, err := accounts.PrivacyCurves(run, accounts.CurveOptions{Observer: test.observer})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range curves {
			names = append(names, c.Observer)
			if n := len(c.Points); n == 0 || math.IsInf(c.Points[n-1].Epsilon, 1) || !(c.Points[n-1].Epsilon > 0) {
				t.Errorf("%s: %v", c.Observer, c.Points)
			}
		}
		if !slices.Equal(names, test.names) {
			t.Errorf("%q: %q, want %q", test.observer, names, test.names)
		}
	}
	for observer, want := range map[string]string{
		"node 9": "has not accounted for node 9; its observers are wire, peer, public, node 3, nodes 1, 2;", "server": "nobody is server", "nodes 1 2": `unknown observer "nodes 1 2"`,
	} {
		if _, err := accounts.PrivacyCurves(run, accounts.CurveOptions{Observer: observer}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", observer, err, want)
		}
	}
}

// A network with names has observers by name or by number, with the same account.
func TestNamedObserversByName(t *testing.T) {
	contacts := namedContacts(t)
	byName := loadText(t, base, contacts, "seeds.count=1", "measure.observers=[{node: bob}, {nodes: [eve, ann]}]")
	byNumber := loadText(t, base, contacts, "seeds.count=1", "measure.observers=[{node: 2}, {nodes: [3, 1]}]")
	got, want := privacyText(t, byName, runner.RunOptions{}), privacyText(t, byNumber, runner.RunOptions{})
	if got != want || !strings.Contains(got, "node 2 ") || !strings.Contains(got, "nodes 1, 3 ") {
		t.Errorf("%s, want %s", got, want)
	}
	for override, want := range map[string]string{
		"measure.observers=[{node: bab}]":            `measure.observers[0]: there is no node "bab"; there are 3, with names`,
		"measure.observers=[{node: '2'}]":            `measure.observers[0]: there is no node "2"; there are 3, with names`,
		"measure.observers=[{nodes: [bob, 2]}]":      "measure.observers[0]: node 2 is given twice",
		"measure.observers=[{node: [bob]}]":          "measure.observers[0].node: expected the number or the name of a node, got [bob]",
		"measure.observers=[{nodes: [bob, true]}]":   "measure.observers[0].nodes[1]: expected the number or the name of a node, got true",
		"measure.observers=[{node: 1e30}]":           "measure.observers[0].node: expected the number or the name of a node, got 1e30",
		"measure.observers=[{node: 99999999999999}]": "measure.observers[0]: there is no node 99999999999999; want 1 to 3",
	} {
		if _, err := loadError(t, base, contacts, override); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", override, err, want)
		}
	}
	if _, err := loadError(t, base, "nodes=3", "measure.observers=[{node: bob}]"); err == nil || !strings.Contains(err.Error(), `node is "bob", want a whole number: nodes have no names here`) {
		t.Errorf("a network without names: %v", err)
	}
}

// What no node is.
func TestNamedObserversRefused(t *testing.T) {
	for override, want := range map[string]string{
		"measure.observers=[{node: 9}]":               "measure.observers[0]: there is no node 9; want 1 to 3",
		"measure.observers=[{node: 0}]":               "measure.observers[0]: there is no node 0; want 1 to 3",
		"measure.observers=[{node: 1}, {node: 1}]":    "measure.observers[1]: it is named before",
		"measure.observers=[{nodes: [1, 1]}]":         "measure.observers[0]: node 1 is given twice",
		"measure.observers=[{nodes: [1]}]":            "measure.observers[0].nodes: 1 nodes; want 2 to 1000",
		"measure.observers=[{}]":                      "measure.observers[0]: nobody is named",
		"measure.observers=[{node: 1, nodes: [1,2]}]": "measure.observers[0]: a node or nodes: not both",
		"measure.observers=[{peer: 1}]":               `unknown key "peer"`,
		"measure.observers=[]":                        "measure.observers: 0 observers; want",
	} {
		_, err := loadError(t, base, "nodes=3", override)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", override, err, want)
		}
	}
}

// Pairs have every node's knowledge of every other, under the seed in which that is the
// most, and none of itself; too many nodes for a table are summed up.
func TestPairsOfNodes(t *testing.T) {
	s := loadText(t, base, "measure.pairs=true", "sweep={list: [{name: a, set: {}}, {name: b, set: {mechanism.epsilon: none}}]}")
	run, err := results.Open(runIn(t, s, runner.RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	list, err := accounts.PairsOf(run)
	if err != nil || len(list) != 2 || list[0].Arm != "a" || !list[0].Fits() {
		t.Fatalf("%+v, %v", list, err)
	}
	if rows := list[0].Rows(); len(rows) != 6 || rows[0].Unit != 1 || rows[0].Observer != "node 2" || !(rows[0].Epsilon > 12) {
		t.Errorf("%+v", rows)
	}
	if table := list[1].Table(); !slices.Equal(table.Header, []string{"unit", "node 1", "node 2", "node 3"}) || !slices.Equal(table.Rows[1], []string{"2", "inf", "-", "inf"}) {
		t.Errorf("%+v", table)
	}
	if summary := accounts.PairsSummary(list); len(summary.Rows) != 2 || summary.Rows[0][1] != "6" || summary.Rows[1][4] != "inf" {
		t.Errorf("%+v", summary)
	}
	if heat := accounts.PairsFigure(run, list, nil, nil); len(heat.Maps) != 2 || !math.IsNaN(heat.Maps[0].Values[1][1]) || !math.IsInf(heat.Maps[1].Values[0][1], 1) {
		t.Errorf("%+v", heat)
	}
	near, err := view.Near(s)
	if err != nil {
		t.Fatal(err)
	}
	// A table beside boxes has the losses of the boxes, and says over which seeds they are.
	for under, want := range map[bool]string{false: "6 largest of each pair", true: "12 each pair under each seed"} {
		of := near["a"]
		if of.Under = nil; under {
			of.Under = func(uint64) accounts.Hops { return of.Hops }
		}
		table := accounts.ShownSummary(list, accounts.Near{"a": of})
		row := table.Rows[0]
		if got := row[1] + " " + row[len(row)-1]; len(list[0].Seeds) != 2 || got != want {
			t.Errorf("the losses of %d seeds are summed up as %q, want %q", len(list[0].Seeds), got, want)
		}
	}
	if _, table, err := view.PairsByDistance(run, s); err != nil || strings.Join(table.Header[:4], "|") != "arm|median|largest|1 edge" || table.Rows[1][2] != "inf" || table.Rows[0][0] != "a" {
		t.Errorf("%+v, %v", table, err)
	}
	// Three nodes on a directed ring are all one edge apart: the quartiles are those of the rows.
	spread := list[0].ByHops(near)
	var all []float64
	for _, row := range list[0].Rows() {
		all = append(all, row.Epsilon)
	}
	if slices.Sort(all); len(spread) != 1 || spread[0].Hops != 1 || spread[0].Pairs != 6 || spread[0].Quartiles != [5]float64{all[0], all[1], all[2], all[3], all[5]} {
		t.Errorf("%+v of %v", spread, all)
	}
	if heat := accounts.PairsFigure(run, list, near, nil); !strings.Contains(heat.Note, "in the order of their numbers") || len(heat.Maps[0].Boxes) != 1 || len(heat.Maps[1].Boxes) != 0 {
		t.Errorf("%+v", heat)
	}
	large := loadText(t, large, "nodes=20", "horizon=3", "seeds.count=1", "measure={every: 3, pairs: true}")
	if run, err = results.Open(runIn(t, large, runner.RunOptions{}).Dir); err != nil {
		t.Fatal(err)
	}
	if list, err = accounts.PairsOf(run); err != nil || len(list) == 0 || list[0].Fits() || len(list[0].Rows()) != 20*19 {
		t.Errorf("%d pairs, %v", len(list), err)
	}
	if _, err := loadError(t, base, "nodes=501", "topology={kind: ring}", "problem={kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 1}}", "algorithm={kind: dsgd}", "measure.pairs=true"); err == nil || !strings.Contains(err.Error(), "measure.pairs: the losses between 501 nodes are too many") {
		t.Errorf("%v", err)
	}
}
