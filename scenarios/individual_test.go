package scenarios_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
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

const ownEpsilons = "groups: [{first: 1, last: 2, epsilon: 0.5}, {nodes: [4], epsilon: 2}]"

// Rates, clips and rhos that are found have the epsilons of their groups, to 1e-6 from below, with any
// accountant and neighbours. A client in no group has the values of the algorithm.
func TestValuesAreFoundForEpsilons(t *testing.T) {
	for _, by := range []string{"rate", "clip", "filter"} {
		for _, more := range []string{"", ", accountant: rdp-cks", ", accountant: pld", ", neighbours: replace"} {
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
	"rates":     {"algorithm.rate=0.8", "algorithm.rates=[{first: 1, last: 2, value: 0.2}]"},
	"clips":     {"algorithm.clips=[{first: 1, last: 2, value: 0.4}, {nodes: [3], value: 1.5}]"},
	"filters":   {"algorithm.filters=[{first: 1, last: 2, value: 0.2}, {nodes: [3], value: 0.05}]"},
	"by rate":   {"mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: rate, " + ownEpsilons + "}"},
	"by clip":   {"mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: clip, " + ownEpsilons + "}", "algorithm.rate=0.5"},
	"by filter": {"mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: filter, " + ownEpsilons + "}"},
	"together":  {"algorithm.rate=0.8", "algorithm.rates=[{first: 1, last: 2, value: 0.2}]", "algorithm.clips=[{nodes: [2, 4], value: 0.5}]", "algorithm.groups=2"},
	"filters and clips": {"algorithm.filters=[{first: 1, last: 3, value: 0.1}]", "algorithm.clips=[{nodes: [2, 4], value: 0.5}]", "algorithm.groups=2"},
}

// Audits accept the losses of clients that differ, one of each kind, and find half of the noise.
func TestAuditsOfClientsThatDiffer(t *testing.T) {
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
