// Package accountant holds what a release costs in privacy and adds it up.
//
// A loss is computed by the mechanism that adds the noise, from the
// sensitivity it is given and the noise it really draws; nothing here quotes a
// paper. The package knows no algorithm and no observer's position in a
// network.
package accountant

import (
	"fmt"
	"math"
)

// Loss is the privacy loss of one release under pure differential privacy:
// the outputs on neighbouring inputs have densities within a factor
// exp(Epsilon). The neighbouring relation is the one the sensitivity was
// computed for.
type Loss struct {
	Epsilon float64 // >= 0; +Inf where nothing protects the release
}

// NotPrivate is the loss of a release without protection.
func NotPrivate() Loss { return Loss{Epsilon: math.Inf(1)} }

// Private tells whether the loss is finite.
func (l Loss) Private() bool { return !math.IsInf(l.Epsilon, 1) }

// Compose returns the loss of both releases made on the same data, by basic
// composition: the sum (Dwork, Roth 2014, theorem 3.16).
func (l Loss) Compose(other Loss) Loss {
	return Loss{Epsilon: l.Epsilon + other.Epsilon}
}

// Validate refuses a loss that no mechanism can have.
func (l Loss) Validate() error {
	if math.IsNaN(l.Epsilon) || l.Epsilon < 0 {
		return fmt.Errorf("privacy loss epsilon = %v is not a number >= 0", l.Epsilon)
	}
	return nil
}

// String writes the loss for tables: "not private" where it is infinite.
func (l Loss) String() string {
	if !l.Private() {
		return "not private"
	}
	return fmt.Sprintf("%.6g", l.Epsilon)
}
