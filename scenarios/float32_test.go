package scenarios_test

import (
	"strings"
	"testing"

	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// float32s are small scenarios of all families whose messages are of float32.
func float32s() map[string][]string {
	found := map[string][]string{"federated, a cohort": {scenariotest.Learning, "nodes=300", "network={kind: ideal, precision: float32}"}}
	for name, family := range families {
		if strings.Contains(name, "float32") {
			found[name] = family
		}
	}
	return found
}

// Messages of float32 are of the same numbers whatever executes the run: they are rounded
// where they are sent.
func TestFloat32Invariance(t *testing.T) {
	for name, text := range float32s() {
		s := loadText(t, text[0], text[1:]...)
		invariant(t, name, s, someEnginesOf(s))
	}
}

// The digest of a scenario says what its messages are made of.
func TestFloat32Golden(t *testing.T) {
	digest := func(precision string) string {
		return metricsOf(t, loadText(t, base, "network={kind: ideal, precision: "+precision+"}"), runner.RunOptions{Engine: runner.Lockstep}).Digest
	}
	double, single := digest("float64"), digest("float32")
	if absent := metricsOf(t, loadText(t, base), runner.RunOptions{Engine: runner.Lockstep}).Digest; double != absent {
		t.Errorf("float64 has the digest %s, and the default %s", double, absent)
	}
	if want := "11679433d9fb8e39ff8719fbd3130ec780d1932fa617f5ffdcb049e0b20a4ef0"; single != want {
		t.Errorf("float32 has the digest %s, want %s", single, want)
	}
}

// Bytes on wires are halved, but for the head of each message and for what crosses no wire:
// what a client hands its learner.
func TestFloat32Bytes(t *testing.T) {
	sent := func(text string, overrides ...string) (bytes, messages float64) {
		for _, row := range metricsOf(t, loadText(t, text, append(overrides, "seeds.count=1")...), runner.RunOptions{Engine: runner.Lockstep}).Rows {
			switch row.Metric {
			case "bytes.sent":
				bytes = row.Value
			case "messages.sent":
				messages = row.Value
			}
		}
		return bytes, messages
	}
	const float32s = "network={kind: ideal, precision: float32}"
	double, count := sent(base)
	if single, same := sent(base, float32s); same != count || single-5*count != (double-5*count)/2 {
		t.Errorf("%v bytes in %v messages, and %v in %v of float64", single, same, double, count)
	}
	double, count = sent(learning)
	single, _ := sent(learning, float32s)
	const handed = 3 * 12 * (5 + 8*5) // by 3 clients in 12 steps: data of 4 features and a label
	if double -= handed + 5*(count-36); single-handed-5*(count-36) != double/2 {
		t.Errorf("%v bytes beside data, and %v of float64", single-handed, double)
	}
}

func TestFloat32Errors(t *testing.T) {
	if _, err := loadError(t, base, "network={kind: ideal, precision: float16}"); err == nil || !strings.Contains(err.Error(), `network.precision: unknown value "float16"`) {
		t.Errorf("%v", err)
	}
}
