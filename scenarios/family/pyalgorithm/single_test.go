package pyalgorithm_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/auditing"
	"starling/scenarios/jobs"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// letters is a class that says something else to each neighbour, with noise and without, in
// one form and in the other: at step 2 nothing, and later to the first neighbour alone.
const letters = `
import numpy as np

class One:
    inbox = True
    sends = 2

    def state(self, start):
        return {"x": start}

    def sensitivity(self, step, bound):
        return 2 * bound

    def step(self, turn):
        s = turn.state
        if turn.inbox:
            heard = [m.values for m in turn.inbox if not m.raw]
            s["x"] = yield turn.project((s["x"] + sum(heard)) / (1 + len(heard)))
        g = yield turn.play(s["x"])
        assert turn.node not in turn.neighbours
        if turn.step == 4:
            yield turn.raw({turn.neighbours[-1]: g})
        if turn.step == 2:
            return {}
        to = turn.neighbours[: 2 if turn.step < 4 else 1]
        return {j: s["x"] - (-1) ** int(j) * g for j in to}


class All:
    inbox, sends = True, 2
    state, sensitivity = One.state, One.sensitivity

    def step_all(self, turns):
        s = turns.state
        for i, inbox in enumerate(turns.inbox):
            heard = [m.values for m in inbox if not m.raw]
            if inbox:
                s["x"][i] = (s["x"][i] + sum(heard)) / (1 + len(heard))
        if turns.step > 1:
            s["x"] = yield turns.project(s["x"])
        g = yield turns.play(s["x"])
        if turns.step == 4:
            yield turns.raw([{to[-1]: row} for to, row in zip(turns.neighbours, g)])
        if turns.step == 2:
            return [{} for _ in turns.node]
        most = 2 if turns.step < 4 else 1
        return [{j: x - (-1) ** int(j) * row for j in to[:most]} for to, x, row in zip(turns.neighbours, s["x"], g)]
`

// posts is a meter that notes who was sent what, and what was paid.
type posts struct {
	algorithm.ExposureMeter
	lines []string
	paid  []accountant.Loss
}

func (p *posts) Exposed(from, to messages.NodeID, step int, mark *algorithm.Mark) {
	p.lines = append(p.lines, fmt.Sprintf("%d to %d in step %d, %v", from, to, step, mark.Exposure()))
	p.ExposureMeter.Exposed(from, to, step, mark)
}

func (p *posts) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if node == 0 {
		p.paid = append(p.paid, loss)
	}
	return p.ExposureMeter.Spent(node, step, loss)
}

// post runs a class of the letters, where everybody hears all.
func post(t *testing.T, class string) *posts {
	t.Helper()
	s, err := load(t, letters, class, "topology={kind: complete}", "horizon=5", "mechanism={kind: laplace, epsilon: 1}")
	if err != nil {
		t.Fatal(err)
	}
	job := scenariotest.JobOf(t, s)
	p := &posts{ExposureMeter: job.Meter}
	job.Run.Meter = p
	if err := lockstep.Run(t.Context(), &job.Run); err != nil {
		t.Fatal(err)
	}
	return p
}

// A vector goes to whom it is for, protected by one payment of the step for all of them, and a
// raw one shows as such; a step without any costs nothing.
func TestSendsToSingleNeighbours(t *testing.T) {
	want := map[string]bool{}
	for node := range 5 {
		others := slices.DeleteFunc([]int{0, 1, 2, 3, 4}, func(other int) bool { return other == node })
		for step, to := range map[int][]int{1: others[:2], 3: others[:2], 4: others[:1], 5: others[:1]} {
			for _, other := range to {
				want[fmt.Sprintf("%d to %d in step %d, %v", node, other, step, messages.Released)] = true
			}
		}
		want[fmt.Sprintf("%d to %d in step 4, %v", node, others[3], messages.Raw)] = true
	}
	for _, class := range []string{"One", "All"} {
		p, left := post(t, class), maps.Clone(want)
		for _, line := range p.lines {
			if !left[line] {
				t.Errorf("%s: %s", class, line)
			}
			delete(left, line)
		}
		if len(left) > 0 {
			t.Errorf("%s: nobody sent %v", class, left)
		}
		if one := (accountant.Loss{Epsilon: 1, Laplace: p.paid[0].Laplace}); !slices.Equal(p.paid, []accountant.Loss{one, one, one, one}) {
			t.Errorf("%s: node 1 paid %v", class, p.paid)
		}
	}
}

// Noise is scaled to all vectors of a step together: to as many as the class states, in 1-norm
// twice what one takes, in 2-norm the root of that.
func TestNoiseOfSingleVectors(t *testing.T) {
	for mechanism, want := range map[string]float64{"mechanism={kind: laplace, epsilon: 1}": 2, "mechanism={kind: gaussian, epsilon: 1, delta: 1e-6}": math.Sqrt2} {
		var noise [2]float64
		for i, text := range []string{strings.Replace(letters, "sends = 2", "sends = 1", 1), letters} {
			s, err := load(t, text, "One", mechanism)
			if err != nil {
				t.Fatal(err)
			}
			noise[i], _ = s.Arms[0].Algorithm.(study.Noisy).NoiseLevel()
		}
		if got := noise[1] / noise[0]; !(math.Abs(got-want) < 1e-12) {
			t.Errorf("%s: the noise of two vectors is %v times that of one, want %v", mechanism, got, want)
		}
	}
}

// pushing is the class of the library by push-sum, with the mass in what it releases, as sgp
// has it.
const pushing = `
class One:
    push_sum = True

    def state(self, start):
        return {"x": start}

    def sensitivity(self, step, bound):
        return 2 * 0.7 / step**0.25 * bound

    def step(self, turn):
        if turn.step > 1:
            turn.state["x"] = yield turn.project(turn.heard)
        g = yield turn.play(turn.state["x"])
        return turn.mass * turn.state["x"] - 0.7 / turn.step**0.25 * g


class All(One):
    def step_all(self, turns):
        turns.mass = turns.mass[:, None]
        return (yield from One.step(self, turns))

    step = None
`

// directed has graphs of which columns alone sum to 1, and others in every step.
const directed = "topology={kind: k-out, degree: 2, directed: true, every: 1, weighting: {scheme: uniform-out, self_loops: true}}"

// lossy has messages that are lost and late.
const lossy = "network={kind: effects, loss: {probability: 0.3}, delay: {longest: 2}}"

// By push-sum the class decides what sgp decides, on directed graphs, also where messages are
// lost, and with noise it pays what sgp pays.
func TestAgreesWithSGP(t *testing.T) {
	for _, test := range []struct {
		missing string
		only    string // metrics that are compared, by how they begin
		others  []string
	}{
		{"drop", "", nil},
		{"renormalise", "", []string{lossy}},
		{"running-sum", "", []string{lossy}},
		{"drop", "epsilon", []string{"mechanism={kind: laplace, epsilon: 1}"}},
	} {
		overrides := append([]string{directed, "seeds.count=1"}, test.others...)
		want := scenariotest.MeasuredIn(t, own, append(overrides, "algorithm={kind: sgp, theta: 1, gradient_bound: clip, learning_rate: 0.7, decay: 0.25, missing: "+test.missing+"}")...)
		for _, class := range []string{"One", "All"} {
			s, err := load(t, pushing, class, append(overrides, "algorithm.missing="+test.missing)...)
			if err != nil {
				t.Fatal(err)
			}
			got := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
			agree(t, fmt.Sprint(class, test), only(got.Rows, test.only), only(want.Rows, test.only))
		}
	}
}

// only are the rows of metrics that begin so.
func only(rows []results.Row, prefix string) (list []results.Row) {
	for _, row := range rows {
		if strings.HasPrefix(row.Metric, prefix) {
			list = append(list, row)
		}
	}
	return list
}

// The bits are the same on every runtime, whatever the shards, in both forms, and after every
// pause, for vectors to single neighbours and for push-sum.
func TestSameBitsOfLettersAndMasses(t *testing.T) {
	for _, test := range []struct{ text, graph, missing string }{{letters, "topology={kind: complete}", "drop"}, {pushing, directed, "running-sum"}} {
		digests := map[string]string{}
		for _, class := range []string{"One", "All"} {
			s, err := load(t, test.text, class, test.graph, lossy, "algorithm.missing="+test.missing, "mechanism={kind: laplace, epsilon: 1}", "seeds.count=1")
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []runner.RunOptions{{Engine: runner.Lockstep}, {Engine: runner.Actors, Shards: 1}, {Engine: runner.Actors, Shards: 2}, {Engine: runner.Actors, Shards: 8}} {
				digests[scenariotest.MetricsOf(t, s, o).Digest] = fmt.Sprintf("%s %+v", class, o)
			}
			resumes(t, s)
		}
		if len(digests) != 1 {
			t.Errorf("several digests: %v", digests)
		}
	}
}

// An audit finds half of the noise of vectors to single neighbours and of push-sum, and does
// not refute all of it.
func TestAuditOfLettersAndMasses(t *testing.T) {
	testneeds.Slow(t)
	for _, text := range []string{strings.Replace(letters, "turns.step == 4", "False", 1), pushing} {
		s, err := load(t, text, "All", "mechanism={kind: laplace, epsilon: 1}", "topology={kind: complete}", "nodes=3")
		if err != nil {
			t.Fatal(err)
		}
		for _, noise := range []float64{1, 0.5} {
			o := scenariotest.AuditOptions(auditing.FewestAudited)
			o.Noise = noise
			for _, a := range scenariotest.AuditIn(t, s, o) {
				exceeded, wrong := a.Audited > a.Accounted, !a.NoiseAsStated()
				if (exceeded || wrong) != (noise < 1) {
					t.Errorf("noise times %v, %s: at least %v of %v, noise as stated: %v", noise, a.Mechanism, a.Audited, a.Accounted, !wrong)
				}
			}
		}
	}
}

// What a class cannot say to single neighbours, or by push-sum, is told in a sentence, before
// the run or at its step.
func TestBadLettersAndMasses(t *testing.T) {
	type test struct{ attributes, body, want string }
	class := func(test test) func(string) string {
		return func(name string) string {
			return "\nclass " + name + ":\n    " + test.attributes + "\n    def step(self, turn):\n        x = yield turn.project([0.0] * 4)\n        g = yield turn.play(x)\n        " + test.body + "\n"
		}
	}
	var classes []func(string) string
	refused := []test{
		{"sends = 1", "return {1: x}", "algorithm.name: the class Mine sends vectors to single neighbours, which are no part of a sum: it has to read its inbox, inbox = True"},
		{"inbox, sends = True, 0", "return {1: x}", "algorithm.name: the class Mine has sends = 0; want the largest number of neighbours"},
		{"inbox, sends = True, 1.5", "return {1: x}", "has sends = 1.5; want"},
		{"inbox, sends = True, 'all'", "return {1: x}", "has sends = all; want"},
		{"inbox, sends = True, True", "return {1: x}", "has sends = true; want"},
		{"push_sum, inbox = True, True", "return x", "algorithm.name: the class Mine has both push_sum and inbox"},
	}
	for _, test := range refused {
		classes = append(classes, class(test))
	}
	_, err := several(t, "", classes)
	for i, test := range refused {
		if want := strings.Replace(test.want, "Mine", fmt.Sprint("Mine", i), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %q", test.attributes, err, want)
		}
	}
	failing := []test{
		{"inbox, sends = True, 2", "return {turn.neighbours[0]: x}", ""},
		{"pass", "return {1: x}", "what it returned of node 1 is for single neighbours; that takes inbox = True"},
		{"inbox = True", "return {turn.neighbours[0]: x}", "step 1, node 1: Mine: it returned vectors for single neighbours; the class has to set sends = N"},
		{"inbox, sends = True, 1", "return {j: x for j in turn.neighbours}", "step 1, node 1: Mine: it returned vectors for 2 neighbours; the class states sends = 1 in a step at most"},
		{"inbox, sends = True, 2", "return {2: x}", "step 1, node 1: Mine: sent to node 3, which is no out-neighbour in this turn"},
		{"inbox, sends = True, 2", "return {17: x}", "step 1, node 1: Mine: sent to node 18, which is no out-neighbour in this turn"},
		{"inbox, sends = True, 2", "return {-1: x}", "what it returned of node 1 has something else than vectors by the numbers of neighbours"},
		{"inbox, sends = True, 2", "return {1: x[:2]}", "what it returned of node 1 for node 2 has shape (2,); want (4,)"},
		{"inbox, sends = True, 2", "return {1: x * np.nan}", "what it returned of node 1 for node 2 is nan at [0]; want finite numbers"},
		{"inbox, sends = True, 2", "return {'1': x}", "what it returned of node 1 has something else than vectors by the numbers of neighbours"},
		{"inbox = True", "yield turn.raw({2: x})\n        return x", "step 1, node 1: Mine: sent to node 3, which is no out-neighbour in this turn"},
		{"inbox = True", "yield turn.raw({turn.neighbours[0]: x})\n        return x", ""},
		{"push_sum = True", "pass", "step 1, node 1: Mine: it has push_sum and returned nothing to release: the node's mass would be lost"},
		{"push_sum = True", "return x", ""},
	}
	classes = nil
	for _, test := range failing {
		classes = append(classes, class(test))
	}
	s, err := several(t, head, classes, "topology={kind: torus, sides: [5]}")
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range failing {
		want := strings.Replace(test.want, "Mine", fmt.Sprint("Mine", i), 1)
		if err := runArm(t, s.Arms[i]); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s, %s: %v\nwant %q", test.attributes, test.body, err, want)
		}
	}
	_, err = load(t, pushing, "One", strings.Replace(directed, "uniform-out", "uniform-in", 1))
	if err == nil || !strings.Contains(err.Error(), "column") {
		t.Errorf("push-sum on rows: %v", err)
	}
	if _, err = load(t, letters, "One", directed); err == nil || !strings.Contains(err.Error(), "row") {
		t.Errorf("sums on columns: %v", err)
	}
}

// The classes that the help shows run.
func TestHelp(t *testing.T) {
	text, err := os.ReadFile("../../../cmd/starling/command/help/python.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string][]string{"Momentum": nil, "Push": {directed}}
	for _, block := range strings.Split(string(text), "```python\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		_, name, _ := strings.Cut(block, "class ")
		name, _, _ = strings.Cut(name, ":")
		overrides, found := shown[name]
		if !found {
			continue
		}
		delete(shown, name)
		s, err := load(t, block, name, append(overrides, "mechanism={kind: laplace, epsilon: 1}", "seeds.count=1")...)
		if err == nil {
			_, err = runner.Run(scenariotest.Undrawn(s), t.Context(), runner.RunOptions{Engine: runner.Actors, Out: t.TempDir()})
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(shown) > 0 {
		t.Errorf("the help does not show %v", shown)
	}
}

// Raw messages are no releases: a node that sends them and releases nothing pays nothing, with
// noise and without, and one that releases pays as if it had sent none. Whoever sees them has no
// bound of their sender, and the results say so.
func TestRawMessagesAreNoReleases(t *testing.T) {
	const raw = `
class Raw:
    inbox, sends = True, 1

    def state(self, start):
        return {"x": start}

    def sensitivity(self, step, bound):
        return 2 * bound

    def step(self, turn):
        g = yield turn.play(turn.state["x"])
        if turn.node == 1 and turn.step in (2, 3):
            yield turn.raw(g)
        if turn.node == 2 or turn.node == 1 and turn.step == 3:
            return {turn.neighbours[0]: g}
        return {}
`
	for mechanism, private := range map[string]bool{"mechanism={kind: laplace, epsilon: 1}": true, "mechanism={kind: none}": false} {
		s, err := load(t, raw, "Raw", "topology={kind: complete}", "horizon=5", mechanism)
		if err != nil {
			t.Fatal(err)
		}
		job := scenariotest.JobOf(t, s)
		p := &payments{ExposureMeter: job.Meter, by: map[messages.NodeID]int{}}
		job.Run.Meter = p
		if err := lockstep.Run(t.Context(), &job.Run); err != nil {
			t.Fatal(err)
		}
		if err := job.Meter.Settled(1); err != nil {
			t.Errorf("%s: %v", mechanism, err)
		}
		if want := map[messages.NodeID]int{1: 1, 2: 5}; !maps.Equal(p.by, want) {
			t.Errorf("%s: payments by node are %v, want %v", mechanism, p.by, want)
		}
		for row := range jobs.MetricsOf(job, s.Arms[0], 1).Rows() {
			if shows := row.Step >= 2 || !private; row.Metric == ledger.EpsilonTotal && math.IsInf(row.Value, 1) != shows {
				t.Errorf("%s: %s is %v at step %d", mechanism, row.Metric, row.Value, row.Step)
			}
		}
		rows, err := accounts.PrivacyRows(s.Arms[0], 1, job.Meter)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if shows := row.Unit == 2 || row.Unit == 3 && !private; math.IsInf(row.Epsilon, 1) != shows {
				t.Errorf("%s: %s learns %v of node %d by step %d", mechanism, row.Observer, row.Epsilon, row.Unit, row.Step)
			}
		}
		said, err := accounts.Contradictions(s.Arms[0], job.Meter)
		if err != nil {
			t.Fatal(err)
		}
		if loud := slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, "raw payloads of 1 units from 2 on") }); loud != private {
			t.Errorf("%s: %q", mechanism, said)
		}
	}
}

// A budget of what an observer learns is broken by a raw message that it sees, and the run fails;
// one of what is paid is not.
func TestRawMessagesBreakBudgets(t *testing.T) {
	text := strings.Replace(letters, "turn.step == 4", "turn.step == 4 and turn.node == 1", 1)
	for observer, want := range map[string]string{
		"": "", ", observer: peer": "step 4, node 2: it sent raw data to peer, the observer of the budget: no epsilon bounds that",
	} {
		s, err := load(t, text, "One", "topology={kind: complete}", "horizon=5", "mechanism={kind: laplace, epsilon: 1}", "budget={epsilon: 2, on: stop"+observer+"}")
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		if _, err = runner.Run(s, t.Context(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep}); err != nil {
			said = err.Error()
		}
		if !strings.HasSuffix(said, want) || want == "" && said != "" {
			t.Errorf("%q: %s, want %q", observer, said, want)
		}
	}
}

// payments is a meter that counts those of nodes.
type payments struct {
	algorithm.ExposureMeter
	by map[messages.NodeID]int
}

func (p *payments) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	p.by[node]++
	return p.ExposureMeter.Spent(node, step, loss)
}
