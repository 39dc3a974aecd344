package experts

import (
	"fmt"
	"sync/atomic"

	"starling/messages"
)

// counters lists every counter of a point, in the order of its state.
func (c *counts) counters() []*atomic.Int64 {
	return []*atomic.Int64{&c.up, &c.down, &c.messages, &c.bytes, &c.switches, &c.before}
}

// AppendState appends all that the meter has taken in. It must not be called
// while the meter is.
func (m *Meter) AppendState(dst []byte) []byte {
	if m.tally != nil {
		dst = m.tally.AppendState(dst)
	}
	for i := range m.counted {
		c := &m.counted[i]
		for _, counter := range c.counters() {
			dst = messages.AppendInt(dst, int(counter.Load()))
		}
	}
	return m.AppendStops(m.spending.AppendState(dst))
}

// RestoreState sets a new meter to what AppendState wrote of one with the same
// options. An error leaves the meter unusable.
func (m *Meter) RestoreState(src []byte) error {
	r := messages.NewReader(src)
	if m.tally != nil {
		m.tally.RestoreState(r)
	}
	for i := range m.counted {
		c := &m.counted[i]
		for _, counter := range c.counters() {
			counter.Store(int64(r.Int()))
		}
	}
	m.spending.RestoreState(r)
	m.ReadStops(r)
	if err := r.End(); err != nil {
		return fmt.Errorf("experts meter: %w", err)
	}
	return nil
}
