package loading

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
)

const swept = `
version: 1
name: s
sweep: {grid: {mechanism.epsilon: [1, 2], nodes: [6, 12]}}
`

// An override of a path that the grid sweeps fixes it for all arms, and what is
// stored beside the results says so.
func TestOverrideTakesItsPathOutOfTheGrid(t *testing.T) {
	doc, err := document.Parse("s.yaml", []byte(swept))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		path, want string
	}{
		{"horizon", "{grid:{mechanism.epsilon:[1,2],nodes:[6,12]}}"},
		{"mechanism.epsilon", "{grid:{nodes:[6,12]}}"},
		{"nodes", ""},
	} {
		if doc, err = unsweep(doc, step.path); err != nil {
			t.Fatal(err)
		}
		got := ""
		if sweep, ok := doc.Find("sweep"); ok {
			got = sweep.Text()
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("after %s: (-want +got)\n%s", step.path, diff)
		}
	}
}
