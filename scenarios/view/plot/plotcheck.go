package plot

import (
	"fmt"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/study"
)

// validatePlot checks the names in a plot. An empty option could not be decoded, and is
// reported. The recorded metrics are known only of arms that are built.
func validatePlot(p *study.PlotSection, s *study.Scenario, built bool) error {
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
	// Combinations: metrics of nodes need curves by node, and the other way round.
	switch x, isMetric := metrics.Find(options.X); {
	case p.By == study.EachNode && y.Level != metric.OfNode:
		return document.At("by", "%s is no metric of nodes", p.Y)
	case options.Dotted():
	case p.By != study.EachNode && y.Level == metric.OfNode:
		return document.At("y", "%s is a metric of nodes; it needs by: %s", p.Y, study.EachNode)
	case p.By == study.EachRun:
		return document.At("by", "a scenario's figures show one run")
	case p.Facet == study.EachRun, p.Hue == study.EachRun, p.Dash == study.EachRun:
		return document.At(fieldOf(p), "a scenario's figures show one run")
	case isMetric && (x.Level == metric.OfNode || y.Level == metric.OfNode):
		return document.At("x", "metrics of nodes are shown over steps, a swept key or another metric of nodes")
	}
	for _, axis := range []struct{ field, metric string }{{"x", options.X}, {"y", p.Y}} {
		_, isMetric := metrics.Find(axis.metric)
		if isMetric && !slices.ContainsFunc(s.Arms, func(arm *study.Arm) bool { return arm.File.Measure.Records(axis.metric) }) {
			return document.At(axis.field, "%s is not recorded: measure.metrics leaves it out", axis.metric)
		}
		if isMetric && built && !slices.ContainsFunc(s.Arms, func(arm *study.Arm) bool { return study.RecordsMetric(arm, axis.metric) }) {
			return document.At(axis.field, "%s", notRecorded(s, axis.metric))
		}
	}
	return nil
}

// fieldOf returns the first field of a plot that names runs.
func fieldOf(p *study.PlotSection) string {
	switch study.EachRun {
	case p.Facet:
		return "facet"
	case p.Hue:
		return "hue"
	}
	return "dash"
}

// notRecorded is the error for a known metric that no arm records. It lists the recorded ones.
func notRecorded(s *study.Scenario, metricName string) string {
	var recorded []string
	for _, name := range s.Kinds.AllMetrics().Names() {
		if slices.ContainsFunc(s.Arms, func(arm *study.Arm) bool { return study.RecordsMetric(arm, name) }) {
			recorded = append(recorded, name)
		}
	}
	return fmt.Sprintf("no arm records %s%s", metricName, document.Suggest(metricName, recorded, "they record"))
}
