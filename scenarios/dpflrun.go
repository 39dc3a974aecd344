package scenarios

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm/dpfl"
	"starling/mechanisms/accountant"
	"starling/messages"
	meter "starling/scenarios/meter/dpfl"
	"starling/scenarios/problem/model"
)

// worst is the client, from 0, that has the fewest samples: it samples at the
// highest rate, pays the most for a step, and is never behind the one that the
// budget stops first.
func (p *dpflPlan) worst() (client int) {
	for i, data := range p.options.Clients {
		if data.Size() < p.options.Clients[client].Size() {
			client = i
		}
	}
	return client
}

// loss is what a round costs the client that pays the most: the most local steps
// that it can have, until the budget is spent, and its statistics.
func (p *dpflPlan) loss(round int) accountant.Loss {
	before := 0
	for r := 1; r < round; r++ {
		before = min(before+p.mostTau(r), p.plan.Steps)
	}
	steps := min(p.mostTau(round), p.plan.Steps-before)
	if steps == 0 {
		return accountant.Loss{}
	}
	loss := p.options.StepLoss(p.worst())
	if loss.Private() {
		loss.Sampled.Steps = steps
	}
	if round >= 2 && round < p.options.Rounds {
		loss = loss.Compose(p.options.StatisticsLoss(p.worst(), 1))
	}
	return loss
}

// bills are what clients pay: for every local step of a round, at least one, and for
// statistics, once for rho_i and beta_i and once for the gradient behind xi_i.
func (p *dpflPlan) bills(node messages.NodeID, round int, _ moment) bill {
	if node == 0 {
		return bill{}
	}
	o, client := &p.options, int(node)-1
	local := price{o.StepLoss(client), 1, min(p.mostTau(round), p.plan.Steps)}
	switch {
	case p.arm.effects != nil: // one that was down when a round began may still answer in it
		local.least = 0
	case !p.adaptive: // all have done all rounds before
		local.most = min(o.Tau, p.plan.Steps-min(p.plan.Steps, (round-1)*o.Tau))
		local.least = local.most
	}
	b := bill{prices: [mostPrices]price{local}}
	if round >= 2 && round < o.Rounds {
		if loss, times := o.StatisticsPrice(client); times > 0 {
			b.prices[1] = price{loss, 0, times}
		}
	}
	return b
}

// claim is what Theorem 3 covers: the local steps, of which there are at most as
// many as the budget pays for.
func (p *dpflPlan) claim() string {
	if !p.private() {
		return accountant.NotPrivate().String()
	}
	epsilon, err := p.epsilon(dpfl.Accounted(&p.options, p.worst(), min(p.mostSteps(), p.plan.Steps), 0).Claimed)
	if err != nil {
		return err.Error()
	}
	return perSample(epsilon, p.mechanism.Delta, p.mechanism.Neighbours)
}

// epsilon is for the neighbours of the mechanism.
func (p *dpflPlan) epsilon(total accountant.Total) (float64, error) {
	var by accountant.Converter
	return by.EpsilonOf(p.mechanism.Neighbours, &total, p.mechanism.Delta, p.mechanism.Accountant)
}

// perSample says for what a loss of these algorithms holds.
func perSample(epsilon, delta float64, neighbours accountant.Relation) string {
	if math.IsInf(epsilon, 1) {
		return accountant.NotPrivate().String()
	}
	return fmt.Sprintf("%.6g at delta %.6g, for one sample of a client %s", epsilon, delta, changed(neighbours))
}

// changed is what happens to a record between neighbours.
func changed(neighbours accountant.Relation) string {
	if neighbours == accountant.Replace {
		return "replaced"
	}
	return "added or removed"
}

// accounts are the same for everybody: all see models and tau, which statistics
// decide.
func (p *dpflPlan) accounts() []account {
	replaces := p.mechanism.Neighbours == accountant.Replace
	why := "replacing a sample moves a sum by 2C, twice what adding or removing one does"
	if replaces {
		why = "what is paid is for adding or removing a sample, and converted to replacing one"
	}
	if p.adaptive {
		switch p.section.Statistics {
		case dpfl.AsPrinted:
			why = "rho_i, beta_i and the gradients behind xi_i are sent as they are, and tau depends on them"
		case dpfl.Public:
			why = "statistics are of public images; " + why
		case dpfl.Private:
			why = "statistics are perturbed and paid for; " + why
		}
	}
	return everywhere(account{
		guarantee: p.guarantee(),
		unit:      "a sample of a client", neighbours: "one sample of one client " + changed(p.mechanism.Neighbours), relation: p.mechanism.Neighbours, converted: replaces, paidFor: "one sample of one client added or removed",
		claimed: p.claim(), delta: p.mechanism.Delta, by: p.mechanism.Accountant, why: why,
	}, accountant.Observers()...)
}

// guarantee is what the plan lets a client, a participant, lose up to a round at most,
// whatever tau the data make the server choose; nil where tau is fixed, or nothing is
// guaranteed. Local steps and statistics are of two kinds, and the plan holds the number
// of each: in whatever order they come, and however early the run ends, they have at
// most the privacy loss distribution, and the Renyi divergences, of all of them.
func (p *dpflPlan) guarantee() func(client, round int) accountant.Total {
	if !p.adaptive || !p.private() || p.section.Statistics == dpfl.AsPrinted {
		return nil
	}
	steps := make([]int, p.options.Rounds+1) // by round: the most so far
	for round := 1; round < len(steps); round++ {
		steps[round] = min(steps[round-1]+p.mostTau(round), p.plan.Steps)
	}
	return func(client, round int) accountant.Total {
		choices := max(0, min(round, p.options.Rounds-1)-1)
		return dpfl.Accounted(&p.options, client-1, steps[round], choices).Accounted
	}
}

// job draws what depends on the seed.
func (p *dpflPlan) job(seed uint64) (*job, error) {
	clients := p.arm.file.Nodes
	sequence, err := p.arm.topology.sequence(seed)
	if err != nil {
		return nil, err
	}
	options := p.options
	if err := p.draw(&options, seed, clients); err != nil {
		return nil, err
	}
	machines, plan, err := dpfl.New(options)
	if err != nil {
		return nil, err
	}
	own := *p // clients have other numbers of samples under other seeds
	own.options, own.plan = options, plan
	problem := p.images.problem
	data, err := problem.Federated(seed, clients)
	if err != nil {
		return nil, err
	}
	m := meter.New(meter.Options{
		Clients: clients, Rounds: options.Rounds, Points: p.arm.points, Start: options.Start,
		Test:  func(x []float64) (model.Evaluation, error) { return problem.Model().Evaluate(x, problem.Test()) },
		Train: data.Evaluate, Step: options.StepLoss,
		Delta: p.mechanism.Delta, Method: p.mechanism.Accountant, Neighbours: p.mechanism.Neighbours, Wanted: p.arm.file.Measure.Records,
		Guarantee: own.guarantee(), Before: p.before().loss(),
		Effects: p.arm.effects != nil, Limited: p.arm.effects != nil && p.arm.effects.limited,
	})
	j := p.arm.newJob(seed, sequence, machines, m)
	own.hold(j.meter)
	j.run.Hops, j.run.Acts = options.Hops, options.Acts
	return j, p.arm.affect(j, seed)
}

// hold has a ledger hold payments against this plan, which is that of its job.
func (p *dpflPlan) hold(l *ledger) {
	l.bills = p.bills
	guarantee := p.guarantee()
	if guarantee == nil {
		return
	}
	l.accounts = slices.Clone(l.accounts)
	for i := range l.accounts {
		l.accounts[i].guarantee = guarantee
	}
}

// notes are what the results are to be read with.
func (p *dpflPlan) notes(j *job) (notes []note, warnings []warning) {
	notes, warnings = p.before().remarks()
	notes, warnings = append(notes, p.images.notes...), append(warnings, p.images.warnings...)
	add := func(key, format string, args ...any) { notes = append(notes, note{key, fmt.Sprintf(format, args...)}) }
	smallest, largest := p.sizes()
	notes = append(notes, p.arm.affected(p.options.Late)...)
	if smallest == largest {
		add("clients", "%s each", Counted(smallest, "sample"))
	} else {
		add("clients", "%d to %d samples each", smallest, largest)
	}
	if fewest, most, all, err := p.images.problem.Labels(j.run.Seed, p.arm.file.Nodes); err == nil { // the job has divided them so
		add("labels", "%d labels at most and %d at least at a client, of %d", most, fewest, all)
	}
	m := j.family().(*meter.Meter)
	add("epsilon.claimed", "%s", p.claim())
	if p.private() {
		spent, total, odometer := m.Spending()
		if p.guarantee() == nil {
			add("epsilon.spent", "%s", perSample(spent, p.mechanism.Delta, p.mechanism.Neighbours))
			add("epsilon.accounted", "%s", perSample(total, p.mechanism.Delta, p.mechanism.Neighbours))
		} else {
			add("epsilon.accounted", "%s, guaranteed by the plan whatever tau the data choose", perSample(total, p.mechanism.Delta, p.mechanism.Neighbours))
			add("epsilon.odometer", "%.6g at delta %g in this run, %.6g of it for local steps: the reading of an odometer, which depends on the data and guarantees nothing", odometer, p.mechanism.Delta, spent)
		}
		if p.mechanism.Neighbours == accountant.AddOrRemove { // which is what it is for
			notes = append(notes, noteEpsilonPLD(m.LocalSteps(), p.mechanism.Delta))
		}
	} else {
		add("epsilon.accounted", "%s", accountant.NotPrivate())
		warnings = append(warnings, warning{"not-private", "this arm runs without noise: what clients send shows their data"})
	}
	if p.options.Budget != nil {
		add("budget", "%d local steps, R_c, at the client that reaches it first, %d, which spend %.6g", p.plan.Steps, p.plan.Client, p.plan.Epsilon)
	}
	if p.adaptive {
		add("tau", "%s", m.Case())
		notes = append(notes, p.theorems(m)...)
	}
	for _, text := range dpfl.Warnings(&p.options) {
		warnings = append(warnings, warning{"statistics", text})
	}
	return notes, warnings
}

// theorems are the values of Theorems 1 and 2 at the last choice of tau, with what
// they are made of. What the paper does not print, phi, stays as it is.
func (p *dpflPlan) theorems(m *meter.Meter) []note {
	tau, steps, by := m.LastChoice()
	if tau == 0 {
		return []note{{"theorem-1", "undefined: no tau was chosen, and no rho, beta and xi are known"}}
	}
	o := &p.options
	b := dpfl.Bound{Rho: by.Rho, Beta: by.Beta, Xi: by.Xi, Noise: o.NoiseTerm(), LearningRate: o.LearningRate, Control: p.section.Control}
	first := note{"theorem-1", fmt.Sprintf("%.4g = h(%d), rho = %.4g, beta = %.4g, xi = %.4g, c = 2 sqrt(d) sigma C/B = %.4g", b.H(tau), tau, b.Rho, b.Beta, b.Xi, b.Noise)}
	condition := "holds"
	if b.LearningRate*b.Beta > 1 {
		condition = "fails"
	}
	smooth := fmt.Sprintf("condition 1, eta <= 1/beta = %.4g, %s", 1/b.Beta, condition)
	x := b.Progress(tau, steps)
	if x <= 0 {
		return []note{first, {"theorem-2", fmt.Sprintf("undefined: condition 2 fails at tau = %d; %s", tau, smooth)}}
	}
	least := math.Sqrt(3) / 3
	return []note{first, {"theorem-2", fmt.Sprintf("%.4g + 1/(%.4g phi), T = %d, tau = %d; phi is not known, and below %.4g this is over the 1 of condition 4; %s",
		least, x, steps, tau, 1/(x*(1-least)), smooth)}}
}

// sizes are the least and the largest |D_i|.
func (p *dpflPlan) sizes() (least, largest int) {
	least = math.MaxInt
	for _, data := range p.options.Clients {
		least, largest = min(least, data.Size()), max(largest, data.Size())
	}
	return least, largest
}
