package fedbuff_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/scenariotest"
)

const (
	clients, dim      = scenariotest.SineClients, scenariotest.SineDim
	rounds, clip, tau = 12, 0.3, 3
	private           = "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}"
	// Turns are two a round. Messages that are due between two turns of a receiver wait.
	delayed = "network={kind: effects, patience: 1, delay: {edges: [{from: 1, to: 0, turns: 4}, {from: 2, to: 0, turns: 1}, {from: 5, to: 0, turns: 7}, {from: 0, to: 3, turns: 3}, {from: 0, to: 5, turns: 2}]}}"
)

func text(t *testing.T) string {
	t.Helper()
	text := scenariotest.SineText(t, "{kind: fedbuff, learning_rate: 0.5, clip: 0.3, tau: 3, server_rate: 0.8, buffer: 4}")
	return scenariotest.Edited(t, text, "horizon: 9", "horizon: 12")
}

// asked is what a plain loop computes.
type asked struct {
	size, apart int
	constant    bool
	sigma       float64
	up, down    [clients]int // rounds that messages to and from the server take longer
}

// delays are those of the network of delayed, in rounds.
func (a asked) delayed() asked {
	a.up, a.down = [clients]int{2, 1, 0, 0, 4, 0}, [clients]int{0, 0, 2, 0, 1, 0}
	return a
}

// update is one of a client, underway.
type update struct {
	client, sent, version int
	delta                 []float64
}

// answer is what came of it: the model after each round, how many server steps there were,
// in how many buffers each client was, what was dropped, and the ages of what was added.
type answer struct {
	models  [][]float64
	steps   int
	times   [clients]int
	dropped int
	ages    []int
	most    int // buffers of the client that was in the most
}

// plain is FedBuff written down once more, statement by statement of Algorithms 1 and 2.
func (a asked) plain() (out answer) {
	models := [][]float64{make([]float64, dim)} // by version
	sent := []int{0}                            // the round in which each was sent
	var underway, buffer []update
	var noise rng.Stream
	for round := 1; round <= rounds; round++ {
		for i := range clients { // clients compute with the newest model that has come
			if (round-1)%a.apart != 0 {
				continue
			}
			version := 0
			for v := 1; v < len(models); v++ {
				if sent[v] > 0 && sent[v]+1+a.down[i] <= round {
					version = v
				}
			}
			underway = append(underway, update{i, round, version, scenariotest.SineChange(models[version], i, tau, 0.5, clip)})
		}
		var come []update
		underway = slices.DeleteFunc(underway, func(u update) bool {
			if u.sent+a.up[u.client] == round {
				come = append(come, u)
				return true
			}
			return false
		})
		slices.SortStableFunc(come, func(x, y update) int { return x.client - y.client })
		drawn := 0
		for _, u := range come {
			if slices.ContainsFunc(buffer, func(b update) bool { return b.client == u.client }) {
				out.dropped++
				continue
			}
			age := len(models) - 1 - u.version
			out.ages = append(out.ages, age)
			weight := 1 / math.Sqrt(1+float64(age))
			if a.constant {
				weight = 1
			}
			for k := range u.delta {
				u.delta[k] *= weight
			}
			buffer = append(buffer, u)
			if len(buffer) < a.size {
				continue
			}
			delta := make([]float64, dim)
			for _, b := range buffer {
				out.times[b.client]++
				for k, v := range b.delta {
					delta[k] += v
				}
			}
			if a.sigma > 0 {
				noise.Open(rng.NewKey(1, rng.PurposeOf("federated.noise").Again(drawn)), 0, round, 1).AddNormal(delta, a.sigma*clip)
				drawn++
			}
			next := slices.Clone(models[len(models)-1])
			for k := range next {
				next[k] += 0.8 * delta[k] / float64(a.size)
			}
			models, sent, buffer = append(models, next), append(sent, 0), nil
		}
		if len(models)-1 > out.steps {
			out.steps = len(models) - 1
			sent[out.steps] = round
		}
		out.models = append(out.models, models[len(models)-1])
	}
	out.most = slices.Max(out.times[:])
	return out
}

// cases are runs that the tests range over.
var cases = []struct {
	name      string
	asked     asked
	overrides []string
}{
	{"every round", asked{size: 6, apart: 1}, []string{"algorithm.buffer=6"}},
	{"several steps a round", asked{size: 2, apart: 1}, []string{"algorithm.buffer=2"}},
	{"delays", asked{size: 4, apart: 1}.delayed(), []string{delayed}},
	{"constant weights", asked{size: 4, apart: 1, constant: true}.delayed(), []string{delayed, "algorithm.staleness=constant"}},
	{"noise", asked{size: 3, apart: 1, sigma: 0.7}.delayed(), []string{delayed, "algorithm.buffer=3", private}},
	{"all", asked{size: 6, apart: 1, sigma: 0.7}.delayed(), []string{delayed, "algorithm.buffer=6", private}},
	{"every second", asked{size: 5, apart: 2, sigma: 0.7}.delayed(), []string{delayed, "algorithm.buffer=5", "algorithm.apart=2", private}},
	{"one", asked{size: 1, apart: 1, sigma: 0.7}.delayed(), []string{delayed, "algorithm.buffer=1", private}},
}

// The machines compute what the plain loop does, with and without delays and noise.
func TestByAPlainLoop(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := c.asked.plain()
			got := scenariotest.WatchServer(t, text(t), c.overrides...).Models
			if len(got) != rounds {
				t.Fatalf("%d models, want %d", len(got), rounds)
			}
			for round, x := range got {
				for k, v := range x {
					if d := math.Abs(v - want.models[round][k]); !(d < 1e-12) {
						t.Fatalf("round %d: model %v, want %v", round+1, x, want.models[round])
					}
				}
			}
			rows := scenariotest.MeasuredIn(t, text(t), c.overrides...).Rows
			for metric, want := range map[string]int{"buffer.steps": want.steps, "buffer.dropped": want.dropped} {
				if got := scenariotest.Last(scenariotest.ValuesOf(rows, metric)); got != float64(want) {
					t.Errorf("%s: %v, want %d", metric, got, want)
				}
			}
			if late := c.asked.up != [clients]int{}; late && slices.Max(want.ages) < 2 {
				t.Errorf("ages %v test little", want.ages)
			}
		})
	}
}

// With a buffer of all clients, none of them late, FedBuff is DP-FedAvg in which all take
// part in every round: the same models with the same noise, and the same payments.
func TestFullBufferIsFedAvg(t *testing.T) {
	overrides := []string{"algorithm.buffer=6", private}
	buffered := scenariotest.WatchServer(t, text(t), overrides...)
	other := strings.NewReplacer("kind: fedbuff", "kind: dp-fedavg", ", buffer: 4", "").Replace(text(t))
	averaged := scenariotest.WatchServer(t, other, private)
	if len(averaged.Models) != rounds || len(buffered.Models) != rounds {
		t.Fatalf("%d and %d models", len(averaged.Models), len(buffered.Models))
	}
	for round, x := range averaged.Models {
		for k, v := range x {
			if d := math.Abs(v - buffered.Models[round][k]); !(d < 1e-12) {
				t.Fatalf("round %d: %v, DP-FedAvg has %v", round+1, buffered.Models[round], x)
			}
		}
	}
	if !slices.Equal(averaged.Paid[0], buffered.Paid[0]) {
		t.Errorf("paid %v, DP-FedAvg %v", buffered.Paid, averaged.Paid)
	}
}

// The server alone pays, as often as the client that is in the most buffers is in one: each
// time for a Gaussian mechanism of the noise multiplier, with no sampling. The ledger has
// the epsilon of the sum.
func TestPayments(t *testing.T) {
	for _, c := range cases {
		if c.asked.sigma == 0 {
			continue
		}
		want := c.asked.plain()
		w := scenariotest.WatchServer(t, text(t), c.overrides...)
		if len(w.Paid) != 1 || len(w.Paid[0]) != want.most || want.most < 2 {
			t.Fatalf("%s: paid %v for buffers %v", c.name, w.Paid, want.times)
		}
		if c.name == "one" && want.most == want.steps {
			t.Errorf("%s: as many payments as steps test little", c.name)
		}
		var total accountant.Total
		for _, loss := range w.Paid[0] {
			if want := (accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 1, Noise: 0.7, Steps: 1}}); loss != want {
				t.Errorf("%s: paid %v, want %v", c.name, loss, want)
			}
			total.Add(loss)
		}
		by := w.Arm.Privacy.Accounts[0].By
		epsilon, err := total.Epsilon(1e-4, by)
		if err != nil {
			t.Fatal(err)
		}
		gaussian := accountant.SampledGaussian{Rate: 1, Noise: 0.7, Steps: want.most}
		if again, _, err := gaussian.Epsilon(1e-4, by); err != nil || math.Abs(again-epsilon) > 1e-9*epsilon {
			t.Errorf("%s: epsilon %v, of so many Gaussian mechanisms %v, %v", c.name, epsilon, again, err)
		}
		got := scenariotest.Last(scenariotest.ValuesOf(scenariotest.MeasuredIn(t, text(t), c.overrides...).Rows, "epsilon.total"))
		if math.Abs(got-epsilon) > 1e-9*epsilon {
			t.Errorf("%s: the ledger has epsilon %v, the payments %v", c.name, got, epsilon)
		}
	}
}

// What is paid follows from what arrives, whatever the network does to clients and the server: a
// vector joins the buffer unless one of its client is in it, a full buffer is released, and the
// client that is in the most of them costs a Gaussian mechanism for each, at rate 1: who is in a
// buffer is no sample, though clients take part by chance. A budget ends that, and no sum is
// released that is not paid for.
func TestPaymentsByArrivals(t *testing.T) {
	const (
		rough   = "network={kind: effects, delay: {longest: 5}, patience: 2, loss: {probability: 0.15}, churn: {fail: 0.15, recover: 0.5}}"
		crashes = "network={kind: effects, patience: 4, delay: {longest: 3}, events: [{at: 4, crash: 0}, {at: 6, recover: 0}, {at: 7, crash: [2, 3]}, {at: 9, recover: [2, 3]}]}"
	)
	for _, network := range []string{delayed, rough, crashes} {
		for _, size := range []int{2, 5} {
			overrides := []string{private, network, "algorithm.rate=0.6", "horizon=30", fmt.Sprintf("algorithm.buffer=%d", size)}
			w := scenariotest.WatchServer(t, text(t), overrides...)
			in, times, most, full := map[messages.NodeID]bool{}, map[messages.NodeID]int{}, 0, 0
			for round := 1; round <= 30; round++ {
				for client := messages.NodeID(1); client <= clients; client++ {
					for _, arrived := range w.Rounds[client] {
						if arrived != round || in[client] {
							continue
						}
						in[client] = true
						if len(in) < size {
							continue
						}
						full++
						for member := range in {
							times[member]++
							most = max(most, times[member])
						}
						clear(in)
					}
				}
			}
			if len(w.Paid) != 1 || len(w.Paid[0]) != most || most < 2 || full < most {
				t.Fatalf("%s, buffer of %d: paid %d times for %d buffers, want %d", network, size, len(w.Paid[0]), full, most)
			}
			epsilon, err := accountant.GaussianEpsilon(0.7/math.Sqrt(float64(most)), 1e-4)
			if err != nil {
				t.Fatal(err)
			}
			if got := scenariotest.Last(scenariotest.ValuesOf(scenariotest.MeasuredIn(t, text(t), append(overrides, "mechanism.accountant=pld")...).Rows, "epsilon.total")); got < epsilon || got > 1.002*epsilon { // an upper bound, on a grid
				t.Errorf("%s, buffer of %d: the ledger has epsilon %v, want %v", network, size, got, epsilon)
			}
			if most < 4 {
				continue
			}
			limit, err := accountant.GaussianEpsilon(0.7/math.Sqrt(2.5), 1e-4) // of two buffers, and not of three
			if err != nil {
				t.Fatal(err)
			}
			stopped := scenariotest.WatchServer(t, text(t), append(overrides, "mechanism.accountant=pld", fmt.Sprintf("budget={epsilon: %v, delta: 1e-4, on: stop}", limit))...)
			if len(stopped.Paid[0]) != 3 { // the third is refused
				t.Errorf("%s, buffer of %d: a budget of two payments takes %v", network, size, stopped.Paid[0])
			}
		}
	}
}

// A client that sends in every round is in a buffer once: with a buffer of three of which
// two are late, what the others send meanwhile is dropped, and moves no sum.
func TestOneVectorOfAClient(t *testing.T) {
	late := "network={kind: effects, patience: 1, delay: {edges: [{from: 3, to: 0, turns: 8}, {from: 4, to: 0, turns: 8}, {from: 5, to: 0, turns: 8}, {from: 6, to: 0, turns: 8}]}}"
	rows := scenariotest.MeasuredIn(t, text(t), late, "algorithm.buffer=3", "horizon=4").Rows
	for metric, want := range map[string]float64{"buffer.steps": 0, "buffer.dropped": 6} { // 2 of 8 are in the buffer
		if got := scenariotest.Last(scenariotest.ValuesOf(rows, metric)); got != want {
			t.Errorf("%s: %v, want %v", metric, got, want)
		}
	}
}

// Which vectors meet in a buffer, and so what is paid, is the same whatever the data and
// the models are: neighbours differ by the vectors of one client, and by no others.
func TestBuffersDependOnNoData(t *testing.T) {
	overrides := []string{private, delayed, "algorithm.rate=0.6"}
	one := scenariotest.WatchServer(t, text(t), overrides...)
	other := scenariotest.WatchServer(t, text(t), append(overrides, "algorithm.learning_rate=2", "algorithm.clip=0.01", "problem.feature_bound=5")...)
	if last := len(one.Models) - 1; slices.Equal(one.Models[last], other.Models[last]) {
		t.Fatal("the models are the same")
	}
	if !slices.Equal(one.Paid[0], other.Paid[0]) || !maps.EqualFunc(one.Rounds, other.Rounds, slices.Equal) {
		t.Errorf("paid %v for %v, and then %v for %v", one.Paid, one.Rounds, other.Paid, other.Rounds)
	}
}

// What has no proof, or never fills, is refused.
func TestRefuses(t *testing.T) {
	for _, test := range []struct{ overrides, want string }{
		{"algorithm.buffer=7", "algorithm.buffer: a buffer has one vector of a client at most, and so 7 are never in it: there are 6 clients"},
		{"algorithm.buffer=0", "buffer"},
		{"algorithm.staleness=linear", "staleness"},
		{"algorithm.level=record", "algorithm.level: the noise of a server with a buffer protects clients"},
		{"algorithm.clip=none|" + private, "algorithm.clip: no noise hides a vector without a bound"},
		{"mechanism={kind: tree, epsilon: 2, delta: 1e-4}", "for which correlated noise has no sensitivity"},
		{"network={kind: effects, patience: 1, churn: {fail: 0.1, recover: 0.5, forget: true}}", "leave forget out"},
	} {
		_, err := scenariotest.LoadError(t, text(t), strings.Split(test.overrides, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.overrides, err, test.want)
		}
	}
}
