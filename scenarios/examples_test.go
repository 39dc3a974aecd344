package scenarios

import (
	"testing"

	"starling/scenarios/kind"
)

// TestExamplesNameKinds holds that no example is lost to a name that is not in the
// catalog. Kinds may bring examples of their own.
func TestExamplesNameKinds(t *testing.T) {
	count := func(c kind.Catalog) (n int) {
		for _, s := range c.Sections() {
			for _, k := range *s.Kinds {
				n += len(k.Examples)
			}
		}
		return n
	}
	listed, want := count(builtin), count(kinds)
	for _, texts := range examples {
		want += len(texts)
	}
	if listed != want {
		t.Errorf("kinds of the catalog have %d examples of %d", listed, want)
	}
}
