package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios"
)

// tiny is a scenario of two arms that takes no time.
const tiny = `version: 1
name: tiny
horizon: 4
nodes: 3
algorithm: {kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}
problem: {kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {circle: {radius: 4}}}
topology: {kind: complete}
mechanism: {kind: laplace, epsilon: 1}
seeds: {count: 2}
measure: {every: 1}
sweep: {grid: {mechanism.epsilon: [1, none]}}
`

// answers are the fields of what each verb prints with --json, of an object or of the first
// object of an array, by a command line that ends with success. RUN is the folder of a run
// of tiny, and PARTS one of its parts. They are what users script against.
var answers = map[string]struct {
	line   string
	fields string
}{
	"account gaussian":         {"--epsilon 2 --delta 1e-3 --sensitivity 1", "delta epsilon rho sigma"},
	"account laplace":          {"--epsilon 2 --sensitivity 1", "delta epsilon epsilon_each releases scale"},
	"account sampled-gaussian": {"--q 0.01 --sigma 1.1 --steps 10 --delta 1e-5", "delta epsilon order steps"},
	"audit":                    {"tiny.yaml --samples 2000", "*"},
	"batch":                    {"tiny.yaml --parts 2 --for local", "arguments cores folder for memory_bytes parts program scenario script seconds"},
	"bench":                    {"--quick --count 1 --only ^noise/laplace$", "*"},
	"bundle":                   {"RUN --out run.zip", "claims digest file files hash scenario size"},
	"compare":                  {"RUN:epsilon=1 RUN:epsilon=none", "*"},
	"data example":             {"example.csv --clients 2 --rows 3 --features 2", "clients features file rows seed"},
	"data get":                 {"", ""}, // downloads
	"data look":                {"example.csv", "columns faults file notes parties problem rows"},
	"data verify":              {"--data SETS", ""}, // ends with 1 for want of data: below
	"describe":                 {"laplace", "*"},
	"du":                       {"", "*"},
	"export":                   {"RUN", "arm metric node seed step value"},
	"factorize":                {"--kind toeplitz --n 8", "*"},
	"help":                     {"run", "markdown name verb"},
	"init":                     {"new.yaml --algorithm dpdonc --problem logistic", "command file kinds"},
	"list":                     {"topologies", "topologies"},
	"man":                      {"pages", "folder pages"},
	"merge":                    {"PARTS --out merged", "adopted digest existing failures finding folder from resumed warnings"},
	"note":                     {"RUN too-little", "folder note"},
	"notes":                    {"RUN", "finding folder notes warnings"},
	"plot":                     {"RUN --out f.svg", "curves facets file note title x_label y_label"},
	"privacy":                  {"RUN", "*"},
	"replay":                   {"RUN --arm epsilon=1 --seed 1 --node 1 --from 1 --to 1", "*"},
	"report":                   {"RUN", "file runs"},
	"reproduce":                {"privacy-index-shift --quick", "*"},
	"rm":                       {"tiny --yes --out merged", "*"},
	"run":                      {"tiny.yaml --progress none", "adopted digest existing failures finding folder from resumed warnings"},
	"runs":                     {"", "*"},
	"schema":                   {"", "*"},
	"show":                     {"tiny.yaml --resolved", "arm resolved scenario values yaml"},
	"table":                    {"RUN --columns metric --metric target.error", "caption cells columns file rows"},
	"tag":                      {"RUN paper", "*"},
	"topology":                 {"tiny.yaml", "*"},
	"tune":                     {`own-data --progress none --set sweep=null --set horizon=24 --set seeds.count=1 --set problem.validation=0.25 --set tune={"metric":"validation.loss","seeds":{"base":9},"grid":{"rate":[1]}}`, "choices metric run"},
	"ui":                       {"results", "address folder"},
	"validate":                 {"tiny.yaml", "arms scenario seeds steps warnings"},
	"verify":                   {"run.zip", "*"},
	"version":                  {"", "arch build go os version"},
	"watch":                    {"RUN --once", "digest folder hash reason scenario state"},
	"worker":                   {"--listen 127.0.0.1:0", "address"},
	"worker init-tls":          {"lab", "files"},
}

// leaves are the verbs that do something, by their path below the program.
func leaves(cmd *cobra.Command, path string) (list []string) {
	for _, sub := range cmd.Commands() {
		name := strings.TrimSpace(path + " " + sub.Name())
		if sub.Name() == "completion" || sub.Name() == cobra.ShellCompRequestCmd || sub.Name() == cobra.ShellCompNoDescRequestCmd {
			continue // which write code for shells
		}
		if sub.HasSubCommands() && sub.Args != nil && sub.RunE != nil && sub.Name() != "worker" {
			list = append(list, leaves(sub, name)...)
			continue
		}
		list = append(list, name)
		list = append(list, leaves(sub, name)...)
	}
	return list
}

// ask runs a command and returns what it printed.
func ask(t *testing.T, ctx context.Context, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	catalog := scenarios.Catalog()
	var out, errs bytes.Buffer
	code = program{shell.Program{Kinds: &catalog}}.execute(ctx, args, &out, &errs)
	return code, out.String(), errs.String()
}

// documentIn is the one JSON document that a text is.
func documentIn(t *testing.T, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in\n%.2000s", err, text)
	}
	if err := decoder.Decode(new(any)); err != io.EOF {
		t.Fatalf("more than a document: %v in\n%.2000s", err, text)
	}
	return value
}

// TestEveryVerbHasJSON asks every verb for JSON: standard output is one document, with the
// fields that it always had.
func TestEveryVerbHasJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("tiny.yaml", []byte(tiny), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STARLING_SECRET", strings.Repeat("secret ", 8))
	done := func(args ...string) string {
		code, stdout, stderr := ask(t, t.Context(), args...)
		if code != 0 {
			t.Fatalf("%v ends with %d: %s", args, code, stderr)
		}
		return strings.TrimSpace(stdout)
	}
	run := done("run", "tiny.yaml", "--quiet", "--progress", "none")
	for _, part := range []string{"1/2", "2/2"} {
		done("run", "tiny.yaml", "--quiet", "--part", part, "--out", "parts")
	}
	if err := os.Mkdir("sets", 0o755); err != nil {
		t.Fatal(err)
	}
	catalog := scenarios.Catalog()
	verbs := leaves(program{shell.Program{Kinds: &catalog}}.newRoot(), "")
	if known := slices.Sorted(maps.Keys(answers)); !slices.Equal(known, slices.Sorted(slices.Values(append(verbs, "help")))) {
		t.Errorf("verbs %q, known %q", verbs, known)
	}
	// In this order: rm removes what merge wrote.
	for _, verb := range slices.Sorted(maps.Keys(answers)) {
		t.Run(verb, func(t *testing.T) { checkJSON(t, verb, filepath.ToSlash(run)) })
	}
}

// checkJSON asks one verb.
func checkJSON(t *testing.T, verb, run string) {
	words := strings.Fields(strings.NewReplacer("RUN", run, "PARTS", "parts", "SETS", "sets").Replace(verb + " " + answers[verb].line))
	code, stdout, stderr := ask(t, t.Context(), append(slices.Clone(strings.Fields(verb)), "--json", "--no-such-flag", "--errors", "json")...)
	if code != 2 || stdout != "" {
		t.Errorf("an unknown flag ends with %d and prints %q", code, stdout)
	}
	if faults, ok := documentIn(t, stderr).([]any); !ok || len(faults) != 1 {
		t.Errorf("an unknown flag is %s", stderr)
	}
	if verb == "data get" {
		return
	}
	ctx := t.Context()
	if verb == "ui" || verb == "worker" { // which serve until they are told to end
		ended, cancel := context.WithCancel(ctx)
		cancel()
		ctx = ended
	}
	code, stdout, stderr = ask(t, ctx, append(words, "--json")...)
	if want := map[string]int{"data verify": 1}[verb]; code != want {
		t.Fatalf("%v ends with %d: %s", words, code, stderr)
	}
	value := documentIn(t, stdout)
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	want := answers[verb].fields
	if verb == "data verify" {
		want = "folder sets"
	}
	if object, ok := value.(map[string]any); want != "*" {
		if got := strings.Join(slices.Sorted(maps.Keys(object)), " "); !ok || got != want {
			t.Errorf("fields %s, want %s", got, want)
		}
	}
}

// TestJSONOfLibrary: whatever a scenario of the library says has a place in JSON.
func TestJSONOfLibrary(t *testing.T) {
	_, stdout, _ := ask(t, t.Context(), "list", "scenarios", "--json")
	for _, entry := range documentIn(t, stdout).(map[string]any)["scenarios"].([]any) {
		name := entry.(map[string]any)["kind"].(string)
		code, stdout, stderr := ask(t, t.Context(), "show", name, "--json")
		if code != 0 {
			t.Fatalf("%s: %s", name, stderr)
		}
		if shown := documentIn(t, stdout).(map[string]any); shown["scenario"] != name || shown["values"].(map[string]any)["version"] != 1. {
			t.Errorf("%s: %v", name, shown["scenario"])
		}
	}
}
