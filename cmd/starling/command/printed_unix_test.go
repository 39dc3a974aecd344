//go:build unix

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// spoken has names of arms with characters that a shell reads in its own way.
const spoken = `version: 1
name: spoken
horizon: 6
nodes: 3
algorithm: {kind: dsgd, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 1}}
topology: {kind: ring}
mechanism: {kind: laplace, epsilon: 1}
seeds: {count: 2}
plots: []
sweep: {list: [{name: "it's [all] *", set: {mechanism.epsilon: 2}}, {name: "no noise, none", set: {mechanism.epsilon: none}}]}
`

// printedCommand matches a command in a line of output, to its end.
var printedCommand = regexp.MustCompile(`(?m)(?:^| )(starling [a-z]+ .*)$`)

// TestPrintedCommands gives commands that the program prints to a shell, which runs them as they are: in
// folders and with arms whose names need quotes.
func TestPrintedCommands(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "my study.yaml"), []byte(spoken), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) (string, error) {
		c := exec.Command(name, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), err
	}
	asPrinted := func(text string, want int) {
		t.Helper()
		found := printedCommand.FindAllStringSubmatch(text, -1)
		if len(found) < want {
			t.Fatalf("%d commands, want %d, in\n%s", len(found), want, text)
		}
		for _, command := range found {
			if out, err := run("sh", "-c", command[1]); err != nil {
				t.Errorf("%s: %v\n%s", command[1], err, out)
			}
		}
	}
	const out = "it's my [results] *"
	// A scenario without a run, and then its notes and the next commands.
	text, err := run("starling", "table", "my study.yaml", "--results", "it's whole")
	if err == nil {
		t.Fatalf("a run that is not there: %s", text)
	}
	asPrinted(text, 1)
	if text, err = run("starling", "notes", "spoken", "--results", "it's whole"); err != nil {
		t.Fatal(text)
	}
	asPrinted(text, 2)
	if text, err = run("starling", "run", "my study.yaml", "--part", "1/2", "--out", out, "--progress", "none"); err != nil {
		t.Fatal(text)
	}
	// The part that is missing.
	if text, err = run("starling", "merge", "spoken", "--out", out); err == nil {
		t.Fatalf("a part is missing: %s", text)
	}
	asPrinted(text, 1)
	// Notes and the next commands.
	if text, err = run("starling", "merge", "spoken", "--out", out); err != nil {
		t.Fatal(text)
	}
	asPrinted(text, 3)
}
