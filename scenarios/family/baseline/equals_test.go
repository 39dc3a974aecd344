package baseline_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/family/baseline"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// far is the largest distance of an entry of two lists of decisions.
func far(x, y [][]float64) (most float64) {
	if len(x) != len(y) {
		return math.Inf(1)
	}
	for t := range x {
		most = max(most, scenariotest.Far(x[t], y[t]))
	}
	return most
}

const equals = `version: 1
name: equals
nodes: 3
horizon: 40
algorithm: {kind: dsgd, learning_rate: 0.7, decay: 0.25}
problem: {kind: synthetic-logistic, dimension: 4, test_samples: 5, set: {kind: l2-ball, dimension: 4, radius: 0.25}}
topology: {kind: matrices, matrices: [[[1/2, 1/4, 1/4], [1/4, 1/2, 1/4], [1/4, 1/4, 1/2]], [[1/2, 1/2, 0], [1/2, 1/2, 0], [0, 0, 1]]]}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
`

// DSGD and local are what a plain loop over matrices computes. The ball is small, so that
// steps end outside of it.
func TestEqualsByAPlainLoop(t *testing.T) {
	matrices := [][][]float64{{{.5, .25, .25}, {.25, .5, .25}, {.25, .25, .5}}, {{.5, .5, 0}, {.5, .5, 0}, {0, 0, 1}}}
	alone := [][][]float64{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	for _, test := range []struct {
		kind    string
		weights [][][]float64
	}{{"dsgd", matrices}, {"local", alone}} {
		s := scenariotest.LoadText(t, strings.Replace(equals, "dsgd", test.kind, 1))
		got, job := scenariotest.Decide(t, s)
		x, projected := [][]float64{make([]float64, 4), make([]float64, 4), make([]float64, 4)}, 0
		for step := 1; step <= 40; step++ {
			sent := make([][]float64, 3)
			for i := range x {
				if d := far([][]float64{got[messages.NodeID(i)][step-1]}, [][]float64{x[i]}); !(d < 1e-12) {
					t.Fatalf("%s: node %d decides %v in step %d, want %v", test.kind, i, got[messages.NodeID(i)][step-1], step, x[i])
				}
				g := make([]float64, 4)
				job.Run.Costs.Gradient(g, messages.NodeID(i), step, x[i])
				sent[i] = slices.Clone(x[i])
				for k := range g {
					sent[i][k] -= 0.7 / math.Sqrt(math.Sqrt(float64(step))) * g[k]
				}
			}
			for i, row := range test.weights[(step-1)%len(test.weights)] {
				x[i] = make([]float64, 4)
				var square float64
				for k := range x[i] {
					for j, w := range row {
						x[i][k] += w * sent[j][k]
					}
					square += x[i][k] * x[i][k]
				}
				if square > 0.25*0.25 { // outside the ball
					projected++
					for k := range x[i] {
						x[i][k] *= 0.25 / math.Sqrt(square)
					}
				}
			}
		}
		if projected == 0 {
			t.Errorf("%s: no step ends outside the ball", test.kind)
		}
	}
}

// DSGD without edges is local; local sends nothing, whatever the topology, and loses
// nothing.
func TestLocalIsDSGDWithoutEdges(t *testing.T) {
	without := `topology={kind: matrices, matrices: [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]], weights: unchecked}`
	dsgd, _ := scenariotest.Decide(t, scenariotest.LoadText(t, equals, without))
	s := scenariotest.LoadText(t, equals, "algorithm.kind=local")
	x, job := scenariotest.Decide(t, s)
	local := s.Arms[0]
	for i := range messages.NodeID(3) {
		if d := far(dsgd[i], x[i]); d != 0 {
			t.Errorf("node %d is %v away", i, d)
		}
	}
	loss, err := study.PlannedLossOf(local)
	if err != nil || loss != (accountant.Loss{}) {
		t.Errorf("local costs %v, %v", loss, err)
	}
	notes, warnings := local.Algorithm.Notes(job)
	if len(warnings) > 0 || !slices.ContainsFunc(notes, func(n study.Note) bool { return n.Key == "epsilon.accounted" && n.Value == "0" }) {
		t.Errorf("notes %v, warnings %v", notes, warnings)
	}
}

// What the baselines of equals refuse.
func TestEqualsRefuse(t *testing.T) {
	for _, test := range []struct{ override, want string }{
		{"algorithm.learning_rate=0", "algorithm.learning_rate: learning rate 0; want a finite number > 0"},
		{"algorithm.decay=2", "algorithm.decay: decay 2; want"},
		{"mechanism={kind: tree, epsilon: 1, delta: 1e-5}", "tree\" does not go with the algorithm dsgd"},
		{"algorithm={kind: local}|mechanism={kind: laplace, epsilon: 1}", "the algorithm local"},
	} {
		_, err := scenariotest.LoadError(t, equals, strings.Split(test.override, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.override, err, test.want)
		}
	}
}

// On the complete graph, where every step meets the same data, DSGD is gradient descent
// on the mean of all losses: what central does, whose first model is that of step 2. Its
// messages are nobody's means, and sums are taken in another order.
func TestDSGDOnTheCompleteGraphIsCentral(t *testing.T) {
	const rows = "party,a,b,label\n1,0.5,1,1\n2,-1,0.25,0\n3,0.75,-0.5,1\n"
	const one = `version: 1
name: one-row-each
nodes: 3
horizon: 15
algorithm: {kind: dsgd, learning_rate: 0.8, decay: 0}
problem: {kind: table, file: FILE, party: party, label: label, reuse: cycle, feature_bound: 2, set: {kind: l2-ball, radius: 0.5}, model: {kind: logistic}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
`
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(one, "FILE", file, 1)
	dsgd, _ := scenariotest.Decide(t, scenariotest.LoadText(t, text))
	central, _ := scenariotest.Decide(t, scenariotest.LoadText(t, text, "algorithm={kind: central, learning_rate: 0.8}", "topology={kind: star}"))
	for i := range messages.NodeID(3) {
		if d := far(dsgd[i][1:], central[0][:14]); !(d < 1e-12) {
			t.Errorf("node %d is %v away", i, d)
		}
	}
	if d := far(dsgd[0][:1], central[0][14:]); !(d > 0.1) {
		t.Errorf("15 steps go %v far", d)
	}
}

// fading is dsgd with the noise of later steps at a part of its scale, which pays as dsgd does.
func fading(part float64) kind.Kind {
	a := baseline.DSGD
	a.Name = "fading"
	a.Machine = func(r *gossip.Rate, at *gossip.Setting) algorithm.Machine {
		less := *at
		less.Release = func(step int) algorithm.Release {
			release := at.Release(step)
			if step >= 5 && release.Noise.Scale > 0 {
				release.Noise.Scale *= part
				release.Moves.L1, release.Moves.L2 = part*release.Moves.L1, part*release.Moves.L2
			}
			return release
		}
		return gossip.NewDescender(r, &less)
	}
	return a.Kind()
}

// An audit sees noise of half its scale from step 5 on, after the steps that it draws outcomes of
// anyway, and of three quarters; and finds nothing in noise as stated.
func TestAuditsSeeNoiseOfLaterSteps(t *testing.T) {
	testneeds.Slow(t)
	const text = `version: 1
name: fading
horizon: 20
nodes: 6
algorithm: {kind: fading, learning_rate: 0.3}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 1}}
topology: {kind: ring}
mechanism: MECHANISM
seeds: {base: 1, count: 1}
`
	for mechanism, parts := range map[string][]float64{
		"{kind: laplace, epsilon: 1}":               {1, 0.5},
		"{kind: gaussian, epsilon: 1, delta: 1e-5}": {1, 0.75},
	} {
		for _, part := range parts {
			got := scenariotest.Refuted(t, strings.Replace(text, "MECHANISM", mechanism, 1), scenariotest.AuditOptions(1024), kind.Catalog{Algorithms: []kind.Kind{fading(part)}})
			if want := part < 1; got != want {
				t.Errorf("%s, noise at %v of its scale from step 5 on: refuted %v", mechanism, part, got)
			}
		}
	}
}

// An audit plays the budget of the arm: what a study does not release, it does not, and what is
// accounted is what the budget pays for, with halved noise too. Noise in common is paid for as
// public learns of it, and 2 steps cost 1.21, by the row of 2 steps, which the budget allows.
func TestAuditsPlayBudgets(t *testing.T) {
	testneeds.Slow(t)
	const text = `version: 1
name: budget
horizon: 20
nodes: 6
algorithm: {kind: dsgd, learning_rate: 0.3}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 1}}
topology: {kind: ring}
mechanism: {kind: laplace, epsilon: 1}
budget: {epsilon: 3.5, on: stop}
seeds: {base: 1, count: 1}
`
	for name, test := range map[string]struct {
		overrides []string
		noise     float64
		want      []float64
	}{
		"as stated": {nil, 1, []float64{2, 3}},
		"halved":    {nil, 0.5, []float64{2, 3}},
		"no limit":  {[]string{"budget=null"}, 1, []float64{2, 4}},
		"to refuse": {[]string{"budget={epsilon: 30, on: refuse}"}, 1, []float64{2, 4}},
		"an outage": {[]string{"network={kind: effects, events: [{at: 2, crash: 1, until: 3}]}"}, 1, []float64{2, 3, 3}},
		"in common": {[]string{"algorithm={kind: decor, learning_rate: 0.3, correlated: 3}", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}", "budget={epsilon: 1.3, delta: 1e-5, observer: public, on: stop}"}, 1, []float64{1.206244, 1.465170, 1.206244, 1.465170}},
	} {
		o := scenariotest.AuditOptions(512)
		o.Noise = test.noise
		var got []float64
		for _, a := range scenariotest.AuditIn(t, scenariotest.LoadText(t, text, test.overrides...), o) {
			got = append(got, a.Accounted)
			if test.noise == 1 && (a.Exceeded() || !a.NoiseAsStated()) {
				t.Errorf("%s: %s is refuted: %v of %v", name, a.Mechanism, a.Audited, a.Accounted)
			}
		}
		if !slices.EqualFunc(got, test.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-5 }) {
			t.Errorf("%s: accounted %v, want %v", name, got, test.want)
		}
	}
}
