package scenarios_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// deceived are small scenarios in which nodes lie, or that have rules against lies.
var deceived = []string{"dpdonc, lies", "dsgd, lies", "dsgd, silent", "sgp, lies", "dp-fedavg, lies", "dp-fedavg, silent", "fedbuff, lies"}

// Lies are the same whatever executes the run: each is made where it is heard.
func TestAdversariesInvariance(t *testing.T) {
	for _, name := range deceived {
		text := families[name]
		s := loadText(t, text[0], text[1:]...)
		invariant(t, name, s, someEnginesOf(s))
	}
}

// lied is a scenario of dsgd on a complete graph of equal weights, without noise.
const lied = `version: 1
name: lied
horizon: 8
nodes: 5
algorithm: {kind: dsgd, learning_rate: 0.7, decay: 0.25, theta: 10}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 1000}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
measure: {every: 1}
`

// played runs the first arm of a scenario under seed 1, and returns what everybody decided,
// by node, then step, and the run.
func played(t *testing.T, text string, overrides ...string) (map[messages.NodeID][][]float64, *algorithm.Run) {
	t.Helper()
	j := jobOf(t, loadText(t, text, overrides...))
	p := &plays{ExposureMeter: j.Meter, x: map[messages.NodeID][][]float64{}}
	j.Run.Meter = p
	if err := lockstep.Run(t.Context(), &j.Run); err != nil {
		t.Fatal(err)
	}
	return p.x, &j.Run
}

type plays struct {
	algorithm.ExposureMeter
	x map[messages.NodeID][][]float64
}

func (p *plays) Played(node messages.NodeID, step int, x []float64) {
	p.x[node] = append(p.x[node], slices.Clone(x))
	p.ExposureMeter.Played(node, step, x)
}

// Nodes compute what a literal transcription does: x_i = median_j y_ij, y_j = x_j - alpha g_j,
// where a liar j has y_ij = -5 y_j for everybody but itself and other liars, who hear y_j.
func TestAdversariesLiterally(t *testing.T) {
	x, run := played(t, lied, "adversaries={kind: scaled, factor: -5, nodes: [2, 5]}", "algorithm.combine={kind: median, liars: 2}")
	liar := []bool{false, true, false, false, true}
	at := make([][]float64, 5)
	for i := range at {
		at[i] = make([]float64, 3)
	}
	for step := 1; step <= 8; step++ {
		said := make([][]float64, 5)
		for j := range said {
			for k, v := range x[messages.NodeID(j)][step-1] {
				if !(math.Abs(v-at[j][k]) <= 1e-12) {
					t.Fatalf("node %d decides %v in step %d, want %v", j+1, x[messages.NodeID(j)][step-1], step, at[j])
				}
			}
			g := make([]float64, 3)
			run.Costs.Gradient(g, messages.NodeID(j), step, at[j])
			said[j] = make([]float64, 3)
			for k := range g {
				said[j][k] = at[j][k] - 0.7/math.Sqrt(math.Sqrt(float64(step)))*g[k]
			}
		}
		for i := range at {
			for k := range at[i] {
				var heard []float64
				for j := range said {
					if v := said[j][k]; liar[j] && !liar[i] {
						heard = append(heard, -5*v)
					} else {
						heard = append(heard, v)
					}
				}
				slices.Sort(heard)
				at[i][k] = heard[2]
			}
		}
	}
}

// A rule where nobody lies, and clipped gossip that clips nothing, are gossip: to rounding.
func TestUnclippedGossipIsGossip(t *testing.T) {
	want, _ := played(t, lied)
	for _, combine := range []string{"{kind: mean}", "{kind: trimmed-mean, liars: 0}", "{kind: clipped-gossip, tau: 1e9}"} {
		got, _ := played(t, lied, "algorithm.combine="+combine)
		for node, list := range want {
			for step := range list {
				for k, v := range list[step] {
					if d := math.Abs(v - got[node][step][k]); !(d <= 1e-12) {
						t.Fatalf("%s: node %d is %v away in step %d", combine, node+1, d, step+1)
					}
				}
			}
		}
	}
}

// One lie moves the mean as far as it is large, in a mesh and in a star; rules hold.
func TestAdversariesBreakdown(t *testing.T) {
	furthest := func(text string, overrides ...string) (most float64) {
		x, _ := played(t, text, overrides...)
		for _, list := range x {
			for _, v := range list[len(list)-1] {
				most = max(most, math.Abs(v))
			}
		}
		return most
	}
	for _, factor := range []string{"1e6", "-1e90"} {
		lie := "adversaries={kind: scaled, nodes: [2], factor: " + factor + "}"
		if most := furthest(lied, lie, "horizon=3", "problem.set.radius=1e300"); !(most > 1e4) {
			t.Errorf("the mean of lies by %s comes to %v", factor, most)
		}
		for _, combine := range []string{"{kind: median, liars: 1}", "{kind: trimmed-mean, liars: 1}", "{kind: krum, liars: 1}", "{kind: clipped-gossip, liars: 1}", "{kind: clipped-gossip, tau: 1}"} {
			if most := furthest(lied, lie, "horizon=3", "problem.set.radius=1e300", "algorithm.combine="+combine); !(most < 10) {
				t.Errorf("%s of lies by %s comes to %v", combine, factor, most)
			}
		}
		if most := furthest(honestStar, lie); !(most > 1e3) {
			t.Errorf("the server's mean of lies by %s comes to %v", factor, most)
		}
		for _, combine := range []string{"{kind: median, liars: 1}", "{kind: trimmed-mean, liars: 1}", "{kind: krum, liars: 1}"} {
			if most := furthest(honestStar, lie, "algorithm.combine="+combine); !(most < 10) {
				t.Errorf("the server's %s of lies by %s comes to %v", combine, factor, most)
			}
		}
	}
}

// honestStar is DP-FedAvg without noise.
const honestStar = `version: 1
name: star
horizon: 3
nodes: 5
algorithm: {kind: dp-fedavg, learning_rate: 0.5, clip: none, samples: 10, tau: 2}
problem: {kind: synthetic-logistic, dimension: 3, test_samples: 5}
topology: {kind: star}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
measure: {every: 1}
`

// What an honest node pays is the same whoever lies, whatever the rule, and so is what a
// liar pays: a lie is made of what was released and paid for.
func TestAdversariesCostNothing(t *testing.T) {
	rows := func(text string, overrides ...string) map[string]float64 {
		found := map[string]float64{}
		s := loadText(t, text, append(overrides, "seeds.count=1")...)
		_, j := sentBy(t, s, 0, 1)
		for observer, units := range finalRows(t, s.Arms[0], j) {
			for unit, epsilon := range units {
				found[string(observer)+" of "+string(rune('0'+unit))] = epsilon
			}
		}
		return found
	}
	record := strings.NewReplacer("clip: none", "clip: 1, level: record", "{kind: none}", "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}").Replace(honestStar)
	local := strings.NewReplacer("clip: none", "clip: 1, aggregation: {kind: local}", "{kind: none}", "{kind: gaussian, epsilon: 2, delta: 1e-5}").Replace(honestStar)
	for _, text := range []string{base, record, local} {
		want := rows(text)
		if len(want) == 0 {
			t.Fatal("nothing is paid")
		}
		for _, attack := range []string{"{kind: sign-flip, nodes: 1}", "{kind: little-is-enough, nodes: 1, omniscient: true}", "{kind: silent, nodes: 1}"} {
			for _, combine := range []string{"{kind: mean}", "{kind: median}"} {
				got := rows(text, "adversaries="+attack, "algorithm.combine="+combine)
				for who, epsilon := range want {
					// A silent liar shows nobody anything, and pays all the same.
					if paid := got[who]; paid != epsilon {
						t.Errorf("%s, %s: %s pays %v, want %v", attack, combine, who, paid, epsilon)
					}
				}
			}
		}
	}
}

// Regret and consensus are those of honest nodes: against the same by hand.
func TestAdversariesAreNotMeasured(t *testing.T) {
	s := loadText(t, lied, "adversaries={kind: sign-flip, nodes: [2, 5]}")
	x, run := played(t, lied, "adversaries={kind: sign-flip, nodes: [2, 5]}")
	honest := []messages.NodeID{0, 2, 3}
	rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
	seen := map[string]int{}
	for _, row := range rows {
		switch seen[row.Metric]++; {
		case row.Metric == "consensus.error" && row.Step == 8:
			mean, sum := make([]float64, 3), 0.0
			for _, i := range honest {
				for k, v := range x[i][7] {
					mean[k] += v / 3
				}
			}
			for _, i := range honest {
				for k, v := range x[i][7] {
					sum += (v - mean[k]) * (v - mean[k]) / 3
				}
			}
			if !(math.Abs(row.Value-math.Sqrt(sum)) <= 1e-12) {
				t.Errorf("consensus.error %v, want %v", row.Value, math.Sqrt(sum))
			}
		case row.Metric == "regret.node" && row.Step == 8:
			inner, total := 0.0, make([]float64, 3)
			for step := range 8 {
				at := x[messages.NodeID(*row.Node-1)][step]
				g := make([]float64, 3)
				for _, j := range honest {
					run.Costs.Gradient(g, j, step+1, at)
					for k, v := range g {
						inner, total[k] = inner+v*at[k], total[k]+v
					}
				}
			}
			var norm float64
			for _, v := range total {
				norm += v * v
			}
			if want := inner + 1000*math.Sqrt(norm); !(math.Abs(row.Value-want) <= 1e-9*want) {
				t.Errorf("regret of node %d is %v, want %v", *row.Node, row.Value, want)
			}
		}
	}
	if seen["regret.node"] != 8*3 || seen["consensus.error"] != 8 {
		t.Errorf("%v", seen)
	}
}

// Silent nodes send no messages.
func TestSilence(t *testing.T) {
	sent := func(overrides ...string) (messages float64) {
		for _, row := range metricsOf(t, loadText(t, lied, overrides...), runner.RunOptions{Engine: runner.Lockstep}).Rows {
			if row.Metric == "messages.sent" {
				messages = row.Value
			}
		}
		return messages
	}
	if all, some := sent(), sent("adversaries={kind: silent, nodes: [2, 5]}"); all != 8*5*4 || some != 8*3*4 {
		t.Errorf("%v messages, with two silent nodes %v", all, some)
	}
}

// A rule that has fewer vectors than it takes counts on fewer liars, and the run says how often:
// in every step but the first of nodes without a server, in every round of a server, whatever
// executes the run. One that always has enough says nothing.
func TestFewHeardIsTold(t *testing.T) {
	const silent = "adversaries={kind: silent, nodes: [2, 5]}"
	for _, test := range []struct {
		name, text, want string
		overrides        []string
	}{
		// 5 nodes in 7 steps, the silent among them.
		{"silent", lied, "35 times fewer than the 5 vectors were heard that combine takes, as few as 3", []string{silent, "algorithm.combine={kind: median, liars: 2}"}},
		{"enough", lied, "", []string{silent, "algorithm.combine={kind: median, liars: 1}"}},
		{"held", lied, "", []string{silent, "algorithm.combine={kind: median, liars: 2}", "algorithm.missing=hold"}},
		{"mean", lied, "", []string{silent}},
		{"lies", lied, "", []string{"adversaries={kind: sign-flip, nodes: [2, 5]}", "algorithm.combine={kind: krum, liars: 1}"}},
		{"lossy", lied, "35 times fewer than the 5 vectors were heard that combine takes, as few as 1", []string{"network={kind: effects, loss: {probability: 1}}", "topology.weights=unchecked", "algorithm.combine={kind: krum, liars: 1}"}},
		{"ring", lied, "", []string{"topology={kind: ring}", "algorithm.combine={kind: median, liars: 0}"}},
		{"server", honestStar, "3 times fewer than the 5 vectors were heard that combine takes, as few as 3", []string{silent, "algorithm.combine={kind: trimmed-mean, liars: 2}"}},
		{"server, enough", honestStar, "", []string{silent, "algorithm.combine={kind: trimmed-mean, liars: 1}"}},
	} {
		for _, engine := range []runner.Engine{runner.Lockstep, runner.Actors} {
			var got []string
			for _, w := range runIn(t, loadText(t, test.text, test.overrides...), runner.RunOptions{Engine: engine}).Manifest.Warnings {
				if w.Code == "few-heard" {
					got = append(got, w.Message)
				}
			}
			want := []string{"seed 1: " + test.want + ": it then holds out against fewer Byzantine nodes"}
			if test.want == "" {
				want = nil
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: %q, want %q", test.name, engine, got, want)
			}
		}
	}
}

// How often too few were heard is part of a saved state.
func TestFewHeardIsSaved(t *testing.T) {
	s := loadText(t, lied, "adversaries={kind: silent, nodes: [2, 5]}", "algorithm.combine={kind: median, liars: 2}")
	j, restored := jobOf(t, s), jobOf(t, s)
	if err := lockstep.Run(t.Context(), &j.Run); err != nil {
		t.Fatal(err)
	}
	if err := messages.Read(messages.Write(nil, j.Meter), restored.Meter); err != nil {
		t.Fatal(err)
	}
	shortage := func(j *study.Job) string {
		few, _ := study.GaugeOf[*gauge.BelowQuorum](j)
		return few.Shortage()
	}
	if want := shortage(j); shortage(restored) != want || want == "" {
		t.Errorf("restored %q, want %q", shortage(restored), want)
	}
}

func TestAdversariesErrors(t *testing.T) {
	private := strings.NewReplacer("clip: none", "clip: 1", "{kind: none}", "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}").Replace(honestStar)
	buffered := strings.Replace(honestStar, "kind: dp-fedavg,", "kind: fedbuff, buffer: 5,", 1)
	for _, test := range []struct{ text, override, want string }{
		{lied, "adversaries={kind: sign-flop, share: 0.2}", `adversaries.kind: unknown kind "sign-flop"; did you mean "sign-flip"?`},
		{lied, "adversaries={kind: sign-flip}", "adversaries: give share or nodes"},
		{lied, "adversaries={kind: sign-flip, share: 0.2, nodes: [1]}", "adversaries: give share or nodes"},
		{lied, "adversaries={kind: sign-flip, share: 0.01}", "adversaries.share: a share of 0.01 of 5 nodes is none"},
		{lied, "adversaries={kind: sign-flip, share: 0.95}", "adversaries: all nodes are Byzantine: 5 of 5"},
		{lied, "adversaries={kind: sign-flip, nodes: [1, 6]}", "adversaries.nodes: there is no node 6; nodes are 1 to 5"},
		{lied, "adversaries={kind: sign-flip, nodes: [1, 1]}", "adversaries.nodes: node 1 is given twice"},
		{lied, "adversaries={kind: scaled, share: 0.2}", `adversaries: missing required key "factor"`},
		{lied, "adversaries={kind: little-is-enough, share: 0.2, z: 0}", "adversaries.z: z 0; want"},
		{lied, "adversaries={kind: sign-flip, share: 0.6}|algorithm.combine={kind: median}", "adversaries: 3 of 5 nodes are Byzantine: from half on no rule can tell"},
		{lied, "algorithm.combine={kind: average}", `algorithm.combine.kind: unknown kind "average"`},
		{lied, "algorithm.combine={kind: krum}", `algorithm.combine: missing required key "liars"`},
		{lied, "algorithm.combine={kind: krum, liars: 2}", "algorithm.combine: this takes 7 vectors, and node 1 hears 5 in the first step"},
		{lied, "algorithm.combine={kind: trimmed-mean, liars: 1}|topology={kind: ring}", "algorithm.combine: this takes 3 vectors, and node 1 hears 2"},
		{lied, "algorithm.combine={kind: clipped-gossip}", "algorithm.combine.tau: give tau, or how many"},
		{lied, "algorithm={kind: sgp, combine: {kind: median}}|topology={kind: exponential, weighting: {scheme: uniform-out, self_loops: true}}", "algorithm.combine: push-sum divides a sum by the mass"},
		{lied, "algorithm={kind: sgp, missing: running-sum}|topology={kind: exponential, weighting: {scheme: uniform-out, self_loops: true}}|adversaries={kind: sign-flip, nodes: 1}", "adversaries: an attack on a running sum"},
		{lied, "algorithm={kind: choco, gamma: 0.5, combine: {kind: median}}", "algorithm.combine: the algorithm choco keeps sums"},
		{lied, "algorithm={kind: local, combine: {kind: median}}", "algorithm.combine: nodes of the algorithm local hear nothing"},
		{base, "algorithm.consensus=push-sum|topology={kind: ring}|algorithm.combine={kind: median}", "algorithm.combine: push-sum divides"},
		{honestStar, "algorithm.combine={kind: clipped-gossip, tau: 1}", "algorithm.combine.kind: this rule is around a node's own vector"},
		{honestStar, "algorithm.combine={kind: krum, liars: 2}", "algorithm.combine: this takes 7 vectors, and the server expects 5"},
		{private, "algorithm.combine={kind: median}", "algorithm.combine: the noise of a trusted server is for a sum"},
		{private, "adversaries={kind: little-is-enough, share: 0.4, omniscient: true}", "adversaries.omniscient: attacks made of the messages of clients move with every client"},
		{private, "algorithm.aggregation={kind: secure, survivors: 3}|adversaries={kind: sign-flip, nodes: 1}", "adversaries: payments of clients assume the messages of others"},
		{private, "algorithm.aggregation={kind: secure, survivors: 3}|algorithm.combine={kind: median}", "algorithm.combine: a rule is for single messages with a known sender"},
		{private, "algorithm.aggregation={kind: shuffle, survivors: 3}|adversaries={kind: silent, nodes: 1}", "adversaries: payments of clients assume the messages of others"},
		{buffered, "algorithm.combine={kind: median}", "algorithm.combine: a buffer adds up vectors"},
		{learning, "adversaries={kind: sign-flip, nodes: 1}", "adversaries: the algorithm ofl sends choices, or reads sums"},
	} {
		_, err := loadError(t, test.text, strings.Split(test.override, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.override, err, test.want)
		}
	}
}

// A lie that is no number fails the run, with who told it.
func TestLieThatIsNoNumber(t *testing.T) {
	j := jobOf(t, loadText(t, lied, "adversaries={kind: scaled, nodes: [2], factor: 1e308}", "problem.set.radius=1e300"))
	err := lockstep.Run(t.Context(), &j.Run)
	if err == nil || !strings.Contains(err.Error(), "the lie of node 2") {
		t.Errorf("%v", err)
	}
}

// A run in which nodes lie that is saved and goes on has the bits of one that went through.
func TestAdversariesResume(t *testing.T) {
	for _, name := range deceived {
		s := loadText(t, families[name][0], families[name][1:]...)
		whole, _ := sentBy(t, s, 0, 0, 1)
		parts, _ := sentBy(t, s, 2, 0, 1)
		for node := range whole {
			if !slices.Equal(whole[node], parts[node]) {
				t.Errorf("%s: node %d sends %v, resumed %v", name, node, whole[node], parts[node])
			}
		}
	}
}
