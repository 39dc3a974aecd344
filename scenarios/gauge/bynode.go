package gauge

import "starling/messages"

// ByNode is a number of each of some participants, by point: the newest at that point. It is
// safe for concurrent use for different participants until the run is over.
type ByNode struct {
	at  []latest  // by point, then by participant
	now []float64 // by participant, at the point of the rows; 0 before the first
}

// latest is a number, if there is a new one.
type latest struct {
	value float64
	set   bool
}

// NewByNode returns n numbers at each of so many points.
func NewByNode(points, n int) ByNode {
	return ByNode{at: make([]latest, points*n), now: make([]float64, n)}
}

// Put notes the number of participant i, from 0.
func (b *ByNode) Put(point, i int, value float64) {
	b.at[point*len(b.now)+i] = latest{value, true}
}

// Carry implements Carrier.
func (b *ByNode) Carry(point int) {
	if point == 0 {
		clear(b.now)
	}
	for i := range b.now {
		if l := b.at[point*len(b.now)+i]; l.set {
			b.now[i] = l.value
		}
	}
}

// Now returns the numbers at the point of the rows, by participant; read only.
func (b *ByNode) Now() []float64 { return b.now }

// Sum returns the sum of the numbers, in the order of the participants.
func (b *ByNode) Sum() (sum float64) {
	for _, v := range b.now {
		sum += v
	}
	return sum
}

// State goes through the numbers.
func (b *ByNode) State(c *messages.Codec) {
	messages.Each(c, "at", b.at, func(l *latest) { l.state(c) })
}

func (l *latest) state(c *messages.Codec) {
	c.Float("value", &l.value)
	c.Bool("set", &l.set)
}
