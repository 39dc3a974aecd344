package dpscaffold_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/scenariotest"
)

func text(t *testing.T, kind string) string {
	t.Helper()
	return scenariotest.SineText(t, "{kind: "+kind+", learning_rate: 0.5, clip: 0.3, tau: 3, server_rate: 0.8, rate: 0.5}")
}

const (
	clients, dim = scenariotest.SineClients, scenariotest.SineDim
	rate, clip   = 0.5, 0.3
	tau, rounds  = 3, 9
	perUser      = "mechanism={kind: sampled-gaussian, sigma: 0.7, delta: 1e-4}"
	perRecord    = "algorithm.level=record"
)

// asked is a run of one of both algorithms.
type asked struct {
	scaffold, record bool
	sigma            float64
	rate, clip       float64
	least            int // messages of a round that is not aborted
	stragglers       *algorithm.DrawnStragglers
}

// steps are the local steps of a client, from 0.
func (a *asked) steps(client, round int) float64 {
	return float64(a.stragglers.Steps(messages.NodeID(client+1), round, tau))
}

// run is one of both algorithms written down once more, of clients that take part when
// they did. Without noise c is the mean of all c_i after every round, which off is how far
// from it.
func run(taken map[messages.NodeID][]int, a asked) (models [][]float64, off float64) {
	x, c, own := make([]float64, dim), make([]float64, dim), make([][]float64, clients)
	for i := range own {
		own[i] = make([]float64, dim)
	}
	var noise rng.Stream
	for round := 1; round <= rounds; round++ {
		width := dim
		if a.scaffold {
			width = 2 * dim
		}
		sum, there := make([]float64, width), 0
		kept := make([][]float64, clients)
		for i := range clients {
			if !slices.Contains(taken[messages.NodeID(i+1)], round) {
				continue
			}
			there++
			v := append(local(i, round, x, c, own[i], a), make([]float64, dim)...)[:width]
			for k := dim; k < width; k++ { // c_i+ is the mean gradient
				v[k] = tau * 0.5 * (-v[k-dim]/(a.steps(i, round)*0.5) - c[k-dim])
			}
			norm := 0.0
			for _, e := range v {
				norm += e * e
			}
			for k := range v {
				if !a.record {
					v[k] *= min(1, a.clip/math.Sqrt(norm))
				}
				sum[k] += v[k]
			}
			kept[i] = v[dim:]
		}
		if there >= a.least {
			if !a.record && a.sigma > 0 {
				noise.Open(rng.NewKey(1, rng.PurposeOf("federated.noise")), 0, round, 1).AddNormal(sum, a.sigma*a.clip)
			}
			for k := range dim {
				x[k] += 0.8 * sum[k] / (clients * a.rate)
				if a.scaffold {
					c[k] += a.rate * sum[dim+k] / (clients * a.rate) / (tau * 0.5)
				}
			}
			for i, v := range kept { // a client keeps of its change what it has sent
				for k, e := range v {
					own[i][k] += e / (tau * 0.5)
				}
			}
		}
		for k := range dim {
			mean := 0.0
			for i := range own {
				mean += own[i][k] / clients
			}
			off = max(off, math.Abs(c[k]-mean))
		}
		models = append(models, slices.Clone(x))
	}
	return models, off
}

// local is how far local steps take a client from x.
func local(i, round int, x, c, own []float64, a asked) []float64 {
	y, bound := slices.Clone(x), math.Inf(1)
	var stream rng.Stream
	var noise *rng.Rand
	if a.record {
		bound, noise = a.clip, stream.Open(rng.NewKey(1, rng.PurposeOf("federated.records")), i+1, round, 0)
	}
	for range int(a.steps(i, round)) {
		g := make([]float64, dim)
		scenariotest.SineGradient(g, y, i, scenariotest.SineRows, bound)
		if a.record && a.sigma > 0 {
			noise.AddNormal(g, a.sigma*a.clip)
		}
		for k := range g {
			y[k] -= 0.5 * g[k] / scenariotest.SineRows
			if a.scaffold {
				y[k] -= 0.5 * (c[k] - own[k])
			}
		}
	}
	for k := range y {
		y[k] -= x[k]
	}
	return y
}

// The machines compute what the plain loops do, at both levels, with noise and without, and where
// rounds are aborted. Without noise on the sum c stays the mean of all c_i: each keeps the change
// that it has sent, which is clipped, once the server has taken it up.
func TestByAPlainLoop(t *testing.T) {
	const secure = "algorithm.aggregation={kind: secure, survivors: 4, dropout: 0.4}"
	const partial, drop = "algorithm.stragglers={share: 0.8}", "algorithm.stragglers={share: 0.6, fraction: 0.5, update: drop}"
	for _, kind := range []string{"dp-fedavg", "dp-scaffold"} {
		for _, overrides := range [][]string{nil, {perUser}, {perRecord}, {perRecord, perUser}, {"algorithm.clip=0.05"}, {"algorithm.clip=none"}, {secure, "algorithm.rate=1"}, {partial}, {partial, perRecord, perUser}, {drop}} {
			w := scenariotest.WatchServer(t, text(t, kind), overrides...)
			a := asked{scaffold: kind == "dp-scaffold", record: slices.Contains(overrides, perRecord), rate: rate, clip: clip}
			if slices.Contains(overrides, perUser) {
				a.sigma = 0.7
			}
			switch {
			case slices.Contains(overrides, "algorithm.clip=0.05"):
				a.clip = 0.05
			case slices.Contains(overrides, "algorithm.clip=none"):
				a.clip = math.Inf(1)
			case slices.Contains(overrides, secure):
				a.least, a.rate = 4, 0.6
			case slices.Contains(overrides, partial):
				a.stragglers = (&algorithm.Stragglers{Share: 0.8}).Draw(1, tau)
			case slices.Contains(overrides, drop):
				a.rate *= 0.4 // by the rounds in the record no straggler is there
			}
			want, off := run(w.Rounds, a)
			for round, x := range w.Models {
				for k, v := range x {
					if d := math.Abs(v - want[round][k]); !(d < 1e-12) {
						t.Fatalf("%s %v, round %d: model %v, want %v", kind, overrides, round+1, x, want[round])
					}
				}
			}
			if noised := a.sigma > 0 && !a.record; (off > 1e-12) != (noised && a.scaffold) {
				t.Errorf("%s %v: c is %v off the mean of all c_i", kind, overrides, off)
			}
			if a.least > 0 {
				left := map[int]int{}
				for _, list := range w.Rounds {
					for _, round := range list {
						left[round]++
					}
				}
				aborted := 0
				for round := 1; round <= rounds; round++ {
					if left[round] < a.least {
						aborted++
					}
				}
				if aborted < 2 || aborted == rounds {
					t.Errorf("%d of %d rounds are aborted, which tests little", aborted, rounds)
				}
			}
		}
	}
}

// At the level of users the run costs what its rounds cost, each a step of the sampled
// Gaussian mechanism at the rate of clients: the moments accountant of McMahan et al. 2018,
// section 3.4. At the level of records a client pays for the local steps of the rounds that
// it takes part in, which the server learns whole: Noble et al. 2022 prove more only for who
// sees nothing but the model, which no ledger here states.
func TestPrices(t *testing.T) {
	for _, kind := range []string{"dp-fedavg", "dp-scaffold"} {
		w := scenariotest.WatchServer(t, text(t, kind), perUser)
		if len(w.Paid) != 1 || len(w.Paid[0]) != rounds {
			t.Fatalf("%s: paid %v", kind, w.Paid)
		}
		for _, loss := range w.Paid[0] {
			if want := (accountant.Loss{Sampled: accountant.SampledGaussian{Rate: rate, Noise: 0.7, Steps: 1}}); loss != want {
				t.Errorf("%s: paid %v, want %v", kind, loss, want)
			}
		}
		all := accountant.SampledGaussian{Rate: rate, Noise: 0.7, Steps: rounds}
		same(t, kind, all, perUser)

		w = scenariotest.WatchServer(t, text(t, kind), perUser, perRecord, "algorithm.batch=2")
		most := 0
		for node, paid := range w.Paid {
			most = max(most, len(paid))
			if node == 0 || len(paid) != tau*len(w.Rounds[node]) {
				t.Errorf("%s: client %d pays %d times for rounds %v", kind, node, len(paid), w.Rounds[node])
			}
		}
		all = accountant.SampledGaussian{Rate: 2.0 / scenariotest.SineRows, Noise: 0.7, Steps: most}
		same(t, kind, all, perUser, perRecord, "algorithm.batch=2")
	}
}

// Nothing is sampled anew where a round depends on those before: clients whose rounds are apart, or
// that take part in so many at most, pay for Gaussian noise at rate 1, in as many rounds as one
// can be in. At rate 1 a step of the moments accountant is a Gaussian mechanism: the epsilon is
// that of one with the noise of all together.
func TestNothingIsSampledTwice(t *testing.T) {
	for _, kind := range []string{"dp-fedavg", "dp-scaffold"} {
		for _, test := range []struct {
			overrides []string
			payments  int
		}{
			{[]string{"algorithm.apart=2"}, 5},
			{[]string{"algorithm.times=3"}, 3},
			{[]string{"algorithm.groups=2", "algorithm.apart=3"}, 3},
			{[]string{"algorithm.groups=2", "algorithm.times=2"}, 2},
		} {
			overrides := append(test.overrides, perUser, "mechanism.accountant=pld")
			w := scenariotest.WatchServer(t, text(t, kind), overrides...)
			if len(w.Paid[0]) != test.payments {
				t.Errorf("%s %v: paid %v, want %d times", kind, overrides, w.Paid[0], test.payments)
			}
			want, err := accountant.GaussianEpsilon(0.7/math.Sqrt(float64(test.payments)), 1e-4)
			got := scenariotest.Last(scenariotest.ValuesOf(scenariotest.MeasuredIn(t, text(t, kind), overrides...).Rows, "epsilon.total"))
			if err != nil || got < want || got > 1.002*want { // an upper bound, on a grid
				t.Errorf("%s %v: epsilon %v, want %v, %v", kind, overrides, got, want, err)
			}
		}
	}
}

// same fails unless a run states the epsilon of so many steps.
func same(t *testing.T, kind string, all accountant.SampledGaussian, overrides ...string) {
	t.Helper()
	want, _, err := all.Epsilon(1e-4, accountant.RDP)
	got := scenariotest.Last(scenariotest.ValuesOf(scenariotest.MeasuredIn(t, text(t, kind), overrides...).Rows, "epsilon.total"))
	if err != nil || math.Abs(got-want) > 1e-9*want {
		t.Errorf("%s %v: epsilon %v, want %v, %v", kind, overrides, got, want, err)
	}
}

// Where clients differ, FedAvg with many local steps ends elsewhere than at the least mean
// loss, and SCAFFOLD ends there (Karimireddy et al. 2020, section 3): the gradient vanishes.
func TestDrift(t *testing.T) {
	slope := map[string]float64{}
	for _, kind := range []string{"dp-fedavg", "dp-scaffold"} {
		w := scenariotest.WatchServer(t, text(t, kind), "algorithm.rate=1", "algorithm.clip=none", "algorithm.server_rate=1", "algorithm.tau=20", "horizon=400")
		x, g := w.Models[len(w.Models)-1], make([]float64, dim)
		for i := range clients {
			scenariotest.SineGradient(g, x, i, 1.0/clients, math.Inf(1))
		}
		for _, v := range g {
			slope[kind] += v * v
		}
	}
	if fedavg, scaffold := math.Sqrt(slope["dp-fedavg"]), math.Sqrt(slope["dp-scaffold"]); !(scaffold < 1e-9 && fedavg > 1e-3) {
		t.Errorf("gradients of length %v and %v", fedavg, scaffold)
	}
}

// Records are audited in rounds that compose, and nothing is found: a client's corrections of the
// second round follow from what it sent with noise in the first.
func TestAuditsOfRecordsHaveRounds(t *testing.T) {
	const text = `version: 1
name: records
nodes: 6
horizon: 6
algorithm: {kind: dp-scaffold, level: record, learning_rate: 0.5, clip: 0.3, samples: 40, tau: 3, batch: 4}
problem: {kind: synthetic-logistic, dimension: 3, test_samples: 5}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 1, delta: 1e-4}
seeds: {base: 1, count: 1}
`
	found := scenariotest.AuditIn(t, scenariotest.LoadText(t, text), scenariotest.AuditOptions(1024))
	if len(found) != 2 {
		t.Fatalf("%d audits, want one of the sampling and one of all samples", len(found))
	}
	for _, a := range found {
		if a.Exceeded() || !a.NoiseAsStated() {
			t.Errorf("%s is refuted: %v of %v, noise %+v", a.Mechanism, a.Audited, a.Accounted, a.Noise)
		}
		if !strings.Contains(a.Mechanism, "2 rounds of 3 local steps") {
			t.Errorf("the audit is of %s", a.Mechanism)
		}
	}
	// Six steps of Gaussian noise sigma, all samples taken: the means are sqrt(6) deviations apart.
	want, err := accountant.GaussianEpsilon(1/math.Sqrt(6), 1e-4)
	if err != nil || math.Abs(found[1].Accounted-want) > 1e-6*want {
		t.Errorf("accounted is %v, want %v, %v", found[1].Accounted, want, err)
	}
}
