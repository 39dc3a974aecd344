package federated

import (
	"starling/messages"
	"starling/scenarios/federated/machine"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/study"
)

// A clock gives rounds their seconds. Speeds of clients are functions of the seed and the client, and
// a round takes as long as the slowest of its clients.

// clock returns the seconds of rounds under a seed; nil where they have none.
func (p *plan) clock(seed uint64, at *machine.Setting) *machine.Clock {
	if p.file.Clock == nil {
		return nil
	}
	c := &machine.Clock{Speeds: p.file.Clock.Draw(seed).Delayed(p.arm.Delays), Down: bytesOf(at.Said()), Up: bytesOf(at.Sent()), Powered: p.file.Clock.Powered(), Batch: at.Steps.Expected}
	if at.Seats != nil && at.Steps.Sizes == nil { // all clients have one number of samples, and to count them would draw them
		size := at.Steps.Expected(0)
		c.Batch = func(int) float64 { return size }
	}
	return c
}

// bytesOf is the size of a message of so many numbers.
func bytesOf(numbers int) int {
	return (&messages.Vector{Values: make([]float64, numbers)}).WireSize()
}

// checkClock refuses a clock where the slowest client does not set the seconds of a round.
func (p *plan) checkClock(b *study.Builder) error {
	var found study.Faults
	if p.file.Clock == nil {
		return nil
	}
	if p.tiers != nil {
		found.At("clock", "the seconds are those of one server and its clients; leave this out, or want the topology star")
	}
	if p.arm.Effects != nil || p.arm.Wire != nil {
		found.At("network", "the clock has the times of messages, of numbers of 8 bytes, and its latency has their delays in seconds; leave this out, or leave out clock")
	}
	if p.file.Clock.Availability != nil && !p.file.Clock.ChecksIn() && !p.paced() {
		found.At("clock.check_in", "clients with availability choose when to come, and are no sample; want the protocol by which they check in, or leave availability out")
	}
	found.Note(p.checkDeadline(b))
	return found.Err()
}

// elapsed is the time of a run.
var elapsed = gauge.TimeElapsed

// energy is the energy of the clients of a run.
var energy = metric.Metric{
	Name: "energy.total", Summary: "energy of clients so far for their part of rounds, in joules, by the scenario's clock: of all that have begun before the end of the step, used or not", Label: "energy in joules", Unit: "joules",
	Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true,
}

// clockMetrics lists the metrics that runs with a clock may record beside others.
func clockMetrics() metric.List {
	return metric.Join(metric.List{elapsed, energy}, checkInMetrics(), zoneAccuracies, zoneLosses)
}

// timeMetrics lists the metrics that the clock of the plan has recorded.
func (p *plan) timeMetrics() metric.List {
	list := metric.List{elapsed}
	if p.file.Clock.Powered() {
		list = append(list, energy)
	}
	switch {
	case p.file.Clock.ChecksIn():
		list = metric.Join(list, p.recorded(), p.zoneMetrics())
	case p.paced():
		list = metric.Join(list, p.zoneShares(), p.zoneMetrics())
	}
	return list
}

// clockGauges are the measurements of runs with a clock.
func (p *plan) clockGauges() []gauge.Gauge {
	if p.file.Clock == nil {
		return nil
	}
	list := []gauge.Gauge{&gauge.Elapsed{Metric: elapsed, Quantity: machine.QuantitySeconds}}
	if p.file.Clock.Powered() {
		list = append(list, &gauge.Spent{Metric: energy, Quantity: machine.QuantityJoules})
	}
	if p.file.Clock.ChecksIn() {
		return append(list, p.checkInGauges()...)
	}
	for _, m := range p.zoneShares() {
		list = append(list, &gauge.Latest{Metric: m, Quantity: m.Name})
	}
	return list
}

// noteClock notes the laws of the clock.
func (p *plan) noteClock(r *study.Remarks) {
	if d := p.arm.Delays; d != nil && p.file.Clock != nil {
		r.Add("delays", "each message takes %s s beyond the seconds of the clock, drawn for the message", d)
	}
	switch c := p.file.Clock; {
	case c == nil:
	case p.paced():
		r.Add("clock", "a step is taken when the last report of its buffer arrives: %s", c)
	case c.ChecksIn():
		r.Add("clock", "a round takes as long as the last report that it waits for: %s", c)
	default:
		r.Add("clock", "a round takes as long as the slowest of its clients: %s", c)
	}
}
