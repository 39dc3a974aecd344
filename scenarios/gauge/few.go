package gauge

import (
	"fmt"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/messages"
)

// BelowQuorum counts the times that fewer vectors were heard than a rule against lies takes. The rule
// then holds out against fewer liars than its options say. It records no metric.
type BelowQuorum struct {
	// Takes is the number of vectors that the rule takes.
	Takes int
	times atomic.Int64
	// missing is the largest number that were missing at once.
	missing atomic.Int64
}

// Begin implements Gauge.
func (f *BelowQuorum) Begin(*Span) []Column { return nil }

// Listens implements Listening.
func (f *BelowQuorum) Listens(quantity string) bool { return quantity == algorithm.QuantityFew }

// Recorded implements Quantities.
func (f *BelowQuorum) Recorded(_ messages.NodeID, _ At, quantity string, value float64) {
	if quantity != algorithm.QuantityFew {
		return
	}
	f.times.Add(1)
	missing := int64(f.Takes) - int64(value)
	for most := f.missing.Load(); missing > most && !f.missing.CompareAndSwap(most, missing); {
		most = f.missing.Load()
	}
}

// Shortage returns a text on how often too few were heard; empty if that never happened.
func (f *BelowQuorum) Shortage() string {
	if f.times.Load() == 0 {
		return ""
	}
	return fmt.Sprintf("%d times fewer than the %d vectors were heard that combine takes, as few as %d: it then holds out against fewer Byzantine nodes", f.times.Load(), f.Takes, int64(f.Takes)-f.missing.Load())
}

// State implements Gauge.
func (f *BelowQuorum) State(c *messages.Codec) {
	c.Count("times", &f.times)
	c.Count("missing", &f.missing)
}
