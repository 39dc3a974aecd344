package federated_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/problem/stream"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// populationText is a run whose server draws the clients of a round, of all that are on hand here.
const populationText = `version: 1
name: population
horizon: 6
nodes: 1000
algorithm: {kind: dp-fedavg, learning_rate: 0.5, clip: 0.3, samples: 6, tau: 2, batch: 3, rate: 0.2, times: 2, draw: server}
problem: {kind: synthetic-logistic, dimension: 5, test_samples: 4}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 0.7, delta: 1e-5}
seeds: {base: 1, count: 1}
plots: []
`

// population is the same run as a plain loop that holds the data of all clients, and with variates the
// same run of dp-scaffold, which holds the control variates of all. Sums go by blocks of 64 seats, in
// their order. It returns the models by round.
func population(t *testing.T, clients int, rule aggregation.Participation, variates bool) (models [][]float64) {
	const dim, samples, tau, batch, rounds, clip, learning, seed = 5, 6, 2, 3.0, 6, 0.3, 0.5, 1
	options := stream.DefaultSyntheticOptions()
	options.Dimension, options.TestSamples = dim, 4
	p, err := stream.NewSyntheticLogistic(options, clients)
	if err != nil {
		t.Fatal(err)
	}
	all := stream.NewCorpus(p.Model(), p.Draw(seed), clients, samples)
	come, width := rule.Attend(seed, clients, rounds+1), dim
	own := make([][]float64, clients+1) // c_i
	if variates {
		width = 2 * dim
		if err := come.Seat(clients, rule.StateSeats(clients, rounds+1)); err != nil {
			t.Fatal(err)
		}
		for i := range own {
			own[i] = make([]float64, dim)
		}
	}
	var draws rng.Stream
	batches, noise := rng.NewKey(seed, rng.PurposeOf("federated.batches")), rng.NewKey(seed, rng.PurposeOf("federated.noise"))
	// Participations are limited, so that there is no secret sample, and a client is there twice.
	expected, deviation := rule.Expected(clients), 0.7*clip
	said := make([]float64, width) // the model, and c
	for round := 1; round <= rounds; round++ {
		sum := make([]float64, width)
		blocks := map[int][]float64{}
		for k, node := range come.Of(round) {
			v, r := slices.Clone(said), draws.Open(batches, int(node), round, 0)
			y := v[:dim]
			var chosen [tau][]int
			for step := range tau {
				for k := range samples {
					if r.Float64() < batch/samples {
						chosen[step] = append(chosen[step], k)
					}
				}
			}
			gradient := make([]float64, dim)
			for step := range tau {
				all.Party(int(node)-1).SumClipped(gradient, y, chosen[step], 1e300)
				kernel.Axpy(y, -learning/batch, gradient)
				for k := range own[node] {
					y[k] += -learning * (said[dim+k] - own[node][k])
				}
			}
			for k := range y {
				y[k] -= said[k]
				if variates {
					v[dim+k] = tau * learning * (float64(-y[k]/(tau*learning)) - said[dim+k])
				}
			}
			if long := kernel.Norm(v); long > clip {
				kernel.Scale(v, clip/long, v)
			}
			if variates {
				kernel.Axpy(own[node], 1/(tau*learning), v[dim:])
			}
			of := int(come.SeatOf(round, k)) / 64 // the server is in the first block
			if blocks[of] == nil {
				blocks[of] = make([]float64, width)
			}
			kernel.Add(blocks[of], v)
		}
		for _, of := range slices.Sorted(maps.Keys(blocks)) {
			kernel.Add(sum, blocks[of])
		}
		draws.Open(noise, 0, round, 1).AddNormal(sum, deviation)
		kernel.Scale(sum, 1/expected, sum)
		kernel.Add(said[:dim], sum[:dim])
		if variates {
			kernel.Axpy(said[dim:], expected/float64(clients)/(tau*learning), sum[dim:])
		}
		models = append(models, slices.Clone(said[:dim]))
	}
	return models
}

// cohortOf changes populationText to a fixed number of clients a round.
func cohortOf(rule string) []string {
	return []string{"algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 0.3, samples: 6, tau: 2, batch: 3, draw: server, " + rule + "}"}
}

// often is the rule of populationText.
func often() aggregation.Participation {
	times := 2
	return aggregation.Participation{Rate: 0.2, Groups: 1, Apart: 1, Times: &times}
}

// TestPopulationByAPlainLoop: the models of a run that holds only the clients of a round are those of
// a loop that holds everybody, to the last bit.
func TestPopulationByAPlainLoop(t *testing.T) {
	seven, scaffold := 7, []string{"algorithm.kind=dp-scaffold"}
	cohort := aggregation.Participation{Cohort: &seven, Rate: 1, Groups: 1, Apart: 3}
	for _, c := range []struct {
		clients  int
		rule     aggregation.Participation
		variates bool
		set      []string
	}{
		{1000, often(), false, nil}, {37, often(), false, nil}, {37, cohort, false, cohortOf("cohort: 7, apart: 3")},
		{1000, often(), true, scaffold}, {37, often(), true, scaffold}, {37, cohort, true, append(cohortOf("cohort: 7, apart: 3"), scaffold...)},
	} {
		clients := c.clients
		w, want := scenariotest.WatchServer(t, populationText, append(c.set, fmt.Sprint("nodes=", clients))...), population(t, clients, c.rule, c.variates)
		for round, x := range w.Models {
			if !slices.Equal(x, want[round]) {
				t.Errorf("%d clients, round %d: %v, want %v", clients, round+1, x, want[round])
			}
		}
		if len(w.Models) != 6 {
			t.Errorf("%d models", len(w.Models))
		}
	}
}

// TestPopulationPays: the account of a population is that of clients that draw by themselves, whose law
// is the same, and one row is for all clients.
func TestPopulationPays(t *testing.T) {
	for _, more := range [][]string{nil, {"algorithm.times=null"}, {"algorithm.groups=3", "algorithm.apart=3"}} {
		drawn := scenariotest.MeasuredIn(t, populationText, more...).Rows
		held := scenariotest.MeasuredIn(t, populationText, append(more, "algorithm.draw=clients")...).Rows
		for _, name := range []string{"epsilon.total", "delta"} {
			got, want := scenariotest.ValuesOf(drawn, name), scenariotest.ValuesOf(held, name)
			if len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("%v: %s is %v, and %v where clients draw", more, name, got, want)
			}
		}
	}
}

// TestCohortPays: a fixed number of clients pays as a Poisson sample of half the noise, and with timers
// as clients that send zeros, whose account counts on no chance.
func TestCohortPays(t *testing.T) {
	gaussian := "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}"
	for _, c := range []struct{ cohort, poisson []string }{
		{cohortOf("cohort: 20"), []string{"algorithm.times=null", "mechanism.sigma=0.35", fmt.Sprint("algorithm.rate=", 20.0/999)}},
		{append(cohortOf("cohort: 20"), "mechanism.neighbours=replace"), []string{"algorithm.times=null", "mechanism.neighbours=replace", "mechanism.sigma=0.35", fmt.Sprint("algorithm.rate=", 20.0/999)}},
		{cohortOf("cohort: 20, times: 2"), nil}, {cohortOf("cohort: 20, apart: 3"), []string{"algorithm.times=null", "algorithm.apart=3"}},
		{append(cohortOf("cohort: 20"), gaussian), []string{"algorithm.times=null", gaussian}},
	} {
		fixed := scenariotest.MeasuredIn(t, populationText, c.cohort...).Rows
		poisson := scenariotest.MeasuredIn(t, populationText, c.poisson...).Rows
		got, want := scenariotest.ValuesOf(fixed, "epsilon.total"), scenariotest.ValuesOf(poisson, "epsilon.total")
		if len(got) == 0 || !slices.Equal(got, want) {
			t.Errorf("%v: losses %v, want %v", c.cohort, got, want)
		}
		for _, size := range scenariotest.ValuesOf(fixed, "clients.round") {
			if size != 20 {
				t.Errorf("%v: a round of %v clients", c.cohort, size)
			}
		}
	}
}

// TestPopulationRefuses: what needs clients that are held is refused, at its key, and says so.
func TestPopulationRefuses(t *testing.T) {
	scenariotest.Refuses(t, populationText, map[string]string{
		"algorithm.level=record|budget={epsilon: 1, delta: 1e-5, on: stop}": "budget: draw: server holds only the clients of a round: a client stops at a budget of its own",
		"algorithm.kind=dp-scaffold|algorithm.aggregation={kind: local}":    "algorithm.aggregation: draw: server holds",
		"algorithm.aggregation={kind: secure, survivors: 500}":              "algorithm.aggregation.survivors: a round has at most 361 clients, and would be aborted always",
		"topology={kind: star, schedule: {every: 2}}":                       "topology.schedule: draw: server holds",
		"adversaries={kind: sign-flip, nodes: 1}":                           "adversaries: draw: server holds",
		"network={kind: ideal, precision: float32}":                         "network: draw: server holds",
		"measure={by: node}":                              "measure.by: draw: server holds",
		"measure={pairs: true}":                           "draw: server holds",
		"algorithm.clips=[{first: 1, last: 2, value: 1}]": "algorithm.clips: draw: server holds",
		"algorithm.kind=dp-scaffold|algorithm.times=null|nodes=1000000|algorithm.rate=0.001|problem.dimension=1000|horizon=1000": "horizon: about 2.65e+05 clients come again, and their states have 2.65e+08 numbers; want at most 134217728, which 636 steps have",
		"problem.sizes={kind: power, exponent: 1}": "problem.sizes",
		"problem={kind: images, data: synthetic, train: 2000, test: 30, model: {kind: softmax}, partition: {kind: iid}}":                                "problem.partition.kind: all images are divided among the clients at once; want drawn, by which a client draws its own",
		"nodes=1000000000|algorithm.rate=1e-7|algorithm.panel=1000000|algorithm.samples=200|" + strings.Replace(drawnImages, "size: 8", "size: 200", 1): "algorithm.panel: a panel of 1000000 clients has 2e+08 images; want at most 134217728, which 671088 clients have",
		"algorithm.samples=9|" + drawnImages:                                                           "algorithm.samples: 9 samples of a client that has 8 images; want at most that",
		"algorithm.samples=9|" + drawnRows:                                                             "algorithm.samples: 9 samples of a client that has 8 rows; want at most that",
		strings.Replace(drawnRows, "drawn, size: 8, alpha: 0.3", "iid", 1):                             "problem.partition.kind: all rows are divided among the clients at once; want partition: {kind: drawn}",
		strings.Replace(drawnRows, "exclude: [client, step], ", "party: client, exclude: [step], ", 1): "problem.partition: is given, but the column of parties divides the rows already",
		strings.Replace(drawnRows, "size: 8", "size: 8000", 1):                                         "problem.partition: 8000 data a party",
		strings.Replace(drawnImages, "softmax", "logistic", 1):                                         "problem.model.kind: images of a client are drawn where a network learns from them",
		"algorithm.draw=clients|algorithm.panel=20":                                                    "algorithm.panel: values are over the data of all clients",
		"nodes=10000000|horizon=1000":                                                                  "take part in all rounds together; want at most 134217728, which a rate of",
		"problem.dimension=20000|algorithm.panel=900":                                                  "algorithm.panel: the data of a panel of 900 clients have",
		"nodes=1000000000|algorithm.rate=1":                                                            "algorithm.rate: a round has up to 1000000000 clients; want at most 22369621, at a rate of",
		"nodes=1000000000|algorithm.draw=clients":                                                      "nodes: 1000000000 nodes, each with a state of its own; want at most 10000000",
		"algorithm.cohort=7":                                                                           "algorithm.rate: a round has a cohort of 7 clients; leave one of the two out",
		cohortOf("cohort: 7")[0] + "|algorithm.draw=clients":                                           "algorithm.cohort: clients that draw for themselves are a number by chance",
		cohortOf("cohort: 300, times: 2")[0]:                                                           "algorithm.cohort: a cohort of 300 needs 1200 clients in a group, where some wait or may not come again; the smallest has 1000; want at most 250",
		cohortOf("cohort: 30000000")[0] + "|nodes=1000000000":                                          "algorithm.cohort: a round has 30000000 clients; want at most 22369621",
		cohortOf("cohort: 1000")[0] + "|nodes=1000000000|horizon=1000000":                              "algorithm.cohort: 1e+09 clients take part in all rounds together; want at most 134217728, which a cohort of 134 has",
		"algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.1, samples: 5, groups: 3, cohort: 7, amplified: true, draw: server}|mechanism={kind: banded-toeplitz, bands: 3, epsilon: 2, delta: 1e-5}": "algorithm.amplified: the proof is for clients that come each by itself",
		"mechanism={kind: none}|budget={epsilon: 1, delta: 1e-5, on: stop, groups: [{first: 1, last: 2, epsilon: 2}]}":                                                                                   "budget.groups: draw: server holds",
	})
}

// TestPanelOfAll: a panel of all clients has the loss and the accuracy over all data, to the last bit of
// the values of a run that holds them, and no error.
func TestPanelOfAll(t *testing.T) {
	rows := scenariotest.MeasuredIn(t, populationText, "nodes=37", "algorithm.panel=37", "measure.every=1").Rows
	options := stream.DefaultSyntheticOptions()
	options.Dimension, options.TestSamples = 5, 4
	p, err := stream.NewSyntheticLogistic(options, 37)
	if err != nil {
		t.Fatal(err)
	}
	all := stream.NewCorpus(p.Model(), p.Draw(1), 37, 6)
	for round, x := range population(t, 37, often(), false) {
		share, _ := all.Accuracy(x)
		for name, want := range map[string]float64{"loss.train": all.Loss(x), "accuracy.test": share, "loss.train.error": 0, "accuracy.test.error": 0} {
			if got := scenariotest.ValuesOf(rows, name)[round]; got != want {
				t.Errorf("round %d: %s is %v, want %v", round+1, name, got, want)
			}
		}
	}
}

// drawnImages is the problem of clients that draw their images from all.
const drawnImages = "problem={kind: images, data: synthetic, train: 300, test: 30, model: {kind: softmax}, partition: {kind: drawn, size: 8, alpha: 0.3}}"

// drawnRows is the problem of clients that draw their rows from all.
const drawnRows = "problem={kind: table, file: library/own-data.csv, exclude: [client, step], label: y, test: {share: 0.2}, validation: 0.1, model: {kind: logistic}, partition: {kind: drawn, size: 8, alpha: 0.3}}"

// TestDrawnTables: clients that all come in every round make the models that they make where all are held, and the
// accuracy on the test rows is no estimate.
func TestDrawnTables(t *testing.T) {
	all := []string{drawnRows, "nodes=37", "algorithm.rate=1", "algorithm.times=null", "mechanism={kind: none}", "measure.every=1"}
	drawn := scenariotest.MeasuredIn(t, populationText, append(all, "algorithm.panel=37")...).Rows
	held := scenariotest.MeasuredIn(t, populationText, append(all, "algorithm.draw=clients")...).Rows
	for _, name := range []string{"loss.train", "accuracy.test"} {
		got, want := scenariotest.ValuesOf(drawn, name), scenariotest.ValuesOf(held, name)
		if len(got) < 6 || !alike(got, want) {
			t.Errorf("%s is %v, and %v where all are held", name, got, want)
		}
	}
	if list := scenariotest.ValuesOf(drawn, "accuracy.test.error"); len(list) > 0 {
		t.Errorf("errors of the accuracy: %v", list)
	}
}

// TestSharedDataAreWarnedOf: the account of a sample of one client is no account of a row that several clients
// draw.
func TestSharedDataAreWarnedOf(t *testing.T) {
	for _, problem := range []string{drawnRows, drawnImages, "nodes=1000"} {
		for _, level := range []string{"record", "user"} {
			for _, draw := range []string{"server", "clients"} {
				s := scenariotest.LoadText(t, populationText, problem, "nodes=40", "horizon=1", "algorithm.level="+level, "algorithm.draw="+draw)
				m := scenariotest.RunIn(t, s, runner.RunOptions{Engine: runner.Lockstep}).Manifest
				warned := slices.ContainsFunc(m.Warnings, func(w results.Warning) bool { return w.Code == "shared-data" })
				if want := level == "record" && problem != "nodes=1000"; warned != want {
					t.Errorf("%s, level %s, draw %s: warned %v, want %v", problem, level, draw, warned, want)
				}
			}
		}
	}
}

// TestPopulationOnAnyRuntime: a run has one digest on either runtime, of any number of shards.
func TestPopulationOnAnyRuntime(t *testing.T) {
	for _, set := range []string{"algorithm.kind=dp-fedavg", "algorithm.kind=dp-scaffold", "algorithm.level=record", "algorithm.aggregation={kind: local}", drawnImages, drawnRows} {
		s := scenariotest.LoadText(t, populationText, "nodes=10000", "algorithm.rate=0.02", set)
		want := ""
		for _, options := range scenariotest.Engines(s) {
			digest := scenariotest.MetricsOf(t, s, options).Digest
			if want == "" {
				want = digest
			}
			if digest != want {
				t.Errorf("%s, %+v: digest %s, want %s", set, options, digest, want)
			}
		}
	}
}

// TestPopulationAfterTheBudget: once the server has spent its budget it stops, alone; nobody is sent
// anything more, and the model stays.
func TestPopulationAfterTheBudget(t *testing.T) {
	whole := []string{"algorithm.times=null", "measure.every=1"}
	limit := 1.001 * scenariotest.ValuesOf(scenariotest.MeasuredIn(t, populationText, whole...).Rows, "epsilon.total")[3]
	budget := append(whole, fmt.Sprintf("budget={epsilon: %v, delta: 1e-5, on: stop}", limit))
	s := scenariotest.LoadText(t, populationText, budget...)
	j := scenariotest.JobOf(t, s)
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	stops := j.Meter.Stops()
	if len(stops) != 1 || stops[0].Node != 0 || stops[0].Step != 5 {
		t.Fatalf("stops %+v, want of the server alone, in round 5", stops)
	}
	rows := scenariotest.MeasuredIn(t, populationText, budget...).Rows
	for _, name := range []string{"epsilon.total", "loss.train", "messages.sent"} {
		values := scenariotest.ValuesOf(rows, name)
		for round := stops[0].Step + 1; round < len(values); round++ {
			if values[round] != values[round-1] {
				t.Errorf("%s is %v, and changes after round %d", name, values, stops[0].Step)
			}
		}
	}
	if total := scenariotest.Last(scenariotest.ValuesOf(rows, "epsilon.total")); !(total > 0 && total <= limit) {
		t.Errorf("a loss of %v", total)
	}
}
