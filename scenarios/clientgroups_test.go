package scenarios_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// noisyStar is a server that is not trusted, whose clients have three epsilons.
var noisyStar = strings.NewReplacer("clip: none", "clip: 1, aggregation: {kind: local}", "mechanism: {kind: none}", "mechanism: {kind: gaussian, epsilon: 1, delta: 1e-5}").Replace(honestStar)

const clientGroups = "groups: [{nodes: [4], epsilon: 0.5}, {first: 1, last: 2, epsilon: 3}]"

// The loss of each group of clients is that of an arm in which all clients have its epsilon, to
// every observer.
func TestClientsHaveEpsilonsOfTheirOwn(t *testing.T) {
	losses := func(overrides ...string) map[accountant.Observer]map[int32]float64 {
		s := loadText(t, noisyStar, overrides...)
		_, j := scenariotest.SentBy(t, s, 0, 0)
		return scenariotest.FinalRows(t, s.Arms[0], j)
	}
	for _, mechanism := range []string{"kind: gaussian, epsilon: EPS, delta: 1e-5", "kind: laplace, epsilon: EPS", "kind: gaussian, epsilon: EPS, delta: 1e-5, neighbours: replace"} {
		for _, algorithm := range []string{"dp-fedavg", "dp-scaffold", "dp-ftrl"} {
			with := func(epsilon string) string {
				return "mechanism={" + strings.Replace(mechanism, "EPS", epsilon, 1) + "}"
			}
			of := "algorithm.kind=" + algorithm
			got := losses(strings.TrimSuffix(with("1"), "}")+", groups: [{nodes: [4], epsilon: 0.5}, {first: 1, last: 2, epsilon: 3}]}", of)
			for client, epsilon := range map[int32]string{1: "3", 2: "3", 3: "1", 4: "0.5", 5: "1"} {
				want := losses(with(epsilon), of)
				for observer := range want {
					if a, b := got[observer][client], want[observer][client]; a != b && !(math.Abs(a-b) <= 1e-12*b) {
						t.Errorf("%s, %s: client %d loses %v to %s, and %v where all clients have its epsilon", algorithm, mechanism, client, a, observer, b)
					}
				}
			}
		}
	}
}

// A coalition learns of each node outside it what an arm states in which all nodes have that node's
// epsilon: of equals, of clients, and with the server among its members. Of Laplace noise this is
// the sum over releases, the closed form.
func TestCoalitionsLearnOfGroups(t *testing.T) {
	const groups = "groups: [{nodes: [4], epsilon: 0.5}, {first: 1, last: 2, epsilon: 3}]"
	epsilons := map[int32]float64{1: 3, 2: 3, 3: 1, 4: 0.5, 5: 1}
	for name, test := range map[string]struct {
		text     string
		releases float64 // of a node in the run
		others   []string
		members  string
	}{
		"equals":             {personal, 12, []string{"nodes=5"}, "2, 5"},
		"clients":            {noisyStar, 3, nil, "2, 5"},
		"server and clients": {noisyStar, 3, nil, "0, 2, 5"},
	} {
		for _, mechanism := range []string{"kind: laplace, epsilon: EPS", "kind: gaussian, epsilon: EPS, delta: 1e-5"} {
			observed := accountant.Observer("nodes " + test.members)
			losses := func(epsilon, more string) map[int32]float64 {
				overrides := append(slices.Clone(test.others), "measure.observers=[{nodes: ["+test.members+"]}]",
					"mechanism={"+strings.Replace(mechanism, "EPS", epsilon, 1)+more+"}")
				s := loadText(t, test.text, overrides...)
				_, j := scenariotest.SentBy(t, s, 0, 0)
				return scenariotest.FinalRows(t, s.Arms[0], j)[observed]
			}
			got := losses("1", ", "+groups)
			if len(got) != 3 {
				t.Fatalf("%s: %s learns of %d nodes", name, observed, len(got))
			}
			for node, loss := range got {
				want := losses(fmt.Sprint(epsilons[node]), "")[node]
				if !(math.Abs(loss-want) <= 1e-12*want) {
					t.Errorf("%s, %s: it learns %v of node %d, and %v where all have its epsilon", name, mechanism, loss, node, want)
				}
				if sum := test.releases * epsilons[node]; strings.Contains(mechanism, "laplace") && !(math.Abs(loss-sum) <= 1e-12*sum) {
					t.Errorf("%s: it learns %v of node %d, and releases sum to %v", name, loss, node, sum)
				}
			}
		}
	}
}

// The model is the mean of messages, weighted by the inverse of the variances of their noise, with
// a sum of the weights that is the number of clients. The noise of a message is its client's own.
func TestWeightsByInverseVariance(t *testing.T) {
	const groups = ", groups: [{nodes: [4], epsilon: 0.5}, {first: 1, last: 2, epsilon: 3}]}"
	// The variance of Laplace noise is as 1/epsilon^2. The variance of Gaussian noise by the conversion
	// of zCDP is as 1/rho, and epsilon = rho + 2 sqrt(rho ln(1/delta)).
	rho := func(epsilon float64) float64 {
		l := -math.Log(1e-5)
		root := math.Sqrt(l+epsilon) - math.Sqrt(l)
		return root * root
	}
	for _, test := range []struct {
		mechanism, rule string
		precision       func(epsilon float64) float64
	}{
		{"kind: laplace, epsilon: 1", "equal", func(float64) float64 { return 1 }},
		{"kind: laplace, epsilon: 1", "inverse-variance", func(epsilon float64) float64 { return epsilon * epsilon }},
		{"kind: gaussian, epsilon: 1, delta: 1e-5, calibration: zcdp", "inverse-variance", rho},
	} {
		rule := test.mechanism + " " + test.rule
		s := loadText(t, noisyStar, "mechanism={"+test.mechanism+groups, "horizon=2", "algorithm.aggregation.weights="+test.rule)
		sent, _ := scenariotest.SentBy(t, s, 0, 0, 1, 2, 3, 4, 5)
		weights, sum := map[messages.NodeID]float64{}, 0.0
		for client, epsilon := range map[messages.NodeID]float64{1: 3, 2: 3, 3: 1, 4: 0.5, 5: 1} {
			weights[client] = 5 * test.precision(epsilon)
			sum += test.precision(epsilon)
		}
		mean := 0.0
		for client, weight := range weights {
			mean += weight / sum * sent[client][1].First / 5 // of the second round
		}
		change := sent[0][1].First - sent[0][0].First
		if !(math.Abs(change-mean) <= 1e-12*math.Abs(mean)) {
			t.Errorf("%s: the model changes by %v, want %v", rule, change, mean)
		}
	}
	// Where all noise is alike the weights are equal.
	o := runner.RunOptions{Engine: runner.Lockstep}
	alike := metricsOf(t, loadText(t, noisyStar, "algorithm.aggregation.weights=inverse-variance"), o).Digest
	if want := metricsOf(t, loadText(t, noisyStar), o).Digest; alike != want {
		t.Errorf("alike: %s, want %s", alike, want)
	}
}

// Runs with groups of clients have one digest on all runtimes.
func TestDigestsOfGroupsOfClients(t *testing.T) {
	for _, overrides := range [][]string{nil, {"algorithm.rate=0.5"}, {"adversaries={kind: sign-flip, nodes: [2]}"}} {
		s := loadText(t, noisyStar, append([]string{"mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, " + clientGroups + "}", "algorithm.aggregation.weights=inverse-variance"}, overrides...)...)
		digests := map[string]bool{}
		for _, o := range scenariotest.SomeEngines(s) {
			digests[metricsOf(t, s, o).Digest] = true
		}
		if len(digests) != 1 {
			t.Errorf("%v: %v", overrides, digests)
		}
	}
}

// An audit accepts the noise of a client in a group, and finds half of it.
func TestAuditsOfGroupsOfClients(t *testing.T) {
	t.Parallel()
	for _, groups := range []string{clientGroups, "groups: [{first: 4, last: 5, epsilon: 3}]"} {
		s := loadText(t, noisyStar, "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, "+groups+"}")
		for _, noise := range []float64{1, 0.5} {
			o := scenariotest.AuditOptions(1024)
			o.Noise = noise
			found := false
			for _, a := range scenariotest.AuditIn(t, s, o) {
				t.Logf("noise %v, %s: accounted %.4g, audited %.4g", noise, a.Mechanism, a.Accounted, a.Audited)
				found = found || a.Audited > a.Accounted || !a.NoiseAsStated()
			}
			if found != (noise < 1) {
				t.Errorf("%s, noise %v: found %v", groups, noise, found)
			}
		}
	}
}

func TestGroupsOfClientsAreRefused(t *testing.T) {
	for _, test := range []struct {
		overrides []string
		want      string
	}{
		{[]string{"algorithm.aggregation=null"}, "mechanism.groups: noise that differs between clients is on their messages"},
		{[]string{"algorithm.aggregation={kind: secure, survivors: 2}"}, "mechanism.groups: noise that differs between clients"},
		{[]string{"algorithm.aggregation={kind: local, survivors: 2}"}, "mechanism.groups: noise that differs between clients"},
		{[]string{"mechanism.over_time={law: inverse-sqrt}"}, "is for nodes without a server"},
		{[]string{"mechanism.groups=[{nodes: [6], epsilon: 1}]"}, "mechanism.groups[0].nodes[0]: there is no node 6; there are 5"},
		{[]string{"mechanism.groups=[{nodes: [5], epsilon: none}]"}, "mechanism.groups: client 5 has no noise, and the models"},
		{[]string{"mechanism.epsilon=none"}, "mechanism.groups: client 3 has no noise, and the models"},
		{[]string{"algorithm.combine={kind: median}", "algorithm.aggregation.weights=inverse-variance"}, "algorithm.aggregation.weights: weights are of a mean"},
		{[]string{"algorithm.aggregation={kind: secure, survivors: 2, weights: equal}"}, "this is a key of kind: local"},
		{[]string{"algorithm={kind: dpfl, tau: 1, learning_rate: 0.1, clip: 1, samples: 10}"}, "mechanism.groups: "},
	} {
		_, err := loadError(t, noisyStar, append([]string{"mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, " + clientGroups + "}"}, test.overrides...)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.overrides, err, test.want)
		}
	}
}
