package plot

import (
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
)

// ArmLabels returns, by name, the text by which people read the arms of a run: the name with its
// values as figures write them. An arm keeps its name where another
// has the same text, and where it states no values. Mappings are written as their values.
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

// ArmNamed returns the name of the arm that has the text as its name or, in ArmLabels, as its
// label; of a text that is neither, the text.
func ArmNamed(arms []results.ArmEntry, text string) string {
	labels, named := ArmLabels(arms), text
	for i := range arms {
		switch text {
		case arms[i].Name:
			return text
		case labels[arms[i].Name]:
			named = arms[i].Name
		}
	}
	return named
}

// LabelList returns the labels of arms in their order.
func LabelList(arms []results.ArmEntry) (list []string) {
	labels := ArmLabels(arms)
	for i := range arms {
		list = append(list, labels[arms[i].Name])
	}
	return list
}

// SuggestArm is document.Suggest of an unknown arm, with the labels of the arms. A name that is near counts, too.
func SuggestArm(arms []results.ArmEntry, text, otherwise string) string {
	var names []string
	for i := range arms {
		names = append(names, arms[i].Name)
	}
	shown := LabelList(arms)
	if _, ok := document.Nearest(text, shown); ok {
		return document.Suggest(text, shown, otherwise)
	}
	if near, ok := document.Nearest(text, names); ok {
		text = shown[slices.Index(names, near)]
	}
	return document.Suggest(text, shown, otherwise)
}

// ArmsNamed returns ArmNamed of each text; nil of nil.
func ArmsNamed(arms []results.ArmEntry, texts []string) []string {
	names := slices.Clone(texts)
	for i, text := range names {
		names[i] = ArmNamed(arms, text)
	}
	return names
}

// ValueLabels returns values as people read them, with commas between them.
func ValueLabels(values []results.Value) string {
	var labels []string
	for _, v := range values {
		labels = append(labels, valueLabel(v.Path, document.Short(v.Path), v.Value))
	}
	return strings.Join(labels, ", ")
}

// armLabel returns the name of an arm with its values as figures write them.
func armLabel(arm *results.ArmEntry) string {
	if strings.ContainsAny(arm.Name, "{[") { // commas inside of a value
		if arm.Name == valuesBut(arm) {
			return ValueLabels(arm.Values)
		}
		return arm.Name
	}
	segments, some := strings.Split(arm.Name, ","), false
	for i, segment := range segments {
		if key, value, ok := strings.Cut(segment, "="); ok && isEpsilon(key) {
			segments[i], some = valueLabel(key, key, value), true
			continue
		}
		for _, v := range arm.Values {
			if segment == shortValue(v) {
				segments[i], some = valueLabel(v.Path, document.Short(v.Path), v.Value), true
				break
			}
		}
	}
	if !some {
		return arm.Name
	}
	return strings.Join(segments, ", ")
}
