package scenarios

import (
	"errors"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/scenarios/document"
	meter "starling/scenarios/meter/dpfl"
)

// dpflSection is the algorithm section of DPFL and ALI-DPFL. What the other of
// the two has no use for may be there, so that a sweep can change the kind; only
// tau is refused where it is chosen.
type dpflSection struct {
	Kind                string          `yaml:"kind,required"`
	Tau                 *int            `yaml:"tau" doc:"local steps in a round, tau; dpfl needs it, ali-dpfl chooses it"`
	LearningRate        float64         `yaml:"learning_rate,required" doc:"learning rate eta"`
	Batch               int             `yaml:"batch,required" doc:"expected size of a batch, B; a client samples at the rate q = B/|D_i|"`
	Clip                epsilonValue    `yaml:"clip,required" doc:"2-norm C that gradients of samples are clipped to, or none, which only a run without noise can have"`
	Start               []float64       `yaml:"start" doc:"initial model, d numbers; absent, zeros without hidden layers, and random weights with them"`
	Control             float64         `yaml:"control" doc:"control constant c_G = phi lambda^2 of ali-dpfl, which the paper does not print: a small one always chooses 1, a large one spends both budgets"`
	Statistics          dpfl.Statistics `yaml:"statistics" doc:"what rho_i, beta_i and the gradients of ali-dpfl are made of: as-printed, raw data, which is not private; private, clipped and perturbed; public, public images"`
	StatisticsSamples   int             `yaml:"statistics_samples" doc:"samples that a client expects to use for the statistics of a turn; absent, all"`
	StatisticsSigma     float64         `yaml:"statistics_sigma" doc:"noise multiplier of private statistics"`
	StatisticsLipschitz float64         `yaml:"statistics_lipschitz" doc:"bound on the change of a sample's loss per distance of models, of private statistics"`
	StatisticsClip      float64         `yaml:"statistics_clip" doc:"2-norm that gradients are clipped to in private statistics"`
	Late                algorithm.Late  `yaml:"late" doc:"where the network has effects, what the server does with models that come after their round: drop leaves them out, use averages them in the round in which they come"`
}

func defaultDPFL() dpflSection {
	return dpflSection{Control: dpfl.DefaultControl, Statistics: dpfl.AsPrinted, Late: algorithm.LateDrop}
}

// kindSampledGaussian is the mechanism of DP-SGD.
const kindSampledGaussian = "sampled-gaussian"

// sampledSection is the mechanism section of DP-SGD.
type sampledSection struct {
	Kind       string              `yaml:"kind,required"`
	Sigma      float64             `yaml:"sigma,required" doc:"noise multiplier sigma: the noise on a sum of gradients is N(0, sigma^2 C^2 I)"`
	Delta      float64             `yaml:"delta,required" doc:"delta at which losses are stated, between 0 and 1"`
	Neighbours accountant.Relation `yaml:"neighbours" doc:"data that losses are for: add-or-remove, those with a sample of a client added or removed; replace, those with one replaced, which costs about twice as much"`
	Accountant accountant.Method   `yaml:"accountant" doc:"how steps are accounted for: rdp, whole Renyi orders and the plain conversion, as printed; rdp-cks, many orders and a tighter conversion; pld, privacy loss distributions, tight"`
}

func defaultSampled() sampledSection {
	return sampledSection{Accountant: accountant.RDP, Neighbours: accountant.AddOrRemove}
}

// dpflPlan is what the sections of a run say, put together.
type dpflPlan struct {
	arm       *Arm
	remark    string // of an audit, on the arm's network
	section   dpflSection
	adaptive  bool
	mechanism sampledSection
	images    *imagesPlan
	options   dpfl.Options // with the data of the first seed
	plan      dpfl.Plan
}

func buildDPFL(b *builder, arm *Arm, a *armFile, found *faults) algorithmPlan {
	return buildLocalSGD(b, arm, a, found, "dpfl", false)
}

func buildALIDPFL(b *builder, arm *Arm, a *armFile, found *faults) algorithmPlan {
	return buildLocalSGD(b, arm, a, found, "ali-dpfl", true)
}

// buildLocalSGD builds federated learning by local DP-SGD.
func buildLocalSGD(b *builder, arm *Arm, a *armFile, found *faults, algorithm string, adaptive bool) (plan algorithmPlan) {
	p := &dpflPlan{arm: arm, section: defaultDPFL(), adaptive: adaptive}
	found.note(document.Decode(a.Algorithm, &p.section))
	noSampledNodes(a, found)
	arm.topology = b.star(arm, a, algorithm, found, func() (topology.Sequence, error) { return topology.Star{Leaves: a.Nodes}.Sequence() }, product(3, a.Nodes))
	p.mechanism = sampledOf(a, algorithm, found)
	if a.Problem == nil {
		return plan
	}
	build, err := find[picturesBuilder](b.kinds.problems, a.Problem, "the algorithm "+algorithm)
	if !found.note(err) || len(found.issues) > 0 {
		return plan
	}
	if p.images, err = build(b, a.Problem); !found.note(err) || !p.configure(a, b.seeds.Base, found) {
		return plan
	}
	if !b.usage.take(&b.usage.coordinates, product(3, a.Nodes, p.dim()), mostCoordinates) {
		found.at(a.Problem.Path(), "the models of the clients of all arms have over %d coordinates", mostCoordinates)
		return plan
	}
	if arm.effects != nil {
		p.options.Effects, arm.effects.patience = true, 1
	}
	return algorithmPlan{
		firstStep:    1,
		participants: a.Nodes + 1,
		server:       true,
		roundSteps:   1,
		dim:          p.dim(),
		held:         p.images.held(),
		deciders:     deciders{0, 1},
		loss:         p.loss,
		claim:        p.claim,
		accounts:     p.accounts(),
		job:          p.job,
		notes:        p.notes,
		trained:      p.images.trained("w"),
		before:       p.before(),
		budgeted:     true,
		metrics:      slices.Concat(p.metrics(), arm.roundMetrics()),
		reasons:      dpfl.Reasons(),
	}
}

// before is what the model that runs start from has shown; nil is nothing.
func (p *dpflPlan) before() *before { return p.images.warm.before(accountant.AddOrRemove) }

// metrics are those that runs record.
func (p *dpflPlan) metrics() []string {
	list := meter.Metrics()
	if p.guarantee() == nil {
		list = slices.DeleteFunc(list, func(metric string) bool { return metric == meter.EpsilonOdometer })
	}
	return list
}

func (p *dpflPlan) dim() int { return p.images.problem.Model().Dim() }

// sampledBuilder reads the mechanism of local DP-SGD.
type sampledBuilder func(section *document.Node) (sampledSection, error)

// sampledOf reads the mechanism.
func sampledOf(a *armFile, algorithm string, found *faults) sampledSection {
	if a.Mechanism == nil {
		return defaultSampled()
	}
	build, err := find[sampledBuilder](a.kinds.mechanisms, a.Mechanism, "the algorithm "+algorithm)
	if !found.note(err) {
		return defaultSampled()
	}
	s, err := build(a.Mechanism)
	found.note(err)
	return s
}

// buildNoSampling is no noise. A sweep that takes the noise away leaves what it was.
func buildNoSampling(section *document.Node) (sampledSection, error) {
	var unused struct {
		Kind       string              `yaml:"kind,required"`
		Sigma      float64             `yaml:"sigma"`
		Delta      float64             `yaml:"delta"`
		Accountant accountant.Method   `yaml:"accountant"`
		Neighbours accountant.Relation `yaml:"neighbours"`
	}
	s := defaultSampled()
	s.Kind = noNoise
	return s, document.Decode(section, &unused)
}

func buildSampled(section *document.Node) (sampledSection, error) {
	s := defaultSampled()
	if err := document.Decode(section, &s); err != nil {
		return s, err
	}
	var errs []error
	if !(s.Delta > 0 && s.Delta < 1) {
		errs = append(errs, document.At("delta", "delta = %v; it must be a number > 0 and < 1", s.Delta))
	}
	if known := accountant.Relations(); !slices.Contains(known, s.Neighbours) {
		errs = append(errs, document.At("neighbours", "unknown neighbours %q; known: %v", string(s.Neighbours), known))
	}
	if known := accountant.Methods(); !slices.Contains(known, s.Accountant) {
		errs = append(errs, document.At("accountant", "unknown accountant %q; known: %v", string(s.Accountant), known))
	}
	return s, section.Resolve(errors.Join(errs...))
}

func (p *dpflPlan) private() bool { return p.mechanism.Kind != noNoise }

// configure makes the options of the algorithm, and its plan of the budget.
func (p *dpflPlan) configure(a *armFile, seed uint64, found *faults) bool {
	before := len(found.issues)
	switch {
	case p.adaptive && p.section.Tau != nil:
		found.at("algorithm.tau", "%d local steps, but ali-dpfl chooses them; leave this out", *p.section.Tau)
	case !p.adaptive && p.section.Tau == nil:
		found.at("algorithm.tau", "missing: dpfl needs the local steps in a round")
	}
	if p.section.Start != nil && p.images.weights {
		found.at("algorithm.start", "%s", twoStarts)
	}
	if known := dpfl.StatisticsKinds(); !p.adaptive && !slices.Contains(known, p.section.Statistics) {
		found.at("algorithm.statistics", "unknown statistics %q; known: %v", string(p.section.Statistics), known)
	}
	if err := p.setOptions(a, seed); err != nil {
		return found.note(a.doc.Resolve("problem", err).Err())
	}
	var err error
	if p.plan, err = dpfl.NewPlan(&p.options); err != nil {
		return found.options(err)
	}
	if most := p.mostSteps(); a.Budget != nil && a.Budget.On == budgetRefuse && most > p.plan.Steps {
		found.at("budget.epsilon", "up to %d local steps in %d rounds; the budget pays for %d", most, a.Horizon, p.plan.Steps)
	}
	return len(found.issues) == before
}

func (p *dpflPlan) setOptions(a *armFile, seed uint64) (err error) {
	s := &p.section
	o := &p.options
	*o = dpfl.Options{
		Rounds: a.Horizon, LearningRate: s.LearningRate, Batch: s.Batch, Clip: float64(s.Clip),
		Sigma: p.mechanism.Sigma, Noiseless: !p.private(), Late: s.Late, Neighbours: p.mechanism.Neighbours,
		SamplePurpose:     rng.PurposeOf("dpfl.batches"), // arms meet the same batches
		NoisePurpose:      rng.PurposeOf("dpfl.noise").Arm(a.name),
		StatisticsPurpose: rng.PurposeOf("dpfl.statistics").Arm(a.name),
	}
	if o.Tau = 1; s.Tau != nil { // without it all else is checked
		o.Tau = *s.Tau
	}
	if p.adaptive {
		o.Tau = 0
		o.Adaptive = &dpfl.Adaptive{
			Control: s.Control, Statistics: s.Statistics, Samples: s.StatisticsSamples,
			Sigma: s.StatisticsSigma, Lipschitz: s.StatisticsLipschitz, Clip: s.StatisticsClip,
		}
	}
	if b := a.Budget; b != nil && !math.IsInf(float64(b.Epsilon), 1) {
		o.Budget = &dpfl.Budget{Epsilon: float64(b.Epsilon), Delta: b.Delta, Method: p.mechanism.Accountant}
		if b.Delta == 0 {
			o.Budget.Delta = p.mechanism.Delta
		}
		if start := p.before(); start != nil {
			o.Budget.Before = start.total
		}
	}
	return p.draw(o, seed, a.Nodes)
}

// draw gives options the data and the start of a seed.
func (p *dpflPlan) draw(o *dpfl.Options, seed uint64, clients int) error {
	problem := p.images.problem
	data, err := problem.Federated(seed, clients)
	if err != nil {
		return err
	}
	o.Clients = make([]dpfl.Data, clients)
	for i := range o.Clients {
		o.Clients[i] = data.Client(i)
	}
	if o.Start = p.section.Start; o.Start == nil {
		o.Start = problem.Start(seed)
	}
	if len(o.Start) != p.dim() {
		return document.At("", "algorithm.start has %d numbers; the model has %d", len(o.Start), p.dim())
	}
	if !p.adaptive || o.Adaptive.Statistics != dpfl.Public {
		return nil
	}
	held, err := problem.Held(seed, clients)
	if err != nil {
		return err
	}
	adaptive := *o.Adaptive
	adaptive.Public = make([]dpfl.Data, clients)
	for i := range adaptive.Public {
		adaptive.Public[i] = held.Client(i)
	}
	o.Adaptive = &adaptive
	return nil
}

// mostSteps is how many local steps a client takes at most, were there no budget.
func (p *dpflPlan) mostSteps() (steps int) {
	for round := 1; round <= p.options.Rounds; round++ {
		steps += p.mostTau(round)
	}
	return steps
}

// largestTau is the largest tau that ALI-DPFL ever chooses; the first choice is
// for round 3, of at most twice the last.
const largestTau = 100

// mostTau is the most local steps that a round can have.
func (p *dpflPlan) mostTau(round int) int {
	switch {
	case !p.adaptive:
		return p.options.Tau
	case round <= 2:
		return 1
	case round > 8:
		return largestTau
	}
	return min(1<<(round-2), largestTau)
}
