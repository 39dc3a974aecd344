package study

import (
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
)

// Emphasis is the metric and the keys that views of a study put first. No result depends on it.
type Emphasis struct {
	// Headline is the name of the metric by which views compare arms; empty leaves the choice to
	// them.
	Headline string
	// Conditions are the swept keys that are conditions, under which the choices of the other keys
	// compare; nil leaves the division to views.
	Conditions []string
}

// Emphasis returns the headline and the conditions that a file states.
func (f *File) Emphasis() Emphasis {
	e := Emphasis{Headline: f.Measure.Headline}
	if f.Sweep == nil {
		return e
	}
	if list, ok := f.Sweep.Get(ConditionsKey); ok {
		for _, key := range list.Items() {
			e.Conditions = append(e.Conditions, key.Value())
		}
	}
	return e
}

// ConditionsKey is the key of a sweep that lists the conditions, and HeadlinePath the path of the
// headline.
const (
	ConditionsKey = "conditions"
	HeadlinePath  = "measure.headline"
)

// CheckHeadline refuses a headline by which no arms compare: one that is unknown or that no arm
// records, a metric of single nodes, and one without a better side.
func CheckHeadline(s *Scenario) error {
	if s.Headline == "" {
		return nil
	}
	if slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return arm.File.Measure.Headline != s.Headline }) {
		return document.At(HeadlinePath, "the headline is the same for all arms, and an arm sets measure as a whole")
	}
	known := s.Kinds.AllMetrics()
	var measured []string
	for _, m := range known {
		if m.Better != "" && m.Level != metric.OfNode && slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return RecordsMetric(arm, m.Name) }) {
			measured = append(measured, m.Name)
		}
	}
	m, ok := known.Find(s.Headline)
	switch {
	case slices.Contains(measured, s.Headline):
		return nil
	case !ok:
		return document.At(HeadlinePath, "%s", document.Unknown("metric", s.Headline, measured))
	case m.Level == metric.OfNode:
		return document.At(HeadlinePath, "%s is of single nodes, and a headline one number an arm%s", m.Name, document.Suggest(s.Headline, measured, "such as"))
	case m.Better == "":
		return document.At(HeadlinePath, "neither side of %s is better%s", m.Name, document.Suggest(s.Headline, measured, "with a better side:"))
	}
	return document.At(HeadlinePath, "no arm records %s; the study measures %s", m.Name, strings.Join(measured, ", "))
}
