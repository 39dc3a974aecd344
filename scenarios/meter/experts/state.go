package experts

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"starling/messages"
	"starling/scenarios/meter"
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
	dst = messages.AppendInt(dst, len(m.stopped))
	for _, s := range m.stopped {
		dst = messages.AppendInt(dst, int(s.Node))
		dst = messages.AppendInt(dst, s.Step)
		dst = messages.AppendFramed(dst, func(dst []byte) []byte { return append(dst, s.Reason...) })
	}
	return dst
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
	for range r.Int() {
		s := meter.Stop{Node: messages.NodeID(r.Int()), Step: r.Int(), Reason: string(r.Framed())}
		if r.Err() != nil {
			break
		}
		m.stopped = append(m.stopped, s)
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("experts meter: %w", err)
	}
	return nil
}
