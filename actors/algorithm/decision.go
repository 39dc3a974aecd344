package algorithm

import (
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/kernel"
	"starling/messages"
)

// Space says which participants decide in every step of a run, in which dimension, and from
// which set.
type Space struct {
	// First and End bound the nodes that decide: First .. End-1, each once in every step in
	// which they have all of their turns.
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

// RowSet is a Set that checks many points at once.
type RowSet interface {
	Set
	// Inside returns the number of points, side by side in x and from the first on, of which
	// the Violation is surely 0.
	Inside(x []float64) (points int)
}

// outside is how far outside its set a decision may be: rounding and the last steps of a
// solver leave less than that.
const outside = 1e-6

// Check refuses a decision that is not finite, has another length, or lies outside the set.
func (s *Space) Check(x []float64) error {
	if !kernel.AllFinite(x) {
		i := slices.IndexFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
		return fmt.Errorf("played a decision whose entry %d is %v", i+1, x[i])
	}
	if s == nil {
		return nil
	}
	if len(x) != s.Dim {
		return fmt.Errorf("played a decision of %d entries; decisions have %d", len(x), s.Dim)
	}
	if s.Set != nil {
		if v := s.Set.Violation(x); v > outside {
			return fmt.Errorf("played a decision that lies outside the %s by %.3g", s.Set.Kind(), v)
		}
	}
	return nil
}

// CheckRows reports whether Check refuses none of the rows of x, side by side.
func (s *Space) CheckRows(x []float64) bool {
	if !kernel.AllFinite(x) {
		return false
	}
	if s.Set == nil {
		return true
	}
	rows, many := s.Set.(RowSet)
	for {
		if many {
			x = x[rows.Inside(x)*s.Dim:]
		}
		if len(x) == 0 {
			return true
		}
		if s.Set.Violation(x[:s.Dim]) > outside {
			return false
		}
		x = x[s.Dim:]
	}
}
