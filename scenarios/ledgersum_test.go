package scenarios_test

import (
	"math"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/scenariotest"
)

// Every release of a node of DPDO-NC, which is all but the public x_1 that it
// begins with, costs sqrt(t/(t-1)) eps as printed: the 2 sqrt d alpha_(t-1)
// theta/omega that x_t moves by, over the noise for alpha_t. eps is 1 here.
func sumOfDPDONC(list []sending) (sum float64) {
	for _, m := range released(list) {
		sum += math.Sqrt(float64(m.Step) / float64(m.Step-1))
	}
	return sum
}

// The noise on the sums of a learner's gradients is paid for once if anything of it
// was sent: Gaussian noise of the rho that implies (2, 1e-3) by zCDP.
func sumOfOnlineLearning(list []sending) float64 {
	if len(released(list)) == 0 {
		return 0
	}
	root := math.Sqrt(2+math.Log(1e3)) - math.Sqrt(math.Log(1e3))
	return exactGaussian(root*root, 1e-3)
}

// exactGaussian is the epsilon of Gaussian noise of rho = mu^2/2 at delta, by
// bisection of delta = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).
func exactGaussian(rho, delta float64) float64 {
	mu := math.Sqrt(2 * rho)
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	low, high := 0.0, 100.0
	for range 200 {
		e := (low + high) / 2
		if phi(mu/2-e/mu)-math.Exp(e)*phi(-mu/2-e/mu) > delta {
			low = e
		} else {
			high = e
		}
	}
	return high
}

// A message of the local Fed-DP-OPE-Stoch holds d noisy numbers. A linear loss in
// [0, alpha] at the root of tree j moves each of them by alpha/b at 2^j leaves, and
// the noise at each is Laplace of scale 4 alpha 2^j/(b eps): the messages of a tree
// cost d eps/4, and those of other trees and phases are of other losses. With d = 4
// and eps = 2 that is 2, as soon as one tree's messages are sent.
func sumOfExperts(list []sending) float64 {
	if len(released(list)) == 0 {
		return 0
	}
	return 2
}

// Local SGD pays a sampled Gaussian step for each local step: 3 a model that is
// sent, at rate 8/40 of 120 samples with 3 clients and at sigma = 2, until as many
// as the budget allows.
func sumOfLocalSGD(most int) func(list []sending) float64 {
	return func(list []sending) float64 {
		return sampledRDP(8.0/40, 2, min(3*len(released(list)), most), 1e-5)
	}
}

// sampledRDP is the epsilon of sampled Gaussian steps by Rényi differential
// privacy at the orders 2 to 64: min of RDP + ln(1/delta)/(a-1), RDP of a step
// ln(sum_k C(a,k) (1-q)^(a-k) q^k exp((k^2-k)/(2 sigma^2)))/(a-1) (Mironov, Talwar,
// Zhang 2019, section 3.3).
func sampledRDP(q, sigma float64, steps int, delta float64) float64 {
	if steps == 0 {
		return 0
	}
	least := math.Inf(1)
	for a := 2; a <= 64; a++ {
		term := math.Pow(1-q, float64(a)) // C(a, k) (1-q)^(a-k) q^k
		excess := 0.0                     // of the sum over 1, which the terms alone add up to
		for k := 1; k <= a; k++ {
			term *= float64(a-k+1) / float64(k) * q / (1 - q)
			excess += term * math.Expm1(float64(k*(k-1))/(2*sigma*sigma))
		}
		if q == 1 { // of the term k = a alone
			excess = math.Expm1(float64(a*(a-1)) / (2 * sigma * sigma))
		}
		least = min(least, (float64(steps)*math.Log1p(excess)-math.Log(delta))/float64(a-1))
	}
	return least
}

// affordedSteps is how many of the steps of sumOfLocalSGD an epsilon pays for.
func affordedSteps(epsilon float64) (steps int) {
	for sampledRDP(8.0/40, 2, steps+1, 1e-5) <= epsilon {
		steps++
	}
	return steps
}

// A message of an algorithm whose releases all move as far as the noise is for costs 1.
func sumOfReleases(list []sending) float64 { return float64(len(released(list))) }

// Muffliato pays for noisy steps alone, one of 3: what is passed on follows from them.
func sumOfMuffliato(list []sending) (sum float64) {
	for _, m := range released(list) {
		if m.Step%3 == 1 {
			sum++
		}
	}
	return sum
}

// The ledger's totals are the sums over the messages that were really sent, for
// every unit and observer, whatever else happens: a budget that ends what a node
// sends, nodes that are down, nodes that forget and begin again, messages that are
// lost or late, estimates in the place of gradients, nodes that lie and rules
// against them, and a run that is saved and resumed.
func TestLedgerIsTheSumOverMessages(t *testing.T) {
	zcdp := "mechanism.calibration=zcdp"
	sgd := []string{"algorithm={kind: dpfl, tau: 3, learning_rate: 0.5, batch: 8, clip: 0.1}", "problem.partition={kind: iid}", "mechanism.accountant=rdp"}
	const (
		donc             = "algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, "
		meshed           = "topology={kind: complete, self_loops: true}"
		record           = "algorithm={kind: dp-fedavg, learning_rate: 0.5, tau: 3, batch: 8, clip: 0.1, level: record, combine: {kind: trimmed-mean, liars: 1}}"
		open             = "algorithm={kind: dp-fedavg, learning_rate: 0.5, tau: 3, clip: 0.1, aggregation: {kind: local}, combine: {kind: median}}"
		choco, muffliato = "algorithm={kind: choco, gamma: 0.4}", "algorithm={kind: muffliato, rounds: 3}"
		lie              = "adversaries={kind: scaled, factor: -5, nodes: [2]}"
		silent           = "adversaries={kind: silent, nodes: [3]}"
	)
	all, learners := []messages.NodeID{0, 1, 2}, []messages.NodeID{1, 2, 3}
	for name, test := range map[string]struct {
		text      string
		overrides []string
		nodes     []messages.NodeID
		sum       func([]sending) float64
		least     int     // releases of the node that makes least of them
		downward  float64 // share of it that peers and the public see, from the server
	}{
		"dpdonc":         {base, nil, all, sumOfDPDONC, 11, 1},
		"dpdonc stop":    {base, []string{"budget={epsilon: 5, on: stop}"}, all, sumOfDPDONC, 4, 1},
		"dpdonc down":    {base, []string{"network={kind: effects, events: [{at: 4, until: 8, crash: [2]}]}"}, all, sumOfDPDONC, 7, 1},
		"dpdonc forgets": {base, []string{"network={kind: effects, events: [{at: 4, until: 8, crash: [2], forget: true}]}"}, all, sumOfDPDONC, 6, 1},
		"dpdonc lossy":   {lossy, nil, all, sumOfDPDONC, 11, 1},
		// Estimates have a bound of their own, for which the noise is.
		"dpdonc one point":     {base, []string{donc + "feedback: {kind: one-point, radius: 0.2}}"}, all, sumOfDPDONC, 11, 1},
		"dpdonc two points":    {lossy, []string{donc + "feedback: {kind: two-point, radius: 0.2}}", "budget={epsilon: 5, on: stop}"}, all, sumOfDPDONC, 4, 1},
		"dsgd two points":      {base, []string{"algorithm={kind: dsgd, feedback: {kind: two-point, radius: 0.2}}"}, all, sumOfReleases, 12, 1},
		"dpdonc lies":          {base, []string{donc + "combine: {kind: median, liars: 1}}", meshed, lie}, all, sumOfDPDONC, 11, 1},
		"dpdonc lies, lossy":   {lossy, []string{donc + "combine: {kind: trimmed-mean, liars: 1}, missing: hold}", meshed, lie}, all, sumOfDPDONC, 11, 1},
		"dpdonc silence":       {base, []string{donc + "combine: {kind: krum, liars: 0}}", meshed, silent}, all[:2], sumOfDPDONC, 11, 1},
		"dsgd lies, estimates": {base, []string{"algorithm={kind: dsgd, combine: {kind: clipped-gossip, liars: 1}, feedback: {kind: one-point, radius: 0.2}}", meshed, lie}, all, sumOfReleases, 12, 1},
		"dp-fedavg lies":       {trained, []string{record, "problem.partition={kind: iid}", "mechanism.accountant=rdp", lie, "horizon=6"}, learners, sumOfLocalSGD(math.MaxInt), 6, 1},
		"dp-fedavg open lies":  {trained, []string{open, "mechanism={kind: laplace, epsilon: 1}", "adversaries={kind: little-is-enough, nodes: [2], omniscient: true}"}, learners, sumOfReleases, 12, 1},
		// A release of choco moves by the gradient of its step alone; x_1 is in the first.
		"choco":           {base, []string{choco, "network={kind: ideal, compression: {kind: top-k, share: 0.5}}"}, all, sumOfReleases, 12, 1},
		"choco stop":      {base, []string{choco, "network={kind: ideal, compression: {kind: sign}}", "budget={epsilon: 5, on: stop}"}, all, sumOfReleases, 5, 1},
		"choco lossy":     {lossy, []string{choco, "network.compression={kind: dithering, levels: 3}"}, all, sumOfReleases, 12, 1},
		"muffliato":       {base, []string{muffliato}, all, sumOfMuffliato, 12, 1},
		"muffliato stop":  {base, []string{muffliato, "budget={epsilon: 2.5, on: stop}"}, all, sumOfMuffliato, 6, 1},
		"muffliato lossy": {base, []string{muffliato, "network={kind: effects, loss: {probability: 0.2}}"}, all, sumOfMuffliato, 12, 1},
		// A node pays for what it sends, which is in the steps in which it has the token.
		"random-walk":   {base, []string{"algorithm={kind: random-walk}", "topology={kind: complete}", "horizon=30"}, all, sumOfReleases, 9, 1},
		"ofl":           {learning, []string{zcdp}, learners, sumOfOnlineLearning, 4, 1},
		"ofl version 1": {learning, []string{zcdp, "algorithm.version=1"}, learners, sumOfOnlineLearning, 4, 1},
		// The vertex that the server answers shows two numbers a leaf in effect, of 4.
		"experts":   {stochastic, nil, learners, sumOfExperts, 8, 0.5},
		"dpfl":      {trained, append(sgd, "horizon=6"), learners, sumOfLocalSGD(math.MaxInt), 6, 1},
		"dpfl stop": {trained, append(sgd, "horizon=60", "budget={epsilon: 2, on: stop}"), learners, sumOfLocalSGD(affordedSteps(2)), (affordedSteps(2) + 2) / 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := scenariotest.Charged{Scenario: loadText(t, test.text, test.overrides...), Nodes: test.nodes, Sum: test.sum, Least: test.least, Downward: test.downward}
			c.Holds(t)
		})
	}
}

// Fed-SVT pays for an arming, eps/4 by the noise of the threshold, of scale 4/eps,
// and eta for every draw of an expert that the server sends: at most kappa of them.
func TestLedgerIsTheSumOverMessagesOfFedSVT(t *testing.T) {
	for _, pause := range []int{0, 3} {
		s := loadText(t, realizable, "seeds.base=2") // of a seed that draws an expert
		sent, j := sentBy(t, s, pause, 0)
		draws := 0
		for _, m := range released(sent[0]) {
			if m.First != 0 { // not "keep"
				draws++
			}
		}
		const eps, kappa = 20, 3
		want := eps/4.0 + float64(draws)*eps/(2*kappa)
		server := j.Meter.Groups(len(j.Meter.Points)-1, true)[0] // what it pays counts for every unit
		if got, _ := server.Total.Pure(); math.Abs(got-want) > 1e-12*want || draws == 0 {
			t.Errorf("pause %d: the server paid %v for %d draws, want %v", pause, got, draws, want)
		}
		rows := finalRows(t, s.Arms[0], j)
		for unit := int32(1); unit <= 3; unit++ {
			// What the schedule lets it pay, whatever the losses were.
			if e := rows[accountant.Public][unit]; math.Abs(e-0.75*eps) > 1e-12*eps {
				t.Errorf("pause %d: public learns %v of client %d", pause, e, unit)
			}
			if !math.IsInf(rows[accountant.Server][unit], 1) {
				t.Errorf("pause %d: the server learns %v of client %d", pause, rows[accountant.Server][unit], unit)
			}
		}
	}
}
