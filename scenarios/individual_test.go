package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// trustedStar is a server that is trusted, with the noise of the sampled Gaussian mechanism.
var trustedStar = strings.NewReplacer("clip: none", "clip: 1, rate: 1", "mechanism: {kind: none}", "mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-5}").Replace(honestStar)

// finalLosses are the losses of clients at the end of a run, by observer.
func finalLosses(t *testing.T, text string, overrides ...string) map[accountant.Observer]map[int32]float64 {
	t.Helper()
	s := loadText(t, text, overrides...)
	_, j := scenariotest.SentBy(t, s, 0, 0)
	return scenariotest.FinalRows(t, s.Arms[0], j)
}

// The loss of each client is that of an arm in which all clients have its rate and its clip, at the
// same noise.
func TestClientsHaveLossesOfTheirOwn(t *testing.T) {
	for _, algorithm := range []string{"dp-fedavg", "dp-scaffold", "dp-ftrl"} {
		for _, base := range [][]string{nil, {"algorithm.groups=2", "horizon=8"}, {"mechanism.neighbours=replace"}, {"mechanism.accountant=pld"}} {
			base := append([]string{"algorithm.kind=" + algorithm}, base...)
			got := finalLosses(t, trustedStar, append(base,
				"algorithm.rate=0.5", "algorithm.rates=[{nodes: [4], value: 0.1}, {first: 1, last: 2, value: 0.3}]", "algorithm.clips=[{nodes: [2, 4], value: 0.5}]")...)
			for client, values := range map[int32][3]string{1: {"0.3", "1", "2"}, 2: {"0.3", "0.5", "4"}, 3: {"0.5", "1", "2"}, 4: {"0.1", "0.5", "4"}, 5: {"0.5", "1", "2"}} {
				want := finalLosses(t, trustedStar, append(base, "algorithm.rate="+values[0], "algorithm.clip="+values[1], "mechanism.sigma="+values[2])...)
				for _, observer := range accountant.Observers() {
					a, b := got[observer][client], want[observer][client]
					if b == 0 || a != b && !(math.Abs(a-b) <= 1e-12*b) {
						t.Errorf("%v: client %d loses %v to %s, and %v where all clients have its values", base, client, a, observer, b)
					}
				}
			}
		}
	}
}

// Noise of a law has the loss of the bound of each client, and gains nothing by rates.
func TestBoundsOfNoiseOfALaw(t *testing.T) {
	for mechanism, half := range map[string]string{"{kind: laplace, epsilon: 1}": "{kind: laplace, epsilon: 0.5}", "{kind: gaussian, epsilon: 1, delta: 1e-5}": ""} {
		got := finalLosses(t, trustedStar, "mechanism="+mechanism, "algorithm.rates=[{share: 0.6, value: 0.3}]", "algorithm.clips=[{nodes: [2, 4], value: 0.5}]")[accountant.Peer]
		free := finalLosses(t, trustedStar, "mechanism="+mechanism)[accountant.Peer]
		for client := int32(1); client <= 5; client++ {
			want := free[client]
			switch {
			case client != 2 && client != 4:
			case half != "":
				want = finalLosses(t, trustedStar, "mechanism="+half)[accountant.Peer][client]
			default: // half of mu, of three rounds
				sigma, err := accountant.GaussianSigma(1, 1e-5)
				if err != nil {
					t.Fatal(err)
				}
				if want, err = accountant.GaussianEpsilon(2*sigma/math.Sqrt(3), 1e-5); err != nil {
					t.Fatal(err)
				}
			}
			// The accountant pld states up to 0.5 % more than the exact value.
			if !(got[client] >= want*(1-1e-9) && got[client] <= 1.005*want) || want == 0 {
				t.Errorf("%s: client %d loses %v, want %v", mechanism, client, got[client], want)
			}
		}
	}
}

const ownEpsilons = "groups: [{first: 1, last: 2, epsilon: 0.5}, {nodes: [4], epsilon: 2}]"

// Rates, clips and rhos that are found have the epsilons of their groups, to 1e-6 from below, with any
// accountant and neighbours. A client in no group has the values of the algorithm.
func TestValuesAreFoundForEpsilons(t *testing.T) {
	for i, by := range []string{"rate", "clip", "filter"} {
		for j, more := range []string{"", ", accountant: rdp-cks", ", accountant: pld", ", neighbours: replace"} {
			if !testneeds.Some(i+j, 3) {
				continue
			}
			// In so many rounds a rate of 1 costs more than 2, and a filter binds.
			mechanism := "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: " + by + ", " + ownEpsilons + more + "}"
			got := finalLosses(t, trustedStar, "horizon=40", mechanism)[accountant.Peer]
			for client, want := range map[int32]float64{1: 0.5, 2: 0.5, 4: 2} {
				if e := got[client]; e > want || want-e > 1e-6 {
					t.Errorf("by %s%s: client %d loses %.9g, want %v", by, more, client, e, want)
				}
			}
			free := finalLosses(t, trustedStar, "horizon=40", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5"+more+"}")[accountant.Peer][3]
			if got[3] != free || got[5] != free || free < 3 {
				t.Errorf("by %s%s: clients in no group lose %v and %v, want %v", by, more, got[3], got[5], free)
			}
		}
	}
}

// The rate of a group is the one that a search by halving finds, by the plain accountant.
func TestRatesThatAreFound(t *testing.T) {
	s := loadText(t, trustedStar, "horizon=40", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: rate, "+ownEpsilons+"}")
	found := scenariotest.NoteOf(runIn(t, s, runner.RunOptions{Engine: runner.Lockstep}).Manifest.Notes, "found")
	if shown := s.Arms[0].Algorithm.(study.Calibrator).Calibration(); shown != found {
		t.Errorf("shown %q, noted %q", shown, found)
	}
	for _, epsilon := range []float64{0.5, 2} {
		low, high := 0.0, 1.0
		for range 60 {
			rate := (low + high) / 2
			if e, _, err := (accountant.SampledGaussian{Rate: rate, Noise: 2, Steps: 40}).Epsilon(1e-5, accountant.RDP); err != nil || e > epsilon {
				high = rate
			} else {
				low = rate
			}
		}
		before, _, _ := strings.Cut(found, fmt.Sprintf(" for %v (", epsilon))
		if rate, err := strconv.ParseFloat(before[strings.LastIndex(before, " ")+1:], 64); err != nil || !(math.Abs(rate-low) <= 1e-5*low) {
			t.Errorf("epsilon %v: rate %v by halving, %q (%v)", epsilon, low, found, err)
		}
	}
}

// individualArms are arms of trustedStar whose clients differ, by their names.
var individualArms = map[string][]string{
	"rates":             {"algorithm.rate=0.8", "algorithm.rates=[{first: 1, last: 2, value: 0.2}]"},
	"clips":             {"algorithm.clips=[{first: 1, last: 2, value: 0.4}, {nodes: [3], value: 1.5}]"},
	"filters":           {"algorithm.filters=[{first: 1, last: 2, value: 0.2}, {nodes: [3], value: 0.05}]"},
	"by rate":           {"mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: rate, " + ownEpsilons + "}"},
	"by clip":           {"mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: clip, " + ownEpsilons + "}", "algorithm.rate=0.5"},
	"by filter":         {"mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: filter, " + ownEpsilons + "}"},
	"together":          {"algorithm.rate=0.8", "algorithm.rates=[{first: 1, last: 2, value: 0.2}]", "algorithm.clips=[{nodes: [2, 4], value: 0.5}]", "algorithm.groups=2"},
	"filters and clips": {"algorithm.filters=[{first: 1, last: 3, value: 0.1}]", "algorithm.clips=[{nodes: [2, 4], value: 0.5}]", "algorithm.groups=2"},
}

// Audits accept the losses of clients that differ, one of each kind, and find half of the noise.
func TestAuditsOfClientsThatDiffer(t *testing.T) {
	testneeds.Slow(t)
	for name, arm := range individualArms {
		s := loadText(t, trustedStar, append([]string{"mechanism.sigma=0.6", "horizon=20"}, arm...)...)
		for _, noise := range []float64{1, 0.5} {
			o := scenariotest.AuditOptions(1024)
			o.Noise = noise
			found := false
			for _, a := range scenariotest.AuditIn(t, s, o) {
				t.Logf("%s, noise %v, %s: accounted %.4g, audited %.4g", name, noise, a.Mechanism, a.Accounted, a.Audited)
				found = found || a.Refuted()
			}
			if found != (noise < 1) {
				t.Errorf("%s, noise %v: found %v", name, noise, found)
			}
		}
	}
}

// sentVectors runs a job of the first arm, and returns the vectors that a client sends, by round.
func sentVectors(t *testing.T, s *study.Scenario, client messages.NodeID) map[int][]float64 {
	t.Helper()
	j := scenariotest.JobOf(t, s)
	sent := map[int][]float64{}
	visit := func(w *lockstep.Watched) error {
		for _, single := range w.Outbox.Singles(0) {
			sent[w.Step] = slices.Clone(single.Payload.(*messages.Vector).Values)
		}
		return nil
	}
	if err := lockstep.Watch(t.Context(), &j.Run, &lockstep.Watcher{Node: client, Visit: visit}); err != nil {
		t.Fatal(err)
	}
	return sent
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// What a client with a filter sends is what it sends without one, shortened to what is left of its
// rho by a plain loop. The first vectors are as long as the clip, and the last ones are empty.
func TestFiltersShortenVectors(t *testing.T) {
	for _, algorithm := range []string{"dp-fedavg", "dp-scaffold", "dp-ftrl"} {
		overrides := []string{"horizon=30", "algorithm.kind=" + algorithm, "algorithm.clip=0.05", "algorithm.clips=[{nodes: [2], value: 0.02}]", "algorithm.filters=[{first: 1, last: 2, value: 0.4}]"}
		s := loadText(t, trustedStar, overrides...)
		for client, clip := range map[messages.NodeID]float64{1: 0.05, 2: 0.02, 3: 0.05} {
			sent, paid, empty := sentVectors(t, s, client), 0.0, 0
			for round := 1; round <= 30; round++ {
				length := norm(sent[round])
				bound := clip
				if client < 3 {
					bound = min(clip, 2*0.05*math.Sqrt(2*max(0, 0.4-paid)))
				}
				if length > bound*(1+1e-9) {
					t.Errorf("%s: client %d sends %v in round %d, where %v is allowed", algorithm, client, length, round, bound)
				}
				if paid += length * length / (2 * 4 * 0.05 * 0.05); length == 0 {
					empty++
				}
			}
			switch {
			case client == 3 && (empty > 0 || paid < 1), client == 1 && (empty < 20 || paid > 0.4 || paid < 0.4*(1-1e-9)), client == 2 && (empty > 20 || paid > 0.4):
				t.Errorf("%s: client %d pays %v, with %d empty vectors", algorithm, client, paid, empty)
			}
		}
	}
}

// A vector that a filter shortens is not counted as clipped: the metric would show how much is left.
func TestFiltersAreInNoMetric(t *testing.T) {
	clipped := func(overrides ...string) (list []float64) {
		rows := scenariotest.MeasuredIn(t, trustedStar, append(overrides, "horizon=1", "algorithm.clip=1e3")...).Rows
		return scenariotest.ValuesOf(rows, "clip.updates")
	}
	with, without := clipped("algorithm.filters=[{share: 1, value: 1e-9}]"), clipped()
	if len(with) == 0 || !slices.Equal(with, without) || with[0] != 0 {
		t.Errorf("shares of clipped vectors %v with filters, and %v without", with, without)
	}
}

// Runs whose clients differ have one digest on all runtimes.
func TestDigestsOfClientsThatDiffer(t *testing.T) {
	for name, arm := range individualArms {
		s := loadText(t, trustedStar, append([]string{"horizon=6"}, arm...)...)
		digests := map[string]bool{}
		for _, o := range scenariotest.SomeEngines(s) {
			digests[metricsOf(t, s, o).Digest] = true
		}
		if len(digests) != 1 {
			t.Errorf("%s: %v", name, digests)
		}
		through, _ := scenariotest.SentBy(t, s, 0, 0, 1)
		resumed, _ := scenariotest.SentBy(t, s, 3, 0, 1)
		for _, node := range []messages.NodeID{0, 1} {
			if node == 0 && len(through[node]) == 0 || !slices.Equal(through[node], resumed[node]) {
				t.Errorf("%s: node %d sends %v, and resumed %v", name, node, through[node], resumed[node])
			}
		}
	}
}

// The mean divides the sum of a round by the sum of the rates.
func TestSumsAreDividedByTheSumOfRates(t *testing.T) {
	s := loadText(t, strings.NewReplacer("kind: sampled-gaussian, sigma: 2, delta: 1e-5", "kind: none").Replace(trustedStar),
		"horizon=8", "algorithm.rates=[{first: 1, last: 2, value: 0.3}, {nodes: [4], value: 0.9}]")
	sums := make([][]float64, 10)
	for client := range 5 {
		for round, v := range sentVectors(t, s, messages.NodeID(client+1)) {
			if sums[round] == nil {
				sums[round] = make([]float64, len(v))
			}
			for k, x := range v {
				sums[round][k] += x
			}
		}
	}
	models, _ := scenariotest.SentBy(t, s, 0, 0)
	for round := 2; round <= 8; round++ {
		change := models[0][round-1].First - models[0][round-2].First
		if want := sums[round][0] / (0.3 + 0.3 + 1 + 0.9 + 1); !(math.Abs(change-want) <= 1e-12) {
			t.Errorf("round %d: the model changes by %v, want %v", round, change, want)
		}
	}
}

// Settings without a proof are refused, each with its reason and place, all together.
func TestClientsThatDifferAreRefused(t *testing.T) {
	const rates, by = "algorithm.rates=[{share: 0.4, value: 0.5}]", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: rate, " + ownEpsilons + "}"
	const filters = "algorithm.filters=[{share: 0.4, value: 0.5}]"
	for _, test := range []struct {
		overrides []string
		wants     []string
	}{
		{[]string{rates, "algorithm.kind=fedbuff", "algorithm.buffer=2"}, []string{"algorithm.rates: which clients meet in a buffer"}},
		{[]string{rates, "algorithm.clips=[{nodes: [1], value: 2}]", "algorithm.level=record"}, []string{"algorithm.rates: with level: record", "algorithm.clips: with level: record"}},
		{[]string{by, "algorithm.aggregation={kind: local}"}, []string{"mechanism.by: with aggregation"}},
		{[]string{filters, "nodes=6", "topology={kind: tiers, fan: [2, 3], noise: cloud}"}, []string{"algorithm.filters: levels of servers"}},
		{[]string{rates, "mechanism={kind: independent, epsilon: 1, delta: 1e-5}"}, []string{"algorithm.rates: noise that is correlated"}},
		{[]string{rates, "algorithm.times=2"}, []string{"algorithm.rates: a client pays in every round of its group"}},
		{[]string{rates, "algorithm.apart=2"}, []string{"algorithm.rates: a client pays in every round"}},
		{[]string{filters, "algorithm.rate=0.5"}, []string{"algorithm.filters: the proof of individual filters has no secret sample"}},
		{[]string{filters, rates, "algorithm.times=2"}, []string{"algorithm.filters: the proof of individual filters", "algorithm.filters: a client pays", "algorithm.rates: a client pays"}},
		{[]string{filters, "mechanism={kind: laplace, epsilon: 1}"}, []string{"algorithm.filters: individual filters are for Gaussian noise; Laplace noise"}},
		{[]string{by, rates}, []string{"algorithm.rates: mechanism.by: rate finds these values"}},
		{[]string{by, "mechanism.groups=[{nodes: [1], epsilon: 50}, {nodes: [2], epsilon: 60}]"}, []string{"mechanism.groups: client 1: no rate has an epsilon of 50: 1, the largest, costs", "client 2: no rate has an epsilon of 60"}},
		{[]string{by, "mechanism.groups=[{nodes: [1], epsilon: none}]"}, []string{"mechanism.groups[0].epsilon: no rate has an infinite epsilon"}},
		{[]string{by, "mechanism.groups=[{nodes: [7], epsilon: 1}]", "algorithm.clips=[{nodes: [8], value: 1}]"}, []string{"mechanism.groups[0].nodes[0]: there is no node 7", "algorithm.clips[0].nodes[0]: there is no node 8"}},
		{[]string{by, "mechanism.sigma=null", "mechanism.epsilon=1"}, []string{"mechanism.epsilon: the values of groups are found at a noise multiplier"}},
		{[]string{"mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: rate}"}, []string{"mechanism.by: rate is found for the epsilons of groups"}},
		{[]string{"mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, " + ownEpsilons + "}"}, []string{"mechanism.groups: missing key by"}},
		{[]string{"algorithm.rates=[{share: 0.4, value: 1.5}]"}, []string{"algorithm.rates[0].value: a value of 1.5; want at most 1"}},
		{[]string{"algorithm.rates=[{share: 0.4, value: 0}]"}, []string{"algorithm.rates[0].value: a value of 0; want a finite number > 0"}},
		{[]string{"algorithm.clips=[{share: 0.4}]", "algorithm.rates=[]"}, []string{`missing required key "value"`, "algorithm.rates: 0 groups"}},
		{[]string{"algorithm={kind: dpfl, tau: 1, learning_rate: 0.1, clip: 1, samples: 10}", by}, []string{"mechanism.groups: clients with an epsilon of their own are for a trusted server"}},
	} {
		_, err := loadError(t, trustedStar, test.overrides...)
		for _, want := range test.wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %q", test.overrides, err, want)
			}
		}
	}
}

// A file gives clients the values that lists give them, and its faults have lines.
func TestValuesOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "clients.csv")
	if err := os.WriteFile(file, []byte("client,q\n1,0.3\n2,0.3\n3,1\n4,0.9\n5,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	free := finalLosses(t, trustedStar, "algorithm.rates=null")
	if one := finalLosses(t, trustedStar)[accountant.Peer][1]; free[accountant.Peer][1] != one {
		t.Errorf("rates of null cost %v, want %v", free[accountant.Peer][1], one)
	}
	got := finalLosses(t, trustedStar, "algorithm.rates={file: "+file+", nodes: client, value: q}")
	want := finalLosses(t, trustedStar, "algorithm.rates=[{first: 1, last: 2, value: 0.3}, {nodes: [4], value: 0.9}]")
	for client := int32(1); client <= 5; client++ {
		if a, b := got[accountant.Peer][client], want[accountant.Peer][client]; a != b || a == 0 {
			t.Errorf("client %d loses %v by the file, want %v", client, a, b)
		}
	}
	if err := os.WriteFile(file, []byte("client,q\n1,0.3\n2,none\n3,1\n6,0.9\n5,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := loadError(t, trustedStar, "algorithm.rates={file: "+file+", nodes: client, value: q}")
	for _, want := range []string{`algorithm.rates.file: `, `clients.csv:3:3: the value is "none", want a finite number > 0`, "clients.csv:5:1: there is no node 6; there are 5", "node 4 has no line"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
