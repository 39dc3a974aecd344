package dpfl

import (
	"errors"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/scenarios/document"
	"starling/scenarios/federated"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// dpflSection is the algorithm section of DPFL and ALI-DPFL. Keys that only the other of the
// two uses are allowed, so that a sweep can change the kind. The exception is tau, which is
// refused where the algorithm chooses it.
type dpflSection struct {
	Kind                string                `yaml:"kind,required"`
	Tau                 *int                  `yaml:"tau" min:"1" says:"%v local steps in a round" unit:"steps" doc:"local steps in a round, tau; dpfl needs it; absent, chosen, by ali-dpfl"`
	LearningRate        float64               `yaml:"learning_rate,required" role:"rate" over:"0" says:"learning rate eta = %v" unit:"step size" doc:"learning rate eta"`
	Samples             *int                  `yaml:"samples" min:"1" max:"1000000" says:"%v samples" unit:"samples" doc:"samples of each client, the first that it has, which stay for the whole run; absent, 100 of a stream, and of images all"`
	Batch               *int                  `yaml:"batch" min:"1" says:"batch B = %v" unit:"samples" doc:"expected size of a batch, B; a client samples at the rate q = B/|D_i|; absent, every local step takes all of a client's data, which all mechanisms but sampled-gaussian and none need"`
	Clip                document.Epsilon      `yaml:"clip,required" role:"clip" unit:"2-norm" doc:"2-norm C that gradients of samples are clipped to, or none, which only a run without noise can have"`
	Start               []float64             `yaml:"start" unit:"coordinates" range:"any numbers" doc:"initial model, d numbers; absent, zeros without hidden layers, and random weights with them"`
	Control             float64               `yaml:"control" min:"0" says:"control constant c_G = %v" unit:"none" doc:"control constant c_G = phi lambda^2 of ali-dpfl, which the paper does not print: a small one always chooses 1, a large one spends both budgets"`
	Statistics          dpfl.Statistics       `yaml:"statistics" oneof:"as-printed private public" doc:"source of rho_i, beta_i and the gradients of ali-dpfl: as-printed, raw data, which is not private; private, clipped and perturbed; public, public images"`
	StatisticsSamples   int                   `yaml:"statistics_samples" min:"0" says:"%v samples for the statistics" unit:"samples" doc:"samples that a client expects to use for the statistics of a turn; absent, all"`
	StatisticsSigma     float64               `yaml:"statistics_sigma" min:"0" says:"noise multiplier of the statistics %v" unit:"clipping norms" doc:"noise multiplier of private statistics, which need it; absent, none"`
	StatisticsLipschitz float64               `yaml:"statistics_lipschitz" min:"0" says:"Lipschitz bound of the statistics %v" unit:"loss a distance" doc:"bound on the change of a sample's loss per distance of models, of private statistics, which need it; absent, none"`
	StatisticsClip      float64               `yaml:"statistics_clip" min:"0" says:"clipping norm of the statistics %v" unit:"2-norm" doc:"2-norm that gradients are clipped to in private statistics, which need it; absent, none"`
	Late                algorithm.Late        `yaml:"late" oneof:"drop use" doc:"in networks with effects, treatment of models that come after their round: drop leaves them out, use averages them in the round of their arrival"`
	Stragglers          *algorithm.Stragglers `yaml:"stragglers" doc:"clients that have time for fewer local steps in a round than tau, drawn from the seed; ali-dpfl, which chooses tau, refuses them; absent, every client takes all"`

	proximal float64 // mu of FedProx
}

// Defaults returns the section algorithm of dpfl and ali-dpfl with the defaults of its keys.
func Defaults() dpflSection {
	return dpflSection{Control: dpfl.DefaultControl, Statistics: dpfl.AsPrinted, Late: algorithm.LateDrop}
}

// plan is the content of the sections of a run, put together.
type plan struct {
	// Arm is the arm that is planned, and graphs are its stars.
	Arm    *study.Arm
	graphs *topologies.Plan
	// remark names, for an audit, the parts of the arm's network that are left out.
	remark  string
	Section dpflSection
	*Variant
	Mechanism mechanisms.Sums
	clients   int // with data: 1 where the data are pooled
	// corpus is the problem: data that stay with their clients. problem is its section.
	corpus  *problems.Corpus
	problem string
	// Options are the algorithm's options, with the data of the first seed; a job has its own.
	Options dpfl.Options
	// plan has the number of local steps that the budget pays for.
	plan dpfl.Plan
	// rate is the sampling rate that the noise multiplier of an epsilon was found for.
	rate float64
	// section is the section of the mechanism, for the places of errors.
	section *document.Node
	// factorize makes the factorization of correlated noise, at its first call. It takes long:
	// a run makes it, and a check does not. The options have a stand-in with the same loss.
	factorize func() (*factorization.Factorization, error)
}

// The capabilities of the plan.
var _ interface {
	study.Plan
	study.Sharer
	study.Noisy
	study.Calibrator
	study.Trainer
	study.Scheduled
} = (*plan)(nil)

// batches names the draws of batches: arms meet the same.
const batches = "dpfl.batches"

// Metrics lists the metrics that runs may record.
func Metrics() metric.List { return metric.Join(GaugeMetrics(), gauge.OfEffects()) }

// TieredMetrics lists the metrics that runs may record of an algorithm that takes levels of servers.
func TieredMetrics() metric.List { return metric.Join(Metrics(), federated.Metrics()) }

// newPlan reads the sections of federated learning by local steps; nil where there are faults,
// or a.Faulty. narrow, unless nil, changes the data before their first use.
func newPlan(b *study.Builder, arm *study.Arm, a *study.ArmFile, v *Variant, narrow func(*problems.Corpus) *problems.Corpus) (_ *plan, err error) {
	var found study.Faults
	p := &plan{Arm: arm, Variant: v, clients: a.Nodes}
	// One party with all data is a star of one client, so that the same machines run it.
	if v.pooled {
		p.clients = 1
	}
	p.Section, err = v.read(a.Algorithm)
	found.Note(err)
	p.graphs, err = study.StarOf(b, arm, a, v.name, p.clients)
	found.Note(err)
	p.Mechanism, err = v.sums(a)
	found.Note(err)
	p.Mechanism.Delta = a.Budget.StatedDelta(p.Mechanism.Delta)
	if a.Problem == nil {
		return nil, found.Err()
	}
	p.corpus, err = problems.ReadCorpus(b, a, v.name, p.Section.Samples)
	if found.Note(err); len(found) > 0 || a.Faulty {
		return nil, found.Err()
	}
	if p.corpus.Trains {
		return nil, document.At("algorithm.kind", "clients take local steps of their own, and those of %s compute each from gradients of samples; want fedavg, or dp-fedavg", v.name)
	}
	// narrow comes before anything counts parameters or samples.
	if p.problem, p.section = a.Problem.Text(), a.Mechanism; narrow != nil {
		p.corpus = narrow(p.corpus)
	} else if err := p.corpus.CheckSized(a.Nodes); err != nil {
		return nil, err
	}
	if v.pooled {
		p.corpus = p.corpus.Pooled(a.Nodes)
	}
	if err := p.configure(b, a); err != nil {
		return nil, err
	}
	if err := study.CheckModels(a, 3, p.clients, p.dim()); err != nil {
		return nil, err
	}
	p.Options.Effects = arm.Effects != nil
	return p, nil
}

// Extent implements study.Plan.
func (p *plan) Extent() study.Extent {
	return study.Extent{
		FirstStep: 1, Participants: p.clients + 1, Units: p.clients, Server: true, RoundSteps: 1,
		Dim: p.dim(), Set: study.SetOf(p.corpus.Set), Held: p.corpus.Held + p.Mechanism.Held(p.Options.MostSteps(), len(p.Options.Clients), p.dim()),
		Deciders: study.Deciders{First: 0, End: 1},
		Patience: patience,
	}
}

// Exchanges implements study.Scheduled: clients send after the local steps of a round, whose number the server of
// ali-dpfl chooses.
func (p *plan) Exchanges() []study.Exchange {
	e := study.Exchange{Who: "clients and server", When: study.EverySteps(1)}
	switch {
	case p.pooled:
		return nil
	case p.adaptive:
		e.When += ", after local steps whose number the server chooses"
	default:
		e.LocalSteps = p.Options.Tau
	}
	return []study.Exchange{e}
}

// patience is the number of turns in a row that a receiver may be without, by the schedule.
const patience = 1

// Privacy implements study.Plan.
func (p *plan) Privacy() study.Privacy {
	return study.Privacy{Loss: p.loss, Before: p.before(), Budgeted: true, Accounts: p.accounts(), Stated: p.stated(), Reasons: dpfl.Reasons()}
}

// Recording implements study.Plan.
func (p *plan) Recording() study.Recording {
	return study.Recording{
		Metrics: slices.Concat(p.metrics(), study.RoundMetrics(p.Arm), p.corpus.Own.Names()), Own: p.corpus.Own,
		Answers: p.corpus.Answers(),
	}
}

// Trained implements study.Trainer.
func (p *plan) Trained() *study.TrainedModel { return p.corpus.Trained }

// NoiseLevel implements study.Noisy: the noise of a local step, and the bound on the sum of a
// batch of clipped gradients that it hides. Both are 0 for correlated noise: its prefix sums
// matter.
func (p *plan) NoiseLevel() (size, signal float64) {
	o := &p.Options
	if !o.Noise.Private() || o.Noise.Correlated() {
		return 0, 0
	}
	batch := o.Batch
	for i := range o.Clients {
		if o.Batch == 0 { // all data of a client
			batch = max(batch, o.Clients[i].Size())
		}
	}
	return o.Noise.Additive().Deviation() * math.Sqrt(float64(p.dim())), float64(batch) * o.Clip
}

// before is the loss of data by the model that runs start from; nil means none.
func (p *plan) before() *ledger.Before { return p.corpus.Before(accountant.AddOrRemove) }

// metrics lists the metrics that the runs of the arm record.
func (p *plan) metrics() []string {
	return slices.DeleteFunc(GaugeMetrics().Names(), func(metric string) bool { return metric == gauge.AccuracyTest && !p.corpus.Classifies })
}

// stated lists the metrics of payments. Payments that depend on data have the reading of an
// odometer, too.
func (p *plan) stated() ledger.Statement {
	s := ledger.Statement{Metrics: []string{ledger.EpsilonSpent, ledger.EpsilonTotal}}
	if p.guarantee() != nil {
		s.Metrics = append(s.Metrics, ledger.EpsilonOdometer)
	}
	s.Metrics = append(s.Metrics, ledger.Delta)
	return s
}

// dim is d, the number of parameters of the model.
func (p *plan) dim() int { return p.corpus.Dim }

// sums reads the mechanism.
func (v *Variant) sums(a *study.ArmFile) (s mechanisms.Sums, err error) {
	if a.Mechanism == nil {
		return mechanisms.Sums{Neighbours: accountant.AddOrRemove, Accountant: accountant.RDP}, nil
	}
	want := federated.TakesSums
	if v.silent {
		want = mechanisms.TakesNone
	}
	section, err := kind.AsAny(a.Kinds.Mechanisms, a.Mechanism, want, "the algorithm "+v.name)
	if err != nil {
		return s, err
	}
	return mechanisms.SumsOf(section.(mechanisms.OnSums), a.Mechanism)
}

// private reports whether local steps carry noise.
func (p *plan) private() bool { return p.Mechanism.Private() }

// configure makes the options of the algorithm, and its plan of the budget. It returns all
// faults that it finds.
func (p *plan) configure(b *study.Builder, a *study.ArmFile) error {
	var found study.Faults
	switch {
	case p.adaptive && p.Section.Tau != nil:
		found.At("algorithm.tau", "%d local steps, but ali-dpfl chooses them; leave this out", *p.Section.Tau)
	case !p.adaptive && p.Section.Tau == nil:
		found.At("algorithm.tau", "missing: dpfl needs the local steps in a round")
	}
	if s := p.Section.Stragglers; s != nil {
		if p.adaptive {
			found.At("algorithm.stragglers", "ali-dpfl chooses tau by estimates of clients that all take as many local steps; leave this out, or take dpfl")
		} else {
			found.Note(a.Doc.Resolve("algorithm.stragglers", s.Validate(p.tau())).Err())
		}
	}
	if p.Section.Start != nil && p.corpus.Started {
		found.At("algorithm.start", "%s", problems.TwoStarts)
	}
	if p.adaptive && p.Section.Statistics == dpfl.Public && p.corpus.Public == nil {
		found.At("algorithm.statistics", "public statistics are of public data, and the problem has none; take private, or a problem that has some, such as images with problem.public")
		return found.Err()
	}
	if p.Mechanism.Owned() && p.adaptive && p.Section.Statistics == dpfl.Private {
		found.At("algorithm.statistics", "private statistics have Gaussian noise, whose losses need a delta, and %s noise states none; take public ones, or other noise", p.Mechanism.Kind)
	}
	if err := p.setOptions(a, b.Seeds.Base); err != nil {
		found.Note(a.Doc.Resolve("problem", err).Err())
		return found.Err()
	}
	if !found.Note(p.checkBatches()) || !found.Note(p.correlate(b, a)) || !found.Note(p.calibrate()) {
		return found.Err()
	}
	var err error
	if p.plan, err = dpfl.NewPlan(&p.Options); err != nil {
		found.Note(study.OptionFaults(err))
		return found.Err()
	}
	if !found.Note(p.checkSeeds(b, a)) {
		return found.Err()
	}
	// With refuse a budget is a promise before the run: the largest number of local steps must
	// be paid for. Otherwise the run stops where the budget is spent.
	if most := p.Options.MostSteps(); a.Budget != nil && a.Budget.On == ledger.BudgetRefuse && most > p.plan.Steps {
		found.At("budget.epsilon", "up to %d local steps in %d rounds; the budget pays for %d", most, a.Horizon, p.plan.Steps)
	}
	return found.Err()
}

// checkSeeds checks the other seeds where something depends on the seed: whether the data can
// be divided, and whether the options go with the sizes of clients.
func (p *plan) checkSeeds(b *study.Builder, a *study.ArmFile) error {
	var whole error // a batch that does not fit one client of one seed is enough
	divided := true
	err := p.corpus.OtherSeeds(b, a, func(seed uint64) error {
		other := *p
		if err := other.setOptions(a, seed); err != nil {
			divided = false
			return err
		}
		other.Options.Noise = p.Options.Noise // it does not depend on the data
		if err := other.checkBatches(); whole == nil && err != nil {
			whole = study.UnderSeed(seed, err)
		}
		if whole != nil {
			return nil
		}
		return other.Options.Validate()
	})
	switch {
	case err == nil:
		return whole
	case divided:
		return errors.Join(whole, study.OptionFaults(err))
	}
	return errors.Join(whole, a.Doc.Resolve("problem", err).Err())
}

// setOptions makes the options of the algorithm from the sections, with the data of a seed.
// The error comes from the data.
func (p *plan) setOptions(a *study.ArmFile, seed uint64) error {
	s := &p.Section
	o := &p.Options
	*o = dpfl.Options{
		Rounds: a.Horizon, LearningRate: s.LearningRate, Clip: float64(s.Clip),
		Set: p.corpus.Set, Late: s.Late, Proximal: s.proximal, Neighbours: p.Mechanism.Neighbours,
		SamplePurpose:     rng.PurposeOf(batches),
		NoisePurpose:      rng.PurposeOf("dpfl.noise"),
		StatisticsPurpose: rng.PurposeOf("dpfl.statistics"),
	}
	if s.Batch != nil {
		o.Batch = *s.Batch
	}
	switch {
	case !p.private() || p.Mechanism.Correlated != nil: // see correlate
	case p.Mechanism.Owned():
		own := p.Mechanism.Noise(noise.MovesL2(1, p.dim())) // of a gradient of 2-norm 1
		own.Scale *= o.Clip
		o.Noise = noise.OnEach(own, noise.MovesL2(o.Clip, p.dim()))
	default:
		o.Noise = noise.OnSamples(p.Mechanism.Sigma, o.Clip) // see calibrate
	}
	if o.Tau = p.tau(); p.adaptive {
		o.Tau = 0
		o.Adaptive = &dpfl.Adaptive{
			Control: s.Control, Statistics: s.Statistics, Samples: s.StatisticsSamples,
			Sigma: s.StatisticsSigma, Lipschitz: s.StatisticsLipschitz, Clip: s.StatisticsClip,
		}
	}
	// The loss of the start is a part of the budget that is spent already.
	if b := a.Budget; b != nil && !math.IsInf(float64(b.Epsilon), 1) {
		o.Budget = &dpfl.Budget{Epsilon: float64(b.Epsilon), Delta: p.Mechanism.Delta, Method: p.Mechanism.Accountant}
		if start := p.before(); start != nil {
			o.Budget.Before = start.Total
		}
	}
	_, err := p.draw(o, seed)
	return err
}

// tau is the fixed number of local steps. Without it all else is checked.
func (p *plan) tau() int {
	if p.Section.Tau == nil {
		return 1
	}
	return *p.Section.Tau
}

// checkBatches refuses a batch of more samples than a client has, and one of fewer where the noise is for sums over
// all data. The noise is calibrated to shares of batches, so that this comes first.
func (p *plan) checkBatches() error {
	if p.Options.Batch == 0 {
		return nil
	}
	for i, data := range p.Options.Clients {
		switch size := data.Size(); {
		case p.Options.Batch > size:
			return document.At("algorithm.batch", "batch B = %d is more than the %d samples of client %d; want at most %d", p.Options.Batch, size, i+1, size)
		case p.Mechanism.Whole && p.private() && p.Options.Batch < size:
			return document.At("algorithm.batch", "a batch of %d of the %d samples of client %d, but %s noise is on sums over all of them: leave the batch out", p.Options.Batch, size, i+1, p.Mechanism.Kind)
		}
	}
	return nil
}

// correlate sets factorize, for correlated noise.
func (p *plan) correlate(b *study.Builder, a *study.ArmFile) (err error) {
	c := p.Mechanism.Correlated
	if c == nil {
		return nil
	}
	if c.Multiplier != nil {
		return document.At("mechanism.multiplier", "samples are in all sums of a client; want epsilon in place of a multiplier")
	}
	// The stand-in has the noise for sensitivity 1. Its loss is the real loss: scale and
	// sensitivity grow together.
	p.Options.Noise = noise.OnPrefixes(p.Mechanism.Unit, 1, nil)
	inputs := p.Options.MostSteps()
	if inputs < 1 && p.Options.Tau > 0 && p.Options.Rounds > 0 {
		return document.At("algorithm.tau", "%d local steps in each of %d rounds are too many to count; want fewer", p.Options.Tau, p.Options.Rounds)
	}
	if inputs < 1 { // it is refused elsewhere
		return nil
	}
	all := factorization.Participation{Times: inputs, Apart: 1} // every sample is in all sums
	p.factorize, err = mechanisms.Factorizer(b, a.Mechanism, c, inputs, all, p.clients, p.dim())
	return err
}

// draw gives options the data and the start of a seed, and changes o. It projects the start on
// the problem's set, if there is one. It returns the data, on which models are judged. The
// data belong to the seed and may be kept.
func (p *plan) draw(o *dpfl.Options, seed uint64) (*problems.Divided, error) {
	data, err := p.corpus.Draw(seed, p.clients)
	if err != nil {
		return nil, err
	}
	o.Clients = dataOf(data)
	if o.Start, err = p.corpus.Begin(seed, p.Section.Start); err != nil {
		return nil, err
	}
	if !p.adaptive || o.Adaptive.Statistics != dpfl.Public {
		return data, nil
	}
	public, err := p.corpus.Public(seed, p.clients)
	if err != nil {
		return nil, err
	}
	adaptive := *o.Adaptive
	adaptive.Public = dataOf(public)
	o.Adaptive = &adaptive
	return data, nil
}

// dataOf returns the clients' data in the form that the algorithm takes.
func dataOf(d *problems.Divided) []dpfl.Data {
	list := make([]dpfl.Data, len(d.Clients))
	for i, samples := range d.Clients {
		list[i] = samples
	}
	return list
}
