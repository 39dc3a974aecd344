package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/scenarios"
	"starling/scenarios/document"
	"starling/scenarios/external/externaltest"
	"starling/scenarios/forecast/processor"
)

// BenchmarkPython runs gossip with logistic regression at d = 100 and n = 1,000 whose costs
// Go computes, and a class in Python, and reports the ratio of the times of the clock, and
// of the processor time of this process alone. The target is 3. It skips without Python.
func BenchmarkPython(b *testing.B) {
	externaltest.Need(b)
	steps := 200
	if testing.Short() {
		steps = 5
	}
	for _, actors := range []bool{false, true} {
		b.Run(fmt.Sprintf("actors=%v", actors), func(b *testing.B) {
			var clock, cores [2]time.Duration
			for b.Loop() {
				for i, problem := range []string{"kind: logistic", "kind: python, file: library/logistic.py, name: Logistic, gradient_bound: 1"} {
					wall, own := gossip(b, problem, steps, actors)
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

// gossip runs a job, made before, and returns how long it took, by the clock and by all cores.
func gossip(b *testing.B, problem string, steps int, actors bool) (clock, cores time.Duration) {
	text := fmt.Sprintf(`version: 1
name: gossip
horizon: %d
nodes: 1000
algorithm: {kind: dsgd, theta: 1, gradient_bound: clip}
problem: {%s, set: {kind: l2-ball, dimension: 100, radius: 2}}
topology: {kind: circulant, degree: 6}
mechanism: {kind: laplace, epsilon: 2}
measure: {metrics: [consensus.error], every: 50}
`, steps, problem)
	doc, err := document.Parse("gossip", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	s, err := scenarios.NewLoader("").Check(doc)
	if err != nil {
		b.Fatal(err)
	}
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
	began, used := time.Now(), processor.Time()
	if actors {
		err = host.Run(context.Background(), &job.Run, engine.Options{})
	} else {
		err = lockstep.Run(context.Background(), &job.Run)
	}
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(began), processor.Time() - used
}
