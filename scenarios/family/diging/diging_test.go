package diging_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/family/diging"
	"starling/scenarios/kind"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

const nodes, dim, ridge = 5, 3, 0.5

// still has costs that stay: every node meets its one row in every step,
// f_i(x) = (<a_i, x> - b_i)^2/2 + ridge/2 ||x||^2. Graphs are drawn in every step, and their
// columns alone sum to 1.
const still = `version: 1
name: still
nodes: 5
horizon: 300
algorithm: {kind: push-diging, learning_rate: 0.1}
problem: {kind: table, file: FILE, party: party, label: label, intercept: false, reuse: cycle, set: {kind: l2-ball, radius: 20}, model: {kind: linear, l2: 0.5}}
topology: {kind: k-out, degree: 2, directed: true, every: 1, weighting: {scheme: uniform-out, self_loops: true}}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
`

// row is the row of a node.
func row(node int) (a [dim]float64, b float64) {
	for k := range a {
		a[k] = math.Round(1000*math.Sin(float64(1+7*node+5*k*k))) / 1000
	}
	return a, float64(node*node - 5)
}

// text is still with the file of its rows.
func text(t testing.TB) string {
	lines := "party,a,b,c,label\n"
	for node := range nodes {
		a, b := row(node)
		lines += fmt.Sprintf("%d,%g,%g,%g,%g\n", node+1, a[0], a[1], a[2], b)
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(still, "FILE", file, 1)
}

// gradient is that of the cost of a node.
func gradient(node int, x []float64) []float64 {
	a, b := row(node)
	residual, g := -b, make([]float64, dim)
	for k := range g {
		residual += a[k] * x[k]
	}
	for k := range g {
		g[k] = residual*a[k] + ridge*x[k]
	}
	return g
}

// best is the point of the least sum of all costs.
func best(t testing.TB) []float64 {
	left, right := mat.NewSymDense(dim, nil), mat.NewVecDense(dim, nil)
	for node := range nodes {
		a, b := row(node)
		for k := range dim {
			right.SetVec(k, right.AtVec(k)+a[k]*b)
			for j := range k + 1 {
				v := left.At(j, k) + a[j]*a[k]
				if j == k {
					v += ridge
				}
				left.SetSym(j, k, v)
			}
		}
	}
	var x mat.VecDense
	if err := x.SolveVec(left, right); err != nil {
		t.Fatal(err)
	}
	return x.RawVector().Data
}

// watched is what all nodes decided and sent, by node and step from 0.
type watched struct {
	algorithm.ExposureMeter
	x, sent [nodes][][]float64
}

func (w *watched) Played(node messages.NodeID, step int, x []float64) {
	w.x[node] = append(w.x[node], slices.Clone(x))
	w.ExposureMeter.Played(node, step, x)
}

// watch runs the first arm under seed 1.
func watch(t testing.TB, text string, overrides ...string) (*watched, *algorithm.Run) {
	t.Helper()
	job := scenariotest.JobOf(t, scenariotest.LoadText(t, text, overrides...))
	w := &watched{ExposureMeter: job.Meter}
	job.Run.Meter = w
	see := &lockstep.Watcher{Node: 0, Others: []messages.NodeID{1, 2, 3, 4}, Visit: func(at *lockstep.Watched) error {
		if v, ok := at.Outbox.Broadcast.(*messages.Vector); ok {
			w.sent[at.Node] = append(w.sent[at.Node], slices.Clone(v.Values))
		}
		return nil
	}}
	if err := lockstep.Watch(context.Background(), &job.Run, see); err != nil {
		t.Fatal(err)
	}
	return w, &job.Run
}

// far is the largest distance of a node's decision of a step, from 0, from a point.
func (w *watched) far(step int, x []float64) (most float64) {
	for node := range w.x {
		var square float64
		for k, v := range w.x[node][step] {
			square += (v - x[k]) * (v - x[k])
		}
		most = max(most, math.Sqrt(square))
	}
	return most
}

// Algorithm 2 of the paper, line by line, in matrices, also where decisions are held to a
// ball that they would leave.
func TestByTheLinesOfAlgorithm2(t *testing.T) {
	for _, radius := range []float64{20, 0.5} {
		w, run := watch(t, text(t), fmt.Sprintf("problem.set.radius=%v", radius), "horizon=60")
		const alpha = 0.1
		var u, x, y, g [nodes][]float64
		v := [nodes]float64{1, 1, 1, 1, 1}
		for i := range nodes { // y(0) = grad f(x(0))
			u[i], x[i] = make([]float64, dim), make([]float64, dim)
			g[i] = gradient(i, x[i])
			y[i] = slices.Clone(g[i])
		}
		held := 0
		for k := range 60 {
			for i := range nodes {
				for c := range dim {
					if d := math.Abs(w.x[i][k][c] - x[i][c]); !(d < 1e-12*(1+math.Abs(x[i][c]))) {
						t.Fatalf("radius %v: node %d decides %v in step %d, want %v", radius, i+1, w.x[i][k], k+1, x[i])
					}
				}
			}
			var nextU, nextY [nodes][]float64
			var nextV [nodes]float64
			for i := range nodes {
				nextU[i], nextY[i] = make([]float64, dim), make([]float64, dim)
				for j := range nodes {
					weight := run.Graphs.At(k).Weight(messages.NodeID(i), messages.NodeID(j))
					for c := range dim {
						nextU[i][c] += weight * (u[j][c] - alpha*y[j][c])
						nextY[i][c] += weight * y[j][c]
					}
					nextV[i] += weight * v[j]
				}
			}
			u, v = nextU, nextV
			for i := range nodes {
				var square float64
				for c := range dim {
					x[i][c] = u[i][c] / v[i]
					square += x[i][c] * x[i][c]
				}
				if square > radius*radius {
					held++
					for c := range dim {
						x[i][c] *= radius / math.Sqrt(square)
						u[i][c] = v[i] * x[i][c]
					}
				}
				next := gradient(i, x[i])
				for c := range dim {
					y[i][c] = nextY[i][c] + next[c] - g[i][c]
				}
				g[i] = next
			}
		}
		if (held > 0) != (radius < 1) {
			t.Errorf("radius %v: %d decisions are held to the ball", radius, held)
		}
	}
}

// Section 4 of the paper, as columns of C sum to 1: the sum of all y is that of the
// gradients at what was decided, in every step.
func TestTheSumOfYIsThatOfTheGradients(t *testing.T) {
	w, _ := watch(t, text(t), "horizon=100")
	for step := range 100 {
		for k := range dim {
			var y, g, size float64
			for node := range nodes {
				y += w.sent[node][step][k]
				g += gradient(node, w.x[node][step])[k]
				size += math.Abs(w.sent[node][step][k])
			}
			if !(math.Abs(y-g) < 1e-11*(1+size)) {
				t.Fatalf("step %d: the sum of y is %v, of the gradients %v", step+1, y, g)
			}
		}
	}
}

// The theorem of section 4: with a constant step that is small enough the error falls geometrically, on
// digraphs that change in every step. Stochastic gradient push with the same step stops at
// a distance.
func TestConvergesGeometrically(t *testing.T) {
	x := best(t)
	tracking, _ := watch(t, text(t))
	push, _ := watch(t, text(t), "algorithm.kind=sgp", "algorithm.decay=0")
	start := tracking.far(0, x)
	for _, step := range []int{75, 150, 225, 299} { // the rate over each quarter is below 1
		if ratio := tracking.far(step, x) / tracking.far(max(0, step-75), x); !(ratio < 0.05) {
			t.Errorf("step %d: the error is %v of that 75 steps before", step+1, ratio)
		}
	}
	if end := tracking.far(299, x); !(end < 1e-7*start) {
		t.Errorf("Push-DIGing ends %v away from the best point, where it began %v away", end, start)
	}
	if end := push.far(299, x); !(end > 1e-2*start) {
		t.Errorf("SGP ends %v away", end)
	}
}

// Noise is on y alone: u is the mass times what was decided, to the bit.
func TestNoiseIsOnYAlone(t *testing.T) {
	noisy := append([]string{"horizon=20"}, noisy...)
	w, _ := watch(t, text(t), noisy...)
	quiet, _ := watch(t, text(t), append(noisy, "mechanism={kind: none}")...)
	for node := range nodes {
		for step, sent := range w.sent[node] {
			if len(sent) != 2*dim+1 {
				t.Fatalf("a message has %d numbers", len(sent))
			}
			for k := range dim {
				if sent[dim+k] != sent[2*dim]*w.x[node][step][k] {
					t.Fatalf("step %d, node %d: u is %v, want %v times %v", step+1, node+1, sent[dim:2*dim], sent[2*dim], w.x[node][step])
				}
			}
			if step == 0 && sent[0] == quiet.sent[node][0][0] {
				t.Errorf("node %d: y has no noise", node+1)
			}
		}
	}
}

// Messages that are lost take y and mass with them, and tracking goes wrong for good. Where
// messages are running sums, nothing is lost, and the error falls geometrically all the same.
func TestRunningSumsLoseNothing(t *testing.T) {
	x, lossy := best(t), []string{"network={kind: effects, loss: {probability: 0.3}, delay: {longest: 2}}", "algorithm.learning_rate=0.05", "horizon=900"}
	sums, _ := watch(t, text(t), append(lossy, "algorithm.missing=running-sum")...)
	drop, _ := watch(t, text(t), append(lossy, "algorithm.missing=renormalise")...)
	start := sums.far(0, x)
	if end := sums.far(899, x); !(end < 1e-6*start) {
		t.Errorf("running sums end %v away from the best point, where they began %v away", end, start)
	}
	if end := drop.far(899, x); !(end > 1e-2*start) {
		t.Errorf("without running sums the error is %v", end)
	}
}

// On a network that loses nothing running sums change nothing but rounding.
func TestRunningSumsOnAnIdealNetwork(t *testing.T) {
	one, _ := watch(t, text(t), "horizon=50")
	two, _ := watch(t, text(t), "horizon=50", "algorithm.missing=running-sum")
	for node := range nodes {
		for step, x := range one.x[node] {
			for k, v := range x {
				if d := math.Abs(two.x[node][step][k] - v); !(d < 1e-11) {
					t.Fatalf("step %d, node %d: %v, want %v", step+1, node+1, two.x[node][step], x)
				}
			}
		}
	}
	for _, test := range []struct{ override, want string }{
		{"algorithm={kind: dsgd, missing: running-sum}", "running-sum is for push-sum"},
		{"network={kind: effects, churn: {fail: 0.1, recover: 0.5, forget: true}}", "nodes that forget their state break running sums"},
	} {
		_, err := scenariotest.LoadError(t, text(t), "algorithm.missing=running-sum", "topology={kind: complete, self_loops: true}", test.override)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.override, err, test.want)
		}
	}
}

// noisy has noise on what nodes say.
var noisy = []string{"mechanism={kind: laplace, epsilon: 1}", "algorithm.theta=20", "algorithm.gradient_bound=clip", "problem.set.radius=3"}

// An audit tries costs whose slopes alternate: noise for one gradient is too little for the
// difference of two, and one slope for all steps would not show it.
func TestAuditSeesDifferences(t *testing.T) {
	testneeds.Slow(t)
	private := strings.NewReplacer("{kind: none}", "{kind: gaussian, epsilon: 2, delta: 1e-5}", "learning_rate: 0.1", "learning_rate: 0.1, theta: 1, gradient_bound: clip", "radius: 20", "radius: 3").Replace(text(t))
	for _, algorithm := range []string{"push-diging", "halved"} {
		got := scenariotest.Refuted(t, strings.Replace(private, "push-diging", algorithm, 1), scenariotest.AuditOptions(1024), kind.Catalog{Algorithms: []kind.Kind{diging.Halved()}})
		if want := algorithm == "halved"; got != want {
			t.Errorf("%s: refuted: %v", algorithm, got)
		}
	}
}

// Messages that are lost or late give the same bits on all runtimes, for every way to treat
// them: what a node keeps of others is part of its state.
func TestRuntimesWithMissingMessages(t *testing.T) {
	for _, missing := range []string{"drop", "hold", "running-sum"} {
		s := scenariotest.LoadText(t, text(t), append(noisy, "horizon=30", "algorithm.missing="+missing, "network={kind: effects, loss: {probability: 0.3}, delay: {longest: 2}}")...)
		digests := map[string]string{}
		for _, o := range scenariotest.SomeEngines(s) {
			digests[scenariotest.MetricsOf(t, s, o).Digest] = fmt.Sprintf("%+v", o)
		}
		if len(digests) != 1 {
			t.Errorf("%s: %v", missing, digests)
		}
	}
}
