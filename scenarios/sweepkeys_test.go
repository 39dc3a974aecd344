package scenarios_test

import (
	"strings"
	"testing"
)

// A key that is missing in what a sweep or --set puts in the place of a section, or because of the
// kind that it sets there, is missing at that place, and not in the base.
func TestMissingKeysOfSweeps(t *testing.T) {
	base := onRows("{kind: dp-fedavg, learning_rate: 0.1, clip: 1}", "star", "{kind: laplace, epsilon: 1}", "{kind: synthetic-logistic, dimension: 3, shared: 1}")
	for name, test := range map[string]struct {
		sweep, set string
		want       []string
	}{
		"list": {"sweep:\n  list:\n    - {name: a, set: {}}\n    - name: b\n      set:\n        mechanism: {kind: sampled-gaussian}\n", "",
			[]string{`s.yaml:17:20: mechanism: missing required key "sigma", or "epsilon" in its place`, `s.yaml:17:20: mechanism: missing required key "delta"`}},
		"grid": {"sweep:\n  grid:\n    mechanism: [{kind: laplace, epsilon: 2}, {kind: sampled-gaussian, sigma: 2}]\n", "",
			[]string{`s.yaml:14:46: mechanism: missing required key "delta"`}},
		"inner mapping": {"sweep:\n  grid:\n    problem.set: [{kind: l2-ball, dimension: 3, radius: 1}, {kind: l2-ball, dimension: 3}]\n", "",
			[]string{`s.yaml:14:61: problem.set: missing required key "radius"`}},
		"kind": {"sweep:\n  grid:\n    mechanism.kind: [laplace, sampled-gaussian]\n", "",
			[]string{`s.yaml:14:31: mechanism: missing required key "delta"`}},
		"set":         {"", "mechanism={kind: sampled-gaussian, sigma: 2}", []string{`--set mechanism:1:1: mechanism: missing required key "delta"`}},
		"set of kind": {"", "mechanism.kind=sampled-gaussian", []string{`--set mechanism.kind:1:1: mechanism: missing required key "delta"`}},
		"base":        {"", "horizon=5", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var sets []string
			if test.set != "" {
				sets = []string{test.set}
			}
			_, err := loadError(t, base+test.sweep, sets...)
			if (err == nil) != (test.want == nil) {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nwant %s", err, want)
				}
			}
		})
	}
}
