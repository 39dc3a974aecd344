package command

import (
	"bytes"
	"strings"
	"testing"
)

// TestCompletion completes paths of a scenario and their values, kinds, metrics, arms and
// names, as a shell asks for them.
func TestCompletion(t *testing.T) {
	for _, test := range []struct {
		line string // the last word is what was begun
		want []string
		not  string
	}{
		{"run dpdonc-localization --set mechanism.", []string{"mechanism.epsilon=", "mechanism.kind=", "mechanism.noise="}, "mechanism.sigma="},
		{"run dpdonc-localization --set mechanism.noise=", []string{"mechanism.noise=as-printed", "mechanism.noise=shifted"}, "none"},
		{"validate dpdonc-localization --set topology.kind=r", []string{"topology.kind=ring", "topology.kind=random-regular"}, "topology.kind=path"},
		{"run dpdonc-localization --set algorithm.step.per", []string{"algorithm.step.per_node="}, "algorithm.step.scale"},
		{"run none.yaml --set seeds.c", []string{"seeds.count="}, "seeds.base"},
		{"show dpdonc-localization --arm epsilon=", []string{"epsilon=0.5", "epsilon=none"}, "base"},
		{"plot . --y regret.", []string{"regret.expected", "regret.run"}, "tau"},
		{"table . --metric regret.", []string{"regret.expected"}, "tau"},
		{"table . --format ", []string{"latex", "markdown"}, "json"},
		{"table . --interval ", []string{"se", "ci", "none"}, "sd"},
		{"init my.yaml --algorithm ", []string{"dpdonc", "ofl"}, "ring"},
		{"init my.yaml --topology r", []string{"ring"}, "star"},
		{"describe l2", []string{"l2-ball"}, "l1-ball"},
		{"show dpdonc-loc", []string{"dpdonc-localization"}, "ofl-logistic"},
	} {
		var out bytes.Buffer
		args := append([]string{"__complete"}, strings.Split(test.line, " ")...)
		if code := standard().execute(t.Context(), args, &out, &bytes.Buffer{}); code != exitDone {
			t.Errorf("%s: exit %d", test.line, code)
		}
		var words []string
		for line := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			words = append(words, word)
		}
		for _, want := range test.want {
			if !strings.Contains(" "+strings.Join(words, " ")+" ", " "+want+" ") {
				t.Errorf("%s: no %s among %s", test.line, want, words)
			}
		}
		for _, word := range words {
			if strings.Contains(word, test.not) {
				t.Errorf("%s: %s", test.line, word)
			}
		}
	}
}
