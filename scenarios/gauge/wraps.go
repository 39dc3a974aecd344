package gauge

import (
	"fmt"

	"starling/messages"
)

// Wraps follows the share of the entries of sums that wrapped round a modulus, which one
// machine records in each round. It records no metric.
type Wraps struct {
	Quantity string
	rounds   int
	hit      int     // rounds in which entries wrapped round
	total    float64 // sum of the shares of all rounds
}

// Begin implements Gauge.
func (w *Wraps) Begin(*Span) []Column { return nil }

// Listens implements Listening.
func (w *Wraps) Listens(quantity string) bool { return quantity == w.Quantity }

// Recorded implements Quantities.
func (w *Wraps) Recorded(_ messages.NodeID, _ At, quantity string, value float64) {
	if quantity != w.Quantity {
		return
	}
	w.total += value
	if w.rounds++; value > 0 {
		w.hit++
	}
}

// Wrapped returns a text on the share of the entries that wrapped round; empty if none did.
func (w *Wraps) Wrapped() string {
	if w.hit == 0 {
		return ""
	}
	share := 100 * w.total / float64(w.rounds)
	digits := 2
	if share >= 99.5 { // or 100 is 1e+02
		digits = 3
	}
	return fmt.Sprintf("%.*g %% of the entries of sums wrapped round, in %d of %d rounds: what was learned there is off by multiples of the modulus", digits, share, w.hit, w.rounds)
}

// State implements Gauge.
func (w *Wraps) State(c *messages.Codec) {
	c.Int("rounds", &w.rounds)
	c.Int("hit", &w.hit)
	c.Float("total", &w.total)
}
