package decisions

import (
	"slices"

	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/metric"
)

// Measure is a metric of what participants decide, with all that there is to it: the catalog
// lists it, and every algorithm whose problem answers its questions records it where
// measure.metrics gives its name.
type Measure struct {
	metric.Metric
	// Needs are the questions that a run must answer, in one of several ways; none is that
	// every run will do.
	Needs []Answers
	// New makes the gauge of a run that answers them. Its column is of Metric.
	New func(m *Measure, r *Run) gauge.Gauge
}

// Declared implements kind.Measure.
func (m *Measure) Declared() metric.Metric { return m.Metric }

// Has reports whether runs of these answers have the metric.
func (m *Measure) Has(a Answers) bool {
	return len(m.Needs) == 0 || slices.ContainsFunc(m.Needs, func(needs Answers) bool { return needs.within(a) })
}

// column is the one that shows the values of the metric.
func (m *Measure) column(value func(point int) float64) gauge.Column {
	return gauge.Column{Metric: m.Metric, Value: value}
}

// Run is what a gauge can ask of a run.
type Run struct {
	*Probe
	Who Deciders
	Dim int // d

	asked  []*Measure
	gauges []gauge.Gauge
	losses *losses // nil before a measure has asked for them
}

// Asks reports whether the metric of a name is recorded, too.
func (r *Run) Asks(name string) bool {
	return slices.ContainsFunc(r.asked, func(m *Measure) bool { return m.Name == name })
}

// lost are the losses of all decisions so far, which measures share.
func (r *Run) lost() *losses {
	if r.losses == nil {
		r.losses = &losses{who: r.Who, of: r.Met, running: make([]float64, r.Who.n()), same: r.Same}
		r.losses.later = r.Who.later(r.MetMany, r.losses.take)
		r.gauges = append(r.gauges, r.losses)
	}
	return r.losses
}

// Gauges are those of measures of a run: first of those that ask the problem nothing, then of
// the others, with what they share before the first that needs it.
func Gauges(r Run, asked []*Measure) []gauge.Gauge {
	r.asked = asked
	for _, needs := range []bool{false, true} {
		for _, m := range asked {
			if len(m.Needs) > 0 == needs {
				g := m.New(m, &r)
				r.gauges = append(r.gauges, g)
			}
		}
	}
	return r.gauges
}

// InCatalog are the metrics of what participants decide, in the order of lists.
func InCatalog() []kind.Measure {
	return []kind.Measure{&consensus, &lossMean, &lossFresh, &regretFixed, &regretInterval, &regretTracking, &pathLength, &travelled, &dataSeen, &rounds}
}

// Of are the measures of a catalog that runs of these answers have.
func Of(catalog *kind.Catalog, a Answers) (list []*Measure) {
	for _, m := range catalog.Measures {
		if m, ok := m.(*Measure); ok && m.Has(a) {
			list = append(list, m)
		}
	}
	return list
}
