package federated

import (
	"fmt"

	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/metric"
	"starling/scenarios/study"
)

// Clients may work at their own pace, by a clock and a concurrency. The clients of a buffer depend on
// the presence of others and on no data, and no chance of it is secret: the account is of the vectors of a
// client or zeros in their place, at the same times, and has participations alone.

// paced reports whether clients work at their own pace.
func (p *parts) paced() bool { return p.buffer != nil && p.buffer.Concurrency != nil }

// readConcurrency reads the rule of clients that work at their own pace.
func (p *plan) readConcurrency() (err error) {
	of, clock := &p.common.Participation, p.file.Clock
	switch {
	case p.file.Faulty || p.buffer == nil:
		return nil
	case !p.paced() && clock != nil:
		return document.At("algorithm", "missing required key %q: with a clock, the clients that are at work at a time; or leave clock out", "concurrency")
	case !p.paced():
		return nil
	case clock == nil:
		return document.At("algorithm.concurrency", "the times of clients at work are those of a clock; want the section clock, or leave this out")
	}
	var found study.Faults
	if clock.ChecksIn() {
		found.At("clock.check_in", "the server waits for a buffer, and not for the clients of a round; leave this out")
	}
	for _, key := range []string{"rate", "rates", "groups", "cohort", "amplified"} {
		if _, given := p.file.Algorithm.Get(key); given {
			found.At("algorithm."+key, "a client begins when it is admitted, so that none has a turn or a secret chance; leave this out: apart and times limit how often a client comes")
		}
	}
	if p.common.Stragglers != nil {
		found.At("algorithm.stragglers", "the clock has the speeds of clients, and a slow one is late; leave this out")
	}
	if p.arm.Adversaries.Silent() {
		found.At("adversaries", "a client that sends nothing fills no buffer; want adversaries that send")
	}
	if most := *p.buffer.Concurrency; most > p.file.Nodes {
		found.At("algorithm.concurrency", "%d clients at work, and there are %d; want at most that", most, p.file.Nodes)
	}
	if len(found) > 0 {
		return found.Err()
	}
	*of, err = of.WithConcurrency(aggregation.Concurrency{Most: *p.buffer.Concurrency, Buffer: p.buffer.Size}, p.file.Nodes, p.file.Horizon)
	found.Note(p.file.Algorithm.Resolve(err))
	found.Note(p.readTraces())
	return found.Err()
}

// arrive lets the clients of a seed work until the last step.
func (p *plan) arrive(seed uint64) error {
	seats := 0
	if p.at.Seats != nil {
		seats = p.at.Seats.Count
	}
	if of := p.file.Clock.Availability; of != nil {
		p.there = of.Draw(seed, p.traces)
	}
	of, err := p.common.Participation.Arrive(seed, p.at.Clients, p.at.Horizon, seats, p.there, p.at.Effort)
	if err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	if p.at.Arrivals = of; p.at.Seats != nil {
		p.at.Seats = &machine.Seats{Count: seats, Attendees: of.Attendees}
	}
	return nil
}

// bufferMetrics lists the metrics of a server with a buffer.
func (p *plan) bufferMetrics() metric.List {
	if p.paced() {
		return machine.PacedMetrics()
	}
	return machine.BufferMetrics()
}

// noteBuffer notes how the server comes to its steps.
func (p *plan) noteBuffer(r *study.Remarks) {
	if !p.paced() {
		r.Add("participation", "the server takes a step when the buffer has vectors of %d clients; a client is in %d buffers at most, and once in each: further vectors are dropped", p.buffer.Size, p.most.Times)
		r.Add("model", "sent to all clients at the end of a round in which the server has taken a step, and in no other")
	} else {
		r.Add("participation", "the server takes a step when the buffer has vectors of %d clients; up to %d clients are at work at a time; a client is in %d buffers at most, at least %d apart", p.buffer.Size, *p.buffer.Concurrency, p.most.Times, p.most.Apart)
		r.Add("model", "sent to a client when it is admitted, in a random order of those that may begin")
		p.noteAvailability(r)
	}
	r.Add("neighbours", "the vectors of a client, or zeros in their place, at the same times: that a client is there at all, and when it is heard of, is not protected, as later buffers depend on it")
}
