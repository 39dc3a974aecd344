package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
)

// unbounded has streams whose features are not normalised: no gradient is known to be
// within anything.
const unbounded = `version: 1
name: unbounded
horizon: 4
nodes: 3
algorithm: {kind: noisy-descent}
problem: {kind: synthetic-logistic, dimension: 4, normalise: false, set: {kind: l2-ball, dimension: 4, radius: 1}}
topology: {kind: complete}
mechanism: {kind: laplace, epsilon: EPSILON}
`

// Noise on gradients without a bound would be infinite: such a problem is refused where
// it stands, and taken without noise.
func TestUnboundedGradientsAreRefused(t *testing.T) {
	catalog, err := scenarios.Catalog().With(kind.Catalog{Algorithms: []kind.Kind{descent.Kind()}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "s.yaml")
	for epsilon, want := range map[string]string{"1": "6:10: problem: the gradients of this problem have no bound", "none": ""} {
		if err := os.WriteFile(file, []byte(strings.Replace(unbounded, "EPSILON", epsilon, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := loading.Loader{Kinds: &catalog}.Load(file)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("epsilon %s: %v, want %q", epsilon, err, want)
		}
	}
}
