package scenarios_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// lawArms are arms of equals and of clients whose epsilons are drawn.
var lawArms = map[string]struct {
	text      string
	mechanism string // without groups
	nodes     int
}{
	"equals, laplace":      {personal, "kind: laplace, epsilon: 1", 7},
	"equals, gaussian":     {personal, "kind: gaussian, epsilon: 1, delta: 1e-5", 7},
	"equals, independent":  {personal, "kind: independent, epsilon: 1, delta: 1e-5", 7},
	"clients, laplace":     {noisyStar, "kind: laplace, epsilon: 1", 5},
	"clients, gaussian":    {noisyStar, "kind: gaussian, epsilon: 1, delta: 1e-5", 5},
	"clients, by the mean": {noisyStar, "kind: gaussian, epsilon: none, delta: 1e-5", 5},
}

// lawLosses are the losses of units to all observers under a seed, of epsilons by groups.
func lawLosses(t *testing.T, arm, groups string, overrides ...string) map[accountant.Observer]map[int32]float64 {
	t.Helper()
	of := lawArms[arm]
	s := loadText(t, of.text, append(overrides, "mechanism={"+of.mechanism+", groups: "+groups+"}")...)
	_, j := scenariotest.SentBy(t, s, 0, 0)
	return scenariotest.FinalRows(t, s.Arms[0], j)
}

// Each node loses what it loses in an arm with a list of the same epsilons, which are the quantiles
// of numbers of its stream; another seed changes nothing.
func TestEpsilonsOfALaw(t *testing.T) {
	for name, arm := range lawArms {
		for law, quantile := range map[string]func(u float64) float64{
			"{law: uniform, from: 0.5, to: 3}":              func(u float64) float64 { return 0.5 + 2.5*u },
			"{law: log-uniform, from: 0.5, to: 3, draw: 2}": func(u float64) float64 { return math.Exp(math.Log(0.5) + u*math.Log(6)) },
			"{law: choice, values: [0.5, 3, 1], shares: [.5, .2, .3]}": func(u float64) float64 {
				return map[bool]float64{true: 0.5, false: map[bool]float64{true: 3, false: 1}[u < 0.7]}[u < 0.5]
			},
		} {
			draw := uint64(1)
			if strings.Contains(law, "draw: 2") {
				draw = 2
			}
			key := rng.NewKey(draw, rng.PurposeOf("mechanism.epsilons"))
			var list []string
			for node := range arm.nodes {
				list = append(list, fmt.Sprintf("{nodes: [%d], epsilon: %.17g}", node+1, quantile(key.Uniform(node, 0, 0))))
			}
			want := lawLosses(t, name, "["+strings.Join(list, ", ")+"]")
			for _, seed := range []string{"seeds.base=1", "seeds.base=9"} {
				got := lawLosses(t, name, law, seed)
				for observer, units := range want {
					for unit, loss := range units {
						if own := got[observer][unit]; own != loss && !(math.Abs(own-loss) <= 1e-12*loss) {
							t.Errorf("%s, %s, %s: node %d loses %v to %s, and %v by a list", name, law, seed, unit, own, observer, loss)
						}
					}
				}
			}
		}
	}
}

// Arms whose epsilons are drawn have one digest on all runtimes, values of a choice are groups, and
// a budget is spread over the ends of a law.
func TestRunsOfALaw(t *testing.T) {
	for _, name := range []string{"equals, gaussian", "clients, laplace"} {
		of := lawArms[name]
		s := loadText(t, of.text, "mechanism={"+of.mechanism+", groups: {law: choice, values: [0.5, 4]}}", "measure={by: group}")
		digests := map[string]bool{}
		for _, o := range scenariotest.SomeEngines(s) {
			digests[metricsOf(t, s, o).Digest] = true
		}
		if len(digests) != 1 {
			t.Errorf("%s: %v", name, digests)
		}
		rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
		if groups := lastOwn(rows, "epsilon.group"); len(groups) != 2 || !(groups[2] > groups[1]) {
			t.Errorf("%s: epsilons of groups are %v", name, groups)
		}
	}
	spread := loadText(t, personal, "mechanism={kind: laplace, epsilon: 1, groups: {law: uniform, from: 0.5, to: 3}}", "budget={epsilon: 5, on: spread}")
	_, j := scenariotest.SentBy(t, spread, 0, 0)
	most := 0.0
	for _, loss := range scenariotest.FinalRows(t, spread.Arms[0], j)[accountant.Wire] {
		most = max(most, loss)
	}
	if !(most <= 5 && most > 5*(1-1e-5)) {
		t.Errorf("a budget of 5 is spread to %v", most)
	}
}

func TestLawsAreRefused(t *testing.T) {
	for groups, wants := range map[string][]string{
		"{law: normal}":                                      {`groups.law: unknown value "normal"`},
		"{law: uniform}":                                     {"groups.from: from is for the laws uniform and log-uniform, and they need it", "groups.to: to is for"},
		"{law: uniform, from: 2, to: 1}":                     {"groups.to: the law ends at 1, below its beginning at 2"},
		"{law: uniform, from: 0, to: -1}":                    {"groups.from: from = 0", "groups.to: to = -1"},
		"{law: choice, from: 1, shares: [1]}":                {"groups.values: values are for the law choice", "groups.from: from is for", "groups.shares: 1 shares for 0 values"},
		"{law: choice, values: [1, 0]}":                      {"groups.values[1]: epsilon = 0"},
		"{law: choice, values: [1, 2], shares: [0.5, 0.6]}":  {"groups.shares: the shares sum to 1.1, want 1"},
		"{law: choice, values: [1, 2], shares: [1.5, -0.5]}": {"groups.shares[0]: a share of 1.5", "groups.shares[1]: a share of -0.5"},
		"{law: log-uniform, from: 1, to: 2, file: a.csv}":    {`unknown key "file"`},
		"{law: uniform, from: 1, to: 2, draw: 0}":            {"groups.draw: draw = 0"},
	} {
		_, err := loadError(t, personal, "mechanism={kind: laplace, epsilon: 1, groups: "+groups+"}")
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), "mechanism:1:") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q at its place", groups, err, want)
			}
		}
	}
	_, err := loadError(t, personal, "mechanism={kind: laplace, epsilon: 1, groups: {law: uniform, from: 1, to: 2}}", "measure={by: group}")
	if err == nil || !strings.Contains(err.Error(), "the epsilons of a law uniform are as many as nodes, and make no groups") {
		t.Errorf("groups of a law: %v", err)
	}
	if _, err := loadError(t, noisyStar, "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, groups: {law: choice, values: [none, 1]}}"); err == nil || !strings.Contains(err.Error(), "has no noise, and the models") {
		t.Errorf("clients without noise: %v", err)
	}
}
