package gauge

import "starling/messages"

// Handing is a Gauge that takes in the actions of participants in their own process. It is
// handed over when the coordinator of a spread run needs it: at pauses and at the end. Its
// data of a participant belong to that participant alone, or are counts.
type Handing interface {
	Gauge
	// Hand goes through the gauge's data of participants, each of which is in one process, and
	// through its counts since the last handover. A gauge that is written counts from 0 again,
	// and one that reads adds the counts that it reads.
	Hand(c *messages.Codec, nodes []messages.NodeID)
}

// handing are the gauges of a meter that are handed over, by the calls that they get.
type handing struct {
	gauges     []Handing
	decisions  []Decisions
	quantities []Quantities
}

// Divide marks the meter as one of several of a run: of a process that has some of the
// participants, or the coordinator's, which has none. Gauges that are handed over get from
// then on the calls of PlayedHere and RecordedHere, and no others before the run is over.
func (m *Meter) Divide(participants bool) {
	m.telling.mu.Lock()
	m.divided = true
	m.telling.mu.Unlock()
	var decisions []Decisions
	for _, d := range m.decisions {
		if _, ok := d.(Handing); ok {
			m.here.decisions = append(m.here.decisions, d)
		} else {
			decisions = append(decisions, d)
		}
	}
	var quantities []Quantities
	for _, q := range m.quantities {
		if _, ok := q.(Handing); ok {
			m.here.quantities = append(m.here.quantities, q)
		} else {
			quantities = append(quantities, q)
		}
	}
	m.decisions, m.quantities = decisions, quantities
	m.here.gauges = nil
	for _, g := range m.gauges {
		if h, ok := g.(Handing); ok {
			m.here.gauges = append(m.here.gauges, h)
		}
	}
	if participants {
		messages.Write(nil, messages.StateFunc(func(c *messages.Codec) { m.Hand(c, nil) })) // the coordinator has the counts
	}
}

// PlayedHere is Played for the gauges that are handed over.
func (m *Meter) PlayedHere(node messages.NodeID, step int, x []float64) {
	if len(m.here.decisions) == 0 {
		return
	}
	at := m.at(step)
	for _, g := range m.here.decisions {
		g.Played(node, at, x)
	}
}

// RecordedHere is Recorded for the gauges that are handed over.
func (m *Meter) RecordedHere(node messages.NodeID, step int, quantity string, value float64) {
	if len(m.here.quantities) == 0 {
		return
	}
	at := m.at(step)
	for _, g := range m.here.quantities {
		g.Recorded(node, at, quantity, value)
	}
}

// Hand goes through the data of participants in the gauges that are handed over; see Handing.
func (m *Meter) Hand(c *messages.Codec, nodes []messages.NodeID) {
	for i, g := range m.here.gauges {
		c.Enter("gauge", i)
		g.Hand(c, nodes)
		c.Leave()
	}
}

// Hand goes through the counts; see Handing.
func (c Counter) Hand(codec *messages.Codec, name string) {
	for i := range c {
		var n int64
		if !codec.Reading() {
			n = c[i].Swap(0)
		}
		if messages.Integer(codec, name, &n); codec.Reading() && !codec.Failed() {
			c[i].Add(n)
		}
	}
}

// Hand goes through the numbers of a participant; see Handing.
func (b *ByNode) Hand(c *messages.Codec, i int) {
	for at := i; at < len(b.at); at += len(b.now) {
		b.at[at].state(c)
	}
}
