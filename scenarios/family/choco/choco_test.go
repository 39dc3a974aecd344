package choco_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/messages/compression"
	"starling/scenarios/auditing"
	"starling/scenarios/family/choco"
	"starling/scenarios/kind"
	"starling/scenarios/scenariotest"
	"starling/scenarios/section/networks"
	"starling/scenarios/study"
)

const text = `version: 1
name: choco
nodes: 3
horizon: 60
algorithm: {kind: choco, gamma: 0.4, learning_rate: 0.7, decay: 0.25}
problem: {kind: synthetic-logistic, dimension: 8, test_samples: 5, set: {kind: l2-ball, dimension: 8, radius: 0.4}}
topology: {kind: matrices, matrices: [[[1/2, 1/4, 1/4], [1/4, 3/4, 0], [1/4, 0, 3/4]]]}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
`

// w is the matrix of text.
var w = [][]float64{{.5, .25, .25}, {.25, .75, 0}, {.25, 0, .75}}

// watched keeps what everybody decided and recorded, in front of a meter.
type watched struct {
	scenariotest.Decided
	lost []float64 // by step, the sum over nodes of the squares recorded
	sent int64     // bytes
}

func (p *watched) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	if quantity == "compression.error" {
		for len(p.lost) < step {
			p.lost = append(p.lost, 0)
		}
		p.lost[step-1] += value * value
	}
	p.ExposureMeter.Recorded(node, step, quantity, value)
}

func (p *watched) Sent(step int, messages, bytes int64) {
	p.sent += bytes
	p.ExposureMeter.Sent(step, messages, bytes)
}

// run runs the first arm of a scenario under seed 1, with other costs unless they are nil.
func run(t *testing.T, costs algorithm.Costs, text string, overrides ...string) (*watched, *study.Job) {
	t.Helper()
	job, err := scenariotest.LoadText(t, text, overrides...).Arms[0].Algorithm.Job(1)
	if err != nil {
		t.Fatal(err)
	}
	p := &watched{Decided: scenariotest.NewDecided(job)}
	job.Run.Meter = p
	if costs != nil {
		job.Run.Costs = costs
	}
	if err := lockstep.Run(t.Context(), &job.Run); err != nil {
		t.Fatal(err)
	}
	return p, job
}

// encoded is what the receivers of node i decode of r in a step, and how many bytes it has.
func encoded(t *testing.T, codec compression.Codec, r []float64, i, step int) ([]float64, int) {
	t.Helper()
	var stream rng.Stream
	work := compression.Work{Rand: stream.Open(rng.NewKey(1, algorithm.Compressing), i, step, 0)}
	src, err := codec.Encode(nil, r, &work)
	if err != nil {
		t.Fatal(err)
	}
	q, err := compression.Decode(nil, src)
	if err != nil {
		t.Fatal(err)
	}
	return q, 5 + len(src)
}

// kinds are some codecs, as scenarios name them and as they are.
var kinds = map[string]compression.Codec{
	"{kind: top-k, share: 0.25}":    compression.TopK{Share: 0.25},
	"{kind: random-k, share: 0.25}": compression.RandomK{Share: 0.25},
	"{kind: dithering, levels: 3}":  compression.Dithering{Levels: 3},
	"{kind: sign}":                  compression.Sign{},
}

// A node computes what a literal transcription of Algorithm 2 does, with one xhat_j for
// every neighbour, xhat_i = 0 at first, and P in the end. The ball is small, so that
// steps end outside of it. Bytes are those of the forms, to the last.
func TestLiterally(t *testing.T) {
	for kind, codec := range kinds {
		got, job := run(t, nil, text, "network={kind: ideal, compression: "+kind+"}")
		const d, gamma = 8, 0.4
		zeros := func() [][]float64 { return [][]float64{make([]float64, d), make([]float64, d), make([]float64, d)} }
		x, hats, projected, sent := zeros(), map[int][][]float64{0: zeros(), 1: zeros(), 2: zeros()}, 0, 0
		for step := 1; step <= 60; step++ {
			half, q := zeros(), zeros()
			for i := range 3 {
				if y := got.X[messages.NodeID(i)][step-1]; !(scenariotest.Far(y, x[i]) < 1e-12) {
					t.Fatalf("%s: node %d decides %v in step %d, want %v", kind, i, y, step, x[i])
				}
				g, change := make([]float64, d), make([]float64, d)
				job.Run.Costs.Gradient(g, messages.NodeID(i), step, x[i]) // line 2
				for k := range g {
					half[i][k] = x[i][k] - 0.7/math.Sqrt(math.Sqrt(float64(step)))*g[k] // line 3
					change[k] = half[i][k] - hats[i][i][k]
				}
				var size int
				q[i], size = encoded(t, codec, change, i, step) // line 4
				for j := range 3 {
					if j != i && w[j][i] > 0 {
						sent += size
					}
				}
			}
			for i := range 3 {
				for j := range 3 {
					if w[i][j] > 0 {
						for k := range d {
							hats[i][j][k] += q[j][k] // line 7
						}
					}
				}
				var square float64
				for k := range d {
					x[i][k] = half[i][k]
					for j := range 3 {
						x[i][k] += gamma * w[i][j] * (hats[i][j][k] - hats[i][i][k]) // line 9
					}
					square += x[i][k] * x[i][k]
				}
				if square > 0.4*0.4 {
					projected++
					for k := range d {
						x[i][k] *= 0.4 / math.Sqrt(square)
					}
				}
			}
		}
		if projected == 0 {
			t.Errorf("%s: no step ends outside the ball", kind)
		}
		if got.sent != int64(sent) {
			t.Errorf("%s: %d bytes, want %d", kind, got.sent, sent)
		}
	}
}

// Without a codec and with gamma = 1 it is decentralised gradient descent.
func TestWithoutCompressionIsDSGD(t *testing.T) {
	choco, _ := run(t, nil, text, "algorithm.gamma=1")
	dsgd, _ := run(t, nil, text, "algorithm={kind: dsgd, learning_rate: 0.7, decay: 0.25}")
	for i := range messages.NodeID(3) {
		for step := range dsgd.X[i] {
			if d := scenariotest.Far(choco.X[i][step], dsgd.X[i][step]); !(d < 1e-12) {
				t.Fatalf("node %d is %v away in step %d", i, d, step+1)
			}
		}
	}
	if last := choco.lost[len(choco.lost)-1]; last != 0 {
		t.Errorf("%v is lost without a codec", last)
	}
}

// once are costs that matter in the first step alone, linear: what comes after it is
// CHOCO-GOSSIP, Algorithm 1, from values that differ.
type once struct{ slopes [][]float64 }

func (o once) Loss(node messages.NodeID, step int, x []float64) (sum float64) {
	if step == 1 {
		for k, v := range x {
			sum += o.slopes[node][k] * v
		}
	}
	return sum
}

func (o once) Gradient(dst []float64, node messages.NodeID, step int, _ []float64) {
	if clear(dst); step == 1 {
		copy(dst, o.slopes[node])
	}
}

const gossipText = `version: 1
name: gossip
nodes: 8
horizon: 4000
algorithm: {kind: choco, gamma: 0.05, learning_rate: 1, decay: 0, theta: 100}
problem: {kind: synthetic-logistic, dimension: 16, test_samples: 5, set: {kind: l2-ball, dimension: 16, radius: 1000}}
topology: {kind: matrices, matrices: [MATRIX]}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
measure: {every: 4000, metrics: [consensus.error]}
`

// ring is gossipText on a ring of 8 nodes that give a third to each neighbour and to
// themselves.
func ring() string {
	var rows []string
	for i := range 8 {
		row := slices.Repeat([]string{"0"}, 8)
		row[i], row[(i+1)%8], row[(i+7)%8] = "1/3", "1/3", "1/3"
		rows = append(rows, "["+strings.Join(row, ", ")+"]")
	}
	return strings.Replace(gossipText, "MATRIX", "["+strings.Join(rows, ", ")+"]", 1)
}

// drawn are costs of one step with normal slopes.
func drawn(nodes, d int) once {
	o := once{make([][]float64, nodes)}
	for i := range o.slopes {
		o.slopes[i] = make([]float64, d)
		rng.New(uint64(i + 1)).FillNormal(o.slopes[i])
	}
	return o
}

// potential is e_t of Theorem 2: sum_i ||x_i^t - xbar||^2 + ||x_i^t - xhat_i^{t+1}||^2. The
// mean is that of the slopes, which gossip keeps.
func (p *watched) potential(costs once) (e []float64) {
	n, d := len(costs.slopes), len(costs.slopes[0])
	mean := make([]float64, d)
	for _, g := range costs.slopes {
		for k := range g {
			mean[k] -= g[k] / float64(n)
		}
	}
	for step := 1; step < len(p.lost); step++ { // from the step after that of the costs
		sum := p.lost[step]
		for i := range n {
			for k, v := range p.X[messages.NodeID(i)][step] {
				sum += (v - mean[k]) * (v - mean[k])
			}
		}
		e = append(e, sum)
	}
	return e
}

// Theorem 2: with its gamma, e_t <= (1 - delta^2 omega/82)^t e_0, delta the gap of
// eigenvalues and beta the norm of I - W. The theorem is of the mean over what codecs draw;
// this is one run, and what happens is so far below the bound that the mean cannot matter.
func TestTheorem2(t *testing.T) {
	costs := drawn(8, 16)
	delta, beta := 1.0, 0.0
	for k := 1; k < 8; k++ {
		lambda := (1 + 2*math.Cos(2*math.Pi*float64(k)/8)) / 3
		delta, beta = min(delta, 1-math.Abs(lambda)), max(beta, 1-lambda)
	}
	for kind, codec := range kinds {
		omega := codec.Omega(16)
		gamma := delta * delta * omega / (16*delta + delta*delta + 4*beta*beta + 2*delta*beta*beta - 8*delta*omega)
		got, _ := run(t, costs, ring(), fmt.Sprintf("algorithm.gamma=%v", gamma), "network={kind: ideal, compression: "+kind+"}")
		e := got.potential(costs)
		for step, v := range e {
			if bound := math.Pow(1-delta*delta*omega/82, float64(step)) * e[0]; v > bound*(1+1e-9) {
				t.Errorf("%s: e_%d = %v, want at most %v", kind, step, v, bound)
				break
			}
		}
	}
}

// With a gamma of use gossip converges linearly, to the last digits of numbers: each
// quarter of the steps gains about what the one before did. Plain gossip of compressed
// values does not converge at all (section 3 of the paper).
func TestGossipConvergesLinearly(t *testing.T) {
	costs := drawn(8, 16)
	const horizon = 800
	for kind, gamma := range map[string]float64{"{kind: top-k, share: 0.25}": 0.15, "{kind: dithering, levels: 3}": 0.2, "{kind: sign}": 0.15, "{kind: random-k, share: 0.25}": 0.1} {
		network := "network={kind: ideal, compression: " + kind + "}"
		got, _ := run(t, costs, ring(), network, fmt.Sprintf("algorithm.gamma=%v", gamma), fmt.Sprintf("horizon=%d", horizon), "measure.every=400")
		e := got.potential(costs)
		quarter := len(e) / 4
		first, second := math.Log(e[quarter]/e[2*quarter]), math.Log(e[2*quarter]/e[3*quarter])
		t.Logf("%s: e = %.3g, %.3g, %.3g, %.3g", kind, e[0], e[quarter], e[2*quarter], e[3*quarter])
		if !(first > 3 && math.Abs(first/second-1) < 0.35) {
			t.Errorf("%s: a quarter gains %v, the next %v", kind, first, second)
		}
		plain, _ := run(t, costs, ring(), network, fmt.Sprintf("horizon=%d", horizon), "measure.every=400", "algorithm={kind: dsgd, learning_rate: 1, decay: 0, theta: 100}")
		var apart float64
		for i := range messages.NodeID(8) {
			apart = max(apart, scenariotest.Far(plain.X[i][horizon-1], got.X[0][horizon-1]))
		}
		if !(apart > 0.01) {
			t.Errorf("%s: plain gossip comes within %v of the mean", kind, apart)
		}
	}
}

const private = `version: 1
name: private
nodes: 3
horizon: 6
algorithm: {kind: choco, gamma: 0.5, learning_rate: 0.5, decay: 0, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 50}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: gaussian, epsilon: 1, delta: 1e-3}
network: {kind: ideal, compression: {kind: top-k, share: 0.5}}
seeds: {base: 1, count: 1}
`

// counted is top-k that counts how often it was asked, over all of a test.
type counted struct {
	Top compression.TopK `yaml:",inline"`
}

var encodings atomic.Int64

func (c counted) Encode(dst []byte, x []float64, w *compression.Work) ([]byte, error) {
	encodings.Add(1)
	return c.Top.Encode(dst, x, w)
}
func (c counted) Omega(d int) float64 { return c.Top.Omega(d) }
func (c counted) Validate() error     { return c.Top.Validate() }
func (c counted) String() string      { return c.Top.String() }

// Audits run with the codec of the scenario. They find a node that goes on from what it has not
// released: the compressed q_t is not all that others learn of it.
func TestAudit(t *testing.T) {
	text := strings.NewReplacer("choco, gamma", "cheating, gamma", "top-k", "counted").Replace(private)
	more := kind.Catalog{Algorithms: []kind.Kind{choco.Cheating()}, Codecs: []kind.Kind{kind.Of("counted", "for a test", networks.CodecSection[counted]{})}}
	if !scenariotest.Refuted(t, text, scenariotest.AuditOptions(4096), more) {
		t.Error("a node that cheats is not found")
	}
	if encodings.Load() < auditing.FewestAudited {
		t.Error("the codec was not asked")
	}
}

// What choco refuses.
func TestRefuses(t *testing.T) {
	for _, test := range []struct{ override, want string }{
		{"algorithm.gamma=1.5", "algorithm.gamma: gamma 1.5; want"},
		{"algorithm={kind: choco}", `missing required key "gamma"`},
		{"algorithm.missing=hold", "algorithm.missing: hold: a message is a change since the last message"},
		{"topology={kind: one-peer}|nodes=4", "topology: graphs change in the course of the run"},
		{"topology={kind: permutations, degree: 2, every: 1}", "topology: graphs change in the course of the run"},
		{"network={kind: effects, churn: {fail: 0.1, recover: 0.5, forget: true}}", "network: the algorithm choco keeps sums of messages"},
	} {
		_, err := scenariotest.LoadError(t, text, strings.Split(test.override, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.override, err, test.want)
		}
	}
}
