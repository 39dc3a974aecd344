package study

import (
	"fmt"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results/figure"
)

// Band is what a plot's bands show to each side of the mean over the seeds.
type Band string

// The bands.
const (
	BandSE   Band = "se"   // the standard error of the mean
	BandSD   Band = "sd"   // the standard deviation of a seed: se·√n
	BandNone Band = "none" // no band
)

// Bands lists the bands.
func Bands() []Band { return []Band{BandSE, BandSD, BandNone} }

// What an axis and the curves can be besides swept keys and metrics.
const (
	PlotStep = "step" // x: the steps
	PlotArm  = "arm"  // by: a curve for each arm, or for what arms differ in besides x
	PlotNode = "node" // by: a curve for each measured node
	PlotRun  = "run"  // by: a curve for each run
)

// PlotOptions say what a plot shows.
type PlotOptions struct {
	Metric string // y
	// X is PlotStep, a swept key such as mechanism.epsilon, or a metric; ""
	// is PlotStep. On an axis of a swept key the points are the arms' values
	// at a step; on one of a metric they are the steps.
	X string
	// By is PlotArm, a swept key, PlotNode or PlotRun; "" is PlotArm.
	By string
	// Arms are the arms to show; nil is all. A name that ends in * is the
	// beginning of names.
	Arms       []string
	At         int64 // the step of an axis of a swept key; 0 is each arm's last
	Band       Band
	PerStep    bool // divide y by the step
	LogX, LogY bool
	Title      string // "" makes one
	Size       figure.Size
}

// Validate reports a band that does not exist, and a step that no axis has.
func (o *PlotOptions) Validate() error {
	if !slices.Contains(Bands(), o.Band) {
		return document.At("band", "unknown band %q; known: %s, %s, %s", o.Band, BandSE, BandSD, BandNone)
	}
	if o.At < 0 {
		return document.At("at", "step %d", o.At)
	}
	if o.At > 0 && !o.Keyed() {
		return document.At("at", "only an axis of a swept key shows one step; x is %s", o.Across())
	}
	return nil
}

func (o *PlotOptions) Across() string {
	if o.X == "" {
		return PlotStep
	}
	return o.X
}

func (o *PlotOptions) CurvesBy() string {
	if o.By == "" {
		return PlotArm
	}
	return o.By
}

// Keyed reports whether x is a swept key.
func (o *PlotOptions) Keyed() bool {
	_, metric := metric.Find(o.X)
	return o.Across() != PlotStep && !metric
}

// MostPlots is how many figures a scenario can ask for.
const MostPlots = 100

// PlotSection is a figure that a scenario asks for.
type PlotSection struct {
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

func (p *PlotSection) Options() PlotOptions {
	band := p.Band
	if band == "" {
		band = BandSE
	}
	return PlotOptions{
		Metric: p.Y, X: p.X, By: p.By, Arms: p.Arms, Band: band, PerStep: p.PerStep, LogX: p.LogX, LogY: p.LogY, Title: p.Title,
	}
}

// Validate checks what the plot names. What is empty could not be decoded, and
// is reported. What arms record is known of those that are built.
func (p *PlotSection) Validate(s *Scenario, built bool) error {
	if p.Y == "" {
		return nil
	}
	y, known := metric.Find(p.Y)
	if !known {
		return document.At("y", "%s", document.Unknown("metric", p.Y, metric.Names()))
	}
	options := p.Options()
	if err := options.Validate(); err != nil {
		return err
	}
	switch x, isMetric := metric.Find(p.X); {
	case p.By == PlotNode && y.Level != metric.OfNode:
		return document.At("by", "%s is no metric of nodes", p.Y)
	case p.By != PlotNode && y.Level == metric.OfNode:
		return document.At("y", "%s is a metric of nodes; it needs by: %s", p.Y, PlotNode)
	case p.By == PlotRun:
		return document.At("by", "a scenario's figures show one run")
	case isMetric && (x.Level == metric.OfNode || y.Level == metric.OfNode):
		return document.At("x", "metrics of nodes are shown over steps or a swept key")
	}
	for _, axis := range []struct{ field, metric string }{{"x", p.X}, {"y", p.Y}} {
		_, isMetric := metric.Find(axis.metric)
		if isMetric && !slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return arm.File.Measure.Records(axis.metric) }) {
			return document.At(axis.field, "%s is not recorded: measure.metrics leaves it out", axis.metric)
		}
		if isMetric && built && !slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return RecordsMetric(arm, axis.metric) }) {
			return document.At(axis.field, "%s", notRecorded(s, axis.metric))
		}
	}
	return nil
}

// RecordsMetric reports whether runs of the arm, which must be built, record a metric.
func RecordsMetric(arm *Arm, metric string) bool {
	return arm.File.Measure.Records(metric) && slices.Contains(arm.Algorithm.Metrics, metric)
}

// notRecorded says that no arm records a metric that there is, and which they
// do.
func notRecorded(s *Scenario, metricName string) string {
	var recorded []string
	for _, name := range metric.Names() {
		if slices.ContainsFunc(s.Arms, func(arm *Arm) bool { return RecordsMetric(arm, name) }) {
			recorded = append(recorded, name)
		}
	}
	return fmt.Sprintf("no arm records %s%s", metricName, document.Suggest(metricName, recorded, "they record"))
}
