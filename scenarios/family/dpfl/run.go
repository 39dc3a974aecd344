package dpfl

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// worst is the client, from 0, that has the fewest samples: it samples at the highest rate,
// pays the most for a step, and is never behind the client that the budget stops first.
func (p *plan) worst() (client int) {
	for i, data := range p.Options.Clients {
		if data.Size() < p.Options.Clients[client].Size() {
			client = i
		}
	}
	return client
}

// loss is the loss of a round to the client that pays the most: for the largest number of
// local steps that it can have, until the budget is spent, and for its statistics.
func (p *plan) loss(round int) accountant.Loss {
	// Rounds before this one have used up a part of the budget's local steps.
	before := 0
	if tau := p.Options.Tau; p.Options.Adaptive == nil && tau > 0 {
		if before = p.plan.Steps; round-1 <= before/tau {
			before = min(before, (round-1)*tau)
		}
	} else {
		for r := 1; r < round; r++ {
			before = min(before+p.Options.MostTau(r), p.plan.Steps)
		}
	}
	steps := min(p.Options.MostTau(round), p.plan.Steps-before)
	if steps == 0 {
		return accountant.Loss{}
	}
	var loss accountant.Loss
	if !p.Options.Noise.Once() || round == 1 { // all of the stream's noise is paid for at once
		loss = p.Options.StepsLoss(p.worst(), steps)
	}
	if round >= 2 && round < p.Options.Rounds {
		loss = loss.Compose(p.Options.StatisticsLoss(p.worst(), 1))
	}
	return loss
}

// bills returns the payments of clients in a round: one for every local step, at least one,
// and for statistics, once for rho_i and beta_i and once for the gradient behind xi_i. The
// ledger compares the payments of machines with them: a machine that paid less would be an
// error of the program. Node 0 is the server, which has no data and pays nothing.
func (p *plan) bills(node messages.NodeID, round int, at ledger.Moment) ledger.ExpectedPayment {
	if node == 0 {
		return ledger.ExpectedPayment{}
	}
	o, client := &p.Options, int(node)-1
	local := ledger.Price{Loss: o.StepLoss(client), Least: 1, Most: min(o.MostTau(round), p.plan.Steps)}
	if o.Noise.Once() {
		local.Most = 1
	}
	switch {
	case p.Arm.Effects != nil: // a client that was down when a round began may still answer in it
		local.Least = 0
	case o.Noise.Once() && at.Paid: // for the noise of the whole run, in the first round
		local.Least, local.Most = 0, 0
	case o.Noise.Once():
	case !p.adaptive:
		// With stragglers a client may have done less than all rounds before.
		left := p.plan.Steps - min(p.plan.Steps, (round-1)*o.Tau)
		steps := o.Stragglers.Steps(node, round, o.Tau)
		local.Least, local.Most = min(steps, left), min(steps, left)
		if o.Stragglers != nil && steps > left {
			local.Least, local.Most = min(1, steps), min(steps, p.plan.Steps)
		}
	}
	b := ledger.ExpectedPayment{Prices: [ledger.MostPrices]ledger.Price{local}}
	// Statistics are for the tau of the next round. There are none before clients have a
	// model of their own to compare with the mean, and none in the last round.
	if round >= 2 && round < o.Rounds {
		if loss, times := o.StatisticsPrice(client); times > 0 {
			b.Prices[1] = ledger.Price{Loss: loss, Least: 0, Most: times}
		}
	}
	return b
}

// claim is the loss that Theorem 3 covers: of local steps, at most as many as the budget pays
// for.
func (p *plan) claim() ledger.Claim {
	if !p.private() {
		return ledger.Worded(accountant.NotPrivate().String())
	}
	epsilon, err := p.epsilonOf(&p.Mechanism, dpfl.Accounted(&p.Options, p.worst(), min(p.Options.MostSteps(), p.plan.Steps), 0).Claimed)
	if err != nil {
		return ledger.Worded(err.Error())
	}
	return ledger.Claim{Text: perSample(epsilon, p.Mechanism.Delta, p.Mechanism.Neighbours), Epsilon: epsilon, Delta: p.Mechanism.Delta}
}

// epsilonOf converts a loss for adding or removing a sample to the neighbours of a mechanism. Arms
// share what takes long.
func (p *plan) epsilonOf(m *mechanisms.Sums, total accountant.Total) (float64, error) {
	a := ledger.Account{Delta: m.Delta, By: m.Accountant, Converted: m.Neighbours == accountant.Replace}
	by := p.Arm.Epsilons.Cache()
	return by.Stated(&a, &total)
}

// Calibration implements study.Calibrator.
func (p *plan) Calibration() string { return p.Mechanism.Calibration() }

// calibrate finds the noise multiplier of an epsilon of the whole run, for the mechanism and the
// options. The run is the most that the client with the highest rate can pay for: all local steps
// that it can take without a budget, private statistics, and the start.
func (p *plan) calibrate() error {
	m, o, worst := &p.Mechanism, p.Options, p.worst()
	if !m.Calibrated() {
		return nil
	}
	o.Noise = noise.OnSamples(1, o.Clip)
	if o.MostSteps() < 1 || math.IsInf(o.Clip, 1) { // it is refused elsewhere, and the noise is not at fault
		p.Options.Noise = o.Noise
		return nil
	}
	var err error
	if rate := o.StepLoss(worst).Sampled.Rate; rate != p.rate {
		p.rate = rate
		err = m.Calibrate(p.section, p.before().Open(), func(tried *mechanisms.Sums) (float64, error) {
			o.Noise = noise.OnSamples(tried.Sigma, o.Clip)
			account := dpfl.Accounted(&o, worst, o.MostSteps(), max(0, o.Rounds-2))
			if p.Section.Statistics == dpfl.AsPrinted { // they are no part of the claim
				account.Accounted = account.Claimed
			}
			return p.epsilonOf(tried, p.before().Added(account.Accounted))
		})
	}
	p.Options.Noise = noise.OnSamples(m.Sigma, o.Clip)
	return err
}

// perSample is a loss of these algorithms as text, with its unit.
func perSample(epsilon, delta float64, neighbours accountant.Relation) string {
	if math.IsInf(epsilon, 1) {
		return accountant.NotPrivate().String()
	}
	return fmt.Sprintf("%.6g at delta %.6g, for one sample of a client %s", epsilon, delta, changed(neighbours))
}

// changed is the change of a record between neighbours, as text.
func changed(neighbours accountant.Relation) string {
	if neighbours == accountant.Replace {
		return "replaced"
	}
	return "added or removed"
}

// accounts returns the accounts of observers, the same for all: all see models and tau, which
// statistics decide.
func (p *plan) accounts() []ledger.Account {
	replaces := p.Mechanism.Neighbours == accountant.Replace
	why := "replacing a sample moves a sum by 2C, twice what adding or removing one does"
	if replaces {
		why = "the payment is for adding or removing a sample, converted to replacing one"
	}
	if p.adaptive {
		switch p.Section.Statistics {
		case dpfl.AsPrinted:
			why = "rho_i, beta_i and the gradients behind xi_i are sent as they are, and tau depends on them"
		case dpfl.Public:
			why = "statistics are of public images; " + why
		case dpfl.Private:
			why = "statistics are perturbed and paid for; " + why
		}
	}
	return ledger.Everywhere(ledger.Account{
		Guarantee: p.guarantee(), Chance: p.Section.Stragglers.Kept(p.tau()) < 1,
		Unit: "a sample of a client", Protects: ledger.ProtectsRecord, Neighbours: "one sample of one client " + changed(p.Mechanism.Neighbours), Relation: p.Mechanism.Neighbours, Converted: replaces, PaidFor: "one sample of one client added or removed",
		Claimed: p.claim(), Delta: p.Mechanism.Delta, By: p.Mechanism.Accountant, Why: why,
	}, accountant.Observers()...)
}

// guarantee returns a bound on the loss of a client, a participant, up to a round, whatever
// tau the server chooses by the data; nil where tau is fixed, or nothing is guaranteed. Local
// steps and statistics are of two kinds, and the plan limits the number of each. In whatever
// order they come, and however early the run ends, their privacy loss distribution and Renyi
// divergences are at most those for all steps and statistics of the plan.
func (p *plan) guarantee() func(client, round int) accountant.Total {
	if !p.adaptive || !p.private() || p.Section.Statistics == dpfl.AsPrinted {
		return nil
	}
	steps := make([]int, p.Options.Rounds+1) // by round: the most so far
	for round := 1; round < len(steps); round++ {
		steps[round] = min(steps[round-1]+p.Options.MostTau(round), p.plan.Steps)
	}
	return func(client, round int) accountant.Total {
		choices := max(0, min(round, p.Options.Rounds-1)-1)
		return dpfl.Accounted(&p.Options, client-1, steps[round], choices).Accounted
	}
}

// Job implements study.Plan: it draws everything that depends on the seed. The job has options
// and a plan of its own: the loss of a step depends on the clients' numbers of samples under
// the seed.
func (p *plan) Job(seed uint64) (*study.Job, error) {
	own := *p // clients may have other numbers of samples under other seeds
	data, err := own.draw(&own.Options, seed)
	if err != nil {
		return nil, err
	}
	if own.Options.Start, err = p.corpus.BeginOn(data, seed, p.Section.Start); err != nil {
		return nil, err
	}
	if err := own.calibrate(); err != nil {
		return nil, err
	}
	r, err := own.assemble(seed, own.Options, 1)
	if err != nil {
		return nil, err
	}
	options := r.options
	own.Options, own.plan = options, r.plan
	gauges := Gauges(GaugeOptions{Clients: p.clients, Rounds: options.Rounds, Start: options.Start, Accuracy: data.Accuracy, Loss: data.Loss, Others: p.corpus.Evaluations(data)})
	m := study.Measured(p.Arm, slices.Concat(gauges, study.EffectGauges(p.Arm)))
	j := study.JobOf(p.Arm, r.run, study.WithProbe(p.Arm, m, data.Probe(options.Start, dpfl.Steps, p.sampled(data))))
	own.hold(j.Meter)
	return study.Ready(p.Arm, j, own.bills, data.Outside)
}

// Shares implements study.Sharer.
func (p *plan) Shares(seed uint64) []cache.Need { return p.corpus.Entries(seed, p.clients) }

// sampled is the expected number of samples of all clients together in a local step: the data
// seen are those of all batches.
func (p *plan) sampled(data *problems.Divided) (sum float64) {
	for _, samples := range data.Clients {
		if p.Options.Batch > 0 {
			sum += float64(p.Options.Batch)
		} else {
			sum += float64(samples.Size())
		}
	}
	return sum
}

// assembled is a run with its options, and with the plan of its budget.
type assembled struct {
	options dpfl.Options
	plan    dpfl.Plan
	run     algorithm.Run
}

// faintNoise stands for no noise where a multiplier of 0 is refused: it changes no sum.
const faintNoise = 1e-300

// assemble makes a run on the data of the options under a seed, with its noise scaled. A study
// takes scale 1; audits take other scales, and must detect them. With scale 0 there is no
// noise, and the noise of private statistics changes no sum.
func (p *plan) assemble(seed uint64, o dpfl.Options, scale float64) (r assembled, err error) {
	if o.Noise, err = p.released(&o); err != nil {
		return r, err
	}
	if scale != 1 {
		scaleNoise(&o, scale)
	}
	if o.Stragglers == nil {
		o.Stragglers = p.Section.Stragglers.Draw(seed, o.Tau)
	}
	r.options = o
	r.run = algorithm.Run{Seed: seed, FirstStep: 1, Steps: o.Rounds, Hops: o.Hops, Acts: o.Acts}
	if r.run.Graphs, err = p.graphs.Sequence(seed); err != nil {
		return r, err
	}
	r.run.Machines, r.plan, err = dpfl.New(o)
	return r, err
}

// released is the noise of a run of the options.
func (p *plan) released(o *dpfl.Options) (noise.Released, error) {
	if !o.Noise.Correlated() {
		return o.Noise, nil
	}
	f, err := p.factorize()
	if err != nil {
		return noise.Released{}, err
	}
	moved := o.Clip * f.FullSensitivity()
	return noise.OnPrefixes(p.Mechanism.Unit*moved, moved, f), nil
}

// scaleNoise multiplies all noise of a run.
func scaleNoise(o *dpfl.Options, by float64) {
	o.Noise = o.Noise.Scaled(by)
	if o.Adaptive != nil && o.Adaptive.Sigma > 0 {
		adaptive := *o.Adaptive
		adaptive.Sigma = max(adaptive.Sigma*by, faintNoise)
		o.Adaptive = &adaptive
	}
}

// hold has a ledger take the losses of local steps, and the guarantees, from this plan, its
// job's own: clients may have other numbers of samples, and so other rates, under other seeds.
// It changes the accounts of l. It clones them first because all jobs begin with the same
// accounts.
func (p *plan) hold(l *ledger.Ledger) {
	l.Local = func(node messages.NodeID) accountant.Loss { return p.Options.StepLoss(int(node) - 1) }
	guarantee := p.guarantee()
	if guarantee == nil {
		return
	}
	l.Accounts = slices.Clone(l.Accounts)
	for i := range l.Accounts {
		l.Accounts[i].Guarantee = guarantee
	}
}

// Notes implements study.Plan. The gauges of j have the choices of tau and the spending.
func (p *plan) Notes(j *study.Job) ([]study.Note, []study.Warning) {
	r := p.corpus.Remarks()
	smallest, largest := p.sizes()
	r.Append(study.Affected(p.Arm, p.Options.Late), nil)
	if p.pooled {
		r.Add("clients", "%s in one place", document.Counted(largest, "sample"))
	} else if smallest == largest {
		r.Add("clients", "%s each", document.Counted(smallest, "sample"))
	} else {
		r.Add("clients", "%d to %d samples each", smallest, largest)
	}
	if p.corpus.Shares != nil {
		r.Append(p.corpus.Shares(j.Run.Seed, p.clients), nil)
	}
	if s := p.Section.Stragglers; s.Any(p.Options.Tau) {
		r.Add("stragglers", "%s", s.Text(p.Options.Tau))
	}
	choices, _ := study.GaugeOf[*Choices](j)
	r.Add("epsilon.claimed", "%s", p.claim())
	if note := p.Calibration(); note != "" {
		r.Add("noise", "%s", note)
	}
	if p.private() {
		spent, total, odometer := j.Meter.Spending()
		// Where tau depends on data, so does the spending, and only the plan's bound
		// guarantees.
		if p.guarantee() == nil {
			r.Add("epsilon.spent", "%s", perSample(spent, p.Mechanism.Delta, p.Mechanism.Neighbours))
			r.Add("epsilon.accounted", "%s", perSample(total, p.Mechanism.Delta, p.Mechanism.Neighbours))
		} else {
			r.Add("epsilon.accounted", "%s, guaranteed by the plan whatever tau the data choose", perSample(total, p.Mechanism.Delta, p.Mechanism.Neighbours))
			r.Add("epsilon.odometer", "%.6g at delta %g in this run, %.6g of it for local steps: the reading of an odometer, which depends on the data and guarantees nothing", odometer, p.Mechanism.Delta, spent)
		}
		if steps := j.Meter.LocalSteps(); p.Mechanism.Neighbours == accountant.AddOrRemove && steps.Steps > 0 { // the PLD epsilon is for these neighbours
			r.Notes = append(r.Notes, study.NoteEpsilonPLD(steps, p.Mechanism.Delta))
		}
	} else {
		r.Add("epsilon.accounted", "%s", accountant.NotPrivate())
		r.Unprotected(p.shown())
	}
	if p.Options.Noise.Correlated() {
		r.Append(p.streamNotes(), nil)
	}
	switch {
	case p.Options.Budget == nil:
	case p.plan.Steps == dpfl.Unlimited:
		r.Add("budget", "all of the run, at client %d, which spends %.6g", p.plan.Client, p.plan.Epsilon)
	default:
		r.Add("budget", "%d local steps, R_c, at the client that reaches it first, %d, which spend %.6g", p.plan.Steps, p.plan.Client, p.plan.Epsilon)
	}
	if p.adaptive {
		r.Add("tau", "%s", choices.Case())
		if p.Options.Noise.Sampled() || !p.private() { // the theorems are for such noise
			r.Append(p.theorems(choices), nil)
		}
	}
	for _, text := range dpfl.Warnings(&p.Options) {
		r.Warn("statistics", text)
	}
	return r.Notes, r.Warnings
}

// shown names the data that a run without noise shows.
func (p *plan) shown() string {
	if p.pooled {
		return "the models show the data that they are learned from"
	}
	return "messages of clients show their data"
}

// streamNotes describe correlated noise.
func (p *plan) streamNotes() []study.Note {
	n, err := p.released(&p.Options) // the job has made the same
	if err != nil {
		return nil
	}
	f := n.Factorization()
	return []study.Note{
		{Key: "noise", Value: fmt.Sprintf("standard deviation %.6g, for a sample that is in all %d sums of a client and moves them by %.6g, %s", n.Scale(), f.N(), n.Sensitivity(), p.Options.StepLoss(0))},
		{Key: "factorization", Value: fmt.Sprintf("mse %.6g, largest error %.6g, %s a coordinate, full sensitivity %.6g", f.MSE(), f.MaxError(), document.Counted(f.MemoryPerCoordinate(), "number"), f.FullSensitivity())},
	}
}

// theorems returns the values of Theorems 1 and 2 at the last choice of tau, with their
// components. The paper does not print phi, which stays a symbol. The values are for
// comparison with the paper. They enter no decision.
func (p *plan) theorems(choices *Choices) []study.Note {
	tau, steps, by := choices.Last()
	if tau == 0 {
		return []study.Note{{Key: "theorem-1", Value: "undefined: no tau was chosen, and no rho, beta and xi are known"}}
	}
	o := &p.Options
	b := dpfl.Bound{Rho: by.Rho, Beta: by.Beta, Xi: by.Xi, Noise: o.NoiseTerm(), LearningRate: o.LearningRate, Control: p.Section.Control}
	first := study.Note{Key: "theorem-1", Value: fmt.Sprintf("%.4g = h(%d), rho = %.4g, beta = %.4g, xi = %.4g, c = 2 sqrt(d) sigma C/B = %.4g", b.H(tau), tau, b.Rho, b.Beta, b.Xi, b.Noise)}
	condition := "holds"
	if b.LearningRate*b.Beta > 1 {
		condition = "fails"
	}
	smooth := fmt.Sprintf("condition 1, eta <= 1/beta = %.4g, %s", 1/b.Beta, condition)
	x := b.Progress(tau, steps)
	if x <= 0 {
		return []study.Note{first, {Key: "theorem-2", Value: fmt.Sprintf("undefined: condition 2 fails at tau = %d; %s", tau, smooth)}}
	}
	least := math.Sqrt(3) / 3
	return []study.Note{first, {Key: "theorem-2", Value: fmt.Sprintf("%.4g + 1/(%.4g phi), T = %d, tau = %d; phi is not known, and below %.4g this is over the 1 of condition 4; %s",
		least, x, steps, tau, 1/(x*(1-least)), smooth)}}
}

// sizes returns the least and the largest |D_i|.
func (p *plan) sizes() (least, largest int) {
	least = math.MaxInt
	for _, data := range p.Options.Clients {
		least, largest = min(least, data.Size()), max(largest, data.Size())
	}
	return least, largest
}
