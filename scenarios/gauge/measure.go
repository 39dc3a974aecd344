package gauge

import (
	"fmt"
	"slices"

	"starling/scenarios/kind"
	"starling/scenarios/metric"
)

// Measure is a metric of participants' decisions, complete with its gauge: the catalog lists
// it, and an algorithm records it if its problem answers the questions and measure.metrics
// gives its name.
type Measure struct {
	metric.Metric
	// Needs are the questions that a run must answer, in one of several ways; an empty list
	// fits every run.
	Needs []Answers
	// Missing returns the reason why runs with some answers have no such metric, empty if they
	// have it: measure.metrics cannot name it there. nil is that they leave it out.
	Missing func(a Answers) string
	// New makes the gauge of a run that answers them. Its column is of Metric.
	New func(m *Measure, r *Run) Gauge
}

// Declared implements kind.Measure.
func (m *Measure) Declared() metric.Metric { return m.Metric }

// Has reports whether runs with these answers have the metric.
func (m *Measure) Has(a Answers) bool {
	return len(m.Needs) == 0 || slices.ContainsFunc(m.Needs, func(needs Answers) bool { return needs.within(a) })
}

// column returns the column with the values of the metric.
func (m *Measure) column(value func(point int) float64) Column {
	return Column{Metric: m.Metric, Value: value}
}

// Run is the information on a run that a gauge can use.
type Run struct {
	*Probe
	Who Deciders
	Dim int // d
	// Owners are the participants with values that are recorded one by one; nil records none.
	// Wanted reports whether one of their metrics is recorded.
	Owners *Owners
	Wanted Wanted

	asked  []*Measure
	gauges []Gauge
	losses *losses // nil before a measure has asked for them
	// predicted and chosen are the predictions on fresh data and on validation rows.
	predicted, chosen *predictions // nil before a measure has asked for them
}

// Asks reports whether the metric of a name is recorded too.
func (r *Run) Asks(name string) bool {
	return slices.ContainsFunc(r.asked, func(m *Measure) bool { return m.Name == name })
}

// lost returns the losses of all decisions so far, which measures share.
func (r *Run) lost() *losses {
	if r.losses == nil {
		r.losses = &losses{who: r.Who, of: r.Met, running: make([]float64, r.Who.n()), same: r.Same}
		r.losses.later = r.Who.later(r.MetMany, r.losses.take)
		r.gauges = append(r.gauges, r.losses)
	}
	return r.losses
}

// Gauges returns the gauges of a run's measures: first of those that ask the problem nothing,
// then of the others. A gauge that they share comes before the first that needs it.
func Gauges(r Run, asked []*Measure) []Gauge {
	r.asked = asked
	for _, needs := range []bool{false, true} {
		for _, m := range asked {
			if len(m.Needs) > 0 == needs {
				g := m.New(m, &r)
				r.gauges = append(r.gauges, g)
			}
		}
	}
	if r.Owners != nil {
		r.addOwners()
	}
	return r.gauges
}

// InCatalog returns the metrics of participants' decisions, in the order of lists.
func InCatalog() []kind.Measure {
	list := []kind.Measure{&consensus, &lossMean, &lossFresh, &regretFixed, &regretInterval, &regretTracking, &pathLength, &travelled, &dataSeen, &rounds}
	for _, m := range scores() {
		list = append(list, m)
	}
	return list
}

// MissingOf returns the reason why runs with some answers cannot record the measure of a catalog
// with a name; empty where they can, where they may leave it out, and where there is no such
// measure.
func MissingOf(catalog *kind.Catalog, name string, a Answers) string {
	for _, listed := range catalog.Measures {
		if m, ok := listed.(*Measure); ok && m.Name == name && m.Missing != nil {
			return m.Missing(a)
		}
	}
	return ""
}

// MeasuresOf returns the measures of a catalog that runs with these answers have. It panics on a
// measure of another type: no run would record it.
func MeasuresOf(catalog *kind.Catalog, a Answers) (list []*Measure) {
	for _, listed := range catalog.Measures {
		m, ok := listed.(*Measure)
		if !ok {
			panic(fmt.Sprintf("the catalog lists the measure %s as a %T; want a *gauge.Measure", listed.Declared().Name, listed))
		}
		if m.Has(a) {
			list = append(list, m)
		}
	}
	return list
}
