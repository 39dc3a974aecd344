package study

import (
	"cmp"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// Band is the kind of a plot's bands, to each side of the mean over the seeds.
type Band string

// The bands.
const (
	BandSE Band = "se"   // the standard error of the mean
	BandSD Band = "sd"   // the standard deviation of a seed: se·√n
	BandCI Band = "ci"   // the 95 % confidence interval of the mean, of Student's t
	NoBand Band = "none" // no band
)

// UsualBand is the band of a plot that names none: the interval of findings and tables.
const UsualBand = BandCI

// bands lists the bands.
func bands() []Band { return []Band{BandSE, BandSD, BandCI, NoBand} }

// plotAxes are the words of users for metrics that all algorithms have in common, by which the x
// axis can be named.
var plotAxes = map[string]string{"messages": gauge.MessagesSent, "bytes": gauge.BytesSent}

// PlotAxes returns the names of x axes that all algorithms have in common.
func PlotAxes() []string {
	return []string{AxisStep, gauge.DataSeen, gauge.Rounds, "messages", "bytes", "epsilon"}
}

// The values of an axis and of curves besides swept keys and metrics.
const (
	AxisStep = "step"    // x: the steps
	AxisLoss = "epsilon" // x: the accounted privacy loss of an arm, one point each
	EachArm  = "arm"     // by: a curve for each arm, or for each value in which arms differ besides x
	EachNode = "node"    // by: a curve for each measured node
	EachRun  = "run"     // by: a curve for each run; x: a place for each run, by the keys that differ
	EachName = "name"    // facet, hue, dash: the name of an arm, without the values that the figure shows otherwise
)

// PlotOptions are the content of a plot.
type PlotOptions struct {
	// Metric is the metric of the y axis, by its name in exports.
	Metric string
	// X is Step, a swept key such as mechanism.epsilon, or a metric; "" is Step. On an axis of
	// a swept key the points are the arms' values at a step; on an axis of a metric they are
	// the steps.
	X string
	// By is Arm, a swept key, Node or Run; "" is Arm.
	By string
	// Facet, Hue and Dash are each a swept key, Arm, Run or Name: each of its values has its own
	// chart, colour or dash. All may be empty. Without Hue and Dash, curves that are too many
	// for colours get them by the settings of their arms.
	Facet, Hue, Dash string
	// Arms are the arms to show; nil is all. A name that ends in * is the beginning of names.
	Arms []string
	// At is the step that is shown on an axis of a swept key; 0 is the last of each arm.
	At int64
	// Band is the kind of band to each side of the mean.
	Band Band
	// Heat asks for a heat map in place of curves, where arms differ in two keys and the figure
	// has one run. Numbers refuses an x axis without numbers, as for charts of the page over several runs.
	Heat, Numbers bool
	// PerStep divides y by the step: the average regret of a cumulative one.
	PerStep bool
	// A logarithmic axis leaves out values that are not positive.
	LogX, LogY bool
	// ChooseX makes the x axis of a swept key or of a metric logarithmic where its values lie apart by factors.
	ChooseX bool
	// Title stands above the figure, and labels beside the axes; empty ones are made from the
	// content. A figure for a paper has a title only if Title is not empty.
	Title, XLabel, YLabel string
	// Legend, Look, Width and Height are the fields of figure.Figure.
	Legend        metric.FigureLegend
	Look          metric.FigureLook
	Width, Height float64
	// Size is the size of a page or of one of two columns.
	Size metric.FigureSize
	// Known are the metrics of the catalog.
	Known metric.List
	// Crowded allows more curves than can be told apart. The figure's note says so. Coloured keeps all curves in front,
	// also in a figure of many.
	Crowded, Coloured bool
	// Grouped gives all arms with one value of Hue its colour, also arms that nothing else tells apart.
	Grouped bool
}

// Validate reports a band that does not exist, and a step that no axis has.
func (o *PlotOptions) Validate() error {
	if !slices.Contains(bands(), o.Band) {
		return document.At("band", "unknown band %q; known: %s, %s, %s, %s", o.Band, BandSE, BandSD, BandCI, NoBand)
	}
	for _, axis := range []struct {
		field, metric string
		log           bool
	}{{"log_x", o.X, o.LogX}, {"log_y", o.Metric, o.LogY}} {
		if m, ok := o.Known.Find(axis.metric); ok && axis.log && m.Unit == metric.Share {
			return document.At(axis.field, "%s is a share, whose good values lie on top of each other on a logarithmic axis", axis.metric)
		}
	}
	for _, by := range []struct{ field, value string }{{"facet", o.Facet}, {"hue", o.Hue}, {"dash", o.Dash}} {
		switch {
		case by.value == "":
		case by.value == o.X:
			return document.At(by.field, "%s is on the x axis", o.X)
		case by.value == o.Facet && by.field != "facet":
			return document.At(by.field, "%s has a chart for each value (facet)", o.Facet)
		}
	}
	if o.Dotted() && o.CurvesBy() == EachNode {
		return document.At("by", "%s and %s are metrics of nodes, each of which has a dot; leave this out", o.X, o.Metric)
	}
	if o.At < 0 {
		return document.At("at", "step %d", o.At)
	}
	if o.At > 0 && !o.Keyed() {
		return document.At("at", "only an axis of a swept key shows one step; x is %s", o.Across())
	}
	return nil
}

// Across returns X, or Step if it is empty.
func (o *PlotOptions) Across() string { return cmp.Or(o.X, AxisStep) }

// Named returns the options with two names resolved: a word for an axis, such as bytes,
// becomes its metric, such as bytes.sent, and swept keys become the arms' paths.
func (o PlotOptions) Named() PlotOptions {
	o.X = cmp.Or(plotAxes[o.X], o.X)
	for _, key := range []*string{&o.X, &o.By, &o.Facet, &o.Hue, &o.Dash} {
		if key == &o.X && o.Accounted() {
			continue
		}
		if path, err := document.Canonical(*key); err == nil {
			*key = path
		}
	}
	return o
}

// CurvesBy returns By, or Arm if it is empty.
func (o *PlotOptions) CurvesBy() string {
	if o.By == "" {
		return EachArm
	}
	return o.By
}

// Dotted reports whether both axes are metrics of nodes: the figure has a dot for each node, at
// the last step.
func (o *PlotOptions) Dotted() bool {
	x, _ := o.Known.Find(o.X)
	y, _ := o.Known.Find(o.Metric)
	return x.Level == metric.OfNode && y.Level == metric.OfNode
}

// OfNodes reports whether the figure shows metrics of nodes.
func (o *PlotOptions) OfNodes() bool { return o.CurvesBy() == EachNode || o.Dotted() }

// Accounted reports whether x is the accounted privacy loss of each arm at one step.
func (o *PlotOptions) Accounted() bool { return o.X == AxisLoss }

// Keyed reports whether x is a swept key, or the accounted loss: the figure then has one point an
// arm.
func (o *PlotOptions) Keyed() bool {
	_, metric := o.Known.Find(o.X)
	return o.Across() != AxisStep && !metric
}

// PlotSection is a figure that a scenario asks for.
type PlotSection struct {
	Name    string   `yaml:"name,required" doc:"name of the figure's files in plots/"`
	Y       string   `yaml:"y,required" doc:"metric to show"`
	X       string   `yaml:"x" range:"step, a metric, or a swept key" doc:"step; with a metric of nodes as y another one, such as epsilon.participant, for a dot a node; what all algorithms have in common: data.seen, rounds, messages, bytes or epsilon; a swept key such as mechanism.epsilon; or another metric; absent, step"`
	By      string   `yaml:"by" range:"arm, node, or a swept key" doc:"one curve for each: arm, a swept key or node; absent, arm"`
	Facet   string   `yaml:"facet" range:"arm, name, or a swept key" doc:"one chart for each, beside the others and with the same axes: a swept key such as nodes, arm, or name, the name of an arm without the values of the axis, colours and dashes; absent, one chart, or for more than 12 curves a chart for each value of a key that divides them"`
	Hue     string   `yaml:"hue" range:"arm, name, or a swept key" doc:"one colour for each: a swept key, arm or name; absent, each curve, or for more than 8 curves the values of a key that divides them; numbers have a ramp of colours"`
	Dash    string   `yaml:"dash" range:"arm, name, or a swept key" doc:"one dash for each: a swept key, arm or name; absent, as hue"`
	Arms    []string `yaml:"arms" range:"names of arms, or their beginnings with *" doc:"the arms to show, by name; a name that ends in * is the beginning of names; absent, all"`
	PerStep bool     `yaml:"per_step" doc:"divide y by the step"`
	LogX    bool     `yaml:"log_x" doc:"a logarithmic x axis"`
	LogY    bool     `yaml:"log_y" doc:"a logarithmic y axis"`
	Band    Band     `yaml:"band" oneof:"se sd ci none" doc:"band around a curve: se, the standard error of the mean, sd, the standard deviation of a seed, ci, the 95 % confidence interval of the mean, or none; absent, ci"`
	Title   string   `yaml:"title" range:"any text" doc:"title of the figure; absent, made of its metric and axes"`
	XLabel  string   `yaml:"x_label" range:"any text" doc:"label of the x axis; \\epsilon is a Greek letter, _{...} lowers and ^{...} raises; absent, its metric or key"`
	YLabel  string   `yaml:"y_label" range:"any text" doc:"label of the y axis, as x_label; absent, its metric"`

	Legend metric.FigureLegend `yaml:"legend" oneof:"right below none" doc:"place of the legend: right, below or none; absent, where it fits"`
	Style  metric.FigureLook   `yaml:"style" oneof:"paper slides" doc:"use of the figure: paper, without a title of its own, or slides, with larger letters and lines; absent, a screen"`
	Width  document.Number     `yaml:"width" min:"1.5" max:"40" unit:"inches" doc:"width in inches; absent, 8"`
	Height document.Number     `yaml:"height" min:"1.5" max:"40" unit:"inches" doc:"height in inches, without a legend below; absent, 0.6 of the width"`
}

// PlotOptions returns the content of the plot, given the metrics that there are. If the band is
// absent, or Decode refused it, it is the default band.
func (p *PlotSection) Options(known metric.List) PlotOptions {
	band := p.Band
	if !slices.Contains(bands(), band) {
		band = UsualBand
	}
	return PlotOptions{
		Known:  known,
		Metric: p.Y, X: p.X, By: p.By, Facet: p.Facet, Hue: p.Hue, Dash: p.Dash, Arms: p.Arms, Band: band, PerStep: p.PerStep, LogX: p.LogX, LogY: p.LogY, Title: p.Title,
		XLabel: p.XLabel, YLabel: p.YLabel, Legend: p.Legend, Look: p.Style, Width: float64(p.Width), Height: float64(p.Height),
	}.Named()
}
