package federated_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/scenarios/federated/machine"
	"starling/scenarios/gauge"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// meets is an override of the topology: a server that meets its clients by a schedule.
func meets(schedule string) string { return "topology={kind: star, schedule: " + schedule + "}" }

// schedules are schedules of the nine steps of tiersText, with the steps of their rounds under seed 1.
var schedules = map[string][]int{
	"{every: 1}": {1, 2, 3, 4, 5, 6, 7, 8, 9},
	"{every: 3}": {3, 6, 9},
	"{phases: [{from: 2, every: 2}, {from: 6, every: 3}]}": {3, 5, 8},
	"{every: 1, doubling: 2}":                              {1, 2, 4},
}

// meeting is federated averaging as a loop over the steps: clients take local steps on their own
// copies, which the server averages in the steps of rounds. It returns the models by step.
func meeting(rounds []int, deviation float64) (models [][]float64) {
	model := make([]float64, scenariotest.SineDim)
	var stream rng.Stream
	for step, since := 1, 0; step <= 9; step++ {
		if since++; slices.Contains(rounds, step) {
			sum := make([]float64, len(model))
			for client := range 6 {
				for k, v := range scenariotest.SineChange(model, client, 3*since, 0.5, tiersClip) {
					sum[k] += v
				}
			}
			if deviation > 0 {
				stream.Open(rng.NewKey(1, rng.PurposeOf("federated.noise")), 0, step, 1).AddNormal(sum, deviation)
			}
			for k, v := range sum {
				model[k] += tiersRate * v / 6
			}
			since = 0
		}
		models = append(models, slices.Clone(model))
	}
	return models
}

// TestRoundsByAPlainLoop: local steps between the rounds of a schedule are those of a plain loop, to
// 1e-12.
func TestRoundsByAPlainLoop(t *testing.T) {
	for schedule, rounds := range schedules {
		for deviation, noise := range map[float64]string{0: "mechanism={kind: none}", 0.7 * tiersClip: "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}"} {
			w, want := scenariotest.WatchServer(t, tiersText(t), meets(schedule), noise), meeting(rounds, deviation)
			for step, x := range w.Models {
				if far := scenariotest.Far(x, want[step]); far > 1e-12 {
					t.Errorf("%s, %s: step %d is %v from the loop", schedule, noise, step+1, far)
				}
			}
			if len(w.Models) != 9 {
				t.Errorf("%s: %d models", schedule, len(w.Models))
			}
		}
	}
}

// TestRoundsOfAveraging: federated averaging with a schedule makes the models of as many longer rounds,
// to 1e-12, with clients of unequal sizes.
func TestRoundsOfAveraging(t *testing.T) {
	for _, mu := range []string{"", ", mu: 0.7"} {
		seldom := scenariotest.WatchServer(t, unequalText(t, mu), meets("{every: 3}"), "algorithm.tau=2").Models
		long := scenariotest.WatchServer(t, unequalText(t, mu), "horizon=3", "algorithm.tau=6").Models
		for step, x := range seldom {
			if round := (step + 1) / 3; round > 0 && scenariotest.Far(x, long[round-1]) > 1e-12 {
				t.Errorf("%s: step %d is %v from round %d", mu, step+1, scenariotest.Far(x, long[round-1]), round)
			}
		}
		if len(seldom) != 9 || scenariotest.Far(long[2], long[0]) < 1e-3 {
			t.Errorf("%s: %d models", mu, len(seldom))
		}
	}
}

// TestRoundsPay: three rounds in nine steps cost as much as three steps with three times as many
// local steps, to every observer.
func TestRoundsPay(t *testing.T) {
	const noise = "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}"
	losses := func(overrides ...string) map[accountant.Observer]map[int32]float64 {
		s := scenariotest.LoadText(t, tiersText(t), overrides...)
		_, j := scenariotest.SentBy(t, s, 0, 1)
		return scenariotest.FinalRows(t, s.Arms[0], j)
	}
	for _, settings := range []string{
		noise + "|algorithm.rate=0.5",
		noise + "|algorithm.level=record|algorithm.batch=2",
		noise + "|algorithm.aggregation={kind: local}",
		noise + "|algorithm.apart=2",
		noise + "|algorithm.rates=[{first: 1, last: 2, value: 0.3}]|algorithm.groups=2",
		noise + "|algorithm.filters=[{first: 1, last: 3, value: 2}]",
		"mechanism={kind: sampled-gaussian, epsilon: 3, delta: 1e-4}|algorithm.level=record|algorithm.batch=2",
		"algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.3}|mechanism={kind: tree, epsilon: 4, delta: 1e-4}",
	} {
		list := strings.Split(settings, "|")
		seldom := losses(append(slices.Clone(list), meets("{every: 3}"), "algorithm.tau=2")...)
		long := losses(append(slices.Clone(list), "horizon=3", "algorithm.tau=6")...)
		for observer, rows := range long {
			for unit, want := range rows {
				if got := seldom[observer][unit]; got != want && !(math.Abs(got-want) <= 1e-12*want) {
					t.Errorf("%s: %s learns %v of %d, want %v", settings, observer, got, unit, want)
				}
			}
			if len(rows) != len(seldom[observer]) {
				t.Errorf("%s: %d units to %s, want %d", settings, len(seldom[observer]), observer, len(rows))
			}
		}
	}
}

// servers are algorithms of a server whose rounds follow a schedule.
var servers = map[string]string{
	"fedavg with noise":    "algorithm.rate=0.6",
	"records":              "algorithm.level=record|algorithm.batch=2|algorithm.stragglers={share: 0.5}",
	"local noise":          "algorithm.aggregation={kind: local}|algorithm.rate=0.6",
	"secure sums":          "algorithm.aggregation={kind: secure, survivors: 3, dropout: 0.1}",
	"scaffold":             "algorithm={kind: dp-scaffold, learning_rate: 0.5, clip: 0.3, tau: 2, rate: 0.6}",
	"scaffold, local":      "algorithm={kind: dp-scaffold, learning_rate: 0.5, clip: 0.3, tau: 2, aggregation: {kind: secure, survivors: 6, dropout: 0.2}}",
	"correlated noise":     "algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.3, groups: 2}|mechanism={kind: tree, epsilon: 4, delta: 1e-4}",
	"averaging":            "algorithm={kind: fedavg, learning_rate: 0.5, tau: 2, batch: 2, mu: 0.1, stragglers: {share: 0.5}}|mechanism={kind: none}",
	"own rates":            "algorithm.rates=[{first: 1, last: 2, value: 0.3}]",
	"filters":              "algorithm.filters=[{first: 1, last: 3, value: 0.4}]",
	"a median, with liars": "algorithm.level=record|algorithm.combine={kind: median}|adversaries={kind: sign-flip, nodes: 1}",
}

// TestRoundsRuntimes: all runtimes give the same bits under every schedule, and so does a run that is
// saved between two rounds. Nothing is sent between them.
func TestRoundsRuntimes(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(servers)) {
		overrides := servers[name]
		for k, schedule := range []string{"{every: 1}", "{every: 5}", "{phases: [{from: 2, every: 2}, {from: 6, every: 3}]}", "{every: 1, doubling: 4}", "{probability: 0.4}"} {
			if !testneeds.Some(i+k, 3) {
				continue
			}
			t.Run(fmt.Sprintf("%s %d", strings.ReplaceAll(name, ",", ""), k), func(t *testing.T) {
				t.Parallel()
				s := scenariotest.LoadText(t, tiersText(t), append([]string{"mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}", meets(schedule), "horizon=16", "checkpoint={every: 7}"}, strings.Split(overrides, "|")...)...)
				scenariotest.OneDigest(t, s)
				scenariotest.Resumes(t, s, 7, 0, 1, 2)
			})
		}
	}
}

// TestRoundsMeasure: between rounds metrics stay, and count what is done in rounds.
func TestRoundsMeasure(t *testing.T) {
	s := scenariotest.LoadText(t, tiersText(t), meets("{every: 3}"), "measure={every: 1, metrics: [clients.round, data.seen, messages.sent, clip.updates]}")
	rows, nan := scenariotest.MetricsOf(t, s, runner.RunOptions{}).Rows, math.NaN()
	for name, want := range map[string][]float64{
		machine.QuantityClients: {nan, nan, 6, 6, 6, 6, 6, 6, 6},
		gauge.DataSeen:          {0, 0, 270, 270, 270, 540, 540, 540, 810}, // 9 local steps of 6 clients on 5 samples
		"messages.sent":         {0, 0, 12, 12, 12, 24, 24, 24, 36},
		machine.QuantityClipped: {nan, nan, 1, nan, nan, 1, nan, nan, 1}, // of the round of a step
	} {
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if got := scenariotest.ValuesOf(rows, name); !slices.EqualFunc(got, want, same) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestRoundsAudit: an audit does not refute the losses of a schedule, and refutes them if half of
// the noise is missing.
func TestRoundsAudit(t *testing.T) {
	testneeds.Slow(t)
	for _, level := range []string{"user", "record"} {
		s := scenariotest.LoadText(t, tiersText(t), meets("{every: 3}"), "mechanism={kind: sampled-gaussian, sigma: 3, delta: 1e-2}", "algorithm.level="+level, "algorithm.tau=1")
		scenariotest.AuditTells(t, s, 4000)
	}
}

// TestRoundsRefuse: bad schedules of a server are refused where they stand.
func TestRoundsRefuse(t *testing.T) {
	for _, test := range []struct{ overrides, want string }{
		{meets("{every: 10}"), "topology.schedule: no round is within the horizon, 9"},
		{meets("{every: 2, offsets: [0, 1]}"), "topology.schedule: a server and its clients meet in the same steps"},
		{meets("{probability: 0.5, each: true}"), "topology.schedule: a server and its clients meet in the same steps"},
		{meets("{probability: 2}"), "topology.schedule.probability: probability 2"},
		{meets("{phases: [{from: 5, every: 2}, {from: 3, every: 1}]}"), "topology.schedule.phases[1].from: the phase begins in step 3"},
		{meets("{every: 2}") + "|algorithm.tau=3|algorithm.stragglers={share: 0.5, update: drop}", "algorithm.stragglers.update: rounds of a schedule"},
		{meets("{every: 2}") + "|algorithm={kind: central, learning_rate: 0.5}", "topology.schedule: the keys of central say when"},
		{meets("{every: 2}") + "|algorithm={kind: fedavg, learning_rate: 0.5}|network={kind: effects, loss: {probability: 0.1}}", "network.kind: rounds of a schedule: each server waits"},
		{meets("{every: 2}") + "|algorithm={kind: fedbuff, learning_rate: 0.5, clip: 1, buffer: 3}", "topology.schedule: a server with a buffer"},
	} {
		_, err := scenariotest.LoadError(t, tiersText(t), strings.Split(test.overrides, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.overrides, err, test.want)
		}
	}
}

// TestRoundsOfAnotherSeed: where rounds are drawn, each seed has its own, and no seed pays for more
// than the plan does.
func TestRoundsOfAnotherSeed(t *testing.T) {
	s := scenariotest.LoadText(t, tiersText(t), meets("{probability: 0.4}"), "seeds.count=8", "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}")
	var counts []int
	for seed := uint64(1); seed <= 8; seed++ {
		j, err := s.Arms[0].Algorithm.Job(seed)
		if err != nil {
			t.Fatal(err)
		}
		rounds := 0
		for step := range 9 {
			if g := j.Run.Graphs.At(step); g.Edges() > 0 {
				rounds++
			}
		}
		counts = append(counts, rounds)
	}
	planned := 0
	for step := 1; step <= 9; step++ {
		if s.Arms[0].Algorithm.Privacy().Loss(step) != (accountant.Loss{}) {
			planned++
		}
	}
	if slices.Min(counts) == slices.Max(counts) || planned != slices.Max(counts) {
		t.Errorf("%v rounds by seed, planned %d", counts, planned)
	}
}

// TestRoundsAreNoted: the notes of a run tell its own rounds, where each seed draws others.
func TestRoundsAreNoted(t *testing.T) {
	s := scenariotest.LoadText(t, tiersText(t), meets("{probability: 0.4}"), "seeds.count=4", "algorithm.tau=3")
	plan := s.Arms[0].Algorithm
	for seed := uint64(1); seed <= 4; seed++ {
		j, err := plan.Job(seed)
		if err != nil {
			t.Fatal(err)
		}
		rounds, since, longest := 0, 0, 0
		for step := range 9 {
			if since++; j.Run.Graphs.At(step).Edges() > 0 {
				rounds, longest, since = rounds+1, max(longest, 3*since), 0
			}
		}
		notes, _ := plan.Notes(j)
		want := fmt.Sprintf("%d in 9 steps; the longest has %d local steps", rounds, longest)
		if !slices.ContainsFunc(notes, func(n study.Note) bool { return n.Key == "rounds" && n.Value == want }) {
			t.Errorf("seed %d: notes %v, want %q", seed, notes, want)
		}
	}
}
