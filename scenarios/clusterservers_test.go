package scenarios_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// TestClustersAverage: decisions are within 1e-12 those of nodes that hear each other in steps of
// servers, with the weights of the mean, without servers.
func TestClustersAverage(t *testing.T) {
	for name, overrides := range map[string][]string{
		"dsgd":    nil,
		"sizes":   {"topology={kind: clusters, sizes: [4, 2], inside: {kind: complete, self_loops: true}, edge: {every: 2}, cloud: {every: 5}}"},
		"alone":   {"topology={kind: clusters, sizes: [1, 3, 2], inside: {kind: complete, self_loops: true}, cloud: {every: 3}}"},
		"drawn":   {"topology={kind: clusters, clusters: 2, inside: {kind: k-out, degree: 1, every: 2}, edge: {probability: 0.3}, cloud: {probability: 0.4}, schedule: {probability: 0.7}}"},
		"dpdonc":  {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}"},
		"entropy": {"algorithm={kind: dpdonc, divergence: {kind: entropy}, positivity: dual-average}", "problem.set={kind: simplex, dimension: 3}"},
		"sgp":     {"algorithm.kind=sgp", "topology={kind: clusters, sizes: [4, 2], inside: {kind: path, weighting: {scheme: uniform-out, self_loops: true}}, edge: {every: 2}, cloud: {every: 6}}"},
		"stops":   {"algorithm={kind: sgp, missing: drop}", "mechanism.groups=[{first: 2, last: 2, epsilon: 3}]", "budget={epsilon: 20, on: stop}"},
		"tracked": {"algorithm={kind: push-diging, theta: 1, gradient_bound: clip}"},
		"rounds":  {"algorithm={kind: muffliato, rounds: 3, theta: 1, gradient_bound: clip}", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-4}"},
		"shared":  {"algorithm={kind: decor, correlated: 2, theta: 1, gradient_bound: clip}", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-4}"},
	} {
		t.Run(name, func(t *testing.T) {
			s := loadText(t, clustered, overrides...)
			got, _ := scenariotest.Decide(t, s)
			j := scenariotest.JobOf(t, s)
			d := scenariotest.NewDecided(j)
			j.Run.Meter, j.Run.Graphs, j.Run.Machines, j.Run.Hops, j.Run.Acts = &d, j.Graphs, j.Run.Machines[:6], nil, nil
			if err := lockstep.Run(t.Context(), &j.Run); err != nil {
				t.Fatal(err)
			}
			for node, list := range d.X {
				if len(list) == 0 || len(list) != len(got[node]) {
					t.Fatalf("node %d decides %d times, and %d times by way of servers", node, len(list), len(got[node]))
				}
				for step, x := range list {
					if far := scenariotest.Far(x, got[node][step]); !(far <= 1e-12) {
						t.Fatalf("node %d is %v away in step %d", node, far, step+1)
					}
				}
			}
		})
	}
}

// TestClustersAsALoop: a plain loop of gradient steps and means gives the decisions of a run without
// noise, in clusters of several sizes.
func TestClustersAsALoop(t *testing.T) {
	s := loadText(t, clustered, "mechanism={kind: none}", "topology={kind: clusters, sizes: [4, 2], inside: {kind: complete, self_loops: true}, edge: {every: 2}, cloud: {every: 5}}")
	got, j := scenariotest.Decide(t, s)
	clusters := [][]int{{0, 1, 2, 3}, {4, 5}}
	x := make([][]float64, 6)
	for i := range x {
		x[i] = make([]float64, 3)
	}
	for step := 1; step <= 14; step++ {
		y, g := make([][]float64, 6), make([]float64, 3)
		for i := range x {
			if far := scenariotest.Far(x[i], got[messages.NodeID(i)][step-1]); !(far <= 1e-12) {
				t.Fatalf("node %d is %v away in step %d", i, far, step)
			}
			j.Run.Costs.Gradient(g, messages.NodeID(i), step, x[i])
			y[i] = make([]float64, 3)
			for k := range g {
				y[i][k] = x[i][k] - 0.3/math.Sqrt(float64(step))*g[k]
			}
		}
		parts := clusters
		if step%5 == 0 {
			parts = [][]int{{0, 1, 2, 3, 4, 5}}
		}
		for _, part := range parts {
			mean := make([]float64, 3)
			for _, i := range part {
				for k := range mean {
					mean[k] += y[i][k] / float64(len(part))
				}
			}
			length := math.Sqrt(mean[0]*mean[0] + mean[1]*mean[1] + mean[2]*mean[2])
			for _, i := range part {
				for k := range mean {
					x[i][k] = mean[k] / max(1, length)
				}
			}
		}
	}
}

// heardBy are the messages of a run by their receiver, and by the step and hop in which it reads them.
type heardBy map[string][]messages.Envelope

// listen runs a job and keeps what its participants hear.
func listen(t *testing.T, j *study.Job) heardBy {
	t.Helper()
	heard := heardBy{}
	w := &lockstep.Watcher{}
	for node := range j.Run.Machines[1:] {
		w.Others = append(w.Others, messages.NodeID(node+1))
	}
	w.Visit = func(w *lockstep.Watched) error {
		at := fmt.Sprintf("%d: %d.%d", w.Node, w.Step, w.Hop)
		for _, e := range w.Inbox {
			v := *e.Payload.(*messages.Vector)
			v.Values = slices.Clone(v.Values)
			e.Payload = &v
			heard[at] = append(heard[at], e)
		}
		return nil
	}
	if err := lockstep.Watch(t.Context(), &j.Run, w); err != nil {
		t.Fatal(err)
	}
	return heard
}

// TestClustersHear: an edge server hears each vector of its cluster, the cloud means of clusters, and a
// peer one mean. A peer that knows the vectors of all others in the mean has the last from it: no
// smaller loss than that of the vector bounds what a coalition learns.
func TestClustersHear(t *testing.T) {
	heard := listen(t, scenariotest.JobOf(t, loadText(t, clustered)))
	senders := func(at string) (list []messages.NodeID) {
		for _, e := range heard[at] {
			list = append(list, e.From)
		}
		return list
	}
	for at, want := range map[string]string{
		"0: 2.0": "[0 2]", "6: 2.1": "[0 1 2]", "7: 2.1": "[3 4 5]", "8: 2.1": "[]", "0: 3.0": "[6]", "5: 3.0": "[7]", // of edge servers
		"6: 6.1": "[0 1 2]", "7: 6.1": "[3 4 5]", "8: 6.2": "[6 7]", "6: 6.3": "[8]", "7: 6.3": "[8]", "0: 7.0": "[6]", "5: 7.0": "[7]", // of the cloud
	} {
		if got := fmt.Sprint(senders(at)); got != want {
			t.Errorf("%s hears %s, want %s", at, got, want)
		}
	}
	values := func(at string, k int) []float64 { return heard[at][k].Payload.(*messages.Vector).Values }
	for k, last := range values("6: 2.1", 2) {
		if rest := 3*values("0: 3.0", 0)[k] - values("6: 2.1", 0)[k] - values("6: 2.1", 1)[k]; !(math.Abs(rest-last) <= 1e-12) {
			t.Errorf("entry %d: %v from the mean and the vectors of others, and %v is sent", k, rest, last)
		}
	}
	for k, mean := range values("0: 7.0", 0) {
		sum := 0.0
		for _, edge := range []string{"6: 6.1", "7: 6.1"} {
			for i := range 3 {
				sum += values(edge, i)[k]
			}
		}
		if !(math.Abs(mean-sum/6) <= 1e-12) {
			t.Errorf("entry %d of the mean of all is %v, want %v", k, mean, sum/6)
		}
	}
	for at, list := range heard {
		for _, e := range list {
			if e.Payload.Kind().Exposure() != messages.Released {
				t.Errorf("%s hears what is no release from %d", at, e.From)
			}
		}
	}
}

// TestClustersCharge: each of 14 releases of epsilon 1 counts to every observer, and to servers of a level
// those up to its last step: 14 for edge servers, 12 for the cloud. Without noise every observer sees all.
// Servers pay nothing.
func TestClustersCharge(t *testing.T) {
	const observed = "measure={every: 1, levels: true, observers: [{node: 2}, {nodes: [4, 5]}]}"
	for mechanism, want := range map[string]float64{"{kind: laplace, epsilon: 1}": 14, "{kind: none}": math.Inf(1)} {
		for _, pause := range []int{0, 5} {
			s := loadText(t, clustered, "mechanism="+mechanism, observed)
			_, j := scenariotest.SentBy(t, s, pause, 0)
			rows := scenariotest.FinalRows(t, s.Arms[0], j)
			for _, observer := range []accountant.Observer{
				accountant.Wire, accountant.Peer, accountant.Public, accountant.OfLevel("edge"), accountant.OfLevel("cloud"), accountant.WireBelow("edge"), accountant.WireBelow("cloud"), "node 2", "nodes 4, 5",
			} {
				if len(rows[observer]) == 0 {
					t.Errorf("no rows of %s", observer)
				}
				want := want
				if cloud := observer == accountant.OfLevel("cloud") || observer == accountant.WireBelow("cloud"); cloud && !math.IsInf(want, 1) {
					want = 12
				}
				for node, epsilon := range rows[observer] {
					late := 0.0
					if observer == "node 2" || observer == "nodes 4, 5" {
						late = 1 // at most: the last release has not reached all, or not yet
					}
					if !(epsilon <= want && epsilon >= want-late) {
						t.Errorf("%s learns %v of node %d, want %v", observer, epsilon, node, want)
					}
				}
			}
			if len(rows) != 9 {
				t.Errorf("%d observers: %v", len(rows), rows)
			}
			for server := messages.NodeID(6); server < 9; server++ {
				if _, paid := j.Meter.LastPaid(server); paid {
					t.Errorf("server %d pays", server)
				}
			}
		}
	}
}

// TestClustersAudit: audits find the noise of nodes that send to servers, and find when it is less.
func TestClustersAudit(t *testing.T) {
	testneeds.Slow(t)
	for name, overrides := range map[string][]string{
		"dsgd":   {"topology={kind: clusters, sizes: [2, 4], inside: {kind: complete, self_loops: true}, edge: {every: 2}, cloud: {every: 3}}"},
		"seldom": {"topology={kind: clusters, clusters: 2, inside: {kind: empty}, edge: {every: 2}, cloud: {every: 3}}"},
	} {
		t.Run(name, func(t *testing.T) {
			scenariotest.AuditTells(t, loadText(t, clustered, overrides...), 2000)
		})
	}
}

// TestClustersLevels: rows of a level count releases up to its last step, by hand, at each step of the run.
func TestClustersLevels(t *testing.T) {
	for _, test := range []struct {
		topology    string
		edge, cloud int // the last steps of 14
	}{
		{"clusters: 2, inside: {kind: ring}, edge: {every: 2}, cloud: {every: 6}", 14, 12},
		{"clusters: 2, inside: {kind: ring}, edge: {every: 5}, cloud: {every: 3}", 12, 12},
		{"clusters: 2, inside: {kind: ring}, cloud: {every: 9}", 9, 9},
		{"sizes: [4, 2], inside: {kind: complete}, edge: {every: 3}, cloud: {phases: [{from: 1, every: 4}]}", 12, 12},
		{"sizes: [4, 2], inside: {kind: complete}, edge: {phases: [{from: 1, every: 3}]}, cloud: {every: 11}", 12, 11},
		{"clusters: 2, inside: {kind: complete}, edge: {every: 2}, cloud: {every: 6}, schedule: {every: 4}", 12, 12},
	} {
		for _, network := range []string{"{kind: ideal}", "{kind: effects, loss: {probability: 0.3}}"} {
			s := loadText(t, clustered, "topology={kind: clusters, "+test.topology+"}", "measure={every: 1, levels: true}", "network="+network)
			_, j := scenariotest.SentBy(t, s, 5, 0)
			rows, err := accounts.PrivacyRows(s.Arms[0], j.Run.Seed, j.Meter)
			if err != nil {
				t.Fatal(err)
			}
			wire := map[[2]int32]float64{} // by unit and step
			for _, row := range rows {
				if row.Observer == string(accountant.Wire) {
					wire[[2]int32{row.Unit, int32(row.Step)}] = row.Epsilon
				}
			}
			seen := map[string]int{}
			for _, row := range rows {
				last := map[accountant.Observer]int{
					accountant.OfLevel("edge"): test.edge, accountant.WireBelow("edge"): test.edge,
					accountant.OfLevel("cloud"): test.cloud, accountant.WireBelow("cloud"): test.cloud,
				}[accountant.Observer(row.Observer)]
				if last == 0 {
					continue
				}
				seen[row.Observer]++
				if want := wire[[2]int32{row.Unit, int32(min(int(row.Step), last))}]; row.Epsilon != want {
					t.Errorf("%s, %s: %s learns %v of node %d up to step %d, want %v", test.topology, network, row.Observer, row.Epsilon, row.Unit, row.Step, want)
				}
			}
			if len(seen) != 4 {
				t.Errorf("%s: rows of %v", test.topology, seen)
			}
		}
	}
}

// TestClustersEdgeLearns: an edge server that hears a node in step 2 alone learns more of it than the release
// of step 2 costs, for the release of step 1 is in it, and no more than both, which it is charged with. Vectors
// are normal, with means that lie mu deviations apart under the two inputs of the audit: of these two inputs
// alone the loss is mu^2/2 (zCDP). Step 1 moves the vector by half of its move, with half of the noise of
// both nodes, and so mu^2 is 1.5^2/1.5 = 1.5 times the mu^2 of one release where steps are as long.
func TestClustersEdgeLearns(t *testing.T) {
	const samples = 4000
	s := loadText(t, clustered, "nodes=4", "horizon=2", "topology={kind: clusters, clusters: 2, weights: unchecked, inside: {kind: complete, self_loops: true}, edge: {every: 2}, cloud: {every: 4}}",
		"algorithm={kind: dsgd, learning_rate: 0.3, decay: 0}", "problem.set.radius=1e6", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-4}", "measure={every: 1, levels: true}")
	audit, edge := auditsOf(t, s)[0], messages.NodeID(4)
	heard := func(seed uint64, other bool) (v []float64) {
		run, err := audit.Run(seed, other, 1)
		if err != nil {
			t.Fatal(err)
		}
		w := &lockstep.Watcher{Others: []messages.NodeID{edge}, Visit: func(w *lockstep.Watched) error {
			if w.Node == edge && w.Step == 2 && w.Hop == 1 {
				v = slices.Clone(w.Inbox[0].Payload.(*messages.Vector).Values)
			}
			return nil
		}}
		run.Meter = scenariotest.JobOf(t, s).Meter
		if err := lockstep.Watch(t.Context(), run, w); err != nil {
			t.Fatal(err)
		}
		return v
	}
	var x, y [samples][]float64
	toward := make([]float64, 3) // from one mean to the other
	for k := range samples {
		x[k], y[k] = heard(uint64(k+1), false), heard(uint64(k+1), true) // with the same noise, the means are exactly as far apart
		for i := range toward {
			toward[i] += (x[k][i] - y[k][i]) / samples
		}
	}
	moments := func(list [samples][]float64) (mean, variance float64) {
		for _, v := range list {
			along := (v[0]*toward[0] + v[1]*toward[1] + v[2]*toward[2]) / math.Hypot(math.Hypot(toward[0], toward[1]), toward[2])
			mean += along / samples
			variance += along * along / samples
		}
		return mean, variance - mean*mean
	}
	meanX, varianceX := moments(x)
	meanY, varianceY := moments(y)
	found := (meanX - meanY) * (meanX - meanY) / (varianceX + varianceY) // mu^2/2
	one := s.Arms[0].Privacy.Loss(2).Rho
	j := scenariotest.JobOf(t, s)
	if err := lockstep.Run(t.Context(), &j.Run); err != nil {
		t.Fatal(err)
	}
	rows := scenariotest.FinalRows(t, s.Arms[0], j)
	both, wire := rows[accountant.OfLevel("edge")][1], rows[accountant.Wire][1]
	if both != wire {
		t.Errorf("edge servers are charged %v, want the two releases that the wire hears, %v", both, wire)
	}
	if !(found > 1.4*one && found < 1.6*one) {
		t.Errorf("an edge server learns %v, and one release costs %v: want 1.5 times that", found, one)
	}
}
