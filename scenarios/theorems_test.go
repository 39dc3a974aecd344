package scenarios_test

import (
	"fmt"
	"strings"
	"testing"

	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/runner"
)

// aliSmall is a small run of ALI-DPFL on four labels a client.
const aliSmall = `version: 1
name: ali
horizon: 6
nodes: 3
algorithm: {kind: ali-dpfl, learning_rate: 0.5, batch: 8, clip: 0.1, control: 100}
problem: {kind: images, data: synthetic, train: 300, test: 60, model: {kind: softmax}, partition: {kind: by-label, labels: 4}}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 1.1, delta: 1e-5, accountant: rdp}
`

func notesOf(t *testing.T, text string, sets ...string) []results.Note {
	t.Helper()
	run, err := results.Open(runIn(t, loadText(t, text, sets...), runner.RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	return run.Manifest.Notes
}

// Theorems 1 and 2 of ALI-DPFL stand beside the run: h(tau) as the closed form of
// (11) set right has it, and the constants of (12).
func TestTheoremsOfALIDPFL(t *testing.T) {
	notes := notesOf(t, aliSmall)
	var h, rho, beta, xi, c float64
	var tau int
	if _, err := fmt.Sscanf(noteOf(notes, "theorem-1"), "%g = h(%d), rho = %g, beta = %g, xi = %g, c = 2 sqrt(d) sigma C/B = %g", &h, &tau, &rho, &beta, &xi, &c); err != nil {
		t.Fatalf("theorem-1: %q: %v", noteOf(notes, "theorem-1"), err)
	}
	growth, power := 0.5*beta+1, 1.0
	for range tau {
		power *= growth
	}
	if want := (xi+c)/beta*(power-1) - 0.5*(xi+c)*float64(tau); tau < 2 || h < 0.98*want || h > 1.02*want { // four digits of each
		t.Errorf("theorem-1: %q, want h(%d) = %.4g", noteOf(notes, "theorem-1"), tau, want)
	}
	second := noteOf(notes, "theorem-2")
	var least, x float64
	var steps, again int
	if _, err := fmt.Sscanf(second, "%g + 1/(%g phi), T = %d, tau = %d;", &least, &x, &steps, &again); err != nil {
		t.Fatalf("theorem-2: %q: %v", second, err)
	}
	want := float64(steps) * (0.5 - rho*h/(float64(tau)*100))
	if least != 0.5774 || again != tau || steps < 6 || x < 0.98*want || x > 1.02*want {
		t.Errorf("theorem-2: %q, want X = %.4g", second, want)
	}
	if holds := strings.HasSuffix(second, "holds"); holds != (0.5*beta <= 1) {
		t.Errorf("theorem-2: %q, eta beta = %v", second, 0.5*beta)
	}
	if got := noteOf(notes, "labels"); got != "4 labels at most and 4 at least at a client, of 10" {
		t.Errorf("labels: %q", got)
	}
	if got := noteOf(notesOf(t, aliSmall, "horizon=2"), "theorem-1"); !strings.HasPrefix(got, "undefined: no tau was chosen") {
		t.Errorf("two rounds: %q", got)
	}
	if got := noteOf(notesOf(t, aliSmall, "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 0.1}"), "theorem-1"); got != "" {
		t.Errorf("a fixed tau: %q", got)
	}
}

// More labels than there are, and too few clients for all of them, are refused in
// their place.
func TestLabelsOfClientsAreRefused(t *testing.T) {
	for labels, want := range map[string]string{
		"11": "11 labels a party, but the data have 10",
		"3":  "3 parties of 3 labels each leave out some of the 10 labels",
		"-1": "-1 labels; want 0 to 256",
	} {
		_, err := testLoader(t).Load(baseFile(t, aliSmall), parseSets(t, "problem.partition.labels="+labels)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("labels %s: %v, want %q", labels, err, want)
		}
	}
}

// Where clients have other numbers of samples under other seeds, and sample at other
// rates, the ledger of every seed has the plan of that seed; and what is claimed of the
// first is what the client loses that loses the most.
func TestPlansOfClientsOfUnequalSizes(t *testing.T) {
	for _, sets := range [][]string{
		{"problem.partition={kind: dirichlet, alpha: 1, min_size: 40}"},
		{"problem.partition={kind: dirichlet, alpha: 1, min_size: 40}", "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 0.1}", "budget={epsilon: 8, on: stop}"},
		{"problem.partition={kind: dirichlet, alpha: 1, min_size: 40}", "algorithm.statistics=private", "algorithm.statistics_sigma=4", "algorithm.statistics_lipschitz=1", "algorithm.statistics_clip=1"},
		{"problem.train=307"},
	} {
		s := loadText(t, aliSmall, append(sets, "seeds.count=4")...)
		out := runIn(t, s, runner.RunOptions{})
		run, err := results.Open(out.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := noteOf(run.Manifest.Notes, "clients"); !strings.Contains(got, " to ") {
			t.Fatalf("%v: %s, of which this test says nothing", sets, got)
		}
		claimed, spent := noteOf(run.Manifest.Notes, "epsilon.claimed"), noteOf(run.Manifest.Notes, "epsilon.spent")
		if len(sets) > 1 && sets[1] != "algorithm.statistics=private" && claimed != spent {
			t.Errorf("%v: claimed %s, spent %s", sets, claimed, spent)
		}
		guaranteed, read := map[uint64]float64{}, map[uint64]float64{}
		for _, row := range rowsOf(t, out.Dir) {
			switch row.Metric {
			case ledger.EpsilonTotal:
				guaranteed[row.Seed] = max(guaranteed[row.Seed], row.Value)
			case ledger.EpsilonOdometer:
				read[row.Seed] = row.Value
			}
		}
		if len(guaranteed) != 4 {
			t.Errorf("%v: guarantees of %d seeds, want 4", sets, len(guaranteed))
		}
		for seed, odometer := range read {
			if odometer > guaranteed[seed] {
				t.Errorf("%v: seed %d: the odometer reads %v, over the guarantee %v", sets, seed, odometer, guaranteed[seed])
			}
		}
	}
}
