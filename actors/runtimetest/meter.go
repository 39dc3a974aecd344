package runtimetest

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// Meter writes down its calls. The book of a node has no lock: the race detector is to see if
// a runtime ever speaks for one node twice at a time.
type Meter struct {
	// Books are by node, in the order of the calls.
	Books [][]string

	mu sync.Mutex
	// sent is by step: messages, bytes.
	sent map[int][2]int64
	// by step: the fates of the messages
	fates map[int]algorithm.Fates
}

// NewMeter returns a meter for n nodes.
func NewMeter(n int) *Meter {
	return &Meter{Books: make([][]string, n), sent: map[int][2]int64{}, fates: map[int]algorithm.Fates{}}
}

// note writes a line into the book of a node.
func (m *Meter) note(node messages.NodeID, format string, args ...any) {
	m.Books[node] = append(m.Books[node], fmt.Sprintf(format, args...))
}

// Played implements algorithm.Meter.
func (m *Meter) Played(node messages.NodeID, step int, x []float64) {
	m.note(node, "step %d played %x", step, x)
}

// Spent implements algorithm.Meter.
func (m *Meter) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	m.note(node, "step %d spent %x", step, messages.Write(nil, &loss))
	return nil
}

// Recorded implements algorithm.Meter.
func (m *Meter) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	m.note(node, "step %d recorded %s = %x", step, quantity, value)
}

// Stopped implements algorithm.Meter.
func (m *Meter) Stopped(node messages.NodeID, step int, reason string) {
	m.note(node, "step %d stopped: %s", step, reason)
}

// Sent implements algorithm.Meter.
func (m *Meter) Sent(step int, messages, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sent[step]
	m.sent[step] = [2]int64{s[0] + messages, s[1] + bytes}
}

// Traffic returns the messages and bytes that each step sent, by step.
func (m *Meter) Traffic() map[int][2]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sent
}

// Fates implements algorithm.NetworkMeter.
func (m *Meter) Fates(step int, f algorithm.Fates) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g := m.fates[step]
	m.fates[step] = algorithm.Fates{
		Late: g.Late + f.Late, Lost: g.Lost + f.Lost, Dropped: g.Dropped + f.Dropped,
		Underway: g.Underway + f.Underway, Queued: g.Queued + f.Queued,
	}
}

// AllFates returns the fates of the messages of each step, by step.
func (m *Meter) AllFates() map[int]algorithm.Fates {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fates
}

// Clone returns a copy. The meter must not be written to meanwhile.
func (m *Meter) Clone() *Meter {
	c := NewMeter(len(m.Books))
	c.Set(m)
	return c
}

// Set makes the meter a copy of another.
func (m *Meter) Set(other *Meter) {
	for i, book := range other.Books {
		m.Books[i] = slices.Clone(book)
	}
	m.sent = maps.Clone(other.sent)
	m.fates = maps.Clone(other.fates)
}

// Silent is a meter that ignores everything and allocates nothing.
type Silent struct{}

// Played implements algorithm.Meter.
func (Silent) Played(messages.NodeID, int, []float64) {}

// Spent implements algorithm.Meter.
func (Silent) Spent(messages.NodeID, int, accountant.Loss) error { return nil }

// Recorded implements algorithm.Meter.
func (Silent) Recorded(messages.NodeID, int, string, float64) {}

// Stopped implements algorithm.Meter.
func (Silent) Stopped(messages.NodeID, int, string) {}

// Sent implements algorithm.Meter.
func (Silent) Sent(int, int64, int64) {}
