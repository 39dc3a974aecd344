package views_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/observatory/views"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// ranOf has one run of the base scenario with six nodes and some overrides.
func ranOf(t *testing.T, overrides ...string) (f *views.Folder, id string) {
	t.Helper()
	s := scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, append([]string{"seeds.count=2", "nodes=6", "topology={kind: printed}"}, overrides...)...))
	o := runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep, Build: "test"}
	if _, err := runner.Run(s, t.Context(), o); err != nil {
		t.Fatal(err)
	}
	f, err := views.NewFolder(o.Out, scenarios.NewLoader(""))
	if err != nil {
		t.Fatal(err)
	}
	id, err = filepath.Rel(o.Out, runner.Dir(s, o))
	if err != nil {
		t.Fatal(err)
	}
	return f, filepath.ToSlash(id)
}

const twoArms = "sweep={list: [{name: calm, set: {}}, {name: other, set: {OTHER}}]}"

// The picture opens at the first arm and step in which something happens, whatever it is.
func TestOpening(t *testing.T) {
	for name, test := range map[string]struct {
		other string
		more  []string
		arm   string
		step  int
		text  string
	}{
		"nothing":                {"mechanism.epsilon: 2", nil, "calm", 1, ""},
		"a period":               {"mechanism.epsilon: 2", []string{"topology={kind: printed}"}, "calm", 2, "step 2, with the most edges of a period of 3"},
		"Byzantine":              {"adversaries: {kind: sign-flip, nodes: [2, 5]}", []string{"algorithm.combine={kind: median, liars: 2}"}, "other", 1, "nodes 2 and 5 are Byzantine"},
		"one Byzantine":          {"adversaries: {kind: sign-flip, nodes: [4]}", []string{"algorithm.combine={kind: median, liars: 1}"}, "other", 1, "node 4 is Byzantine"},
		"no record before":       {"mechanism.epsilon: 2", []string{"measure.every=4"}, "calm", 4, "step 4, the first with recorded values"},
		"Byzantine at records":   {"adversaries: {kind: sign-flip, nodes: [4]}", []string{"algorithm.combine={kind: median, liars: 1}", "measure.every=4"}, "other", 4, "node 4 is Byzantine"},
		"delays at records":      {"network: {kind: effects, delay: {turns: 1}}", []string{"algorithm.missing=renormalise", "measure.every=3"}, "other", 3, "step 3: the first step from the first record on in which messages are late"},
		"a crash before records": {"network: {kind: effects, events: [{at: 2, until: 3, crash: [2]}]}", []string{"algorithm.missing=renormalise", "measure.every=4"}, "other", 2, "the first step in which a node is down"},
		"a partition":            {"network: {kind: effects, events: [{at: 4, until: 6, partition: [[1, 2, 3], [4, 5, 6]]}]}", []string{"algorithm.missing=renormalise"}, "other", 4, "messages are lost"},
		"a crash":                {"network: {kind: effects, events: [{at: 3, until: 5, crash: [2]}]}", []string{"algorithm.missing=renormalise"}, "other", 3, "a node is down"},
		"delays":                 {"network: {kind: effects, delay: {turns: 1}}", []string{"algorithm.missing=renormalise"}, "other", 1, "messages are late"},
		"bandwidth":              {"network: {kind: effects, bandwidth: {bytes: 4096, longest: 1}}", []string{"algorithm.missing=renormalise"}, "other", 1, "limited number of bytes"},
		"edges that leave":       {"topology.weighting: {scheme: metropolis}, topology.weights: unchecked, topology.events: [{at: 5, rewire: {remove: [[1, 2], [2, 1]]}}]", nil, "other", 5, "first event of its graphs"},
	} {
		t.Run(name, func(t *testing.T) {
			f, id := ranOf(t, append([]string{"horizon=8", "topology={kind: complete, self_loops: true}", strings.Replace(twoArms, "OTHER", test.other, 1)}, test.more...)...)
			got, err := f.Opening(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if got.Arm != test.arm || got.Step != test.step || !strings.Contains(got.Text, test.text) || (got.Text == "") != (test.text == "") {
				t.Errorf("%+v, want arm %s, step %d, %q", got, test.arm, test.step, test.text)
			}
		})
	}
}

// A course of graphs that repeat is one period, of a graph that stays its first and last step,
// and else bins whose least and most are those of all their steps.
func TestCourse(t *testing.T) {
	course := func(overrides ...string) *views.Course {
		t.Helper()
		f, id := ranOf(t, overrides...)
		c, err := f.Course(t.Context(), id, views.Moment{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := course("horizon=20"); c.Period != 3 || len(c.Steps) != 3 || c.Steps[2] != 3 || !strings.Contains(c.Remarks[0], "repeat every 3 steps") {
		t.Errorf("three matrices in turn: %+v", c)
	}
	if c := course("horizon=20", "topology={kind: ring}"); c.Period != 1 || len(c.Steps) != 2 || c.Steps[1] != 20 || c.Step[0] != c.Step[1] || c.Window[0] != c.Window[1] || math.IsNaN(c.Window[0]) {
		t.Errorf("a ring: %+v", c)
	}
	const horizon = 150
	redrawn := topology.ErdosRenyi{Nodes: 6, Probability: 0.5, Redraw: topology.Redraw{Every: 1, Seed: 1}}
	c := course("horizon=150", "topology={kind: erdos-renyi, probability: 0.5, every: 1, weights: unchecked}")
	graphs, err := redrawn.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	if c.Period != 0 || c.Bin != 3 || len(c.Steps) != horizon/3 {
		t.Fatalf("%d bins of %d steps", len(c.Steps), c.Bin)
	}
	for k := range c.Steps {
		least, most, sum := 6, 0, 0
		for at := 3 * k; at < 3*k+3; at++ {
			for i := range messages.NodeID(6) {
				from, _ := graphs.At(at).In(i) // a pattern: no node hears itself
				least, most, sum = min(least, len(from)), max(most, len(from)), sum+len(from)
			}
		}
		if d := c.InDegree[k]; c.Steps[k] != 3*k+1 || d.Min != least || d.Max != most || math.Abs(d.Mean-float64(sum)/18) > 1e-12 {
			t.Errorf("bin %d: %+v, want %d, %v, %d", k, d, least, float64(sum)/18, most)
		}
		if c.Step[k] < c.StepLow[k] || c.Step[k] > c.StepHigh[k] || c.StepHigh[k] > 1+1e-9 {
			t.Errorf("bin %d: the norm is %v of %v to %v", k, c.Step[k], c.StepLow[k], c.StepHigh[k])
		}
	}
}

// Values of nodes are the metrics of nodes at the last record, and losses to an observer or to a
// chosen node.
func TestNodeValues(t *testing.T) {
	f, id := ranOf(t, "horizon=8", "measure={every: 4, pairs: true}", "sweep={list: [{name: noisy, set: {}}, {name: bare, set: {mechanism.epsilon: none}}]}")
	ask := func(arm string, step int, of, to string) *views.NodeValues {
		t.Helper()
		n, err := f.NodeValues(id, views.Moment{Arm: arm, Seed: 1, Seeded: true, Step: step}, of, to)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	keys := ""
	for _, c := range ask("noisy", 8, "", "").Choices {
		keys += c.Key + " "
	}
	if keys != "regret.node loss loss-to " {
		t.Errorf("choices are %q", keys)
	}
	if n := ask("noisy", 7, "regret.node", ""); len(n.Values) != 6 || !strings.Contains(n.Label, "step 4") {
		t.Errorf("%s: %d values", n.Label, len(n.Values))
	}
	to := ask("noisy", 8, "loss-to", "2")
	if len(to.Values) != 5 || to.Values[2] != nil || *to.Values[1] <= 0 {
		t.Errorf("losses to node 2 are %v", to.Values)
	}
	strongest := ask("noisy", 8, "loss", "")
	for node, v := range to.Values {
		if *v > *strongest.Values[node]+1e-12 {
			t.Errorf("node %d loses %v to node 2, and %v to the strongest", node, *v, *strongest.Values[node])
		}
	}
	if v, ok := ask("bare", 8, "loss", "").Values[3]; !ok || v != nil {
		t.Errorf("without noise the loss is %v", v)
	}
	if _, err := f.NodeValues(id, views.Moment{Arm: "noisy", Seed: 1, Seeded: true, Step: 8}, "nothing", ""); err == nil {
		t.Error("values that the run does not have")
	}
}

// A network says where its nodes are, and which are Byzantine.
func TestNetworkPlaces(t *testing.T) {
	f, id := ranOf(t, "horizon=8", "adversaries={kind: sign-flip, nodes: [2, 5]}", "algorithm.combine={kind: median, liars: 2}", "topology={kind: complete}")
	n, err := f.Network(t.Context(), id, views.Moment{Step: 3})
	if err != nil {
		t.Fatal(err)
	}
	around := topology.Around(6)
	if len(n.Places) != 6 || n.Places[4] != [2]float64(around[8:10]) || n.Moving || len(n.Byzantine) != 2 || n.Byzantine[1] != 4 {
		t.Errorf("%v, %v, %v", n.Places, n.Moving, n.Byzantine)
	}
	f, id = ranOf(t, "horizon=8", "topology={kind: geometric, radius: 0.9, speed_min: 0.1, speed_max: 0.2, weights: unchecked}")
	one, err := f.Network(t.Context(), id, views.Moment{Step: 1})
	if err != nil {
		t.Fatal(err)
	}
	later, err := f.Network(t.Context(), id, views.Moment{Step: 5})
	if err != nil {
		t.Fatal(err)
	}
	if !one.Moving || one.Places[0] == later.Places[0] {
		t.Errorf("a node that moves is at %v, then at %v", one.Places[0], later.Places[0])
	}
}

// The exposure of a node has its losses to observers and to single nodes, which are those of the colours.
func TestExposure(t *testing.T) {
	f, id := ranOf(t, "horizon=8", "measure={every: 4, pairs: true}", "sweep={list: [{name: noisy, set: {}}, {name: bare, set: {mechanism.epsilon: none}}]}")
	at := views.Moment{Arm: "noisy", Seed: 1, Seeded: true, Step: 8}
	e, err := f.Exposure(id, at, 2)
	if err != nil {
		t.Fatal(err)
	}
	to, err := f.NodeValues(id, at, "loss-to", "2")
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Observers.Rows) == 0 || e.Unit == "" || len(e.Peers) != 5 {
		t.Fatalf("%+v", e)
	}
	for _, p := range e.Peers {
		if want := tabular.FormatValue(*to.Values[p.Node]); p.Shows != want || p.Learns == "" {
			t.Errorf("%+v, want to learn %s", p, want)
		}
	}
	at.Arm = "bare"
	if e, err = f.Exposure(id, at, 2); err != nil || len(e.Observers.Rows) != 1 || e.Observers.Rows[0][1] != "inf" {
		t.Errorf("without noise: %+v, %v", e, err)
	}
	at.Arm = "none such"
	if _, err = f.Exposure(id, at, 2); err == nil {
		t.Error("an arm that the run does not have")
	}
}
