package scenarios

import (
	"testing"

	"starling/scenarios/kind"
)

// TestExamplesNameKinds holds that no example is lost to a name that is not in the
// catalog. Kinds may bring examples of their own.
func TestExamplesNameKinds(t *testing.T) {
	listed, want := 0, 0
	for _, list := range [][]kind.Kind{kinds.Algorithms, kinds.Problems, kinds.Topologies, kinds.Mechanisms, kinds.Networks, kinds.Codecs, kinds.Adversaries, kinds.Combines, kinds.Sets, kinds.Divergences} {
		for _, k := range list {
			want += len(k.Examples)
		}
	}
	for _, list := range [][]kind.Kind{builtin.Algorithms, builtin.Problems, builtin.Topologies, builtin.Mechanisms, builtin.Networks, builtin.Codecs, builtin.Adversaries, builtin.Combines, builtin.Sets, builtin.Divergences} {
		for _, k := range list {
			listed += len(k.Examples)
		}
	}
	for _, texts := range examples {
		want += len(texts)
	}
	if listed != want {
		t.Errorf("kinds of the catalog have %d examples of %d", listed, want)
	}
}
