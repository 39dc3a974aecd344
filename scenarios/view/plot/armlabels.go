package plot

import (
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
)

// ArmLabels returns, by name, the text by which people read the arms of a run: the name with its
// values as figures write them. An arm whose text another one has, too, keeps its name, and so does one
// with a mapping as a value.
//
//	epsilon=0.5                ε = 0.5
//	central,epsilon=none       central, no noise
//	kind=tree,epsilon=2        tree, ε = 2
func ArmLabels(arms []results.ArmEntry) map[string]string {
	labels, count := map[string]string{}, map[string]int{}
	for i := range arms {
		label := armLabel(&arms[i])
		labels[arms[i].Name] = label
		count[label]++
	}
	for name, label := range labels {
		if count[label] > 1 {
			labels[name] = name
		}
	}
	return labels
}

// armLabel returns the name of an arm with its values as figures write them.
func armLabel(arm *results.ArmEntry) string {
	if slices.ContainsFunc(arm.Values, func(v results.Value) bool { return strings.ContainsAny(v.Value, "{[,") }) {
		return arm.Name
	}
	segments := strings.Split(arm.Name, ",")
	for i, segment := range segments {
		for _, v := range arm.Values {
			if segment == shortValue(v) {
				segments[i] = valueLabel(v.Path, document.Short(v.Path), v.Value)
				break
			}
		}
	}
	return strings.Join(segments, ", ")
}
