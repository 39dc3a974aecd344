package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// split splits a command line at blanks, of which none is after a colon or comma.
func split(line string) []string {
	words := strings.Fields(strings.NewReplacer(": ", ":_", ", ", ",_").Replace(line))
	for i, word := range words {
		words[i] = strings.NewReplacer(":_", ": ", ",_", ", ").Replace(word)
	}
	return words
}

// TestShow prints a scenario as written, resolved, and an arm of it, which validates.
func TestShow(t *testing.T) {
	for _, test := range []struct {
		args string
		code int
		want []string // in the output
	}{
		{"show dpdonc-localization", exitDone, []string{"mechanism.epsilon: [0.5, 1, 5, none]"}},
		{"show dpdonc-localization --resolved --set nodes=6", exitDone, []string{"missing: drop                         # default", "# --set nodes", "# theta is not set: the problem's own"}},
		{"show dpdonc-localization --resolved --set algorithm={kind: dsgd} --set problem={kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 1}}", exitDone, []string{"# noise is not set: as-printed by default"}},
		{"show dp-scaffold --resolved --set sweep=null --set algorithm.clip=1 --set mechanism={kind: sampled-gaussian, epsilon: 8, delta: 1e-5}", exitDone, []string{"# noise multiplier ", ", the least with an epsilon of 8 at delta 1e-05 in the whole run"}},
		{"show dpdonc-localization --arm epsilon=5", exitDone, []string{"epsilon: 5"}},
		{"show dpdonc-localization --arm epsilno=5", exitInput, []string{`did you mean "epsilon=5"?`}},
		{"show dpdonc-localization --set nodes=6", exitInput, []string{"--resolved"}},
		{"show dpdonc-locolization", exitInput, []string{`did you mean "dpdonc-localization"?`}},
	} {
		var out bytes.Buffer
		if code := standard().execute(t.Context(), split(test.args), &out, &out); code != test.code {
			t.Errorf("%s: exit %d, want %d", test.args, code, test.code)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", test.args, want, out.String())
			}
		}
	}
	var text, out bytes.Buffer
	file := filepath.Join(t.TempDir(), "one.yaml")
	if code := standard().execute(t.Context(), []string{"show", "dpdonc-localization", "--arm", "epsilon=5"}, &text, &out); code != exitDone || strings.Contains(text.String(), "sweep:") {
		t.Errorf("exit %d: %s", code, text.String())
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := standard().execute(t.Context(), []string{"validate", file}, &out, &out); code != exitDone {
		t.Errorf("exit %d: %s", code, out.String())
	}
}
