package baseline_test

import (
	"math"
	"slices"
	"testing"

	"starling/messages"
	"starling/scenarios/scenariotest"
)

// SGP is Algorithm 1 of Assran et al., line by line, on weights whose columns alone sum to 1.
func TestSGPByTheLinesOfAlgorithm1(t *testing.T) {
	p := [3][3]float64{{.5, .5, 0}, {0, .5, .5}, {.5, 0, .5}}
	p[0][2], p[2][2] = .25, .25 // column 3: 1/4, 1/2, 1/4
	s := scenariotest.LoadText(t, equals, "algorithm.kind=sgp", "topology={kind: matrices, matrices: [[[1/2, 1/2, 1/4], [0, 1/2, 1/2], [1/2, 0, 1/4]]], weights: unchecked}", "problem.set.radius=50")
	got, job := scenariotest.Decide(t, s)
	x, z := [3][]float64{}, [3][]float64{} // numerators and ratios
	w := [3]float64{1, 1, 1}
	for i := range x {
		x[i], z[i] = make([]float64, 4), make([]float64, 4)
	}
	for step := 1; step <= 40; step++ {
		half := [3][]float64{} // line 4: x - gamma times the gradient at z
		for i := range x {
			if d := far([][]float64{got[messages.NodeID(i)][step-1]}, [][]float64{z[i]}); !(d < 1e-12) {
				t.Fatalf("node %d decides %v in step %d, want %v", i+1, got[messages.NodeID(i)][step-1], step, z[i])
			}
			g := make([]float64, 4)
			job.Run.Costs.Gradient(g, messages.NodeID(i), step, z[i])
			half[i] = slices.Clone(x[i])
			for k := range g {
				half[i][k] -= 0.7 / math.Sqrt(math.Sqrt(float64(step))) * g[k]
			}
		}
		var mass [3]float64
		for i := range x { // lines 5 to 8
			x[i] = make([]float64, 4)
			for j := range half {
				for k := range x[i] {
					x[i][k] += p[i][j] * half[j][k]
				}
				mass[i] += p[i][j] * w[j]
			}
		}
		w = mass
		for i := range z {
			for k := range z[i] {
				z[i][k] = x[i][k] / w[i]
			}
		}
	}
	if w[0] == 1 {
		t.Error("masses stay 1")
	}
}

// With doubly stochastic weights all masses are 1, and SGP is DSGD but for rounding; there
// both lose the same.
func TestSGPWithDoublyStochasticWeightsIsDSGD(t *testing.T) {
	const noise = "mechanism={kind: laplace, epsilon: 2}"
	dsgd, _ := scenariotest.Decide(t, scenariotest.LoadText(t, equals))
	sgp, _ := scenariotest.Decide(t, scenariotest.LoadText(t, equals, "algorithm.kind=sgp"))
	for i := range messages.NodeID(3) {
		if d := far(dsgd[i], sgp[i]); !(d < 1e-13) {
			t.Errorf("node %d is %v away", i, d)
		}
	}
	var losses []any
	for _, kind := range []string{"dsgd", "sgp"} {
		m := scenariotest.MeasuredIn(t, equals, "algorithm.kind="+kind, noise)
		for _, row := range m.Rows {
			if row.Metric == "epsilon.total" && row.Step == 40 {
				losses = append(losses, row.Value)
			}
		}
	}
	if len(losses) != 2 || losses[0] != losses[1] {
		t.Errorf("losses %v", losses)
	}
}
