package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/runner"
)

// TestCaptions checks the captions beside the figures of a run: the facts in them, the two forms,
// and that the run has the digest and the files in its manifest that it has without them.
func TestCaptions(t *testing.T) {
	s := loadText(t, base, "measure={every: 4}", "sweep={list: [{name: none, set: {mechanism.epsilon: none}}, {name: two, set: {mechanism.epsilon: 2}}]}")
	outcome := drawnIn(t, s, runner.RunOptions{})
	figures, err := filepath.Glob(filepath.Join(outcome.Dir, "plots", "*.svg"))
	if err != nil || len(figures) == 0 {
		t.Fatal(figures, err)
	}
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, figure := range figures {
		base := strings.TrimSuffix(figure, ".svg")
		plain, latex := read(base+".txt"), read(base+".tex")
		if strings.Count(plain, "\n") != 1 || !strings.HasPrefix(latex, `\caption{`) || !strings.HasSuffix(latex, "}\n") {
			t.Errorf("%s: captions %q and %q", base, plain, latex)
		}
		for _, want := range []string{"2 arms", "Over 2 seeds, ", "against step t", "Baseline: no", "at δ = 0, for all data of a participant (replace), to the strongest observer (", "run " + outcome.Manifest.Hash[:12] + "."} {
			if !strings.Contains(plain, want) {
				t.Errorf("%s: %q is not in %q", base, want, plain)
			}
		}
		if strings.ContainsAny(latex, "εδ") || !strings.Contains(latex, `$\delta$`) {
			t.Errorf("%s: %q", base, latex)
		}
	}
	if text := read(filepath.Join(outcome.Dir, "plots", "regret.txt")); !strings.Contains(text, "Without intervals: 2 seeds are too few for a bootstrap.") {
		t.Errorf("bands: %q", text)
	}
	for _, file := range outcome.Manifest.Files {
		if strings.HasPrefix(file.Name, "plots") {
			t.Errorf("%s is in the manifest", file.Name)
		}
	}
}
