package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"starling/scenarios/results"
)

// The files of the example, and how many lines that are not empty each may have: what
// algorithms, a problem, a topology, a mechanism, a metric and a model of rows cost an author.
var example = map[string]int{"main.go": 29, "fedadam.go": 80, "descent.go": 120, "quadratic.go": 60, "wheel.go": 29, "logistic.go": 80, "worst.go": 25, "poisson.go": 50, "example.yaml": 20}

// outside is the example built in another module.
type outside struct {
	*testing.T
	folder, program string
}

// build copies the example into a module of its own, which replaces starling by this
// one, and builds it there. A workspace of both modules has the compiler take packages of
// starling that are compiled: those of a replaced module have names of their own, and all
// would be compiled again.
func build(t *testing.T) outside {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	o := outside{t, t.TempDir(), "./custom"}
	if runtime.GOOS == "windows" {
		o.program += ".exe"
	}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(o.folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, most := range example {
		text := read(name)
		if lines := len(regexp.MustCompile(`(?m)^.*\S.*$`).FindAllString(text, -1)); lines > most {
			t.Errorf("%s has %d lines that are not empty, want at most %d", name, lines, most)
		}
		write(name, text)
	}
	module := strings.Replace(read("../../go.mod"), "module starling\n", "module example.com/custom\n", 1)
	write("go.mod", module+"\nrequire starling v0.0.0\n\nreplace starling => "+root+"\n")
	write("go.sum", read("../../go.sum"))
	write("go.work", regexp.MustCompile(`(?m)^go .*$`).FindString(module)+"\nuse (\n\t.\n\t"+strconv.Quote(root)+"\n)\n")
	cmd := exec.Command("go", "build", "-o", o.program, ".")
	cmd.Dir, cmd.Env = o.folder, append(os.Environ(), "GOWORK="+filepath.Join(o.folder, "go.work"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return o
}

func (o outside) command(args ...string) *exec.Cmd {
	cmd := exec.Command(o.program, args...)
	cmd.Dir = o.folder
	return cmd
}

// does runs the program, which must end with a code, and returns what it printed. What
// it prints must hold every word.
func (o outside) does(code int, args []string, words ...string) string {
	o.Helper()
	text, err := o.command(args...).CombinedOutput()
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		o.Fatal(err)
	}
	if got != code {
		o.Fatalf("custom %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, text)
	}
	for _, word := range words {
		if !strings.Contains(string(text), word) {
			o.Errorf("custom %s: no %q in\n%s", strings.Join(args, " "), word, text)
		}
	}
	return string(text)
}

// run returns the folder of the only run below out.
func (o outside) run(out string) string {
	o.Helper()
	folders, err := filepath.Glob(filepath.Join(o.folder, out, "custom-example", "*"))
	if err != nil || len(folders) != 1 {
		o.Fatalf("runs in %s: %q, %v", out, folders, err)
	}
	return folders[0]
}

// digest is that of the only run below out, which must be complete.
func (o outside) digest(out string) string {
	o.Helper()
	run, err := results.Open(o.run(out))
	if err != nil {
		o.Fatal(err)
	}
	return run.Manifest.Digest
}

// A program in another module has the whole command for kinds of its own: no file of
// Starling names them.
func TestOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program, and kills it")
	}
	o := build(t)
	t.Run("verbs", func(t *testing.T) { outside{t, o.folder, o.program}.verbs() })
	t.Run("resume", func(t *testing.T) { outside{t, o.folder, o.program}.resumes() })
}

// verbs takes the example through what the command does.
func (o outside) verbs() {
	o.does(0, []string{"list", "--all"}, "noisy-descent", "quadratic", "wheel", "dpdonc", "poisson", "fed-adam")
	o.does(0, []string{"describe", "fed-adam"}, "adaptivity", "sampled-gaussian")
	o.does(0, []string{"help", "problem", "table"}, "poisson")
	o.does(0, []string{"list", "metrics"}, "gradient.norm", "2-norm of a node's gradient", "regret.expected")
	o.does(2, []string{"validate", "example.yaml", "--set", "measure.metrics=[gradient.nrom]"}, `did you mean "gradient.norm"?`)
	o.does(0, []string{"schema"}, `"const": "noisy-descent"`)
	o.does(0, []string{"help", "algorithm", "noisy-descent"}, "rate", "default 0.5")
	o.does(2, []string{"validate", "example.yaml", "--set", "algorithm.rate=-1"}, "rate = -1; it must be a finite number > 0")
	o.does(2, []string{"validate", "example.yaml", "--set", "algorithm.kind=noisy-decent"}, `did you mean "noisy-descent"?`)
	o.does(0, []string{"run", "example.yaml", "--out", "actors", "--quiet"})
	o.does(0, []string{"run", "example.yaml", "--out", "lockstep", "--quiet", "--engine", "lockstep"})
	if a, l := o.digest("actors"), o.digest("lockstep"); a != l {
		o.Errorf("the runtimes differ: %s and %s", a, l)
	}
	o.does(0, []string{"export", o.run("actors"), "--summary", "--format", "csv"}, "gradient.norm")
	if _, err := os.Stat(filepath.Join(o.run("actors"), "plots", "gradient.svg")); err != nil {
		o.Error(err)
	}
	o.does(0, []string{"privacy", o.run("actors")}, "a node's costs", "ε = 10", "2000")
	o.does(0, []string{"replay", o.run("actors"), "--arm", "epsilon=1", "--seed", "1", "--node", "2", "--from", "3", "--to", "3"}, "released", "x")
	o.does(0, []string{"report", o.run("actors"), "--out", "page.html"})
	page, err := os.ReadFile(filepath.Join(o.folder, "page.html"))
	if err != nil || !bytes.Contains(page, []byte("noisy-descent")) {
		o.Errorf("the report does not name the algorithm; %v", err)
	}
	audit := []string{"audit", "example.yaml", "--samples", "3000", "--set", "mechanism.epsilon=1"}
	o.does(0, audit, "not refuted", "the noise is as stated")
	o.does(1, append(audit, "--sabotage", "scale=0.2"), "exceeded")
}

// resumes kills a run of the example, which goes on with --resume and ends with the bits
// of one that never was killed.
func (o outside) resumes() {
	args := []string{"run", "example.yaml", "--quiet", "--set", "sweep=null", "--set", "horizon=20000", "--set", "measure.every=5000", "--set", "checkpoint={every: 200}"}
	o.does(0, append(args, "--out", "straight"))
	cmd := o.command(append(args, "--out", "killed")...)
	if err := cmd.Start(); err != nil {
		o.Fatal(err)
	}
	saved := func() bool {
		files, _ := filepath.Glob(filepath.Join(results.Checkpoints(filepath.Join(o.folder, "killed", "custom-example", "*")), "*"))
		return len(files) > 0
	}
	for deadline := time.Now().Add(time.Minute); !saved() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	killed := cmd.Process.Kill()
	if err := cmd.Wait(); killed != nil || err == nil || !saved() {
		o.Fatalf("the run was not killed in its midst: %v, %v", killed, err)
	}
	o.does(0, append(args, "--out", "killed", "--resume"))
	if s, k := o.digest("straight"), o.digest("killed"); s != k {
		o.Errorf("digests %s, and %s of a run that was killed", s, k)
	}
}
