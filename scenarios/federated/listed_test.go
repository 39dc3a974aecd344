package federated_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// listedText is a run with a list of clients, who.csv.
const listedText = `version: 1
name: listed
horizon: 8
nodes: 30
algorithm: {kind: dp-fedavg, learning_rate: 0.5, clip: 0.3, samples: 6, tau: 2, batch: 3, attendance: {file: FILE}}
problem: {kind: synthetic-logistic, dimension: 5, test_samples: 4}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 0.7, delta: 1e-5}
measure: {every: 1}
seeds: {base: 1, count: 1}
plots: []
`

// listing writes a list of the clients of rounds, and returns the scenario that has it.
func listing(t *testing.T, rounds ...[]int) string {
	var text strings.Builder
	text.WriteString("node,round\n")
	for round, clients := range rounds {
		for _, client := range slices.Backward(clients) { // in any order
			fmt.Fprintf(&text, "%d,%d\n", client, round+1)
		}
	}
	file := filepath.Join(t.TempDir(), "who.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(listedText, "FILE", file, 1)
}

// inTurns lists the clients of so many rounds that come in the turns of groups.
func inTurns(rounds, groups int) (list [][]int) {
	for round := range rounds {
		var clients []int
		for client := 1; client <= 30; client++ {
			if (round+1-client)%groups == 0 {
				clients = append(clients, client)
			}
		}
		list = append(list, clients)
	}
	return list
}

// TestListOfGroups: a list of clients that take turns in groups makes the models and the losses of groups, also by
// seats, with states, and with noise that is correlated over rounds.
func TestListOfGroups(t *testing.T) {
	const groups = 3
	text := listing(t, inTurns(8, groups)...)
	for _, more := range [][]string{
		nil,
		{"algorithm.kind=dp-scaffold"},
		{"algorithm.level=record", "algorithm.rate=1"},
		{"algorithm.kind=dp-ftrl", "mechanism={kind: banded-toeplitz, bands: 3, epsilon: 2, delta: 1e-5}"},
		{"algorithm.aggregation={kind: secure, survivors: 5}", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}"},
	} {
		listed := slices.DeleteFunc(slices.Clone(more), func(set string) bool { return set == "algorithm.rate=1" })
		want := append(slices.Clone(more), "algorithm.attendance=null", fmt.Sprintf("algorithm.groups=%d", groups))
		held, other := scenariotest.WatchServer(t, text, listed...), scenariotest.WatchServer(t, text, want...)
		if len(held.Models) != 8 {
			t.Fatalf("%v: %d models", more, len(held.Models))
		}
		for round, x := range other.Models {
			if !slices.Equal(x, held.Models[round]) {
				t.Errorf("%v: the model of round %d is not that of groups", more, round+1)
			}
		}
		epsilon := func(sets []string) float64 {
			return scenariotest.Last(scenariotest.ValuesOf(scenariotest.MeasuredIn(t, text, sets...).Rows, "epsilon.total"))
		}
		if got, want := epsilon(listed), epsilon(want); got != want || !(got > 0) {
			t.Errorf("%v: epsilon %v, want %v", more, got, want)
		}
		if slices.ContainsFunc(more, func(set string) bool { return strings.Contains(set, "aggregation") }) {
			continue
		}
		seated := scenariotest.WatchServer(t, text, append(listed, "algorithm.draw=server")...)
		for round, x := range seated.Models {
			if far := scenariotest.Far(x, held.Models[round]); far > 1e-12 {
				t.Errorf("%v: by seats the model of round %d is %v from that of clients that are held", more, round+1, far)
			}
		}
	}
}

// TestListIsAttended: a round has the clients of its list, none where the list has none, and the rounds of a list
// are repeated where it says so. The account has the client that comes most, at the least distance of two rounds.
func TestListIsAttended(t *testing.T) {
	text := listing(t, []int{4, 9, 30}, nil, []int{9}, []int{1, 2, 3, 4, 5})
	for _, draw := range []string{"algorithm.draw=clients", "algorithm.draw=server"} {
		s := scenariotest.LoadText(t, text, "algorithm.attendance.repeat=true", draw)
		of := scenariotest.MeasuredIn(t, text, "algorithm.attendance.repeat=true", draw)
		if got, want := scenariotest.ValuesOf(of.Rows, "clients.round"), []float64{3, 0, 1, 5, 3, 0, 1, 5}; !slices.Equal(got, want) {
			t.Errorf("%s: clients of rounds %v, want %v", draw, got, want)
		}
		if note := scenariotest.NoteOf(scenariotest.RunIn(t, s, runner.RunOptions{Engine: runner.Lockstep}).Manifest.Notes, "participation"); !strings.HasPrefix(note, "2.25 clients expected in a round; a client is in 4 rounds at most, at least 1 apart") {
			t.Errorf("note %q", note) // 4 and 9 come in 2 of 4 rounds; 4 in the last and in the first of the next
		}
		scenariotest.OneDigest(t, s)
		scenariotest.Resumes(t, s, 3, 0)
	}
}

// TestListRefuses: lists without a meaning are refused with the line of the file, and keys that draw clients beside
// a list at their place.
func TestListRefuses(t *testing.T) {
	text := listing(t, inTurns(8, 3)...)
	scenariotest.Refuses(t, text, map[string]string{
		"nodes=29":                                   `: client "30"; want a whole number of 1 to 29`,
		"horizon=9":                                  "algorithm.attendance.file: the list ends with round 8 of 9; want repeat: true",
		"algorithm.attendance.round=turn":            "who.csv:1: want the columns turn, node, each once, in the first line",
		"algorithm.attendance={file: no}":            "algorithm.attendance.file: stat no: no such file",
		"algorithm.attendance={}":                    `algorithm.attendance: missing required key "file"`,
		"algorithm.rate=0.5":                         "algorithm.rate: a list has the clients of each round",
		"algorithm.cohort=5":                         "algorithm.cohort: clients that draw for themselves",
		"algorithm.groups=2":                         "algorithm.groups: a list has the clients of each round",
		"algorithm.apart=2":                          "algorithm.apart: a list has the clients of each round",
		"algorithm.times=2":                          "algorithm.times: a list has the clients of each round",
		"algorithm.clips=[{share: 0.5, value: 0.1}]": "algorithm.clips: a client pays in every round of its group",
		"algorithm.kind=fedbuff|algorithm.buffer=3":  "algorithm.attendance: a server with a buffer has no rounds to list",
		"clock={compute: {median: 1}, check_in: {goal: 3, deadline: 9}}": "clock.check_in: clients that check in are not those of a list",
	})
}
