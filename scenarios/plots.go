package scenarios

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/option"
	"starling/scenarios/document"
	"starling/scenarios/results"
)

// mostPlots is how many figures a scenario can ask for.
const mostPlots = 100

// plotSection is a figure that a scenario asks for.
type plotSection struct {
	Name    string   `yaml:"name,required" doc:"name of the figure's files in plots/"`
	Y       string   `yaml:"y,required" doc:"metric to show"`
	X       string   `yaml:"x" doc:"step, a swept key such as mechanism.epsilon, or another metric; absent, step"`
	By      string   `yaml:"by" doc:"what has a curve: arm, a swept key or node; absent, arm"`
	Arms    []string `yaml:"arms" doc:"the arms to show, by name; a name that ends in * is the beginning of names; absent, all"`
	PerStep bool     `yaml:"per_step" doc:"divide y by the step"`
	LogX    bool     `yaml:"log_x" doc:"a logarithmic x axis"`
	LogY    bool     `yaml:"log_y" doc:"a logarithmic y axis"`
	Band    Band     `yaml:"band" doc:"band around a curve: se, the standard error of the mean, sd, the standard deviation of a seed, or none; absent, se"`
	Title   string   `yaml:"title" doc:"title of the figure; absent, what it shows"`
}

func (p *plotSection) options() PlotOptions {
	band := p.Band
	if band == "" {
		band = BandSE
	}
	return PlotOptions{
		Metric: p.Y, X: p.X, By: p.By, Arms: p.Arms, Band: band, PerStep: p.PerStep, LogX: p.LogX, LogY: p.LogY, Title: p.Title,
	}
}

// validatePlots refuses figures that cannot be drawn of the scenario's arms.
// Those that depend on how the arms are built are left out unless they are.
func (s *Scenario) validatePlots(built bool) error {
	if len(s.plots) > mostPlots {
		return document.At("plots", "%d figures; want at most %d", len(s.plots), mostPlots)
	}
	var errs []error
	seen := map[string]bool{}
	for i := range s.plots {
		p := &s.plots[i]
		at := fmt.Sprintf("plots[%d]", i)
		switch {
		case p.Name == "": // which could not be decoded, or is refused below
		case seen[p.Name]:
			errs = append(errs, document.At(at+".name", "two plots are called %q", p.Name))
		case !validName.MatchString(p.Name):
			errs = append(errs, document.At(at+".name", "%q names no file: lower-case letters, digits, '.', '_' and '-', at most 100", p.Name))
		}
		seen[p.Name] = true
		err := p.validate(s, built)
		if err == nil && built {
			options := p.options()
			_, err = plotFigure([]plotRun{s.rehearsal(&options)}, options)
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

// validate checks what the plot names. What is empty could not be decoded, and
// is reported. What arms record is known of those that are built.
func (p *plotSection) validate(s *Scenario, built bool) error {
	if p.Y == "" {
		return nil
	}
	y, known := FindMetric(p.Y)
	if !known {
		return document.At("y", "%s", document.Unknown("metric", p.Y, metricNames()))
	}
	options := p.options()
	if err := options.Validate(); err != nil {
		return err
	}
	switch x, isMetric := FindMetric(p.X); {
	case p.By == PlotNode && y.Level != OfNode:
		return document.At("by", "%s is no metric of nodes", p.Y)
	case p.By != PlotNode && y.Level == OfNode:
		return document.At("y", "%s is a metric of nodes; it needs by: %s", p.Y, PlotNode)
	case p.By == PlotRun:
		return document.At("by", "a scenario's figures show one run")
	case isMetric && (x.Level == OfNode || y.Level == OfNode):
		return document.At("x", "metrics of nodes are shown over steps or a swept key")
	}
	for _, axis := range []struct{ field, metric string }{{"x", p.X}, {"y", p.Y}} {
		_, isMetric := FindMetric(axis.metric)
		if isMetric && !slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return arm.file.Measure.Records(axis.metric) }) {
			return document.At(axis.field, "%s is not recorded: measure.metrics leaves it out", axis.metric)
		}
		if isMetric && built && !slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return arm.records(axis.metric) }) {
			return document.At(axis.field, "%s", s.notRecorded(axis.metric))
		}
	}
	return nil
}

// records reports whether runs of the arm, which must be built, record a metric.
func (arm *Arm) records(metric string) bool {
	return arm.file.Measure.Records(metric) && slices.Contains(arm.algorithm.metrics, metric)
}

// notRecorded says that no arm records a metric that there is, and which they
// do.
func (s *Scenario) notRecorded(metric string) string {
	var recorded []string
	for _, name := range metricNames() {
		if slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return arm.records(name) }) {
			recorded = append(recorded, name)
		}
	}
	return fmt.Sprintf("no arm records %s%s", metric, document.Suggest(metric, recorded, "they record"))
}

// rehearsal is a run of the scenario whose every value is 1, which shows
// whether there is a place for every curve and point.
func (s *Scenario) rehearsal(o *PlotOptions) plotRun {
	run := plotRun{scenario: s.Name, arms: s.resultArms(), of: s.relations()}
	for _, arm := range s.Arms {
		nodes := []int32{noNode}
		if o.by() == PlotNode {
			nodes = arm.labels(arm.measured)
		}
		for _, metric := range []string{o.Metric, o.X} {
			if !arm.records(metric) {
				continue
			}
			for _, node := range nodes {
				run.rows = append(run.rows, plotRow{arm: arm.Name, step: int64(arm.points[0]), metric: metric, node: node, mean: 1, n: 1})
			}
		}
	}
	return run
}

// resultArms are the arms as results have them.
func (s *Scenario) resultArms() []results.Arm {
	arms := make([]results.Arm, len(s.Arms))
	for i, arm := range s.Arms {
		arms[i] = results.Arm{Name: arm.Name, Overrides: arm.Overrides, Values: arm.Values}
	}
	return arms
}

// nodeMetrics are the metrics of nodes that the scenario's figures show.
func (s *Scenario) nodeMetrics() (metrics []string) {
	for _, p := range s.plots {
		if p.By == PlotNode {
			metrics = append(metrics, p.Y)
		}
	}
	return metrics
}

// plotted draws the figures that the scenario asks for. One that has nothing to
// show, such as an infinite loss, is left out with a warning, for it must not
// cost the run.
func (s *Scenario) plotted(summary []results.SummaryRow, nodes *nodeStatistics) (figures []namedFigure, warnings []results.Warning) {
	for _, p := range s.plots {
		options := p.options()
		run := plotRun{scenario: s.Name, arms: s.resultArms(), of: s.relations()}
		if options.by() == PlotNode {
			run.rows = nodes.rows()
		} else {
			for _, row := range summary {
				run.take(row, &options)
			}
		}
		f, err := plotFigure([]plotRun{run}, options)
		if err != nil {
			warnings = append(warnings, results.Warning{Code: "plot", Message: fmt.Sprintf("plot %s is left out: %v", p.Name, err)})
			continue
		}
		figures = append(figures, namedFigure{p.Name, f})
	}
	return figures, warnings
}

// draw is all figures of a run, the usual ones unless the scenario asks for
// its own.
func (c *collector) draw(summary []results.SummaryRow) []namedFigure {
	if c.scenario.plots == nil {
		return c.scenario.figures(summary, c.nodes)
	}
	figures, warnings := c.scenario.plotted(summary, c.perNode)
	c.warnings = append(c.warnings, warnings...)
	return figures
}

// nodeStatistics are means and standard errors over seeds of metrics of nodes,
// which summaries leave out, by Welford's recurrence in the order of the rows.
type nodeStatistics struct {
	metrics []string
	index   map[nodeKey]int
	list    []nodeStatistic
}

type nodeKey struct {
	arm, metric string
	step        int64
	node        int32
}

type nodeStatistic struct {
	nodeKey
	n             int64
	mean, squares float64
}

func newNodeStatistics(metrics ...string) *nodeStatistics {
	return &nodeStatistics{metrics: metrics, index: map[nodeKey]int{}}
}

// add takes a row in, if it is of one of the metrics.
func (s *nodeStatistics) add(row results.Row) {
	if row.Node == nil || !slices.Contains(s.metrics, row.Metric) {
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
	delta := row.Value - v.mean
	v.mean += delta / float64(v.n)
	v.squares += float64(delta * (row.Value - v.mean))
}

// rows are the statistics in the order in which their first rows came, steps
// ascending for each arm and node.
func (s *nodeStatistics) rows() []plotRow {
	rows := make([]plotRow, len(s.list))
	for i, v := range s.list {
		se := math.NaN()
		if n := float64(v.n); n > 1 {
			se = math.Sqrt(v.squares / (n - 1) / n)
		}
		rows[i] = plotRow{v.arm, v.step, v.metric, v.node, v.mean, se, v.n}
	}
	return rows
}
