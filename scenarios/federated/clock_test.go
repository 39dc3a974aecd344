package federated_test

import (
	"math"
	"slices"
	"testing"

	"starling/messages"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/networks"
)

// clockText is a run of clients that all take part in every round, by a clock without chance.
const clockText = `version: 1
name: clock
horizon: 4
nodes: 6
algorithm: {kind: dp-fedavg, learning_rate: 0.5, clip: 0.3, samples: 6, tau: 2, batch: 3, rate: 1}
problem: {kind: synthetic-logistic, dimension: 5, test_samples: 4}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 0.7, delta: 1e-5}
clock: {compute: {median: 0.5}, download: {median: 100}, upload: {median: 10}}
measure: {every: 1}
seeds: {base: 1, count: 1}
plots: []
`

// times returns the times at the ends of steps.
func times(t *testing.T, text string, more ...string) []float64 {
	return scenariotest.ValuesOf(scenariotest.MeasuredIn(t, text, more...).Rows, "time.elapsed")
}

// alike reports whether numbers are equal but for rounding.
func alike(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*math.Abs(y) })
}

// TestClockOfConstantSpeeds: two local steps of 3 samples, half a second each, and two messages of 5
// numbers, 45 bytes, make 3 + 0.45 + 4.5 seconds.
func TestClockOfConstantSpeeds(t *testing.T) {
	for set, of := range map[string]struct {
		more  []string
		round []float64 // seconds of each step
	}{
		"all":        {nil, []float64{7.95, 7.95, 7.95, 7.95}},
		"compute":    {[]string{"clock={compute: {median: 0.5}}"}, []float64{3, 3, 3, 3}},
		"latency":    {[]string{"clock.latency={median: 0.25}"}, []float64{8.45, 8.45, 8.45, 8.45}},
		"own":        {[]string{"clock.latency={median: 9}", "clock.devices=[{share: 1, latency: {median: 0.5}}]"}, []float64{8.95, 8.95, 8.95, 8.95}},
		"alone":      {[]string{"clock={latency: {median: 2}}"}, []float64{4, 4, 4, 4}},
		"all data":   {[]string{"clock={compute: {median: 0.5}}", "algorithm.batch=null"}, []float64{6, 6, 6, 6}},
		"devices":    {[]string{"clock.devices=[{share: 0.5, upload: {median: 20}}, {share: 0.5, upload: {median: 20}, compute: {median: 1}}]"}, []float64{8.7, 8.7, 8.7, 8.7}},
		"schedule":   {[]string{"topology={kind: star, schedule: {every: 2}}"}, []float64{0, 10.95, 0, 10.95}},
		"records":    {[]string{"algorithm.level=record"}, []float64{7.95, 7.95, 7.95, 7.95}},
		"shares":     {[]string{"algorithm.aggregation={kind: local}"}, []float64{7.95, 7.95, 7.95, 7.95}},
		"stragglers": {[]string{"algorithm.stragglers={share: 1, steps: 1, update: partial}"}, []float64{6.45, 6.45, 6.45, 6.45}},
	} {
		total, want := 0.0, []float64{}
		for _, seconds := range of.round {
			total += seconds
			want = append(want, total)
		}
		if got := times(t, clockText, of.more...); !alike(got, want) {
			t.Errorf("%s: times %v, want %v", set, got, want)
		}
	}
}

// drawnClock is a clock of many speeds.
const drawnClock = "clock={compute: {median: 0.01, spread: 0.6}, download: {median: 1000, spread: 1}, upload: {median: 100, spread: 1}, latency: {median: 0.05, spread: 0.5}, jitter: 0.2, devices: [{share: 0.3, compute: {median: 0.1, spread: 0.5}}, {share: 0.7}]}"

// TestClockOfAPopulation: a round takes as long as the slowest of its clients, also where the server
// draws them, and a clock changes nothing else.
func TestClockOfAPopulation(t *testing.T) {
	s := scenariotest.LoadText(t, populationText, drawnClock, "measure.every=1")
	times := 2
	come := (&aggregation.Participation{Rate: 0.2, Groups: 1, Apart: 1, Times: &times}).Attend(1, 1000, 6)
	speeds, total, want := s.Arms[0].File.Clock.Draw(1), 0.0, []float64{}
	for round := 1; round <= 6; round++ {
		slowest := 0.0
		for _, client := range come.Of(round) {
			slowest = max(slowest, speeds.Seconds(client, round, networks.Work{Down: 45, Up: 45, Samples: 6}))
		}
		total += slowest
		want = append(want, total)
	}
	rows := scenariotest.MeasuredIn(t, populationText, drawnClock, "measure.every=1").Rows
	if got := scenariotest.ValuesOf(rows, "time.elapsed"); !alike(got, want) {
		t.Errorf("times %v, want %v", got, want)
	}
	untimed := scenariotest.MeasuredIn(t, populationText, "measure.every=1").Rows
	if got, want := scenariotest.ValuesOf(rows, "loss.train"), scenariotest.ValuesOf(untimed, "loss.train"); !slices.Equal(got, want) {
		t.Errorf("losses %v with a clock, and %v without", got, want)
	}
}

// TestClockOnAnyRuntime: times are of no runtime, and go on after a pause.
func TestClockOnAnyRuntime(t *testing.T) {
	s := scenariotest.LoadText(t, clockText, "nodes=150", "horizon=3", "algorithm.rate=0.1", "algorithm.draw=server", drawnClock)
	scenariotest.OneDigest(t, s)
	scenariotest.Resumes(t, s, 2, 0)
}

// TestSpeedsHaveTheirLaw: the second model of FedScale, 0.005 exp(1 + 0.6 g) seconds a sample, has its
// quartiles, and classes have their shares, by four standard deviations.
func TestSpeedsHaveTheirLaw(t *testing.T) {
	const n = 100_000
	clock := networks.Clock{Compute: &networks.Speed{Median: 0.005 * math.E, Spread: 0.6}, Devices: []networks.Device{{Share: 0.25}, {Share: 0.75, Download: &networks.Speed{Median: 1}}}}
	speeds := clock.Draw(7)
	quartile := 0.005 * math.Exp(1+0.6*0.6744897501960817)
	var above, second int
	for client := range n {
		if speeds.Seconds(messages.NodeID(client+1), 1, networks.Work{Samples: 1}) > quartile {
			above++
		}
		if speeds.Seconds(messages.NodeID(client+1), 1, networks.Work{Down: 1}) == 1 {
			second++
		}
	}
	for name, of := range map[string]struct{ got, share float64 }{"above the upper quartile": {float64(above), 0.25}, "of the second class": {float64(second), 0.75}} {
		if far := math.Abs(of.got - n*of.share); far > 4*math.Sqrt(n*of.share*(1-of.share)) {
			t.Errorf("%v of %d clients are %s, a share of %v expected", of.got, n, name, of.share)
		}
	}
}

// TestClockRefuses: clocks without a meaning are refused at their key.
func TestClockRefuses(t *testing.T) {
	scenariotest.Refuses(t, clockText, map[string]string{
		"clock={}": "clock.compute: nothing takes time",
		"clock.devices=[{share: 0.3}, {share: 0.6}]":                      "clock.devices: the shares sum to 0.9, want 1",
		"clock.upload.median=0":                                           "clock.upload.median: a median of 0",
		"clock.upload.spread=-1":                                          "clock.upload.spread: a spread of -1",
		"network={kind: ideal, precision: float32}":                       "network: the clock has the times of messages",
		"topology={kind: tiers, fan: [2, 3], noise: cloud}":               "clock: the seconds are those of one server",
		"algorithm={kind: fedbuff, learning_rate: 1, clip: 1, buffer: 2}": `algorithm: missing required key "concurrency"`,
	})
}
