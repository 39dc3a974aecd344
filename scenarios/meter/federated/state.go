package federated

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"starling/mechanisms/accountant"
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
		l := &m.learners[i]
		dst = messages.AppendFloats(dst, l.loss, l.spent.Epsilon, l.spent.Delta, l.spent.Rho)
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(m.left)))
	dst = messages.AppendFloats(dst, m.left...)
	dst = messages.AppendFloats(dst, m.loss...)
	dst = messages.AppendFloats(dst, m.noise...)
	m.counters(func(c *atomic.Int64) { dst = messages.AppendInt(dst, int(c.Load())) })
	for point := range m.spent {
		s := &m.spent[point]
		dst = binary.LittleEndian.AppendUint64(dst, s.epsilon.Load())
		dst = binary.LittleEndian.AppendUint64(dst, s.delta.Load())
		dst = binary.LittleEndian.AppendUint64(dst, s.rho.Load())
	}
	return m.AppendStops(dst)
}

// RestoreState sets a new meter to what AppendState wrote of one with the same
// options. An error leaves the meter unusable.
func (m *Meter) RestoreState(src []byte) error {
	r := messages.NewReader(src)
	for i := range m.learners {
		l := &m.learners[i]
		l.loss = r.Float()
		l.spent = accountant.Loss{Epsilon: r.Float(), Delta: r.Float(), Rho: r.Float()}
	}
	if n := r.Length(8); n > 0 {
		m.left = make([]float64, n)
		r.Floats(m.left)
	}
	r.Floats(m.loss)
	r.Floats(m.noise)
	m.counters(func(c *atomic.Int64) { c.Store(int64(r.Int())) })
	for point := range m.spent {
		s := &m.spent[point]
		s.epsilon.Store(r.Uint64())
		s.delta.Store(r.Uint64())
		s.rho.Store(r.Uint64())
	}
	m.ReadStops(r)
	if err := r.End(); err != nil {
		return fmt.Errorf("federated meter: %w", err)
	}
	return nil
}
