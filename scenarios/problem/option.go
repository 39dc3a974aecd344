package problem

import (
	"fmt"
	"math"

	"starling/actors/algorithm/mirror"
	"starling/actors/option"
)

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func requireNonNegative(path string, v float64) error {
	if v >= 0 && isFinite(v) {
		return nil
	}
	return option.Errorf(path, "is %v, want a finite number of at least 0", v)
}

func requirePositive(path string, v float64) error {
	if v > 0 && isFinite(v) {
		return nil
	}
	return option.Errorf(path, "is %v, want a finite number above 0", v)
}

// requireFinite accepts an empty vector: its length is a matter of the set.
func requireFinite(path string, v []float64) error {
	for k, e := range v {
		if !isFinite(e) {
			return option.Errorf(fmt.Sprintf("%s[%d]", path, k), "is %v, want a finite number", e)
		}
	}
	return nil
}

func requireDim(path string, v []float64, dim int) error {
	if len(v) == dim {
		return nil
	}
	return option.Errorf(path, "has %d entries, want %d, the dimension of the set", len(v), dim)
}

// insideTolerance is the violation, relative to the diameter, up to which a
// written-down point counts as one of the set: decimal fractions do not sum to
// 1 exactly.
const insideTolerance = 1e-9

// requireInside demands a point of the set, of its dimension.
func requireInside(path string, x []float64, set mirror.Set) error {
	if err := requireDim(path, x, set.Dim()); err != nil {
		return err
	}
	if v := set.Violation(x); !(v <= insideTolerance*set.Diameter()) {
		return option.Errorf(path, "%v lies outside the %s by %.3g, want a point of the decision set", x, set.Kind(), v)
	}
	return nil
}

// requireParties checks the arguments that a scenario passes to a constructor besides the
// options.
func requireParties(kind string, nodes int, set mirror.Set) error {
	if set == nil {
		return fmt.Errorf("%s: no decision set", kind)
	}
	if nodes < 1 || nodes > math.MaxInt32 {
		return fmt.Errorf("%s: %d nodes, want 1 to %d", kind, nodes, math.MaxInt32)
	}
	return nil
}
