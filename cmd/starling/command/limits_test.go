package command

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestLargeNumbers gives verbs numbers that are valid by their form and far beyond what a
// machine has: each is answered with little work, by what is refused and why, or by what is
// asked for.
func TestLargeNumbers(t *testing.T) {
	const most = 2 * time.Second // of processors; on one that is busy the clock says more
	for _, test := range []struct {
		line    string
		refused string // of standard error; empty where the verb succeeds
	}{
		{"validate scale-gossip --set nodes=10000000", ""},
		{"validate scale-gossip --set nodes=1000000000", "nodes: 1000000000 nodes, each with a state of its own; want at most 10000000"},
		{"validate scale-gossip --set horizon=1000000000", "horizon: 1000000000 steps; want 1 to 10000000"},
		{"validate scale-gossip --set horizon=10000000", "metrics are recorded at 500000 steps; want at most 100000"},
		{"validate scale-gossip --set seeds.count=1000000", ""},
		{"validate scale-gossip --set seeds.count=1000000000", "seeds.count: 1000000000 seeds; want 1 to 1000000"},
		{"validate scale-gossip --set problem.set.dimension=1000000", "want at most 134217728 coordinates in all"},
		{"validate scale-gossip --set problem.set.dimension=1000000000", "dimension 1000000000; want 1 to 1000000"},
		{"validate scale-gossip --set topology={kind: complete} --set nodes=100000", "the complete graph of 100000 nodes needs more than 2147483647 edges"},
		{"validate scale-gossip --set topology={kind: geometric, radius: 0.5} --set nodes=10000", "a graph of 7.85e\\+07 edges; want at most 67108864"},
		{"validate scale-gossip --set topology.degree=1000000000", "degree is 1000000000, want 1 to 999"},
		{"validate scale-federated --set nodes=10000000", "the learners of all arms have over 134217728 coordinates"},
		{"validate dp-ftrl --set nodes=10000000", "10000000 clients have 2e\\+08 samples in all; want at most 134217728"},
		{"validate ofl-logistic --set horizon=10000000", "static regret holds all data of a run, 151 GiB; want at most 4"},
		{"validate random-walk --set seeds.count=1000000", "takes 52.5 GiB; want at most 4"},
		{"run scale-gossip --dry-run --memory 3GiB --set nodes=10000000", "the run takes about [0-9.]+ GiB of memory, and may take 3 GiB"},
		{"run scale-gossip --dry-run --set seeds.count=1000000000", "want 1 to 1000000"},
		{"topology scale-gossip --set nodes=1000000000", "want at most 10000000"},
		{"account gaussian --epsilon 1e-9 --delta 1e-300 --sensitivity 1e9", ""},
		{"account sampled-gaussian --q 0.01 --sigma 1 --delta 1e-5 --steps 1000000000", "cannot be resolved: a transform takes 8388611 points"},
		{"account sampled-gaussian --q 0.01 --sigma 1 --delta 1e-5 --steps 1000000000 --accountant rdp", ""},
		{"factorize --kind optimal --n 1000000000 --memory 2GiB", "takes about 373 GiB of memory, and may take 2 GiB"},
		{"factorize --kind tree --n 30000000", ""},
	} {
		t.Run(test.line, func(t *testing.T) {
			t.Parallel()
			c := exec.Command("starling", split(test.line)...)
			output, err := c.CombinedOutput()
			text := strings.Join(strings.Fields(string(output)), " ")
			if code := c.ProcessState.ExitCode(); code != map[bool]int{true: exitDone, false: exitInput}[test.refused == ""] || !regexp.MustCompile(test.refused).MatchString(text) {
				t.Errorf("%v\n%s", err, output)
			}
			if took := c.ProcessState.UserTime() + c.ProcessState.SystemTime(); took > most {
				t.Errorf("it takes %v of a processor, want at most %v", took, most)
			}
		})
	}
}
