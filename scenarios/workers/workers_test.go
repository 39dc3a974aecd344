package workers_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"starling/actors/algorithm"
	"starling/actors/remote"
	"starling/scenarios"
	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
	"starling/scenarios/workers"
)

// secret is that of all processes of the tests.
var secret = strings.Repeat("t", remote.LeastSecret)

// asWorker has the settings of a process that is a worker, in JSON.
const asWorker = "STARLING_TEST_WORKER"

type settings struct {
	Listen, Data, Build string
	Own, Code           bool
	Silence             time.Duration
	State               int64
	// Authority is a folder with the certificate of Host; the secret of the tests counts where
	// there is none.
	Authority, Host string
}

func TestMain(m *testing.M) {
	if text := os.Getenv(asWorker); text != "" {
		var s settings
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			panic(err)
		}
		if err := work(s); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// Tests wait for other processes and for silences to pass, and compute little: more run at a time
	// than there are cores.
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	code := scenariotest.Main(m)
	if code == 0 {
		// A child that runs Python lives on for a while after its run.
		idle := goleak.IgnoreAnyFunction("starling/scenarios/problem/pyproblem.listen.func1")
		waited := goleak.IgnoreAnyFunction("starling/scenarios/problem/pyproblem.(*process).open.func1")
		if err := goleak.Find(idle, waited); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

// work is a worker until its input ends, if it is somebody's own.
func work(s settings) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if s.Own {
		go func() { io.Copy(io.Discard, os.Stdin); cancel() }()
	}
	catalog := scenarios.Catalog()
	return workers.Serve(ctx, workers.ServeOptions{
		Node:   remote.Options{Listen: s.Listen, Identity: s.identity(), Silence: s.Silence},
		Loader: loading.Loader{Kinds: &catalog, Data: s.Data, Code: s.Code}, Version: "test", Build: s.Build, Own: s.Own, State: s.State,
		Ready: func(address string) { fmt.Println(workers.ListeningAt + address) }, Log: zerolog.New(os.Stderr),
	})
}

// identity is that of a worker.
func (s settings) identity() *remote.Identity {
	if s.Authority == "" {
		return identity()
	}
	identity, err := remote.ReadIdentity(filepath.Join(s.Authority, s.Host+".crt"), filepath.Join(s.Authority, s.Host+".key"), filepath.Join(s.Authority, remote.AuthorityCertificate))
	if err != nil {
		panic(err)
	}
	return identity
}

func identity() *remote.Identity {
	identity, err := remote.SharedIdentity(secret)
	if err != nil {
		panic(err)
	}
	return identity
}

// environment has the settings of a worker.
func environment(t testing.TB, s settings) []string {
	t.Helper()
	if s.Build == "" {
		s.Build = "a"
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), asWorker+"="+string(text))
}

// started is a worker process of a test, which ends with it.
type started struct {
	*exec.Cmd
	address string
	said    *journal
}

// journal is what a process prints.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func start(t testing.TB, s settings) *started {
	t.Helper()
	return startBy(t, s)
}

// startBy starts a worker by a program that starts others.
func startBy(t testing.TB, s settings, by ...string) *started {
	t.Helper()
	if s.Listen == "" {
		s.Listen = "127.0.0.1:0"
	}
	words := append(by, os.Args[0])
	w := &started{Cmd: exec.Command(words[0], words[1:]...), said: &journal{}}
	w.Env, w.Stderr = environment(t, s), w.said
	output, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Process.Kill(); w.Wait() })
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("a worker does not start: %v\n%s", err, w.said)
	}
	w.address = strings.TrimSpace(strings.TrimPrefix(line, workers.ListeningAt))
	return w
}

// pool is one of workers at addresses, or of processes of its own where none are given. It
// keeps what the user is told.
func pool(t testing.TB, name string, o workers.Options, addresses ...string) (*workers.Pool, *journal) {
	t.Helper()
	told := &journal{}
	o.Addresses, o.File = addresses, name
	if len(addresses) == 0 {
		for range 2 {
			o.Local = append(o.Local, workers.Local{Program: os.Args[0], Args: []string{os.Args[0]}, Env: environment(t, settings{Listen: "127.0.0.1:0", Data: scenariotest.Loader(t).Data, Own: true})})
		}
	}
	if o.Node.Identity == nil {
		o.Node.Listen, o.Node.Identity = "127.0.0.1:0", identity()
	}
	o.Run.Version, o.Run.Build, o.Run.Engine = "test", "a", runner.Actors
	if o.Patience == 0 {
		o.Patience = 5 * time.Second
	}
	o.Warn = func(text string) { fmt.Fprintln(told, text) }
	p := workers.NewPool(o)
	t.Cleanup(p.Close)
	return p, told
}

// options are those of a run in a folder.
func options(t testing.TB, p *workers.Pool) runner.RunOptions {
	o := runner.RunOptions{Out: t.TempDir(), Engine: runner.Actors, Version: "test", Build: "a", Progress: &runner.Progress{}}
	if p != nil {
		o.Elsewhere = p
	}
	return o
}

// same runs a scenario with a pool and in this process, and wants the same digest and the
// same bytes in all data files. during, if not nil, is called when the run has begun.
func same(t *testing.T, load func() *study.Scenario, p *workers.Pool, during func()) {
	t.Helper()
	if during == nil {
		sameWhile(t, load, p, nil)
		return
	}
	sameWhile(t, load, p, func(done func() int64) {
		for done() == 0 {
			time.Sleep(time.Millisecond)
		}
		during()
	})
}

// sameWhile is same with what is called when the run begins: it is told how many jobs are
// done, which is more than there are once the run has failed.
func sameWhile(t *testing.T, load func() *study.Scenario, p *workers.Pool, during func(done func() int64)) {
	t.Helper()
	var group sync.WaitGroup
	defer group.Wait()
	o := options(t, p)
	if during != nil {
		group.Go(func() { during(o.Progress.Jobs.Load) })
	}
	got, err := runner.Run(load(), t.Context(), o)
	if err != nil {
		o.Progress.Jobs.Add(1 << 40) // for during
		t.Fatal(err)
	}
	asOneProcess(t, load, got)
}

// asOneProcess holds a run to the bits of one process.
func asOneProcess(t *testing.T, load func() *study.Scenario, got *runner.Outcome) {
	t.Helper()
	want, err := runner.Run(load(), t.Context(), options(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if got.Manifest.Digest != want.Manifest.Digest || want.Manifest.Digest == "" {
		t.Errorf("digest %s, want %s", got.Manifest.Digest, want.Manifest.Digest)
	}
	if !slices.Equal(got.Manifest.Files, want.Manifest.Files) {
		t.Errorf("files %v, want %v", got.Manifest.Files, want.Manifest.Files)
	}
}

// write writes a scenario to a file, and returns how it is loaded. It has no figures, which are
// drawn from the results of all workers, and take longer than small runs.
func write(t *testing.T, text string, sets ...string) (name string, overrides []loading.Override, load func() *study.Scenario) {
	t.Helper()
	name, overrides = scenariotest.File(t, text), scenariotest.ParseSets(t, append(sets, "plots=[]")...)
	return name, overrides, func() *study.Scenario {
		s, err := scenariotest.Loader(t).Load(name, overrides...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// Every family has the same bits with workers: one of four in quick tests, which spread the
// participants of others in TestSpreadFamilies.
func TestSameBits(t *testing.T) {
	t.Parallel()
	for i, name := range slices.Sorted(maps.Keys(scenariotest.Families)) {
		if !testneeds.Some(i+3, 8) {
			continue
		}
		family := scenariotest.Families[name]
		t.Run(name, func(t *testing.T) {
			file, overrides, load := write(t, family[0], append([]string{"seeds.count=3"}, family[1:]...)...)
			p, _ := pool(t, file, workers.Options{Overrides: overrides})
			same(t, load, p, nil)
		})
	}
}

// longer is a run of many jobs, of which each takes a while.
var longer = []string{"seeds.count=40", "horizon=3000", "measure={every: 3000}"}

func TestKilledWorker(t *testing.T) {
	t.Parallel()
	a, b := start(t, settings{}), start(t, settings{})
	file, _, load := write(t, scenariotest.Base, longer...)
	p, told := pool(t, file, workers.Options{}, a.address, b.address)
	same(t, load, p, func() { a.Process.Kill() })
	if !strings.Contains(told.String(), "worker "+a.address+" is lost") {
		t.Errorf("the user is told %q", told)
	}
}

// A worker that stands still for longer than the silence that is stated is lost, and does
// no harm when it goes on.
func TestPausedWorker(t *testing.T) {
	t.Parallel()
	paused := 2 * time.Second
	if testneeds.SlowWanted() {
		paused = 10 * time.Second
	}
	a, b := start(t, settings{}), start(t, settings{})
	file, _, load := write(t, scenariotest.Base, longer...)
	p, _ := pool(t, file, workers.Options{Node: remote.Options{Silence: time.Second}}, a.address, b.address)
	same(t, load, p, func() {
		a.Process.Signal(syscall.SIGSTOP)
		time.Sleep(paused)
		a.Process.Signal(syscall.SIGCONT)
	})
}

// A run goes on with a worker that was ended and started again.
func TestRestartedWorker(t *testing.T) {
	t.Parallel()
	a := start(t, settings{})
	file, _, load := write(t, scenariotest.Base, longer...)
	p, _ := pool(t, file, workers.Options{Patience: time.Minute}, a.address)
	same(t, load, p, func() {
		a.Process.Kill()
		a.Wait()
		start(t, settings{Listen: a.address})
	})
}

// A worker whose coordinator is gone without a word says so within the silence that is
// stated, ends the jobs, and serves the next.
func TestKilledCoordinator(t *testing.T) {
	t.Parallel()
	a := start(t, settings{Silence: time.Second})
	file, _, load := write(t, scenariotest.Base, longer...)
	ctx, cancel := context.WithCancel(t.Context())
	dead, _ := pool(t, file, workers.Options{}, a.address)
	o := options(t, dead)
	var group sync.WaitGroup
	group.Go(func() { runner.Run(load(), ctx, o) })
	for o.Progress.Jobs.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	group.Wait()
	dead.Close()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(a.said.String(), "the coordinator is gone"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the worker says\n%s", a.said)
		}
	}
	p, _ := pool(t, file, workers.Options{}, a.address)
	same(t, load, p, nil)
}

// A table beside the scenario reaches workers of one's own; others need it in their folder
// of data, with the same contents.
func TestOwnData(t *testing.T) {
	dir := t.TempDir()
	var table strings.Builder
	table.WriteString("x1,x2,y\n")
	for i := range 400 {
		fmt.Fprintf(&table, "%d.5,%d,%d\n", i%7, i%3, i%2)
	}
	file := filepath.Join(dir, "s.yaml")
	for name, text := range map[string]string{"mine.csv": table.String(), "s.yaml": `version: 1
name: rows
horizon: 6
nodes: 3
algorithm: {kind: ofl, tau: 2, local_step: 0.1, gradient_bound: 1}
problem: {kind: table, file: mine.csv, partition: {kind: iid}, label: y, features: [x1, x2], test: {share: 0.1}, set: {kind: l2-ball, radius: 3}, model: {kind: logistic}}
topology: {kind: star}
mechanism: {kind: tree, epsilon: 5, delta: 1e-3}
seeds: {base: 1, count: 4}
plots: []
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	load := func() *study.Scenario { return scenariotest.Load(t, file) }
	p, _ := pool(t, file, workers.Options{})
	same(t, load, p, nil)

	there, other := t.TempDir(), t.TempDir()
	for folder, text := range map[string]string{there: table.String(), other: table.String() + "1,2,1\n"} {
		if err := os.WriteFile(filepath.Join(folder, "mine.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, _ = pool(t, file, workers.Options{}, start(t, settings{Data: there}).address)
	same(t, load, p, nil)
	for folder, want := range map[string]string{t.TempDir(): "mine.csv", other: "the data mine.csv differ"} {
		a := start(t, settings{Data: folder})
		p, _ := pool(t, file, workers.Options{}, a.address)
		if _, err := runner.Run(load(), t.Context(), options(t, p)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), a.address) {
			t.Errorf("%v, want an error that says %q and %s", err, want, a.address)
		}
	}
}

// A worker reads no file outside its folder of data, whoever names one, and does not tell
// whether there is one.
func TestNoOtherFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("x1,y\n1,0\n2,1\n3,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	outside, err := filepath.Rel(folder, secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{secret, outside, "/nowhere/at-all.csv"} {
		for _, text := range []string{
			"kind: table, file: " + name + ", label: y, features: [x1], partition: {kind: iid}, test: {share: 0.3}, set: {kind: l2-ball, radius: 3}, model: {kind: logistic}",
			"kind: images, data: synthetic, train: 60, test: 20, partition: {kind: iid}, model: {kind: softmax, weights: " + name + "}",
		} {
			doc, err := document.Parse("coordinator", []byte("version: 1\nname: s\nhorizon: 4\nnodes: 1\nalgorithm: {kind: ofl, tau: 2, local_step: 0.1, gradient_bound: 1}\nproblem: {"+text+"}\ntopology: {kind: star}\nmechanism: {kind: tree, epsilon: 5, delta: 1e-3}\nseeds: {base: 1, count: 1}\n"))
			if err != nil {
				t.Fatal(err)
			}
			loader := scenariotest.Loader(t)
			loader.Data, loader.Confined = folder, true
			_, err = loader.Check(doc)
			if err == nil || !strings.Contains(err.Error(), "does not lie in the folder of data sets") || strings.Contains(err.Error(), "no such file") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A worker of another build is refused by name, and the run goes on with the others.
func TestOtherBuild(t *testing.T) {
	a, b := start(t, settings{Build: "b"}), start(t, settings{})
	file, _, load := write(t, scenariotest.Base, "seeds.count=4")
	p, told := pool(t, file, workers.Options{}, a.address, b.address)
	same(t, load, p, nil)
	if text := told.String(); !strings.Contains(text, a.address) || !strings.Contains(text, "has the build a, and this worker b") {
		t.Errorf("the user is told %q", text)
	}
	p, _ = pool(t, file, workers.Options{}, a.address)
	if _, err := runner.Run(load(), t.Context(), options(t, p)); err == nil || !strings.Contains(err.Error(), "no worker is left") || !strings.Contains(err.Error(), a.address) {
		t.Errorf("of one worker: %v", err)
	}
}

// impostor is a worker in this process that answers as the test says.
func impostor(t *testing.T, answer func(l *remote.Link, m *workers.ToWorker)) string {
	t.Helper()
	n, err := remote.Start(remote.Options{Listen: "127.0.0.1:0", Identity: identity(), Accept: func(l *remote.Link) {
		for {
			text, err := l.Receive(context.Background())
			if err != nil {
				return
			}
			var m workers.ToWorker
			if proto.Unmarshal(text, &m) == nil {
				answer(l, &m)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n.Address()
}

func say(l *remote.Link, m *workers.ToCoordinator) {
	text, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	l.Send(context.Background(), text)
}

func sayReady(l *remote.Link) {
	say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_Ready{Ready: &workers.Ready{Jobs: 1}}})
}

// What a worker does wrong fails the run by name, and never hangs it.
func TestWorkersThatMisbehave(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer func(l *remote.Link, m *workers.ToWorker)
		want   []string
	}{
		"makes no step": {func(l *remote.Link, m *workers.ToWorker) {
			if m.GetStudy() != nil {
				sayReady(l)
			}
		}, []string{"has made no step of the job of arm base, seed "}},
		"says nothing": {func(*remote.Link, *workers.ToWorker) {}, []string{"it has not loaded the scenario"}},
		"fails": {func(l *remote.Link, m *workers.ToWorker) {
			if m.GetStudy() != nil {
				sayReady(l)
				return
			}
			say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_Failed{Failed: &workers.Failed{Index: m.GetJob().Index, Reason: []byte("out of luck \xff")}}})
		}, []string{"scenario base, arm base, seed 1: worker ", "out of luck \xff"}},
		"leaves what is no result": {func(l *remote.Link, m *workers.ToWorker) {
			if m.GetStudy() != nil {
				sayReady(l)
				return
			}
			say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_Done{Done: &workers.Done{Index: m.GetJob().Index, Result: []byte("nonsense")}}})
		}, []string{"no result of the job"}},
		"refuses": {func(l *remote.Link, m *workers.ToWorker) {
			say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_Refused{Refused: &workers.Refused{Reason: []byte("not today")}}})
		}, []string{"no worker is left", "refused: not today"}},
		"refuses a job": {func(l *remote.Link, m *workers.ToWorker) {
			if m.GetStudy() != nil {
				sayReady(l)
				return
			}
			say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_Refused{Refused: &workers.Refused{Reason: []byte("no more")}}})
		}, []string{"no worker is left", "refused: no more"}},
		"leaves with every job": {func(l *remote.Link, m *workers.ToWorker) {
			if m.GetStudy() != nil {
				sayReady(l)
				return
			}
			l.Close("gone")
		}, []string{"was lost with 3 workers"}},
		"says what nobody asked for": {func(l *remote.Link, m *workers.ToWorker) {
			if m.GetStudy() != nil {
				sayReady(l)
			}
			sayReady(l)
		}, []string{"nobody asked for"}},
	} {
		t.Run(name, func(t *testing.T) {
			address := impostor(t, test.answer)
			file, _, load := write(t, scenariotest.Base)
			p, _ := pool(t, file, workers.Options{Stall: 2 * time.Second, Patience: time.Second}, address)
			_, err := runner.Run(load(), t.Context(), options(t, p))
			for _, want := range append(test.want, address) {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want an error that says %q", err, want)
				}
			}
		})
	}
}

// The stack of a job that panics elsewhere is in the error, for the log.
func TestPanicsElsewhere(t *testing.T) {
	address := impostor(t, func(l *remote.Link, m *workers.ToWorker) {
		if m.GetStudy() != nil {
			sayReady(l)
			return
		}
		say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_Failed{Failed: &workers.Failed{Index: m.GetJob().Index, Reason: []byte("panic: x"), Stack: []byte("the stack")}}})
	})
	file, _, load := write(t, scenariotest.Base)
	p, _ := pool(t, file, workers.Options{}, address)
	_, err := runner.Run(load(), t.Context(), options(t, p))
	var panicked *algorithm.Panic
	if !errors.As(err, &panicked) || string(panicked.Stack) != "the stack" {
		t.Errorf("%v", err)
	}
}

// A second coordinator waits until the first is done with a worker.
func TestTakenWorker(t *testing.T) {
	t.Parallel()
	a := start(t, settings{})
	file, _, load := write(t, scenariotest.Base, longer...)
	first, _ := pool(t, file, workers.Options{}, a.address)
	second, _ := pool(t, file, workers.Options{Patience: time.Minute}, a.address)
	var group sync.WaitGroup
	defer group.Wait()
	o := options(t, first)
	group.Go(func() {
		if _, err := runner.Run(load(), t.Context(), o); err != nil {
			t.Error(err)
		}
		first.Close()
	})
	for o.Progress.Jobs.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if _, err := runner.Run(load(), t.Context(), options(t, second)); err != nil {
		t.Error(err)
	}
}
