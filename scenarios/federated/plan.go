package federated

import (
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/gauge"
	"starling/scenarios/inputs"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
	"starling/scenarios/personal"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// plan is the content of the sections of an arm, put together.
type plan struct {
	parts
	arm       *study.Arm
	file      *study.ArmFile
	data      *inputs.Folder
	column    func(name string) ([]personal.Value, error) // of the problem's data
	graphs    *topologies.Plan
	tiers     *topologies.Hierarchy // nil is one server
	seats     *machine.Seats        // nil where clients are participants
	there     *networks.Presence    // of the clients of a seed, in its job; nil without availability
	traces    *networks.Traces      // of the availability of clients; nil without a file
	fewer     bool                  // an audit has fewer clients than the arm
	remark    string                // parts of the arm's network that an audit leaves out
	known     []messages.NodeID     // clients with noise that an audit's observer knows
	mechanism mechanisms.Sums
	// own are the values of clients that differ.
	own individualValues
	// rate is the sampling rate that the noise multiplier of an epsilon was found for.
	rate    float64
	corpus  *problems.Corpus
	kept    int         // numbers that a client keeps, for data that take its local steps
	combine robust.Rule // nil is the mean
	// at is the setting of the first seed, without data, with the rounds of busiest: a job has its
	// own.
	at *machine.Setting
	// busiest are the rounds of a seed with the most, and rounds is their number.
	busiest *aggregation.Calendar
	rounds  int
	// most is the largest participation of a client: how often, and how far apart.
	most factorization.Participation
	// factorize makes the factorization of correlated noise, sensitivity its sensitivity to a client that
	// takes part so often, and calibrate the loss of amplified noise. They take long and run at the first call.
	factorize   func() (*factorization.Factorization, error)
	sensitivity func(*factorization.Factorization, factorization.Participation) (float64, error)
	calibrate   func() (accountant.SampledGaussian, error)
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

// Build builds the plan of an arm; see study.Algorithm.
func (read reader) Build(b *study.Builder, arm *study.Arm, a *study.ArmFile) (study.Plan, study.Nodes, error) {
	p, err := newPlan(b, arm, a, read, nil)
	if p == nil {
		return nil, study.Nodes{}, err
	}
	if s := p.at.Sharing; s != nil {
		if text := s.Wrapping(); text != "" {
			b.Warn(arm, study.Warning{Code: "wrapped", Message: text})
		}
	}
	return p, study.Nodes{Topology: p.graphs}, err
}

// newPlan reads the sections of an arm; nil where there are faults, or a.Faulty. narrow,
// unless nil, changes the data before their first use.
func newPlan(b *study.Builder, arm *study.Arm, a *study.ArmFile, read reader, narrow func(*problems.Corpus) *problems.Corpus) (_ *plan, err error) {
	var found study.Faults
	p := &plan{arm: arm, file: a, data: b.Data, column: study.ColumnsOf(b, &a.File), fewer: narrow != nil}
	p.parts, err = read(b, a)
	p.kept = problems.Keeps(a)
	found.Note(err)
	p.combine, err = networks.BuildRule(a.Kinds, p.common.Combine)
	if found.Note(err); p.rule != nil && !p.fewer {
		p.combine = p.rule
	}
	found.Note(p.readCohort(a))
	found.Note(p.readAttendance())
	found.Note(p.readCheckIn())
	found.Note(p.readConcurrency())
	server, seats, err := p.served(a)
	if !found.Note(err) {
		return nil, found.Err()
	}
	p.graphs, p.tiers, err = study.ServersOf(b, arm, server, p.name)
	found.Note(err)
	if a.Mechanism != nil {
		section, err := kind.As[mechanisms.OnSums](a.Kinds.Mechanisms, a.Mechanism, "the algorithm "+p.name)
		if found.Note(err) {
			p.mechanism, err = mechanisms.VariedSumsOf(section, a.Mechanism)
			found.Note(err)
		}
	}
	if a.Problem == nil || a.Mechanism == nil {
		return nil, found.Err()
	}
	if !found.Note(p.refuseHeld()) {
		return nil, found.Err()
	}
	p.corpus, err = p.readData(b, a)
	if found.Note(err); len(found) > 0 || a.Faulty {
		return nil, found.Err()
	}
	if narrow != nil {
		p.corpus = narrow(p.corpus)
	} else if err := p.corpus.CheckSized(a.Nodes); err != nil {
		return nil, err
	}
	if seats > 0 {
		p.seats = &machine.Seats{Count: seats}
	}
	if err := p.configure(b); err != nil || a.Horizon < 1 {
		return nil, err
	}
	if err := study.CheckModels(a, 3*p.count, p.atWork(), p.corpus.Dim); err != nil {
		return nil, err
	}
	return p, p.checkKept()
}

// checkKept refuses numbers of clients that are too many together.
func (p *plan) checkKept() error {
	for key, numbers := range map[string]int{"problem.state": p.kept, "algorithm.keeps": p.states * p.corpus.Dim} {
		if p.seats == nil && limits.Product(p.file.Nodes, numbers) > limits.Coordinates {
			return document.At(key, "%d clients keep %d numbers each; want at most %d in all", p.file.Nodes, numbers, limits.Coordinates)
		}
	}
	return nil
}

// atWork is the largest number of clients that compute in one step.
func (p *plan) atWork() int {
	if p.seats == nil {
		return p.file.Nodes
	}
	return p.common.Participation.Seats(p.file.Nodes)
}

// configure makes the setting and the noise. It returns all faults that it finds.
func (p *plan) configure(b *study.Builder) error {
	a, c := p.file, &p.common
	var found study.Faults
	if !found.Note(a.Algorithm.Resolve(c.Participation.Check(a.Nodes))) {
		return found.Err()
	}
	found.Note(p.readIndividual())
	if c.Start != nil && p.corpus.Started {
		found.At("algorithm.start", "%s", problems.TwoStarts)
	}
	if p.private() && !c.bounded() {
		found.At("algorithm.clip", "no noise hides a vector without a bound; give a 2-norm")
	}
	if c.Level == Record && p.private() && !p.mechanism.Subsampled() {
		found.At("mechanism.kind", "%s noise is for sums of a server that is trusted; clients that protect their samples take %s", p.mechanism.Kind, p.samplers())
	}
	p.busy()
	if c.Stragglers != nil && !found.Note(a.Doc.Resolve("algorithm.stragglers", c.Stragglers.Validate(p.longest())).Err()) {
		return found.Err()
	}
	p.most = c.Participation.Most(p.rounds)
	if _, err := p.setting(a.Seeds.Base); err != nil {
		found.Note(a.Doc.Resolve("problem", err).Err())
		return found.Err()
	}
	err := p.corpus.OtherSeeds(b, a, func(seed uint64) error {
		other := *p
		_, err := other.setting(seed)
		return err
	})
	if err != nil {
		found.Note(a.Doc.Resolve("problem", err).Err())
		return found.Err()
	}
	found.Note(p.checkTraining())
	found.Note(p.checkSchedule())
	found.Note(p.checkBuffer())
	found.Note(p.checkAggregation())
	found.Note(p.checkLies())
	found.Note(p.checkTiers())
	found.Note(p.checkIndividual())
	found.Note(p.checkStates())
	found.Note(p.checkSizes())
	found.Note(p.checkClock(b))
	if len(found) > 0 || a.Horizon < 1 {
		return found.Err()
	}
	p.foresee()
	if err := p.share(); err != nil {
		return err
	}
	if err := p.checkFirstRound(); err != nil {
		return err
	}
	return p.correlate(b)
}

// sampled is the rate of the sample that noise counts on. The clients in a buffer are no
// sample that is drawn anew for each buffer.
func (p *plan) sampled() float64 {
	if p.buffer != nil {
		return 1
	}
	return p.common.Participation.Sampled()
}

// remembers reports whether clients keep state from round to round, of the algorithm or of their own local steps.
func (p *plan) remembers() bool { return p.keeps || p.kept > 0 || p.states > 0 }

// private reports whether there is noise.
func (p *plan) private() bool { return p.mechanism.Private() }

// setting sets the algorithm's setting under a seed, and returns the data of clients.
func (p *plan) setting(seed uint64) (*problems.Divided, error) {
	c := &p.common
	at := &machine.Setting{
		Clients: p.file.Nodes, Seats: p.seats, Horizon: p.file.Horizon, Calendar: p.calendar(seed), Dim: p.corpus.Dim, Width: p.count * p.corpus.Dim, Set: p.corpus.Set,
		Record: c.Level == Record, Keeps: p.keeps, Kept: p.kept, Clip: float64(c.Clip), Participation: &c.Participation,
	}
	if p.at != nil {
		at.Sharing, at.Individual = p.at.Sharing.During(at.Calendar), p.at.Individual
	}
	if p.tiers != nil {
		at.Tiers = &machine.Tiers{Tiers: p.tiers.Tiers, Noise: max(0, p.tiers.Noise), Takes: p.tiers.Rounds(seed)}
	}
	at.Buffer, at.Expected = p.buffer, p.expected()
	data, err := p.corpus.Draw(seed, p.file.Nodes)
	if err != nil {
		return nil, err
	}
	at.Steps = &machine.Steps{Local: c.Local, Data: data.Clients, Passing: data.Passing, Sizes: data.Sizes, Stragglers: c.Stragglers.Draw(seed, p.longest()), Calendar: at.Calendar}
	p.averaging.set(at)
	at.Clock = p.clock(seed, at)
	if at.Record {
		at.Steps.Record = p.records(at)
	}
	if at.Start, err = p.corpus.Begin(seed, c.Start); err != nil {
		return nil, err
	}
	p.at = at
	return data, nil
}

// expected is the mean number of clients in a round, or the number of vectors in a buffer.
func (p *plan) expected() float64 {
	c := &p.common
	if p.buffer != nil {
		return float64(p.buffer.Size)
	}
	n := c.Participation.Expected(p.file.Nodes)
	if c.Aggregation != nil {
		n *= 1 - c.Aggregation.Dropout
	}
	return n * c.Stragglers.Kept(p.longest())
}

// records is the noise of clients on their samples.
func (p *plan) records(at *machine.Setting) *aggregation.Records {
	of := &aggregation.Records{Clip: at.Clip, Steps: at.Steps.Tau, Stragglers: at.Steps.Stragglers, Calendar: at.Calendar, Rates: at.Steps.Rates(), Most: p.most}
	if at.Seats != nil {
		of.Stands = at.Seats.Stands
	}
	if p.private() {
		of.Noise = noise.OnSamples(p.mechanism.Sigma, of.Clip)
		p.ownRecords(of)
	}
	return of
}

// ownRecords gives clients that protect their samples noise of their own, and finds the one that pays the
// most.
func (p *plan) ownRecords(of *aggregation.Records) {
	if p.own.sigmas == nil {
		return
	}
	for _, sigma := range p.own.sigmas {
		of.Own = append(of.Own, noise.OnSamples(sigma, of.Clip))
	}
	of.Dearest = p.dearestRecord(of)
}

// dearestRecord is the client, from 0, that pays the most for local steps in a run. A loss that no account can
// state is the largest: the accounts tell the error.
func (p *plan) dearestRecord(of *aggregation.Records) (dearest int) {
	candidates := of.Candidates()
	if p.own.deltas != nil { // one that another exceeds may have a smaller delta
		candidates = candidates[:0]
		for client := range of.Own {
			candidates = append(candidates, client)
		}
	}
	if len(candidates) == 1 {
		return candidates[0]
	}
	a := ledger.Account{Delta: p.file.Budget.StatedDelta(p.mechanism.Delta), By: p.mechanism.Accountant, Converted: p.mechanism.Neighbours == accountant.Replace}
	var by ledger.EpsilonCache
	most := -1.0
	for _, client := range candidates {
		var total accountant.Total
		total.AddTimes(of.Of(client).Loss(), max(1, of.Most.Times*of.Steps))
		if p.own.deltas != nil {
			a.Delta = p.own.deltas[client]
		}
		epsilon, err := by.Stated(&a, &total)
		if err != nil {
			return client
		}
		if epsilon > most {
			dearest, most = client, epsilon
		}
	}
	return dearest
}

// Extent implements study.Plan.
func (p *plan) Extent() study.Extent {
	e := study.Extent{
		FirstStep: 1, Participants: p.at.Players() + 1, Units: p.at.Clients, Server: true, RoundSteps: 1,
		Dim: p.at.Dim, Set: study.SetOf(p.at.Set), Held: p.corpus.Held + p.mechanism.Held(p.rounds, 1, p.at.Width),
		Deciders: study.Deciders{First: 0, End: 1}, Clear: p.at.Sent() - p.at.Width,
	}
	if p.seats != nil {
		if p.attending(p.file.Seeds.Base) == nil { // otherwise of what jobs share
			e.Held += p.participations()
		}
		e.Held += p.returning(p.at.Horizon) * float64(p.stateBytes())
	}
	if p.tiers != nil {
		e.Participants = p.tiers.Nodes()
	}
	return e
}

// Exchanges implements study.Scheduled: clients and servers.
func (p *plan) Exchanges() (list []study.Exchange) {
	clients := study.Exchange{Who: "clients and server", When: study.EverySteps(1), LocalSteps: p.common.Local.Tau}
	if s := p.graphs.Schedule(); s != nil {
		return []study.Exchange{{Who: clients.Who, When: s.String(), LocalSteps: p.common.Local.Tau * s.Every}}
	}
	if p.tiers == nil {
		return []study.Exchange{clients}
	}
	for level, name := range p.tiers.Names[:p.tiers.Levels()-1] {
		list = append(list, study.Exchange{Who: name, When: p.tiers.When(level)})
	}
	clients.Who = p.tiers.Names[p.tiers.Levels()-1]
	return append(list, clients)
}

// Privacy implements study.Plan.
func (p *plan) Privacy() study.Privacy {
	privacy := study.Privacy{
		Loss: p.planned().Loss, Before: p.corpus.Before(accountant.AddOrRemove), Accounts: p.account(),
		Stated:  ledger.Statement{Metrics: []string{ledger.EpsilonTotal, ledger.Delta}},
		Reasons: []algorithm.Reason{machine.MeanOfClients, machine.InitialModel, machine.SumsOfReleases}, Coalitions: study.Coalitions{Why: p.learnsWhy},
	}
	if s := p.at.Sharing; s != nil && s.Private() && p.named() {
		privacy.Coalitions = study.Coalitions{Worth: s.Named(), Why: "of the messages of a round it knows its own, whose noise hides nobody from it"}
	}
	if p.seats != nil && p.clientsPay() {
		privacy.Stated.Dearest = p.dearest
	}
	privacy.Together = p.private() && !p.at.Record && p.at.Sharing == nil && p.at.Individual == nil
	if p.tiers != nil {
		privacy.Servers = study.Servers{Above: p.tiers.Above, Accounts: p.levels(privacy.Accounts)}
	}
	if p.learns != nil {
		privacy.Coalitions.Learns = func(j *study.Job) ledger.Learns { return p.learns(p.at, j) }
	}
	return privacy
}

// Recording implements study.Plan.
func (p *plan) Recording() study.Recording {
	own := metric.Join(p.corpus.Own, p.declared)
	return study.Recording{Metrics: append(p.metrics(), own.Names()...), Own: own, Answers: p.corpus.Answers(), Takes: study.TakesOf(p.combine)}
}

// NoiseLevel implements study.Noisy.
func (p *plan) NoiseLevel() (noise, signal float64) { return p.planned().Drowning() }

// Trained implements study.Trainer.
func (p *plan) Trained() *study.TrainedModel { return p.corpus.Trained }

// metrics lists the metrics that the runs of the arm record.
func (p *plan) metrics() []string {
	list, own := Metrics(), p.planned().Metrics().Names()
	if p.buffer != nil {
		list = metric.Join(list, p.bufferMetrics())
	}
	if p.seats != nil {
		list = metric.Join(list, populationMetrics())
	}
	if p.file.Clock != nil {
		list = metric.Join(list, p.timeMetrics())
	}
	others := slices.DeleteFunc(aggregation.Metrics().Names(), func(name string) bool { return slices.Contains(own, name) })
	return slices.Concat(slices.DeleteFunc(list.Names(), func(name string) bool {
		switch name {
		case gauge.AccuracyTest:
			return !p.corpus.Classifies
		case accuracyError.Name:
			return !p.corpus.Classifies || !p.corpus.PanelTests
		case machine.QuantityClipped:
			return p.at.Record
		}
		return slices.Contains(others, name)
	}), study.RoundMetrics(p.arm))
}

// named reports whether the scenario asks for losses to nodes, or to coalitions of them.
func (p *plan) named() bool { return p.file.Measure.Observers != nil || p.file.Measure.Pairs }
