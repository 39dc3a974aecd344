package federated_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/ledger"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

const untrusted = `version: 1
name: untrusted
nodes: 6
horizon: 9
algorithm: {kind: dp-fedavg, learning_rate: 0.5, clip: 0.3, tau: 3, server_rate: 0.8}
problem: {kind: table, file: FILE, party: party, label: label, feature_bound: 10, intercept: false, model: {kind: logistic}}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-4, accountant: pld}
seeds: {base: 1, count: 1}
plots: []
`

const (
	clients, dim = scenariotest.SineClients, scenariotest.SineDim
	rounds       = 9
	clip, sigma  = 0.3, 2.0
	secure       = "algorithm.aggregation={kind: secure, survivors: 4, dropout: 0.2}"
	discrete     = "algorithm.aggregation={kind: secure, survivors: 4, dropout: 0.2, shares: discrete, granularity: 0.01, bits: 14}"
	local        = "algorithm.aggregation={kind: local}"
	openShares   = "algorithm.aggregation={kind: local, survivors: 4}"
	shuffled     = "algorithm.aggregation={kind: shuffle, survivors: 4, dropout: 0.2}"
)

func untrustedText(t testing.TB) string {
	t.Helper()
	return strings.Replace(untrusted, "FILE", scenariotest.SineFile(t), 1)
}

// seen is a run whose messages to the server were watched.
type seen struct {
	*scenariotest.Served
	sent [][][]float64 // by round, as sent
	from [][]int       // their clients, from 0
	size []int         // of each message, in bytes
}

func watch(t testing.TB, overrides ...string) seen {
	t.Helper()
	s := scenariotest.LoadText(t, untrustedText(t), overrides...)
	w := seen{Served: scenariotest.WatchServer(t, untrustedText(t), overrides...), sent: make([][][]float64, rounds), from: make([][]int, rounds)}
	job := scenariotest.JobOf(t, s)
	see := &lockstep.Watcher{Node: 0, Visit: func(at *lockstep.Watched) error {
		for _, e := range at.Inbox {
			w.sent[at.Step-1] = append(w.sent[at.Step-1], slices.Clone(e.Payload.(*messages.Vector).Values))
			w.from[at.Step-1] = append(w.from[at.Step-1], int(e.From)-1)
			w.size = append(w.size, e.Payload.WireSize())
		}
		return nil
	}}
	if err := lockstep.Watch(context.Background(), &job.Run, see); err != nil {
		t.Fatal(err)
	}
	return w
}

// The machines compute what a plain loop does: changes that are clipped, with a share of noise
// from the client's own stream, summed up where enough of them are left, and over the clients
// that are expected.
func TestUntrustedByAPlainLoop(t *testing.T) {
	for _, test := range []struct {
		override string
		scale    float64 // of the noise of a message
		least    int
		expected float64
	}{
		{secure, sigma * clip / 2, 4, 0.8 * clients},
		{local, sigma * clip, 1, clients},
		{openShares, sigma * clip / 2, 4, clients},
		{shuffled, sigma * clip, 4, 0.8 * clients},
	} {
		w := watch(t, test.override)
		x, aborted := make([]float64, dim), 0
		var stream rng.Stream
		for round := 1; round <= rounds; round++ {
			sum := make([]float64, dim)
			for _, i := range w.from[round-1] {
				v := scenariotest.SineChange(x, i, 3, 0.5, clip)
				stream.Open(rng.NewKey(1, rng.PurposeOf("federated.shares")), i+1, round, 0).AddNormal(v, test.scale)
				for k := range v {
					sum[k] += v[k]
				}
			}
			if len(w.from[round-1]) < test.least {
				aborted++
				sum = make([]float64, dim)
			}
			for k := range x {
				x[k] += 0.8 * sum[k] / test.expected
				if d := math.Abs(w.Models[round-1][k] - x[k]); !(d < 1e-12) {
					t.Fatalf("%s, round %d: model %v, want %v", test.override, round, w.Models[round-1], x)
				}
			}
		}
		rows := scenariotest.MeasuredIn(t, untrustedText(t), test.override).Rows
		if got := scenariotest.Last(scenariotest.ValuesOf(rows, "rounds.aborted")); got != float64(aborted) {
			t.Errorf("%s: %v rounds are aborted, want %d", test.override, got, aborted)
		}
	}
}

// What the server makes of discrete shares is the sum of the messages modulo 2^Bits, as whole
// numbers have it, to the bit, and each message is a vector on the grid with noise: its share
// of the noise is within 6 standard deviations, false with a probability of 3e-7 in all.
func TestDiscreteSumsExactly(t *testing.T) {
	for _, override := range []string{discrete, strings.Replace(discrete, "bits: 14", "bits: 9", 1)} {
		bits := 14
		if override != discrete {
			bits = 9 // so few that sums wrap round
		}
		w := watch(t, override)
		// Headers of a vector and of a form, and a byte that tells the bits.
		if want := 5 + 5 + 1 + (dim*bits+7)/8; slices.Min(w.size) != want || slices.Max(w.size) != want {
			t.Errorf("%s: messages have %d to %d bytes, want %d", override, slices.Min(w.size), slices.Max(w.size), want)
		}
		x, wrapped := make([]float64, dim), 0
		step, left, dropout, expected := 0.01, 0.8, 0.2, float64(clients) // as the machines compute
		step *= clip
		expected *= 1 - dropout
		for round := range w.sent {
			modulus, sum := int64(1)<<bits, make([]int64, dim)
			for j, v := range w.sent[round] {
				moved := scenariotest.SineChange(x, w.from[round][j], 3, 0.5, clip)
				for k := range v {
					if v[k] != math.Trunc(v[k]) || math.Abs(v[k]) > float64(modulus/2) {
						t.Fatalf("%s, round %d: a message of %v", override, round+1, v)
					}
					if off := v[k]*0.01*clip - moved[k]; bits == 14 && math.Abs(off) > 6*sigma*clip/2+0.01*clip {
						t.Errorf("round %d: a message is off by %v", round+1, off)
					}
					sum[k] += int64(v[k])
				}
			}
			for k := range x {
				of := ((sum[k]+modulus/2)%modulus+modulus)%modulus - modulus/2
				if of != sum[k] {
					wrapped++
				}
				if len(w.sent[round]) >= 4 {
					x[k] += float64(left * float64(float64(step*float64(of))*(1/expected)))
				}
			}
			if !slices.Equal(w.Models[round], x) {
				t.Fatalf("%s, round %d: model %v, want %v", override, round+1, w.Models[round], x)
			}
		}
		if (wrapped > 0) != (bits == 9) {
			t.Errorf("%s: %d entries wrap round", override, wrapped)
		}
	}
}

// What wrapped round is counted against the sum of the messages as they were before they were
// reduced, which are those of a run modulo 2^24 with the same draws: the server's model stays
// where it is, but for 1e-15 of a step.
func TestWrappedAgainstWideSums(t *testing.T) {
	with := func(bits int) []string {
		return []string{strings.Replace(discrete, "bits: 14", fmt.Sprintf("bits: %d", bits), 1), "algorithm.server_rate=1e-15"}
	}
	wide := watch(t, with(24)...)
	for _, bits := range []int{2, 5, 7, 9, 14} {
		half, narrow := math.Ldexp(1, bits-1), watch(t, with(bits)...)
		var want []float64
		differ := 0 // entries of sums of which the server sees another thing than what is
		for round, sent := range wide.sent {
			if len(sent) < 4 {
				continue
			}
			wrapped := 0
			for k := range dim {
				sum, has := 0.0, 0.0
				for j := range sent {
					sum += sent[j][k]
					has += narrow.sent[round][j][k]
				}
				off := sum < -half || sum >= half
				if off {
					wrapped++
				}
				if off != (has < -half || has >= half) {
					differ++
				}
			}
			want = append(want, float64(wrapped)/float64(dim))
		}
		got := scenariotest.ValuesOf(scenariotest.MeasuredIn(t, untrustedText(t), with(bits)...).Rows, aggregation.QuantityWrapped)
		if !slices.Equal(got, want) {
			t.Errorf("%d bits: %v, want %v", bits, got, want)
		}
		if (differ > 0) != (bits < 14) {
			t.Errorf("%d bits: of %d entries the server sees another thing than what is", bits, differ)
		}
	}
}

// Without noise the sum that the server sees is the plain sum: the run is that of a trusted
// server.
func TestSecureSumIsTheSum(t *testing.T) {
	plain := scenariotest.WatchServer(t, untrustedText(t), "mechanism={kind: none}")
	masked := scenariotest.WatchServer(t, untrustedText(t), "mechanism={kind: none}", "algorithm.aggregation={kind: secure, survivors: 6}")
	for round, x := range plain.Models {
		for k, v := range x {
			if d := math.Abs(masked.Models[round][k] - v); !(d <= 1e-12) {
				t.Fatalf("round %d: %v and %v", round+1, masked.Models[round], x)
			}
		}
	}
}

// A client pays for each message that the server hears of, and nobody else pays; what the
// ledger states is the sum over the client that paid the most.
func TestUntrustedPayments(t *testing.T) {
	for _, override := range []string{secure, discrete, local, openShares, shuffled} {
		w := scenariotest.WatchServer(t, untrustedText(t), override)
		worst := 0.0
		for node := range messages.NodeID(clients + 1) {
			paid := w.Paid[node]
			if len(paid) != len(w.Rounds[node]) || node == 0 && len(paid) > 0 {
				t.Errorf("%s: node %d pays %d times for rounds %v", override, node, len(paid), w.Rounds[node])
			}
			var total accountant.Total
			for _, loss := range paid {
				total.Add(loss)
			}
			epsilon, err := total.Epsilon(1e-4, accountant.PLD)
			if err != nil {
				t.Fatal(err)
			}
			worst = max(worst, epsilon)
		}
		rows := scenariotest.MeasuredIn(t, untrustedText(t), override).Rows
		if got := scenariotest.Last(scenariotest.ValuesOf(rows, "epsilon.total")); math.Abs(got-worst) > 1e-9*worst {
			t.Errorf("%s: the ledger has %v, the payments %v", override, got, worst)
		}
	}
}

// Audits of shuffled messages look at them before the shuffler, and their rows say so.
func TestAuditsSayWhatShufflersHide(t *testing.T) {
	for override, want := range map[string]bool{shuffled: true, local: false, secure: false} {
		s := scenariotest.LoadText(t, untrustedText(t), override)
		for _, a := range scenariotest.AuditIn(t, s, scenariotest.AuditOptions(256)) {
			if got := strings.HasSuffix(a.Mechanism, "before the shuffler; what it hides is not audited"); got != want {
				t.Errorf("%s: the audit is of %s", override, a.Mechanism)
			}
		}
	}
}

// What clients add hides what other algorithms send, too: control variates of DP-SCAFFOLD, which
// are clipped together with the change of the model, and the changes of clients of DP-FTRL that
// come back. A message less the noise of its client's own stream is no longer than the clip; each
// is paid for once, at what its noise costs; and of three groups a client pays in every third round.
func TestUntrustedAlgorithms(t *testing.T) {
	rho := 1 / (2 * sigma * sigma)
	for _, test := range []struct {
		algorithm string
		parts     int // vectors of a message
		rounds    int // of a client
	}{
		{"algorithm={kind: dp-scaffold, learning_rate: 0.5, clip: 0.3, tau: 3, server_rate: 0.8}", 2, rounds},
		{"algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.3, tau: 3, server_rate: 0.8, momentum: 0.5}", 1, rounds},
		{"algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.3, tau: 3, groups: 3}", 1, rounds / 3},
	} {
		for aggregation, of := range map[string]struct{ scale, rho float64 }{
			"{kind: secure, survivors: 2}": {sigma * clip / math.Sqrt2, rho},
			"{kind: local}":                {sigma * clip, rho},
			// Two messages hide nobody: any other vector moves a message by 2.
			"{kind: shuffle, survivors: 2}": {sigma * clip, 4 * rho},
		} {
			name := test.algorithm + " " + aggregation
			w := watch(t, test.algorithm, "algorithm.aggregation="+aggregation)
			var stream rng.Stream
			longest := 0.0
			for round := range w.sent {
				for j, v := range w.sent[round] {
					drawn := make([]float64, test.parts*dim)
					stream.Open(rng.NewKey(1, rng.PurposeOf("federated.shares")), w.from[round][j]+1, round+1, 0).AddNormal(drawn, of.scale)
					square := 0.0
					for k, n := range drawn {
						square += (v[k] - n) * (v[k] - n)
					}
					if len(v) != len(drawn) || !(math.Sqrt(square) <= clip*(1+1e-9)) {
						t.Errorf("%s, round %d: a message of %d numbers, of length %v without its noise", name, round+1, len(v), math.Sqrt(square))
					}
					longest = max(longest, math.Sqrt(square))
				}
			}
			if longest < 0.1*clip {
				t.Errorf("%s: messages are no longer than %v without their noise", name, longest)
			}
			for node := range messages.NodeID(clients + 1) {
				paid, want := w.Paid[node], test.rounds
				if node == 0 {
					want = 0
				}
				for _, loss := range paid {
					if math.Abs(loss.Rho-of.rho) > 1e-12 || loss.Epsilon != 0 || loss.Delta != 0 {
						t.Errorf("%s: node %d pays %v, want rho %v", name, node, loss, of.rho)
					}
				}
				if len(paid) != want || node > 0 && len(w.Rounds[node]) != want {
					t.Errorf("%s: node %d pays %d times for rounds %v, want %d", name, node, len(paid), w.Rounds[node], want)
				}
			}
			epsilon, err := accountant.GaussianEpsilon(1/math.Sqrt(2*of.rho*float64(test.rounds)), 1e-4)
			rows := scenariotest.MeasuredIn(t, untrustedText(t), test.algorithm, "algorithm.aggregation="+aggregation).Rows
			if got := scenariotest.Last(scenariotest.ValuesOf(rows, "epsilon.total")); err != nil || math.Abs(got-epsilon) > 1e-9*epsilon {
				t.Errorf("%s: the ledger has %v, want %v, %v", name, got, epsilon, err)
			}
		}
	}
}

// worthOf is what an account makes of payments.
func worthOf(a *ledger.Account, paid []accountant.Loss) (total accountant.Total) {
	for k, loss := range paid {
		if a.Worth != nil {
			loss = a.Worth.Of(1, 1, k+1, loss)
		}
		total.Add(loss)
	}
	return total
}

// epsilons are what observers learn of a client that is in all rounds.
func epsilons(t testing.TB, overrides ...string) map[accountant.Observer]float64 {
	t.Helper()
	w := scenariotest.WatchServer(t, untrustedText(t), overrides...)
	list := map[accountant.Observer]float64{}
	for _, a := range w.Arm.Privacy.Accounts {
		total := worthOf(&a, w.Paid[1])
		epsilon, err := total.Epsilon(1e-4, a.By)
		if a.Converted {
			epsilon, err = total.ReplaceEpsilon(1e-4, a.By)
		}
		if err != nil {
			t.Fatal(err)
		}
		list[a.Observer] = epsilon
	}
	return list
}

// Gaussian noise of a deviation costs in all rounds what one release of it does at a deviation
// that is as many times less as the root of their number.
func gaussian(t testing.TB, deviation float64) float64 {
	t.Helper()
	epsilon, err := accountant.GaussianEpsilon(deviation/math.Sqrt(rounds), 1e-4)
	if err != nil {
		t.Fatal(err)
	}
	return epsilon
}

// Who sees what: the sum has the noise of as many shares as there are survivors at least, less
// one to a client that knows its own; a message has one share, or all noise of its own; and
// neighbours that are replaced move twice as far.
func TestUntrustedObservers(t *testing.T) {
	all := strings.Replace(secure, ", dropout: 0.2", "", 1)
	for _, test := range []struct {
		overrides                  []string
		server, wire, peer, public float64 // deviations over what a client moves
	}{
		{[]string{all}, 2, 2, math.Sqrt(3), 2},
		{[]string{all, "mechanism.neighbours=replace"}, 1, 1, math.Sqrt(3) / 2, 1},
		{[]string{local}, 2, 2, 2, 2},
		{[]string{openShares}, 1, 1, math.Sqrt(3), 2},
		// Six messages are too few to hide anybody: any other vector moves a message by 2.
		{[]string{"algorithm.aggregation={kind: shuffle, survivors: 6}"}, 1, 1, 1, 1},
	} {
		got := epsilons(t, test.overrides...)
		for o, deviation := range map[accountant.Observer]float64{
			accountant.Server: test.server, accountant.Wire: test.wire, accountant.Peer: test.peer, accountant.Public: test.public,
		} {
			if want := gaussian(t, deviation); math.Abs(got[o]-want) > 1e-9*want {
				t.Errorf("%v: %s learns %v, want %v", test.overrides, o, got[o], want)
			}
		}
	}
}

// Only a sum has the noise of all its messages. What a rule makes of them may be one of them, and
// lies that follow from what others say are no noise of their own: then everybody sees what the
// server sees, a message with its share. Of a sum with lies in it the noise of the honest is left,
// who are as many of the survivors as are no liars at least; liars that say nothing are in no sum.
func TestUntrustedObserversOfRulesAndLies(t *testing.T) {
	const lie = "adversaries={kind: scaled, factor: 0, nodes: [5, 6]}"
	for _, test := range []struct {
		overrides    []string
		peer, public float64 // deviations over what a client moves
	}{
		{[]string{"algorithm.combine={kind: mean}"}, math.Sqrt(3), 2},
		{[]string{"algorithm.combine={kind: krum, liars: 1}"}, 1, 1},
		{[]string{"algorithm.combine={kind: median}"}, 1, 1},
		{[]string{"algorithm.combine={kind: trimmed-mean, liars: 1}"}, 1, 1},
		{[]string{"algorithm.combine={kind: trimmed-mean, liars: 0}", lie}, 1, 1},
		{[]string{lie}, 1, math.Sqrt2},
		{[]string{"adversaries={kind: sign-flip, nodes: [6]}"}, math.Sqrt2, math.Sqrt(3)},
		{[]string{"adversaries={kind: little-is-enough, z: 1, nodes: [5, 6]}"}, 1, math.Sqrt2},
		{[]string{"adversaries={kind: little-is-enough, z: 1, nodes: [6], omniscient: true}"}, 1, 1},
		{[]string{"adversaries={kind: silent, nodes: [5, 6]}"}, math.Sqrt(3), 2},
		// More liars than survivors: the client's own share is left.
		{[]string{"adversaries={kind: scaled, factor: 0, nodes: [2, 3, 4, 5, 6]}"}, 1, 1},
	} {
		got := epsilons(t, append([]string{openShares}, test.overrides...)...)
		for o, deviation := range map[accountant.Observer]float64{
			accountant.Server: 1, accountant.Wire: 1, accountant.Peer: test.peer, accountant.Public: test.public,
		} {
			if want := gaussian(t, deviation); math.Abs(got[o]-want) > 1e-9*want {
				t.Errorf("%v: %s learns %v, want %v", test.overrides, o, got[o], want)
			}
		}
	}
}

// namedIn names a coalition in a scenario.
func namedIn(members []messages.NodeID) string {
	if len(members) == 1 {
		return fmt.Sprintf("node: %d", members[0])
	}
	return "nodes: " + strings.ReplaceAll(fmt.Sprint(members), " ", ", ")
}

// A coalition knows the shares of its clients, and with the server among them messages that are
// not masked: the noise left is that of the others that do not lie, and of the client itself at
// least.
func TestUntrustedCoalitions(t *testing.T) {
	const krum, liars = "algorithm.combine={kind: krum, liars: 1}", "adversaries={kind: sign-flip, nodes: [3, 6]}"
	for _, test := range []struct {
		override string
		members  []messages.NodeID
		left     float64 // deviation over what a client moves
	}{
		{openShares + "|" + krum, []messages.NodeID{2}, 1},
		{openShares + "|" + liars, []messages.NodeID{2}, 1},
		{openShares + "|" + liars, []messages.NodeID{3}, math.Sqrt2}, // its share hid nobody
		{openShares + "|" + liars, []messages.NodeID{3, 6}, math.Sqrt2},
		{openShares + "|" + liars, []messages.NodeID{0, 3}, 1},
		{secure, []messages.NodeID{2}, math.Sqrt(3)},
		{secure, []messages.NodeID{0}, 2},
		{secure, []messages.NodeID{0, 2, 3}, math.Sqrt2},
		{secure, []messages.NodeID{2, 3, 4, 5, 6}, 1},
		{openShares, []messages.NodeID{2, 3}, math.Sqrt2},
		{openShares, []messages.NodeID{0, 2}, 1},
		{local, []messages.NodeID{0, 2}, 2},
	} {
		s := scenariotest.LoadText(t, untrustedText(t), append(strings.Split(test.override, "|"), "measure={observers: [{"+namedIn(test.members)+"}]}")...)
		accounts := s.Arms[0].Privacy.Accounts
		named := accounts[len(accounts)-1]
		if !slices.Equal(named.Members, test.members) {
			t.Fatalf("%s: an account of %v", test.override, named.Members)
		}
		paid := slices.Repeat([]accountant.Loss{s.Arms[0].Privacy.Loss(1)}, rounds)
		total := worthOf(&named, paid)
		epsilon, err := total.Epsilon(1e-4, accountant.PLD)
		if want := gaussian(t, test.left); err != nil || math.Abs(epsilon-want) > 1e-9*want {
			t.Errorf("%s, %v: %v, want %v", test.override, test.members, epsilon, want)
		}
	}
}

// The cost of discrete shares is that of the mechanism, and close to that of real ones on a fine
// grid.
func TestDiscretePrice(t *testing.T) {
	fine := "algorithm.aggregation={kind: secure, survivors: 6, shares: discrete, granularity: 0.0001, bits: 24}"
	w := scenariotest.WatchServer(t, untrustedText(t), fine)
	s, err := noise.SharesOnGrid(sigma*clip, 6, 0.0001*clip, clip, dim, 24)
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range w.Paid[1] {
		if loss != s.Loss() || math.Abs(loss.Concentrated/(1/(2*sigma*sigma))-1) > 1e-3 {
			t.Errorf("paid %v, want %v", loss, s.Loss())
		}
	}
}

// Enough messages hide who sent which: 600 clients with Laplace noise of local epsilon 1/2, of
// which the server learns what 600 shuffled messages cost at a share of half of delta, a peer what
// 599 do, and the wire what messages do. 150 are too few for the closed form.
func TestShuffledAmplifies(t *testing.T) {
	text := strings.NewReplacer(
		"nodes: 6", "nodes: 600", "horizon: 9", "horizon: 2", "problem: {kind: table, file: FILE, party: party, label: label, feature_bound: 10, intercept: false, model: {kind: logistic}}",
		"problem: {kind: synthetic-logistic, dimension: 2}", "tau: 3,", "tau: 1, samples: 1,", "sigma: 2, delta: 1e-4, accountant: pld", "epsilon: 0.25", "sampled-gaussian", "laplace",
	).Replace(untrusted)
	for bound, least := range map[string]string{"numerical": "600", "closed": "150"} {
		w := scenariotest.WatchServer(t, text, "algorithm.aggregation={kind: shuffle, survivors: "+least+", delta: 1e-4, bound: "+bound+"}")
		want, _, err := (accountant.ShuffledBatch{Local: 0.5, Messages: 600}).Epsilon(1e-4 / 4)
		if err != nil {
			t.Fatal(err)
		}
		loss := accountant.Loss{Epsilon: want, Delta: 1e-4 / 4}
		if bound == "closed" {
			loss = accountant.Loss{Epsilon: 0.5, Laplace: 0.5}
		}
		if paid := w.Paid[1]; len(paid) != 2 || math.Abs(paid[0].Epsilon-loss.Epsilon) > 1e-9 || paid[0].Delta != loss.Delta {
			t.Errorf("%s: paid %v, want %v", bound, paid, loss)
		}
		for _, a := range w.Arm.Privacy.Accounts {
			if weighed := a.Worth != nil; weighed != (bound == "numerical" && (a.Observer == accountant.Wire || a.Observer == accountant.Peer)) {
				t.Errorf("%s: a worth of its own for %s: %v", bound, a.Observer, weighed)
			}
			if a.Relation != accountant.Replace || a.Converted {
				t.Errorf("%s: the account of %s is for %s", bound, a.Observer, a.Neighbours)
			}
		}
	}
}

// An audit finds half of the noise of the sum that the server sees, and of messages, and does not
// refute all of it.
func TestUntrustedAudit(t *testing.T) {
	testneeds.Slow(t)
	const scaffold = "algorithm={kind: dp-scaffold, learning_rate: 0.5, clip: 0.3, tau: 3}"
	const leader = "algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.3, tau: 3, groups: 2}"
	for _, overrides := range [][]string{{secure}, {discrete}, {scaffold, secure}, {scaffold, shuffled}, {leader, local}} {
		override := strings.Join(overrides, ", ")
		s := scenariotest.LoadText(t, untrustedText(t), overrides...)
		for _, scale := range []float64{1, 0.5} {
			o := scenariotest.AuditOptions(256)
			o.Noise = scale
			for _, a := range scenariotest.AuditIn(t, s, o) {
				if scale < 1 && strings.Contains(a.Mechanism, "seen by") { // models alone, whose law is not known
					continue
				}
				if exceeded, wrong := a.Audited > a.Accounted, !a.NoiseAsStated(); (exceeded || wrong) != (scale < 1) {
					t.Errorf("%s, noise times %v: at least %v of %v, noise as stated: %v", override, scale, a.Audited, a.Accounted, !wrong)
				}
			}
		}
	}
}

// All runtimes give the same bits, with any number of shards.
func TestUntrustedRuntimes(t *testing.T) {
	for _, override := range []string{secure, discrete} {
		s := scenariotest.LoadText(t, untrustedText(t), override)
		digest := ""
		for _, o := range scenariotest.SomeEngines(s) {
			if m := scenariotest.MetricsOf(t, s, o); digest == "" {
				digest = m.Digest
			} else if m.Digest != digest {
				t.Errorf("%s on %+v: digest %s, want %s", override, o, m.Digest, digest)
			}
		}
	}
}

// What is not proved, or has no meaning, is refused where it stands.
func TestUntrustedRefuses(t *testing.T) {
	text := untrustedText(t)
	const survivors = "algorithm.aggregation={kind: secure, survivors: 4}"
	for _, test := range []struct{ overrides, want string }{
		{"algorithm.aggregation={kind: secure}", "algorithm.aggregation: missing required key \"survivors\""},
		{"algorithm.aggregation={kind: secret, survivors: 4}", "algorithm.aggregation.kind"},
		{"algorithm.aggregation={kind: secure, survivors: 7}", "algorithm.aggregation.survivors: a round has at most 6 clients"},
		{"algorithm.groups=2|" + survivors, "algorithm.aggregation.survivors: a round has at most 3 clients"},
		{"algorithm.aggregation={kind: secure, survivors: 4, dropout: 1}", "a dropout of 1"},
		{"algorithm.aggregation={kind: secure, survivors: 4, shares: discrete}", "missing required key \"granularity\""},
		{"algorithm.aggregation={kind: secure, survivors: 4, bits: 8}", "algorithm.aggregation.bits: this is a key of shares: discrete"},
		{"algorithm.aggregation={kind: secure, survivors: 4, shares: discrete, granularity: 3, bits: 8}", "algorithm.aggregation.granularity: a share of"},
		{"algorithm.aggregation={kind: local, shares: discrete, granularity: 0.1, bits: 8}", "algorithm.aggregation.shares: this is a key of kind: secure"},
		{"algorithm.aggregation={kind: secure, survivors: 4, bound: closed}", "algorithm.aggregation.bound: this is a key of kind: shuffle"},
		{"algorithm.level=record|" + survivors, "algorithm.level: clients protect their samples"},
		{"mechanism={kind: toeplitz, epsilon: 2, delta: 1e-4}|" + survivors, "mechanism.kind: noise that is correlated over rounds cannot be divided into shares"},
		{"mechanism={kind: laplace, epsilon: 1}|" + survivors, "mechanism.kind: shares of noise are Gaussian"},
		{"mechanism={kind: laplace, epsilon: 1}|" + openShares, "algorithm.aggregation.survivors: Laplace noise has no shares"},
		{"mechanism={kind: laplace, epsilon: 1}|algorithm.aggregation={kind: shuffle, survivors: 4}", "missing required key \"delta\""},
		{"algorithm.aggregation={kind: shuffle, survivors: 4, delta: 1e-3}", "algorithm.aggregation.delta: losses are stated at the delta of the mechanism"},
		{"algorithm.aggregation={kind: shuffle, survivors: 4, bound: closed}", "algorithm.aggregation.bound: the theorem is for noise that is private without a delta"},
		{"algorithm={kind: fedbuff, learning_rate: 0.5, clip: 0.3, buffer: 2, aggregation: {kind: local}}", "a server with a buffer is trusted"},
		{"algorithm={kind: fedbuff, learning_rate: 0.5, clip: 0.3, buffer: 2, aggregation: {kind: shuffle, survivors: 2}}", "a server with a buffer is trusted"},
		{"algorithm={kind: fedbuff, learning_rate: 0.5, clip: 0.3, buffer: 2, aggregation: {kind: secure, survivors: 2}}", "a server with a buffer is trusted"},
		{"algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 0.3, groups: 3}|mechanism={kind: blt, epsilon: 2, delta: 1e-4}|" + openShares, "mechanism.kind: noise that is correlated over rounds cannot be divided into shares"},
		{"algorithm={kind: dp-scaffold, learning_rate: 0.5, clip: 0.3, groups: 3}|" + survivors, "algorithm.aggregation.survivors: a round has at most 2 clients"},
		{"algorithm.clip=none|" + survivors, "algorithm.clip: no noise hides a vector without a bound"},
	} {
		_, err := scenariotest.LoadError(t, text, strings.Split(test.overrides, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.overrides, err, test.want)
		}
	}
}

// The planned loss is that of a client that is in every round.
func TestUntrustedPlan(t *testing.T) {
	w := scenariotest.WatchServer(t, untrustedText(t), openShares)
	planned, err := study.PlannedLossOf(w.Arm)
	if err != nil || math.Abs(planned.Rho-rounds/2.0) > 1e-9 {
		t.Errorf("planned %v, %v; want rho %v", planned, err, rounds/2.0)
	}
}

// A round is aborted where fewer clients are left than the noise is stated for, and in no other:
// by the numbers that a run records, of rounds with one too few, just enough, and more.
func TestAbortedRoundsAreThoseWithTooFew(t *testing.T) {
	for _, kind := range []string{"secure", "shuffle"} {
		rows := scenariotest.MeasuredIn(t, untrustedText(t), "algorithm.aggregation={kind: "+kind+", survivors: 4, dropout: 0.4}", "horizon=60", "measure={every: 1}").Rows
		left, aborted := scenariotest.ValuesOf(rows, machine.QuantityClients), scenariotest.ValuesOf(rows, aggregation.QuantityAborted)
		counts, want := map[float64]int{}, 0.0
		for round, n := range left {
			counts[n]++
			if n < 4 {
				want++
			}
			if aborted[round] != want {
				t.Fatalf("%s, round %d with %v clients: %v rounds are aborted so far, want %v", kind, round+1, n, aborted[round], want)
			}
		}
		if counts[3] == 0 || counts[4] == 0 || counts[5] == 0 {
			t.Errorf("%s: rounds by clients %v: the test has little to tell", kind, counts)
		}
	}
}

// Nobody learns from a round with fewer clients than the noise is stated for: the loss stays what
// it was, to the last bit, and changes after every other round.
func TestNobodyLearnsFromTooFew(t *testing.T) {
	rows := scenariotest.MeasuredIn(t, untrustedText(t), "algorithm.aggregation={kind: secure, survivors: 4, dropout: 0.4}", "horizon=40", "measure={every: 1}").Rows
	left, loss := scenariotest.ValuesOf(rows, machine.QuantityClients), scenariotest.ValuesOf(rows, "loss.train")
	for round := 1; round < len(left); round++ {
		if (loss[round] == loss[round-1]) != (left[round] < 4) {
			t.Errorf("round %d with %v clients: the loss is %v after %v", round+1, left[round], loss[round], loss[round-1])
		}
	}
}

// Noise of rounds that have to be apart counts on no sample: the ledger has the epsilon of as
// many Gaussian releases as a client can be in, up to the half percent of its distributions.
func TestRoundsApartAreNoSample(t *testing.T) {
	rows := scenariotest.MeasuredIn(t, untrustedText(t), "algorithm.rate=0.5", "algorithm.apart=2").Rows
	want, err := accountant.GaussianEpsilon(sigma/math.Sqrt(5), 1e-4) // of 9 rounds
	if got := scenariotest.Last(scenariotest.ValuesOf(rows, "epsilon.total")); err != nil || !(got >= want && got <= 1.005*want) {
		t.Errorf("the ledger has %v, want %v (%v)", got, want, err)
	}
}
