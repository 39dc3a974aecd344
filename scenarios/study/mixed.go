package study

import (
	"slices"

	"starling/scenarios/gauge"
	"starling/scenarios/kind"
)

// Mixed reports whether the arms run algorithms of several families, kinds that record
// different metrics. A step of one is no step of another, so that they are compared by the
// data that they have seen.
func Mixed(s *Scenario) bool {
	var first []string
	for i, arm := range s.Arms {
		names := familyOf(s, arm)
		if i == 0 {
			first = names
		}
		if !slices.Equal(names, first) {
			return true
		}
	}
	return false
}

// familyOf returns the names of the metrics that runs of an arm's algorithm may record.
func familyOf(s *Scenario, arm *Arm) []string {
	if arm.File.Algorithm != nil {
		if node, ok := arm.File.Algorithm.Get("kind"); ok {
			for _, k := range s.Kinds.Algorithms {
				if k.Kind == node.Value() {
					return k.Metrics.Names()
				}
			}
		}
	}
	return nil
}

// AskedOfOwners returns the names and patterns by which the scenario of an arm asks for quantities
// of single participants: of measure.metrics, and on the axes of figures.
func AskedOfOwners(arm *Arm) []string {
	asked := slices.Clone(arm.File.Measure.Metrics)
	for _, p := range arm.File.Plots {
		asked = append(asked, p.Y, p.X)
	}
	return asked
}

// scoresOfOwners returns the metrics of the scores that an arm records of single participants,
// which the name of the score alone asks for, as far as no other name asks for them.
func scoresOfOwners(arm *Arm) (names []string) {
	if arm.Owners == nil {
		return nil
	}
	for _, q := range arm.Owners.Scores {
		if !slices.ContainsFunc(q.Names(), arm.File.Measure.Records) {
			names = append(names, q.Recorded(arm.Owners.Groups != nil)...)
		}
	}
	return names
}

// Windowed returns the metrics over windows that an arm records; none without measure.window.
func Windowed(kinds *kind.Catalog, arm *Arm) (names []string) {
	if !arm.File.Measure.Window {
		return nil
	}
	for _, m := range kinds.AllMetrics() {
		windows := m.Windows().Names()
		if len(windows) == 0 {
			continue
		}
		if drawn := Asks(arm, m.Name) && slices.Contains(AskedOfOwners(arm), m.Name); drawn || RecordsMetric(arm, m.Name) {
			names = append(names, windows...)
		}
	}
	return names
}

// windowsOf returns the metrics of Windowed that no name of measure.metrics asks for.
func windowsOf(kinds *kind.Catalog, arm *Arm) []string {
	return slices.DeleteFunc(Windowed(kinds, arm), arm.File.Measure.Records)
}

// AlsoRecord returns, by arm, the metrics that the arm records though they are otherwise recorded
// only on request: metrics on the axes of the scenario's figures, and, with arms of different
// families, the data seen; and the metrics of scores of participants and of windows that follow from others.
func AlsoRecord(s *Scenario) [][]string {
	var wanted []string
	for _, p := range s.Plots {
		options := p.Options(s.Kinds.AllMetrics())
		wanted = append(wanted, options.Metric, options.X)
	}
	if Mixed(s) {
		wanted = append(wanted, gauge.DataSeen)
	}
	list := make([][]string, len(s.Arms))
	for i, arm := range s.Arms {
		list[i] = append(scoresOfOwners(arm), windowsOf(s.Kinds, arm)...)
		for _, name := range wanted {
			if Asks(arm, name) && !slices.Contains(arm.Recording.Metrics, name) && !arm.File.Measure.Names(name) && !slices.Contains(list[i], name) {
				list[i] = append(list[i], name)
			}
		}
	}
	return list
}
