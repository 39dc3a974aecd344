package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// TestEdgeFiles checks that numbers of edges in a file are those in the scenario,
// that results depend on the file's contents, and where its errors are.
func TestEdgeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edges.csv")
	load := func(text, section string) (*study.Scenario, error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return scenarios.Load(baseFile(t, base), parseSets(t, "network="+strings.ReplaceAll(section, "FILE", path), "seeds.count=1")...)
	}
	digest := func(s *study.Scenario, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Digest
	}
	for _, test := range []struct{ column, file, inline, less string }{
		{"turns", "{kind: effects, delay: {file: FILE, rest: 1}}", "{kind: effects, delay: {edges: [{from: 1, to: 3, turns: 7}], rest: 1}}", "1,3,2"},
		{"bytes", "{kind: effects, bandwidth: {bytes: 30, longest: 3, file: FILE}}", "{kind: effects, bandwidth: {bytes: 30, longest: 3, edges: [{from: 1, to: 3, bytes: 7}]}}", "1,3,2"},
	} {
		header := "from,to," + test.column + "\n"
		first, err := load(header+"1, 3, 7\n", test.file)
		want := digest(load("", test.inline))
		if got := digest(first, err); got != want {
			t.Errorf("%s: %s from the file, %s inline", test.column, got, want)
		}
		marked, err := load("\ufeff"+header+"1,3,7\r\n", test.file)
		if got := digest(marked, err); got != want {
			t.Errorf("%s: behind a byte order mark %s, want %s", test.column, got, want)
		}
		other, err := load(header+test.less+"\n", test.file)
		if got := digest(other, err); got == want {
			t.Errorf("%s: other numbers, and the same digest", test.column)
		}
		if runner.Hash(first, "b") == runner.Hash(other, "b") {
			t.Errorf("%s: other numbers, and the same hash", test.column)
		}
		for text, fault := range map[string]string{
			"":                            ":1: the file is empty; want the columns from, to, " + test.column,
			"from,to\n":                   ":1: the columns are from, to; want from, to, " + test.column,
			header + "1,3,7\n1,3,7\n":     ":3: the edge from 1 to 3 is given already, in line 2",
			header + "1,3,7\n1,4,7\n":     `:3: node "4" is not one of 1 to 3`,
			header + "\n\n2,2,7\n":        ":4: the edge from 2 to itself crosses no wire",
			header + "1,3,-7\n":           ":2: " + test.column + ` is "-7"; want an integer of 0 to `,
			header + "1,3,7,9\n":          ":2: 4 columns; want 3",
			header + "1,\"3,7\n":          `:2: extraneous or missing " in quoted-field`,
			header + "1,3,99999999999999": ":2: " + test.column + ` is "99999999999999"; want an integer of 0 to `,
		} {
			if _, err := load(text, test.file); err == nil || !strings.Contains(err.Error(), path+fault) {
				t.Errorf("%q: %v, want %q", text, err, fault)
			}
		}
		if _, err := load("", strings.ReplaceAll(test.file, "FILE", "nowhere.csv")); err == nil || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("%s: no file: %v", test.column, err)
		}
	}
	if _, err := load("from,to,turns\n1,3,7\n", "{kind: effects, delay: {file: FILE, edges: [{from: 1, to: 3, turns: 7}]}}"); err == nil || !strings.Contains(err.Error(), "the edge from 1 to 3 is given already") {
		t.Errorf("an edge in the file and beside it: %v", err)
	}
}

// TestEventsThatEnd checks that heal and recover do what until does, and that a
// node alone is a list of one.
func TestEventsThatEnd(t *testing.T) {
	digest := func(events string) string {
		return metricsOf(t, loadText(t, base, "seeds.count=1", "network={kind: effects, events: "+events+"}"), runner.RunOptions{Engine: runner.Lockstep}).Digest
	}
	for events, same := range map[string]string{
		"[{at: 3, partition: [[1]]}, {at: 6, heal: true}]":                                              "[{at: 3, until: 6, partition: [[1]]}]",
		"[{at: 6, heal: true}, {at: 3, partition: [[1]]}, {at: 8, partition: [[1]]}]":                   "[{at: 3, until: 6, partition: [[1]]}, {at: 8, partition: [[1]]}]",
		"[{at: 3, partition: [[1]], name: a}, {at: 3, partition: [[2]]}, {at: 6, heal: true}]":          "[{at: 3, until: 6, partition: [[1]]}, {at: 3, until: 6, partition: [[2]]}]",
		"[{at: 3, partition: [[1]], name: a}, {at: 3, partition: [[2]]}, {at: 6, heal: true, name: a}]": "[{at: 3, until: 6, partition: [[1]]}, {at: 3, partition: [[2]]}]",
		"[{at: 3, crash: 2, forget: true}, {at: 6, recover: 2}]":                                        "[{at: 3, until: 6, crash: [2], forget: true}]",
		"[{at: 3, crash: [1, 2]}, {at: 6, recover: 2}]":                                                 "[{at: 3, crash: 1}, {at: 3, until: 6, crash: 2}]",
		"[{at: 3, crash: [1, 2]}, {at: 6, recover: [1, 2]}, {at: 7, crash: 1}]":                         "[{at: 3, until: 6, crash: [1, 2]}, {at: 7, crash: [1]}]",
		"[{at: 4, join: 1}, {at: 7, leave: 2}, {at: 2, straggle: 3, turns: 1}]":                         "[{at: 4, join: [1]}, {at: 7, leave: [2]}, {at: 2, straggle: [3], turns: 1}]",
	} {
		if got, want := digest(events), digest(same); got != want {
			t.Errorf("%s is not %s", events, same)
		}
		if digest(events) == digest("[{at: 3, until: 5, partition: [[1]]}]") {
			t.Errorf("%s does nothing of its own", events)
		}
	}
}

// TestBandwidthExtremes runs what must be defined, finite and reported, and
// compares the runtimes.
func TestBandwidthExtremes(t *testing.T) {
	const sent, bytes = 3 * 12, 3 * 12 * (5 + 8*2)
	for section, want := range map[string]map[string]float64{
		"{kind: effects, bandwidth: {bytes: 0, longest: 5}}":                          {gauge.MessagesDropped: sent, gauge.BytesQueued: 0},
		"{kind: effects, bandwidth: {bytes: 0, queue: 1000}}":                         {gauge.MessagesDropped: sent, gauge.BytesQueued: 0},
		"{kind: effects, bandwidth: {bytes: 1, longest: 1000}}":                       {gauge.MessagesDropped: 0, gauge.BytesQueued: bytes - 3*12},
		"{kind: effects, bandwidth: {bytes: 1, queue: 20}}":                           {gauge.MessagesDropped: sent - 3, gauge.BytesQueued: 3 * (5 + 8*2 - 12)},
		"{kind: effects, bandwidth: {bytes: 21, queue: 0}}":                           {gauge.MessagesDropped: 0, gauge.BytesQueued: 0, gauge.MessagesLate: 0},
		"{kind: effects, bandwidth: {bytes: 1, longest: 9}, loss: {probability: 1}}":  {gauge.MessagesLost: sent, gauge.MessagesDropped: 0, gauge.BytesQueued: 0},
		"{kind: effects, bandwidth: {edges: [{from: 1, to: 3, bytes: 0}], queue: 0}}": {gauge.BytesQueued: 0, gauge.MessagesLate: 0},
	} {
		for _, missing := range []string{"drop", "renormalise", "hold"} {
			s := loadText(t, base, "seeds.count=1", "network="+section, "algorithm.missing="+missing, "topology.weights=unchecked")
			a, b := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}), metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2})
			if a.Digest != b.Digest {
				t.Errorf("%s, %s: lockstep %s, actors %s", section, missing, a.Digest, b.Digest)
			}
			got := map[string]float64{}
			for _, row := range a.Rows {
				if row.Node == nil {
					got[row.Metric] = row.Value
				}
			}
			for metric, value := range want {
				if v, recorded := got[metric]; !recorded || v != value {
					t.Errorf("%s, %s: %s is %v, want %v", section, missing, metric, v, value)
				}
			}
		}
	}
}
