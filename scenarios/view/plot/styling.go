package plot

import (
	"cmp"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// styling has the keys that tell the curves of arms apart by their values: each value of facet has a
// chart, each of hue a colour, and each of dash a dash. Curves have a style each where all are
// empty.
type styling struct{ facet, hue, dash string }

// mostCharts is the most charts of a figure that does not ask for them.
const mostCharts = 9

// leastDegrees is the least number of values of a key that make a ramp of colours.
const leastDegrees = 3

// stylingOf returns the styling of the curves of arms, one each. taken are keys that are shown
// otherwise; charts is false where charts are.
//
//	one key of numbers           a ramp of colours
//	at most fewColours curves    a style each
//	two keys                     colours and dashes, or, for more than MostCurves, charts
//	three keys                   colours, charts and dashes
//	one key, and names besides   as two keys
//
// Arms that set none of the keys are baselines.
func stylingOf(arms []results.ArmEntry, charts bool, taken ...string) styling {
	keys := factors(arms, taken...)
	if slices.ContainsFunc(keys, func(key string) bool { return !legible(arms, key) }) {
		keys = nil // their names say more
	}
	if len(keys) == 1 && len(degrees(arms, keys[0])) >= leastDegrees && count(arms, keys[0]) <= figure.MostHues {
		return styling{hue: keys[0]}
	}
	if len(arms) <= fewColours {
		return styling{}
	}
	if n := len(keys); n >= 2 && count(arms, keys[0]) <= figure.MostHues {
		second := keys[n-1]
		switch {
		case n == 2:
			return divided(arms, keys[0], second, charts)
		case n == 3 && charts && count(arms, keys[1]) <= mostCharts && count(arms, second) <= figure.MostDashes:
			return styling{facet: keys[1], hue: keys[0], dash: second}
		}
	}
	return divided(arms, study.EachName, dividing(arms, taken...), charts)
}

// legible reports whether the values of a key are short enough to be read: no mappings.
func legible(arms []results.ArmEntry, key string) bool {
	return !slices.ContainsFunc(arms, func(arm results.ArmEntry) bool {
		value, _ := arm.Value(key)
		return strings.ContainsAny(value, "{[")
	})
}

// divided returns the styling that shows one key by colours, and a second one by charts or
// dashes, according to the number of curves.
func divided(arms []results.ArmEntry, hue, second string, charts bool) styling {
	switch n := count(arms, second); {
	case second == "":
		return styling{}
	case charts && len(arms) > MostCurves && n <= mostCharts:
		return styling{facet: second, hue: hue}
	case n <= figure.MostDashes:
		return styling{hue: hue, dash: second}
	}
	return styling{}
}

// dividing returns the key with the fewest values that tells arms apart together with their
// other values: of a list of arms beside a grid, the key of the grid. It is empty where there is none
// that leaves few enough names for colours.
func dividing(arms []results.ArmEntry, taken ...string) (key string) {
	for _, candidate := range append(keysOf(arms, taken...), innerEpsilons(arms, taken...)...) {
		if !legible(arms, candidate) {
			continue
		}
		names, seen, bare, alike := map[string]bool{}, map[[2]string]bool{}, 0, false
		for i := range arms {
			value, ok := arms[i].Value(candidate)
			if !ok {
				bare++
				continue
			}
			at := [2]string{value, restLabel(&arms[i], append(taken, candidate)...)}
			alike = alike || seen[at]
			seen[at], names[at[1]] = true, true
		}
		if n := count(arms, candidate); bare <= mostBaselines && !alike && len(names) <= figure.MostHues && (key == "" || n < count(arms, key)) {
			key = candidate
		}
	}
	return key
}

// innerEpsilons returns the epsilons inside of mappings that arms set, such as match.epsilon.
func innerEpsilons(arms []results.ArmEntry, without ...string) (keys []string) {
	for i := range arms {
		for _, v := range arms[i].Values {
			if !strings.HasPrefix(v.Value, "{") {
				continue
			}
			key := v.Path + ".epsilon"
			if slices.Contains(keys, key) || slices.Contains(without, key) || !sets(&arms[i], key) || count(arms, key) < 2 {
				continue
			}
			keys = append(keys, key)
		}
	}
	return keys
}

// styled returns the keys that select chart, colour and dash: the keys of the options, or,
// where these name no colour and no dash, the styling of the arms that have rows of the metric.
func styled(runs []Run, o *study.PlotOptions) styling {
	asked := styling{o.Facet, o.Hue, o.Dash}
	if o.Hue != "" || o.Dash != "" || o.CurvesBy() != study.EachArm || len(runs) != 1 || o.OfNodes() {
		return asked
	}
	var arms []results.ArmEntry
	names, drawn := map[string]bool{}, map[string]bool{}
	for _, row := range runs[0].Rows[o.Metric] {
		drawn[row.Arm] = true
	}
	told := append(toldBy(runs[0].Arms, o.Facet), o.Facet)
	for _, arm := range runs[0].Arms {
		if name := nameBut(&arm, append(axisKeys(&arm, o), told...)...); drawn[arm.Name] && !names[name] { // arms of one name share a curve
			names[name] = true
			arms = append(arms, arm)
		}
	}
	taken := told
	for i := range arms {
		taken = append(taken, axisKeys(&arms[i], o)...)
	}
	if by := runs[0].ownStyling(); o.Facet == "" && !slices.ContainsFunc(by.keys(), func(key string) bool { return slices.Contains(taken, key) }) && by.divides(arms) {
		return by
	}
	found, ok := statedStyling(arms, runs[0].Emphasis.Conditions, o.Facet == "", taken...)
	if !ok {
		found = stylingOf(arms, o.Facet == "", taken...)
	}
	if o.Facet != "" {
		found = found.inCharts(runs[0].Arms, arms, o.Facet, taken)
	}
	return found
}

// inCharts returns a styling for charts by a key. Colours that each chart would have one of give way to the
// values of the dashes; and one key that tells the arms of every chart apart has the colours where names of curves differ
// between charts.
func (s styling) inCharts(all, arms []results.ArmEntry, facet string, taken []string) styling {
	s.facet = facet
	if s.dash != "" && s.hue != "" && oneInEach(all, facet, func(arm *results.ArmEntry) string {
		if s.hue == study.EachName {
			return restLabel(arm, append(slices.Clone(taken), s.dash)...)
		}
		value, _ := arm.Value(s.hue)
		return value
	}) {
		s.hue, s.dash = s.dash, ""
	}
	named := slices.ContainsFunc(all, func(arm results.ArmEntry) bool { return arm.Name != valuesBut(&arm) })
	if keys := factors(arms, taken...); named && s.hue == "" && len(keys) == 1 && legible(arms, keys[0]) && count(arms, keys[0]) <= figure.MostHues {
		s.hue = keys[0]
	}
	return s
}

// toldBy returns the keys whose values follow from the value of a key that has charts, such as the factor of
// scaled lies. They tell no arms of a chart apart.
func toldBy(arms []results.ArmEntry, facet string) (keys []string) {
	if facet == "" || facet == study.EachArm || facet == study.EachRun {
		return nil
	}
	for i := range arms {
		for _, v := range arms[i].Values {
			if v.Path != facet && !slices.Contains(keys, v.Path) && oneInEach(arms, facet, func(arm *results.ArmEntry) string {
				value, _ := arm.Value(v.Path)
				return value
			}) {
				keys = append(keys, v.Path)
			}
		}
	}
	return keys
}

// oneInEach reports whether arms with one value of a key agree in something; arms that do not set the key
// stand in every chart, and have no part in it.
func oneInEach(arms []results.ArmEntry, facet string, of func(arm *results.ArmEntry) string) bool {
	seen := map[string]string{}
	for i := range arms {
		value, ok := arms[i].Value(facet)
		if !ok {
			continue
		}
		got := of(&arms[i])
		if one, known := seen[value]; known && one != got {
			return false
		}
		seen[value] = got
	}
	return true
}

// statedStyling is the styling of a study that states its conditions: colours are choices, and
// conditions are charts, or dashes where curves are few; a second condition has the dashes. It is false where no
// condition tells the arms apart, and where charts, colours or dashes would be too many.
func statedStyling(arms []results.ArmEntry, conditions []string, charts bool, taken ...string) (found styling, ok bool) {
	var stated, choices []string
	for _, key := range keysOf(arms, taken...) {
		if holds(conditions, key) {
			stated = append(stated, key)
		} else {
			choices = append(choices, key)
		}
	}
	readable := func(key string) bool { return legible(arms, key) }
	if len(stated) == 0 || len(stated) > 2 || len(choices) == 0 || slices.ContainsFunc(stated, func(key string) bool { return !readable(key) }) {
		return styling{}, false
	}
	found.hue = study.EachName
	if len(choices) == 1 && readable(choices[0]) {
		found.hue = choices[0]
	}
	names := map[string]bool{}
	for i := range arms {
		names[restLabel(&arms[i], append(slices.Clone(taken), stated...)...)] = true
	}
	if len(names) > figure.MostHues {
		return styling{}, false
	}
	if charts && (len(arms) > fewColours || len(stated) > 1) {
		if count(arms, stated[0]) > mostCharts {
			return styling{}, false
		}
		found.facet, stated = stated[0], stated[1:]
	}
	switch {
	case len(stated) > 1 || len(stated) == 1 && count(arms, stated[0]) > figure.MostDashes:
		return styling{}, false
	case len(stated) == 1:
		found.dash = stated[0]
	}
	return found, true
}

// factors returns the keys in which arms differ, less the keys of without, which are shown
// otherwise. The key with the most values, which selects colours, comes first; the one with
// the fewest, which selects dashes, comes last. There are none where an arm sets some of them
// and not the others. A few arms may set none of them, or set them as another does.
func factors(arms []results.ArmEntry, without ...string) []string {
	keys := keysOf(arms, without...)
	slices.SortStableFunc(keys, func(a, b string) int { return count(arms, b) - count(arms, a) })
	seen, apart := map[string]bool{}, 0
	for _, arm := range arms {
		set, all := 0, ""
		for _, key := range keys {
			if value, ok := arm.Value(key); ok {
				set++
				all += "\n" + value
			}
		}
		switch {
		case set == 0 || seen[all]:
			apart++
		case set < len(keys):
			return nil
		}
		seen[all] = true
	}
	if apart > mostBaselines {
		return nil
	}
	return keys
}

// keysOf returns the keys to which arms give several values, less some, in their order.
func keysOf(arms []results.ArmEntry, without ...string) (keys []string) {
	for _, arm := range arms {
		for _, v := range arm.Values {
			if !slices.Contains(keys, v.Path) && !slices.Contains(without, v.Path) && count(arms, v.Path) > 1 {
				keys = append(keys, v.Path)
			}
		}
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

// degrees returns the values that arms give a key, from the least to the greatest. They are nil
// where some value is neither a number nor the word for no noise.
func degrees(arms []results.ArmEntry, key string) (texts []string) {
	numbers := map[string]float64{}
	for i := range arms {
		value, ok := arms[i].Value(key)
		if _, known := numbers[value]; !ok || known || value == document.NoEpsilon {
			continue
		}
		number, ok := AxisNumber(value)
		if !ok {
			return nil
		}
		numbers[value] = number
		texts = append(texts, value)
	}
	slices.SortFunc(texts, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return texts
}

// rampOf returns the values of a figure's colours, as its series have them, where they are
// degrees of one quantity.
func rampOf(arms []results.ArmEntry, key string, label func(value string) string) (values []string) {
	if key == "" || key == study.EachArm || key == study.EachRun || key == study.EachName {
		return nil
	}
	list := degrees(arms, key)
	if len(list) < 2 {
		return nil
	}
	for _, value := range list {
		values = append(values, label(value))
	}
	return values
}

// ownStyling is the styling of the study's first figure of curves that states one, so that its arms have one
// colour and one order of charts in all figures.
func (r *Run) ownStyling() styling {
	for i := range r.Asked {
		if p := &r.Asked[i]; p.X == "" && p.By == "" && (p.Facet != "" || p.Hue != "" || p.Dash != "") {
			o := study.PlotOptions{Facet: p.Facet, Hue: p.Hue, Dash: p.Dash}.Named()
			return styling{o.Facet, o.Hue, o.Dash}
		}
	}
	return styling{}
}

// keys are the keys of a styling that are set.
func (s styling) keys() []string {
	return slices.DeleteFunc([]string{s.facet, s.hue, s.dash}, func(key string) bool { return key == "" })
}

// divides reports whether the values of a styling's keys tell arms apart, but for a few arms that do not set them.
func (s styling) divides(arms []results.ArmEntry) bool {
	if s == (styling{}) || s.hue == "" {
		return false
	}
	seen, bare := map[[3]string]bool{}, 0
	for i := range arms {
		var at [3]string
		set := true
		for k, key := range []string{s.facet, s.hue, s.dash} {
			value, ok := arms[i].Value(key)
			switch key {
			case "":
				ok = true
			case study.EachArm, study.EachName, study.EachRun:
				return false // the figure of all arms says how
			}
			at[k], set = value, set && ok
		}
		if !set || seen[at] {
			bare++
		}
		seen[at] = true
	}
	return bare <= mostBaselines && len(arms) > bare
}

// Arrange gives the curves of a figure colours, dashes and charts as the study's own figures have them, or else by
// the values that their arms set, where that tells them apart. Each curve has the name of one arm of the run. Arrange
// reports whether it did so; the figure is not changed otherwise.
func (r *Run) Arrange(f *figure.Figure) bool {
	var drawn []results.ArmEntry
	for _, s := range f.Series {
		i := slices.IndexFunc(r.Arms, func(arm results.ArmEntry) bool { return arm.Name == s.Name })
		if i < 0 {
			return false
		}
		drawn = append(drawn, r.Arms[i])
	}
	before := *f
	for _, by := range []styling{r.ownStyling(), stylingOf(r.Arms, true), stylingOf(drawn, true)} {
		if by != (styling{}) && r.arrangeBy(f, drawn, by) && apart(f) {
			return true
		}
		*f = before
	}
	r.arrangeBy(f, drawn, styling{})
	return false
}

// apart reports whether no two curves of a chart have one colour and one dash, and few curves beside coloured ones are
// grey.
func apart(f *figure.Figure) bool {
	return !slices.ContainsFunc(f.Charts(), func(p figure.Panel) bool {
		seen, grey := map[[2]string]bool{}, 0
		for i := range p.Series {
			s := &p.Series[i]
			seen[[2]string{cmp.Or(s.Hue, s.Name), s.Dash}] = true
			if s.Hue == "" && s.Dash == "" {
				grey++
			}
		}
		return len(seen) < len(p.Series) || grey > mostBaselines && grey < len(p.Series)
	})
}

// arrangeBy gives the curves of the drawn arms the styles of some keys, or, without any, the styles of the arms by
// themselves; it is false then.
func (r *Run) arrangeBy(f *figure.Figure, drawn []results.ArmEntry, by styling) bool {
	run := *r
	run.Arms = drawn
	o := study.PlotOptions{Facet: by.facet, Hue: by.hue, Dash: by.dash}
	p := plotter{options: &o, runs: []Run{run}, study: r.Arms, choiceOf: map[string]string{}, armOf: map[string]string{}}
	for i := range drawn {
		p.choiceOf[drawn[i].Name], p.armOf[drawn[i].Name] = withoutEpsilon(&drawn[i]), drawn[i].Name
	}
	if by == (styling{}) {
		p.colour(f, r.Arms)
		return false
	}
	charts, err := facets(p.runs, &o)
	if err != nil {
		return false
	}
	series := slices.Clone(f.Series)
	for i := range series {
		series[i].Hue, series[i].Dash, err = p.styles(&plotCurve{name: series[i].Name, from: []origin{{&run, &drawn[i]}}})
		if err != nil {
			return false
		}
	}
	f.Ramp, f.Series = p.ramp(), series
	p.colour(f, r.Arms)
	if by.facet == "" {
		return true
	}
	f.Series = nil
	for _, chart := range charts {
		panel := figure.Panel{Title: chart.title}
		for _, arm := range chart.runs[0].Arms {
			panel.Series = append(panel.Series, series[slices.IndexFunc(series, func(s figure.Series) bool { return s.Name == arm.Name })])
		}
		f.Panels = append(f.Panels, panel)
	}
	return true
}
