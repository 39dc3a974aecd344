package workers_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"starling/actors/remote"
	"starling/scenarios/library"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
	"starling/scenarios/workers"
)

// sameSpread is same for runs whose shards are in the workers of the pool. during, if not
// nil, is called when so many steps are done.
func sameSpread(t *testing.T, load func() *study.Scenario, p *workers.Pool, steps int64, during func()) {
	t.Helper()
	var group sync.WaitGroup
	defer group.Wait()
	o := options(t, nil)
	o.Spread = p
	over := make(chan struct{})
	if during != nil {
		group.Go(func() {
			for o.Progress.Steps.Load() < steps {
				select {
				case <-over:
					return
				case <-time.After(time.Millisecond):
				}
			}
			during()
		})
	}
	got, err := runner.Run(load(), t.Context(), o)
	close(over)
	if err != nil {
		t.Fatal(err)
	}
	asOneProcess(t, load, got)
}

// Every family has the same bits where its participants are in two or three processes:
// every second one in quick tests.
func TestSpreadFamilies(t *testing.T) {
	t.Parallel()
	var addresses []string
	for range 3 {
		addresses = append(addresses, start(t, settings{Data: scenariotest.Loader(t).Data}).address)
	}
	for i, name := range slices.Sorted(maps.Keys(scenariotest.Families)) {
		if !testneeds.Some(i+1, 4) {
			continue
		}
		family := scenariotest.Families[name]
		t.Run(name, func(t *testing.T) {
			file, overrides, load := write(t, family[0], append([]string{"seeds.count=1"}, family[1:]...)...)
			p, _ := pool(t, file, workers.Options{Overrides: overrides}, addresses[len(name)%2:]...)
			sameSpread(t, load, p, 0, nil)
		})
	}
}

// So have those of a server whose costs a class in Python computes, in a process of its
// own beside each worker.
func TestSpreadPython(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "library"), 0o755); err != nil {
		t.Fatal(err)
	}
	code, err := library.ReadFile("library/logistic.py")
	if err == nil {
		err = os.WriteFile(filepath.Join(data, "library", "logistic.py"), code, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	a, b := start(t, settings{Code: true, Data: data}), start(t, settings{Code: true, Data: data})
	for name, sections := range map[string]string{
		"ofl":     "algorithm: {kind: ofl, tau: 3, local_step: 0.1}\nmechanism: {kind: tree, epsilon: 2, delta: 1e-5}",
		"dpfl":    "algorithm: {kind: dpfl, tau: 2, learning_rate: 0.5, clip: 0.3, samples: 9, batch: 4}\nmechanism: {kind: sampled-gaussian, sigma: 1, delta: 1e-3}",
		"dp-ftrl": "algorithm: {kind: dp-ftrl, learning_rate: 0.1, clip: 1, samples: 9, groups: 2}\nmechanism: {kind: blt, epsilon: 2, delta: 1e-3}",
	} {
		t.Run(name, func(t *testing.T) {
			file, overrides, load := write(t, "version: 1\nname: served\nhorizon: 9\nnodes: 9\ntopology: {kind: star}\nmeasure: {every: 3}\n"+
				"problem: {kind: python, file: library/logistic.py, name: Logistic, dimension: 3, gradient_bound: 1, offers: [classify, test_loss]}\n"+sections+"\n", "seeds.count=2")
			p, _ := pool(t, file, workers.Options{Overrides: overrides}, a.address, b.address)
			sameSpread(t, load, p, 0, nil)
		})
	}
}

// So have algorithms of equals and of a server under every form of a schedule.
func TestSpreadSchedules(t *testing.T) {
	t.Parallel()
	a, b := start(t, settings{}), start(t, settings{})
	const complete = "topology={kind: complete, weights: unchecked, weighting: {scheme: uniform-in, self_loops: true}}"
	for name, test := range map[string][]string{
		"dpdonc":      {scenariotest.Base, complete},
		"dsgd":        {scenariotest.Base, complete, "algorithm={kind: dsgd, learning_rate: 0.2}"},
		"sgp":         {scenariotest.Base, complete, "algorithm={kind: sgp, learning_rate: 0.2}", "topology.weighting.scheme=uniform-out"},
		"dp-fedavg":   {scenariotest.Trained, "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.1, tau: 2, rate: 0.5}"},
		"dp-ftrl":     {scenariotest.Trained, "algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.1, groups: 3}", "mechanism={kind: tree, epsilon: 2, delta: 1e-5}"},
		"dp-scaffold": {scenariotest.Trained, "algorithm={kind: dp-scaffold, learning_rate: 0.5, batch: 8, clip: 0.1, level: record}"},
	} {
		for _, schedule := range []string{"{every: 1}", "{every: 5}", "{phases: [{from: 1, every: 2}, {from: 7, every: 3}]}", "{every: 1, doubling: 3}", "{probability: 0.4}"} {
			t.Run(name+" "+schedule, func(t *testing.T) {
				file, overrides, load := write(t, test[0], append(slices.Clone(test[1:]), "seeds.count=1", "topology.schedule="+schedule, "checkpoint.every=4")...)
				p, _ := pool(t, file, workers.Options{Overrides: overrides}, a.address, b.address)
				sameSpread(t, load, p, 0, nil)
			})
		}
	}
}

// So have runs with effects of the network, budgets that end, and states that are saved.
func TestSpreadWithAllThereIs(t *testing.T) {
	a, b := start(t, settings{}), start(t, settings{})
	for name, test := range map[string][]string{
		"effects":     {scenariotest.Lossy},
		"bandwidth":   {scenariotest.Narrow, "checkpoint.every=3"},
		"float32":     {scenariotest.Narrow, "network.precision=float32", "checkpoint.every=2"},
		"budget":      {scenariotest.Base, "budget={epsilon: 3, on: stop}"},
		"checkpoints": {scenariotest.Lossy, "checkpoint.every=2"},
		"federated":   {scenariotest.Learning, "checkpoint.every=2"},
		"seeds":       {scenariotest.Base, "seeds.count=3"},
	} {
		t.Run(name, func(t *testing.T) {
			file, overrides, load := write(t, test[0], append([]string{"seeds.count=1"}, test[1:]...)...)
			p, _ := pool(t, file, workers.Options{Overrides: overrides}, a.address, b.address)
			sameSpread(t, load, p, 0, nil)
		})
	}
}

// A run whose worker is killed goes on with those left from the last state that was saved,
// and ends as if nothing had been.
func TestSpreadKilledWorker(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"equals": scenariotest.Base, "learners": scenariotest.Learning} {
		t.Run(name, func(t *testing.T) {
			a, b, c := start(t, settings{}), start(t, settings{}), start(t, settings{})
			file, overrides, load := write(t, text, "seeds.count=1", "horizon=3999", "measure={every: 1333}", "checkpoint.every=100")
			p, told := pool(t, file, workers.Options{Overrides: overrides}, a.address, b.address, c.address)
			sameSpread(t, load, p, 500, func() { b.Process.Kill() })
			if text := told.String(); !strings.Contains(text, b.address) {
				t.Errorf("the user is told %q", text)
			}
		})
	}
}

// One that is to wait for the worker goes on with it when it is there again.
func TestSpreadWaits(t *testing.T) {
	t.Parallel()
	a, b := start(t, settings{}), start(t, settings{})
	file, overrides, load := write(t, scenariotest.Base, "seeds.count=1", "horizon=4000", "measure={every: 4000}", "checkpoint.every=100")
	layout := &journal{}
	p, _ := pool(t, file, workers.Options{
		Overrides: overrides, Wait: time.Minute, Tell: func(text string) { fmt.Fprintln(layout, text) },
	}, a.address, b.address)
	sameSpread(t, load, p, 500, func() {
		b.Process.Kill()
		b.Wait()
		time.Sleep(500 * time.Millisecond) // that without the wait the run would go on alone
		start(t, settings{Listen: b.address})
	})
	if text := layout.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "over 2 workers") {
		t.Errorf("the run was spread so: %q", text)
	}
}

// So does one whose worker stands still for longer than the silence that is stated.
func TestSpreadPausedWorker(t *testing.T) {
	t.Parallel()
	quick := time.Second
	a, b := start(t, settings{Silence: quick}), start(t, settings{Silence: quick})
	file, overrides, load := write(t, scenariotest.Base, "seeds.count=1", "horizon=4000", "measure={every: 4000}", "checkpoint.every=100")
	p, _ := pool(t, file, workers.Options{Overrides: overrides, Node: remote.Options{Silence: quick}}, a.address, b.address)
	sameSpread(t, load, p, 500, func() {
		a.Process.Signal(syscall.SIGSTOP)
		time.Sleep(2 * time.Second)
		a.Process.Signal(syscall.SIGCONT)
	})
}

// A machine that fails fails the run, with the error of one process.
func TestSpreadFailures(t *testing.T) {
	file, overrides, load := write(t, scenariotest.Base, "seeds.count=1", "algorithm.theta=1e-9")
	p, _ := pool(t, file, workers.Options{Overrides: overrides})
	o := options(t, nil)
	o.Spread = p
	_, got := runner.Run(load(), t.Context(), o)
	_, want := runner.Run(load(), t.Context(), options(t, nil))
	if got == nil || want == nil || got.Error() != want.Error() {
		t.Errorf("%v, want %v", got, want)
	}
}

// A worker that makes no turn fails the run by name.
func TestSpreadStall(t *testing.T) {
	t.Parallel()
	address := impostor(t, func(l *remote.Link, m *workers.ToWorker) {
		if m.GetStudy() != nil {
			sayReady(l)
		}
	})
	file, overrides, load := write(t, scenariotest.Base)
	p, _ := pool(t, file, workers.Options{Overrides: overrides, Stall: time.Second}, address)
	o := options(t, nil)
	o.Spread = p
	_, err := runner.Run(load(), t.Context(), o)
	for _, want := range []string{"was finished for 1s: waiting for worker " + address, "seed 1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error that says %q", err, want)
		}
	}
}

// A worker that is lost with every attempt fails the run.
func TestSpreadLostAgainAndAgain(t *testing.T) {
	t.Parallel()
	address := impostor(t, func(l *remote.Link, m *workers.ToWorker) {
		if m.GetStudy() != nil {
			sayReady(l)
		} else if m.GetPart() != nil {
			l.Close("gone")
		}
	})
	file, overrides, load := write(t, scenariotest.Base)
	p, _ := pool(t, file, workers.Options{Overrides: overrides, Patience: 20 * time.Second}, address)
	o := options(t, nil)
	o.Spread = p
	if _, err := runner.Run(load(), t.Context(), o); err == nil || !strings.Contains(err.Error(), "has lost 3 workers") || !strings.Contains(err.Error(), address) {
		t.Errorf("%v", err)
	}
}
