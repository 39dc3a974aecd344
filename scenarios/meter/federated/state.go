package federated

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"starling/messages"
)

// counters lists every counter of the meter, in the order of its state.
func (m *Meter) counters(visit func(*atomic.Int64)) {
	for i := range m.rounds {
		visit(&m.rounds[i].samples)
		visit(&m.rounds[i].correct)
	}
	for point := range m.Points {
		visit(&m.tests[point].samples)
		visit(&m.tests[point].correct)
		c := &m.counted[point]
		visit(&c.decisions)
		visit(&c.gradients)
		visit(&c.clipped)
		visit(&c.messages)
		visit(&c.bytes)
	}
	m.fates.Counters(visit)
}

// AppendState appends all that the meter has taken in. It must not be called
// while the meter is.
func (m *Meter) AppendState(dst []byte) []byte {
	for i := range m.learners {
		dst = messages.AppendFloats(dst, m.learners[i].loss)
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(m.left)))
	dst = messages.AppendFloats(dst, m.left...)
	dst = messages.AppendFloats(dst, m.loss...)
	dst = messages.AppendFloats(dst, m.noise...)
	m.counters(func(c *atomic.Int64) { dst = messages.AppendInt(dst, int(c.Load())) })
	return m.AppendStops(m.spending.AppendState(dst))
}

// RestoreState sets a new meter to what AppendState wrote of one with the same
// options. An error leaves the meter unusable.
func (m *Meter) RestoreState(src []byte) error {
	r := messages.NewReader(src)
	for i := range m.learners {
		m.learners[i].loss = r.Float()
	}
	if n := r.Length(8); n > 0 {
		m.left = make([]float64, n)
		r.Floats(m.left)
	}
	r.Floats(m.loss)
	r.Floats(m.noise)
	m.counters(func(c *atomic.Int64) { c.Store(int64(r.Int())) })
	m.spending.RestoreState(r)
	m.ReadStops(r)
	if err := r.End(); err != nil {
		return fmt.Errorf("federated meter: %w", err)
	}
	return nil
}
