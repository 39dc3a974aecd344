package scenariotest_test

import (
	"slices"
	"testing"

	"starling/actors/algorithm/fedsvt"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
	"starling/mechanisms/selection"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/family/prediction"
	"starling/scenarios/federated"
	"starling/scenarios/testneeds"
)

// breakage spoils the noise of an observed run, as a key that lacks a part would: a
// release takes the noise of the one that the function says.
type breakage func(releases []auditing.Release, i int) (from int)

// firstLike is the first release that agrees with another one in what is compared.
func firstLike(same func(a, b auditing.Place) bool) breakage {
	return func(releases []auditing.Release, i int) int {
		return slices.IndexFunc(releases, func(r auditing.Release) bool { return same(r.Place, releases[i].Place) })
	}
}

func breakages() map[string]breakage {
	return map[string]breakage{
		"without the step": firstLike(func(a, b auditing.Place) bool { return a.Node == b.Node && a.Hop == b.Hop }),
		"without the hop":  firstLike(func(a, b auditing.Place) bool { return a.Node == b.Node && a.Step == b.Step }),
		"without the node": firstLike(func(a, b auditing.Place) bool { return a.Step == b.Step && a.Hop == b.Hop }),
	}
}

// apply gives every release the noise of another.
func (b breakage) apply(o *auditing.Observed) {
	noise := make([][]float64, len(o.Releases))
	for i := range o.Releases {
		noise[i] = slices.Clone(o.Releases[i].Residual)
	}
	for i := range o.Releases {
		r := &o.Releases[i]
		r.Residual = slices.Clone(r.Residual)
		if r.Moved != nil {
			r.Middle = slices.Clone(r.Middle)
		} else {
			r.Middle = r.Residual
		}
		for k, v := range noise[b(o.Releases, i)] {
			if r.Moved != nil {
				r.Middle[k] += v - noise[i][k]
			}
			r.Residual[k] = v
		}
	}
}

// secondOutcomes are the second statistics of so many runs on either input, with
// noise that is broken.
func secondOutcomes(t *testing.T, run *auditing.Run, second *auditing.CrossMoments, b breakage, samples int) (sampler *auditing.Sampler, pairs [2][][]float64) {
	t.Helper()
	sampler = &auditing.Sampler{Moments: second.Moments.Empty()}
	for pair := range second.Pairs {
		sampler.Wanted = append(sampler.Wanted, pair)
	}
	for side := range pairs {
		sampler.Pairs = nil
		for k := range samples {
			o, err := run.Observe(uint64(2*k+side), side == 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			if b != nil {
				b.apply(o)
			}
			if err := second.Note(sampler, o); err != nil {
				t.Fatal(err)
			}
		}
		pairs[side] = sampler.Pairs
	}
	return sampler, pairs
}

// rightChildAudit has a right child in phase 4.
var rightChildAudit = smallAudit{"ope-stochastic", []string{
	"sweep=null", "mechanism.epsilon=4", "problem={kind: gaussian-softmax, experts: 2, loss: cross-entropy}",
}, 1}

// Noise whose key lacks a part is found in runs of the families that use that part: by
// a difference of releases, which exceeds the loss, and by the moments. The likelihood
// ratio of what one node sends, which takes the law for granted, finds none of it. At
// the chance of 1e-3 that is stated for each, unbroken noise gives no alarm; these
// streams are fixed.
func TestSharedNoiseIsFound(t *testing.T) {
	const samples, miss = 400, 1e-3
	for name, c := range map[string]struct {
		audit  smallAudit
		broken []string
	}{
		"dpdonc":      {smallAudits["dpdonc"], []string{"without the step", "without the node"}},
		"ofl":         {smallAudits["ofl"], []string{"without the step", "without the node"}},
		"opestoch":    {smallAudits["opestoch"], []string{"without the step", "without the node"}},
		"right child": {rightChildAudit, []string{"without the step", "without the hop", "without the node"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := c.audit.runOf(t)
			second, err := run.SecondOf()
			if err != nil {
				t.Fatal(err)
			}
			subject, err := run.Subject("", 1)
			if err != nil {
				t.Fatal(err)
			}
			measure, limit := parameterOf(subject.Loss, subject.Delta)
			judge := func(b breakage) (bound float64, noise audit.Noise) {
				sampler, pairs := secondOutcomes(t, run, second, b, samples)
				best, err := audit.Pick(pairs[0][:samples/2], pairs[1][:samples/2], measure, 1-miss)
				if err != nil {
					t.Fatal(err)
				}
				found, err := audit.LowerBound(columnOf(pairs[0], best), columnOf(pairs[1], best), audit.HalfPilot, measure, 1-miss)
				if err != nil {
					t.Fatal(err)
				}
				return found.Value, sampler.Moments.Judge(miss)
			}
			if bound, noise := judge(nil); bound > limit || !noise.AsStated() {
				t.Errorf("as it is: bound %v on %v, %+v", bound, limit, noise.Deviations)
			}
			for _, broken := range c.broken {
				bound, noise := judge(breakages()[broken])
				if noise.AsStated() {
					t.Errorf("noise %s is as stated", broken)
				}
				// A limit that so few samples cannot reach is none to exceed.
				if reach := measureAt(measure, samples/2, miss); bound <= min(limit, reach/2) {
					t.Errorf("noise %s: bound %v on %v", broken, bound, limit)
				}
			}
		})
	}
}

// measureAt is the largest bound that so many outcomes of an input give.
func measureAt(m audit.Measure, n int, miss float64) float64 {
	return m(audit.LowerLimit(n, n, miss/2), audit.UpperLimit(0, n, miss/2))
}

func columnOf(rows [][]float64, k int) (list []float64) {
	for _, row := range rows {
		list = append(list, row[k])
	}
	return list
}

// A sample that depends on the noise is found, one of its own stream is not.
func TestSampleThatDependsOnNoiseIsFound(t *testing.T) {
	run := wholeRuns(t)["dpfl, sampled"]
	second, err := run.SecondOf()
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []bool{false, true} {
		sampler := &auditing.Sampler{Moments: second.Moments.Empty()}
		for seed := range uint64(1000) {
			o, err := run.Observe(seed, true, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(o.Coins) != federated.AuditSamples {
				t.Fatalf("%d draws of samples, want %d", len(o.Coins), federated.AuditSamples)
			}
			if broken {
				if o.Coins[0] = 0; o.Releases[0].Residual[0] > 0 {
					o.Coins[0] = 1
				}
			}
			if err := second.Note(sampler, o); err != nil {
				t.Fatal(err)
			}
		}
		if noise := sampler.Moments.Judge(1e-3); noise.AsStated() == broken {
			t.Errorf("broken %v: %+v", broken, noise.Deviations)
		}
	}
}

// A charge of half of what a release costs is found where that release costs the most.
// The whole is not exceeded.
func TestChargeOfHalfIsFound(t *testing.T) {
	svt := smallAudit{"svt-realizable", []string{"sweep=null", "mechanism.epsilon=4"}, 0}
	choice := svt
	choice.size = slices.IndexFunc(prediction.SvtRuns(), func(k prediction.SvtRun) bool { return k.Kind == prediction.SvtChooses })
	rare := choice
	rare.overrides = []string{"sweep=null", "mechanism.epsilon=10"}
	for name, c := range map[string]struct {
		audit   smallAudit
		charged func(whole accountant.Loss) accountant.Loss
		samples int
	}{
		// Roots cost half of what right children do.
		"right children": {rightChildAudit, func(l accountant.Loss) accountant.Loss { l.Epsilon /= 2; return l }, 6000},
		// An arming costs eps/4 = 1, the choice eta = 4.
		"exponential mechanism": {choice, func(l accountant.Loss) accountant.Loss { l.Epsilon -= 2; return l }, 12_000},
		// 2.5 and 10: see TestHalfAChargeOfTheExponential.
		"exponential mechanism, rare choices": {rare, func(l accountant.Loss) accountant.Loss { l.Epsilon -= 5; return l }, 65_536},
	} {
		if c.samples > 50_000 && !testneeds.SlowWanted() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := c.audit.runOf(t).Subject("", 1)
			if err != nil {
				t.Fatal(err)
			}
			measure, whole := parameterOf(s.Loss, s.Delta)
			_, half := parameterOf(c.charged(s.Loss), s.Delta)
			bounds := boundsOf(t, s, measure, 1, c.samples, 0.99, 0.9999)
			if bounds[0] <= half || bounds[1] > whole {
				t.Errorf("bounds %v, want over %v and within %v", bounds, half, whole)
			}
		})
	}
}

// Queries without noise are found in both armings, by their law at the threshold: this
// draws the answers anew, from the losses of the audit and a server of its own.
func TestQueriesWithoutNoiseAreFound(t *testing.T) {
	const epsilon, samples = 4.0, 8000
	for _, kind := range prediction.SvtRuns()[1:3] {
		c := smallAudit{"svt-realizable", []string{"sweep=null", "mechanism.epsilon=4"}, slices.IndexFunc(prediction.SvtRuns(), func(k prediction.SvtRun) bool { return k.Name == kind.Name })}
		s, err := c.runOf(t).Subject("", 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, noisy := range []bool{true, false} {
			drawn := *s
			drawn.Sampler = func(float64) (*auditing.Sampler, error) {
				return &auditing.Sampler{Draw: func(r *rng.Rand, other bool) (float64, error) {
					return float64(plainServer(kind, epsilon, noisy, other, r)), nil
				}}, nil
			}
			bounds := boundsOf(t, &drawn, audit.Epsilon(0), 1, samples, 0.999)
			if exceeded := bounds[0] > s.Loss.Epsilon; exceeded == noisy {
				t.Errorf("%s, noise of queries %v: bound %v on %v", kind.Name, noisy, bounds[0], s.Loss.Epsilon)
			}
		}
	}
}

// plainServer is Fed-SVT's server on the losses of an audited run, written down once
// more, with or without noise on its queries. It returns the class of its answers.
func plainServer(kind prediction.SvtRun, epsilon float64, noisy, other bool, r *rng.Rand) int {
	o := fedsvt.Options{Clients: prediction.SvtClients, Experts: kind.Experts, Interval: 1, Variant: fedsvt.Pure, Epsilon: epsilon, Kappa: kind.Kappa, Rho: prediction.SvtRho, Start: 1}
	rising := kind.Rising(&o)
	parameters := o.Parameters()
	losses := kind.Losses(parameters, parameters.Eta, rising, other)
	free := func(accountant.Loss) error { return nil }
	threshold := selection.AboveThreshold{Threshold: parameters.Threshold, ThresholdScale: 4 / epsilon, QueryScale: 8 / epsilon}
	if !noisy {
		threshold.QueryScale = 0
	}
	limit, _ := threshold.Arm(r, 1, free)
	totals, loss := make([]float64, o.Experts), make([]float64, o.Experts)
	sent, played, query := [][]float64{{1}}, 0, 0.0
	for step, switches := 1, 0; step <= o.Horizon; step++ {
		for client := 1; client <= o.Clients && step > 1; client++ {
			losses.Gradient(loss, messages.NodeID(client), step-1, nil)
			query += loss[played]
			for x, v := range loss {
				totals[x] += v
			}
		}
		answer := 0
		if switches < kind.Armings() && threshold.Above(limit, query, r) {
			utilities := make([]float64, len(totals))
			for x, v := range totals {
				utilities[x] = -v
			}
			played, _, _ = selection.Exponential{Scale: 2 / parameters.Eta}.Select(utilities, r, 1, free)
			limit, _ = threshold.Arm(r, 1, free)
			query, answer = 0, played+1
			switches++
		}
		sent = append(sent, []float64{float64(answer)})
	}
	return prediction.SvtOutcome(sent, kind.Armings())
}

// The budget of samples by power is enough: with as many as find half of the noise with
// chance 0.9 it is found at least in 12 of 20 audits. Fewer have chance 2e-3 were it
// 0.9 exactly; these streams are fixed.
func TestPowerIsEnough(t *testing.T) {
	testneeds.Slow(t)
	s, err := smallAudits["opestoch"].runOf(t).Subject("", 0.5)
	if err != nil {
		t.Fatal(err)
	}
	o := auditOptions(100_000)
	o.Power, o.Violation = 0.9, 0.5
	if err := o.Budget(t.Context(), []*auditing.Subject{s}, 0.99); err != nil {
		t.Fatal(err)
	}
	if s.Needed < auditing.FewestAudited || s.Samples != s.Needed {
		t.Fatalf("%d samples needed, %d taken", s.Needed, s.Samples)
	}
	measure, limit := parameterOf(s.Loss, s.Delta)
	found := 0
	for k := range 20 {
		if boundsOf(t, s, measure, 100+k, s.Samples, 0.99)[0] > limit {
			found++
		}
	}
	if found < 12 {
		t.Errorf("%d samples find it in %d of 20 audits", s.Samples, found)
	}
}

// Seeds are of independent audits: the same as one audit each, of other outcomes.
func TestSeedsOfAnAudit(t *testing.T) {
	s := loadScenario(t, "privacy-coordinates", "sweep=null", "problem.experts=2", "mechanism.epsilon=4")
	o := auditOptions(1000)
	o.Seeds = []uint64{7, 8}
	both := auditIn(t, s, o)
	if len(both) != 2 || both[0].Seed != 7 || both[1].Seed != 8 || both[0].Audited == both[1].Audited {
		t.Fatalf("%+v", both)
	}
	for i, seed := range o.Seeds {
		one := auditOptions(1000)
		// The statements of two seeds share the error.
		one.Seeds, one.Confidence = []uint64{seed}, 1-(1-o.Confidence)/2
		if got := auditIn(t, s, one); got[0].Audited != both[i].Audited {
			t.Errorf("seed %d: %v alone, %v of two", seed, got[0].Audited, both[i].Audited)
		}
	}
}

// Audits run the network of the arm: its shadows are the machines there too, and the
// noise is as stated, also where a node goes on from its own last release.
func TestAuditsOfNetworks(t *testing.T) {
	for name, overrides := range map[string][]string{
		"network-loss":    {"sweep=null", "network={kind: effects, loss: {probability: 1}}", "algorithm.missing=renormalise"},
		"network-churn":   {"sweep=null", "network={kind: effects, churn: {fail: 0.1, recover: 0.5, forget: true}}"},
		"network-delay":   {"sweep=null", "network={kind: effects, delay: {least: 1, longest: 2}}"},
		"network-dropout": {"sweep=null", "network={kind: effects, churn: {fail: 0.3, recover: 0.5}}"},
	} {
		if !testneeds.SlowWanted() && (name == "network-loss" || name == "network-delay") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, a := range auditIn(t, loadScenario(t, name, overrides...), auditOptions(600)) {
				if a.Exceeded() || a.Noise == nil || !a.NoiseAsStated() {
					t.Errorf("%+v %+v", a, a.Noise)
				}
			}
		})
	}
}

// The noise of every family is as stated on a set that is much smaller than the noise:
// what is audited is what was noised, before any projection.
func TestAuditsOfSets(t *testing.T) {
	const server, equals = "topology={kind: star}", "topology={kind: complete, self_loops: true}"
	for name, overrides := range map[string][]string{
		"dpfl":    {server, "algorithm={kind: dpfl, tau: 1, learning_rate: 1, clip: 1}", "mechanism={kind: independent, epsilon: 0.5, delta: 1e-3}"},
		"central": {server, "algorithm={kind: central, learning_rate: 1, clip: 1}", "mechanism={kind: independent, epsilon: 0.5, delta: 1e-3}"},
		"ofl":     {server, "algorithm={kind: ofl, tau: 2, local_step: 1}", "mechanism={kind: tree, epsilon: 0.5, delta: 1e-3}"},
		"dsgd":    {equals, "algorithm={kind: dsgd}", "mechanism={kind: gaussian, epsilon: 0.5, delta: 1e-3}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := append([]string{"sweep=null", "nodes=4", "horizon=4", "problem={kind: synthetic-logistic, dimension: 3, set: {kind: l2-ball, dimension: 3, radius: 0.1}}"}, overrides...)
			for _, a := range auditIn(t, loadScenario(t, "privacy-observers", all...), auditOptions(600)) {
				if a.Exceeded() || a.Noise == nil || !a.NoiseAsStated() {
					t.Errorf("%+v %+v", a, a.Noise)
				}
			}
		})
	}
}

// The sampling of losses and the noise of Fed-DP-OPE-Stoch never draw from one key, even
// if they had one purpose: a client sends in the even hops of a phase's first step but
// the last, in which it draws.
func TestOPEStochDrawsInAnotherHop(t *testing.T) {
	run := rightChildAudit.runOf(t)
	o, err := run.Observe(1, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	real, err := run.Run(1, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range o.Releases {
		if last := real.Hops(r.Step-1) - 1; r.Hop >= last {
			t.Errorf("a release in hop %d of step %d, whose last is %d", r.Hop, r.Step, last)
		}
	}
}
