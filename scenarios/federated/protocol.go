package federated

import (
	"fmt"

	"starling/scenarios/cache"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
)

// Arms that differ in noise or in rates, and in nothing that clients wait for, admit the same clients in a seed:
// the protocol of a seed is then run once for all of them.

// protocol is a run of the protocol by which clients check in: the clients of rounds and their times. It is
// immutable.
type protocol struct {
	come *aggregation.Attendees
	line *aggregation.Timeline
}

// protocolKey has all that a protocol depends on. Files of traces do not change during a study.
type protocolKey struct {
	seed                 uint64
	clock                string // the text of its section
	clients, rounds      int
	groups, apart, times int     // times is 0 without a limit
	down, up, steps      int     // bytes of messages, and local steps
	batch                float64 // samples of a local step
}

// protocolKey is the key of the protocol of a seed. It is not ok where the clients of rounds get seats for their
// states, which change the lists, or where effort depends on more than the key has.
func (p *plan) protocolKey(seed uint64) (key protocolKey, ok bool) {
	of, clock := &p.common.Participation, p.at.Clock
	if !of.ChecksIn() || p.remembers() || p.common.Stragglers != nil || p.arm.Delays != nil || p.at.Steps.Sizes != nil {
		return key, false
	}
	section, ok := p.file.Doc.Find("clock")
	if !ok {
		return key, false
	}
	key = protocolKey{
		seed: seed, clock: section.Text(), clients: p.at.Clients, rounds: p.at.Horizon + 1, groups: of.Groups, apart: of.Apart,
		down: clock.Down, up: clock.Up, steps: p.common.Local.Tau, batch: p.at.Steps.Expected(0),
	}
	if of.Times != nil {
		key.times = *of.Times
	}
	return key, true
}

// attending lists the protocol of a seed as a value that jobs share. A job without it has a list of its own.
func (p *plan) attending(seed uint64) []cache.Need {
	key, ok := p.protocolKey(seed)
	if !ok {
		return nil
	}
	size := int64(p.participations())
	return []cache.Need{{Key: key, Bytes: size, Own: size}}
}

// admit admits the clients of the rounds of a seed, and of the round after the last.
func (p *plan) admit(seed uint64) error {
	if of := p.file.Clock.Availability; of != nil {
		p.there = of.Draw(seed, p.traces)
	}
	run := func() (protocol, error) {
		come, line, err := p.common.Participation.Admit(seed, p.at.Clients, p.at.Horizon+1, p.there, p.at.Effort)
		return protocol{come, line}, err
	}
	var of protocol
	var kept bool
	var err error
	if key, ok := p.protocolKey(seed); ok {
		of, kept, err = cache.Get(p.arm.Cache, key, run)
	}
	if !kept {
		of, err = run()
	}
	if err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	p.at.Seats = &machine.Seats{Count: p.at.Seats.Count, Attendees: of.come, Timeline: of.line, Powered: p.at.Clock.Powered}
	p.at.Arrivals = of.line.Arrivals
	return p.seat(seed)
}
