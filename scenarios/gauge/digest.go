package gauge

import "starling/messages"

// Digesting is a Gauge that first reduces a decision to a few numbers. The two steps can be in
// different processes: the numbers cross then, and not the decision.
type Digesting interface {
	Decisions
	// Digest appends the numbers that the gauge needs of a decision: a function of its
	// arguments. It is called like Played, for different nodes concurrently.
	Digest(dst []float64, node messages.NodeID, at At, x []float64) []float64
	// Take takes in those numbers. Digest and Take together are Played.
	Take(node messages.NodeID, at At, numbers []float64)
}

// Listening is a Gauge that names the quantities of machines that it takes in.
type Listening interface {
	Quantities
	// Listens reports whether it takes in a quantity.
	Listens(quantity string) bool
}

// Listens reports whether the meter takes in a quantity that machines record.
func (m *Meter) Listens(quantity string) bool {
	for _, g := range m.quantities {
		if l, ok := g.(Listening); !ok || l.Listens(quantity) {
			return true
		}
	}
	return false
}

// heeds reports whether a gauge takes in the decisions of a step.
func heeds(g Decisions, at At) bool {
	s, ok := g.(Selective)
	return !ok || s.Heeds(at)
}

// Heeds reports whether the meter takes in the decisions of a step. whole is true if it needs
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

// Digest appends the digest of a decision in a step for which no gauge needs it whole: for
// each gauge the count of its numbers, and the numbers.
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

// PlayedDigest is Played for the digest of a decision. It returns false if Digest did not make
// the digest.
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
