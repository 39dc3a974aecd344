package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/auditing"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// A rule in Python that takes the median has the values of the one in Go, beside Byzantine clients, with noise of
// records, and with local noise on messages; an audit of records finds no more than is accounted.
func TestPythonRuleIsThatInGo(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	const (
		own  = "algorithm={kind: own-server, file: library/own-server.py, name: Median, learning_rate: 0.1, samples: 20, tau: 2, %s}"
		inGo = "algorithm={kind: dp-fedavg, combine: {kind: median}, learning_rate: 0.1, samples: 20, tau: 2, %s}"
	)
	for name, of := range map[string]struct{ keys, other string }{
		"byzantine": {"clip: none", "adversaries={kind: sign-flip, nodes: [2, 4]}|mechanism={kind: none}"},
		"records":   {"clip: 1, level: record", "horizon=5"},
		"local":     {"clip: 1, aggregation: {kind: local}", "mechanism={kind: gaussian, epsilon: 2, delta: 1e-5}"},
	} {
		sets := append(strings.Split(of.other, "|"), "measure.every=1")
		want := measured(t, withServer, append(sets, fmt.Sprintf(inGo, of.keys))...)
		got := measured(t, withServer, append(sets, fmt.Sprintf(own, of.keys))...)
		nearRows(t, name, got.Rows, want.Rows, "loss.train", "accuracy.test")
	}
	s := loadText(t, withServer, fmt.Sprintf(own, "clip: 1, level: record, batch: 5"))
	scenariotest.OneDigest(t, s)
	for _, a := range scenariotest.AuditIn(t, s, auditing.Options{Samples: 256, Confidence: 0.999, Noise: 1}) {
		if !a.NoiseAsStated() || a.Exceeded() || !(a.Accounted > 0) {
			t.Errorf("noise as stated: %v, %v of %v", a.NoiseAsStated(), a.Audited, a.Accounted)
		}
	}
}

// A rule goes with the settings of rules alone, and its faults end the run.
func TestPythonRuleFails(t *testing.T) {
	testneeds.Python(t)
	median := strings.Replace(withServer, "name: Mean", "name: Median", 1)
	scenariotest.Refuses(t, median, map[string]string{
		"name=a": "algorithm.combine: the noise of a trusted server is for a sum, which a client moves by the clip at most; want mean, or level: record, whose clients add noise before they send",
		"algorithm.combine={kind: median}|mechanism.kind=none": "algorithm.combine: the class Median has a method combine; leave one of the two out",
	})
	impure := ownServer(t, "def adopt(self, state, model, mean, round): return model + mean\n    def combine(self, vectors):\n        self.calls += 1\n        return vectors[0] * self.calls")
	failsTwice(t, append(impure, "mechanism={kind: none}", "algorithm.clip=none"), "two equal calls gave different results; combine depends on more than its vectors")
	for body, want := range map[string]string{
		"vectors[0, :2]": "Own.combine of 5 vectors: the vector that combine returns has shape (2,); want (4,)",
		"vectors[7]":     "Own.combine of 5 vectors: IndexError",
	} {
		file := filepath.Join(t.TempDir(), "code.py")
		code := "class Own:\n    def adopt(self, state, model, mean, round): return model + mean\n    def combine(self, vectors): return " + body + "\n"
		if err := os.WriteFile(file, []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		s := loadText(t, withServer, fmt.Sprintf("algorithm.file=%q", file), "algorithm.name=Own", "mechanism={kind: none}", "algorithm.clip=none")
		if _, err := runner.Run(s, t.Context(), runner.RunOptions{Engine: runner.Actors, Out: t.TempDir()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %q in it", body, err, want)
		}
	}
}
