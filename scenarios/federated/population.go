package federated

import (
	"fmt"
	"sort"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/gauge"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// With draw: server a run holds the clients of a round and not the population that they are drawn
// from: its participants are the server and seats, which clients take in turn. All clients have one
// account, whether a trusted server pays or each client for itself.

// drawsPopulation implements study.Traits.Population.
func drawsPopulation(section *document.Node) bool {
	draw, ok := section.Get("draw")
	return ok && draw.Value() == string(aggregation.DrawnByServer)
}

// readCohort reads a fixed number of clients a round.
func (p *plan) readCohort(a *study.ArmFile) (err error) {
	of := &p.common.Participation
	if of.Cohort == nil {
		return nil
	}
	if !of.ByServer() {
		return document.At("algorithm.cohort", "clients that draw for themselves are a number by chance; want draw: %s, or rate in place of this", aggregation.DrawnByServer)
	}
	if _, given := a.Algorithm.Get("rate"); given {
		return document.At("algorithm.rate", "a round has a cohort of %d clients; leave one of the two out", *of.Cohort)
	}
	*of, err = of.WithCohort(a.Nodes, a.Horizon+1)
	return a.Algorithm.Resolve(err)
}

// served returns the arm with the participants that play clients as its nodes, for the graphs: all
// clients, or seats for the clients of a round. Seats is 0 where clients are participants. It refuses rounds
// of too many clients.
func (p *plan) served(a *study.ArmFile) (_ *study.ArmFile, seats int, err error) {
	of := &p.common.Participation
	if !of.ByServer() || !(of.Rate > 0 && of.Rate <= 1) || of.Groups < 1 || of.Groups > a.Nodes {
		return a, 0, nil
	}
	others := *a
	if others.Nodes = of.Seats(a.Nodes); others.Nodes > mostSeats {
		return a, 0, refuseRound(of, others.Nodes)
	}
	if !p.remembers() {
		return &others, others.Nodes, nil
	}
	if others.Nodes = of.StateSeats(a.Nodes, a.Horizon+1); others.Nodes > mostSeats {
		steps := sort.Search(a.Horizon, func(steps int) bool { return of.StateSeats(a.Nodes, steps+2) > mostSeats })
		return a, 0, document.At("horizon", "clients that keep state and come again need %d seats; want at most %d, which %d steps have", others.Nodes, mostSeats, steps)
	}
	return &others, others.Nodes, nil
}

// refuseRound refuses rounds of up to a number of clients, which are too many.
func refuseRound(of *aggregation.Participation, size int) error {
	if of.Cohort != nil {
		return document.At("algorithm.cohort", "a round has %d clients; want at most %d", size, mostSeats)
	}
	return document.At("algorithm.rate", "a round has up to %d clients; want at most %d, at a rate of about %.3g", size, mostSeats, of.Rate*mostSeats/float64(size))
}

// mostSeats is the largest number of seats: a star has three edges for each.
const mostSeats = limits.Edges / 3

// readData returns the data of the clients, or of a population.
func (p *plan) readData(b *study.Builder, a *study.ArmFile) (*problems.Corpus, error) {
	if !p.common.Participation.ByServer() {
		return problems.ReadCorpus(b, a, p.name, p.common.Samples)
	}
	return problems.ReadPopulation(b, a, p.name, p.common.Samples, p.panel())
}

// panel is the number of clients with data that judge the models of a population.
func (p *plan) panel() int {
	panel := problems.UsualPanel
	if p.common.Panel != nil {
		panel = *p.common.Panel
	}
	return min(panel, p.file.Nodes)
}

// attend draws the clients of the rounds of a seed, and of the round after the last.
func (p *plan) attend(seed uint64) error {
	if p.paced() {
		return p.arrive(seed)
	}
	if p.at.Seats == nil {
		return nil
	}
	if p.common.Participation.ChecksIn() {
		return p.admit(seed)
	}
	drawn := p.common.Participation.Attend(seed, p.at.Clients, p.at.Horizon+1)
	if largest := drawn.Largest(); largest > p.at.Seats.Count {
		return fmt.Errorf("a round of seed %d has %d clients, more than the %d that a round has but for a chance of 2^-100", seed, largest, p.at.Seats.Count)
	}
	p.at.Seats = &machine.Seats{Count: p.at.Seats.Count, Attendees: drawn}
	if p.at.Record {
		p.at.Steps.Record.Stands = p.at.Seats.Stands
	}
	return p.seat(seed)
}

// seat gives clients that keep state one seat each.
func (p *plan) seat(seed uint64) error {
	if !p.remembers() {
		return nil
	}
	if err := p.at.Seats.Attendees.Seat(p.at.Clients, p.at.Seats.Count); err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	return nil
}

// refuseHeld refuses settings that a run does not have unless it holds all clients. It reads neither data
// nor values of single clients, of which there may be too many.
func (p *plan) refuseHeld() error {
	var found study.Faults
	a, c := p.file, &p.common
	if !c.Participation.ByServer() {
		if c.Panel != nil {
			found.At("algorithm.panel", "values are over the data of all clients; leave this out, or want draw: %s", aggregation.DrawnByServer)
		}
		return found.Err()
	}
	held := fmt.Sprintf("draw: %s holds only the clients of a round", aggregation.DrawnByServer)
	refuse := func(refused bool, key, why string) {
		if refused {
			found.At(key, "%s: %s; leave this out, or want draw: %s", held, why, aggregation.DrawnByClients)
		}
	}
	refuse(p.tiers != nil, "topology.kind", "one server draws them; levels of servers are for clients that are held")
	refuse(p.graphs.Schedule() != nil, "topology.schedule", "they have the model from the message of the step before")
	refuse(p.remembers() && c.Aggregation != nil, "algorithm.aggregation", "clients that keep state go on once they hear that a round was not aborted, of which one that has gone does not")
	refuse(p.clientsPay() && a.Budget.Limits(), "budget", "a client stops at a budget of its own, of which seats have none")
	refuse(p.buffer != nil && !p.paced(), "algorithm.buffer", "without a clock and a concurrency, vectors that come late are of clients that have gone")
	refuse(p.buffer != nil && p.kept > 0, "problem.state", "a client of a buffer may report after another has its place")
	refuse(a.Adversaries != nil, "adversaries", "the Byzantine ones are among clients that are held")
	refuse(a.Network != nil && p.arm.Delays == nil, "network", "its links and nodes are between participants that stay")
	refuse(a.Measure.By != "", "measure.by", "values of single clients are of clients that are held")
	refuse(a.Budget != nil && a.Budget.Groups.Any(), "budget.groups", "budgets of their own are of clients that are held")
	refuse(p.named(), "measure.observers", "named observers are clients that are held")
	refuse(p.mechanism.Varies(), "mechanism.groups", "noise of their own is of clients that are held")
	refuse(p.mechanism.OwnSigmas(), "mechanism.sigmas", "noise of their own is of clients that are held")
	for _, key := range p.individualKeys() {
		refuse(true, key, "values of their own are of clients that are held")
	}
	found.Note(p.checkVisits())
	return found.Err()
}

// checkVisits refuses too many participations: a run has a list of them.
func (p *plan) checkVisits() error {
	of, rounds := &p.common.Participation, p.file.Horizon+1
	switch visits := float64(rounds) * of.Expected(p.file.Nodes); {
	case visits <= limits.Coordinates:
		return nil
	case of.Cohort != nil:
		return document.At("algorithm.cohort", "%.3g clients take part in all rounds together; want at most %d, which a cohort of %d has", visits, limits.Coordinates, limits.Coordinates/rounds)
	default:
		return document.At("algorithm.rate", "%.3g clients take part in all rounds together; want at most %d, which a rate of %.3g has", visits, limits.Coordinates, of.Rate*limits.Coordinates/visits)
	}
}

// clientsPay reports whether clients add noise, and pay for it.
func (p *plan) clientsPay() bool { return p.common.Level == Record || p.common.Aggregation != nil }

// dearest is the payments up to a step of a client that takes part as often as it may, of a population
// of clients that pay: all have one noise and as many samples.
func (p *plan) dearest(step int) (payment accountant.Loss, times int) {
	return p.planned().Loss(1), min(p.most.Times, (step-1)/p.most.Apart+1)
}

// participations is about the number of bytes of the list of participations.
func (p *plan) participations() float64 {
	return 24 * float64(p.file.Horizon+1) * p.common.Participation.Expected(p.at.Clients)
}

// checkStates refuses clients with states that are too large together, or are not to be kept.
func (p *plan) checkStates() error {
	if p.seats == nil {
		return nil
	}
	size := p.stateBytes()
	if size > 0 && !p.remembers() {
		return document.At("algorithm.kind", "clients of %s keep state between rounds and do not say so, by Keeps, so that a seat drops it; want draw: %s", p.name, aggregation.DrawnByClients)
	}
	numbers := func(steps int) float64 { return p.returning(steps) * float64(size) / 8 }
	if horizon := p.file.Horizon; numbers(horizon) > limits.Coordinates {
		enough := sort.Search(horizon, func(steps int) bool { return numbers(steps+1) > limits.Coordinates })
		return document.At("horizon", "about %.3g clients come again, and their states have %.3g numbers; want at most %d, which %d steps have", p.returning(horizon), numbers(horizon), limits.Coordinates, enough)
	}
	return nil
}

// checkSizes refuses clients of a population that pay for batches of other rates than each other's: they have one
// account.
func (p *plan) checkSizes() error {
	of := p.at.Steps
	if of.Sizes == nil || of.Batch == nil || p.common.Level != Record || !p.private() {
		return nil
	}
	for client := range p.at.Clients {
		if first, rate := of.Rate(0), of.Rate(client); rate != first {
			return document.At("algorithm.batch", "client 1 has %s and client %d has %s, so that a sample is in a batch with other chances: clients of a population that pay have one account; give samples, leave batch out, or want draw: %s",
				document.Counted(of.Sizes(0), "sample"), client+1, document.Counted(of.Sizes(client), "sample"), aggregation.DrawnByClients)
		}
	}
	return nil
}

// returning is about the number of clients that come again in so many steps, and the round after.
func (p *plan) returning(steps int) float64 {
	return p.common.Participation.Returning(p.file.Nodes, steps+1)
}

// stateBytes is the number of bytes of the state of a client.
func (p *plan) stateBytes() int { return len(messages.Write(nil, p.client(p.at, 0))) }

// Metrics of populations.
var (
	uniqueClients = metric.Metric{Name: machine.QuantityUnique, Summary: "number of different clients that have taken part so far. Recorded where the server draws clients", Label: "different clients so far", Unit: "clients", Level: metric.OfRun, Cost: true}
	mostVisits    = metric.Metric{Name: machine.QuantityMost, Summary: "number of rounds so far of the client that has taken part most often. Recorded where the server draws clients", Label: "rounds of the client with the most", Unit: "rounds", Level: metric.OfRun, Cost: true}
	lossError     = metric.Metric{Name: "loss.train.error", Summary: "standard error of loss.train, where it is estimated from a panel of clients", Label: "standard error of the training loss", Unit: "loss", Better: metric.LowerIsBetter, Level: metric.OfRun, Course: metric.State}
	accuracyError = metric.Metric{Name: "accuracy.test.error", Summary: "standard error of accuracy.test, where it is estimated from a panel of clients", Label: "standard error of the test accuracy", Unit: metric.Share, Better: metric.LowerIsBetter, Level: metric.OfRun, Course: metric.State}
)

// populationMetrics lists the metrics that runs of a population record beside others.
func populationMetrics() metric.List {
	return metric.List{uniqueClients, mostVisits, lossError, accuracyError}
}

// errorsOf returns the standard errors of what a panel estimates; none where nothing is estimated.
func errorsOf(data *problems.Divided) (list []gauge.Evaluation) {
	e := data.Estimates
	if e == nil {
		return nil
	}
	of := func(m metric.Metric, value func([]float64) float64) {
		list = append(list, gauge.Evaluation{Metric: m, Of: func(x []float64) (float64, error) { return value(x), nil }})
	}
	if of(lossError, e.Loss); e.Accuracy != nil {
		of(accuracyError, e.Accuracy)
	}
	return list
}

// notePopulation notes the seats and the panel.
func (p *plan) notePopulation(r *study.Remarks) {
	if p.seats == nil {
		return
	}
	switch of := &p.common.Participation; {
	case of.ChecksIn():
		p.noteCheckIn(r)
	case p.paced():
		r.Add("population", "a run holds %d seats for the clients at work and in the buffer, and draws the data of a client when it reports", p.seats.Count)
	case of.Lists():
		r.Add("population", "a run holds %d seats for the clients of a round, and draws the data of a client when it takes part", p.seats.Count)
	case of.Cohort == nil:
		r.Add("population", "the server draws the clients of a round from the seed; a run holds %d seats for them, which a round exceeds with a chance of 2^-100 at most, and draws the data of a client when it takes part", p.seats.Count)
	default:
		r.Add("population", "the server draws %d clients a round from the seed, without replacement; a run holds %d seats for them, and draws the data of a client when it takes part", *of.Cohort, p.seats.Count)
		p.noteCohort(r)
	}
	if p.remembers() {
		r.Add("states", "a client that comes again has one seat in all of its rounds, which keeps its state from its first round to its last: about %.3g states of %d bytes", p.returning(p.file.Horizon), p.stateBytes())
	}
	values, errors := "loss.train, accuracy.test and other values", "loss.train.error and accuracy.test.error are standard errors"
	if !p.corpus.PanelTests {
		values, errors = "loss.train and other values", "loss.train.error is its standard error"
	}
	r.Add("panel", "%s over the data of clients are means over a panel of %d clients of %d, drawn from the seed; %s", values, p.panel(), p.file.Nodes, errors)
}

// noteCohort notes the account of a fixed number of clients a round.
func (p *plan) noteCohort(r *study.Remarks) {
	switch {
	case !p.private(), p.clientsPay():
	case p.zeroed():
		r.Add("cohort", "the account is for the vectors of a client or zeros in their place, and counts on no chance: another client would take its place, and the rounds of others would change")
	default:
		r.Add("cohort", "a client is in a round with a chance of %.6g, also to one that knows that it is not in it, and another takes its place where it is removed: each round pays as a Poisson sample at that rate with half the noise", p.sampled())
	}
}
