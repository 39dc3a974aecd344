package guide_test

import (
	"errors"
	"strings"
	"testing"

	"starling/scenarios/document"
	"starling/scenarios/scenariotest"
)

// TestFaultsOfAllLayers breaks scenarios in a section, in what the algorithm makes of it,
// and in what goes together, all at once. Every fault is told, and none that is not there.
func TestFaultsOfAllLayers(t *testing.T) {
	const whole = `version: 1
name: broken
horizon: 100
nodes: 6
algorithm: {kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}
topology: {kind: ring}
mechanism: {kind: laplace, epsilon: 2}
`
	for _, test := range []struct {
		edits []string // pairs of a text and what stands in its place
		want  []string // paths of faults, in the order of the file
	}{
		{[]string{"theta: 1", "theta: -1", "{kind: euclidean, scale: 0.5}", "{kind: entropy}", "{kind: ring}", "{kind: hypercube}", "epsilon: 2}", "epsilon: 2}\nbudget: {epsilon: 1, on: refuse}\nmeasure: {at: [1000]}"},
			[]string{"algorithm.divergence.kind", "algorithm.theta", "topology", "budget.epsilon", "measure.at[0]"}},
		{[]string{"kind: dpdonc", "kind: dpdnoc", "kind: logistic", "kind: logsitic", "l2-ball", "l2-bal", "radius: 2", "radius: 0", "kind: ring", "kind: rnig", "laplace", "lapalce", "epsilon: 2}", "epsilon: 2}\nsweep: {grid: {nodess: [1]}}"},
			[]string{"algorithm.kind", "problem.kind", "problem.set.kind", "problem.set.radius", "topology.kind", "mechanism.kind", "nodess"}},
		{[]string{"kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, theta: 1, gradient_bound: clip", "kind: dpfl, learning_rate: 0.1, clip: 1", "{kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}", "{kind: images, data: synthetic, train: 120, model: {kind: softmax}, partition: {kind: shards, shards: 6}}",
			"{kind: ring}", "{kind: star}", "laplace, epsilon: 2", "tree, epsilon: 0, delta: 2"},
			[]string{"algorithm.tau", "problem.partition.per_client", "mechanism.epsilon", "mechanism.delta"}},
		{[]string{"radius: 2", "radius: 0", "epsilon: 2}", "epsilon: 2}\nplots: [{name: x, y: accuracy.final}]"}, []string{"problem.set.radius", "plots[0].y"}},
		{[]string{"horizon: 100", "horizon: 0"}, []string{"horizon"}},
		// Whether a hypercube has so many nodes is not known before there are so many.
		{[]string{"horizon: 100", "horizon: -1", "nodes: 6", "nodes: 0", "radius: 2", "radius: 0", "{kind: ring}", "{kind: hypercube}", "epsilon: 2", "epsilom: 2"},
			[]string{"horizon", "nodes", "problem.set.radius", "mechanism.epsilom"}},
		{[]string{"{kind: logistic, set:", "{kind: table, file: none.csv, party: who, label: y, model: {kind: logistic}, set:", "dimension: 4, ", "", "horizon: 100", "horizon: 1000"}, []string{"problem.file"}},
	} {
		loader := scenariotest.Loader(t)
		loader.FillIn = newGuide(t).FillIn
		text := scenariotest.Edited(t, whole, test.edits...)
		_, err := loader.Load(scenariotest.File(t, text))
		if err == nil {
			t.Fatalf("no fault in\n%s", text)
		}
		var issues document.Issues
		if !errors.As(err, &issues) {
			t.Fatalf("no issues, but %v", err)
		}
		var got []string
		for _, issue := range issues.Sorted() {
			got = append(got, issue.Path)
		}
		if strings.Join(got, " ") != strings.Join(test.want, " ") {
			t.Errorf("faults at %s, want %s:\n%v", got, test.want, err)
		}
	}
}
