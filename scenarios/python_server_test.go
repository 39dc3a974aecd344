package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/scenarios/auditing"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// withServer is a scenario whose server is a class in Python.
const withServer = `version: 1
name: with-server
nodes: 5
horizon: 6
algorithm: {kind: own-server, file: library/own-server.py, name: Mean, learning_rate: 0.1, clip: 0.5, samples: 20, tau: 2}
problem: {kind: synthetic-logistic, dimension: 4}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-5}
`

// inGoServer has the server be that of dp-fedavg.
var inGoServer = []string{"algorithm={kind: dp-fedavg, learning_rate: 0.1, clip: 0.5, samples: 20, tau: 2}"}

// A server in Python that takes the mean has the bits of the one in Go, also below a cloud, with
// shares on a grid, and with clients that are drawn.
func TestPythonServerIsThatInGo(t *testing.T) {
	testneeds.Python(t)
	for name, sets := range map[string][]string{
		"star":   nil,
		"tiers":  {"nodes=6", "topology={kind: tiers, fan: [2, 3], noise: cloud}"},
		"drawn":  {"algorithm.rate=0.5"},
		"secure": {"algorithm.aggregation={kind: secure, survivors: 4}"},
		"local":  {"algorithm.aggregation={kind: local, survivors: 4}"},
	} {
		inGo := append(append([]string{}, inGoServer...), sets...)
		want, got := measured(t, withServer, inGo...), measured(t, withServer, sets...)
		if len(want.Rows) == 0 {
			t.Fatalf("%s: nothing is recorded", name)
		}
		if diff := cmp.Diff(want.Rows, got.Rows, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A run of a server with a state has one digest on both runtimes.
func TestPythonServerDigests(t *testing.T) {
	testneeds.Python(t)
	s := loadText(t, withServer, "algorithm.name=Adam")
	want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	for _, shards := range []int{1, 3} {
		if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}); got.Digest != want.Digest || len(got.Rows) == 0 {
			t.Errorf("digest %s with %d shards, want %s", got.Digest, shards, want.Digest)
		}
	}
}

// The noise and the ledger are those of other algorithms of a server, and an audit finds no more.
func TestPythonServerAudit(t *testing.T) {
	testneeds.Python(t)
	for _, a := range scenariotest.AuditIn(t, loadText(t, withServer, "algorithm.name=Momentum"), auditing.Options{Samples: 300, Confidence: 0.999, Noise: 1}) {
		if !a.NoiseAsStated() || a.Exceeded() || !(a.Accounted > 0) {
			t.Errorf("noise as stated: %v, %v of %v", a.NoiseAsStated(), a.Audited, a.Accounted)
		}
	}
}

// ownServer writes a class of a server with such a body of adopt.
func ownServer(t *testing.T, body string) (sets []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "code.py")
	text := "import numpy as np\nclass Own:\n    calls = 0\n    def state(self, start): return {\"n\": 0.0}\n    " + body + "\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{fmt.Sprintf("algorithm.file=%q", file), "algorithm.name=Own"}
}

// What a class does wrong ends the run, with the round and the cause.
func TestPythonServerFails(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	for body, want := range map[string]string{
		"return model[:2]":                                         "the model that adopt returns has shape (2,); want (4,)",
		"return model / (round - 3 or np.nan)":                     "adopt in round 3: the model that adopt returns has an entry that is not finite",
		"return None":                                              "the model that adopt returns has dtype object; want numbers",
		"state['m'] = 1.0; return model":                           "the state has m, n, and began with n",
		"state['n'] = np.ones(3); return model":                    "the state n has shape (3,); want ()",
		"state['n'] += model[17]; return model":                    "IndexError: index 17 is out of bounds",
		"return model + 1j":                                        "has dtype complex128; want numbers",
		"state['n'] += 1; assert state['n'] < 4; return 1 * model": "Own.adopt in round 4: AssertionError",
	} {
		s := loadText(t, withServer, ownServer(t, "def adopt(self, state, model, mean, round):\n        "+body)...)
		_, err := runner.Run(s, t.Context(), runner.RunOptions{Engine: runner.Actors, Out: t.TempDir()})
		for _, part := range []string{want, "scenario with-server, arm base, seed 1: step "} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v\nwant %q in it", body, err, part)
			}
		}
	}
}

// A class that remembers more than its state is found where everything is asked twice.
func TestPythonServerTwice(t *testing.T) {
	testneeds.Python(t)
	failsTwice(t, ownServer(t, "def adopt(self, state, model, mean, round):\n        self.calls += 1\n        return model + self.calls"), "two equal calls gave different results")
}

// failsTwice runs withServer with everything asked twice, and wants an error.
func failsTwice(t *testing.T, sets []string, want string) {
	t.Helper()
	l := scenariotest.Loader(t)
	l.Twice = true
	s, err := l.Load(scenariotest.File(t, withServer), scenariotest.ParseSets(t, sets...)...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = runner.Run(s, t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// A class without adopt is refused before the run.
func TestPythonServerWithoutAdopt(t *testing.T) {
	testneeds.Python(t)
	_, err := scenariotest.LoadError(t, withServer, ownServer(t, "def adapt(self): pass")...)
	if want := "algorithm.name: the class Own has no method adopt(state, model, mean, round)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
