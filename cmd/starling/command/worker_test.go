package command

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"starling/scenarios/results"
	"starling/scenarios/workers"
)

// said is what a process prints.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits until the process says something.
func (s *said) wait(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !strings.Contains(s.String(), want); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("want %q, and it is said\n%s", want, s)
		}
	}
}

// startWorker starts a worker process that hears on loopback, and ends with the test.
func startWorker(t *testing.T, more ...string) (address string, log *said) {
	t.Helper()
	cmd := exec.Command("starling", append([]string{"worker", "--listen", "127.0.0.1:0"}, more...)...)
	log = &said{}
	cmd.Stderr = log
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, workers.ListeningAt)), log
}

// runWith is a run of some jobs that take a while together.
func runWith(out string, more ...string) *exec.Cmd {
	return exec.Command("starling", append([]string{"run", "dpdonc-localization", "--quiet", "--out", out,
		"--set", "horizon=2000", "--set", "seeds.count=10", "--set", "measure.every=500"}, more...)...)
}

// TestWorkers has a run made by one process, by processes of its own, and by workers that
// show certificates, and ends a coordinator with SIGKILL: all runs have the same bytes.
func TestWorkers(t *testing.T) {
	lab := filepath.Join(t.TempDir(), "lab")
	if text, err := exec.Command("starling", "worker", "init-tls", lab, "--host", "127.0.0.1").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	tls := func(dir string) []string {
		return []string{"--tls-cert", filepath.Join(dir, "127.0.0.1.crt"), "--tls-key", filepath.Join(dir, "127.0.0.1.key"), "--tls-ca", filepath.Join(dir, "authority.crt")}
	}
	one := t.TempDir()
	if text, err := runWith(one).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want := only(t, one)
	check := func(name, out string) {
		t.Helper()
		sameRun(t, name, only(t, out), want)
	}
	local := t.TempDir()
	if text, err := runWith(local, "--workers", "local:2").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	check("processes of its own", local)

	a, log := startWorker(t, tls(lab)...)
	b, _ := startWorker(t, tls(lab)...)
	killed := t.TempDir()
	first := runWith(killed, append(tls(lab), "--workers", a+","+b)...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	log.wait(t, "a run has begun")
	first.Process.Kill()
	first.Wait()
	log.wait(t, "the coordinator is gone")
	if text, err := runWith(killed, append(tls(lab), "--workers", a+","+b)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	check("workers, after a coordinator was killed", killed)

	// A coordinator of another laboratory gets nothing.
	other := filepath.Join(t.TempDir(), "lab")
	if text, err := exec.Command("starling", "worker", "init-tls", other, "--host", "127.0.0.1").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	stranger := runWith(t.TempDir(), append(tls(other), "--workers", a)...)
	output := &said{}
	stranger.Stderr = output
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	log.wait(t, "refused a caller")
	stranger.Process.Kill()
	stranger.Wait()
}

// sameRun checks that a run has the digest and the files of another.
func sameRun(t *testing.T, name string, got, want results.Manifest) {
	t.Helper()
	if got.Digest != want.Digest || !slices.Equal(got.Files, want.Files) {
		t.Errorf("%s: digest %s, want %s; files %v, want %v", name, got.Digest, want.Digest, got.Files, want.Files)
	}
}

// TestSpreadOverOwnWorkers has the participants of a run, and of its parts, in two processes.
func TestSpreadOverOwnWorkers(t *testing.T) {
	few := func(out string, more ...string) *exec.Cmd {
		return runWith(out, append([]string{"--set", "horizon=50", "--set", "measure.every=25", "--set", "seeds.count=2"}, more...)...)
	}
	one := t.TempDir()
	if text, err := few(one).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want := only(t, one)
	spread := t.TempDir()
	text, err := few(spread, "--workers", "local:2", "--spread").CombinedOutput()
	if err != nil || !strings.Contains(string(text), "is spread over 2 workers") {
		t.Fatalf("%v\n%s", err, text)
	}
	sameRun(t, "participants in two processes", only(t, spread), want)
	parts := t.TempDir()
	for _, part := range []string{"1/2", "2/2"} {
		if text, err := few(parts, "--workers", "local:2", "--spread", "--part", part).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	if text, err := exec.Command("starling", "merge", parts, "--out", parts).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	sameRun(t, "parts whose participants are in two processes", only(t, parts), want)
}

// A forecast of a spread run says what each process takes.
func TestForecastOfSpreadRuns(t *testing.T) {
	text, err := runWith(t.TempDir(), "--workers", "local:2", "--spread", "--dry-run").CombinedOutput()
	if err != nil || !strings.Contains(string(text), "every worker and this process take up to one and a half times the memory of a run") {
		t.Errorf("%v\n%s", err, text)
	}
}

// A wrong type, an unknown key, a number out of range, and workers that there are none of are
// bad input, and nothing is written.
func TestBadInputWritesNothing(t *testing.T) {
	for _, test := range []struct{ flag, value, want string }{
		{"--set", "mechanism.epsilon={a: 1}", "--set mechanism.epsilon: expected a number, got a mapping"},
		{"--set", "mechanism.epsilom=1", "--set mechanism.epsilom: unknown key"},
		{"--set", "seeds.count=0", "--set seeds.count: 0 seeds; want"},
		{"--spread", "", "--spread needs --workers"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		text, err := runWith(out, slices.DeleteFunc([]string{test.flag, test.value}, func(arg string) bool { return arg == "" })...).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(text), test.want) {
			t.Errorf("%v\n%s", err, text)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: there are results", test.want)
		}
	}
}

// Processes of a run's own end with it, even if it is killed.
func TestOwnWorkersEnd(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc to see processes in")
	}
	log := &said{}
	cmd := runWith(t.TempDir(), "--workers", "local:2", "--set", "horizon=200000", "--set", "name=ends-with-its-run")
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(60 * time.Second); len(children(t, cmd.Process.Pid)) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no workers are started\n%s", log)
		}
	}
	own := children(t, cmd.Process.Pid)
	cmd.Process.Kill()
	cmd.Wait()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := slices.DeleteFunc(slices.Clone(own), func(dir string) bool {
			state, err := os.ReadFile(filepath.Join(dir, "stat"))
			return err != nil || strings.Contains(string(state), ") Z ")
		})
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v are still there", left)
		}
	}
}

// children are the folders in /proc of the processes that a process has started.
func children(t *testing.T, parent int) (dirs []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range all {
		state, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(state), ") ")
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
