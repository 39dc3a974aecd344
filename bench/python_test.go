package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/scenarios"
	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/testneeds"
)

// ready is a class that has drawn its data before the first step, as the problem in Go has:
// what is left is one pass over rows.
const ready = `
import numpy as np

class Ready:
    def __init__(self, seed, nodes, horizon, dimension):
        rng = np.random.default_rng(seed)
        self.data = rng.standard_normal((horizon, nodes, dimension))
        for rows in self.data:
            rows /= np.sqrt((rows**2).sum(axis=1, keepdims=True))
        self.all = np.arange(nodes)

    def rows(self, nodes, step):
        data = self.data[step - 1]
        return data if np.array_equal(nodes, self.all) else data[nodes]

    def loss(self, x, nodes, step):
        return np.logaddexp(0, -(self.rows(nodes, step) * x).sum(axis=1))

    def gradient(self, x, nodes, step):
        rows = self.rows(nodes, step)
        return rows * (-1 / (1 + np.exp((rows * x).sum(axis=1))))[:, None]
`

// pythonScenarios are those of BenchmarkPython, beside the problem.
var pythonScenarios = []struct {
	name, sections string
	drawn          bool
}{
	{"gossip/data=ready", gossipSections, false},
	{"gossip/data=drawn", gossipSections, true},
	{"ofl", `algorithm: {kind: ofl, tau: 1, local_step: 0.1}
topology: {kind: star}
mechanism: {kind: tree, epsilon: 2, delta: 1e-5}
`, false},
	{"dpfl", `algorithm: {kind: dpfl, tau: 5, learning_rate: 0.1, clip: 1, batch: 10}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-3}
`, false},
}

const gossipSections = `algorithm: {kind: dsgd, theta: 1, gradient_bound: clip}
topology: {kind: circulant, degree: 6}
mechanism: {kind: laplace, epsilon: 2}
`

// BenchmarkPython runs gossip, and two families of a server, with logistic regression at d =
// 100 and n = 1,000 whose costs Go computes, and a class in Python, and reports the ratio of
// the times of the clock, and of the processor time of this process alone. The target is 3. It
// skips without Python.
//
// The problem in Go draws its data before the first step. With data=ready, and in the
// families of a server, so does the class, and the ratio is of the steps alone. With
// data=drawn the class of the library draws the data of each step when it is asked, and the
// ratio is of whole jobs: with drawing in Go, and with starting the interpreter.
func BenchmarkPython(b *testing.B) {
	testneeds.Python(b)
	steps := 200
	if testing.Short() {
		steps = 5
	}
	file := filepath.Join(b.TempDir(), "ready.py")
	if err := os.WriteFile(file, []byte(ready), 0o644); err != nil {
		b.Fatal(err)
	}
	for _, scenario := range pythonScenarios {
		class := fmt.Sprintf("file: %q, name: Ready", file)
		if scenario.drawn {
			class = "file: library/logistic.py, name: Logistic"
		}
		for _, actors := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/actors=%v", scenario.name, actors), func(b *testing.B) {
				var clock, cores [2]time.Duration
				for b.Loop() {
					for i, problem := range []string{"kind: logistic", "kind: python, gradient_bound: 1, " + class} {
						wall, own := withProblem(b, scenario.sections, problem, steps, actors, scenario.drawn)
						clock[i], cores[i] = clock[i]+wall, cores[i]+own
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(clock[0].Seconds()/float64(b.N*steps)*1e3, "go-ms/step")
				b.ReportMetric(clock[1].Seconds()/float64(b.N*steps)*1e3, "python-ms/step")
				b.ReportMetric(float64(clock[1])/float64(clock[0]), "x-clock")
				b.ReportMetric(float64(cores[1])/float64(cores[0]), "x-own-cpu")
			})
		}
	}
}

// withProblem runs a job and returns how long it took, by the clock and by all cores: with what
// comes before its first step, or without.
func withProblem(b *testing.B, sections, problem string, steps int, actors, whole bool) (clock, cores time.Duration) {
	text := fmt.Sprintf(`version: 1
name: python
horizon: %d
nodes: 1000
problem: {%s, set: {kind: l2-ball, dimension: 100, radius: 2}}
measure: {metrics: [consensus.error], every: 50}
%s`, steps, problem, sections)
	doc, err := document.Parse("python", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	s, err := scenarios.NewLoader("").Check(doc)
	if err != nil {
		b.Fatal(err)
	}
	began, used := time.Now(), forecast.ProcessorTime()
	job, err := s.Arms[0].Algorithm.Job(1)
	if err != nil {
		b.Fatal(err)
	}
	if job.Release != nil {
		defer job.Release()
	}
	host, err := engine.NewHost(engine.HostOptions{Logger: zerolog.Nop()})
	if err != nil {
		b.Fatal(err)
	}
	defer host.Close()
	if !whole {
		began, used = time.Now(), forecast.ProcessorTime()
	}
	if actors {
		err = host.Run(context.Background(), &job.Run, engine.Options{})
	} else {
		err = lockstep.Run(context.Background(), &job.Run)
	}
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(began), forecast.ProcessorTime() - used
}
