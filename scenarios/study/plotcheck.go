package study

import (
	"fmt"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/metric"
)

// Validate checks what the plot names. What is empty could not be decoded, and
// is reported. What arms record is known of those that are built.
func (p *PlotSection) Validate(s *Scenario, built bool) error {
	if p.Y == "" {
		return nil
	}
	metrics := s.Kinds.AllMetrics()
	y, known := metrics.Find(p.Y)
	if !known {
		return document.At("y", "%s", document.Unknown("metric", p.Y, metrics.Names()))
	}
	options := p.Options(metrics)
	if err := options.Validate(); err != nil {
		return err
	}
	// What goes together: metrics of nodes need curves by node, and the other way round.
	switch x, isMetric := metrics.Find(options.X); {
	case p.By == PlotNode && y.Level != metric.OfNode:
		return document.At("by", "%s is no metric of nodes", p.Y)
	case p.By != PlotNode && y.Level == metric.OfNode:
		return document.At("y", "%s is a metric of nodes; it needs by: %s", p.Y, PlotNode)
	case p.By == PlotRun:
		return document.At("by", "a scenario's figures show one run")
	case p.Facet == PlotRun, p.Hue == PlotRun, p.Dash == PlotRun:
		return document.At(fieldOf(p), "a scenario's figures show one run")
	case isMetric && (x.Level == metric.OfNode || y.Level == metric.OfNode):
		return document.At("x", "metrics of nodes are shown over steps or a swept key")
	}
	for _, axis := range []struct{ field, metric string }{{"x", options.X}, {"y", p.Y}} {
		_, isMetric := metrics.Find(axis.metric)
		if isMetric && !slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return arm.File.Measure.Records(axis.metric) }) {
			return document.At(axis.field, "%s is not recorded: measure.metrics leaves it out", axis.metric)
		}
		if isMetric && built && !slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return RecordsMetric(arm, axis.metric) }) {
			return document.At(axis.field, "%s", notRecorded(s, axis.metric))
		}
	}
	return nil
}

// fieldOf is the first field of a plot that names runs.
func fieldOf(p *PlotSection) string {
	switch PlotRun {
	case p.Facet:
		return "facet"
	case p.Hue:
		return "hue"
	}
	return "dash"
}

// RecordsMetric reports whether runs of the arm, which must be built, record a metric.
func RecordsMetric(arm *Arm, metric string) bool {
	p := &arm.Algorithm
	if slices.Contains(p.Metrics, metric) || slices.Contains(p.Stated.Metrics, metric) {
		return arm.File.Measure.Records(metric)
	}
	return slices.Contains(p.Asked, metric) && arm.File.Measure.Names(metric)
}

// notRecorded says that no arm records a metric that there is, and which they
// do.
func notRecorded(s *Scenario, metricName string) string {
	var recorded []string
	for _, name := range s.Kinds.AllMetrics().Names() {
		if slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return RecordsMetric(arm, name) }) {
			recorded = append(recorded, name)
		}
	}
	return fmt.Sprintf("no arm records %s%s", metricName, document.Suggest(metricName, recorded, "they record"))
}
