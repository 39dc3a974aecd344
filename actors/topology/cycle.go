package topology

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/option"
)

// Cycle shows sequences in turn, each for some steps. Every part goes on in the
// time of the whole: at step t the one that is shown shows its graph of step t.
// Build it with NewCycle or NewPhasedCycle.
type Cycle struct {
	parts  []Sequence
	phases []Phase // the first from step 1 on; a part is shown for Every steps
}

// NewCycle returns the sequence that shows the parts for every steps each, in
// order, again and again; every is at least 1, there is at least one part, and
// all have as many nodes. Parts that are drawn are best given seeds of their own
// (PartSeed). The list is copied.
func NewCycle(every int, parts ...Sequence) (*Cycle, error) {
	if err := atLeast("every", every, 1); err != nil {
		return nil, err
	}
	return NewPhasedCycle([]Phase{{From: 1, Every: every}}, parts...)
}

// NewPhasedCycle is NewCycle with a number of steps that changes: each phase begins with the
// first part and shows a part for its number of steps. The first phase begins in step 1, and
// phases are in order.
func NewPhasedCycle(phases []Phase, parts ...Sequence) (*Cycle, error) {
	if err := checkPhases(phases); err != nil {
		return nil, err
	}
	if len(phases) == 0 || phases[0].From != 1 {
		return nil, option.Errorf("phases", "there is no part to show in step 1; want a phase from 1")
	}
	if len(parts) == 0 {
		return nil, option.Errorf("parts", "no parts, want at least one")
	}
	if err := sameNodes(parts); err != nil {
		return nil, err
	}
	return &Cycle{parts: slices.Clone(parts), phases: slices.Clone(phases)}, nil
}

// sameNodes refuses parts of different numbers of nodes.
func sameNodes(parts []Sequence) error {
	for k, p := range parts {
		if want := parts[0].Nodes(); p.Nodes() != want {
			return option.Errorf(fmt.Sprintf("parts[%d]", k), "part %d has %d nodes, part 1 has %d", k+1, p.Nodes(), want)
		}
	}
	return nil
}

// shown returns the position of the part of a step.
func (c *Cycle) shown(step int) int {
	p, _ := phaseOf(c.phases, step)
	return (step + 1 - p.From) / p.Every % len(c.parts)
}

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
// periods of its parts, if all have one, there is one phase and it is at most 2^31.
func (c *Cycle) Period() (period int, ok bool) {
	if len(c.phases) > 1 {
		return 0, false
	}
	if period, ok = longer(c.phases[0].Every, len(c.parts)); !ok {
		return 0, false
	}
	return common(period, c.parts...)
}

// longer returns the product of a period and a number, and whether it is at most longestPeriod.
func longer(a, b int) (int, bool) {
	if a > longestPeriod/b {
		return 0, false
	}
	return a * b, true
}

// common returns the least common multiple of a period and the periods of some parts, and whether all
// have one and it is at most longestPeriod.
func common(period int, parts ...Sequence) (int, bool) {
	for _, p := range parts {
		q, ok := p.Period()
		if !ok {
			return 0, false
		}
		if period, ok = longer(period/gcd(period, q), q); !ok {
			return 0, false
		}
	}
	return period, true
}

// longestPeriod is the longest period that a sequence states.
const longestPeriod = math.MaxInt32

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
