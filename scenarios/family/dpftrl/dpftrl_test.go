package dpftrl_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// clients and dim are those of the data.
const clients, dim = scenariotest.SineClients, scenariotest.SineDim

// table is the scenario on data of a file of the test.
func table(t *testing.T) string {
	t.Helper()
	return scenariotest.SineText(t, "{kind: dp-ftrl, learning_rate: 2, clip: 0.3, groups: 3, tau: 2, server_rate: 0.8, momentum: 0.5}")
}

// plain is DP-FTRL written down once more: gradients of logistic losses over all data of a
// client, clipping of the update, the sum over the group of the round, noise, momentum.
func plain(noise [][]float64) (models [][]float64) {
	x, move, sum := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	for round := 1; round <= 9; round++ {
		total := slices.Clone(noise[round-1])
		for i := range clients {
			if (round-(i+1))%3 != 0 {
				continue
			}
			y := slices.Clone(x)
			for range 2 {
				g := make([]float64, dim)
				scenariotest.SineGradient(g, y, i, 1, math.Inf(1))
				for k := range dim {
					y[k] -= 2 * g[k]
				}
			}
			norm := 0.0
			for k := range dim {
				y[k] -= x[k]
				norm += y[k] * y[k]
			}
			for k := range dim {
				total[k] += y[k] * min(1, 0.3/math.Sqrt(norm))
			}
		}
		for k := range dim {
			move[k] = 0.5*move[k] + total[k]/2 // two clients in a round
			sum[k] += move[k]
			x[k] = 0.8 * sum[k]
		}
		models = append(models, slices.Clone(x))
	}
	return models
}

// drawn is the noise of a run under seed 1 that is so large: increments of a factorization.
func drawn(t *testing.T, o factorization.Options, scale float64) (rows [][]float64) {
	t.Helper()
	f, err := factorization.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Stream(dim)
	if err != nil {
		t.Fatal(err)
	}
	key := rng.NewKey(1, rng.PurposeOf("federated.noise"))
	for round := 1; round <= 9; round++ {
		row := make([]float64, dim)
		var r rng.Stream
		if err := s.Next(row, r.Open(key, 0, round, 1)); err != nil {
			t.Fatal(err)
		}
		for k := range row {
			row[k] *= scale
		}
		rows = append(rows, row)
	}
	return rows
}

const private = "mechanism={kind: banded-toeplitz, bands: 3, fit: true, epsilon: 2, delta: 1e-4}"

// The machines compute what the plain loop does, without noise and with noise that is
// correlated over the rounds, of an epsilon or a multiplier, and fitted to clients that take part
// 3 times, 3 apart.
func TestByAPlainLoop(t *testing.T) {
	p := factorization.Participation{Times: 3, Apart: 3, Even: true}
	o := factorization.Options{Kind: factorization.BandedToeplitz, N: 9, Bands: 3, Fit: p}
	f, err := factorization.New(o)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := f.SensitivityOf(p)
	if err != nil {
		t.Fatal(err)
	}
	unit, err := accountant.GaussianSigma(2, 1e-4)
	if err != nil {
		t.Fatal(err)
	}
	// Three bands, 3 rounds apart, do not meet: the square is that of three columns.
	if want := math.Sqrt(3) * f.Sensitivity(); math.Abs(moved-want) > 1e-12 {
		t.Errorf("sensitivity %v, want %v", moved, want)
	}
	for _, test := range []struct {
		overrides []string
		scale     float64
	}{
		{nil, 0},
		{[]string{private}, 0.3 * moved * unit},
		{[]string{"mechanism={kind: banded-toeplitz, bands: 3, fit: true, multiplier: 1.5, delta: 1e-4}"}, 0.3 * 1.5 * f.Sensitivity()},
	} {
		w := scenariotest.WatchServer(t, table(t), test.overrides...)
		want := plain(drawn(t, o, test.scale))
		for round, x := range w.Models {
			for k, v := range x {
				if d := math.Abs(v - want[round][k]); !(d < 1e-12) {
					t.Fatalf("noise %v, round %d: model %v, want %v", test.scale, round+1, x, want[round])
				}
			}
		}
	}
}

// Who takes part how often, seen on the wire, is within what sensitivities are for.
func TestParticipationOnTheWire(t *testing.T) {
	for _, test := range []struct {
		overrides    []string
		times, apart int
		all          int // messages to the server; 0 is any number
	}{
		{nil, 3, 3, 18},
		{[]string{"algorithm.groups=1"}, 9, 1, 54},
		{[]string{"algorithm.groups=1", "algorithm.apart=4"}, 3, 4, 18},
		{[]string{"algorithm.groups=2", "algorithm.apart=3"}, 3, 4, 15},
		{[]string{"algorithm.groups=1", "algorithm.rate=0.5", "algorithm.apart=2", "algorithm.times=3"}, 3, 2, 0},
		{[]string{"algorithm.groups=3", "algorithm.rate=0.5"}, 3, 3, 0},
	} {
		rounds := scenariotest.WatchServer(t, table(t), test.overrides...).Rounds
		all := 0
		for client, list := range rounds {
			all += len(list)
			if len(list) > test.times {
				t.Errorf("%v: client %d is in rounds %v", test.overrides, client, list)
			}
			for k := 1; k < len(list); k++ {
				if list[k]-list[k-1] < test.apart {
					t.Errorf("%v: client %d is in rounds %v, want %d apart", test.overrides, client, list, test.apart)
				}
			}
		}
		if test.all > 0 && all != test.all || all == 0 {
			t.Errorf("%v: %d messages to the server, want %d", test.overrides, all, test.all)
		}
	}
}

// What the ledger has of every client is the sum of what was paid, and its epsilon the one
// that the noise is calibrated to: once of noise that is correlated, in every third round
// of amplified noise, a step of the sampled Gaussian mechanism, and for as many rounds as a
// client can be in where every round has noise of its own.
func TestPayments(t *testing.T) {
	text, amplified := table(t), []string{"algorithm.amplified=true", "algorithm.rate=0.5", private}
	for _, test := range []struct {
		overrides []string
		payments  int
	}{
		{[]string{private}, 1},
		{amplified, 3},
		{[]string{"mechanism={kind: gaussian, epsilon: 1, delta: 1e-4}"}, 3},
		{[]string{"algorithm.times=2", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-4}"}, 2},
		{[]string{"algorithm.groups=1", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-4}"}, 9},
	} {
		w := scenariotest.WatchServer(t, text, test.overrides...)
		arm, paid := w.Arm, w.Paid[0]
		var total accountant.Total
		for _, loss := range paid {
			total.Add(loss)
		}
		if len(paid) != test.payments {
			t.Errorf("%v: paid %v", test.overrides, paid)
		}
		want, err := total.Epsilon(1e-4, arm.Privacy.Accounts[0].By)
		if err != nil {
			t.Fatal(err)
		}
		got := scenariotest.Last(scenariotest.ValuesOf(scenariotest.MeasuredIn(t, text, test.overrides...).Rows, "epsilon.total"))
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%v: the ledger has epsilon %v, the payments %v", test.overrides, got, want)
		}
		planned, err := study.PlannedLossOf(arm)
		if err != nil {
			t.Fatal(err)
		}
		of := planned.Total()
		if epsilon, err := of.Epsilon(1e-4, arm.Privacy.Accounts[0].By); err != nil || math.Abs(epsilon-want) > 1e-9*want {
			t.Errorf("%v: planned %v, paid %v", test.overrides, epsilon, want)
		}
		if c := test.overrides[len(test.overrides)-1]; c == private && !(want <= 2*(1+1e-9) && want > 2*0.9999) {
			t.Errorf("%v: epsilon %v, want 2", test.overrides, want)
		}
	}
}

// The epsilon of correlated noise is that of the Gaussian mechanism for the rounds that a client
// is in, whichever they are: C = B^-1 A, with B from the noise of single rounds, column by column,
// and the worst of all sets of rounds that the rule allows.
func TestEpsilonByAllSetsOfRounds(t *testing.T) {
	const rounds = 9
	for _, test := range []struct {
		mechanism string
		options   factorization.Options
		overrides []string
		allowed   func(set []int) bool // of rounds from 0
	}{
		{"mechanism={kind: toeplitz, epsilon: 2, delta: 1e-4}", factorization.Options{Kind: factorization.Toeplitz, N: rounds}, []string{"algorithm.groups=3"},
			func(set []int) bool { return apart(set, 3) && len(set) <= 3 }},
		{"mechanism={kind: toeplitz, epsilon: 2, delta: 1e-4}", factorization.Options{Kind: factorization.Toeplitz, N: rounds}, []string{"algorithm.groups=1", "algorithm.apart=2", "algorithm.times=3", "algorithm.rate=0.5"},
			func(set []int) bool { return apart(set, 2) && len(set) <= 3 }},
		{"mechanism={kind: banded-toeplitz, bands: 2, epsilon: 2, delta: 1e-4}", factorization.Options{Kind: factorization.BandedToeplitz, N: rounds, Bands: 2}, []string{"algorithm.groups=1"},
			func([]int) bool { return true }},
	} {
		f, err := factorization.New(test.options)
		if err != nil {
			t.Fatal(err)
		}
		increments := impulses(t, f, rounds) // D B, D the differences of rounds
		worst := 0.0
		for set := range 1 << rounds {
			var list []int
			for round := range rounds {
				if set>>round&1 == 1 {
					list = append(list, round)
				}
			}
			if !test.allowed(list) {
				continue
			}
			// What a client adds, 1 in each of these rounds, is noise z = (D B)^-1 of it: a
			// lower triangle, solved from above.
			z, square := make([]float64, rounds), 0.0
			for i := range rounds {
				if slices.Contains(list, i) {
					z[i] = 1
				}
				for j := range i {
					z[i] -= increments[i][j] * z[j]
				}
				z[i] /= increments[i][i]
				square += z[i] * z[i]
			}
			worst = max(worst, math.Sqrt(square))
		}
		overrides := append(test.overrides, test.mechanism)
		scenario := scenariotest.LoadText(t, table(t), overrides...)
		notes, _ := scenario.Arms[0].Algorithm.Notes(scenariotest.JobOf(t, scenario))
		at := slices.IndexFunc(notes, func(n study.Note) bool { return n.Key == "noise" })
		var deviation float64 // of unit noise, of vectors that move by 0.3
		if _, err := fmt.Sscanf(notes[at].Value, "standard deviation %g,", &deviation); err != nil {
			t.Fatal(err)
		}
		want, err := accountant.GaussianEpsilon(deviation/(0.3*worst), 1e-4)
		if got := scenariotest.Last(scenariotest.ValuesOf(scenariotest.MeasuredIn(t, table(t), overrides...).Rows, "epsilon.total")); err != nil || !(math.Abs(got-want) < 1e-4*want) {
			t.Errorf("%s %v: the ledger has epsilon %v, want %v, %v", test.mechanism, test.overrides, got, want, err)
		}
	}
}

// apart tells whether rounds, ascending, are at least so far apart.
func apart(rounds []int, by int) bool {
	for k := 1; k < len(rounds); k++ {
		if rounds[k]-rounds[k-1] < by {
			return false
		}
	}
	return true
}

// impulses is the triangular matrix that makes the noise of rounds of one independent draw a round,
// solved from the noise of many coordinates.
func impulses(t *testing.T, f *factorization.Factorization, rounds int) [][]float64 {
	t.Helper()
	const dim = 64
	s, err := f.Stream(dim)
	if err != nil {
		t.Fatal(err)
	}
	rows, raw := make([][]float64, rounds), make([][]float64, rounds)
	for round := range rounds {
		rows[round], raw[round] = make([]float64, dim), make([]float64, dim)
		var drawn, same rng.Stream
		key := rng.NewKey(7, rng.PurposeOf("impulses"))
		if err := s.Next(rows[round], drawn.Open(key, 0, round, 0)); err != nil {
			t.Fatal(err)
		}
		same.Open(key, 0, round, 0).AddNormal(raw[round], 1)
	}
	// rows = M raw, M triangular: M_i solves its normal equations.
	m := make([][]float64, rounds)
	for i := range rounds {
		n := i + 1
		a := make([][]float64, n)
		for p := range n {
			a[p] = make([]float64, n+1)
			for q := range n {
				a[p][q] = kernel.Dot(raw[p], raw[q])
			}
			a[p][n] = kernel.Dot(raw[p], rows[i])
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				kernel.Axpy(a[q], -a[q][p]/a[p][p], a[p])
			}
		}
		m[i] = make([]float64, n)
		for p := n - 1; p >= 0; p-- {
			m[i][p] = a[p][n]
			for q := p + 1; q < n; q++ {
				m[i][p] -= a[p][q] * m[i][q]
			}
			m[i][p] /= a[p][p]
		}
		for k := range dim { // one draw a round and coordinate
			left := rows[i][k]
			for p, v := range m[i] {
				left -= v * raw[p][k]
			}
			if math.Abs(left) > 1e-9 {
				t.Fatalf("round %d: %v of the noise is of no round so far", i+1, left)
			}
		}
	}
	return m
}

// Noise of a multiplier has the epsilons of published models, whose columns have one norm:
// privacy_accounting.ipynb in mf_dpftrl_matrices of github.com/google-research/federated. Its second
// result, 3.4240074, is of a grid.
func TestPublishedMultipliers(t *testing.T) {
	for _, test := range []struct {
		multiplier      float64
		times           int
		want, tolerance float64
	}{
		{8.35, 2, 0.9935499571, 1e-10},
		{1.411 / math.Sqrt(0.2), 3, 3.4240074, 1e-6},
	} {
		arm := scenariotest.LoadText(t, table(t), "algorithm.groups=1", "algorithm.apart=3", fmt.Sprintf("algorithm.times=%d", test.times),
			"algorithm.rate=0.5", fmt.Sprintf("mechanism={kind: independent, multiplier: %v, delta: 1e-10}", test.multiplier)).Arms[0]
		planned, err := study.PlannedLossOf(arm)
		if err != nil {
			t.Fatal(err)
		}
		total := planned.Total()
		if got, err := total.Epsilon(1e-10, arm.Privacy.Accounts[0].By); err != nil || math.Abs(got-test.want) > test.tolerance {
			t.Errorf("multiplier %v, %d rounds: epsilon %v, %v; want %v", test.multiplier, test.times, got, err, test.want)
		}
	}
}

// With one band and one group Theorem 4 of Choquette-Choo et al. 2023 is DP-SGD: the noise
// is that of so many steps of the sampled Gaussian mechanism, all of them in a row.
func TestOneBandIsDPSGD(t *testing.T) {
	paid := scenariotest.WatchServer(t, table(t), "algorithm.groups=1", "algorithm.rate=0.5", "algorithm.amplified=true", "mechanism={kind: independent, epsilon: 2, delta: 1e-4}").Paid[0]
	if len(paid) != 9 {
		t.Fatalf("paid %v", paid)
	}
	steps := accountant.SampledGaussian{Rate: 0.5, Noise: paid[0].Sampled.Noise, Steps: 9}
	epsilon, _, err := steps.Epsilon(1e-4, accountant.PLD)
	if err != nil || !(epsilon <= 2 && epsilon > 1.9999) {
		t.Errorf("%v have epsilon %v, %v", steps, epsilon, err)
	}
}

// What is not proved is refused.
func TestRefuses(t *testing.T) {
	text := table(t)
	for _, test := range []struct{ overrides, want string }{
		{"algorithm.amplified=true|algorithm.rate=0.5|mechanism={kind: blt, epsilon: 2, delta: 1e-4}", "algorithm.amplified: the proof is for noise of at most as many bands as there are groups, 3; this has 9"},
		{"algorithm.amplified=true|" + private, "participation is no secret here"},
		{"algorithm.amplified=true|algorithm.rate=0.5|algorithm.times=2|" + private, "participation is no secret here"},
		{"algorithm.amplified=true|algorithm.rate=0.5|mechanism={kind: banded-toeplitz, bands: 3, epsilon: 2, delta: 1e-4, neighbours: replace}", "amplification is proved for clients that are added or removed"},
		{"algorithm.amplified=true|mechanism={kind: gaussian, epsilon: 1, delta: 1e-4}", "leave this out"},
		{"algorithm.clip=none|" + private, "algorithm.clip: no noise hides a vector without a bound"},
		{"algorithm.groups=7", "algorithm.groups: 7 groups of 6 clients"},
		{"algorithm.level=record|" + private, "mechanism.kind: banded-toeplitz noise is for sums of a server that is trusted"},
		{"algorithm.momentum=1", "momentum 1"},
		{"mechanism={kind: blt, multiplier: 2, epsilon: 1, delta: 1e-4}", "mechanism.multiplier: noise of a multiplier has the epsilon that follows; leave this or epsilon out"},
		{"mechanism={kind: blt, multiplier: 0, delta: 1e-4}", "mechanism.multiplier: noise multiplier 0"},
		{"mechanism={kind: blt, multiplier: 2}", `missing required key "delta"`},
		{"mechanism={kind: blt, multiplier: 2, delta: 1}", "mechanism.delta: delta = 1"},
		{"algorithm.amplified=true|algorithm.rate=0.5|mechanism={kind: banded-toeplitz, bands: 3, multiplier: 2, delta: 1e-4}", "mechanism.multiplier: amplified noise is found for an epsilon"},
		{"algorithm={kind: dpfl, tau: 1, learning_rate: 1, clip: 1}|mechanism={kind: blt, multiplier: 2, delta: 1e-4}", "mechanism.multiplier: samples are in all sums of a client"},
		{"mechanism={kind: toeplitz, fit: true, epsilon: 2, delta: 1e-4}", "fitted to no participation"},
	} {
		_, err := scenariotest.LoadError(t, text, strings.Split(test.overrides, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.overrides, err, test.want)
		}
	}
}
