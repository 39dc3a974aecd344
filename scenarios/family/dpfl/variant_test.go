package dpfl_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/problem/stream"
	"starling/scenarios/scenariotest"
)

const averaging = `version: 1
name: averaging
nodes: 4
horizon: 12
algorithm: {kind: ALGORITHM}
problem: {kind: synthetic-logistic, dimension: 3, test_samples: 5, sizes: {exponent: 1}}
topology: {kind: star}
mechanism: {kind: none}
seeds: {base: 5, count: 1}
`

// modelsOf are the models that the rounds of an algorithm leave.
func modelsOf(t *testing.T, algorithm string, overrides ...string) [][]float64 {
	t.Helper()
	x, _ := scenariotest.Decide(t, scenariotest.LoadText(t, strings.Replace(averaging, "ALGORITHM", algorithm, 1), overrides...))
	return x[0]
}

// plain is federated averaging as a loop over the data, drawn anew: the mean of models,
// by the number of samples, after tau steps of full gradients with a term mu/2 of the
// distance from the server's model. Stragglers take fewer steps, or are left out of the mean.
func plain(t *testing.T, tau int, rate, mu float64, stragglers *algorithm.DrawnStragglers) (models [][]float64) {
	t.Helper()
	o := stream.DefaultSyntheticOptions()
	o.Dimension, o.TestSamples = 3, 5
	p, err := stream.NewSyntheticLogistic(o, 4)
	if err != nil {
		t.Fatal(err)
	}
	in, x := p.Draw(5), make([]float64, 3)
	sizes := []int{192, 96, 64, 48} // 400 by 1, 1/2, 1/3, 1/4
	for round := range 12 {
		mean, all := make([]float64, 3), 0.0
		for i, size := range sizes {
			local := slices.Clone(x)
			steps := stragglers.Steps(messages.NodeID(i+1), round+1, tau)
			if steps > 0 {
				all += float64(size)
			}
			for range steps {
				g := make([]float64, 3)
				for k := range size {
					d := make([]float64, 4) // features, then the label
					in.Datum(d, messages.NodeID(i), k+1)
					margin := d[3] * (d[0]*local[0] + d[1]*local[1] + d[2]*local[2])
					for j := range g {
						g[j] -= d[3] * d[j] / (1 + math.Exp(margin)) / float64(size)
					}
				}
				for j := range local {
					g[j] += mu * (local[j] - x[j])
				}
				for j := range local {
					local[j] -= rate * g[j]
				}
			}
			for j := range mean {
				if steps > 0 {
					mean[j] += local[j] * float64(size)
				}
			}
		}
		if all > 0 { // else the model stays
			for j := range mean {
				x[j] = mean[j] / all
			}
		}
		models = append(models, slices.Clone(x))
	}
	return models
}

// near tells whether models are the same up to rounding.
func near(x, y [][]float64) error {
	if len(x) != len(y) {
		return fmt.Errorf("%d models and %d", len(x), len(y))
	}
	for t := range x {
		for k := range x[t] {
			if !(math.Abs(x[t][k]-y[t][k]) < 1e-11) {
				return fmt.Errorf("round %d: %v and %v", t+1, x[t], y[t])
			}
		}
	}
	return nil
}

// FedAvg, FedProx and gradient descent in one place are what a plain loop computes.
// One local step of full gradients is a step on the mean of all losses.
func TestBaselinesByAPlainLoop(t *testing.T) {
	slow := algorithm.Stragglers{Share: 0.8}
	dropped := algorithm.Stragglers{Share: 0.8, Update: algorithm.UnfinishedDrop}
	for _, test := range []struct {
		algorithm string
		tau       int
		mu        float64
		of        *algorithm.DrawnStragglers
	}{
		{"fedavg, tau: 3, learning_rate: 0.5", 3, 0, nil},
		{"fedavg, tau: 3, learning_rate: 0.5, mu: 0.3", 3, 0.3, nil},
		{"fedavg, learning_rate: 0.5", 1, 0, nil},
		{"central, learning_rate: 0.5", 1, 0, nil},
		{"fedavg, tau: 3, learning_rate: 0.5, stragglers: {share: 1, steps: 2}", 2, 0, nil},
		{"fedavg, tau: 5, learning_rate: 0.5, mu: 0.3, stragglers: {share: 0.8}", 5, 0.3, slow.Draw(5, 5)},
		{"fedavg, tau: 5, learning_rate: 0.5, stragglers: {share: 0.8, update: drop}", 5, 0, dropped.Draw(5, 5)},
	} {
		if err := near(modelsOf(t, test.algorithm), plain(t, test.tau, 0.5, test.mu, test.of)); err != nil {
			t.Errorf("%s: %v", test.algorithm, err)
		}
	}
	if near(modelsOf(t, "fedavg, tau: 3, learning_rate: 0.5"), modelsOf(t, "fedavg, tau: 3, learning_rate: 0.5, mu: 0.3")) == nil {
		t.Error("mu changes nothing")
	}
}

// A batch of central is sampled of all data, and DPFL of one client that has them is the
// same algorithm.
func TestCentralIsDPFLOfOneClient(t *testing.T) {
	private := "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5}"
	one := []string{private, "nodes=1", "problem.sizes=null"}
	central := modelsOf(t, "central, learning_rate: 0.5, batch: 10, clip: 0.5", one...)
	dpfl := modelsOf(t, "dpfl, tau: 1, learning_rate: 0.5, batch: 10, clip: 0.5", one...)
	if err := near(central, dpfl); err != nil {
		t.Error(err)
	}
	if near(central, modelsOf(t, "central, learning_rate: 0.5, batch: 10, clip: 0.5", private)) == nil {
		t.Error("the data of four clients are those of one")
	}
}

// What these algorithms refuse.
func TestBaselinesRefuse(t *testing.T) {
	for _, test := range []struct{ algorithm, override, want string }{
		{"fedavg, learning_rate: 1", "mechanism={kind: laplace, epsilon: 1}", "does not go with the algorithm fedavg"},
		{"fedavg, learning_rate: 1", "algorithm.mu=-1", "algorithm.mu: mu = -1; want"},
		{"fedavg, learning_rate: 1", "algorithm.tau=0", "algorithm.tau: 0 local steps"},
		{"central, learning_rate: 1", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}", "algorithm.clip: clipping norm C = +Inf; want a finite number"},
		{"central, learning_rate: 1, batch: 401", "mechanism={kind: none}", "algorithm.batch: batch B = 401 is more than the 400 samples"},
		{"dpfl, learning_rate: 1, tau: 1, clip: 1, batch: 401", "mechanism={kind: sampled-gaussian, epsilon: 2, delta: 1e-5}", "algorithm.batch: batch B = 401 is more than the 192 samples of client 1"},
		{"central, learning_rate: 1", "network={kind: effects, loss: {probability: 0.1}}", "the server of central waits for every client"},
	} {
		_, err := scenariotest.LoadError(t, strings.Replace(averaging, "ALGORITHM", test.algorithm, 1), test.override)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, %s: %v, want %q", test.algorithm, test.override, err, test.want)
		}
	}
}

// Correlated noise for more local steps than can be counted is refused, and not left out.
func TestUncountableLocalSteps(t *testing.T) {
	text := strings.NewReplacer("ALGORITHM", "dpfl, learning_rate: 0.1, clip: 1, tau: 9223372036854775807", "{kind: none}", "{kind: tree, epsilon: 1, delta: 1e-3}").Replace(averaging)
	want := "algorithm.tau: 9223372036854775807 local steps in each of 12 rounds are too many to count"
	if _, err := scenariotest.LoadError(t, text); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
