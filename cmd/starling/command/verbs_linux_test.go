package command

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"starling/cmd/starling/command/shell"
	"starling/scenarios"
)

// whole are lines that a reader copies as they are: commands, texts of scenario
// files, paths, and single values.
var whole = regexp.MustCompile(`starling |^ *[a-z_-]+: |^#|/|^\S+ +\S+$`)

// TestVerbsFitTheTerminal runs every verb on a small study: no line is wider than 80 columns, nor
// than 44, but for lines that are copied, and words that have no break.
func TestVerbsFitTheTerminal(t *testing.T) {
	folder := t.TempDir()
	results := filepath.Join(folder, "results")
	study := []string{"dpdonc-localization", "--set", "horizon=20", "--seeds", "6", "--set", "plots=[]"}
	out, err := exec.Command("starling", slices.Concat([]string{"run"}, study, []string{"--out", results, "--quiet"})...).Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSpace(string(out))
	in := func(args ...string) []string { return append(args, "--results", results) }
	lines := map[string][][]string{
		"run":      {slices.Concat([]string{"run"}, study, []string{"--out", results}), slices.Concat([]string{"run"}, study, []string{"--dry-run", "--out", results})},
		"runs":     {{"runs", results}},
		"notes":    {in("notes", dir)},
		"table":    {in("table", dir)},
		"compare":  {in("compare", dir, "--baseline", "epsilon=none"), in("compare", dir+":epsilon=1", dir+":epsilon=5")},
		"privacy":  {in("privacy", dir)},
		"du":       {{"du", results}},
		"tag":      {in("tag", dir)},
		"note":     {in("note", dir, "the first")},
		"show":     {{"show", "dpdonc-localization"}},
		"validate": {{"validate", "dpdonc-localization"}},
		"topology": {{"topology", "dpdonc-localization"}},
		"help":     {{"help"}},
		"list":     {{"list"}, {"list", "scenarios"}, {"list", "algorithms"}, {"list", "metrics"}},
		"describe": {{"describe", "dpdonc"}, {"describe", "regret.expected"}},
		"account":  {{"account", "gaussian", "--epsilon", "1", "--delta", "1e-5", "--sensitivity", "1"}},
		"version":  {{"version"}},
		"audit":    {{"audit", "dpdonc-localization", "--samples", "256", "--arm", "epsilon=1"}},
	}
	// These print a file, wait for others, write, or are held by tests of their own.
	others := []string{"batch", "bench", "bundle", "completion", "data", "export", "factorize", "init", "man", "merge", "plot", "replay", "report", "reproduce", "rm", "schema", "tune", "ui", "verify", "watch", "worker"}
	catalog := scenarios.Catalog()
	for _, verb := range (program{shell.Program{Kinds: &catalog}}).newRoot().Commands() {
		if lines[verb.Name()] == nil && !slices.Contains(others, verb.Name()) {
			t.Errorf("the verb %s is not tried", verb.Name())
		}
	}
	for verb, list := range lines {
		for _, args := range list {
			for _, columns := range []uint16{80, 44} {
				text, err := runOn(t, columns, args...)
				if err != nil && strings.Contains(text, "panic") || text == "" && verb != "note" {
					t.Errorf("starling %s, %d columns: %v", strings.Join(args, " "), columns, err)
				}
				for line := range strings.SplitSeq(text, "\n") {
					if n := utf8.RuneCountInString(line); n > int(columns) && !whole.MatchString(line) && strings.Contains(strings.TrimSpace(line), " ") {
						t.Errorf("starling %s, %d columns: %d in %q", verb, columns, n, line)
					}
				}
			}
		}
	}
}
