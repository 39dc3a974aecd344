package plot

import (
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// A study has one colour for each of its choices, such as its algorithms, in all of its figures: a figure
// of some arms keeps the colours of the figure of all.

// choices returns the arms of a study without their epsilons, as readers see them, each once, and arms
// without noise last; it is nil where they are more than the colours, or a single one.
func choices(arms []results.ArmEntry) (list []string) {
	for i := range arms {
		if name := withoutEpsilon(&arms[i]); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return rankOf(a) - rankOf(b) })
	if len(list) < 2 || len(list) > figure.MostHues {
		return nil
	}
	return list
}

// rankOf is 1 for the choice of arms without noise, and 0 for others.
func rankOf(choice string) int {
	if choice == "" || choice == withoutNoise {
		return 1
	}
	return 0
}

// values returns the values of a key that give colours, as readers see them, of all arms of a study.
func (p *plotter) values(arms []results.ArmEntry) (list []string) {
	key := p.options.Hue
	for i := range arms {
		value, ok := arms[i].Value(key)
		if !ok || key == study.EachName {
			continue
		}
		if label := valueLabel(key, factorName(p.options, key), value) + p.accounted(key, value); !slices.Contains(list, label) {
			list = append(list, label)
		}
	}
	if len(list) > figure.MostHues {
		return nil
	}
	return list
}

// names returns the names of the arms of a study without the keys that charts, dashes and axis show, where these give
// the colours; nil for other colours, and for more names than colours.
func (p *plotter) names(arms []results.ArmEntry) (list []string) {
	if p.options.Hue != study.EachName {
		return nil
	}
	for i := range arms {
		if name := restLabel(&arms[i], shownElsewhere(p.options)...); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return rankOf(a) - rankOf(b) })
	if len(list) > figure.MostHues {
		return nil
	}
	return list
}

// baselineOf returns the name of the only arm of a study without noise; empty where none or several are, and where
// no arm has noise.
func baselineOf(arms []results.ArmEntry) (name string) {
	silent, noisy := 0, 0
	for i := range arms {
		arm, none, some := &arms[i], false, false
		for _, key := range KeysOf(arm) {
			if value, _ := arm.Value(key); isEpsilon(key) || key == mechanismKind {
				off := value == document.NoEpsilon || key == mechanismKind && value == "none"
				none, some = none || off, some || !off
			}
		}
		switch {
		case none:
			silent++
			name = arm.Name
		case some:
			noisy++
		}
	}
	if silent != 1 || noisy == 0 {
		return ""
	}
	return name
}

// colour gives the curves of a figure the colours that they have in all figures of a study with these arms, and marks
// the baseline. Where two curves of a chart would share a colour, the figure keeps its own.
func (p *plotter) colour(f *figure.Figure, arms []results.ArmEntry) {
	known, baseline := choices(arms), ""
	if !p.options.Grouped { // otherwise it has the colour of its value, as other arms
		baseline = baselineOf(arms)
	}
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			s.Baseline = s.Baseline || baseline != "" && p.armOf[s.Name] == baseline
		}
	}
	if f.Keys() != nil {
		for _, hues := range [][]string{known, p.values(arms), p.names(arms)} {
			if f.Hues == nil && holdsHues(hues, f) {
				f.Hues = hues
			}
		}
		return
	}
	if len(f.Panels) > 0 && oneName(f) {
		return // the charts tell the arms apart
	}
	if len(known) == len(arms) || p.options.Keyed() || stylingOf(arms, true) != (styling{}) {
		chosen := p.place(f, len(known), func(name string) int { return slices.Index(known, p.choiceOf[name]) })
		if chosen || p.options.Keyed() {
			return
		}
	}
	p.place(f, len(arms), func(name string) int {
		return slices.IndexFunc(arms, func(arm results.ArmEntry) bool { return arm.Name == p.armOf[name] })
	})
}

// place gives the curves of a figure the places of their names among some, from 0, where no two curves of a chart have
// one place; it reports whether it did so.
func (p *plotter) place(f *figure.Figure, among int, of func(name string) int) bool {
	if among < 2 || among > figure.Distinct {
		return false
	}
	places := make([][]int, len(f.Charts()))
	for k, panel := range f.Charts() {
		names := map[int]string{} // of curves by place
		for i := range panel.Series {
			s := &panel.Series[i]
			place := of(s.Name)
			if name, taken := names[place]; !s.Reference && (place < 0 || taken && name != s.Name) {
				return false
			}
			names[place] = s.Name
			places[k] = append(places[k], place+1)
		}
	}
	for k, panel := range f.Charts() {
		for i := range panel.Series {
			if s := &panel.Series[i]; !s.Reference || !slices.Contains(places[k][:i], places[k][i]) {
				s.Place = places[k][i] // a line across has a choice of its own, or none
			}
		}
	}
	f.Places = among
	return true
}

// oneName reports whether all curves of a figure have one name, lines across left out.
func oneName(f *figure.Figure) bool {
	names := map[string]bool{}
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			if s := &panel.Series[i]; !s.Reference {
				names[s.Name] = true
			}
		}
	}
	return len(names) == 1
}

// holdsHues reports whether all colours of a figure stand for one of some values.
func holdsHues(values []string, f *figure.Figure) bool {
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			if s := &panel.Series[i]; s.Hue != "" && !slices.Contains(values, s.Hue) {
				return false
			}
		}
	}
	return values != nil
}
