package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
)

// speaks reports whether a value is clear without its key: a word such as sign-flip, and no
// number.
func speaks(value string) bool {
	_, number := AxisNumber(value)
	return !number && !slices.Contains([]string{"true", "false", "null", document.NoEpsilon}, value) && !strings.ContainsAny(value, "{}[]")
}

// isEpsilon reports whether a key is an epsilon, such as mechanism.epsilon.
func isEpsilon(key string) bool { return lastElement(key) == "epsilon" }

// withoutNoise is the label of arms without noise.
const withoutNoise = "no noise"

// mechanismKind is the key of the kind of noise, none for none.
const mechanismKind = "mechanism.kind"

// valueLabel returns a value of a key as readers of a figure see it. name is the name of the
// key, for values that do not speak for themselves.
//
//	adversaries.kind  sign-flip   sign-flip
//	adversaries.kind  none        no adversaries
//	mechanism.epsilon none        no noise
//	mechanism.kind    none        no noise
//	mechanism.epsilon 0.5         ε = 0.5
//	nodes             20          nodes = 20
//	learning_rate     2           learning rate = 2
//	mechanism         {kind:gaussian,epsilon:1}  gaussian, ε = 1
func valueLabel(key, name, value string) string {
	section, last, _ := strings.Cut(key, ".")
	if strings.HasPrefix(value, "{") {
		if label := mappingLabel(key, value); label != "" {
			return label
		}
	}
	switch {
	case speaks(value):
		return value
	case isEpsilon(key) && value == document.NoEpsilon, key == mechanismKind && value == "none":
		return withoutNoise
	case last == "kind" && value == "none":
		return "no " + section
	case isEpsilon(key) && name == lastElement(key):
		name = "ε"
	}
	return strings.ReplaceAll(name, "_", " ") + " = " + value
}

// mappingLabel returns the values of a mapping as readers of a figure see them; empty where the text
// is no mapping, or an empty one.
func mappingLabel(key, value string) string {
	doc, err := document.ParseText(key, value)
	if err != nil || doc.Root().Kind() != document.Mapping {
		return ""
	}
	var labels []string
	for name, inside := range doc.Root().Entries() {
		labels = append(labels, valueLabel(key+"."+name, name, inside.Text()))
	}
	return strings.Join(labels, ", ")
}

// tolerance is the relative difference up to which a nominal epsilon and an accounted loss, or
// two losses, are one number to a reader.
const tolerance = 0.01

// InAll ends the label of an epsilon with the accounted loss of the run, "ε = 0.5 (0.2766 in all)".
const InAll = " in all)"

// accounted returns the privacy loss of the runs of the arms with a value of an epsilon, as an
// addition to its label: a nominal epsilon may hold for a step. It is empty where the loss is
// the nominal one or infinite, is not recorded, or differs between these arms.
func (p *plotter) accounted(key, value string) string {
	nominal, ok := AxisNumber(value)
	if !isEpsilon(key) || !ok {
		return ""
	}
	if p.losses == nil {
		for i := range p.runs {
			p.losses = append(p.losses, lastRows(p.runs[i].Rows[ledger.EpsilonTotal]))
		}
	}
	total := math.NaN()
	for i := range p.runs {
		run := &p.runs[i]
		for k := range run.Arms {
			loss, recorded := p.losses[i][run.Arms[k].Name]
			if of, _ := run.Arms[k].Value(key); of != value || !recorded {
				continue
			}
			if !math.IsNaN(total) && math.Abs(loss.Mean-total) > tolerance*total {
				return ""
			}
			total = loss.Mean
		}
	}
	if math.IsNaN(total) || math.IsInf(total, 0) || math.Abs(total-nominal) <= tolerance*nominal {
		return ""
	}
	return " (" + inFull(total) + InAll
}

// inFull returns a number as tables have it, or with all its digits where these are at most six.
func inFull(v float64) string {
	if 1e4 <= v && v < 1e6 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return tabular.FormatValue(v)
}

// axisKey returns the label of an axis of a swept key.
func axisKey(key string) string {
	switch key {
	case "match.epsilon":
		return "ε of the run"
	case "mechanism.epsilon":
		return "ε of the mechanism"
	}
	return strings.ReplaceAll(lastElement(strings.TrimSuffix(key, ".kind")), "_", " ")
}

// restLabel returns the values that an arm sets besides some keys, for readers: the name that
// it has in a list, or labels of the values. An arm of a list that sets none of the keys has its name.
func restLabel(arm *results.ArmEntry, keys ...string) string {
	unset := len(keys) > 0 && !slices.ContainsFunc(keys, func(key string) bool { return sets(arm, key) })
	if unset && arm.Name != valuesBut(arm) && !strings.ContainsAny(arm.Name, "={[") {
		return spaced(arm.Name)
	}
	name := nameBut(arm, keys...)
	if name != valuesBut(arm, keys...) {
		return spaced(name)
	}
	var labels []string
	for _, v := range arm.Values {
		if !slices.Contains(keys, v.Path) {
			labels = append(labels, valueLabel(v.Path, document.Short(v.Path), v.Value))
		}
	}
	return strings.Join(labels, ", ")
}

// shownElsewhere are the keys of an arm that a figure shows by its axis, charts and dashes.
func shownElsewhere(o *study.PlotOptions) (keys []string) {
	for _, key := range []string{o.X, o.Facet, o.Dash, o.Hue} {
		if key != study.EachName {
			keys = append(keys, key)
		}
	}
	return keys
}
