package meter

import (
	"sync/atomic"

	"starling/messages"
)

// Sending is the part of a meter that knows the points of a run, and counts what is sent.
// It is safe for concurrent use until the run is over.
type Sending struct {
	points []int
	first  int
	at     []int32 // by step from the first: the first point at or after it
	sent   []sent  // by point: since the point before
	// so is what was sent in the first points, as many as it counts; it belongs to whoever
	// asks, when the run is over.
	so sum
}

type sum struct {
	points          int
	messages, bytes int64
}

type sent struct{ messages, bytes atomic.Int64 }

// NewSending returns the part of a meter of points that CheckPoints has passed.
func NewSending(first int, points []int) Sending {
	s := Sending{points: points, first: first, at: make([]int32, points[len(points)-1]-first+1), sent: make([]sent, len(points))}
	for offset, point := 0, 0; offset < len(s.at); offset++ {
		if points[point] < first+offset {
			point++
		}
		s.at[offset] = int32(point)
	}
	return s
}

// At returns the first point at or after a step, and whether it is that step.
func (s *Sending) At(step int) (point int, exact bool) {
	point = int(s.at[step-s.first])
	return point, s.points[point] == step
}

// Sent implements algorithm.Meter.
func (s *Sending) Sent(step int, messages, bytes int64) {
	point, _ := s.At(step)
	s.sent[point].messages.Add(messages)
	s.sent[point].bytes.Add(bytes)
}

// SentBy is what was sent up to a point. The run must be over; points are best asked for
// in their order.
func (s *Sending) SentBy(point int) (messages, bytes float64) {
	if point+1 < s.so.points {
		s.so = sum{}
	}
	for ; s.so.points <= point; s.so.points++ {
		s.so.messages += s.sent[s.so.points].messages.Load()
		s.so.bytes += s.sent[s.so.points].bytes.Load()
	}
	return float64(s.so.messages), float64(s.so.bytes)
}

// State goes through what was sent.
func (s *Sending) State(c *messages.Codec) {
	messages.Each(c, "sent", s.sent, func(at *sent) {
		c.Count("messages", &at.messages)
		c.Count("bytes", &at.bytes)
	})
}
