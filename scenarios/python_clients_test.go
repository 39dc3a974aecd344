package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/auditing"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// scaffoldSets have clients of withServer be those of SCAFFOLD in Python, with two vectors in a message.
func scaffoldSets(share string, more ...string) []string {
	algorithm := "{kind: own-server, file: library/own-server.py, name: Scaffold, vectors: 2, keeps: 1, options: {share: " + share + "}, learning_rate: 0.1, clip: none, samples: 20, tau: 3"
	for _, key := range more {
		algorithm += ", " + key
	}
	return []string{"algorithm=" + algorithm + "}", "mechanism={kind: none}"}
}

// nearRows compares the values of some metrics.
func nearRows(t *testing.T, name string, got, want []results.Row, metrics ...string) {
	t.Helper()
	for _, metric := range metrics {
		a, b := scenariotest.ValuesOf(got, metric), scenariotest.ValuesOf(want, metric)
		if len(a) != len(b) || len(a) < 3 {
			t.Fatalf("%s: %d and %d values of %s", name, len(a), len(b), metric)
		}
		for i := range a {
			if !(math.Abs(a[i]-b[i]) <= 1e-9*max(1, math.Abs(b[i]))) {
				t.Errorf("%s: %s is %v, want %v", name, metric, a, b)
				break
			}
		}
	}
}

// Clients in Python have the values of those in Go: SCAFFOLD (Karimireddy et al. 2020) with all clients, with clients
// that come by chance, and with clients that the server draws, and FedProx (Li et al. 2020). The model of Ditto (Li
// et al. 2021) is that of half as many local steps.
func TestPythonClientsAreThoseInGo(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	const inGo = "algorithm={kind: dp-scaffold, learning_rate: 0.1, clip: none, samples: 20, tau: 3, batch: 5%s}"
	for name, of := range map[string]struct{ share, more, nodes string }{
		"all":   {"1", "", "5"},
		"some":  {"0.5", ", rate: 0.5", "8"},
		"drawn": {"0.3", ", cohort: 30, draw: server, panel: 20", "100"},
	} {
		sets := []string{"horizon=9", "measure.every=1", "nodes=" + of.nodes}
		want := measured(t, withServer, append([]string{fmt.Sprintf(inGo, of.more), "mechanism={kind: none}"}, sets...)...)
		got := measured(t, withServer, append(scaffoldSets(of.share, strings.TrimPrefix("batch: 5"+of.more, ", ")), sets...)...)
		nearRows(t, name, got.Rows, want.Rows, "loss.train", "bytes.sent", "clients.round")
	}
	own := "algorithm={kind: own-server, file: library/own-server.py, name: %s, learning_rate: 0.1, clip: none, samples: 20, tau: %d%s}"
	sets := []string{"mechanism={kind: none}", "measure.every=1"}
	want := measured(t, withServer, append(sets, "algorithm={kind: fedavg, mu: 0.3, learning_rate: 0.1, samples: 20, tau: 3}")...)
	got := measured(t, withServer, append(sets, fmt.Sprintf(own, "Prox", 3, ", options: {mu: 0.3}"))...)
	nearRows(t, "FedProx", got.Rows, want.Rows, "loss.train")
	want = measured(t, withServer, append(sets, fmt.Sprintf(own, "Mean", 2, ""))...)
	got = measured(t, withServer, append(sets, fmt.Sprintf(own, "Ditto", 4, ", keeps: 1"))...)
	nearRows(t, "Ditto", got.Rows, want.Rows, "loss.train")
}

// The models that clients of Ditto keep are those of a plain loop, of clients with quadratic costs about their
// centres, also of those that come first in a later round.
func TestPythonClientsKeepModels(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	const nodes, rate, pull = 9, 0.25, 0.5
	text, sets := servedBy(written(t, centred, "Centred", ""), "dp-fedavg")
	sets = append(sets, "measure={every: 1, metrics: [own.distance, loss.train, clients.round]}", "horizon=9", "mechanism={kind: none}",
		fmt.Sprintf("algorithm={kind: own-server, file: library/own-server.py, name: Ditto, keeps: 1, options: {pull: %v}, learning_rate: %v, clip: none, samples: 9, tau: 4, groups: 3}", pull, rate))
	rows := measured(t, text, sets...).Rows
	distance := scenariotest.ValuesOf(rows, "own.distance")
	if len(distance) != 9 {
		t.Fatalf("%d values of the distance", len(distance))
	}
	own := map[int][]float64{}
	model := make([]float64, 3)
	for round := 1; round <= 9; round++ {
		sum, far, came := make([]float64, 3), 0.0, 0.0
		for node := 1; node <= nodes; node++ {
			if (round-node)%3 != 0 {
				continue
			}
			if own[node] == nil {
				own[node] = append([]float64{}, model...)
			}
			square := 0.0
			for k := range model {
				x, v, centre := model[k], own[node][k], float64((node-1)*7%5-2)+0.5*float64(k)
				for range 2 {
					v -= rate * (v - centre + pull*(v-model[k]))
					x -= rate * (x - centre)
				}
				own[node][k] = v
				sum[k] += x - model[k]
				square += (v - model[k]) * (v - model[k])
			}
			far += math.Sqrt(square)
			came++
		}
		if want := far / came; math.Abs(distance[round-1]-want) > 1e-9 {
			t.Errorf("round %d: the mean distance is %v, want %v", round, distance[round-1], want)
		}
		for k := range model {
			model[k] += sum[k] / came
		}
	}
}

// centred has clients with quadratic costs about a centre each.
const centred = `
import numpy as np

class Centred:
    common_tests = True
    def __init__(self, seed, nodes, horizon, dimension):
        self.centres = np.array([[node * 7 % 5 - 2 + 0.5 * k for k in range(dimension)] for node in range(nodes)])
    def loss(self, x, nodes, step):
        return 0.5 * ((x - self.centres[nodes]) ** 2).sum(axis=1)
    def gradient(self, x, nodes, step):
        return x - self.centres[nodes]
`

// A run of clients in Python has one digest on both runtimes, and goes on from a saved state.
func TestPythonClientsDigests(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	s := loadText(t, withServer, append(scaffoldSets("0.5", "rate: 0.5", "batch: 4"), "nodes=8")...)
	scenariotest.OneDigest(t, s)
	scenariotest.Resumes(t, s, 3, 0, 1)
}

// The clip and the noise are of both vectors together, as in the algorithm in Go, and an audit finds no more.
func TestPythonClientsAudit(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	sets := scaffoldSets("1")
	sets[0] = strings.Replace(sets[0], "clip: none", "clip: 0.5", 1)
	s := loadText(t, withServer, sets[0], "mechanism.sigma=1")
	for _, a := range scenariotest.AuditIn(t, s, auditing.Options{Samples: 300, Confidence: 0.999, Noise: 1}) {
		if !a.NoiseAsStated() || a.Exceeded() || !(a.Accounted > 0) {
			t.Errorf("noise as stated: %v, %v of %v", a.NoiseAsStated(), a.Audited, a.Accounted)
		}
	}
	want := measured(t, withServer, "algorithm={kind: dp-scaffold, learning_rate: 0.1, clip: 0.5, samples: 20, tau: 3}").Rows
	got := measured(t, withServer, sets[0]).Rows
	nearRows(t, "ledger", got, want, "epsilon.total", "noise.rounds")
}

// ownClients writes a class with such local steps.
func ownClients(t *testing.T, body string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "code.py")
	text := "import numpy as np\nclass Own:\n    calls = 0\n    metrics = {\"far\": {\"text\": \"a number\"}}\n    def adopt(self, state, model, mean, round): return model + mean\n    def local(self, turn):\n        x = turn.model\n" + body + "\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("algorithm={kind: own-server, file: %q, name: Own, learning_rate: 0.1, clip: 0.5, samples: 20, tau: 2, keeps: 1}", file)
}

// Faults of local steps end the run, with the round and the cause, and a class that remembers more than its state is
// found where everything is asked twice.
func TestPythonClientsFail(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	for body, want := range map[string]string{
		"        return x[:, :2]":                                                              "local of 5 clients from 0 to 4 in round 1: the array that local returns has shape (5, 2); want (5, 4)",
		"        g = yield turn.gradient(x[0])\n        return x":                              "the point of turn.gradient has shape (4,); want (5, 4)",
		"        g = yield x\n        return x":                                                "local has yielded ndarray; want turn.gradient(x)",
		"        for _ in range(3): g = yield turn.gradient(x)\n        return x":              "local asks for more gradients than turn.steps, for which batches are drawn; raise tau",
		"        g = yield turn.gradient(x)\n        turn.state = g\n        return x":         "turn.state has shape (5, 4); want (5, 1, 4)",
		"        g = yield turn.gradient(x)\n        turn.record('near', 1)\n        return x": "turn.record of 'near'; the class declares far",
		"        g = yield turn.gradient(x)\n        turn.record('far', 1)\n        return x":  "turn.record of 'far' has shape (); want (5,)",
		"        g = yield turn.gradient(x)\n        return x / (turn.round - 3 or np.nan)":    "the array that local returns has an entry that is not finite",
		"        g = yield turn.gradient(x)\n        return x + turn.nothing":                  "AttributeError: 'Turn' object has no attribute 'nothing'",
	} {
		for _, o := range []runner.RunOptions{{Engine: runner.Lockstep}, {Engine: runner.Actors, Shards: 1}} {
			o.Out = t.TempDir()
			_, err := runner.Run(loadText(t, withServer, ownClients(t, body)), t.Context(), o)
			for _, part := range []string{want, "scenario with-server, arm base, seed 1: step "} {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %v\nwant %q in it", body, err, part)
				}
			}
		}
	}
	impure := ownClients(t, "        self.calls += 1\n        g = yield turn.gradient(x)\n        return x - self.calls * g")
	failsTwice(t, []string{impure}, "two equal turns gave different results")
}

// Settings that local steps of a class do not have are refused.
func TestPythonClientsRefused(t *testing.T) {
	testneeds.Python(t)
	sets := scaffoldSets("1")
	text := scenariotest.Edited(t, withServer, "algorithm: {kind: own-server, file: library/own-server.py, name: Mean, learning_rate: 0.1, clip: 0.5, samples: 20, tau: 2}", "algorithm: "+strings.TrimPrefix(sets[0], "algorithm="))
	scenariotest.Refuses(t, text, map[string]string{
		"algorithm.name=Mean|algorithm.options={}":                     "algorithm.vectors: clients of the class Mean take the local steps of the scenario, which change the model alone; give the class a method local(turn), or leave this out",
		"algorithm.name=Mean|algorithm.options={}|algorithm.vectors=1": "algorithm.keeps: clients of the class Mean take the local steps of the scenario, and keep nothing; give the class a method local(turn), or leave this out",
		"algorithm.vectors=0":                                          "algorithm.vectors: 0 vectors; want 1 to 16",
		"algorithm.level=record|algorithm.clip=1":                      "algorithm.level: the class of the algorithm gets gradients without noise: want user",
		"algorithm.stragglers={share: 0.5}":                            "algorithm.stragglers: the class of the algorithm takes the same number of local steps for all clients; leave this out",
		"topology={kind: tiers, fan: [1, 5]}|mechanism.kind=none":      "topology.kind: servers below the top move their model by the sum of clients' messages, which in own-server are no changes of the model; want star",
	})
}
