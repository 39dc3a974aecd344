package dpfl

import (
	"errors"
	"fmt"
	"sync/atomic"

	"starling/messages"
)

// AppendState appends all that the meter has taken in. It must not be called
// while the meter is.
func (m *Meter) AppendState(dst []byte) []byte {
	for i := range m.clients {
		dst = appendClient(dst, &m.clients[i])
	}
	for i := range m.at {
		dst = append(dst, flag(m.at[i].set))
		dst = appendClient(dst, &m.at[i].client)
	}
	for i := range m.rounds {
		r := &m.rounds[i]
		dst = messages.AppendFloats(dst, r.accuracy, r.loss, r.tau, r.rounds)
		dst = appendText(dst, text(r.failed))
		c := &m.counted[i]
		dst = messages.AppendInt(messages.AppendInt(dst, int(c.messages.Load())), int(c.bytes.Load()))
	}
	m.fates.Counters(func(c *atomic.Int64) { dst = messages.AppendInt(dst, int(c.Load())) })
	dst = messages.AppendInt(messages.AppendFloats(dst, m.last...), m.ended)
	dst = messages.AppendInt(dst, len(m.chosen))
	dst = messages.AppendFloats(messages.AppendFloats(dst, m.chosen...), m.free...)
	dst = messages.AppendFloats(messages.AppendInt(dst, m.done), m.statistics.Rho, m.statistics.Beta, m.statistics.Xi)
	return m.AppendStops(m.spending.AppendState(m.local.AppendState(dst)))
}

// RestoreState sets a new meter to what AppendState wrote of one with the same
// options. An error leaves the meter unusable.
func (m *Meter) RestoreState(src []byte) error {
	r := messages.NewReader(src)
	for i := range m.clients {
		m.clients[i] = readClient(r)
	}
	for i := range m.at {
		m.at[i].set = r.Byte() != 0
		m.at[i].client = readClient(r)
	}
	for i := range m.rounds {
		m.rounds[i] = round{accuracy: r.Float(), loss: r.Float(), tau: r.Float(), rounds: r.Float()}
		if failed := string(r.Framed()); failed != "" {
			m.rounds[i].failed = errors.New(failed)
		}
		m.counted[i].messages.Store(int64(r.Int()))
		m.counted[i].bytes.Store(int64(r.Int()))
	}
	m.fates.Counters(func(c *atomic.Int64) { c.Store(int64(r.Int())) })
	r.Floats(m.last)
	m.ended = r.Int()
	if n := r.Int(); n > 0 && n <= m.Rounds && r.Err() == nil {
		m.chosen, m.free = make([]float64, n), make([]float64, n)
		r.Floats(m.chosen)
		r.Floats(m.free)
	}
	m.done, m.statistics = r.Int(), Statistics{Rho: r.Float(), Beta: r.Float(), Xi: r.Float()}
	m.local.RestoreState(r)
	m.spending.RestoreState(r)
	m.ReadStops(r)
	if err := r.End(); err != nil {
		return fmt.Errorf("dpfl meter: %w", err)
	}
	return nil
}

func appendClient(dst []byte, c *client) []byte {
	return messages.AppendInt(messages.AppendFloats(dst, c.clip), c.rated)
}

func readClient(r *messages.Reader) (c client) {
	c.clip = r.Float()
	c.rated = r.Int()
	return c
}

func appendText(dst []byte, s string) []byte {
	return messages.AppendFramed(dst, func(dst []byte) []byte { return append(dst, s...) })
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}
