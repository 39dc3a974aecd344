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

// power is 3 W to compute and 2 W to send or receive.
const power = "clock.power={compute: 3, network: 2}"

// recorded returns the values of a metric at the ends of steps.
func recorded(t *testing.T, metric, text string, more ...string) []float64 {
	t.Helper()
	return scenariotest.ValuesOf(scenariotest.MeasuredIn(t, text, more...).Rows, metric)
}

// near reports whether numbers are equal but for the rounding of energy, 2^-30 J a client.
func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-7*(1+math.Abs(y)) })
}

// upTo returns the sums of a number for each of so many steps.
func upTo(steps int, each float64) (sums []float64) {
	for step := 1; step <= steps; step++ {
		sums = append(sums, float64(step)*each)
	}
	return sums
}

// TestEnergyOfConstantSpeeds: 3 s of computing and 4.95 s of messages of each of 6 clients are 6 (3 x 3 + 2 x 4.95) J
// a round, and seconds stay.
func TestEnergyOfConstantSpeeds(t *testing.T) {
	const each = 3*3 + 2*4.95
	for set, of := range map[string]struct {
		more []string
		want []float64
	}{
		"all":        {nil, upTo(4, 6*each)},
		"drawn":      {[]string{"algorithm.draw=server"}, upTo(4, 6*each)},
		"devices":    {[]string{"clock.power=null", "clock.devices=[{share: 0.5, power: {compute: 1, network: 0}}, {share: 0.5, power: {compute: 1, network: 0}}]"}, upTo(4, 6*3)},
		"own":        {[]string{"clock.devices=[{share: 1, power: {compute: 0, network: 1}}]"}, upTo(4, 6*4.95)},
		"schedule":   {[]string{"topology={kind: star, schedule: {every: 2}}"}, []float64{0, 6 * (each + 9), 0, 12 * (each + 9)}},
		"records":    {[]string{"algorithm.level=record"}, upTo(4, 6*each)},
		"shares":     {[]string{"algorithm.aggregation={kind: local}"}, upTo(4, 6*each)},
		"latency":    {[]string{"clock.latency={median: 0.25}"}, upTo(4, 6*each)},
		"stragglers": {[]string{"algorithm.stragglers={share: 1, steps: 1, update: partial}"}, upTo(4, 6*(each-4.5))},
	} {
		if of.want[2] == 0 {
			of.want[2] = of.want[1]
		}
		more := append([]string{power}, of.more...)
		if got := recorded(t, "energy.total", clockText, more...); !near(got, of.want) {
			t.Errorf("%s: energy %v, want %v", set, got, of.want)
		}
		if got, want := times(t, clockText, more...), times(t, clockText, of.more...); !slices.Equal(got, want) && set != "own" && set != "devices" {
			t.Errorf("%s: times %v with a power, and %v without", set, got, want)
		}
	}
}

// TestEnergyOfWastedWork: of 26 clients of one speed 20 report first, and the others have spent theirs for
// nothing. At speeds of their own the energy is that of the reports and of the lost work.
func TestEnergyOfWastedWork(t *testing.T) {
	const alike = "clock={compute: {median: 0.5}, download: {median: 90}, check_in: {goal: 20, over: 0.3, deadline: 12}, power: {compute: 3, network: 2}}"
	const each = 3*3 + 2*0.5
	for metric, clients := range map[string]float64{"energy.total": 26, "energy.wasted": 6} {
		if got, want := recorded(t, metric, checkInText, alike), upTo(8, clients*each); !near(got, want) {
			t.Errorf("%s: %v, want %v", metric, got, want)
		}
	}
	s := scenariotest.LoadText(t, checkInText, power)
	speeds := s.Arms[0].File.Clock.Draw(1)
	rule, err := aggregation.Participation{Rate: 1, Groups: 1, Apart: 3}.WithCheckIn(s.Arms[0].File.Clock.CheckIn, 300, 9)
	if err != nil {
		t.Fatal(err)
	}
	work := networks.Work{Down: 45, Up: 45, Samples: 6}
	come, line, err := rule.Admit(1, 300, 9, nil, effortOf(speeds, work))
	if err != nil {
		t.Fatal(err)
	}
	lost, total, used := recorded(t, "energy.wasted", checkInText, power), recorded(t, "energy.total", checkInText, power), 0.0
	for round := 1; round <= 8; round++ {
		for _, client := range come.Of(round) {
			used += 3 * speeds.Seconds(client, round, work)
		}
		if got := total[round-1] - lost[round-1]; math.Abs(got-used) > 1e-6 || math.Abs(lost[round-1]-3*line.Wasted(round)) > 1e-6 {
			t.Errorf("round %d: %v J of reports and %v J lost, want %v and %v", round, got, lost[round-1], used, 3*line.Wasted(round))
		}
	}
	if line.Abandoned(8) == 0 {
		t.Error("no round is abandoned")
	}
}

// TestEnergyOfClientsAtTheirOwnPace: clients count once they begin.
func TestEnergyOfClientsAtTheirOwnPace(t *testing.T) {
	const alike = "clock={compute: {median: 0.5}, upload: {median: 53}}"
	const each = 3*3 + 2
	if got, want := recorded(t, "energy.total", pacedText, alike, power, "algorithm.buffer=10"), upTo(12, 10*each); !near(got, want) {
		t.Errorf("buffers of all: %v, want %v", got, want)
	}
	s := scenariotest.LoadText(t, pacedText, power)
	speeds, want := s.Arms[0].File.Clock.Draw(1), 0.0
	a, got := arrivals(t, s.Arms[0].File.Clock, 30, 12, 0, aggregation.Participation{Rate: 1, Groups: 1, Apart: 1}), recorded(t, "energy.total", pacedText, power)
	for step := 1; step <= 12; step++ {
		for _, client := range a.Begun(step - 1) {
			want += speeds.Effort(messages.NodeID(client), step, networks.Work{Down: 53, Up: 53, Samples: 6}).Joules
		}
		if math.Abs(got[step-1]-want) > 1e-6 {
			t.Errorf("step %d: %v J, want %v", step, got[step-1], want)
		}
	}
}

// TestEnergyOnAnyRuntime: energy is of no runtime, and goes on after a pause.
func TestEnergyOnAnyRuntime(t *testing.T) {
	s := scenariotest.LoadText(t, clockText, "nodes=150", "horizon=3", "algorithm.rate=0.1", drawnClock, power)
	scenariotest.OneDigest(t, s)
	scenariotest.Resumes(t, s, 2, 0)
	scenariotest.OneDigest(t, scenariotest.LoadText(t, checkInText, "horizon=3", power))
	scenariotest.OneDigest(t, scenariotest.LoadText(t, pacedText, "horizon=4", power))
}

// TestEnergyRefuses: no energy is recorded without a power, of which no part is a default.
func TestEnergyRefuses(t *testing.T) {
	scenariotest.Refuses(t, clockText, map[string]string{
		"clock.power={compute: 3}":                                                    "clock.power: missing required key \"network\"",
		"clock.power={compute: -1, network: 1}":                                       "clock.power.compute: a power of -1",
		"clock.devices=[{share: 0.5, power: {compute: 1, network: 1}}, {share: 0.5}]": "clock.power: of the first 2 classes of devices some have a power and some have none",
		"measure.headline=energy.total":                                               "measure.headline: no arm records energy",
		"clock=null|measure.headline=energy.total":                                    "measure.headline: no arm records energy",
		"clock.power={compute: 3, network: 1}|measure.headline=energy.wasted":         "measure.headline: no arm records energy",
	})
}

// effortOf is the cost of equal work of clients with these speeds.
func effortOf(speeds *networks.Speeds, work networks.Work) func(client messages.NodeID, round int) networks.Effort {
	return func(client messages.NodeID, round int) networks.Effort { return speeds.Effort(client, round, work) }
}
