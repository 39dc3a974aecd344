package results

import (
	"errors"
	"fmt"
	"math"
)

// Seeds is the range of seeds of a run: Base, Base+1, ..., Base+Count-1.
type Seeds struct {
	Base  uint64 `json:"base"`
	Count int    `json:"count"`
}

// Validate reports a range that is empty or leaves the uint64 range.
func (s Seeds) Validate() error {
	if s.Count < 1 {
		return fmt.Errorf("seeds: count %d is less than 1", s.Count)
	}
	if s.Base > math.MaxUint64-uint64(s.Count-1) {
		return fmt.Errorf("seeds: base %d and count %d leave the 64-bit range", s.Base, s.Count)
	}
	return nil
}

// Plan is the jobs of a run in canonical order: arm by arm in the given order,
// seeds ascending within an arm.
type Plan struct {
	// Arms are distinct names.
	Arms  []string
	Seeds Seeds
}

// Validate reports missing, empty and repeated arms and a bad range of seeds.
func (p Plan) Validate() error {
	if len(p.Arms) == 0 {
		return errors.New("arms: none given")
	}
	seen := make(map[string]bool, len(p.Arms))
	for i, arm := range p.Arms {
		if err := validName(arm); err != nil {
			return fmt.Errorf("arms[%d]: %w", i, err)
		}
		if seen[arm] {
			return fmt.Errorf("arms[%d]: %q is given twice", i, arm)
		}
		seen[arm] = true
	}
	return p.Seeds.Validate()
}

// jobs is the number of jobs of the plan.
func (p Plan) jobs() int { return len(p.Arms) * p.Seeds.Count }

// job returns the arm and seed of job i, 0 ≤ i < jobs().
func (p Plan) job(i int) (arm string, seed uint64) {
	return p.Arms[i/p.Seeds.Count], p.Seeds.Base + uint64(i%p.Seeds.Count)
}
