package federated_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/networks"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// pacedText is a run of clients that work at their own pace, by speeds of their own.
const pacedText = `version: 1
name: paced
horizon: 12
nodes: 30
algorithm: {kind: fedbuff, learning_rate: 0.5, clip: 0.3, samples: 6, tau: 2, batch: 3, buffer: 4, concurrency: 10}
problem: {kind: synthetic-logistic, dimension: 5, test_samples: 4}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 0.7, delta: 1e-5}
clock: {compute: {median: 0.5, spread: 1}, upload: {median: 45}, jitter: 0.3}
measure: {every: 1}
seeds: {base: 1, count: 1}
plots: []
`

// arrivals are the reports of a run of pacedText under seed 1.
func arrivals(t *testing.T, clock *networks.Clock, clients, steps, seats int, p aggregation.Participation) *aggregation.Arrivals {
	t.Helper()
	rule, err := p.WithConcurrency(aggregation.Concurrency{Most: 10, Buffer: 4}, clients, steps)
	if err != nil {
		t.Fatal(err)
	}
	speeds := clock.Draw(1)
	a, err := rule.Arrive(1, clients, steps, seats, nil, func(client messages.NodeID, step int) networks.Effort {
		return speeds.Effort(client, step, networks.Work{Down: 53, Up: 53, Samples: 6})
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestPacedMetrics: seconds, staleness and clients of a run are those of its reports, whether clients are
// held or drawn.
func TestPacedMetrics(t *testing.T) {
	for name, of := range map[string]struct {
		more           []string
		clients, seats int
	}{"held": {nil, 30, 0}, "drawn": {[]string{"nodes=5000", "algorithm.draw=server"}, 5000, 13}} {
		s := scenariotest.LoadText(t, pacedText, of.more...)
		a := arrivals(t, s.Arms[0].File.Clock, of.clients, 12, of.seats, aggregation.Participation{Rate: 1, Groups: 1, Apart: 1})
		want, total, ages := map[string][]float64{}, 0.0, 0
		for step := 1; step <= 12; step++ {
			total += a.Seconds(step)
			stale := 0
			for k := range a.Of(step) {
				version, _ := a.Version(step, int(a.SeatOf(step, k)))
				stale += step - 1 - version
			}
			ages += stale
			for metric, value := range map[string]float64{"time.elapsed": total, "buffer.staleness": float64(stale) / 4, "clients.round": 4} {
				want[metric] = append(want[metric], value)
			}
			if of.seats > 0 {
				want["clients.unique"] = append(want["clients.unique"], float64(a.Unique(step)))
			}
		}
		if ages < 24 {
			t.Errorf("%s: the run is too easy: ages sum to %d", name, ages)
		}
		rows := scenariotest.MeasuredIn(t, pacedText, of.more...).Rows
		for metric, values := range want {
			if got := scenariotest.ValuesOf(rows, metric); !alike(got, values) {
				t.Errorf("%s: %s is %v, want %v", name, metric, got, values)
			}
		}
	}
}

// TestPacedByAPlainLoop: models are those of a loop over versions, in which each report is a change of
// the model of its version, to 1e-12.
func TestPacedByAPlainLoop(t *testing.T) {
	text := scenariotest.SineText(t, "{kind: fedbuff, learning_rate: 0.5, clip: 0.3, tau: 3, server_rate: 0.8, buffer: 2, concurrency: 5}")
	const clock = "clock={compute: {median: 1, spread: 1}, jitter: 0.4}"
	for deviation, noise := range map[float64]string{0: "mechanism={kind: none}", 0.7 * 0.3: "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}"} {
		s := scenariotest.LoadText(t, text, clock, noise)
		speeds := s.Arms[0].File.Clock.Draw(1)
		rule, err := aggregation.Participation{Rate: 1, Groups: 1, Apart: 1}.WithConcurrency(aggregation.Concurrency{Most: 5, Buffer: 2}, 6, 9)
		if err != nil {
			t.Fatal(err)
		}
		a, err := rule.Arrive(1, 6, 9, 0, nil, func(client messages.NodeID, step int) networks.Effort {
			return speeds.Effort(client, step, networks.Work{Samples: 3 * scenariotest.SineRows})
		})
		if err != nil {
			t.Fatal(err)
		}
		models := [][]float64{make([]float64, scenariotest.SineDim)}
		var stream rng.Stream
		for step := 1; step <= 9; step++ {
			sum := make([]float64, scenariotest.SineDim)
			for k, client := range a.Of(step) {
				version, _ := a.Version(step, int(a.SeatOf(step, k)))
				for i, v := range scenariotest.SineChange(models[version], int(client)-1, 3, 0.5, 0.3) {
					sum[i] += v / math.Sqrt(1+float64(step-1-version))
				}
			}
			if deviation > 0 {
				stream.Open(rng.NewKey(1, rng.PurposeOf("federated.noise")), 0, step, 1).AddNormal(sum, deviation)
			}
			next := slices.Clone(models[step-1])
			for i, v := range sum {
				next[i] += 0.8 * v / 2
			}
			models = append(models, next)
		}
		w := scenariotest.WatchServer(t, text, clock, noise)
		if len(w.Models) != 9 {
			t.Fatalf("%d models", len(w.Models))
		}
		for step, x := range w.Models {
			if far := scenariotest.Far(x, models[step+1]); far > 1e-12 {
				t.Errorf("deviation %v: step %d is %v from the loop", deviation, step+1, far)
			}
		}
	}
}

// TestPacedAllAtOnce: a buffer of all clients, of one speed, has the models of the buffer without a clock.
func TestPacedAllAtOnce(t *testing.T) {
	text := scenariotest.SineText(t, "{kind: fedbuff, learning_rate: 0.5, clip: 0.3, tau: 3, buffer: 6}")
	plain := scenariotest.WatchServer(t, text).Models
	timed := scenariotest.WatchServer(t, text, "algorithm.concurrency=6", "clock={compute: {median: 2}}").Models
	if len(plain) != 9 || !slices.EqualFunc(plain, timed, slices.Equal) {
		t.Errorf("models %v, want %v", timed, plain)
	}
}

// TestPacedPays: the server pays once for each step up to which a client has come more often than any before,
// without a sample, and a plan has as many payments as the timers let a client come.
func TestPacedPays(t *testing.T) {
	times := 2
	for _, of := range []struct {
		more           []string
		p              aggregation.Participation
		clients, seats int
	}{
		{nil, aggregation.Participation{Rate: 1, Groups: 1, Apart: 1}, 30, 0},
		{[]string{"algorithm.apart=3"}, aggregation.Participation{Rate: 1, Groups: 1, Apart: 3}, 30, 0},
		{[]string{"algorithm.draw=server", "nodes=60", "algorithm.times=2"}, aggregation.Participation{Rate: 1, Groups: 1, Apart: 1, Times: &times}, 60, 13},
	} {
		s := scenariotest.LoadText(t, pacedText, of.more...)
		a := arrivals(t, s.Arms[0].File.Clock, of.clients, 12, of.seats, of.p)
		want := make([]accountant.Loss, a.Most(12))
		for i := range want {
			want[i] = accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 1, Noise: 0.7, Steps: 1}}
		}
		if w := scenariotest.WatchServer(t, pacedText, of.more...); len(want) < 2 || len(w.Paid) != 1 || !slices.Equal(w.Paid[0], want) {
			t.Errorf("%v: paid %v, want %v", of.more, w.Paid, want)
		}
	}
	planned, err := study.PlannedLossOf(scenariotest.LoadText(t, pacedText, "algorithm.apart=3").Arms[0])
	if err != nil {
		t.Fatal(err)
	}
	total := planned.Total()
	got, err := total.Epsilon(1e-5, accountant.RDP)
	want, _, otherErr := accountant.SampledGaussian{Rate: 1, Noise: 0.7, Steps: 4}.Epsilon(1e-5, accountant.RDP)
	if err != nil || otherErr != nil || math.Abs(got-want) > 1e-9*want {
		t.Errorf("12 steps of clients 3 apart are planned with epsilon %v, %v, want %v, %v", got, err, want, otherErr)
	}
}

// TestPacedOnAnyRuntime: runs of drawn clients have one digest on any runtime, and go on after a pause.
func TestPacedOnAnyRuntime(t *testing.T) {
	s := scenariotest.LoadText(t, pacedText, "algorithm.draw=server", "nodes=700", "measure.every=6")
	digests := map[string]bool{}
	for _, o := range scenariotest.SomeEngines(s) {
		digests[scenariotest.MetricsOf(t, s, o).Digest] = true
	}
	if len(digests) != 1 {
		t.Errorf("digests %v", digests)
	}
	scenariotest.Resumes(t, s, 5, 0, 1, 2, 3)
}

// TestPacedRefuses: settings without a meaning are refused at their key.
func TestPacedRefuses(t *testing.T) {
	scenariotest.Refuses(t, pacedText, map[string]string{
		"clock=null":                            "algorithm.concurrency: the times of clients at work are those of a clock",
		"algorithm.concurrency=null":            `algorithm: missing required key "concurrency"`,
		"algorithm.concurrency=31":              "algorithm.concurrency: 31 clients at work, and there are 30",
		"algorithm.rate=0.5":                    "algorithm.rate: a client begins when it is admitted",
		"algorithm.groups=2":                    "algorithm.groups: a client begins when it is admitted",
		"algorithm.apart=8":                     "algorithm.buffer: the server may wait for the last report of a buffer while 31 clients wait",
		"algorithm.stragglers={share: 0.5}":     "algorithm.stragglers: the clock has the speeds of clients",
		"clock.check_in={goal: 4, deadline: 9}": "clock.check_in: the server waits for a buffer",
		"adversaries={kind: silent, nodes: 1}":  "adversaries: a client that sends nothing fills no buffer",
	})
}

// TestPacedAvailability: clients at their own pace come from the zone that has its night, whether they are held or
// drawn. One zone has the values of the panel. A run has one digest on any runtime.
func TestPacedAvailability(t *testing.T) {
	const one = "clock.availability.zones=[{share: 1}]"
	slow := []string{nights, "clock.compute.median=500", "horizon=6"}
	drawn := append([]string{"nodes=5000", "algorithm.draw=server", "algorithm.panel=50"}, slow...)
	held := append([]string{"nodes=60"}, slow...)
	for name, of := range map[string][]string{"held": held, "drawn": drawn} {
		rows := scenariotest.MeasuredIn(t, pacedText, of...).Rows
		if share, seconds := scenariotest.ValuesOf(rows, "zones.fewest")[5], scenariotest.Last(scenariotest.ValuesOf(rows, "time.elapsed")); share != 0 || seconds > 5*3600 {
			t.Errorf("%s: in the %v s after a midnight the zone of noon has %v of its share", name, seconds, share)
		}
		if zoned := scenariotest.ValuesOf(rows, "loss.zone.gap"); (len(zoned) > 0) != (name == "drawn") {
			t.Errorf("%s: %d values by zone", name, len(zoned))
		}
		scenariotest.OneDigest(t, scenariotest.LoadText(t, pacedText, of...))
	}
	rows := scenariotest.MeasuredIn(t, pacedText, append(drawn, one)...).Rows
	all := scenariotest.ValuesOf(rows, "loss.train")
	for k, value := range scenariotest.ValuesOf(rows, "loss.zone.fewest") {
		if math.Abs(value-all[k]) > 1e-12 {
			t.Errorf("the only zone has a loss of %v, and the panel %v", value, all[k])
		}
	}
	j := scenariotest.LoadText(t, pacedText, "clock.availability={law: periodic, mean: 1e-12}").Arms[0].Algorithm
	if _, err := j.Job(1); err == nil || !strings.Contains(err.Error(), "seed 1: step 1 waits for clients, of which none was there") {
		t.Errorf("error %v of clients that are never there", err)
	}
}

// TestPacedCorrelatedNoise: clients at their own pace, so often and so far apart, cost the noise of rounds with such
// timers, in one payment. An audit takes rounds, and does not refute it.
func TestPacedCorrelatedNoise(t *testing.T) {
	const noise = "mechanism={kind: banded-toeplitz, bands: 3, epsilon: 4, delta: 1e-6}"
	timed := []string{noise, "algorithm.apart=3", "algorithm.times=2"}
	s := scenariotest.LoadText(t, pacedText, timed...)
	j, err := s.Arms[0].Algorithm.Job(1)
	if err != nil {
		t.Fatal(err)
	}
	scenariotest.OneDigest(t, s)
	rounds := scenariotest.LoadText(t, pacedText, noise, "algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.3, samples: 6, tau: 2, batch: 3, apart: 3, times: 2, draw: server}", "clock.check_in={goal: 4, deadline: 100}")
	of, err := rounds.Arms[0].Algorithm.Job(1)
	if err != nil {
		t.Fatal(err)
	}
	// The deviation is what moves a sum, times the multiplier of the epsilon. Both are of 12 sums.
	if got, want := noteOf(t, s, j, "noise"), noteOf(t, rounds, of, "noise"); got != want {
		t.Errorf("the noise of buffers is %s, and of rounds %s", got, want)
	}
	scenariotest.Refuses(t, pacedText, map[string]string{
		noise + "|clock=null|algorithm.concurrency=null": "mechanism.kind: which client comes back in which buffer is the network's choice",
		noise + "|algorithm.amplified=true":              "algorithm.amplified: a client begins when it is admitted",
	})
}

// TestPacedCorrelatedAudit: an audit takes rounds with the noise of buffers. It does not refute the loss, and
// refutes it if half of the noise is missing.
func TestPacedCorrelatedAudit(t *testing.T) {
	testneeds.Slow(t)
	s := scenariotest.LoadText(t, pacedText, "mechanism={kind: banded-toeplitz, bands: 3, epsilon: 4, delta: 1e-2}", "algorithm.apart=3", "algorithm.times=2")
	scenariotest.AuditTells(t, s, 4000)
}

// noteOf is a note of a job of the only arm of a scenario.
func noteOf(t *testing.T, s *study.Scenario, j *study.Job, key string) string {
	t.Helper()
	notes, _ := s.Arms[0].Algorithm.Notes(j)
	for _, note := range notes {
		if note.Key == key {
			return note.Value
		}
	}
	t.Fatalf("no note %s", key)
	return ""
}
