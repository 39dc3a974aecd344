package scenarios_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/ledger"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// slow is an arm of clients some of which are stragglers.
const slow = `version: 1
name: slow
nodes: 6
horizon: 8
algorithm: {kind: KIND, tau: 4}
problem: {kind: synthetic-logistic, dimension: 3, test_samples: 5, sizes: {exponent: 0.5, least: 5}}
topology: {kind: star}
mechanism: {kind: none}
measure: {every: 1}
seeds: {base: 1, count: 1}
plots: []
`

const sampledNoise = "mechanism={kind: sampled-gaussian, sigma: 1, delta: 1e-5}"

// straggling are the algorithms that take stragglers, at both levels, with and without noise.
var straggling = map[string][]string{
	"fedavg":              {"fedavg, learning_rate: 0.5, samples: 20"},
	"fedprox":             {"fedavg, learning_rate: 0.5, samples: 20, mu: 0.3, batch: 4"},
	"dpfl":                {"dpfl, learning_rate: 0.5, samples: 20, batch: 4, clip: 1", sampledNoise},
	"dpfl, budget":        {"dpfl, learning_rate: 0.5, samples: 20, batch: 4, clip: 1", sampledNoise, "budget={epsilon: 9, delta: 1e-5, on: stop}"},
	"dpfl, tree":          {"dpfl, learning_rate: 0.5, samples: 20, clip: 1", "mechanism={kind: tree, epsilon: 2, delta: 1e-4}"},
	"dpfl, effects":       {"dpfl, learning_rate: 0.5, samples: 20, batch: 4, clip: 1", sampledNoise, "network={kind: effects, delay: {longest: 1}, loss: {probability: 0.2}, churn: {fail: 0.2, recover: 0.5}}"},
	"dp-fedavg, users":    {"dp-fedavg, learning_rate: 0.5, samples: 20, clip: 0.5, rate: 0.5", sampledNoise},
	"dp-fedavg, records":  {"dp-fedavg, learning_rate: 0.5, samples: 20, clip: 0.5, batch: 4, level: record", sampledNoise},
	"dp-fedavg, median":   {"dp-fedavg, learning_rate: 0.5, samples: 20, clip: 0.5, batch: 4, level: record, combine: {kind: median}", sampledNoise},
	"dp-fedavg, secure":   {"dp-fedavg, learning_rate: 0.5, samples: 20, clip: 0.5, aggregation: {kind: secure, survivors: 2, dropout: 0.1}", sampledNoise},
	"dp-fedavg, shuffle":  {"dp-fedavg, learning_rate: 0.5, samples: 20, clip: 0.5, aggregation: {kind: shuffle, survivors: 2}", sampledNoise},
	"dp-scaffold, users":  {"dp-scaffold, learning_rate: 0.5, samples: 20, clip: 0.5, rate: 0.5", sampledNoise},
	"dp-scaffold, record": {"dp-scaffold, learning_rate: 0.5, samples: 20, clip: 0.5, batch: 4, level: record", sampledNoise},
	"dp-ftrl":             {"dp-ftrl, learning_rate: 0.5, samples: 20, clip: 0.5, groups: 2", "mechanism={kind: blt, epsilon: 2, delta: 1e-4}"},
	"fedbuff":             {"fedbuff, learning_rate: 0.5, samples: 20, clip: 0.5, buffer: 2", sampledNoise, "network={kind: effects, delay: {longest: 2}, patience: 1}"},
}

// slowArm returns an arm of an algorithm with stragglers, a section; "null" is none.
func slowArm(t testing.TB, name, stragglers string, overrides ...string) (text string, all []string) {
	t.Helper()
	of := straggling[name]
	text = strings.Replace(slow, "KIND", of[0], 1)
	all = append(slices.Clone(of[1:]), overrides...)
	if stragglers != "" {
		all = append(all, "algorithm.stragglers="+stragglers)
	}
	return text, all
}

// Without a straggler, or with stragglers that have time for all local steps, a run has the bits
// of one without the key.
func TestStragglersWithAllSteps(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(straggling)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			digest := func(stragglers string) string {
				text, overrides := slowArm(t, name, stragglers)
				return metricsOf(t, loadText(t, text, overrides...), runner.RunOptions{Engine: runner.Lockstep}).Digest
			}
			want := digest("")
			for _, same := range []string{"{share: 0}", "{share: 0, update: drop}", "{share: 0.9, steps: 4}", "{share: 0.9, steps: 5, update: drop}", "{share: 1, fraction: 1, update: drop}"} {
				if got := digest(same); got != want {
					t.Errorf("%s: digest %s, want %s", same, got, want)
				}
			}
			for _, other := range []string{"{share: 0.9}", "{share: 0.9, steps: 3}", "{share: 0.6, fraction: 0.5, update: drop}"} {
				if digest(other) == want {
					t.Errorf("%s changes nothing", other)
				}
			}
		})
	}
}

// Runs with stragglers have one digest on all runtimes, and their payments are those of the plan,
// or they would fail. A run that is saved and goes on has the bits of one that went through.
func TestStragglersOnAllRuntimes(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(straggling)) {
		for _, stragglers := range []string{"{share: 0.7}", "{share: 0.6, update: drop}"} {
			t.Run(name+" "+stragglers, func(t *testing.T) {
				t.Parallel()
				text, overrides := slowArm(t, name, stragglers, "measure={every: 1, metrics: [loss.train, data.seen]}")
				s := loadText(t, text, overrides...)
				digests := map[string]string{}
				for _, o := range scenariotest.SomeEngines(s) {
					digests[metricsOf(t, s, o).Digest] = fmt.Sprintf("%+v", o)
				}
				if len(digests) != 1 {
					t.Errorf("digests %v", digests)
				}
				whole, j := sentBy(t, s, 0, 0, 1, 2)
				for _, pause := range []int{3, 6} {
					parts, resumed := sentBy(t, s, pause, 0, 1, 2)
					if !bytes.Equal(messages.Write(nil, resumed.Run.Machines[0]), messages.Write(nil, j.Run.Machines[0])) || !bytes.Equal(messages.Write(nil, resumed.Meter), messages.Write(nil, j.Meter)) {
						t.Errorf("after %d steps: the server ends in another state, or measures another", pause)
					}
					for node := range whole {
						if !slices.Equal(whole[node], parts[node]) {
							t.Errorf("after %d steps: node %d sends %v, resumed %v", pause, node, whole[node], parts[node])
						}
					}
				}
			})
		}
	}
}

// Where the noise is their own, clients pay for the local steps that they take, and nothing in
// rounds in which their updates are dropped. A trusted server pays in every round: some client
// may not be dropped in any.
func TestStragglersPayments(t *testing.T) {
	for _, test := range []struct {
		name       string
		stragglers algorithm.Stragglers
	}{
		{"dpfl", algorithm.Stragglers{Share: 0.7}},
		{"dpfl", algorithm.Stragglers{Share: 0.5, Update: algorithm.UnfinishedDrop}},
		{"dp-fedavg, records", algorithm.Stragglers{Share: 0.7}},
		{"dp-scaffold, record", algorithm.Stragglers{Share: 0.5, Update: algorithm.UnfinishedDrop}},
		{"dp-fedavg, users", algorithm.Stragglers{Share: 0.5, Update: algorithm.UnfinishedDrop}},
	} {
		section := fmt.Sprintf("{share: %v, update: partial}", test.stragglers.Share)
		if test.stragglers.Update != "" {
			section = fmt.Sprintf("{share: %v, update: drop}", test.stragglers.Share)
		}
		text, overrides := slowArm(t, test.name, section)
		w := scenariotest.WatchServer(t, text, overrides...)
		drawn := test.stragglers.Draw(1, 4)
		for client := messages.NodeID(1); client <= 6; client++ {
			want, rounds := 0, 0
			for round := 1; round <= 8; round++ {
				steps := drawn.Steps(client, round, 4)
				if want += steps; steps > 0 {
					rounds++
				}
			}
			switch users := test.name == "dp-fedavg, users"; {
			case users && len(w.Paid[client]) != 0:
				t.Errorf("%s: client %d pays %v", test.name, client, w.Paid[client])
			case !users && (len(w.Paid[client]) != want || len(w.Rounds[client]) != rounds):
				t.Errorf("%s %s: client %d pays %d times in %d rounds, want %d times in %d", test.name, section, client, len(w.Paid[client]), len(w.Rounds[client]), want, rounds)
			}
		}
		if test.name == "dp-fedavg, users" && !slices.Equal(w.Paid[0], slices.Repeat([]accountant.Loss{{Sampled: accountant.SampledGaussian{Rate: 0.5, Noise: 1, Steps: 1}}}, 8)) {
			t.Errorf("the server pays %v", w.Paid[0])
		}
	}
}

// The sum of a round is over the clients that are expected: fewer by those that are dropped.
func TestStragglersDivisor(t *testing.T) {
	for _, test := range []struct {
		stragglers string
		expected   float64 // clients, of 6 at a rate of 0.5
	}{
		{"{share: 0.8}", 3},
		{"{share: 0.8, update: drop}", 3 * (1 - 0.8*0.75)},
		{"{share: 0.8, steps: 2, update: drop}", 3 * (1 - 0.8)},
	} {
		text, overrides := slowArm(t, "dp-fedavg, users", test.stragglers)
		note := scenariotest.NoteOf(runIn(t, loadText(t, text, overrides...), runner.RunOptions{}).Manifest.Notes, "participation")
		if want := fmt.Sprintf("%.6g clients expected in a round", test.expected); !strings.Contains(note, want) {
			t.Errorf("%s: %q, want %q", test.stragglers, note, want)
		}
	}
}

// Data seen are those of the local steps that are taken: the mean over clients with all of their
// batches alike.
func TestStragglersDataSeen(t *testing.T) {
	rule := algorithm.Stragglers{Share: 0.7}
	drawn, want := rule.Draw(1, 4), 0.0
	for round := 1; round <= 8; round++ {
		for client := messages.NodeID(1); client <= 6; client++ {
			want += 4 * float64(drawn.Steps(client, round, 4)) // batches of 4
		}
	}
	for _, name := range []string{"dpfl", "dp-fedavg, records", "dp-fedavg, median"} {
		text, overrides := slowArm(t, name, "{share: 0.7}", "measure={every: 1, metrics: [data.seen]}")
		got := scenariotest.Last(scenariotest.ValuesOf(metricsOf(t, loadText(t, text, overrides...), runner.RunOptions{}).Rows, "data.seen"))
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: %v data are seen, want %v", name, got, want)
		}
	}
}

// A client that is dropped in every round has nothing in the messages of the server: no warning
// says that they show what its account bounds. The messages of the others are raw.
func TestStragglersThatSendNothing(t *testing.T) {
	for _, name := range []string{"fedavg", "dp-fedavg, records"} {
		text, overrides := slowArm(t, name, "{share: 0.8, steps: 1, update: drop}", "horizon=3", "mechanism={kind: none}")
		s := loadText(t, text, overrides...)
		if _, j := sentBy(t, s, 0, 0); !slices.ContainsFunc(s.Arms[0].Privacy.Accounts, func(a ledger.Account) bool { return a.Chance }) || !slices.ContainsFunc([]int{1, 2, 3, 4, 5, 6}, j.Meter.Idle) {
			t.Errorf("%s: every client sends something: the test has little to tell", name)
		}
		for _, w := range runIn(t, s, runner.RunOptions{}).Manifest.Warnings {
			if strings.Contains(w.Message, "the account of") {
				t.Errorf("%s: %s", name, w.Message)
			}
		}
	}
}

// Audits with stragglers do not refute the ledger, and do with half of the noise.
func TestStragglersAudits(t *testing.T) {
	for i, test := range []struct{ name, stragglers string }{
		{"dpfl", "{share: 0.7}"},
		{"dp-fedavg, records", "{share: 0.7}"},
		{"dp-fedavg, records", "{share: 0.9, steps: 1}"}, // the audited clients take other numbers of steps
		{"dp-scaffold, record", "{share: 0.5, update: drop}"},
		{"dp-fedavg, users", "{share: 0.9, update: drop}"},
		{"dp-fedavg, secure", "{share: 0.4, update: drop}"},
		{"dp-ftrl", "{share: 0.5, update: drop}"},
		{"fedbuff", "{share: 0.4, update: drop}"},
	} {
		if !testneeds.Some(i, 2) {
			continue
		}
		name := test.name
		t.Run(name+" "+test.stragglers, func(t *testing.T) {
			t.Parallel()
			text, overrides := slowArm(t, name, test.stragglers)
			s := loadText(t, text, overrides...)
			for _, scale := range []float64{1, 0.5} {
				o := scenariotest.AuditOptions(256)
				o.Noise = scale
				for _, a := range scenariotest.AuditIn(t, s, o) {
					if scale < 1 && strings.Contains(a.Mechanism, "seen by") { // models alone
						continue
					}
					// An audit whose client is dropped in most rounds would find little.
					if name == "dp-fedavg, users" && scale == 1 && strings.Contains(a.Mechanism, "rate 1") && !(a.Audited > a.Accounted/4) {
						t.Errorf("%s: at least %v of %v", a.Mechanism, a.Audited, a.Accounted)
					}
					if a.Refuted() != (scale < 1) {
						t.Errorf("%s, noise times %v: at least %v of %v, noise as stated: %v", a.Mechanism, scale, a.Audited, a.Accounted, a.NoiseAsStated())
					}
				}
			}
		})
	}
}

func TestStragglersThatAreRefused(t *testing.T) {
	for _, test := range []struct{ name, override, want string }{
		{"fedavg", "algorithm.stragglers={}", "algorithm.stragglers: missing required key \"share\""},
		{"fedavg", "algorithm.stragglers={share: 1.5}", "algorithm.stragglers.share: a share of 1.5; want"},
		{"fedavg", "algorithm.stragglers={share: 0.5, steps: 0}", "algorithm.stragglers.steps: 0 steps; want"},
		{"fedavg", "algorithm.stragglers={share: 0.5, fraction: 2}", "algorithm.stragglers.fraction: a fraction of 2; want"},
		{"fedavg", "algorithm.stragglers={share: 0.5, steps: 2, fraction: 0.5}", "algorithm.stragglers.fraction: steps and fraction are given"},
		{"fedavg", "algorithm.stragglers={share: 0.5, update: late}", "algorithm.stragglers.update"},
		{"fedavg", "algorithm.stragglers={share: 1, steps: 2, update: drop}", "algorithm.stragglers.update: every client is dropped"},
		{"dp-fedavg, users", "algorithm.stragglers={share: 1, steps: 2, update: drop}", "algorithm.stragglers.update: every client is dropped"},
		{"dp-fedavg, users", "algorithm.stragglers={share: 0.5, steps: 2, fraction: 0.5}", "algorithm.stragglers.fraction: steps and fraction are given"},
		{"dpfl", "algorithm={kind: ali-dpfl, learning_rate: 0.5, samples: 20, batch: 4, clip: 1, stragglers: {share: 0.5}}", "algorithm.stragglers: ali-dpfl chooses tau"},
		{"fedavg", "algorithm={kind: central, learning_rate: 0.5, stragglers: {share: 0.5}}", "unknown key \"stragglers\""},
	} {
		text, overrides := slowArm(t, test.name, "", test.override)
		_, err := scenarios.Load(baseFile(t, text), parseSets(t, overrides...)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, %s: %v, want %q", test.name, test.override, err, test.want)
		}
	}
}
