package plot

import (
	"slices"

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

// colour gives the curves of a figure the colours that they have in all figures of a study with these arms.
// Where two curves of a chart would share a colour, the figure keeps its own.
func (p *plotter) colour(f *figure.Figure, arms []results.ArmEntry) {
	known := choices(arms)
	if f.Keys() != nil {
		for _, hues := range [][]string{known, p.values(arms)} {
			if f.Hues == nil && holdsHues(hues, f) {
				f.Hues = hues
			}
		}
		return
	}
	if len(f.Panels) > 0 && oneName(f) {
		return // the charts tell the arms apart
	}
	places := make([][]int, len(f.Charts()))
	for k, panel := range f.Charts() {
		names := map[int]string{} // of curves by place
		for i := range panel.Series {
			s := &panel.Series[i]
			place := slices.Index(known, p.choiceOf[s.Name])
			if name, taken := names[place]; !s.Reference && (place < 0 || taken && name != s.Name) {
				return
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
