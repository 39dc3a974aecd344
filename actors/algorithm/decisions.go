package algorithm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/kernel"
	"starling/messages"
)

// Decisions are what a run's participants decide in every step: who, in which
// dimension, and from which set.
type Decisions struct {
	// First and End are who decides: the nodes First .. End-1, once in every step
	// in which they have all of their turns.
	First, End messages.NodeID
	Dim        int // d
	// Set is where decisions lie; nil is all of R^d.
	Set Set
}

// Set is a decision set.
type Set interface {
	// Kind is the set's name.
	Kind() string
	// Violation is how far x, len d, lies outside the set, 0 inside.
	Violation(x []float64) float64
}

// outside is how far outside its set a decision may be: rounding and the last steps
// of a solver leave less.
const outside = 1e-6

// errNeverPlayed is of a machine that lets a step pass without a decision.
var errNeverPlayed = errors.New("played no decision in this step")

// check refuses a decision that is not one.
func (d *Decisions) check(x []float64) error {
	if !kernel.AllFinite(x) {
		i := slices.IndexFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
		return fmt.Errorf("played a decision whose entry %d is %v", i+1, x[i])
	}
	if d == nil {
		return nil
	}
	if len(x) != d.Dim {
		return fmt.Errorf("played a decision of %d entries; decisions have %d", len(x), d.Dim)
	}
	if d.Set != nil {
		if v := d.Set.Violation(x); v > outside {
			return fmt.Errorf("played a decision that lies outside the %s by %.3g", d.Set.Kind(), v)
		}
	}
	return nil
}

// checkRows tells whether check refuses none of the rows of x, side by side.
func (d *Decisions) checkRows(x []float64) bool {
	if !kernel.AllFinite(x) {
		return false
	}
	for ; d.Set != nil && len(x) > 0; x = x[d.Dim:] {
		if d.Set.Violation(x[:d.Dim]) > outside {
			return false
		}
	}
	return true
}

// misses tells whether a node's turn begun, in which it did not play, was its last
// chance in the step: it decides, has no turn in the hops to come, and was up in all
// hops so far in which the schedule gives it one.
func (s *Stepper) misses(node messages.NodeID) bool {
	d := s.run.Decisions
	if d == nil || node < d.First || node >= d.End {
		return false
	}
	hops := 1
	offset := int(s.offset) - 1
	if s.run.Hops != nil {
		hops = s.run.Hops(offset)
	}
	for hop := hops - 1; hop >= 0; hop-- {
		if !s.run.acts(node, offset, hop) || hop == s.turn.Hop {
			continue
		}
		turn := s.index + hop - s.turn.Hop
		if hop > s.turn.Hop || s.run.Network != nil && !s.run.Network.Up(node, turn) {
			return false
		}
	}
	return true
}

// acts tells whether the schedule gives a node a turn in a hop.
func (r *Run) acts(node messages.NodeID, offset, hop int) bool {
	if r.Acts == nil {
		return true
	}
	first, end := r.Acts(offset, hop)
	return first <= node && node < end
}
