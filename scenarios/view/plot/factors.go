package plot

import (
	"fmt"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study/plots"
)

// Limits on the curves and charts of one figure.
const (
	// fewColours is the number of curves that colours alone distinguish at a glance. More
	// curves get their colours and dashes by the values that their arms set, where that is
	// possible.
	fewColours = 8
	// mostFacets is the greatest number of charts of a figure.
	mostFacets = 24
)

// facet holds the arms of one chart.
type facet struct {
	title string
	runs  []Run
}

// facets splits the arms by the value of the facet's key, in the order in which they come;
// without a facet there is one chart.
func facets(runs []Run, o *plots.Options) (list []facet, err error) {
	if o.Facet == "" {
		return []facet{{runs: runs}}, nil
	}
	for i := range runs {
		for k := range runs[i].Arms {
			arm := &runs[i].Arms[k]
			title, err := factorValue(runs, &runs[i], arm, o, "facet", o.Facet, " = ")
			if err != nil {
				return nil, err
			}
			at := slices.IndexFunc(list, func(f facet) bool { return f.title == title })
			if at < 0 {
				at = len(list)
				list = append(list, facet{title: title})
			}
			f := &list[at]
			if n := len(f.runs); n == 0 || f.runs[n-1].Label != runs[i].Label {
				some := runs[i]
				some.Arms = nil
				f.runs = append(f.runs, some)
			}
			last := &f.runs[len(f.runs)-1]
			last.Arms = append(last.Arms, *arm)
		}
	}
	if len(list) > mostFacets {
		return nil, document.At("facet", "%s has %d values; at most %d charts are drawn", o.Facet, len(list), mostFacets)
	}
	return list, nil
}

// factorValue returns the value that selects the chart, colour or dash of an arm's curve, as
// readers see it: "epsilon=1". A key that no arm sets is an error of the option.
func factorValue(runs []Run, run *Run, arm *results.ArmEntry, o *plots.Options, option, key, equals string) (string, error) {
	switch key {
	case "":
		return "", nil
	case plots.Arm:
		return arm.Name, nil
	case plots.Run:
		return run.Label, nil
	}
	name := lastElement(key)
	for _, other := range []string{o.Facet, o.Hue, o.Dash} {
		if other != key && lastElement(other) == name { // such as two keys kind
			name = key
		}
	}
	if value, ok := arm.Value(key); ok {
		return name + equals + value, nil
	}
	for i := range runs {
		if slices.ContainsFunc(runs[i].Arms, func(arm results.ArmEntry) bool { return sets(&arm, key) }) {
			return name + " not set", nil
		}
	}
	_, err := sweptValue(arm, key, option, o.Known)
	return "", err
}

// lastElement returns the last word of a key: epsilon of mechanism.epsilon.
func lastElement(key string) string { return document.Short(key) }

func sets(arm *results.ArmEntry, key string) bool {
	_, ok := arm.Value(key)
	return ok
}

// styles returns the values that give a curve its colour and its dash. Arms that share a curve
// must share them.
func (p *plotter) styles(c *plotCurve) (hue, dash string, err error) {
	for i, from := range c.from {
		h, err := factorValue(p.runs, from.run, from.arm, p.options, "hue", p.options.Hue, "=")
		if err != nil {
			return "", "", err
		}
		d, err := factorValue(p.runs, from.run, from.arm, p.options, "dash", p.options.Dash, "=")
		if err != nil {
			return "", "", err
		}
		if i == 0 {
			hue, dash = h, d
		}
		if h != hue {
			return "", "", document.At("hue", "the curve %s is of %s and %s; tell them apart by curves", c.name, hue, h)
		}
		if d != dash {
			return "", "", document.At("dash", "the curve %s is of %s and %s; tell them apart by curves", c.name, dash, d)
		}
	}
	return hue, dash, nil
}

// checkStyles refuses more curves, colours or dashes than readers can distinguish, unless the
// figure may be crowded. It adds notes on them for readers.
func (p *plotter) checkStyles(f *figure.Figure) error {
	names, hues, dashes := map[string]bool{}, map[string]bool{}, map[string]bool{}
	curves := 0
	for _, panel := range f.Charts() {
		for _, s := range panel.Series {
			names[s.Name], hues[s.Hue], dashes[s.Dash] = true, true, true
			curves++
		}
	}
	if len(f.Panels) > 0 { // a name has one style in all panels
		curves = len(names)
	}
	factored := p.options.Hue != "" || p.options.Dash != ""
	switch {
	case p.options.Crowded:
	case !factored && curves > figure.Distinct:
		return fmt.Errorf("%d curves; at most %d can be told apart", curves, figure.Distinct)
	case len(hues) > figure.MostHues:
		return document.At("hue", "%s has %d values; at most %d colours can be told apart", p.options.Hue, len(hues), figure.MostHues)
	case len(dashes) > figure.MostDashes:
		return document.At("dash", "%s has %d values; at most %d dashes can be told apart", p.options.Dash, len(dashes), figure.MostDashes)
	}
	f.Note = f.Repeated()
	if f.Note == "" && !factored && curves > fewColours {
		f.Note = crowdNote(curves)
	}
	return nil
}

// crowdNote explains how to distinguish many curves.
func crowdNote(curves int) string {
	return fmt.Sprintf("%d curves: colour and dash together tell them apart.", curves)
}

// figureFactors returns the keys that select chart, colour and dash. They are the options'
// keys. If there are more curves than fewColours, and the options name neither colour nor
// dash, they are the keys that the arms set, if there are two, or three and no key selects
// charts.
func figureFactors(runs []Run, o *plots.Options) (facet, hue, dash string) {
	facet, hue, dash = o.Facet, o.Hue, o.Dash
	if hue != "" || dash != "" || o.CurvesBy() != plots.Arm || len(runs) != 1 {
		return facet, hue, dash
	}
	var arms []results.ArmEntry
	names, drawn := map[string]bool{}, map[string]bool{}
	for _, row := range runs[0].Rows[o.Metric] {
		drawn[row.Arm] = true
	}
	for _, arm := range runs[0].Arms {
		if !drawn[arm.Name] {
			continue
		}
		arms = append(arms, arm)
		names[valuesBut(&arm, o.X, facet)] = true
	}
	if len(names) <= fewColours {
		return facet, hue, dash
	}
	found := factors(arms, o.X, facet)
	switch {
	case len(found) == 2:
		return facet, found[0], found[1]
	case len(found) == 3 && facet == "" && count(arms, found[1]) <= mostFacets:
		return found[1], found[0], found[2]
	}
	return facet, hue, dash
}

// factors returns the keys in which arms differ, less the keys of without, which are shown
// otherwise. The key with the most values, which selects colours, comes first; the one with
// the fewest, which selects dashes, comes last. There are none where an arm does not set one
// of them, where two arms set them alike, or where there are too many values for colours and
// dashes.
func factors(arms []results.ArmEntry, without ...string) (keys []string) {
	for _, arm := range arms {
		for _, v := range arm.Values {
			if !slices.Contains(keys, v.Path) && !slices.Contains(without, v.Path) && count(arms, v.Path) > 1 {
				keys = append(keys, v.Path)
			}
		}
	}
	if len(keys) < 2 {
		return nil
	}
	slices.SortStableFunc(keys, func(a, b string) int { return count(arms, b) - count(arms, a) })
	if count(arms, keys[0]) > figure.MostHues || count(arms, keys[len(keys)-1]) > figure.MostDashes {
		return nil
	}
	seen := map[string]bool{}
	for _, arm := range arms {
		all := valuesBut(&arm)
		if slices.ContainsFunc(keys, func(key string) bool { return !sets(&arm, key) }) || seen[all] {
			return nil
		}
		seen[all] = true
	}
	return keys
}

// count returns the number of values that arms give a key.
func count(arms []results.ArmEntry, key string) int {
	values := map[string]bool{}
	for i := range arms {
		if value, ok := arms[i].Value(key); ok {
			values[value] = true
		}
	}
	return len(values)
}

// colouring returns the two keys that give the curves of many arms their colours and dashes;
// nil where the arms are few, or differ in other keys.
func colouring(arms []results.ArmEntry) []string {
	if keys := factors(arms); len(arms) > fewColours && len(keys) == 2 {
		return keys
	}
	return nil
}

// Colouring gives many curves colours and dashes by the values that their arms set, where that
// is possible. Each curve has the name of one of the arms. Colouring reports whether it did
// so.
func Colouring(series []figure.Series, arms []results.ArmEntry) bool {
	var drawn []results.ArmEntry
	for _, s := range series {
		i := slices.IndexFunc(arms, func(arm results.ArmEntry) bool { return arm.Name == s.Name })
		if i < 0 {
			return false
		}
		drawn = append(drawn, arms[i])
	}
	keys := colouring(drawn)
	for i := range drawn {
		if keys != nil {
			series[i].Hue, series[i].Dash = colours(&drawn[i], keys)
		}
	}
	return keys != nil
}

// colours returns the values that give the curve of an arm its colour and its dash.
func colours(arm *results.ArmEntry, keys []string) (hue, dash string) {
	label := func(key string) string {
		for _, v := range arm.Values {
			if v.Path != key {
				continue
			}
			if lastElement(keys[0]) == lastElement(keys[1]) {
				return key + "=" + v.Value
			}
			return shortValue(v)
		}
		return ""
	}
	return label(keys[0]), label(keys[1])
}
