package scenarios

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/meter/federated"
	"starling/scenarios/problem/stream"
)

// sensitivityRule is what is assumed of how far one datum moves an input of the
// mechanism.
type sensitivityRule string

// The rules.
const (
	sensitivityBound  sensitivityRule = "bound"  // 2 B_g: nothing but the gradient bound
	sensitivityConvex sensitivityRule = "convex" // version 1: 2 B_g/tau, for convex smooth losses with eta <= 2/L
)

func sensitivityRules() []sensitivityRule {
	return []sensitivityRule{sensitivityBound, sensitivityConvex}
}

// oflSection is the algorithm section of online federated learning.
type oflSection struct {
	Kind          string          `yaml:"kind,required"`
	Version       ofl.Version     `yaml:"version" doc:"what carries noise: 2 every local step, 1 the average of each round"`
	Tau           int             `yaml:"tau,required" doc:"local steps in a round, tau; it divides the horizon"`
	LocalStep     float64         `yaml:"local_step,required" doc:"local step size, eta"`
	GlobalStep    float64         `yaml:"global_step" doc:"global step size, eta_g"`
	Start         []float64       `yaml:"start" doc:"x^0, d numbers; absent, zero"`
	GradientBound *float64        `yaml:"gradient_bound" doc:"B_g, the 2-norm that no gradient exceeds; absent, that of the problem, where it has one"`
	OnBound       ofl.Bound       `yaml:"on_bound" doc:"what a gradient longer than B_g does: clip scales it down, error fails the run"`
	Sensitivity   sensitivityRule `yaml:"sensitivity" doc:"how far a datum moves an input of the mechanism: bound 2 B_g; convex 2 B_g/tau, in version 1 for convex smooth losses with eta at most 2/L"`
	Late          algorithm.Late  `yaml:"late" doc:"where the network has effects, what the server does with vectors that come after their round: drop leaves them out, use averages them in the round in which they come"`
}

func defaultOFL() oflSection {
	return oflSection{Version: ofl.PerStep, GlobalStep: 1, OnBound: ofl.BoundClip, Sensitivity: sensitivityBound, Late: algorithm.LateDrop}
}

// oflPlan is what the sections of online federated learning say, put together.
type oflPlan struct {
	arm       *Arm
	remark    string // of an audit, on the arm's network
	section   oflSection
	mechanism correlatedSection
	stream    *oflProblem
	shape     stream.Shape
	options   ofl.Options // without data, which the seed draws, and without noise
	// noise is that of the options, nil for none. It is made when it is first
	// asked for, for to factorise takes long: a run does, and a check does not.
	noise      func() (*ofl.Noise, error)
	comparator func(seed uint64, instance stream.Instance) *stream.Comparator
	compares   bool // regret is recorded
}

// oflLinks are the server, 0, the learners, from 1, and after them the clients of each,
// whose links to their learner are no part of the network.
func oflLinks(nodes int) networkSite {
	return networkSite{labels: labels{0, 2 * nodes}, local: ofl.Local(nodes)}
}

// buildOFL builds online federated learning with correlated noise.
func buildOFL(b *builder, arm *Arm, a *armFile, found *faults) (plan algorithmPlan) {
	p := &oflPlan{arm: arm, section: defaultOFL()}
	found.note(document.Decode(a.Algorithm, &p.section))
	noSampledNodes(a, found)
	arm.topology = b.star(arm, a, "ofl", found, func() (topology.Sequence, error) { return ofl.Graph(a.Nodes) }, 3*float64(a.Nodes))
	p.mechanism = p.correlated(a, found)
	if p.stream = b.stream(a, found); p.stream == nil || len(found.issues) > 0 {
		return plan
	}
	if p.shape = p.shapeOf(a, found); p.shape.Rounds == 0 {
		return plan
	}
	if !p.configure(b, a, found) {
		return plan
	}
	if arm.effects != nil {
		p.options.Effects, arm.effects.patience = true, 2*p.shape.Tau
	}
	if bytes := 8 * product(a.Nodes, a.Horizon, p.stream.model.Dim()+1); p.records(a, federated.RegretStatic) && bytes > mostMetricBytes {
		found.at("measure.metrics", "static regret holds all data of a run, %.3g GiB; want at most %d; leave %s out", bytes/(1<<30), mostMetricBytes>>30, federated.RegretStatic)
		return plan
	}
	p.comparator = b.comparator(a, p)
	p.compares = p.records(a, federated.RegretDynamic) || p.records(a, federated.RegretStatic)
	return algorithmPlan{
		participants: p.options.Participants(),
		server:       true,
		roundSteps:   p.shape.Tau,
		dim:          p.stream.model.Dim(),
		held:         p.held(a),
		deciders:     deciders{1, messages.NodeID(1 + a.Nodes)},
		loss:         p.loss,
		bills:        func(*job) billing { return p.bills() },
		reasons:      []algorithm.Reason{ofl.PublicStart, ofl.MeanOfReleases},
		unprepared:   p.unpreparedLoss,
		claim:        p.claim,
		accounts: everywhere(account{
			unit: "a client's datum", neighbours: "one client's datum replaced, of all that a learner meets", relation: accountant.Replace,
			claimed: p.claim(), delta: p.mechanism.Delta, by: accountant.PLD,
			why: "a learner is trusted with its clients' data: the link between them is not on the wire",
		}, accountant.Wire, accountant.Server, accountant.Peer, accountant.Public),
		job:     func(seed uint64) (*job, error) { return p.job(arm, seed) },
		notes:   p.notes,
		trained: p.stream.trained(),
		before:  p.before(),
		metrics: p.metrics(arm),
	}
}

// held is what a job holds of its data, and of the factorization with its streams
// and what the search for it takes.
func (p *oflPlan) held(a *armFile) float64 {
	numbers := product(2, a.Nodes, p.stream.model.Dim())
	if p.records(a, federated.RegretStatic) {
		numbers += product(a.Nodes, a.Horizon, p.stream.model.Dim()+1)
	}
	if p.mechanism.private() {
		o := p.mechanism.options(p.options.Inputs())
		perCoordinate := o.MemoryPerCoordinate()
		numbers += product(perCoordinate, a.Nodes, p.stream.model.Dim())
		switch o.Kind {
		case factorization.Optimal, factorization.ARSum:
			numbers += product(40+2*perCoordinate, o.N)
		default:
			numbers += product(2, o.N)
		}
	}
	return 8*numbers + p.stream.images.held()
}

// metrics are those of the meter; without the optimum there is no regret, and
// without its constants no bound.
func (p *oflPlan) metrics(arm *Arm) []string {
	list := slices.Concat(federated.Metrics(), arm.roundMetrics())
	return slices.DeleteFunc(list, func(metric string) bool {
		bound := metric == federated.BoundDynamic || metric == federated.BoundStatic
		return !p.records(&armFile{}, metric) || bound && !p.bounded()
	})
}

// before is what the model that runs start from has shown; nil is nothing.
func (p *oflPlan) before() *before {
	if p.stream.images == nil {
		return nil
	}
	return p.stream.images.warm.before(accountant.Replace)
}

func (p *oflPlan) correlated(a *armFile, found *faults) (s correlatedSection) {
	if a.Mechanism == nil {
		return s
	}
	decode, err := find[correlatedBuilder](a.kinds.mechanisms, a.Mechanism, "the algorithm ofl")
	if !found.note(err) {
		return s
	}
	s, err = decode(a.Mechanism)
	found.note(err)
	return s
}

// shapeOf checks the extent of the run.
func (p *oflPlan) shapeOf(a *armFile, found *faults) (shape stream.Shape) {
	tau := p.section.Tau
	switch {
	case tau < 1:
		found.at("algorithm.tau", "%d local steps; want at least 1", tau)
	case a.Horizon < 1:
	case a.Horizon%tau != 0:
		found.at("horizon", "%d steps are no whole number of rounds of %d", a.Horizon, tau)
	default:
		return stream.Shape{Learners: a.Nodes, Rounds: a.Horizon / tau, Tau: tau}
	}
	return shape
}

// configure makes the options of the algorithm, and says how its noise is made.
func (p *oflPlan) configure(b *builder, a *armFile, found *faults) bool {
	s, model := &p.section, p.stream.model
	if err := p.stream.check(p.shape); err != nil {
		return found.note(a.doc.Resolve(a.Problem.Path(), err).Err())
	}
	o := &p.options
	*o = ofl.Options{
		Version: s.Version, Learners: p.shape.Learners, Rounds: p.shape.Rounds, Tau: p.shape.Tau,
		LocalStep: s.LocalStep, GlobalStep: s.GlobalStep, Start: s.Start, Late: s.Late,
		GradientBound: model.GradientBound(), Bound: s.OnBound, Model: model, Data: noData{}, // until there is a seed
		NoisePurpose: rng.PurposeOf("ofl.noise").Arm(a.name),
	}
	if o.Start != nil && p.stream.images != nil && p.stream.images.weights {
		return found.note(document.At("algorithm.start", "%s", twoStarts))
	}
	if o.Start == nil {
		o.Start = p.stream.start(a.Seeds.Base)
	}
	if s.GradientBound != nil {
		o.GradientBound = *s.GradientBound
	}
	if math.IsInf(o.GradientBound, 1) {
		found.at("algorithm", "the gradients have no bound of their own: give algorithm.gradient_bound, or, of a logistic stream, normalise the features and leave l2 out")
		return false
	}
	if err := o.Validate(); err != nil {
		return found.options(err)
	}
	p.noise = func() (*ofl.Noise, error) { return nil, nil }
	if !p.mechanism.private() {
		return true
	}
	perInput, err := p.perInput()
	if !found.note(err) {
		return false
	}
	unit, err := p.mechanism.unitNoise()
	if !found.note(err) || !found.note(a.Mechanism.Resolve(p.mechanism.check(o.Inputs(), o.Learners, model.Dim()))) {
		return false
	}
	p.noise = func() (*ofl.Noise, error) {
		f, err := b.factorization(&p.mechanism, o.Inputs())
		if err == nil {
			err = checkStreams(f.MemoryPerCoordinate(), o.Learners, model.Dim())
		}
		if err != nil {
			return nil, a.Mechanism.Resolve(err)
		}
		sensitivity := perInput * f.Sensitivity()
		return &ofl.Noise{Factorization: f, Scale: unit * sensitivity, Sensitivity: sensitivity}, nil
	}
	return true
}

// noData stand for the data of a seed where only that there are some counts.
type noData struct{ ofl.Data }

// perInput is how far one client's datum moves an input of the mechanism in
// 2-norm: it changes one gradient by at most 2 B_g. In version 1 it moves the
// later local steps of its round too, and the average of the round's gradients
// by at most 2 B_g all the same; where local steps are non-expansive, by 2
// B_g/tau.
func (p *oflPlan) perInput() (float64, error) {
	o, s := &p.options, &p.section
	switch s.Sensitivity {
	case sensitivityBound:
		return 2 * o.GradientBound, nil
	case sensitivityConvex:
		l := p.stream.smoothness
		if l == 0 {
			return 0, document.At("algorithm.sensitivity", "convex is for losses that are known to be convex and smooth, which those of a network on images are not")
		}
		if p.stream.convexity > 0 {
			return 0, document.At("algorithm.sensitivity", "convex is for losses of <x, a> alone: with a ridge term (l2) a step by a clipped gradient may expand")
		}
		if o.Version != ofl.PerRound {
			return 0, document.At("algorithm.sensitivity", "convex is for version 1; in version 2 a datum moves one input only")
		}
		if o.LocalStep > 2/l {
			return 0, document.At("algorithm.local_step", "eta = %v is over 2/L = %.6g, so that local steps may expand and sensitivity: convex does not hold", o.LocalStep, 2/l)
		}
		return 2 * o.GradientBound / float64(o.Tau), nil
	}
	return 0, document.At("algorithm.sensitivity", "unknown value %q; known: bound, convex", s.Sensitivity)
}

// loss is what the release of a step costs a learner: the whole stream of noise
// is paid for when it begins. It needs the noise of the run.
func (p *oflPlan) loss(step int) accountant.Loss {
	n, err := p.noise()
	if err != nil { // no job runs
		return accountant.NotPrivate()
	}
	if n == nil {
		return p.paid(step, accountant.Loss{})
	}
	return p.paid(step, accountant.Loss{Rho: n.Sensitivity * n.Sensitivity / (2 * n.Scale * n.Scale)})
}

// unpreparedLoss is loss but for rounding, by the noise for a sensitivity of 1.
func (p *oflPlan) unpreparedLoss(step int) accountant.Loss {
	unit, err := p.mechanism.unitNoise()
	if !p.mechanism.private() || err != nil {
		return p.paid(step, accountant.Loss{})
	}
	return p.paid(step, accountant.Loss{Rho: accountant.GaussianRho(unit)})
}

// paid is what a step costs of a stream that costs whole.
func (p *oflPlan) paid(step int, whole accountant.Loss) accountant.Loss {
	private := p.mechanism.private()
	switch {
	case !private && (step+1)%p.options.Tau == 0:
		return accountant.NotPrivate()
	case !private || step != p.firstRelease():
		return accountant.Loss{}
	}
	return whole
}

// firstRelease is the step of the first input of the mechanism.
func (p *oflPlan) firstRelease() int {
	if p.options.Version == ofl.PerRound {
		return p.options.Tau - 1
	}
	return 0
}

// bills are what learners pay: for the whole stream of their noise, before they send
// anything and once; without noise for what they send at the end of a round.
func (p *oflPlan) bills() billing {
	n, err := p.noise() // the job has made the same
	return func(node messages.NodeID, step int, at moment) bill {
		switch {
		case node == 0 || int(node) > p.options.Learners || n != nil && at.paid:
			return bill{}
		case n == nil || err != nil:
			return pays(accountant.NotPrivate(), 1, 1)
		}
		return pays(accountant.Loss{Rho: accountant.GaussianRho(n.Scale / n.Sensitivity)}, 1, 1)
	}
}

func (p *oflPlan) claim() string {
	if !p.mechanism.private() {
		return accountant.NotPrivate().String()
	}
	return perDatum(fmt.Sprintf("%.6g at delta %.6g", p.mechanism.Epsilon, p.mechanism.Delta))
}

// job draws what depends on the seed.
func (p *oflPlan) job(arm *Arm, seed uint64) (*job, error) {
	sequence, err := arm.topology.sequence(seed)
	if err != nil {
		return nil, err
	}
	instance, err := p.stream.draw(seed, p.shape)
	if err != nil {
		return nil, err
	}
	options := p.options
	options.Data = instance
	if options.Noise, err = p.noise(); err != nil {
		return nil, err
	}
	if p.section.Start == nil {
		options.Start = p.stream.start(seed)
	}
	machines, err := ofl.New(options)
	if err != nil {
		return nil, err
	}
	measured := federated.Options{
		Shape: p.shape, Points: arm.points, Model: p.stream.model, Instance: instance, Start: options.Start,
		Delta: p.mechanism.Delta, Before: p.before().loss(),
		Effects: arm.effects != nil, Limited: arm.effects != nil && arm.effects.limited,
		Wanted: func(metric string) bool { return p.records(&armFile{file: arm.file}, metric) },
	}
	if p.stream.minimiser != nil {
		c := p.comparator(seed, instance)
		measured.Comparator = c
		measured.Bounds = p.bounds(c, options.Start)
	}
	m := federated.New(measured)
	j := arm.newJob(seed, sequence, machines, arm.playingOn(m))
	j.run.Hops, j.run.Acts = options.Hops, options.Acts
	return j, arm.affect(j, seed)
}

// notes are what the results are to be read with.
func (p *oflPlan) notes(j *job) (notes []note, warnings []warning) {
	notes, warnings = p.before().remarks()
	add := func(key, format string, args ...any) { notes = append(notes, note{key, fmt.Sprintf(format, args...)}) }
	o := &p.options
	add("gradient-bound", "%.6g", o.GradientBound)
	notes = append(notes, p.arm.affected(o.Late)...)
	add("epsilon.claimed", "%s", p.claim())
	if n, err := p.noise(); err == nil && n != nil { // the job has made the same
		rho := p.loss(p.firstRelease())
		if epsilon, err := accountant.GaussianEpsilon(n.Scale/n.Sensitivity, p.mechanism.Delta); err != nil {
			add("epsilon.accounted", "%v", err)
		} else {
			add("epsilon.accounted", "%s", perDatum(fmt.Sprintf("%.6g at delta %.6g", epsilon, p.mechanism.Delta)))
		}
		notes = append(notes, noteEpsilonPLD(accountant.SampledGaussian{Rate: 1, Noise: n.Scale / n.Sensitivity, Steps: 1}, p.mechanism.Delta))
		add("noise", "V_i = %.6g, sensitivity %.6g, %s", n.Scale, n.Sensitivity, rho)
		add("factorization", "mse %.6g, largest error %.6g, %s a coordinate", n.Factorization.MSE(), n.Factorization.MaxError(), Counted(n.Factorization.MemoryPerCoordinate(), "number"))
		if gap := n.Factorization.Gap(); !math.IsNaN(gap) {
			add("optimality-gap", "%.3g", gap)
		}
	} else {
		add("epsilon.accounted", "%s", accountant.NotPrivate())
		warnings = append(warnings, warning{"not-private", "this arm runs without noise: what learners send shows their gradients"})
	}
	notes, warnings = append(notes, p.stream.notes...), append(warnings, p.stream.warnings...)
	if !p.compares { // what regret compares with takes time
		return notes, warnings
	}
	instance, err := p.stream.draw(j.run.Seed, p.shape)
	if err != nil {
		return notes, append(warnings, warning{"data", err.Error()}) // the job has drawn the same
	}
	c := p.comparator(j.run.Seed, instance)
	budget, rounds, static := p.noteBudget(clipped(j))
	leftOut := ""
	if p.stream.convexity == 0 { // else the optima of rounds are no part of these notes
		leftOut = budget.take(rounds)
	}
	for _, n := range p.stream.compared(c, leftOut) {
		add(n.Name, "%s", n.Text)
	}
	return append(notes, p.boundNotes(c, j.run.Seed, budget, rounds+static)...), warnings
}
