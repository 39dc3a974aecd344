package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostileScenario has control characters wherever a scenario can have some.
const hostileScenario = `version: 1
name: hostile
description: "what \e]0;owned\a it is"
horizon: 12
nodes: 4
algorithm: {kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}
problem: {kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {circle: {radius: 4}}}
topology: {kind: ring}
mechanism: {kind: laplace, epsilon: 1}
seeds: {count: 2}
sweep: {list: [{name: a, set: {mechanism.epsilon: 2}}, {name: b, set: {mechanism.epsilon: 4}}]}
`

// obeyed is the first character of a text that a terminal would obey.
func obeyed(text string) (at int, found bool) {
	at = strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
	return at, at >= 0
}

// TestHostileNames has verbs meet names with control characters, of scenarios, arms, keys, files,
// folders, tags and in the log of a run: none of these reaches the terminal.
func TestHostileNames(t *testing.T) {
	const evil = "x\x1b]0;owned\a\u009b2J"
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	changed := func(old, new string) string {
		if !strings.Contains(hostileScenario, old) {
			t.Fatalf("there is no %q to change", old)
		}
		return strings.Replace(hostileScenario, old, new, 1)
	}
	const escaped = `"x\e]0;owned\a"`
	write("s.yaml", hostileScenario)
	write("other.yaml", changed("mechanism.epsilon: 4", "mechanism.epsilon: 3"))
	write(evil+".yaml", hostileScenario)
	write("key.yaml", hostileScenario+escaped+": 3\n")
	write("kind.yaml", changed("kind: ring", "kind: "+escaped))
	write("name.yaml", changed("name: hostile", "name: "+escaped))
	write("raw.yaml", "version: 1\nname: "+evil+"\n")
	write("edges.yaml", changed("kind: ring", "kind: edge-list, file: "+escaped))
	write("extends.yaml", "extends: "+escaped+"\n")
	write("columns.csv", evil+",b\n1,2\n3,4\n")
	write("columns.yaml", changed("kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {circle: {radius: 4}}", "kind: table, file: columns.csv, label: c, set: {kind: l2-ball, radius: 1}"))
	write("sensor.yaml", changed("circle: {radius: 4}", escaped+": 3"))
	write("arm.yaml", changed("{name: a,", "{name: "+escaped+","))
	write("plots.yaml", hostileScenario+"plots: [{y: "+escaped+"}]\n")
	write("claims.claims.yaml", "claims: [{"+escaped+": 3}]\n")

	check := func(arguments ...string) {
		t.Helper()
		var out bytes.Buffer
		standard().execute(t.Context(), arguments, &out, &out)
		if at, found := obeyed(out.String()); found {
			t.Errorf("starling %q lets a terminal obey %q", arguments, out.String()[max(0, at-60):min(len(out.String()), at+20)])
		}
	}
	for _, name := range []string{"s", "key", "kind", "name", "raw", "edges", "extends", "columns", "sensor", "arm", "plots", evil, "none" + evil} {
		check("validate", name+".yaml")
		check("run", name+".yaml", "--dry-run")
	}
	check("run", "s.yaml")
	check("run", "s.yaml", "--again", "--progress", "json")
	check("run", "other.yaml")
	check("run", "s.yaml", "--part", "1/2", "--out", "parts")
	check("run", "s.yaml", "--set", evil+"=3")
	check("run", "s.yaml", "--set", "horizon="+evil)
	check("run", "s.yaml", "--out", evil)
	check("run", "s.yaml", "--tag", evil, "--out", "tagged")
	check("merge", "parts")
	for _, word := range []string{"s.yaml", "none" + evil, evil + ".yaml", evil} {
		for _, verb := range []string{"show", "validate", "topology", "audit", "batch", "reproduce", "report", "compare", "plot", "privacy", "replay", "export", "table", "watch", "runs", "du", "rm", "tag", "merge", "describe", "init", "help", "list", "data", "account", "factorize", "schema"} {
			if (verb == "audit" || verb == "reproduce") && strings.HasSuffix(word, ".yaml") {
				continue // which takes long
			}
			check(verb, word)
		}
		check(word)
	}
	check("audit", "s.yaml", "--samples", "200")
	check("reproduce", "claims")
	found, err := filepath.Glob("results/*/*")
	if err != nil || len(found) != 2 {
		t.Fatalf("runs %q, %v", found, err)
	}
	// The same under a folder of a hostile name, with a hostile log, progress and tags.
	dirs := map[string]string{}
	for i, dir := range found {
		to := filepath.Join("foreign", evil, filepath.Base(dir))
		if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		dirs[[]string{"first", "second"}[i]] = to
		write(filepath.Join(to, "tags.txt"), evil+"\n")
	}
	failed := filepath.Join("foreign", "failed", "0123456789ab")
	if err := os.CopyFS(failed, os.DirFS(found[0])); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(failed, "COMPLETE")); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(failed, "log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(failed, "log.jsonl"), string(log)+`{"level":"error","time":"2026-01-01T00:00:00Z","error":"x\u001b]0;owned\u0007","message":"run ends"}`+"\n")
	damaged := filepath.Join("foreign", "damaged", "0123456789ac")
	if err := os.CopyFS(damaged, os.DirFS(found[0])); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(damaged, "manifest.json"), `{"version": "x\u001b]0;owned\u0007", "\u001b[2J": 3`)
	for _, dir := range append(found, dirs["first"], dirs["second"], failed, damaged) {
		for _, verb := range []string{"report", "compare", "privacy", "watch", "runs", "du", "tag", "plot", "replay", "merge", "reproduce", "rm", "run", "validate", "show"} {
			check(verb, dir)
		}
		check("compare", dir, found[1])
		check("compare", dir, "--arms", evil+",b")
		for _, format := range []string{"terminal", "markdown", "latex", "csv", "html"} {
			check("table", dir, "--format", format)
		}
		check("table", dir, "--metric", evil, "--rows", evil, "--arm", evil, "--title", evil)
		check("table", dir, "--title", evil)
		check("plot", dir, "--y", "regret.expected", "--out", "x.svg")
		check("plot", dir, "--y", evil)
		check("plot", dir, "--y", "regret.expected", "--by", evil)
		check("replay", dir, "--node", "1", "--from", "1", "--to", "2", "--arm", "b")
		check("replay", dir, "--node", "1", "--from", "1", "--to", "2", "--arm", evil)
		check("export", dir, "--metric", evil)
		check("privacy", dir, "--arm", evil)
		check("report", dir, "--out", filepath.Join("foreign", evil+".html"))
	}
	for _, folder := range []string{"results", "foreign", "foreign/" + evil} {
		check("runs", folder)
		check("runs", folder, "--where", evil)
		check("runs", folder, "--tag", evil)
		check("du", folder)
		check("rm", "--out", folder, "--status", "damaged")
	}
}
