package decor_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/numeric"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios"
	"starling/scenarios/family/decor"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

const text = `version: 1
name: decor
nodes: 4
horizon: 40
algorithm: {kind: decor, correlated: 3, learning_rate: 0.7, decay: 0.25, theta: 0.4, gradient_bound: clip}
problem: {kind: synthetic-logistic, dimension: 6, test_samples: 5, set: {kind: l2-ball, dimension: 6, radius: 2}}
topology: {kind: matrices, matrices: [[[1/2, 1/4, 0, 1/4], [1/4, 1/2, 1/4, 0], [0, 1/4, 1/2, 1/4], [1/4, 0, 1/4, 1/2]], [[1/3, 1/3, 1/3, 0], [1/3, 1/3, 1/3, 0], [1/3, 1/3, 0, 1/3], [0, 0, 1/3, 2/3]]]}
mechanism: {kind: gaussian, epsilon: 1, delta: 1e-3}
seeds: {base: 1, count: 1}
`

// weights are the matrices of text, in turn.
var weights = [][][]float64{
	{{.5, .25, 0, .25}, {.25, .5, .25, 0}, {0, .25, .5, .25}, {.25, 0, .25, .5}},
	{{1. / 3, 1. / 3, 1. / 3, 0}, {1. / 3, 1. / 3, 1. / 3, 0}, {1. / 3, 1. / 3, 0, 1. / 3}, {0, 0, 1. / 3, 2. / 3}},
}

// watched keeps what everybody decided, and paid in each step, in front of a meter.
type watched struct {
	scenariotest.Decided
	paid map[messages.NodeID][]float64 // rho
}

func (p *watched) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	p.paid[node] = append(p.paid[node], loss.Rho)
	return p.ExposureMeter.Spent(node, step, loss)
}

// run runs the first arm of a scenario under seed 1.
func run(t *testing.T, s *study.Scenario) (*watched, *study.Job) {
	t.Helper()
	job, err := s.Arms[0].Algorithm.Job(1)
	if err != nil {
		t.Fatal(err)
	}
	p := &watched{scenariotest.NewDecided(job), map[messages.NodeID][]float64{}}
	job.Run.Meter = p
	if err := lockstep.Run(t.Context(), &job.Run); err != nil {
		t.Fatal(err)
	}
	if err := job.Meter.Settled(1); err != nil {
		t.Fatal(err)
	}
	return p, job
}

// precision is p of a node against others, by the inverse of the covariance of noise that
// they do not know: theirs is 1 here, beside the rest.
func precision(t *testing.T, w [][]float64, ratio float64, node int, observers ...int) float64 {
	t.Helper()
	n := len(w)
	k, unit := make([]float64, n*n), make([]float64, n)
	for i := range n {
		k[i*n+i]++
		for j := range n {
			if known := slices.Contains(observers, i) || slices.Contains(observers, j); j != i && !known && (w[i][j] > 0 || w[j][i] > 0) {
				k[i*n+i] += ratio * ratio
				k[i*n+j] -= ratio * ratio
			}
		}
	}
	unit[node] = 1
	lu, ok := numeric.NewLU(k, n)
	if !ok {
		t.Fatal("singular")
	}
	return lu.Solve(unit)[node]
}

// worst is p of every node against the node that learns the most of it, and the most of all.
func worst(t *testing.T, w [][]float64, ratio float64) (each []float64, most float64) {
	for node := range w {
		p := 0.0
		for observer := range w {
			if observer != node {
				p = max(p, precision(t, w, ratio, node, observer))
			}
		}
		each, most = append(each, p), max(most, p)
	}
	return each, most
}

// pairwise is v^(ij) of an edge in a step, for the end with the lower number.
func pairwise(low, high, n, step, d int, scale float64) []float64 {
	v := make([]float64, d)
	var stream rng.Stream
	key := rng.NewKey(1, rng.PurposeOf("decor.noise").Of("shared"))
	stream.Open(key, low*n+high, step, 0).AddNormal(v, scale)
	return v
}

// Nodes compute what a literal transcription of Algorithm 1 does, on graphs that change,
// and pay by the covariance of the graph of the step: the costliest node what the mechanism
// says, the others less.
func TestLiterally(t *testing.T) {
	got, job := run(t, scenariotest.LoadText(t, text))
	unit, err := accountant.GaussianSigma(1, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	const n, d, ratio, theta = 4, 6, 3.0, 0.4
	x, clipped, projected := make([][]float64, n), 0, 0
	for i := range x {
		x[i] = make([]float64, d)
	}
	for step := 1; step <= 40; step++ {
		w := weights[(step-1)%2]
		each, most := worst(t, w, ratio)
		eta := 0.7 / math.Sqrt(math.Sqrt(float64(step)))
		moves := 2 * eta * theta
		cdp := moves * unit * math.Sqrt(most) // over the step size: of the release
		half := make([][]float64, n)
		for i := range n {
			id := messages.NodeID(i)
			if y := got.X[id][step-1]; !(scenariotest.Far(y, x[i]) < 1e-12) {
				t.Fatalf("node %d decides %v in step %d, want %v", i, y, step, x[i])
			}
			if rho, want := got.paid[id][step-1], moves*moves*each[i]/(2*cdp*cdp); !(math.Abs(rho-want) < 1e-12*want) {
				t.Fatalf("node %d pays rho %v in step %d, want %v", i, rho, step, want)
			}
			g, noise := make([]float64, d), make([]float64, d)
			job.Run.Costs.Gradient(g, id, step, x[i])
			if norm := math.Sqrt(dot(g, g)); norm > theta {
				clipped++
				for k := range g {
					g[k] *= theta / norm
				}
			}
			var stream rng.Stream
			stream.Open(rng.NewKey(1, rng.PurposeOf("decor.noise")), i, step, 0).AddNormal(noise, cdp)
			for j := range n {
				if j == i || w[i][j] == 0 && w[j][i] == 0 {
					continue
				}
				for k, v := range pairwise(min(i, j), max(i, j), n, step, d, ratio*cdp) {
					if i < j {
						noise[k] += v
					} else {
						noise[k] -= v
					}
				}
			}
			half[i] = make([]float64, d)
			for k := range d {
				half[i][k] = x[i][k] - eta*g[k] + noise[k]
			}
		}
		for i := range n {
			x[i] = make([]float64, d)
			var square float64
			for k := range d {
				for j := range n {
					x[i][k] += w[i][j] * half[j][k]
				}
				square += x[i][k] * x[i][k]
			}
			if square > 4 {
				projected++
				for k := range d {
					x[i][k] *= 2 / math.Sqrt(square)
				}
			}
		}
	}
	if clipped == 0 || projected == 0 {
		t.Errorf("%d gradients are clipped, %d decisions projected", clipped, projected)
	}
}

func dot(x, y []float64) (sum float64) {
	for k := range x {
		sum += x[k] * y[k]
	}
	return sum
}

// With sigma_cor = 0 it is dsgd with Gaussian noise, to the last bit, and costs the same.
func TestWithoutCorrelationIsDSGD(t *testing.T) {
	catalog := scenarios.Catalog()
	i := slices.IndexFunc(catalog.Algorithms, func(k kind.Kind) bool { return k.Kind == "dsgd" })
	catalog.Algorithms = slices.Clone(catalog.Algorithms)
	catalog.Algorithms[i] = decor.Named("dsgd") // whose streams are those of dsgd
	loader := scenariotest.Loader(t)
	loader.Kinds = &catalog
	named := strings.NewReplacer("kind: decor, correlated: 3", "kind: dsgd, correlated: 0").Replace(text)
	same, err := loader.Load(scenariotest.File(t, named))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := run(t, same)
	want, _ := run(t, scenariotest.LoadText(t, strings.Replace(text, "kind: decor, correlated: 3", "kind: dsgd", 1)))
	for i := range messages.NodeID(4) {
		for step := range want.X[i] {
			if !slices.Equal(got.X[i][step], want.X[i][step]) {
				t.Fatalf("node %d decides %v in step %d, dsgd %v", i, got.X[i][step], step+1, want.X[i][step])
			}
		}
		if !slices.Equal(got.paid[i], want.paid[i]) {
			t.Errorf("node %d pays %v, in dsgd %v", i, got.paid[i], want.paid[i])
		}
	}
}

// On the complete graph with equal weights all noise that is shared cancels in every step:
// decisions are those of nodes that add their own alone.
func TestCancelsOnTheCompleteGraph(t *testing.T) {
	const complete = "topology={kind: complete, self_loops: true}"
	got, job := run(t, scenariotest.LoadText(t, text, complete, "algorithm.correlated=30", "problem.set.radius=50"))
	const n, d, theta = 4, 6, 0.4
	// Against one of four, three are left, all connected: p = (1 + 2/(1 + 3 r^2))/3.
	p := (1 + 2/(1+3*900.0)) / 3
	unit, err := accountant.GaussianSigma(1, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, d)
	for step := 1; step <= 40; step++ {
		eta := 0.7 / math.Sqrt(math.Sqrt(float64(step)))
		mean := make([]float64, d)
		for i := range n {
			if y := got.X[messages.NodeID(i)][step-1]; !(scenariotest.Far(y, x) < 1e-11) { // noise is 30 times as large
				t.Fatalf("node %d decides %v in step %d, want %v", i, y, step, x)
			}
			g := make([]float64, d)
			job.Run.Costs.Gradient(g, messages.NodeID(i), step, x)
			scale := eta * min(1, theta/math.Sqrt(dot(g, g)))
			y := slices.Clone(x)
			var stream rng.Stream
			stream.Open(rng.NewKey(1, rng.PurposeOf("decor.noise")), i, step, 0).AddNormal(y, 2*eta*theta*unit*math.Sqrt(p))
			for k := range y {
				mean[k] += (y[k] - scale*g[k]) / n
			}
		}
		x = mean
	}
}

const private = `version: 1
name: private
nodes: 4
horizon: 4
algorithm: {kind: decor, correlated: 4, learning_rate: 0.5, decay: 0, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 50}}
topology: {kind: torus, sides: [4]}
mechanism: {kind: gaussian, epsilon: 1, delta: 1e-3}
seeds: {base: 1, count: 1}
`

// Audits find nodes that say they share noise and do not.
func TestAudit(t *testing.T) {
	text := strings.Replace(private, "decor, correlated", "selfish, correlated", 1)
	if !scenariotest.Refuted(t, text, scenariotest.AuditOptions(1024), kind.Catalog{Algorithms: []kind.Kind{decor.Selfish()}}) {
		t.Error("nodes that share nothing are not found")
	}
}

// What decor refuses.
func TestRefuses(t *testing.T) {
	for _, test := range []struct{ override, want string }{
		{"algorithm.correlated=-1", "algorithm.correlated: correlated -1; want"},
		{"algorithm={kind: decor, theta: 1}", `missing required key "correlated"`},
		{"mechanism={kind: laplace, epsilon: 1}", `"laplace" does not go with the algorithm decor, which takes gaussian`},
		{"nodes=300|topology={kind: torus, sides: [300]}", "nodes: 300 nodes share noise in the algorithm decor; want at most 256"},
		{"topology=null", `missing required key "topology"`},
	} {
		_, err := scenariotest.LoadError(t, text, strings.Split(test.override, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.override, err, test.want)
		}
	}
}

// charged are the cases of TestLedgerIsTheSumOverMessages.
var charged = map[string]string{
	"plain": "name: decor",
	"stop":  "budget: {epsilon: 6, delta: 1e-3, on: stop}",
	"lossy": "network: {kind: effects, loss: {probability: 0.2}, delay: {longest: 2}, churn: {fail: 0.1, recover: 0.5, forget: true}}",
}

// What observers learn is the sum over the releases on the wire of what each cost against
// them: by who knows no noise, by the worst node, and by named nodes and coalitions, who know
// more together than any of them, in runs that are straight, resumed, lossy, and stopped.
func TestLedgerIsTheSumOverMessages(t *testing.T) {
	unit, err := accountant.GaussianSigma(1, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	coalitions := map[accountant.Observer][]int{"wire": {}, "public": {}, "node 2": {1}, "nodes 1, 3": {0, 2}}
	for name, more := range charged {
		s := scenariotest.LoadText(t, strings.Replace(text, "name: decor", more, 1)+"measure: {observers: [{node: 2}, {nodes: [1, 3]}]}\n", "name=decor")
		for _, pause := range []int{0, 13} {
			nodes := []messages.NodeID{0, 1, 2, 3}
			sent, j := scenariotest.SentBy(t, s, pause, nodes...)
			rows := scenariotest.FinalRows(t, s.Arms[0], j)
			for node, list := range sent {
				rho := map[accountant.Observer]float64{}
				made := scenariotest.Released(list)
				for _, m := range made {
					w := weights[(m.Step-1)%2]
					each, most := worst(t, w, 3)
					level := 1 / (2 * unit * unit * most) // rho of a release with p = 1
					rho["peer"] += level * each[node]
					for of, members := range coalitions {
						if !slices.Contains(members, int(node)) {
							rho[of] += level * precision(t, w, 3, int(node), members...)
						}
					}
				}
				for of, sum := range rho {
					want, err := ledger.EpsilonOf(accountant.Loss{Rho: sum}.Total(), 1e-3, accountant.PLD)
					if got := rows[of][int32(node)+1]; err != nil || !(math.Abs(got-want) < 1e-9*want) {
						t.Errorf("%s, pause %d: %s learns %v of node %d, %d messages come to %v: %v", name, pause, of, got, node+1, len(made), want, err)
					}
				}
				if len(made) == 40 != (name == "plain") || len(made) < 3 {
					t.Errorf("%s: node %d makes %d releases", name, node+1, len(made))
				}
			}
			if a, b := rows["node 2"][1], rows["nodes 1, 3"][2]; !(a > rows["wire"][1]) || !(b > rows["peer"][2]) {
				t.Errorf("%s: node 2 learns %v of node 1, nodes 1 and 3 learn %v of node 2: %v", name, a, b, rows)
			}
		}
	}
}
