package federated_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/scenariotest"
)

// sizes are the numbers of rows of clients of unequal weight.
var sizes = []int{2, 5, 2, 3, 4, 2}

// unequalText is a scenario of fedavg with the first rows of the clients of scenariotest.Sine.
func unequalText(t *testing.T, keys string) string {
	t.Helper()
	text := "party,a,b,c,label\n"
	for client, size := range sizes {
		for index := range size {
			a, label := scenariotest.Sine(client, index)
			text += fmt.Sprintf("%d,%.17g,%.17g,%.17g,%d\n", client+1, a[0], a[1], a[2], int(label+1)/2)
		}
	}
	file := filepath.Join(t.TempDir(), "unequal.csv")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(scenariotest.SineText(t, "{kind: fedavg, learning_rate: 0.5, tau: 3"+keys+"}"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "problem:") {
			lines[i] = "problem: {kind: table, file: " + file + ", party: party, label: label, feature_bound: 10, intercept: false, model: {kind: logistic}}"
		}
	}
	return strings.Join(lines, "\n")
}

// trained returns the model of a client after three proximal steps from x on its rows.
func trained(x []float64, client int, mu float64) []float64 {
	y := slices.Clone(x)
	for range 3 {
		g := make([]float64, len(x))
		for index := range sizes[client] {
			a, label := scenariotest.Sine(client, index)
			dot := 0.0
			for k, v := range a {
				dot += y[k] * v
			}
			for k, v := range a {
				g[k] -= label * v / (1 + math.Exp(label*dot)) / float64(sizes[client])
			}
		}
		for k := range y {
			g[k] += mu * (y[k] - x[k])
		}
		for k := range y {
			y[k] -= 0.5 * g[k]
		}
	}
	return y
}

// averaged is hierarchical federated averaging in the words of Liu et al. 2020: each lowest server
// takes the mean of its clients' models by their numbers of rows, and in rounds of its own a server
// above takes the mean of the models below it. It returns the model at the top by round.
func averaged(fan []int, takes func(level, round int) bool, mu float64) (models [][]float64) {
	const dim = scenariotest.SineDim
	lowest, top, own := len(fan)-1, make([]float64, dim), make([][]float64, len(sizes))
	for i := range own { // model of the lowest server above a client
		own[i] = make([]float64, dim)
	}
	mean := func(of [][]float64, first, end int) []float64 {
		x, total := make([]float64, dim), 0.0
		for i := first; i < end; i++ {
			total += float64(sizes[i])
			for k, v := range of[i] {
				x[k] += float64(sizes[i]) * v
			}
		}
		for k := range x {
			x[k] /= total
		}
		return x
	}
	for round := 1; round <= 9; round++ {
		for i := range own {
			own[i] = trained(own[i], i, mu)
		}
		width := len(sizes)
		widths := make([]int, len(fan)) // clients below a server, by level
		for level, n := range fan {
			widths[level] = width
			width /= n
		}
		for level := lowest; level >= 0; level-- {
			if level < lowest && !takes(level, round) {
				continue
			}
			before := slices.Clone(own)
			for first := 0; first < len(sizes); first += widths[level] {
				x := mean(before, first, first+widths[level])
				for i := range widths[level] {
					own[first+i] = x
				}
			}
			if level == 0 {
				top = own[0]
			}
		}
		models = append(models, top)
	}
	return models
}

// TestAveragingByAPlainLoop: fedavg with levels of servers is a loop over means of models, to 1e-12,
// with clients of unequal weight, rounds without the servers above, and the term of FedProx.
func TestAveragingByAPlainLoop(t *testing.T) {
	for _, test := range []struct {
		keys, levels string
		fan          []int
		takes        func(level, round int) bool
		mu           float64
	}{
		{"", "fan: [2, 3], schedule: [{every: 4}]", []int{2, 3}, every(4), 0},
		{"", "fan: [3, 2]", []int{3, 2}, every(1), 0},
		{"", "fan: [6, 1], schedule: [{every: 2}]", []int{6, 1}, every(2), 0},
		{", mu: 0.7", "fan: [3, 2], schedule: [{every: 3}]", []int{3, 2}, every(3), 0.7},
		{"", "fan: [3, 1, 2], schedule: [{every: 6}, {every: 2}]", []int{3, 1, 2}, every(6, 2), 0},
	} {
		w := scenariotest.WatchServer(t, unequalText(t, test.keys), levels(test.levels))
		want := averaged(test.fan, test.takes, test.mu)
		for round, x := range w.Models {
			if far := scenariotest.Far(x, want[round]); far > 1e-12 {
				t.Errorf("%s%s: round %d is %v from the loop", test.levels, test.keys, round+1, far)
			}
		}
		if len(w.Models) != 9 {
			t.Errorf("%s: %d models", test.levels, len(w.Models))
		}
	}
}

// TestAveragingIsAStar: one server below the top makes the models of fedavg, to 1e-12, of the same
// batches and stragglers and within the same set.
func TestAveragingIsAStar(t *testing.T) {
	const ball = "|problem.set={kind: l2-ball, dimension: 3, radius: 0.6}"
	for _, keys := range []string{"", ", batch: 2", ", mu: 0.7, batch: 2", ", stragglers: {share: 0.5}", ball, ", batch: 2" + ball} {
		own, set, _ := strings.Cut(keys, "|")
		text, overrides := unequalText(t, own), []string{}
		if set != "" {
			overrides = append(overrides, set)
		}
		star := scenariotest.WatchServer(t, text, overrides...).Models
		for _, servers := range []string{"fan: [1, 6]", "fan: [2, 3]", "fan: [1, 6], schedule: [{every: 3}]"} {
			models := scenariotest.WatchServer(t, text, append(slices.Clone(overrides), levels(servers))...).Models
			for round, x := range models {
				if seldom := strings.Contains(servers, "every"); seldom && (round+1)%3 > 0 {
					continue
				}
				if far := scenariotest.Far(x, star[round]); far > 1e-12 {
					t.Errorf("%s%s: round %d is %v from the star", servers, keys, round+1, far)
				}
			}
			if len(models) != 9 || len(star) != 9 || scenariotest.Far(star[8], star[0]) < 1e-3 {
				t.Errorf("%s%s: %d models, and %d of the star", servers, keys, len(models), len(star))
			}
		}
	}
}

// TestAveragingRuntimes: all runtimes give the same bits, with any number of shards, and so does a run
// that is saved while the top is silent.
func TestAveragingRuntimes(t *testing.T) {
	s := scenariotest.LoadText(t, unequalText(t, ", batch: 2, mu: 0.1, stragglers: {share: 0.5}"), levels("fan: [1, 2, 3], schedule: [{probability: 0.3}, {every: 2}]"), "checkpoint={every: 3}")
	scenariotest.OneDigest(t, s)
	scenariotest.Resumes(t, s, 3, 0, 1, 7)
}

// TestAveragingAudit: the audit says that nothing hides the data.
func TestAveragingAudit(t *testing.T) {
	rows := scenariotest.AuditIn(t, scenariotest.LoadText(t, unequalText(t, ", mu: 0.7"), levels("fan: [2, 3]")), scenariotest.AuditOptions(256))
	if len(rows) != 1 || rows[0].Mechanism != "none" || rows[0].Refuted() {
		t.Errorf("audits %+v", rows)
	}
}

// TestAveragingRefuses: keys without a meaning for levels of servers are refused where they stand,
// with those of other sections.
func TestAveragingRefuses(t *testing.T) {
	for _, test := range []struct{ keys, overrides, want string }{
		{", late: use", "", "algorithm.late: levels of servers have no network effects"},
		{", stragglers: {share: 0.5, update: drop}", "", "algorithm.stragglers.update"},
		{"", "network={kind: effects, loss: {probability: 0.1}}", "network.kind: levels of servers: each server waits"},
		{"", "network={kind: ideal, compression: {kind: sign}}", "network.compression: levels of servers: sums have no codec"},
		{"", "mechanism={kind: sampled-gaussian, sigma: 1, delta: 1e-4}", "mechanism.kind"},
		{", late: use", "topology.fan=[2, 2]", "topology.fan: the servers have 4 clients, and there are 6 nodes"},
		{", clip: 1", "", "clip"},
	} {
		overrides := []string{levels("fan: [2, 3]")}
		if test.overrides != "" {
			overrides = append(overrides, test.overrides)
		}
		_, err := scenariotest.LoadError(t, unequalText(t, test.keys), overrides...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: %v, want %q", test.keys, test.overrides, err, test.want)
		}
	}
}
