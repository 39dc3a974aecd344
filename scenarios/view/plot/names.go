package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// armName returns the name of an arm without the values in the title of its chart.
func (p *plotter) armName(arm *results.ArmEntry) string {
	if p.options.Facet == study.EachArm {
		return ""
	}
	if arm.Name == valuesBut(arm) {
		return valuesBut(arm, p.options.Facet)
	}
	if _, set := arm.Value(p.options.Facet); set && p.options.Facet != "" {
		return p.unfaceted(arm)
	}
	return arm.Name
}

// unfaceted returns the name of an arm of a list without the value in the title of its chart, where the name states
// it and no other arm of the chart has the name that is left.
func (p *plotter) unfaceted(arm *results.ArmEntry) string {
	value, _ := arm.Value(p.options.Facet)
	stated := shortValue(results.Value{Path: p.options.Facet, Value: value})
	segments := strings.Split(arm.Name, ",")
	kept := slices.DeleteFunc(slices.Clone(segments), func(segment string) bool { return segment == stated })
	name := strings.Join(kept, ",")
	for i := range p.runs {
		if len(kept) == 0 || slices.ContainsFunc(p.runs[i].Arms, func(other results.ArmEntry) bool { return other.Name == name }) {
			return arm.Name
		}
	}
	return name
}

// wording writes the parts of the name of a curve: asName identifies curves, and asLabel is for readers.
type wording struct {
	arm    func(p *plotter, run *Run, arm *results.ArmEntry) string
	varied func(arm *results.ArmEntry, without ...string) string
	value  func(key, value string) string
	// relation writes the relation of neighbours.
	relation func(relation string) string
}

var (
	asName = wording{
		arm:    func(p *plotter, _ *Run, arm *results.ArmEntry) string { return p.armName(arm) },
		varied: nameBut,
		value:  func(key, value string) string { return shortValue(results.Value{Path: key, Value: value}) },

		relation: func(relation string) string { return relation },
	}
	asLabel = wording{
		arm: func(p *plotter, run *Run, arm *results.ArmEntry) string {
			if p.armName(arm) != arm.Name {
				return restLabel(arm, p.options.Facet)
			}
			return run.label(arm.Name)
		},
		varied: restLabel,
		value:  func(key, value string) string { return valueLabel(key, lastElement(key), value) },

		relation: accounts.RelationLabel,
	}
)

// label returns the label of an arm, or its name where ArmLabels has none.
func (r *Run) label(arm string) string { return cmp.Or(ArmLabels(r.Arms)[arm], arm) }

// addLabels gives the curves of a chart their labels. A label that two curves would share is left out.
func addLabels(list []figure.Series, labels []string) {
	for i := range list {
		shared := false
		for k := range labels {
			shared = shared || k != i && labels[k] == labels[i]
		}
		if list[i].Label = labels[i]; shared || labels[i] == list[i].Name {
			list[i].Label = ""
		}
	}
}

// name returns the name of the curve of an arm or a node. It has the parts that distinguish
// the curve from the others of the figure and nothing more: the run where there are several,
// the value, the arm or the node, and the relation of neighbours where the figure has epsilons
// of several relations. words writes the value and the arm.
func (p *plotter) name(run *Run, arm *results.ArmEntry, node int32, words *wording) (string, error) {
	var parts []string
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if (p.several || p.options.CurvesBy() == study.EachRun) && p.options.Facet != study.EachRun {
		add(run.Label)
	}
	switch by := p.options.CurvesBy(); by {
	case study.EachRun:
	case study.EachArm, study.EachNode:
		switch {
		case by == study.EachNode && len(run.Arms) == 1:
		case p.options.Accounted():
			name := p.accountedName(arm)
			if words == &asLabel && name == arm.Name {
				name = run.label(name)
			}
			add(name)
		case p.categories != nil && slices.ContainsFunc(arm.Values, func(v results.Value) bool { return strings.Contains(v.Value, "{") }):
			add(arm.Name)
		case p.options.Keyed():
			add(words.varied(arm, append(axisKeys(arm, p.options), p.options.Facet)...))
		default:
			add(words.arm(p, run, arm))
		}
		if by == study.EachNode {
			add(nodeName(node))
		}
	default:
		value, err := sweptValue(arm, by, "by", p.options.Known)
		if err != nil {
			return "", err
		}
		if speaks(value) {
			add(value)
		} else {
			add(words.value(by, value))
		}
	}
	if relation := run.Of[arm.Name]; len(p.relations) > 1 && relation != "" && (accounts.IsEpsilon(p.options.Metric) || accounts.IsEpsilon(p.options.X)) {
		add("(" + words.relation(relation) + ")")
	}
	return strings.Join(parts, " "), nil
}

// accountedName returns the name of the curve of an arm on an axis of accounted losses: the values that
// it sets besides the axis and the chart. Where one of them is a mapping or a list, and no other arm shares
// the curve, it is the name that the arm has in a list.
func (p *plotter) accountedName(arm *results.ArmEntry) string {
	label := func(of *results.ArmEntry) string {
		return restLabel(of, append(axisKeys(of, p.options), p.options.Facet)...)
	}
	own := label(arm)
	mapped := func(v results.Value) bool { return strings.HasPrefix(v.Value, "{") || strings.HasPrefix(v.Value, "[") }
	if !slices.ContainsFunc(arm.Values, mapped) || strings.ContainsAny(arm.Name, "{[=") {
		return own
	}
	for i := range p.runs {
		for k := range p.runs[i].Arms {
			if other := &p.runs[i].Arms[k]; other.Name != arm.Name && label(other) == own {
				return own
			}
		}
	}
	return arm.Name
}

// nameBut returns the name of an arm without the values of some keys, where the name states them:
// an arm dsgd,epsilon=1 of a list beside a grid is dsgd but for epsilon. An arm with another name
// has the values that it sets besides those keys.
func nameBut(arm *results.ArmEntry, keys ...string) string {
	segments := strings.Split(arm.Name, ",")
	kept := slices.DeleteFunc(slices.Clone(segments), func(segment string) bool {
		return slices.ContainsFunc(keys, func(key string) bool {
			value, ok := arm.Value(key)
			return ok && isStated(segment, results.Value{Path: key, Value: value})
		})
	})
	if arm.Name == valuesBut(arm) || len(kept) == len(segments) || len(kept) == 0 {
		return valuesBut(arm, keys...)
	}
	return strings.Join(kept, ",")
}

// isStated reports whether a part of a name states a value: the key may be cut short, as d=2 is for dimension=2.
func isStated(part string, v results.Value) bool {
	key, value, ok := strings.Cut(part, "=")
	return ok && key != "" && value == v.Value && strings.HasPrefix(document.Short(v.Path), key)
}

// valuesBut returns the values that an arm sets besides some keys, in the form of names of
// arms. It is empty where the arm sets nothing else.
func valuesBut(arm *results.ArmEntry, keys ...string) string {
	var list []string
	for _, v := range arm.Values {
		if !slices.Contains(keys, v.Path) {
			list = append(list, shortValue(v))
		}
	}
	return strings.Join(list, ",")
}

// shortValue names a value by the last element of its path.
func shortValue(v results.Value) string {
	return fmt.Sprintf("%s=%s", document.Short(v.Path), v.Value)
}
