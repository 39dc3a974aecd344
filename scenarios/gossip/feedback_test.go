package gossip_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// text is a scenario on a ball so small that steps end outside of it. Weights are w.
const text = `version: 1
name: told
nodes: 3
horizon: 40
algorithm: ALGORITHM
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}
topology: {kind: matrices, matrices: [[[1/2, 1/4, 1/4], [1/4, 3/4, 0], [1/4, 0, 3/4]]]}
mechanism: {kind: laplace, epsilon: 20, noise: NOISE}
seeds: {base: 5, count: 1}
measure: {metrics: [regret.*, loss.mean, epsilon.*]}
`

var w = [][]float64{{.5, .25, .25}, {.25, .75, 0}, {.25, 0, .75}}

const d, radius, delta, epsilon, horizon, seed = 4, 2.0, 0.5, 20.0, 40, 5

// with is text of an algorithm with keys of its section.
func with(algorithm, keys, noise string) string {
	return strings.NewReplacer("ALGORITHM", "{kind: "+algorithm+keys+"}", ", noise: NOISE", noise).Replace(text)
}

// told are the keys of a feedback.
func told(points int) string {
	return fmt.Sprintf(", feedback: {kind: %s, radius: %v}", []string{"one-point", "two-point"}[points-1], delta)
}

// decided keeps decisions, in front of a meter.
type decided struct {
	algorithm.ExposureMeter
	x map[messages.NodeID][][]float64
}

func (p *decided) Played(node messages.NodeID, step int, x []float64) {
	p.x[node] = append(p.x[node], slices.Clone(x))
	p.ExposureMeter.Played(node, step, x)
}

// sheet has the rows of a run.
type sheet map[string]float64

func (s sheet) Add(step int, metric string, value float64)           { s[fmt.Sprint(metric, step)] = value }
func (s sheet) AddNode(step, node int, metric string, value float64) {}

// run runs a scenario.
func run(t *testing.T, text string, overrides ...string) (map[messages.NodeID][][]float64, sheet) {
	t.Helper()
	j := jobOf(t, text, overrides...)
	p, rows := &decided{j.Meter, map[messages.NodeID][][]float64{}}, sheet{}
	j.Run.Meter = p
	if err := lockstep.Run(t.Context(), &j.Run); err != nil {
		t.Fatal(err)
	}
	j.Meter.Finish(rows)
	return p.x, rows
}

func jobOf(t *testing.T, text string, overrides ...string) *study.Job {
	t.Helper()
	return scenariotest.JobOf(t, scenariotest.LoadText(t, text, overrides...))
}

// literal is a run of the papers' algorithms by plain loops.
type literal struct {
	costs   algorithm.Costs // of the problem
	points  int
	theta   float64 // of estimates
	regrets [3]struct {
		inner float64
		g     [d]float64
	}
	loss float64
}

// estimate is what node i is told at x in a step, and has the regret of node i and the loss of
// what it plays.
func (l *literal) estimate(i, step int, x []float64) []float64 {
	u := make([]float64, d)
	var stream rng.Stream
	r := stream.Open(rng.NewKey(seed, rng.PurposeOf("feedback.direction")), i, step, 0)
	var square float64
	for k := range u {
		u[k] = r.NormFloat64()
		square += u[k] * u[k]
	}
	var along float64
	for point := range l.points {
		sign, y := 1-2*float64(point), make([]float64, d)
		for k := range u {
			y[k] = x[k] + sign*delta*u[k]/math.Sqrt(square)
		}
		loss := l.costs.Loss(messages.NodeID(i), step, y)
		along += sign * loss * d / (float64(l.points) * delta)
		l.loss += loss / float64(l.points)
		g := make([]float64, d)
		for j := range messages.NodeID(3) {
			l.costs.Gradient(g, j, step, y)
			for k := range g {
				l.regrets[i].inner += g[k] * y[k] / float64(l.points)
				l.regrets[i].g[k] += g[k] / float64(l.points)
			}
		}
	}
	for k := range u {
		u[k] *= along / math.Sqrt(square)
	}
	return u
}

// regret is (3) of DPDO-NC, of what was played, against the best point of the whole ball.
func (l *literal) regret() (largest float64) {
	for _, r := range l.regrets {
		var square float64
		for _, v := range r.g {
			square += v * v
		}
		largest = max(largest, r.inner+radius*math.Sqrt(square))
	}
	return largest
}

// noisy adds Laplace noise of a purpose to y.
func noisy(purpose string, y []float64, i, step int, scale float64) {
	var stream rng.Stream
	stream.Open(rng.NewKey(seed, rng.PurposeOf(purpose)), i, step, 0).AddLaplace(y, scale)
}

// mix is what node i makes of the releases, and projected is the nearest point of the ball that
// every ball of radius delta about lies in the set.
func mix(y [3][]float64, i int) []float64 {
	z := make([]float64, d)
	for j := range y {
		for k := range z {
			z[k] += w[i][j] * y[j][k]
		}
	}
	return z
}

func projected(z []float64) []float64 {
	var square float64
	for _, v := range z {
		square += v * v
	}
	if length := math.Sqrt(square); length > radius-delta {
		for k := range z {
			z[k] *= (radius - delta) / length
		}
	}
	return z
}

// dsgd are the decisions of descent, alpha_t = 2/sqrt t.
func (l *literal) dsgd() (x [3][][]float64) {
	now := [3][]float64{make([]float64, d), make([]float64, d), make([]float64, d)}
	for step := 1; step <= horizon; step++ {
		var y [3][]float64
		alpha := 2 / math.Sqrt(float64(step))
		for i := range now {
			x[i], y[i] = append(x[i], slices.Clone(now[i])), slices.Clone(now[i])
			for k, g := range l.estimate(i, step, now[i]) {
				y[i][k] -= alpha * g
			}
			noisy("dsgd.noise", y[i], i, step, 2*alpha*l.theta*math.Sqrt(d)/epsilon)
		}
		for i := range now {
			now[i] = projected(mix(y, i))
		}
	}
	return x
}

// dpdonc are the decisions of Algorithm 1 of DPDO-NC with shifted noise, phi = ||x||^2/2 and
// alpha_t = 6/(N sqrt t).
func (l *literal) dpdonc() (x [3][][]float64) {
	now := [3][]float64{make([]float64, d), make([]float64, d), make([]float64, d)}
	for step := 1; step <= horizon; step++ {
		var q, g [3][]float64
		for i := range now {
			x[i], q[i] = append(x[i], slices.Clone(now[i])), slices.Clone(now[i])
			g[i] = l.estimate(i, step, now[i])
			if step > 1 {
				noisy("dpdonc.noise", q[i], i, step, 2*math.Sqrt(d)*l.theta*2/math.Sqrt(float64(step-1))/epsilon)
			}
		}
		for i := range now {
			z := mix(q, i)
			for k := range z {
				z[k] -= 2 * g[i][k] / math.Sqrt(float64(step))
			}
			now[i] = projected(z)
		}
	}
	return x
}

// Nodes do what the papers' algorithms do with the estimates, in a set that is smaller by
// delta, with noise for the bound of estimates: d times that of gradients, 1 here, of two
// points, and d/delta times log(1 + exp(2)) of one. Regret and loss are those of what is
// played.
func TestLiterally(t *testing.T) {
	for points := 1; points <= 2; points++ {
		for kind, keys := range map[string]string{"dsgd": ", learning_rate: 2", "dpdonc": ", divergence: {kind: euclidean, scale: 0.5}, step: {scale: 6}"} {
			noise := ""
			if kind == "dpdonc" {
				noise = ", noise: shifted"
			}
			l := &literal{costs: jobOf(t, with(kind, keys, noise)).Run.Costs, points: points, theta: d}
			if points == 1 {
				l.theta = d / delta * math.Log1p(math.Exp(2))
			}
			want := l.dsgd
			if kind == "dpdonc" {
				want = l.dpdonc
			}
			got, rows := run(t, with(kind, keys+told(points), noise))
			border := 0
			for i, steps := range want() {
				for step, x := range steps {
					var square float64
					for k, v := range x {
						square += v * v
						if off := math.Abs(got[messages.NodeID(i)][step][k] - v); !(off < 1e-12) {
							t.Fatalf("%s, %d points: node %d is %v away in step %d", kind, points, i, off, step+1)
						}
					}
					if square > (radius-delta)*(radius-delta)*(1-1e-9) {
						border++
					}
				}
			}
			if border == 0 {
				t.Errorf("%s, %d points: nobody comes to the border", kind, points)
			}
			if regret := rows[fmt.Sprint(gauge.RegretRun, horizon)]; !(math.Abs(regret-l.regret()) < 1e-9) {
				t.Errorf("%s, %d points: regret %v, want %v", kind, points, regret, l.regret())
			}
			if loss := rows[fmt.Sprint(gauge.LossMean, horizon)]; !(math.Abs(loss-l.loss/(3*horizon)) < 1e-12) {
				t.Errorf("%s, %d points: mean loss %v, want %v", kind, points, loss, l.loss/(3*horizon))
			}
			if total := rows[fmt.Sprint(ledger.EpsilonTotal, horizon)]; kind == "dsgd" && math.Abs(total-epsilon*horizon) > 1e-6 {
				t.Errorf("%d points: epsilon %v in all, want %v", points, total, epsilon*horizon)
			}
		}
	}
}

// Audits accept the noise that is stated, of what estimates can be, and find half of it. The
// set is large, so that its border hides nothing.
func TestAudit(t *testing.T) {
	testneeds.Slow(t)
	for kind, keys := range map[string]string{"dsgd": told(2), "dpdonc": told(1) + ", divergence: {kind: euclidean, scale: 0.5}"} {
		for _, noise := range []float64{1, 0.5} {
			if kind == "dpdonc" && noise == 1 {
				continue // as of dsgd
			}
			s := scenariotest.LoadText(t, with(kind, keys+", theta: 4, gradient_bound: clip", ""), "mechanism={kind: gaussian, epsilon: 1, delta: 1e-3}", "problem.set.radius=100")
			list, err := auditing.Audit(s, t.Context(), auditing.Options{Samples: 1024, Confidence: 0.999, Noise: noise})
			if err != nil || len(list) == 0 {
				t.Fatalf("%v, %v", list, err)
			}
			found, shown := false, false
			for _, a := range list {
				t.Logf("%s, noise %v, %s: accounted %.4g, audited %.4g", kind, noise, a.Mechanism, a.Accounted, a.Audited)
				found = found || a.Audited > a.Accounted || !a.NoiseAsStated()
				shown = shown || a.Audited > 0.2*a.Accounted
			}
			if found != (noise < 1) || !shown {
				t.Errorf("%s, noise %v: found %v, and the costs show: %v", kind, noise, found, shown)
			}
		}
	}
}

// What is refused, and where.
func TestRefuses(t *testing.T) {
	for _, test := range []struct{ algorithm, override, want string }{
		{"dsgd", "algorithm.feedback={kind: two-point}", "algorithm.feedback: two-point needs a radius"},
		{"dsgd", "algorithm.feedback={kind: gradient, radius: 1}", "algorithm.feedback.radius: gradients are told at the decision"},
		{"dsgd", "algorithm.feedback={kind: three-point, radius: 1}", "three-point"},
		{"dsgd", "algorithm.feedback={kind: one-point, radius: 0}", "algorithm.feedback.radius: radius 0"},
		{"dsgd", "algorithm.feedback={kind: one-point, radius: 2}", "algorithm.feedback.radius: radius 2; the largest ball in the l2-ball has radius 2,"},
		{"dsgd", "problem.set={kind: simplex, dimension: 4}", "algorithm.feedback.radius: the simplex holds no ball"},
		{"dsgd", "algorithm.start=[1.9, 0, 0, 0]", "algorithm.start: start [1.9 0 0 0] is within 0.5 of the border"},
		{"dpdonc", "algorithm.start=[1.9, 0, 0, 0]", "algorithm.start: start [1.9 0 0 0]"},
		{"dsgd", "problem={kind: synthetic-logistic, dimension: 4, set: {kind: l2-ball, dimension: 4, radius: 2}}", "algorithm.theta: the estimates of gradients that losses of the problem synthetic-logistic give have no bound"},
	} {
		keys := told(1)
		if test.algorithm == "dpdonc" {
			keys += ", divergence: {kind: euclidean, scale: 0.5}"
		}
		_, err := scenariotest.LoadError(t, with(test.algorithm, keys, ""), test.override)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.override, err, test.want)
		}
	}
}
