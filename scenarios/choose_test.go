package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// protectedBy has a word for each unit of a ledger. A new unit needs one here.
var protectedBy = map[string]string{
	"a node's costs":                "node",
	"a client's datum":              "step",
	"one loss of one client":        "step",
	"a sample of a client":          "record",
	"a client with all of its data": "client",
	"all that a client sends":       "client",
}

// choices are changes of an algorithm's example that protect something else, or from others,
// where the algorithm takes them.
var choices = []string{"", "algorithm.level=record", "algorithm.aggregation={kind: local}"}

// TestChoose holds the table of the topic choose against the catalog: each row is computed from
// the ledger and the messages of an algorithm's example in the catalog, and the command that
// begins with it makes a valid scenario.
func TestChoose(t *testing.T) {
	t.Parallel()
	catalog := scenarios.Catalog()
	rows := []string{"| algorithm | protects | from | messages | problem |", "| --- | --- | --- | --- | --- |"}
	for _, a := range catalog.Algorithms {
		for _, choice := range choices {
			if row := chosenRow(t, a, choice); row != "" {
				rows = append(rows, row)
			}
		}
	}
	page, err := os.ReadFile("../cmd/starling/command/help/choose.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(rows, "\n") + "\n"; !strings.Contains(string(page), "\n\n"+want+"\n") {
		t.Errorf("the table of choose.md is not that of the catalog, which is\n%s", want)
	}
	for line := range strings.Lines(string(page)) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 120 {
			t.Errorf("%d columns in %q", n, line)
		}
	}
}

// chosenRow is the row of an algorithm with a change of its example; empty where it takes no
// such change, or where the change changes nothing of the row.
func chosenRow(t *testing.T, a kind.Kind, choice string) string {
	t.Helper()
	cells := chosenCells(t, a, choice)
	if cells == nil || choice != "" && slices.Equal(cells, chosenCells(t, a, "")) {
		return ""
	}
	name := "`" + a.Kind + "`"
	if _, change, ok := strings.Cut(choice, "algorithm."); ok {
		_, value, _ := strings.Cut(change, "=")
		name += ", " + strings.Trim(strings.TrimPrefix(value, "{kind: "), "}")
	}
	return "| " + name + " | " + strings.Join(cells, " | ") + " |"
}

// chosenCells are the cells of a row after its name.
func chosenCells(t *testing.T, a kind.Kind, choice string) []string {
	t.Helper()
	var list []loading.Override
	if choice != "" {
		list = scenariotest.ParseSets(t, choice)
	}
	s, err := scenariotest.Loader(t).Load(scenariotest.File(t, a.Examples[0]), list...)
	if err != nil && choice != "" {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	o, err := runner.Run(s, t.Context(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep, Version: "test", Build: "test"})
	if err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	problem, _ := s.Document.Root().Get("problem")
	of, _ := problem.Get("kind")
	return []string{protects(t, run), protectedFrom(t, run), messagesOf(t, s.Arms[0], run), "`" + of.Value() + "`"}
}

// protects names the unit of the ledger, in a word that a reader chooses by.
func protects(t *testing.T, run *results.Run) string {
	t.Helper()
	unit := run.Manifest.Ledger[0].Unit
	word, ok := protectedBy[unit]
	if !ok {
		t.Errorf("the unit %q has no word in the table of choices", unit)
	}
	return word
}

// protectedFrom lists the observers whose losses are all finite.
func protectedFrom(t *testing.T, run *results.Run) string {
	t.Helper()
	seen, open := map[string]bool{}, map[string]bool{}
	err := run.Privacy(func(row results.PrivacyRow) error {
		seen[row.Observer] = true
		open[row.Observer] = open[row.Observer] || math.IsInf(row.Epsilon, 1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, observer := range []struct{ name, shown string }{{"server", "server"}, {"peer", "peers"}, {"wire", "wire"}} {
		if seen[observer.name] && !open[observer.name] {
			names = append(names, observer.shown)
		}
	}
	switch {
	case len(seen) == 0:
		return "all"
	case names == nil:
		return "nobody"
	}
	return strings.Join(names, ", ")
}

// messagesOf states the messages of a step: in all, or the most for each client of a server or
// for each link of a graph.
func messagesOf(t *testing.T, arm *study.Arm, run *results.Run) string {
	t.Helper()
	sent := 0.0
	err := run.Summary(func(row results.SummaryRow) error {
		if row.Metric == gauge.MessagesSent {
			sent = row.Mean
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	each, of := arm.File.Nodes, "client"
	if !arm.Extent.Server {
		each, of = int(arm.Topology.Edges), "link"
	}
	switch step := sent / float64(arm.File.Horizon); {
	case sent == 0:
		return "none"
	case step <= 1:
		return "1 in all"
	default:
		return fmt.Sprintf("%v/%s", math.Ceil(step/float64(each)), of)
	}
}
