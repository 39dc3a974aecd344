package scenarios_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// hiddenStar is a server that sees the sums of messages alone, of clients with bounds of their own.
var hiddenStar = strings.NewReplacer("clip: none", "clip: 1, rate: 1, aggregation: {kind: secure, survivors: 3}, clips: [{first: 1, last: 2, value: 0.4}, {nodes: [3], value: 1.5}]",
	"mechanism: {kind: none}", "mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-5}").Replace(honestStar)

// The loss of each client is that of an arm in which all have its bound, at the same noise, to every
// observer: the server, peers who know their own message, and coalitions who know several.
func TestBoundsOfTheirOwnInSums(t *testing.T) {
	for _, more := range [][]string{nil, {"mechanism.accountant=pld"}, {"mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}"}, {"algorithm.kind=dp-scaffold"}, {"algorithm.aggregation.dropout=0.2", "horizon=6"}} {
		watched := append(slices.Clone(more), "measure={observers: [{nodes: [4, 5]}, {nodes: [0, 5]}]}")
		if slices.Contains(more, "algorithm.kind=dp-scaffold") {
			watched = slices.Clone(more)
		}
		got := finalLosses(t, hiddenStar, watched...)
		for client, values := range map[int32][2]string{1: {"0.4", "5"}, 2: {"0.4", "5"}, 3: {"1.5", "1.3333333333333333"}, 4: {"1", "2"}, 5: {"1", "2"}} {
			noise := "mechanism.sigma=" + values[1]
			arm := append(slices.Clone(watched), "algorithm.clips=null", "algorithm.clip="+values[0], noise)
			if slices.ContainsFunc(more, func(m string) bool { return strings.Contains(m, "kind: gaussian") }) {
				continue // whose noise follows from epsilon
			}
			for observer, units := range finalLosses(t, hiddenStar, arm...) {
				want, there := units[client]
				if a := got[observer][client]; there && (want == 0 || !(math.Abs(a-want) <= 1e-12*want)) {
					t.Errorf("%v: client %d loses %v to %s, and %v where all have its bound", more, client, a, observer, want)
				}
			}
		}
		// By mu of a Gaussian mechanism: the loss is of the ratio of bounds.
		if peer, server := got[accountant.Peer], got[accountant.Server]; !(peer[3] > server[3] && server[3] > server[4] && server[4] > server[1]) {
			t.Errorf("%v: losses %v to a peer, and %v to the server", more, peer, server)
		}
	}
}

// The loss to the server is the closed form of one Gaussian mechanism of mu = sqrt(T) C_i/(sigma C), and to a
// peer, who knows one of three shares, of mu times sqrt(3/2).
func TestBoundsOfTheirOwnByTheClosedForm(t *testing.T) {
	got := finalLosses(t, hiddenStar, "mechanism.accountant=pld")
	for client, clip := range map[int32]float64{1: 0.4, 3: 1.5, 5: 1} {
		for observer, factor := range map[accountant.Observer]float64{accountant.Server: 1, accountant.Peer: math.Sqrt(1.5)} {
			mu := math.Sqrt(3) * clip / 2 * factor
			want, err := accountant.GaussianEpsilon(1/mu, 1e-5)
			if a := got[observer][client]; err != nil || !(a >= want*(1-1e-9) && a <= 1.005*want) {
				t.Errorf("client %d loses %v to %s, want %v (%v)", client, a, observer, want, err)
			}
		}
	}
}

// Bounds are found for the epsilons of groups, to the server.
func TestBoundsInSumsAreFound(t *testing.T) {
	for _, more := range []string{"", ", accountant: pld"} {
		mechanism := "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, by: clip, groups: [{first: 1, last: 2, epsilon: 0.5}, {nodes: [4], epsilon: 2, delta: 1e-3}]" + more + "}"
		got := finalLosses(t, hiddenStar, "algorithm.clips=null", mechanism)[accountant.Server]
		for client, want := range map[int32]float64{1: 0.5, 2: 0.5, 4: 2} {
			if e := got[client]; e > want || want-e > 1e-6 {
				t.Errorf("client %d loses %.9g, want %v", client, e, want)
			}
		}
		s := loadText(t, hiddenStar, "algorithm.clips=null", mechanism)
		if note := scenariotest.NoteOf(runIn(t, s, runner.RunOptions{Engine: runner.Lockstep}).Manifest.Notes, "found"); !strings.Contains(note, "clips, the largest") {
			t.Errorf("the note says %q", note)
		}
	}
}

// Vectors are within their own bounds, runs have one digest on all runtimes, go on from where they stopped,
// and a budget stops clients one by one.
func TestRunsOfBoundsInSums(t *testing.T) {
	s := loadText(t, hiddenStar, "horizon=6", "algorithm.aggregation.survivors=2", "budget={epsilon: 4, delta: 1e-5, on: stop}")
	through := oneDigest(t, s, 3, 0, 1, 3)
	if len(through[3]) >= len(through[1]) {
		t.Errorf("client 3 of bound 1.5 sends %d messages, and client 1 of bound 0.4 %d", len(through[3]), len(through[1]))
	}
	quiet := loadText(t, hiddenStar, "mechanism={kind: none}", "algorithm.clip=1e-3", "algorithm.clips=[{nodes: [1], value: 1e-4}]")
	for client, clip := range map[messages.NodeID]float64{1: 1e-4, 2: 1e-3} {
		for round, v := range sentVectors(t, quiet, client) {
			if length := norm(v); length > clip*(1+1e-9) || length < clip*(1-1e-9) {
				t.Errorf("client %d sends %v in round %d, and its bound is %v", client, length, round, clip)
			}
		}
	}
}

// Audits of one client of each bound do not refute its loss, and refute half of the noise.
func TestAuditsOfBoundsInSums(t *testing.T) {
	testneeds.Slow(t)
	for _, noise := range []float64{1, 0.5} {
		o := scenariotest.AuditOptions(1024)
		o.Noise = noise
		found, audits := false, 0
		for _, a := range scenariotest.AuditIn(t, loadText(t, hiddenStar, "mechanism.sigma=0.6"), o) {
			audits++
			t.Logf("noise %v, %s: accounted %.4g, audited %.4g, exceeded %v, moves %v, as stated %v", noise, a.Mechanism, a.Accounted, a.Audited, a.Exceeded(), a.MovesBeyond(), a.NoiseAsStated())
			found = found || a.Refuted()
		}
		if found != (noise < 1) || audits < 3 {
			t.Errorf("noise %v: found %v, in %d audits", noise, found, audits)
		}
	}
}

func TestValuesInHiddenSumsAreRefused(t *testing.T) {
	const by = "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5, groups: [{nodes: [1], epsilon: 0.5}], by: "
	const groups = "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5, groups: [{nodes: [1], epsilon: 0.5}]}"
	for _, test := range []struct {
		overrides []string
		want      string
	}{
		{[]string{"algorithm.rates=[{nodes: [1], value: 0.5}]"}, "algorithm.rates: the server sees the sender of each message"},
		{[]string{"algorithm.filters=[{nodes: [1], value: 0.5}]"}, "algorithm.filters: a filter accounts for the noise of all shares"},
		{[]string{"algorithm.clips=null", by + "rate}"}, "mechanism.by: the server sees the sender of each message"},
		{[]string{"algorithm.clips=null", by + "filter}"}, "mechanism.by: a filter accounts for"},
		{[]string{"algorithm.aggregation={kind: secure, survivors: 2, shares: discrete, granularity: 0.01, bits: 16}"}, "algorithm.clips: vectors on a grid may be longer"},
		{[]string{"algorithm.aggregation={kind: shuffle, survivors: 3}"}, "algorithm.clips: the bounds of shuffled batches are for messages of one law"},
		{[]string{"algorithm.aggregation={kind: local}"}, "algorithm.clips: with aggregation: {kind: local}"},
		{[]string{"algorithm.clips=null", groups}, "mechanism.groups: noise that differs between clients adds up in the sum"},
		{[]string{"algorithm.clips=null", groups, "algorithm.aggregation={kind: shuffle, survivors: 3}"}, "mechanism.groups: noise that differs between clients is no noise of one law"},
	} {
		if _, err := loadError(t, hiddenStar, test.overrides...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.overrides, err, test.want)
		}
	}
}
