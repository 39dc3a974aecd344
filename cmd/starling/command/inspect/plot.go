package inspect

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// plotFlags are the flags of plot.
type plotFlags struct {
	// metric is on the y axis, by its name in exports.
	metric string
	// x is the quantity on the x axis: step, a swept key, or another metric. by is the key
	// with a curve for each value: arm, a swept key, node or run.
	x, by string
	// facet is the key with a chart for each value, hue the key with a colour for each value,
	// and dash the key with a dash for each value: a swept key, arm or run.
	facet, hue, dash string
	// arms are the arms to show, all if empty; a name that ends in * stands for all that
	// begin so.
	arms []string
	// at is the step that is shown where x is a swept key; 0 is the last.
	at int64
	// band is the spread to each side of a curve: se, sd or none.
	band string
	// width is full, column or a number of inches.
	width string
	// title and labels replace the figure's own; texts can have Greek letters, and raised or
	// lowered parts.
	title, xLabel, yLabel string
	// legend and style are as in figure.Figure, and height is in inches.
	legend, style string
	height        float64
	// out is the file to write; its extension chooses the format.
	out string
	// results is the folder of all results.
	results string
	// caption is the file for a caption, or beside for the name of out with .txt.
	caption string
	// perStep divides the metric by the step: the average regret of a regret.
	perStep bool
	json    *bool
	// Logarithmic axes leave out numbers that are not positive. linearX keeps the x axis
	// linear.
	logX, logY, linearX bool
}

// newPlot is the verb plot.
func (p program) newPlot() *cobra.Command {
	var flags plotFlags
	cmd := &cobra.Command{
		Use:   "plot RUN... --out FILE",
		Short: "Draw a metric of one or more runs",
		Long: `Draw a metric of one or more runs over the steps: a curve for each arm, the mean over
the seeds, with a band around it. The extension of FILE chooses the format: .svg,
.png, .pdf, .csv or .json for the points, or .py for a program that draws them with
matplotlib. The metrics are the same as of 'starling export RUN --summary', with
--by node the metrics of nodes.

The x axis can also be a key that the runs sweep, such as mechanism.epsilon; then
a point is an arm's value at its last step, or at the step --at. Positive values that
lie apart by a factor of 8 or more have a logarithmic axis, unless they are evenly
spaced or --linear-x is given. A key without numbers
has dots with 95 % intervals by its values, and --x run has dots for each run, named by
the keys in which the runs differ. --x arm has a line with a dot for each arm of a run,
the best on top; arms that differ in two keys have a chart for each condition. Arms without noise (none), and one or two that
do not set the key, are lines across the figure, and so are arms without any loss on a
logarithmic axis. With epsilon, a point is an arm's value
at its accounted privacy loss. Or x is another metric, such as epsilon.total, and a curve
goes from step to step. Curves are told apart by arm, where x is swept by
the other keys in which the arms differ; or by the value of a swept key, by node, or by
run.

Arms that differ in two keys, of which one at least has no numbers, are a heat map of the
two with the values at the last step, unless --x, or a flag for curves, asks for another
figure: --x step draws the curves.

Intervals are those of tables: Student's t over the seeds, and a bootstrap over the
seeds for statistics such as regret.expected, at up to 12 records of a curve.

--facet draws a chart for each value of a swept key, beside each other and with the
same axes. --hue gives each value of a key a colour, --dash each value a dash; the
legend then lists the values. Of more than 8 arms that differ in two keys, one has
the colours and the other the dashes by itself; of three, one has charts.

Metrics that all algorithms have in common put runs of different algorithms on one
axis: data.seen, rounds (of communication), messages, bytes and epsilon; messages is
short for messages.sent, bytes for bytes.sent. A metric
that is a share, such as accuracy, has no logarithmic axis.

Beside a picture are its captions: of privacy.pdf, privacy.txt is a paragraph and
privacy.tex has it as \caption{...}, for \input. They state subject, seeds, bands and
their confidence, the baseline, the delta and observers of privacy losses, and the
scenario and hash of each run. A file of the name that is no caption stays as it is;
then, and for points, --caption names a file.

--caption writes a longer caption into one file instead: title, seeds, problem, data,
the privacy of the arms, and hash and digest of each run. The extension .txt, .md,
.tex or .html chooses its form; beside is the name of --out with .txt, and none is no
caption.

` + shell.NamesOfRuns,
		Example: `  starling plot last --per-step --out regret.svg
  starling plot dpdonc-localization --x mechanism.epsilon --out privacy.svg
  starling plot results/network-topologies/0123456789ab --facet topology.kind --hue mechanism.epsilon --out graphs.pdf
  starling plot results/dpdonc-noise/* --x run --y regret.run --out runs.svg
  starling plot results/*/* --y consensus.error --log-y --width column --out consensus.pdf`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return shell.Usage(fmt.Errorf("plot takes the folders of one or more runs"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			parts := &runner.Parts{Loader: p.Loader("")}
			parts.Loader.Showing = true
			defer parts.Close()
			f, err := draw(cmd, p.Kinds.AllMetrics(), args, flags, parts)
			switch {
			case err != nil:
				return err
			case *flags.json:
				return shell.WriteJSON(cmd.OutOrStdout(), plottedOf(flags.out, f))
			}
			return shell.WriteText(cmd.OutOrStdout(), "", drawnText(flags.out, f))
		},
	}
	shell.Synonyms(cmd.Flags(), map[string]string{"metric": "y"}) // as other verbs name it
	cmd.Flags().StringVarP(&flags.metric, "y", "y", gauge.RegretExpected, "the metric; default: the headline of the first run, where it records no regret.expected or states another")
	cmd.Flags().StringVarP(&flags.x, "x", "x", study.AxisStep, "step, arm, data.seen, rounds, messages, bytes, epsilon, a swept key such as mechanism.epsilon, or another metric")
	cmd.Flags().StringVar(&flags.by, "by", study.EachArm, "one curve for each: arm, a swept key, node or run")
	cmd.Flags().StringVar(&flags.facet, "facet", "", "one chart for each: a swept key, arm or run")
	cmd.Flags().StringVar(&flags.hue, "hue", "", "one colour for each: a swept key, arm or run")
	cmd.Flags().StringVar(&flags.dash, "dash", "", "one dash for each: a swept key, arm or run")
	cmd.Flags().StringArrayVar(&flags.arms, "arm", nil, "an arm to show, repeatable; one that ends in * is the beginning of names; default: all")
	cmd.Flags().Int64Var(&flags.at, "at", 0, "the step shown on an axis of a swept key; 0 is the last")
	cmd.Flags().StringVar(&flags.band, "band", "", "to each side of a curve: se, the standard error of the mean; sd, the standard deviation of a seed; ci, the 95 % confidence interval of the mean; or none; default: ci")
	cmd.Flags().BoolVar(&flags.perStep, "per-step", false, "divide the metric by the step")
	cmd.Flags().BoolVar(&flags.logX, "log-x", false, "a logarithmic x axis; points that are not positive are left out")
	cmd.Flags().BoolVar(&flags.linearX, "linear-x", false, "a linear x axis, also of values that lie apart by factors, such as 0.5, 1, 5")
	cmd.Flags().BoolVar(&flags.logY, "log-y", false, "a logarithmic axis of the metric; points that are not positive are left out")
	cmd.Flags().StringVar(&flags.width, "width", "full", widthHelp)
	cmd.Flags().Float64Var(&flags.height, "height", 0, "height in inches, without a legend below; default: 0.6 of the width")
	cmd.Flags().StringVar(&flags.style, "style", "", styleHelp)
	cmd.Flags().StringVar(&flags.title, "title", "", `the title; \epsilon is a Greek letter, _{...} lowers and ^{...} raises; default: a description of the figure`)
	cmd.Flags().StringVar(&flags.xLabel, "xlabel", "", "the label of the x axis")
	cmd.Flags().StringVar(&flags.yLabel, "ylabel", "", "the label of the y axis")
	cmd.Flags().StringVar(&flags.legend, "legend", "", "where the legend stands: right, below or none; default: where it fits")
	cmd.Flags().StringVar(&flags.caption, "caption", "", "write a longer caption into a file: .txt, .md, .tex or .html; beside, the name of --out with .txt; none, no caption; default: captions beside a picture")
	shell.AddResults(cmd, &flags.results)
	flags.json = shell.AddJSON(cmd, "file, title, x_label, y_label, facets (titles of charts), curves (names) and note")
	cmd.Flags().StringVar(&flags.out, "out", "", "the file to write: .svg, .png, .pdf, .csv or .json for the points, or .py for a program that draws it with matplotlib")
	shell.Once(cmd, "y", "out") // a figure has one metric, and a file one figure
	return cmd
}

// draw opens the runs, draws and saves. All bad input is refused before the file is written.
// plot.Draw builds the figure, with the same options as the section plots of a scenario.
func draw(cmd *cobra.Command, metrics metric.List, names []string, flags plotFlags, parts *runner.Parts) (f figure.Figure, err error) {
	if flags.logX && flags.linearX {
		return f, shell.Usage(fmt.Errorf("--log-x and --linear-x ask for two axes; give one of them"))
	}
	page, err := pageOf(flags.width, flags.style, flags.height, metric.FigureLegend(flags.legend))
	if err != nil {
		return f, err
	}
	if flags.out == "" {
		return f, shell.Usage(fmt.Errorf("plot needs --out FILE, such as --out figure.svg"))
	}
	if err := shell.CheckFigureFile("out", flags.out); err != nil {
		return f, err
	}
	runs, err := shell.OpenRuns(cmd, flags.results, names)
	if err != nil {
		return f, err
	}
	for _, run := range runs {
		if err := shell.Outside(flags.out, run.Dir); err != nil {
			return f, shell.Usage(err)
		}
	}
	for _, run := range runs {
		flags.arms = plot.ArmsNamed(run.Manifest.Arms, flags.arms)
	}
	c, err := flags.captionFile(runs)
	if err != nil {
		return f, shell.Usage(err)
	}
	if metrics, err = results.DeclaredMetrics(metrics, runs...); err != nil {
		return f, err
	}
	band := cmp.Or(study.Band(flags.band), study.UsualBand)
	set := func(name string) bool { return cmd.Flags().Changed(name) }
	if !cmd.Flags().Changed("y") {
		if flags.metric, err = plot.UsualMetric(runs[0], flags.metric, metrics); err != nil {
			return f, err
		}
	}
	heat := (!set("x") || flags.x != study.AxisStep) && !slices.ContainsFunc([]string{"by", "facet", "hue", "dash", "log-x", "linear-x"}, set)
	var marks *plot.Marks
	if heat && len(runs) == 1 && flags.at == 0 && len(flags.arms) == 0 { // of last values of all arms, which the tests compare
		if marks, err = view.MarksOf(runs[0], metrics, flags.metric, parts.Statistic); err != nil {
			return f, err
		}
	}
	f, err = plot.DrawMarked(runs, study.PlotOptions{
		Heat:   heat,
		Metric: flags.metric, X: flags.x, By: flags.by, Facet: flags.facet, Hue: flags.hue, Dash: flags.dash, Arms: flags.arms, At: flags.at, Band: band,
		PerStep: flags.perStep, LogX: flags.logX, LogY: flags.logY, ChooseX: !flags.linearX, Size: page.Size, Known: metrics,
		Title: flags.title, XLabel: flags.xLabel, YLabel: flags.yLabel, Width: page.Width, Height: page.Height, Look: page.Look, Legend: page.Legend,
	}.Named(), marks, func(run *results.Run) plot.Halves { return parts.Halves(run) })
	err = document.OfFlags(err, flagOf)
	if err == nil {
		err = c.describe(runs, metrics, flags.arms, f.Title)
	}
	if err != nil {
		return f, err
	}
	if err := figure.Save(f, flags.out); err != nil {
		return f, err
	}
	if err := c.save(); err != nil {
		return f, err
	}
	if flags.caption == "" {
		err = saveCaptions(cmd.ErrOrStderr(), f.Caption, flags.out)
	}
	if err != nil {
		return f, err
	}
	tellFailed(cmd, runs...)
	return f, nil
}

// flagOf names the flag of a key of the section plots.
func flagOf(path string) string {
	key, _, _ := strings.Cut(path, "[")
	switch key {
	case "arms":
		return "arm"
	case "x_label", "y_label":
		return strings.Replace(key, "_", "", 1)
	}
	return strings.ReplaceAll(key, "_", "-")
}

// pageOf returns an empty figure on the page that flags ask for.
func pageOf(width, style string, height float64, legend metric.FigureLegend) (page figure.Figure, err error) {
	page = figure.Figure{Height: height, Look: metric.FigureLook(style), Legend: legend}
	switch width {
	case "full":
		page.Size = metric.FullSize
	case "column":
		page.Size = metric.ColumnSize
	default:
		if page.Width, err = strconv.ParseFloat(width, 64); err != nil {
			return page, shell.Usage(fmt.Errorf("unknown width %q; known: full, column, or a number of inches", width))
		}
	}
	if err := page.Validate(); err != nil {
		return page, shell.Usage(err)
	}
	return page, nil
}

// widthHelp and styleHelp describe flags of figures.
const (
	widthHelp = "full, 8 inches; column, 3.4 by 2.3 inches for one of two columns, without a title of its own; or a number of inches"
	styleHelp = "use of the figure: paper, without a title of its own, or slides, 16:9 with larger letters; default: a screen"
)

// plotted is the content of a figure, for a program.
type plotted struct {
	File   string   `json:"file"`
	Title  string   `json:"title"`
	XLabel string   `json:"x_label"`
	YLabel string   `json:"y_label"`
	Facets []string `json:"facets"`
	Curves []string `json:"curves"`
	Note   string   `json:"note"`
}

func plottedOf(file string, f figure.Figure) plotted {
	p := plotted{file, f.Title, f.XLabel, f.YLabel, []string{}, []string{}, f.Note}
	for _, panel := range f.Charts() {
		if len(f.Panels) > 0 {
			p.Facets = append(p.Facets, panel.Title)
		}
		for _, s := range panel.Series {
			if !slices.Contains(p.Curves, s.Name) {
				p.Curves = append(p.Curves, s.Name)
			}
		}
	}
	return p
}

// drawnText is a line on the content of a file: the curves, each name once, the charts, the metric over its axis, and
// the size of the file.
func drawnText(file string, f figure.Figure) string {
	text := shell.Plain(file) + ": "
	if f.Cells != nil {
		form := "a heat map of "
		if f.Cells.Dots {
			form = "dots in "
		}
		text += form + document.Counted(len(f.Cells.Rows), "row") + " and " + document.Counted(len(f.Cells.Columns), "column")
	} else {
		p := plottedOf(file, f)
		text += document.Counted(len(p.Curves), "curve")
		if len(p.Facets) > 0 {
			text += " in " + document.Counted(len(p.Facets), "chart")
		}
	}
	if what := cmp.Or(f.YLabel, f.Title); what != "" {
		text += ", " + shell.Plain(what)
	}
	if f.XLabel != "" && f.Cells == nil {
		text += " over " + shell.Plain(f.XLabel)
	}
	if info, err := os.Stat(file); err == nil {
		text += " (" + forecast.FormatBytes(info.Size()) + ")"
	}
	return text
}
