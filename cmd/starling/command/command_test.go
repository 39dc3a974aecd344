package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"starling/cmd/starling/command/shell"
	"starling/mechanisms/rng"
	"starling/scenarios"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/testneeds"
)

// standard is the program with the catalog of package scenarios.
func standard() program {
	catalog := scenarios.Catalog()
	return program{shell.Program{Kinds: &catalog}}
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"starling": func() { Main(scenarios.Catalog()) },
		"stuck":    func() { os.Exit(signalled(stuck)) },
	})
}

// TestScripts runs the program as people do. The scripts have three commands
// more than usual: "exits CODE PROGRAM ARGUMENTS" runs a program that must end
// with the code, "keep NAME" puts what was last printed in a variable, and
// "ratings DIR USERS" writes a data set.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOGC", "400") // as scenariotest.Main
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "slow" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return testneeds.SlowWanted(), nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"keep":    keep,
			"ratings": ratings,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGUMENTS]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// ratings writes generated ratings of a number of users as MovieLens 1M.
func ratings(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ratings DIR USERS")
	}
	users, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(dataset.WriteRatings(ts.MkAbs(args[0]), dataset.NewSyntheticRatings(users, rng.NewKey(1, rng.PurposeOf("ratings")))))
}

func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: keep NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// TestInterrupt ends a long run as Ctrl-C does: it stops soon, says so, and
// leaves nothing that could be taken for results.
func TestInterrupt(t *testing.T) {
	for _, engine := range []string{"actors", "lockstep"} {
		t.Run(engine, func(t *testing.T) {
			out := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			var stdout, stderr bytes.Buffer
			result := make(chan int, 1)
			go func() {
				result <- standard().execute(ctx, []string{"run", "dpdonc-localization", "--seeds", "20000", "--out", out, "--engine", engine}, &stdout, &stderr)
			}()
			waitForLog(t, filepath.Join(out, "dpdonc-localization", "*", "log.jsonl"))
			began := time.Now()
			cancel()
			if code := <-result; code != exitFailed {
				t.Errorf("exit code %d, want %d", code, exitFailed)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("ended after %s", took)
			}
			if got, want := stderr.String(), "starling: interrupted; finished work is saved, and the same command goes on from there\n"; got != want || stdout.Len() > 0 {
				t.Errorf("stdout %q, stderr %q, want %q there", &stdout, got, want)
			}
			if complete, _ := filepath.Glob(filepath.Join(out, "*", "*", "COMPLETE")); len(complete) > 0 {
				t.Error("the results are complete")
			}
			noGoroutineLeft(t)
		})
	}
}

// TestInterruption checks that only of commands that save what they do it is said
// that they go on, and by what command.
func TestInterruption(t *testing.T) {
	catalog := scenarios.Catalog()
	root := program{shell.Program{Kinds: &catalog}}.newRoot()
	for _, test := range []struct{ args, want string }{
		{"run a.yaml --seeds 3", "interrupted; finished work is saved, and the same command goes on from there"},
		{"reproduce", "interrupted; finished work is saved, and the same command goes on from there"},
		{"run --again a.yaml", "interrupted; finished work is saved, and the same command without --again goes on from there"},
		{"run a.yaml --dry-run", "interrupted; nothing was written, and the same command starts over"},
		{"--errors json run a.yaml", "interrupted; finished work is saved, and the same command goes on from there"},
		{"audit run", "interrupted; nothing was written, and the same command starts over"},
		{"merge run", "interrupted; the parts are as they were, and the same command starts over"},
		{"plot run", "interrupted"},
	} {
		if got := interruption(root, strings.Fields(test.args)); got != test.want {
			t.Errorf("%s: %q, want %q", test.args, got, test.want)
		}
	}
}

// waitForLog waits until a run has written that a job is done.
func waitForLog(t *testing.T, pattern string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			continue
		}
		if text, err := os.ReadFile(files[0]); err == nil && bytes.Contains(text, []byte(`"message":"job"`)) {
			return
		}
	}
	t.Fatal("no job was done in 30 s")
}

// noGoroutineLeft fails the test if goroutines are left. Proto.Actor has one
// that ends within a second of the last dead letter.
func noGoroutineLeft(t *testing.T) {
	t.Helper()
	err := goleak.Find()
	for deadline := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(deadline); {
		err = goleak.Find()
	}
	if err != nil {
		t.Error(err)
	}
}

// TestVerbsExplainThemselves checks that every verb says what it does, in one
// line and at length, and shows how it is used.
func TestVerbsExplainThemselves(t *testing.T) {
	var check func(parent *cobra.Command)
	check = func(parent *cobra.Command) {
		for _, verb := range parent.Commands() {
			if verb.HasSubCommands() {
				check(verb)
			} else if verb.Name() != "version" && (verb.Long == "" || !strings.Contains(verb.Example, "starling "+strings.TrimPrefix(verb.CommandPath(), "starling "))) {
				t.Errorf("%s has no long text or no example of its use", verb.CommandPath())
			}
			if verb.Short == "" || strings.HasSuffix(verb.Short, ".") {
				t.Errorf("%s: one line of what it does: %q", verb.CommandPath(), verb.Short)
			}
		}
	}
	check(standard().newRoot())
}
