package scenarios_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// lastOwn returns the values of a metric of nodes at the last step of the first seed, by label.
func lastOwn(rows []results.Row, metric string) map[int32]float64 {
	list := map[int32]float64{}
	for _, row := range rows {
		if row.Metric == metric && row.Seed == rows[0].Seed && row.Arm == rows[0].Arm {
			list[*row.Node] = row.Value
		}
	}
	return list
}

// lastRun returns the value of a metric of the run at its last step, under the first seed.
func lastRun(rows []results.Row, metric string) float64 {
	value := math.NaN()
	for _, row := range rows {
		if row.Metric == metric && row.Seed == rows[0].Seed && row.Arm == rows[0].Arm {
			value = row.Value
		}
	}
	return value
}

// Every algorithm records values of single participants: on both runtimes to the same bits, the
// metrics that the arm declares, with statistics that are those of the values, and without a
// change of any other metric.
func TestOwnersOfEveryAlgorithm(t *testing.T) {
	for _, a := range scenarios.Catalog().Algorithms {
		if scenariotest.InPython(a) {
			continue
		}
		t.Run(a.Kind, func(t *testing.T) {
			s := loadText(t, a.Examples[0], "plots=[]", "measure={by: node}")
			got := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
			if actors := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2}); actors.Digest != got.Digest {
				t.Errorf("%s in lockstep, %s with actors", got.Digest, actors.Digest)
			}
			without := metricsOf(t, loadText(t, a.Examples[0], "plots=[]"), runner.RunOptions{Engine: runner.Lockstep})
			others := slices.DeleteFunc(slices.Clone(got.Rows), func(row results.Row) bool { return gauge.IsOfOwners(row.Metric) })
			if len(others) != len(without.Rows) {
				t.Fatalf("%d rows of other metrics, and %d in a run that asks for nothing", len(others), len(without.Rows))
			}
			for i, row := range others {
				if want := without.Rows[i]; row.Metric != want.Metric || row.Step != want.Step || math.Float64bits(row.Value) != math.Float64bits(want.Value) {
					t.Fatalf("%s at step %d is %v, and %v in a run that asks for nothing", row.Metric, row.Step, row.Value, want.Value)
				}
			}
			checkOwners(t, s, got.Rows)
		})
	}
}

// checkOwners compares the statistics of a run with its values.
func checkOwners(t *testing.T, s *study.Scenario, rows []results.Row) {
	t.Helper()
	arm := s.Arms[0]
	for _, q := range gauge.OwnerQuantities() {
		values, declared := lastOwn(rows, q.OfOne()), study.RecordsMetric(arm, q.OfOne())
		if declared != (len(values) > 0) {
			t.Errorf("%s is declared %v, and recorded of %d participants", q.Name, declared, len(values))
		}
		if !declared {
			continue
		}
		if want := cmp.Or(arm.Extent.Units, arm.File.Nodes); len(values) != want {
			t.Errorf("%s of %d participants, there are %d", q.Name, len(values), want)
		}
		var list []float64
		for _, value := range values {
			if !math.IsNaN(value) {
				list = append(list, value)
			}
		}
		slices.Sort(list)
		if len(list) == 0 {
			continue // nothing decided, or no best point
		}
		worst, best := list[len(list)-1], list[0]
		if q.Name == "accuracy" {
			worst, best = best, worst
		}
		for metric, want := range map[string]float64{"worst": worst, "best": best, "median": gauge.Quantile(list, 0.5)} {
			if got := lastRun(rows, q.Name+"."+metric); got != want {
				t.Errorf("%s.%s: %v, and %v of the values", q.Name, metric, got, want)
			}
		}
	}
}

// The values are parts of numbers that runs had before: their mean, sum or largest is that.
func TestOwnersAddUp(t *testing.T) {
	mean := func(values map[int32]float64) (sum float64) {
		for _, v := range values {
			sum += v / float64(len(values))
		}
		return sum
	}
	const stream, all = "problem={kind: synthetic-logistic, dimension: 4}", "metrics: [loss.mean, loss.train, regret.fixed, accuracy.test, accuracy.participant, loss.participant, regret.participant, epsilon.*, epsilon.participant, messages.sent, messages.participant]"
	const ball = "problem={kind: synthetic-logistic, dimension: 4, set: {kind: l2-ball, dimension: 4, radius: 5}}"
	for name, test := range map[string]struct {
		text      string
		overrides []string
		loss      string // the mean of losses
	}{
		"ofl":       {learning, nil, gauge.LossMean},
		"dsgd":      {learning, []string{ball, "algorithm={kind: dsgd, learning_rate: 0.2}", "topology={kind: complete, self_loops: true}", "mechanism={kind: laplace, epsilon: 1}"}, gauge.LossMean},
		"sgp":       {learning, []string{ball, "algorithm={kind: sgp, learning_rate: 0.2}", "topology={kind: exponential, weighting: {scheme: uniform-out, self_loops: true}}", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}"}, gauge.LossMean},
		"dpfl":      {learning, []string{stream, "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, batch: 8, clip: 1, samples: 20}", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, accountant: rdp}"}, gauge.LossTrain},
		"dp-fedavg": {learning, []string{stream, "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 1, tau: 2, samples: 20}", "mechanism={kind: gaussian, epsilon: 2, delta: 1e-5}"}, gauge.LossTrain},
		"tiers":     {learning, []string{stream, "nodes=6", "topology={kind: tiers, fan: [2, 3], schedule: [{every: 4}], noise: edge}", "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 1, tau: 2, samples: 20}", "mechanism={kind: gaussian, epsilon: 2, delta: 1e-5}"}, gauge.LossTrain},
		"central":   {learning, []string{stream, "algorithm={kind: central, learning_rate: 0.5, samples: 20}", "mechanism={kind: none}"}, gauge.LossTrain},
	} {
		t.Run(name, func(t *testing.T) {
			measure := "measure={by: node, " + all + "}"
			if name == "central" { // the data are in one place, whose accuracy is not known apart
				measure = strings.Replace(measure, " accuracy.participant,", "", 1)
			}
			s := loadText(t, test.text, append(test.overrides, inseparable, measure)...)
			rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
			close := func(what string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
					t.Errorf("%s: %v of participants, %v of the run", what, got, want)
				}
			}
			close("loss", mean(lastOwn(rows, "loss.participant")), lastRun(rows, test.loss))
			regrets := lastOwn(rows, "regret.participant")
			if fixed := lastRun(rows, gauge.RegretFixed); test.loss == gauge.LossMean {
				close("regret", mean(regrets), fixed)
			} else if len(regrets) != s.Arms[0].Extent.Units {
				t.Errorf("regrets %v", regrets)
			}
			epsilons := lastOwn(rows, "epsilon.participant")
			if len(epsilons) > 0 && !math.IsInf(lastRun(rows, "epsilon.total"), 1) {
				close("epsilon", lastRun(rows, "epsilon.worst"), lastRun(rows, "epsilon.total"))
			}
			if name == "dsgd" || name == "sgp" {
				close("messages", 3*mean(lastOwn(rows, "messages.participant")), lastRun(rows, gauge.MessagesSent))
				close("accuracy", mean(lastOwn(rows, "accuracy.participant")), lastRun(rows, gauge.AccuracyTest))
			}
		})
	}
}

// Losses and regrets of three nodes are those of their recorded decisions on the problem, worked
// out by loops over the steps, and epsilons those of the ledger.
func TestOwnersOfThreeNodes(t *testing.T) {
	overrides := []string{"mechanism={kind: laplace, epsilon: 1, groups: [{first: 2, last: 2, epsilon: 3}]}", "measure={by: node, at: [4]}", "seeds.count=1"}
	s := loadText(t, base, overrides...)
	arm := s.Arms[0]
	in, err := arm.Problem.Draw(s.Seeds.Base, arm.File.Horizon)
	if err != nil {
		t.Fatal(err)
	}
	decisions, j := scenariotest.Decide(t, s)
	rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2}).Rows
	for node := range 3 {
		var sum float64
		for step, x := range decisions[messages.NodeID(node)] {
			sum += in.Loss(messages.NodeID(node), step+1, x)
			if step+1 != 4 && step+1 != 12 {
				continue
			}
			if got, want := ownAt(rows, "loss.participant", step+1, node+1), sum/float64(step+1); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("loss of node %d at step %d: %v, want %v", node+1, step+1, got, want)
			}
		}
	}
	for node, want := range finalRows(t, arm, j)[accountant.Wire] {
		if got := ownAt(rows, "epsilon.participant", 12, int(node)); got != want {
			t.Errorf("epsilon of node %d: %v, in the ledger %v", node, got, want)
		}
	}
	if a, b := ownAt(rows, "epsilon.participant", 12, 1), ownAt(rows, "epsilon.participant", 12, 2); !(math.Abs(b-3*a) <= 1e-12*b) {
		t.Errorf("epsilons %v and %v", a, b)
	}
}

// ownAt returns a value of a node at a step.
func ownAt(rows []results.Row, metric string, step, node int) float64 {
	for _, row := range rows {
		if row.Metric == metric && row.Step == int64(step) && row.Node != nil && *row.Node == int32(node) {
			return row.Value
		}
	}
	return math.NaN()
}

// Values by group are the means of the values by node, at every record; the groups are those of
// the mechanism unless the file names others.
func TestOwnersByGroup(t *testing.T) {
	const mechanism = "mechanism={kind: laplace, epsilon: 1, groups: [{first: 2, last: 3, epsilon: 3}]}"
	nodes := metricsOf(t, loadText(t, base, mechanism, "measure={every: 6, by: node, at: [6]}"), runner.RunOptions{Engine: runner.Lockstep}).Rows
	for measure, members := range map[string]map[int][]int{
		"measure={every: 6, by: group}": {0: {1}, 1: {2, 3}},
		"measure={every: 6, by: group, groups: [{first: 3, last: 3}, {first: 1, last: 2}]}":           {1: {3}, 2: {1, 2}},
		"measure={every: 6, by: group, groups: [{first: 1, last: 3}], metrics: [loss.*, loss.group]}": {1: {1, 2, 3}},
	} {
		rows := metricsOf(t, loadText(t, base, mechanism, measure), runner.RunOptions{Engine: runner.Lockstep}).Rows
		for _, name := range []string{"loss", "epsilon"} {
			if strings.Contains(measure, "metrics") && name == "epsilon" {
				continue
			}
			for _, step := range []int{6, 12} {
				for group, list := range members {
					var want float64
					for _, node := range list {
						want += ownAt(nodes, name+".participant", step, node) / float64(len(list))
					}
					if got := ownAt(rows, name+".group", step, group); !(math.Abs(got-want) <= 1e-12) {
						t.Errorf("%s: %s of group %d at step %d: %v, want %v", measure, name, group, step, got, want)
					}
				}
			}
		}
		if got := lastOwn(rows, "loss.participant"); len(got) > 0 {
			t.Errorf("%s: single nodes %v", measure, got)
		}
	}
}

// Groups of the mechanism are groups of values however they are given.
func TestOwnersByGroupsOfTheMechanism(t *testing.T) {
	t.Parallel()
	const list = "mechanism={kind: laplace, epsilon: 1, groups: "
	for name, test := range map[string]struct {
		mechanism string
		overrides []string
		groups    []int
	}{
		"nodes":  {list + "[{nodes: [3, 1], epsilon: 3}]}", nil, []int{1, 0, 1}},
		"share":  {list + "[{share: 0.34, epsilon: 3}, {nodes: [1], epsilon: 4}]}", nil, []int{2, 1, 0}},
		"file":   {groupFile(t, "node,epsilon\n1,none\n2,0.5\n3,2\n", ""), nil, []int{3, 1, 2}},
		"names":  {list + "[{nodes: [eve], epsilon: 3}]}", []string{namedContacts(t)}, []int{0, 0, 1}},
		"budget": {groupFile(t, "node,epsilon\n1,2\n2,2\n3,2\n", ""), nil, []int{1, 1, 1}},
	} {
		s := loadText(t, base, append(test.overrides, test.mechanism, "measure={by: group}")...)
		if got := s.Arms[0].Owners.Groups; !slices.Equal(got, test.groups) {
			t.Errorf("%s: groups %v, want %v", name, got, test.groups)
		}
		rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
		if got, want := lastOwn(rows, "epsilon.group"), slices.Compact(slices.Sorted(slices.Values(test.groups))); len(got) != len(want) {
			t.Errorf("%s: values %v of groups %v", name, got, want)
		}
	}
	clients := loadText(t, noisyStar, "measure={by: group}", "mechanism.groups=[{share: 0.4, epsilon: 3}]")
	if got, want := clients.Arms[0].Owners.Groups, []int{1, 1, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("groups of clients are %v, want %v", got, want)
	}
}

// Clients that lie have no values, as nodes that lie have none.
func TestOwnersThatLie(t *testing.T) {
	for _, name := range []string{"dp-fedavg, lies", "dpdonc, lies"} {
		s := loadText(t, families[name][0], append(slices.Clone(families[name][1:]), "measure={by: node}")...)
		rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
		for _, metric := range []string{"loss.participant", "epsilon.participant", "messages.participant"} {
			got := lastOwn(rows, metric)
			for node := int32(1); node <= int32(s.Arms[0].File.Nodes); node++ {
				_, has := got[node]
				if lies := slices.Contains(s.Arms[0].Adversaries.Nodes, int(node)); has == lies {
					t.Errorf("%s: %s of node %d, which lies %v, is recorded %v", name, metric, node, lies, has)
				}
			}
		}
	}
}

// Bad input is refused at its place, with the reason.
func TestOwnersAreChecked(t *testing.T) {
	for measure, want := range map[string]string{
		"{by: client}": `measure.by: unknown value "client"; known: node, group`,
		"{by: group}":  "measure.by: the mechanism of this arm has no groups; name the groups by measure.groups",
		"{by: node, groups: [{first: 1, last: 2}]}":                       "measure.groups: groups are for measure.by: group",
		"{groups: [{first: 1, last: 2}]}":                                 "measure.groups: groups are for measure.by: group",
		"{by: group, groups: [{first: 2, last: 1}, {first: 1, last: 4}]}": "measure.groups[0].last: the group is empty: it ends at node 1, before node 2\nmeasure.groups[1].last: there is no node 4; there are 3",
		"{by: group, groups: [{first: 1, last: 2}, {first: 2, last: 3}]}": "measure.groups[1]: some of nodes 2 to 3 are in another group, too",
		"{metrics: [loss.gini]}":                                          "measure.metrics[0]: no run of this arm records loss.gini: it is a metric of single participants, which measure.by: node or group records",
		"{by: node, metrics: [loss.group]}":                               "measure.metrics[0]: no run of this arm records loss.group: measure.by is node",
		"{by: node, metrics: [accuracy.worst, loss.worst]}":               "measure.metrics[0]: no run of this arm records accuracy.worst: the data of single participants have no labels to classify",
		"{by: node, metrics: [regret.median]}":                            "measure.metrics[0]: no run of this arm records regret.median: the fixed decision that is best for the data of all is not known",
		"{by: node, metrics: [bytes.sent]}":                               "measure.metrics: measure.by: node records nothing that is selected here",
	} {
		_, err := loadError(t, base, "measure="+measure)
		if err == nil {
			t.Errorf("%s is not refused", measure)
			continue
		}
		for _, line := range strings.Split(want, "\n") {
			if !strings.Contains(err.Error(), line) {
				t.Errorf("%s: %v\nwant %s", measure, err, line)
			}
		}
	}
	_, err := loadError(t, large, "horizon=100000", "nodes=20000", "measure={by: node, every: 100, metrics: [epsilon.*, loss.*]}", "sweep=null")
	if err == nil || !strings.Contains(err.Error(), "20000 participants x 1000 records x 2 quantities are 4e+07 numbers, which take 3.58 GiB a run; want at most 1") {
		t.Errorf("too much memory: %v", err)
	}
}
