package experts

import (
	"encoding/binary"
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
	for i := range m.spent {
		s := &m.spent[i]
		dst = messages.AppendInt(dst, s.step)
		dst = messages.AppendFloats(dst, s.inStep, s.total)
	}
	for i := range m.counted {
		c := &m.counted[i]
		for _, counter := range c.counters() {
			dst = messages.AppendInt(dst, int(counter.Load()))
		}
		dst = binary.LittleEndian.AppendUint64(dst, c.total.bits.Load())
		dst = binary.LittleEndian.AppendUint64(dst, c.inStep.bits.Load())
	}
	return m.AppendStops(dst)
}

// RestoreState sets a new meter to what AppendState wrote of one with the same
// options. An error leaves the meter unusable.
func (m *Meter) RestoreState(src []byte) error {
	r := messages.NewReader(src)
	if m.tally != nil {
		m.tally.RestoreState(r)
	}
	for i := range m.spent {
		s := &m.spent[i]
		s.step, s.inStep, s.total = r.Int(), r.Float(), r.Float()
	}
	for i := range m.counted {
		c := &m.counted[i]
		for _, counter := range c.counters() {
			counter.Store(int64(r.Int()))
		}
		c.total.bits.Store(r.Uint64())
		c.inStep.bits.Store(r.Uint64())
	}
	m.ReadStops(r)
	if err := r.End(); err != nil {
		return fmt.Errorf("experts meter: %w", err)
	}
	return nil
}
