package plot

import (
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
)

// ArmLabels returns, by name, the text by which people read the arms of a run: the name with its
// values as figures write them. Where two arms have the same text, each is its name with blanks between
// its parts. Mappings are written as their values.
//
//	epsilon=0.5                ε = 0.5
//	central,epsilon=none       central, no noise
//	kind=tree,epsilon=2        tree, ε = 2
//	permutations,degree=3      permutations, degree = 3
func ArmLabels(arms []results.ArmEntry) map[string]string {
	labels, count := map[string]string{}, map[string]int{}
	for i := range arms {
		label := armLabel(&arms[i])
		labels[arms[i].Name] = label
		count[label]++
	}
	for name, label := range labels {
		if count[label] < 2 {
			continue
		}
		if labels[name] = spaced(name); count[labels[name]] > 0 {
			labels[name] = name
		}
	}
	return labels
}

// spaced returns the name of an arm with blanks after its commas, and around the first = of each part. A name with a
// list or a mapping stays: commas in it separate no parts.
func spaced(name string) string {
	if strings.ContainsAny(name, "{[") {
		return name
	}
	segments := strings.Split(name, ",")
	for i, segment := range segments {
		segments[i] = spacedPart(segment)
	}
	return strings.Join(segments, ", ")
}

// spacedPart is spaced for a part of a name.
func spacedPart(segment string) string {
	key, value, ok := strings.Cut(segment, "=")
	if !ok {
		return strings.TrimSpace(segment)
	}
	return strings.TrimSpace(key) + " = " + strings.TrimSpace(value)
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
	segments := strings.Split(arm.Name, ",")
	for i, segment := range segments {
		segments[i] = partLabel(arm, segment)
	}
	return strings.Join(segments, ", ")
}

// partLabel returns a part of the name of an arm as figures write values.
func partLabel(arm *results.ArmEntry, segment string) string {
	if key, value, ok := strings.Cut(segment, "="); ok && isEpsilon(key) {
		return valueLabel(key, key, value)
	}
	for _, v := range arm.Values {
		if segment == shortValue(v) {
			return valueLabel(v.Path, document.Short(v.Path), v.Value)
		}
	}
	return spacedPart(segment)
}
