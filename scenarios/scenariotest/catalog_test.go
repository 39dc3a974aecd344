package scenariotest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/auditing"
	"starling/scenarios/guide"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// audited is a scenario of which audits find half of the noise, and do not refute all of it.
type audited struct {
	text      string
	overrides []string
	samples   int // outcomes of each input
	audits    int // the number of losses that are audited; 0 is any
}

// equals is a scenario of nodes without a server.
const equals = `version: 1
name: equals
nodes: 4
horizon: 4
algorithm: {kind: dsgd, learning_rate: 0.5, decay: 0, theta: 1, gradient_bound: clip}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 50}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: gaussian, epsilon: 1, delta: 1e-3}
seeds: {base: 1, count: 1}
`

// variants are scenarios beside the examples of the catalog: noise of other laws and of other
// levels, networks with effects, and what else an audit has to see.
func variants(t *testing.T) map[string]audited {
	const (
		sampled = "mechanism={kind: sampled-gaussian, sigma: 1, delta: 1e-4}"
		weak    = "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}"
		laplace = "mechanism={kind: laplace, epsilon: 0.5}"
		banded  = "mechanism={kind: banded-toeplitz, bands: 3, fit: true, epsilon: 2, delta: 1e-4}"
		record  = "algorithm.level=record"
		batch   = "algorithm.batch=2"
		half    = "algorithm.rate=0.5"
		lossy   = "network={kind: effects, loss: {probability: 0.3}, delay: {longest: 2}}"
		digraph = "topology={kind: k-out, degree: 2, directed: true, every: 1, weighting: {scheme: uniform-out, self_loops: true}}"
		pushed  = "mechanism={kind: laplace, epsilon: 1}"
	)
	list := map[string]audited{
		"dsgd, gaussian":            {equals, nil, 1024, 2},
		"choco, top-k":              {equals, []string{"algorithm={kind: choco, gamma: 0.5, learning_rate: 0.5, decay: 0, theta: 1, gradient_bound: clip}", "network={kind: ideal, compression: {kind: top-k, share: 0.5}}"}, 4096, 2},
		"decor, torus":              {equals, []string{"algorithm={kind: decor, correlated: 4, learning_rate: 0.5, decay: 0, theta: 1, gradient_bound: clip}", "topology={kind: torus, sides: [4]}", "problem.set.dimension=2"}, 1024, 4},
		"decor, lossy":              {equals, []string{"algorithm={kind: decor, correlated: 4, learning_rate: 0.5, decay: 0, theta: 1, gradient_bound: clip}", "topology={kind: torus, sides: [4]}", "problem.set.dimension=2", lossy}, 1024, 4},
		"muffliato, rounds":         {equals, []string{"algorithm={kind: muffliato, rounds: 2, theta: 1, gradient_bound: clip}", "nodes=3"}, 1024, 2},
		"random-walk, long":         {equals, []string{"algorithm={kind: random-walk, learning_rate: 0.8, decay: 0.25}", "topology={kind: complete}", "horizon=30", "problem={kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 0.5}}", "nodes=3"}, 1024, 2},
		"push-diging, digraphs":     {equals, []string{"algorithm={kind: push-diging, theta: 20, gradient_bound: clip}", digraph, pushed}, 1000, 2},
		"push-diging, running sums": {equals, []string{"algorithm={kind: push-diging, theta: 20, gradient_bound: clip, missing: running-sum}", digraph, pushed}, 1000, 2},
		"sgp, digraphs":             {equals, []string{"algorithm={kind: sgp, learning_rate: 0.1, theta: 20, gradient_bound: clip}", digraph, pushed}, 1000, 2},
	}
	served := func(name string, audits int, algorithm string, overrides ...string) {
		list[name] = audited{scenariotest.SineText(t, algorithm), overrides, 2000, audits}
	}
	const ftrl = "{kind: dp-ftrl, learning_rate: 2, clip: 0.3, groups: 3, tau: 2, server_rate: 0.8, momentum: 0.5}"
	served("dp-ftrl, banded", 1, ftrl, banded)
	served("dp-ftrl, amplified", 2, ftrl, banded, "algorithm.amplified=true", half)
	served("dp-ftrl, sampled", 2, ftrl, sampled, half, "algorithm.groups=1")
	served("dp-ftrl, records", 2, ftrl, sampled, record, batch)
	served("dp-ftrl, laplace", 1, ftrl, laplace)
	for _, kind := range []string{"dp-fedavg", "dp-scaffold"} {
		algorithm := "{kind: " + kind + ", learning_rate: 0.5, clip: 0.3, tau: 3, server_rate: 0.8, rate: 0.5}"
		served(kind+", sampled", 2, algorithm, weak)
		served(kind+", records", 2, algorithm, weak, record, batch)
	}
	const buffer = "{kind: fedbuff, learning_rate: 0.5, clip: 0.3, tau: 3, server_rate: 0.8, buffer: 4}"
	served("fedbuff, delays", 1, buffer, weak, "network={kind: effects, patience: 1, delay: {edges: [{from: 1, to: 0, turns: 4}, {from: 2, to: 0, turns: 1}, {from: 5, to: 0, turns: 7}, {from: 0, to: 3, turns: 3}, {from: 0, to: 5, turns: 2}]}}")
	served("fedbuff, laplace", 1, buffer, laplace)
	return list
}

// Audits do not refute all of the noise, and find half of it: of every algorithm that goes with a
// mechanism, in its first example that has noise. Quick tests look for half of the noise of every
// second algorithm, and slow ones for that of all and of variants. Audits of an algorithm in
// Python are in its own package.
func TestAuditsOfTheCatalog(t *testing.T) {
	t.Chdir("../testdata") // where the files are that examples name
	catalog, private := scenarios.Catalog(), map[string]bool{}
	for k, a := range catalog.Algorithms {
		for i, text := range a.Examples {
			if private[a.Kind] || scenariotest.InPython(a) || !testneeds.Some(k, 3) {
				continue
			}
			c := audited{text: text, samples: 512}
			t.Run(fmt.Sprintf("%s/%d", a.Kind, i), func(t *testing.T) {
				// Half of the noise of choices shows in long audits alone: see TestHalfTheNoiseIsFound.
				private[a.Kind] = c.holds(t, a.Kind != "fedsvt" && testneeds.Some(k, 6))
			})
		}
	}
	for name, c := range variants(t) {
		if !testneeds.SlowWanted() {
			break
		}
		t.Run(name, func(t *testing.T) {
			if !c.holds(t, true) {
				t.Error("nothing is private")
			}
		})
	}
	for _, p := range guide.Pairs(&catalog) {
		if !p.Fits || p.Section != "mechanism" || p.Kind == "none" {
			continue
		}
		if noisy, ran := private[p.Algorithm]; ran && !noisy {
			t.Errorf("%s goes with %s, and no example of it has noise", p.Algorithm, p.Kind)
		}
	}
}

// holds audits with all of the noise and, unless half is false, with half of it. Half of it is
// often found with few outcomes: only where it is not, the audit takes as many as with all of the
// noise. holds reports whether there is any noise.
func (c *audited) holds(t *testing.T, half bool) (private bool) {
	t.Helper()
	s := loadText(t, c.text, c.overrides...)
	list := auditIn(t, s, auditOptions(c.samples))
	if c.audits > 0 && len(list) != c.audits {
		t.Errorf("%d audits, want %d", len(list), c.audits)
	}
	for _, a := range list {
		if private = private || a.Private(); a.Private() && a.Refuted() {
			t.Errorf("%s is refuted: at least %v of %v, noise as stated: %v", a.Mechanism, a.Audited, a.Accounted, a.NoiseAsStated())
		}
	}
	if !private || !half {
		return private
	}
	var missed []string
	for _, samples := range []int{auditing.FewestAudited, c.samples} {
		if missed = c.missed(t, s, samples); len(missed) == 0 {
			return true
		}
	}
	t.Errorf("half of the noise is not found in %s", strings.Join(missed, ", "))
	return true
}

// missed are the losses of which an audit does not find half of the noise.
func (c *audited) missed(t *testing.T, s *study.Scenario, samples int) (list []string) {
	t.Helper()
	o := auditOptions(samples)
	o.Noise = 0.5
	for _, a := range auditIn(t, s, o) {
		if a.Private() && !a.Refuted() {
			list = append(list, a.Mechanism)
		}
	}
	slices.Sort(list)
	return list
}
