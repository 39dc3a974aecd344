package meter

import (
	"errors"
	"fmt"

	"starling/messages"
)

// AppendState appends all that the meter has taken in. It must not be called
// while the meter is.
func (m *Meter) AppendState(dst []byte) []byte {
	for k := range m.running {
		dst = messages.AppendFloats(dst, m.running[k].inner)
		dst = messages.AppendFloats(dst, m.running[k].gradient...)
		dst = messages.AppendInt(dst, int(m.kept[k]))
		for point := range int(m.kept[k]) {
			dst = messages.AppendFloats(dst, m.linearAt(point, k)...)
		}
	}
	dst = m.spending.AppendState(dst)
	for point := range m.Points {
		dst = messages.AppendInt(dst, int(m.messages[point].Load()))
		dst = messages.AppendInt(dst, int(m.bytes[point].Load()))
		dst = messages.AppendInt(dst, int(m.lost[point].Load()))
		dst = messages.AppendInt(dst, int(m.late[point].Load()))
		dst = messages.AppendInt(dst, int(m.dropped[point].Load()))
		dst = messages.AppendInt(dst, int(m.queued[point].Load()))
		dst = messages.AppendFloats(dst, m.spread[point].consensus, m.spread[point].target)
	}
	for point := range m.moves {
		dst = m.moves[point].appendState(dst)
	}
	dst = m.appendDecisions(dst)
	return m.AppendStops(dst)
}

// appendDecisions appends the points whose decisions are not all there: those
// of nodes that ended their part never come.
func (m *Meter) appendDecisions(dst []byte) []byte {
	open := 0
	for _, d := range m.decisions {
		if d != nil {
			open++
		}
	}
	dst = messages.AppendInt(dst, open)
	for point, d := range m.decisions {
		if d != nil {
			dst = messages.AppendInt(dst, point)
			dst = messages.AppendInt(dst, int(d.count.Load()))
			dst = messages.AppendFloats(dst, d.x...)
		}
	}
	return dst
}

// RestoreState sets a new meter to what AppendState wrote of one with the same
// options. An error leaves the meter unusable.
func (m *Meter) RestoreState(src []byte) error {
	r := messages.NewReader(src)
	for k := range m.running {
		m.running[k].inner = r.Float()
		r.Floats(m.running[k].gradient)
		kept := r.Int()
		if kept < 0 || kept > len(m.Points) {
			return fmt.Errorf("meter: %d points of %d are noted", kept, len(m.Points))
		}
		m.kept[k] = int32(kept)
		for point := range kept {
			r.Floats(m.linearAt(point, k))
		}
	}
	m.spending.RestoreState(r)
	for point := range m.Points {
		m.messages[point].Store(int64(r.Int()))
		m.bytes[point].Store(int64(r.Int()))
		m.lost[point].Store(int64(r.Int()))
		m.late[point].Store(int64(r.Int()))
		m.dropped[point].Store(int64(r.Int()))
		m.queued[point].Store(int64(r.Int()))
		m.spread[point] = spread{consensus: r.Float(), target: r.Float()}
	}
	for point := range m.moves {
		m.moves[point].restore(r)
	}
	if err := m.readDecisions(r); err != nil {
		return err
	}
	m.ReadStops(r)
	if err := r.End(); err != nil {
		return fmt.Errorf("meter: %w", err)
	}
	return nil
}

func (m *Meter) readDecisions(r *messages.Reader) error {
	for range r.Int() {
		point, count := r.Int(), r.Int()
		if r.Err() != nil {
			return fmt.Errorf("meter: %w", r.Err())
		}
		if point < 0 || point >= len(m.Points) || count < 0 || count >= m.Nodes {
			return errors.New("meter: decisions of a point that the run does not have")
		}
		d := m.decisionsAt(point)
		d.count.Store(int64(count))
		r.Floats(d.x)
	}
	return nil
}

// AppendBinary appends the part.
func (p Part) AppendBinary(dst []byte) []byte {
	dst = messages.AppendInt(dst, len(p.linear))
	return messages.AppendFloats(dst, p.linear...)
}

// PartLength is how many numbers the part of a run has.
func (o Options) PartLength() int { return len(o.Points) * len(o.Measured) * (o.Problem.Dim() + 1) }

// ReadPart reads a part of that many numbers, as AppendBinary wrote it.
func ReadPart(r *messages.Reader, length int) Part {
	if n := r.Int(); r.Err() == nil && n != length {
		r.Fail(fmt.Errorf("part of %d numbers, want %d", n, length))
	}
	if r.Err() != nil {
		return Part{}
	}
	p := Part{linear: make([]float64, length)}
	r.Floats(p.linear)
	return p
}
