package federated

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/study"
)

// Clients that check in choose their rounds themselves, as devices do that are idle: no chance of a server
// is secret, and the account has participations alone. It is of the vectors of a client or zeros in their
// place at the same times, since another client would be admitted in place of one that is not there.

// readCheckIn reads the protocol of clients that check in.
func (p *plan) readCheckIn() (err error) {
	c, of := p.file.Clock, &p.common.Participation
	if !c.ChecksIn() || p.file.Faulty {
		return nil
	}
	var found study.Faults
	if !of.ByServer() {
		found.At("clock.check_in", "the server admits clients, and a run holds those of a round; want algorithm.draw: %s, or leave this out", aggregation.DrawnByServer)
	}
	if _, given := p.file.Algorithm.Get("rate"); given {
		found.At("algorithm.rate", "devices that check in choose when to come, so that no rate of theirs is secret, and none makes privacy better; leave this out, or want clock without check_in")
	}
	if of.Cohort != nil {
		found.At("algorithm.cohort", "the goal of check_in is the number of clients of a round; leave one of the two out")
	}
	if p.common.Level == Record {
		found.At("algorithm.level", "the account of clients that check in is for all that a client sends; want %s", User)
	}
	if p.common.Aggregation != nil {
		found.At("algorithm.aggregation", "the server of clients that check in is trusted; leave this out, or want clock without check_in")
	}
	if p.common.Amplified {
		found.At("algorithm.amplified", "devices that check in choose when to come, and nothing is secret about that; leave this out")
	}
	if s := p.common.Stragglers; s != nil && s.Update == algorithm.UnfinishedDrop {
		found.At("algorithm.stragglers.update", "clients that check in and are late are dropped at the deadline; want partial")
	}
	found.Note(p.refuseLate())
	if len(found) > 0 {
		return found.Err()
	}
	*of, err = of.WithCheckIn(c.CheckIn, p.file.Nodes, p.file.Horizon+1)
	found.Note(p.file.Doc.Resolve("clock.check_in", err).Err())
	found.Note(p.readTraces())
	return found.Err()
}

// readTraces reads the file of the availability of clients, where there is one.
func (p *plan) readTraces() (err error) {
	of := p.file.Clock.Availability
	if section, ok := p.file.Doc.Find("clock.availability"); ok && of != nil {
		p.traces, err = of.Read(p.data, section)
	}
	return err
}

// noteAvailability notes the law by which clients are there.
func (p *plan) noteAvailability(r *study.Remarks) {
	if of := p.file.Clock.Availability; of != nil {
		r.Add("availability", "%s", of)
	}
}

// refuseLate refuses settings that late reports of a later round do not have.
func (p *plan) refuseLate() error {
	var found study.Faults
	refuse := func(refused bool, why string) {
		if refused && p.file.Clock.CheckIn.UsesLate() {
			found.At("clock.check_in.late", "%s; want drop", why)
		}
	}
	refuse(p.remembers(), "the states of clients of "+p.name+" go on from round to round, and not beside one")
	refuse(p.common.Participation.Groups > 1, "groups take turns, and a late report would be in the turn of another")
	refuse(p.combine != nil, "rules that combine vectors have no weights of late ones")
	refuse(p.common.Stragglers != nil, "stragglers are drawn for a round, and late reports are of two")
	return found.Err()
}

// askedAhead is the number of clients with times that are compared with the deadline before a run.
const askedAhead = 1000

// late is the share of clients, of the first ones, that would report after the deadline in the first
// round, and the shortest time of a client.
func (p *plan) late() (share, shortest float64) {
	n, late := min(askedAhead, p.at.Clients), 0
	for client := range n {
		seconds := p.at.Effort(messages.NodeID(client+1), 1).Seconds
		if client == 0 || seconds < shortest {
			shortest = seconds
		}
		if seconds > p.file.Clock.CheckIn.Deadline {
			late++
		}
	}
	return float64(late) / float64(n), shortest
}

// checkDeadline refuses a deadline that no client meets, and warns of one that lets most rounds end with
// fewer reports than the goal.
func (p *plan) checkDeadline(b *study.Builder) error {
	if !p.file.Clock.ChecksIn() {
		return nil
	}
	of := p.file.Clock.CheckIn
	switch share, shortest := p.late(); {
	case share == 1:
		return document.At("clock.check_in.deadline", "the fastest of %d clients takes %.3g s, so that the reports of all are dropped, and every round would be abandoned; want more than %v", min(askedAhead, p.at.Clients), shortest, of.Deadline)
	case float64(of.Places())*(1-share) < float64(of.Goal):
		b.Warn(p.arm, study.Warning{Code: "deadline", Message: fmt.Sprintf("about %.3g %% of clients take longer than the deadline of %v s, and their reports are dropped: of %d clients that are admitted about %.3g report in time, and the goal is %d", 100*share, of.Deadline, of.Places(), float64(of.Places())*(1-share), of.Goal)})
	}
	return nil
}

// Metrics of clients that check in.
var (
	wasted      = metric.Metric{Name: machine.QuantityWasted, Summary: "seconds of work of clients so far whose reports were not used: they were late, or their round was abandoned", Label: "wasted work in seconds", Unit: "seconds", Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true}
	abandoned   = metric.Metric{Name: machine.QuantityAbandoned, Summary: "number of attempts at a round so far that were abandoned for too few reports. Recorded where clients check in", Label: "abandoned rounds so far", Unit: "rounds", Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true}
	lost        = metric.Metric{Name: machine.QuantityLost, Summary: "energy of the work of clients so far whose reports were not used: they were late, or their round was abandoned; in joules", Label: "energy of wasted work in joules", Unit: "joules", Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true}
	apartLeast  = metric.Metric{Name: machine.QuantityApart, Summary: "least number of rounds so far from one round of a client to its next, where clients check in; NaN while no client has come twice", Label: "least rounds apart", Unit: "rounds", Better: metric.HigherIsBetter, Level: metric.OfRun, Cost: true}
	lateReports = metric.Metric{Name: machine.QuantityLate, Summary: "number of reports so far that came after their round and were used in the next. Recorded where clients check in", Label: "late reports so far", Unit: "reports", Level: metric.OfRun, Cost: true}
	fewest      = metric.Metric{Name: machine.QuantityZone, Summary: "reports so far of the time zone with the fewest: its share of all reports, divided by its share of all clients. 1 where clients of all zones report alike, 0 where a zone has no report", Label: "reports of the zone with the fewest", Unit: metric.Share, Better: metric.HigherIsBetter, Level: metric.OfRun, Cost: true}
)

// checkInMetrics lists the metrics that runs of clients that check in may record beside others.
func checkInMetrics() metric.List {
	return metric.List{wasted, lost, abandoned, apartLeast, fewest, lateReports}
}

// recorded lists the metrics of clients that check in that the runs of the plan record.
func (p *plan) recorded() metric.List {
	list := metric.List{wasted, abandoned, apartLeast}
	if p.file.Clock.Powered() {
		list = append(list, lost)
	}
	list = append(list, p.zoneShares()...)
	if p.file.Clock.CheckIn.UsesLate() {
		list = append(list, lateReports)
	}
	return list
}

// zoneShares has the metric of reports by time zone, where clients have zones.
func (p *plan) zoneShares() metric.List {
	if of := p.file.Clock.Availability; of == nil || len(of.Zones) == 0 {
		return nil
	}
	return metric.List{fewest}
}

// checkInGauges are the measurements of runs of clients that check in.
func (p *plan) checkInGauges() (list []gauge.Gauge) {
	for _, m := range p.recorded() {
		list = append(list, &gauge.Latest{Metric: m, Quantity: m.Name})
	}
	return list
}

// noteCheckIn notes the protocol.
func (p *plan) noteCheckIn(r *study.Remarks) {
	r.Add("population", "%s; the mean of a round is the sum divided by the goal; a run holds %d seats, and draws the data of a client when it takes part", p.file.Clock.CheckIn, p.seats.Count)
	p.noteAvailability(r)
	if p.remembers() {
		r.Add("reports", "a client with a report that is not used goes on from its state before")
	}
	if p.private() {
		r.Add("neighbours", "the vectors of a client, or zeros in their place, at the same times: that a client is there at all is not protected, as others are admitted in its place, and no chance of its coming makes privacy better")
	}
}
