package gauge

import "starling/messages"

// Digesting is a Gauge that makes a few numbers of a decision first. The two steps can be in
// different processes: what crosses then is the numbers, and not the decision.
type Digesting interface {
	Decisions
	// Digest appends what the gauge takes in of a decision: a function of its arguments. It is
	// called like Played, for different nodes concurrently.
	Digest(dst []float64, node messages.NodeID, at At, x []float64) []float64
	// Take takes in those numbers. Digest and Take together are Played.
	Take(node messages.NodeID, at At, numbers []float64)
}

// Listening is a Gauge that says what it takes in of what machines record.
type Listening interface {
	Quantities
	// Listens tells whether it takes in a quantity.
	Listens(quantity string) bool
}

// Listens tells whether the meter takes in what machines record under a name.
func (m *Meter) Listens(quantity string) bool {
	for _, g := range m.quantities {
		if l, ok := g.(Listening); !ok || l.Listens(quantity) {
			return true
		}
	}
	return false
}

// heeds tells whether a gauge takes in the decisions of a step.
func heeds(g Decisions, at At) bool {
	s, ok := g.(Selective)
	return !ok || s.Heeds(at)
}

// Heeds tells whether the meter takes in the decisions of a step, and whether it has to have
// them whole, for a gauge that makes no digests or for participants that play on.
func (m *Meter) Heeds(step int) (some, whole bool) {
	at := m.at(step)
	some, whole = m.last != nil, m.last != nil
	for _, g := range m.decisions {
		if heeds(g, at) {
			_, digests := g.(Digesting)
			some, whole = true, whole || !digests
		}
	}
	return some, whole
}

// Digest appends what the gauges of a step that has to have no decision whole take in of one:
// for each of them how many numbers, and the numbers.
func (m *Meter) Digest(dst []float64, node messages.NodeID, step int, x []float64) []float64 {
	at := m.at(step)
	for _, g := range m.decisions {
		if !heeds(g, at) {
			continue
		}
		place := len(dst)
		dst = g.(Digesting).Digest(append(dst, 0), node, at, x)
		dst[place] = float64(len(dst) - place - 1)
	}
	return dst
}

// PlayedDigest is Played for what Digest made of a decision. It reports false of what Digest
// has not made.
func (m *Meter) PlayedDigest(node messages.NodeID, step int, digest []float64) bool {
	at := m.at(step)
	for _, g := range m.decisions {
		if !heeds(g, at) {
			continue
		}
		d, ok := g.(Digesting)
		if !ok || len(digest) == 0 || !(digest[0] >= 0 && int(digest[0]) < len(digest)) {
			return false
		}
		count := int(digest[0])
		d.Take(node, at, digest[1:1+count])
		digest = digest[1+count:]
	}
	return len(digest) == 0
}
