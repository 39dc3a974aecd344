package topology

import (
	"fmt"
	"math"

	"starling/actors/option"
)

// Cycle shows sequences in turn, each for some steps. Every part goes on in the
// time of the whole: at step t the one that is shown shows its graph of step t.
// Build it with NewCycle.
type Cycle struct {
	parts []Sequence
	every int
}

// NewCycle returns the sequence that shows the parts for every steps each, in
// order, again and again; every is at least 1, there is at least one part, and
// all have as many nodes. Parts that are drawn are best given seeds of their own
// (PartSeed). The list is copied.
func NewCycle(every int, parts ...Sequence) (*Cycle, error) {
	if err := atLeast("every", every, 1); err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, option.Errorf("parts", "no parts, want at least one")
	}
	for k, p := range parts {
		if want := parts[0].Nodes(); p.Nodes() != want {
			return nil, option.Errorf(fmt.Sprintf("parts[%d]", k), "part %d has %d nodes, part 1 has %d", k+1, p.Nodes(), want)
		}
	}
	return &Cycle{parts: append([]Sequence(nil), parts...), every: every}, nil
}

// shown returns the position of the part of a step.
func (c *Cycle) shown(step int) int { return step / c.every % len(c.parts) }

// Nodes implements Sequence.
func (c *Cycle) Nodes() int { return c.parts[0].Nodes() }

// At implements Sequence.
func (c *Cycle) At(step int) *Graph { return c.parts[c.shown(step)].At(step) }

// GraphAt implements Failing.
func (c *Cycle) GraphAt(step int) (*Graph, error) { return GraphAt(c.parts[c.shown(step)], step) }

// weightedAt implements drafts.
func (c *Cycle) weightedAt(step int, w Weighting) (*Graph, error) {
	return weightedGraph(c.parts[c.shown(step)], step, w)
}

// Epoch implements Sequence: it numbers the pairs of a part and an epoch of it.
func (c *Cycle) Epoch(step int) int {
	k := c.shown(step)
	return c.parts[k].Epoch(step)*len(c.parts) + k
}

// Period implements Sequence: the least common multiple of the cycle and the
// periods of its parts, if all have one and it is at most 2^31.
func (c *Cycle) Period() (int, bool) {
	if c.every > math.MaxInt32/len(c.parts) {
		return 0, false // and the product may overflow
	}
	period := c.every * len(c.parts)
	for _, p := range c.parts {
		q, ok := p.Period()
		if !ok || period > math.MaxInt32 || q > math.MaxInt32 {
			return 0, false
		}
		period = period / gcd(period, q) * q
	}
	return period, period <= math.MaxInt32
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
