package plot

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/option"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// Validate refuses figures that cannot be drawn of the scenario's arms. With built
// the arms are built, and each figure is rehearsed with made-up values: a study of hours
// must not end in a figure that cannot be drawn. Checks that need the arms are left out
// otherwise. The error has every fault, each at its place in the file.
func Validate(s *study.Scenario, built bool) error {
	var errs []error
	seen := map[string]bool{}
	for i := range s.Plots {
		p := &s.Plots[i]
		at := fmt.Sprintf("plots[%d]", i)
		switch {
		case p.Name == "": // it could not be decoded, or is refused below
		case seen[p.Name]:
			errs = append(errs, document.At(at+".name", "two plots are called %q", p.Name))
		case !study.ValidName.MatchString(p.Name):
			errs = append(errs, document.At(at+".name", "%q names no file: lower-case letters, digits, '.', '_' and '-', at most 100", p.Name))
		}
		seen[p.Name] = true
		err := validatePlot(p, s, built)
		if err == nil && built {
			options := p.Options(s.Kinds.AllMetrics())
			// Drawing made-up values finds faults that no single option shows: two arms on one
			// curve, or an axis without a place for an arm.
			_, err = Figure([]Run{rehearsal(s, &options)}, options)
		}
		var fault *option.Error
		if errors.As(err, &fault) {
			err = option.Under(at, err)
		} else {
			err = option.At(at, err)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// rehearsal returns a run of the scenario that has one row of value 1 for each arm, node
// and metric: enough to show whether there is a place for every curve and point.
func rehearsal(s *study.Scenario, o *study.PlotOptions) Run {
	run := Recorded(s, Arms(s), nil, NewNodeStatistics(o.Metric, o.X))
	for _, arm := range s.Arms {
		for _, metric := range []string{o.Metric, acrossMetric(o)} {
			if !study.RecordsMetric(arm, metric) {
				continue
			}
			step := int64(arm.Points[0])
			if !o.OfNodes() {
				run.Rows[metric] = append(run.Rows[metric], results.SummaryRow{Arm: arm.Name, Step: step, Metric: metric, Mean: 1, N: 1})
				continue
			}
			for _, node := range rehearsed(arm, o) {
				run.Nodes.Add(results.Row{Arm: arm.Name, Step: step, Node: &node, Metric: metric, Value: 1})
			}
		}
	}
	return *run
}

// rehearsed returns labels of nodes whose metrics a figure shows.
func rehearsed(arm *study.Arm, o *study.PlotOptions) []int32 {
	if gauge.IsOfOwners(o.Metric) {
		return []int32{1, 2}
	}
	return study.NodeLabels(arm, arm.Measured)
}

// Arms returns the arms in the form of results.
func Arms(s *study.Scenario) []results.ArmEntry {
	arms := make([]results.ArmEntry, len(s.Arms))
	for i, arm := range s.Arms {
		arms[i] = results.ArmEntry{Name: arm.Name, Overrides: arm.Overrides, Values: arm.Values}
		if first := int64(arm.Extent.FirstStep); first != int64(s.Arms[0].Extent.FirstStep) {
			arms[i].FirstStep = &first
		}
	}
	return arms
}

// NodeMetrics returns the metrics of nodes that the figures of the scenario show.
func NodeMetrics(s *study.Scenario) (metrics []string) {
	known := s.Kinds.AllMetrics()
	for _, p := range s.Plots {
		switch o := p.Options(known); {
		case o.Dotted():
			metrics = append(metrics, o.X, o.Metric)
		case p.By == study.EachNode:
			metrics = append(metrics, p.Y)
		}
	}
	if o, ok := usualDots(s); ok {
		metrics = append(metrics, o.X, o.Metric)
	}
	return metrics
}

// Own draws the scenario's own figures of a run that has just ended. A figure without a point,
// such as one of an infinite loss, is left out with a warning: it must not fail the run.
func (r *Run) Own(s *study.Scenario) (figures []figure.Named, warnings []results.Warning) {
	for _, p := range s.Plots {
		f, err := Figure([]Run{*r}, p.Options(s.Kinds.AllMetrics()))
		if err != nil {
			warnings = append(warnings, results.Warning{Code: "plot", Message: fmt.Sprintf("plot %s is left out: %v", p.Name, err)})
			continue
		}
		figures = append(figures, figure.Named{Name: p.Name, Figure: f})
	}
	return figures, warnings
}

// NodeStatistics are means and standard errors over the seeds of metrics of nodes, which
// summaries leave out. They are taken by Welford's recurrence in the order of the rows:
// with d = x - m, m becomes m + d/n and S becomes S + d (x - m), where the second m is
// the new one. The order of the rows is fixed, and so are the bits of the result.
type NodeStatistics struct {
	// Metrics are the names that Add takes; it ignores others. index finds a statistic in
	// list, which is in the order of first rows.
	Metrics []string
	index   map[nodeKey]int
	list    []nodeStatistic
}

// nodeKey identifies one statistic. A metric of a node has one value for each seed under a
// key.
type nodeKey struct {
	arm, metric string
	step        int64
	node        int32
}

// nodeStatistic holds the mean and the sum of squared deviations of the values so far.
type nodeStatistic struct {
	nodeKey
	// squares is S of NodeStatistics, the sum of squared deviations from the mean.
	n             int64
	mean, squares float64
}

// NewNodeStatistics returns the statistics of the named metrics of nodes, with no rows yet.
func NewNodeStatistics(metrics ...string) *NodeStatistics {
	return &NodeStatistics{Metrics: metrics, index: map[nodeKey]int{}}
}

// Add adds a row, if it has one of the metrics.
func (s *NodeStatistics) Add(row results.Row) {
	if row.Node == nil || !slices.Contains(s.Metrics, row.Metric) {
		return
	}
	key := nodeKey{row.Arm, row.Metric, row.Step, *row.Node}
	i, ok := s.index[key]
	if !ok {
		i = len(s.list)
		s.index[key] = i
		s.list = append(s.list, nodeStatistic{nodeKey: key})
	}
	v := &s.list[i]
	v.n++
	// Welford's recurrence keeps its precision if the mean is large beside the deviations, and
	// needs one pass.
	delta := row.Value - v.mean
	v.mean += delta / float64(v.n)
	v.squares += float64(delta * (row.Value - v.mean))
}

// nodeRow is a statistic of a node.
type nodeRow struct {
	results.SummaryRow
	node int32
}

// rows returns the statistics in the order in which their first rows came, with steps
// ascending for each arm and node. The standard error is sqrt(S / (n - 1) / n), NaN for a
// single seed. Nil has none.
func (s *NodeStatistics) rows() []nodeRow {
	if s == nil {
		return nil
	}
	rows := make([]nodeRow, len(s.list))
	for i, v := range s.list {
		se := math.NaN()
		if n := float64(v.n); n > 1 {
			se = math.Sqrt(v.squares / (n - 1) / n)
		}
		rows[i] = nodeRow{results.SummaryRow{Arm: v.arm, Step: v.step, Metric: v.metric, Mean: v.mean, SE: se, N: v.n}, v.node}
	}
	return rows
}
