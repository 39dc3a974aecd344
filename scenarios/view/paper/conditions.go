package paper

import (
	"slices"

	"starling/scenarios/view"
)

// conditions returns the conditions of the shown arms, in the order of the arms.
func (b *builder) conditions() ([]view.Condition, error) {
	list, observers, err := b.run.Conditions(b.shown.Arms, b.Observer)
	if err == nil && b.Observer != "" && !slices.Contains(observers, b.Observer) {
		b.fault("observer", "%s", unknown("observer", b.Observer, observers))
	}
	return list, err
}
