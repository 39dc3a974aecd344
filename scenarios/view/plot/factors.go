package plot

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
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

// facets splits the arms by the value of the facet's key, in the order in which they come, or by its numbers;
// without a facet there is one chart.
func facets(runs []Run, o *study.PlotOptions) (list []facet, err error) {
	if o.Facet == "" {
		return []facet{{runs: runs}}, nil
	}
	everywhere := baselines(runs, o.Facet, has)
	for i := range runs {
		for k := range runs[i].Arms {
			arm := &runs[i].Arms[k]
			if slices.Contains(everywhere, arm) {
				continue
			}
			title, err := factorValue(runs, &runs[i], arm, o, "facet", o.Facet)
			if err != nil {
				return nil, err
			}
			if value, ok := valueOf(&runs[i], arm, o.Facet); ok {
				title = valueLabel(o.Facet, factorName(o, o.Facet), value)
			}
			at := slices.IndexFunc(list, func(f facet) bool { return f.title == title })
			if at < 0 {
				at = len(list)
				list = append(list, facet{title: title})
			}
			list[at].add(&runs[i], arm)
		}
	}
	for i := range runs {
		for k := range runs[i].Arms {
			if arm := &runs[i].Arms[k]; slices.Contains(everywhere, arm) {
				for at := range list {
					list[at].add(&runs[i], arm)
				}
			}
		}
	}
	ascending(list, runs, o.Facet)
	if len(list) > mostFacets {
		return nil, document.At("facet", "%s has %d values; at most %d charts are drawn", o.Facet, len(list), mostFacets)
	}
	return list, nil
}

// ascending sorts charts by the values of a key, where these are numbers; those without noise, and
// those that do not set the key, come last.
func ascending(list []facet, runs []Run, key string) {
	var arms []results.ArmEntry
	for i := range runs {
		arms = append(arms, runs[i].Arms...)
	}
	order := degrees(arms, key)
	if order == nil {
		return
	}
	rank := func(f facet) int {
		value, _ := valueOf(&f.runs[0], &f.runs[0].Arms[0], key)
		if i := slices.Index(order, value); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(list, func(a, b facet) int { return rank(a) - rank(b) })
}

// add adds an arm of a run.
func (f *facet) add(run *Run, arm *results.ArmEntry) {
	if n := len(f.runs); n == 0 || f.runs[n-1].Label != run.Label {
		some := *run
		some.Arms = nil
		f.runs = append(f.runs, some)
	}
	last := &f.runs[len(f.runs)-1]
	last.Arms = append(last.Arms, *arm)
}

// mostBaselines is the most arms that stand in every chart of a figure.
const mostBaselines = 2

// baselines returns the arms that have no value of a key that others have, such as an arm without
// adversaries: they stand in every chart, for the others to be compared with. They are nil
// where they are many.
func baselines(runs []Run, key string, has func(run *Run, arm *results.ArmEntry, key string) bool) (list []*results.ArmEntry) {
	if key == "" || key == study.EachArm || key == study.EachRun || key == study.EachName {
		return nil
	}
	arms := 0
	for i := range runs {
		arms += len(runs[i].Arms)
		for k := range runs[i].Arms {
			if arm := &runs[i].Arms[k]; !has(&runs[i], arm, key) {
				list = append(list, arm)
			}
		}
	}
	if len(list) > mostBaselines || len(list) == arms {
		return nil
	}
	return list
}

// factorValue returns the value that selects the chart, colour or dash of an arm's curve, as
// readers see it. A key that no arm sets is an error of the option.
func factorValue(runs []Run, run *Run, arm *results.ArmEntry, o *study.PlotOptions, option, key string) (string, error) {
	switch key {
	case "":
		return "", nil
	case study.EachArm:
		return run.label(arm.Name), nil
	case study.EachRun:
		return run.Label, nil
	case study.EachName:
		return restLabel(arm, shownElsewhere(o)...), nil
	}
	name := factorName(o, key)
	if value, ok := arm.Value(key); ok {
		return valueLabel(key, name, value), nil
	}
	for i := range runs {
		if slices.ContainsFunc(runs[i].Arms, func(arm results.ArmEntry) bool { return sets(&arm, key) }) {
			return name + " not set", nil
		}
	}
	_, err := sweptValue(arm, key, option, o.Known)
	return "", err
}

// factorName returns the name of a key that selects charts, colours or dashes: its last word,
// or the whole where another has the same.
func factorName(o *study.PlotOptions, key string) string {
	for _, other := range []string{o.Facet, o.Hue, o.Dash} {
		if other != key && lastElement(other) == lastElement(key) { // such as two keys kind
			return key
		}
	}
	return lastElement(key)
}

// lastElement returns the last word of a key: epsilon of mechanism.epsilon.
func lastElement(key string) string { return document.Short(key) }

func sets(arm *results.ArmEntry, key string) bool {
	_, ok := arm.Value(key)
	return ok
}

// setsOf is sets of an arm of a run, and has reports whether it sets a key or has the value of the file.
func setsOf(_ *Run, arm *results.ArmEntry, key string) bool { return sets(arm, key) }

func has(run *Run, arm *results.ArmEntry, key string) bool {
	_, ok := valueOf(run, arm, key)
	return ok
}

// valueOf returns the value of a key in an arm: its own, or the one of the study's file where another arm sets the same.
// An arm that sets a section around the key, or its kind, has none of the file: the key may have no meaning in it, such
// as the epsilon of a mechanism in an arm without one.
func valueOf(run *Run, arm *results.ArmEntry, key string) (value string, ok bool) {
	if value, ok = arm.Value(key); ok || run.Base == nil {
		return value, ok
	}
	section := key[:strings.LastIndex(key, ".")+1]
	node, ok := run.Base.Find(key)
	if !ok || slices.ContainsFunc(arm.Values, func(v results.Value) bool { return v.Path == section+"kind" || strings.HasPrefix(key, v.Path+".") }) {
		return "", false
	}
	value = node.Text()
	return value, slices.ContainsFunc(run.Arms, func(other results.ArmEntry) bool {
		own, ok := other.Value(key)
		return ok && own == value
	})
}

// baseline reports whether no arm of a curve sets a key of colours or dashes that others set.
func (p *plotter) baseline(c *plotCurve) bool {
	found := false
	for _, key := range []string{p.options.Hue, p.options.Dash} {
		if len(baselines(p.runs, key, setsOf)) == 0 {
			continue
		}
		found = true
		if slices.ContainsFunc(c.from, func(from origin) bool { return sets(from.arm, key) }) {
			return false
		}
	}
	return found
}

// alike reports whether an earlier arm has the values of charts, colours and dashes that a curve
// of one arm has: the keys do not tell the two apart.
func (p *plotter) alike(c *plotCurve) bool {
	o := p.options
	if len(c.from) != 1 || o.CurvesBy() != study.EachArm || o.Hue == study.EachArm || o.Hue == study.EachName || o.Hue == "" {
		return false
	}
	values := func(arm *results.ArmEntry) (list [4]string) {
		for i, key := range []string{o.Facet, o.Hue, o.Dash, o.X} {
			list[i], _ = arm.Value(key)
		}
		return list
	}
	from := c.from[0]
	for i := range from.run.Arms {
		switch arm := &from.run.Arms[i]; {
		case arm.Name == from.arm.Name:
			return false
		case values(arm) == values(from.arm):
			return true
		}
	}
	return false
}

// ramp returns the values of colours that are degrees of one quantity.
func (p *plotter) ramp() []string {
	arms := p.study
	for i := range p.runs {
		if p.study == nil {
			arms = append(arms, p.runs[i].Arms...)
		}
	}
	key := p.options.Hue
	return rampOf(arms, key, func(value string) string {
		return valueLabel(key, factorName(p.options, key), value) + p.accounted(key, value)
	})
}

// styles returns the values that give a curve its colour and its dash. Arms that share a curve
// must share them.
func (p *plotter) styles(c *plotCurve) (hue, dash string, err error) {
	if !p.options.Grouped && (p.baseline(c) || p.alike(c)) {
		return "", "", nil // grey, by its name
	}
	for i, from := range c.from {
		h, err := factorValue(p.runs, from.run, from.arm, p.options, "hue", p.options.Hue)
		if err != nil {
			return "", "", err
		}
		d, err := factorValue(p.runs, from.run, from.arm, p.options, "dash", p.options.Dash)
		if err != nil {
			return "", "", err
		}
		if value, ok := from.arm.Value(p.options.Hue); ok {
			h += p.accounted(p.options.Hue, value)
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
		return fmt.Errorf("%d curves; at most %d can be distinguished", curves, figure.Distinct)
	case len(hues) > figure.MostHues:
		return document.At("hue", "%s has %d values; at most %d colours can be distinguished", p.options.Hue, len(hues), figure.MostHues)
	case len(dashes) > figure.MostDashes:
		return document.At("dash", "%s has %d values; at most %d dashes can be distinguished", p.options.Dash, len(dashes), figure.MostDashes)
	}
	if p.categories != nil && factored {
		return nil // dots of one colour may be of several arms
	}
	f.Note = f.Repeated()
	return nil
}
