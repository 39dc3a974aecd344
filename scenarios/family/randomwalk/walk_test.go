package randomwalk_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

const text = `version: 1
name: walk
nodes: 6
horizon: 30
algorithm: {kind: random-walk, learning_rate: 0.8, decay: 0.25}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 0.5}}
topology: {kind: complete}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
`

const gaussian = "mechanism={kind: gaussian, epsilon: 1, delta: 1e-3}"

// watched keeps what everybody decided and sent, in front of a meter.
type watched struct {
	scenariotest.Decided
	hops [][2]messages.NodeID // by step
}

func (p *watched) Exposed(from, to messages.NodeID, step int, mark *algorithm.Mark) {
	p.hops = append(p.hops, [2]messages.NodeID{from, to})
	p.ExposureMeter.Exposed(from, to, step, mark)
}

// run runs the first arm of a scenario under a seed.
func run(t *testing.T, seed uint64, overrides ...string) (*watched, *study.Arm, *study.Job) {
	t.Helper()
	arm := scenariotest.LoadText(t, text, overrides...).Arms[0]
	job, err := arm.Algorithm.Job(seed)
	if err != nil {
		t.Fatal(err)
	}
	p := &watched{Decided: scenariotest.NewDecided(job)}
	job.Run.Meter = p
	if err := lockstep.Run(t.Context(), &job.Run); err != nil {
		t.Fatal(err)
	}
	return p, arm, job
}

// Without noise the token is what a literal transcription of Algorithm 1 makes along the
// walk, and all others keep the model that they had last.
func TestLiterally(t *testing.T) {
	got, _, job := run(t, 1)
	if len(got.hops) != 30 {
		t.Fatalf("%d messages in 30 steps", len(got.hops))
	}
	project := func(x []float64) []float64 {
		var square float64
		for _, v := range x {
			square += v * v
		}
		x = slices.Clone(x)
		if square > 0.25 {
			for k := range x {
				x[k] *= 0.5 / math.Sqrt(square)
			}
		}
		return x
	}
	token, models := make([]float64, 3), make([][]float64, 6)
	for i := range models {
		models[i] = make([]float64, 3)
	}
	for step, hop := range got.hops {
		if step == 0 && hop[0] != 0 || step > 0 && hop[0] != got.hops[step-1][1] {
			t.Fatalf("step %d: the token is sent by %d", step+1, hop[0])
		}
		models[hop[0]] = project(token)
		for i := range models {
			for k, v := range got.X[messages.NodeID(i)][step] {
				if !(math.Abs(v-models[i][k]) < 1e-12) {
					t.Fatalf("step %d: node %d plays %v, want %v", step+1, i, got.X[messages.NodeID(i)][step], models[i])
				}
			}
		}
		g := make([]float64, 3)
		job.Run.Costs.Gradient(g, hop[0], step+1, models[hop[0]])
		for k := range g {
			token[k] = models[hop[0]][k] - 0.8/math.Pow(float64(step+1), 0.25)*g[k]
		}
		models[hop[0]] = project(token)
	}
}

// epsilons are the rhos of pairs, as multiples of what one release costs, by observer's name.
func rhosOf(t *testing.T, arm *study.Arm, job *study.Job) map[string]map[int]float64 {
	t.Helper()
	rows, err := accounts.PrivacyRows(arm, job.Run.Seed, job.Meter)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]map[int]float64{}
	for _, row := range rows {
		if of[row.Observer] == nil {
			of[row.Observer] = map[int]float64{}
		}
		for unit := row.Unit; row.Final && unit < row.Unit+row.Units; unit++ {
			of[row.Observer][int(unit)] = row.Rho / arm.Privacy.Loss(1).Rho
		}
	}
	return of
}

// cheapest is the least sum of squares of parts of the moves of a node, of 1 each, that are
// hidden in the step of the move or later: a part that is larger than the next moves there
// by half of what it is more, until none is.
func cheapest(since []messages.NodeID, u messages.NodeID) (sum float64) {
	a := make([]float64, len(since))
	for s, holder := range since {
		if holder == u {
			a[s] = 1
		}
	}
	for again := true; again; {
		again = false
		for k := range len(a) - 1 {
			if a[k] > a[k+1]+1e-13 {
				mean := (a[k] + a[k+1]) / 2
				a[k], a[k+1], again = mean, mean, true
			}
		}
	}
	for _, part := range a {
		sum += part * part
	}
	return sum
}

// With a constant step the losses are those of the formula of privacy amplification by
// iteration along the walk that was seen: 1/n of a release that n-1 others followed before the
// token arrived. Of a coalition they are at least those of each member, and at most what was paid.
func TestLossesAlongTheWalk(t *testing.T) {
	for seed := range uint64(5) {
		got, arm, job := run(t, seed+1, gaussian, "algorithm.decay=0", "measure.pairs=true", "measure.observers=[{nodes: [2, 5]}]")
		of := rhosOf(t, arm, job)
		for v := range messages.NodeID(6) {
			want, name := map[int]float64{}, "node "+string('1'+rune(v))
			var since []messages.NodeID
			for _, hop := range got.hops {
				if since = append(since, hop[0]); hop[0] == v {
					since = nil
				} else if hop[1] == v {
					for _, u := range []messages.NodeID{0, 1, 2, 3, 4, 5} {
						want[int(u)+1] += cheapest(since, u)
					}
					since = nil
				}
			}
			for u := 1; u <= 6; u++ {
				if u == int(v)+1 {
					continue
				}
				learned := of[name][u]
				if math.Abs(learned-want[u]) > 1e-9 {
					t.Errorf("seed %d: %s learns %v of %d, want %v", seed+1, name, learned, u, want[u])
				}
				if learned > of["wire"][u]*(1+1e-9) {
					t.Errorf("seed %d: %s learns %v of %d, and the wire %v", seed+1, name, learned, u, of["wire"][u])
				}
				if both, ok := of["nodes 2, 5"][u]; ok && (name == "node 2" || name == "node 5") && both < learned*(1-1e-9) {
					t.Errorf("seed %d: nodes 2 and 5 learn %v of %d, and %s learns %v", seed+1, both, u, name, learned)
				}
			}
		}
	}
}

// In a Gaussian walk of steps that contract nothing, x_k+1 = x_k + g + noise, what v sees is
// jointly Gaussian, and its exact loss is that of the stretch: mean k over variance n. The
// stated one is no less.
func TestLossesBoundTheExactOnes(t *testing.T) {
	got, arm, job := run(t, 3, gaussian, "algorithm.decay=0", "measure.pairs=true")
	of := rhosOf(t, arm, job)
	for v := range messages.NodeID(6) {
		exact := map[messages.NodeID]float64{}
		count, steps := map[messages.NodeID]float64{}, 0.0
		for _, hop := range got.hops {
			if hop[0] == v {
				continue
			}
			count[hop[0]]++
			if steps++; hop[1] == v {
				for u, k := range count {
					exact[u] += k * k / steps
				}
				count, steps = map[messages.NodeID]float64{}, 0
			}
		}
		for u, loss := range exact {
			if stated := of["node "+string('1'+rune(v))][int(u)+1]; stated < loss*(1-1e-9) {
				t.Errorf("node %d learns %v of node %d, and %v is stated", v+1, loss, u+1, stated)
			}
		}
	}
}

// jointLoss is the exact loss of node u to node v, as a multiple of what one release costs: of all
// that v receives along a walk whose steps are x <- factor x + move + noise, a factor for each
// node. The view is all tokens that come to v together; v knows its own noise. The loss is m' C^-1
// m, m the move of their means where all moves of u turn round, C their covariance. Where u
// forgets, its first step since v had the token has the factor 0.
func jointLoss(hops [][2]messages.NodeID, u, v messages.NodeID, factor []float64, forgets bool, scale func(step int) float64) float64 {
	moved, noise := 0.0, make([]float64, len(hops)) // of the token: its mean, and by step its noise
	var means []float64
	var rows [][]float64
	been := false
	for k, hop := range hops {
		by := factor[hop[0]]
		if been = been && hop[0] != v; hop[0] == u && !been {
			if been = true; forgets {
				by = 0
			}
		}
		moved *= by
		for s := range k {
			noise[s] *= by
		}
		if hop[0] == u {
			moved += scale(k + 1)
		}
		if hop[0] != v {
			noise[k] = scale(k + 1)
		}
		if hop[1] == v && hop[0] != v {
			means, rows = append(means, moved), append(rows, slices.Clone(noise))
		}
	}
	n := len(rows)
	if n == 0 {
		return 0
	}
	c := mat.NewSymDense(n, nil)
	for i, x := range rows {
		for j, y := range rows {
			var sum float64
			for k := range x {
				sum += x[k] * y[k]
			}
			c.SetSym(i, j, sum)
		}
	}
	var factors mat.Cholesky
	m, solved := mat.NewVecDense(n, means), mat.NewVecDense(n, nil)
	if !factors.Factorize(c) || factors.SolveVecTo(solved, m) != nil {
		return math.NaN()
	}
	return mat.Dot(m, solved)
}

// The losses that are stated are no less than those of walks whose law is Gaussian, whatever the
// contractions of the nodes are, and with steps that get shorter; and no more than what peers learn.
// They are close to the larger loss of two walks that contract nothing, in one of which the unit
// forgets what was before its first step.
func TestLossesBoundGaussianWalks(t *testing.T) {
	for _, decay := range []float64{0, 0.5} {
		got, arm, job := run(t, 7, gaussian, fmt.Sprintf("algorithm.decay=%v", decay), "measure.pairs=true")
		of := rhosOf(t, arm, job)
		scale := func(step int) float64 { return math.Pow(float64(step), -decay) }
		r := rand.New(rand.NewPCG(1, 2))
		for trial := range 40 {
			factor := []float64{1, 1, 1, 1, 1, 1}
			for node := range factor {
				if trial > 0 {
					factor[node] = 2*r.Float64() - 1
				}
				if trial > 20 && r.IntN(2) == 0 { // what is on the edge of a contraction
					factor[node] = math.Copysign(1, factor[node])
				}
			}
			var stated, exact float64
			for v := range messages.NodeID(6) {
				for u := range messages.NodeID(6) {
					if u == v {
						continue
					}
					is, says := jointLoss(got.hops, u, v, factor, false, scale), of["node "+string('1'+rune(v))][int(u)+1]
					if !(says >= is*(1-1e-9)) {
						t.Errorf("decay %v, factors %.3g: node %d learns %v of %d, and %v is stated", decay, factor, v+1, is, u+1, says)
					}
					if peer := of["peer"][int(u)+1]; !(says <= peer*(1+1e-9)) {
						t.Errorf("node %d learns %v of %d, and peers %v", v+1, says, u+1, peer)
					}
					if trial == 0 { // noise from before the first step of u hides nothing then
						is = max(is, jointLoss(got.hops, u, v, factor, true, scale))
					}
					stated, exact = stated+says, exact+is
				}
			}
			if trial == 0 {
				t.Logf("decay %v: %.4g is stated of all pairs, and one of two walks has %.4g", decay, stated, exact)
				if stated > 1.1*exact {
					t.Errorf("decay %v: %v is stated of all pairs, and %v is the most", decay, stated, exact)
				}
			}
		}
	}
}

// On the complete graph with self-loops the paper has a closed form, an upper bound in the mean
// over walks: of each of about T/n visits of u, sum_k 1/k P(the token is at v after k steps) = H_T/n.
// The mean over seeds of what the ledger states of walks is below it.
func TestMeanOverWalksIsBelowTheClosedForm(t *testing.T) {
	const seeds = 40
	var sum float64
	for seed := range uint64(seeds) {
		_, arm, job := run(t, seed+1, gaussian, "algorithm.decay=0", "measure.pairs=true", "topology={kind: complete, self_loops: true}")
		for observer, units := range rhosOf(t, arm, job) {
			if strings.HasPrefix(observer, "node ") {
				for _, loss := range units {
					sum += loss / 30 / seeds // 6 x 5 pairs
				}
			}
		}
	}
	harmonic := 0.0
	for k := 1; k <= 30; k++ {
		harmonic += 1 / float64(k)
	}
	bound := 30.0 / 6 * harmonic / 6
	t.Logf("mean over walks %.4g, closed form %.4g", sum, bound)
	if !(sum < bound && sum > bound/4) {
		t.Errorf("mean over walks %v, closed form %v", sum, bound)
	}
}

// Without contractions a coalition learns what was paid for the steps that came to it.
func TestWhereNothingIsAmplified(t *testing.T) {
	for name, overrides := range map[string][]string{
		"clipped":    {gaussian, "algorithm.theta=0.5", "algorithm.gradient_bound=clip"},
		"long steps": {gaussian, "algorithm.learning_rate=9"},
		"nonconvex":  {gaussian, "problem={kind: robust-regression, set: {kind: l2-ball, dimension: 3, radius: 0.5}}"},
		"estimates":  {gaussian, "algorithm.feedback={kind: two-point, radius: 0.01}"},
		"rounded":    {gaussian, "network={kind: ideal, precision: float32}"},
	} {
		got, arm, job := run(t, 2, append(overrides, "algorithm.decay=0", "measure.pairs=true")...)
		of := rhosOf(t, arm, job)
		for v := range messages.NodeID(6) {
			last := -1 // the last step that comes to v
			for step, hop := range got.hops {
				if hop[1] == v && hop[0] != v {
					last = step
				}
			}
			for u := range messages.NodeID(6) {
				want := 0.0
				for step, hop := range got.hops {
					if hop[0] == u && step <= last {
						want++
					}
				}
				if learned := of["node "+string('1'+rune(v))][int(u)+1]; u != v && math.Abs(learned-want) > 1e-9 {
					t.Errorf("%s: node %d learns %v releases of node %d, want %v", name, v+1, learned, u+1, want)
				}
			}
		}
	}
}

// A token cannot be lost, and has to have somewhere to go.
func TestRefuses(t *testing.T) {
	for override, want := range map[string]string{
		"network={kind: effects, loss: {probability: 0.1}}": "network: the algorithm random-walk",
		"algorithm.learning_rate=0":                         "algorithm.learning_rate: learning rate 0; want",
	} {
		if _, err := scenariotest.LoadError(t, text, override); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", override, err, want)
		}
	}
}
