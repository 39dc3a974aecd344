package inspect

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/meter"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/show"
	"starling/scenarios/study"
)

// plotFlags are the flags of plot.
type plotFlags struct {
	// metric is on the y axis, by its name in exports.
	metric string
	// x is what is on the x axis: step, a swept key, or another metric. by is what has a
	// curve of its own.
	x, by string
	// arms are the arms to show, all if empty; a name that ends in * stands for all that
	// begin so.
	arms []string
	// at is the step that is shown where x is a swept key; 0 is the last.
	at int64
	// band is what is shown to each side of a curve: se, sd or none.
	band string
	// width is full or column.
	width string
	// out is the file to write; its extension chooses the format.
	out string
	// perStep divides the metric by the step: the average regret of a regret.
	perStep bool
	// Logarithmic axes leave out what is not positive.
	logX, logY bool
}

// newPlot is the verb plot.
func (p program) newPlot() *cobra.Command {
	var flags plotFlags
	cmd := &cobra.Command{
		Use:   "plot RUN... --out FILE",
		Short: "Draw a metric of one or more runs",
		Long: `Draw a metric of one or more runs, folders that hold a manifest.json, over the
steps: a curve for each arm, the mean over the seeds, with a band around it. The
extension of FILE chooses the format: .svg, .png, .pdf, or .json for the points. The
metrics are those of 'starling export RUN --summary', with --by node those of nodes.

The x axis can also be a key that the runs sweep, such as mechanism.epsilon; then
a point is an arm's value at its last step, or at the step --at. It takes numbers
only; arms without noise (none) have no place on it. Or it is another metric, and
a curve goes from step to step. Curves are told apart by arm, where x is swept by
what the arms differ in besides; or by the value of a swept key, by node, or by
run.

Metrics that all algorithms have in common put runs of different algorithms on one
axis: data.seen, rounds (of communication), messages, bytes and epsilon; messages is
short for messages.sent, bytes for bytes.sent, epsilon for epsilon.total. A metric
that is a share, such as accuracy, has no logarithmic axis.`,
		Example: `  starling plot results/dpdonc-localization/0123456789ab --per-step --out regret.svg
  starling plot results/dpdonc-localization/0123456789ab --x mechanism.epsilon --log-x --out privacy.svg
  starling plot results/*/* --y consensus.error --log-y --width column --out consensus.pdf`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return shell.Usage(fmt.Errorf("plot takes the folders of one or more runs"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return plot(p.Kinds.AllMetrics(), args, flags) },
	}
	cmd.Flags().StringVarP(&flags.metric, "y", "y", meter.RegretExpected, "the metric")
	cmd.Flags().StringVarP(&flags.x, "x", "x", study.PlotStep, "step, data.seen, rounds, messages, bytes, epsilon, a swept key such as mechanism.epsilon, or another metric")
	cmd.Flags().StringVar(&flags.by, "by", study.PlotArm, "what has a curve: arm, a swept key, node or run")
	cmd.Flags().StringArrayVar(&flags.arms, "arm", nil, "an arm to show, repeatable; one that ends in * is the beginning of names; absent, all")
	cmd.Flags().Int64Var(&flags.at, "at", 0, "the step shown on an axis of a swept key; 0 is the last")
	cmd.Flags().StringVar(&flags.band, "band", string(study.BandSE), "to each side of a curve: se, the standard error of the mean; sd, the standard deviation of a seed; or none")
	cmd.Flags().BoolVar(&flags.perStep, "per-step", false, "divide the metric by the step")
	cmd.Flags().BoolVar(&flags.logX, "log-x", false, "a logarithmic x axis; what is not positive is left out")
	cmd.Flags().BoolVar(&flags.logY, "log-y", false, "a logarithmic axis of the metric; what is not positive is left out")
	cmd.Flags().StringVar(&flags.width, "width", "full", "full, 8 inches, or column, 3.4 inches for one of two columns")
	cmd.Flags().StringVar(&flags.out, "out", "", "the file to write: .svg, .png, .pdf, or .json for the points")
	return cmd
}

// plot opens the runs, draws and saves. All that can be refused is refused before the
// file is written. show.Plot decides what is drawn, with the same options as the section
// plots of a scenario.
func plot(metrics metric.List, dirs []string, flags plotFlags) error {
	size, ok := map[string]figure.Size{"full": figure.Full, "column": figure.Column}[flags.width]
	if !ok {
		return shell.Usage(fmt.Errorf("unknown width %q; known: full, column", flags.width))
	}
	if flags.out == "" {
		return shell.Usage(fmt.Errorf("plot needs --out FILE"))
	}
	if err := checkFigureFile("out", flags.out); err != nil {
		return err
	}
	var runs []*results.Run
	for _, dir := range dirs {
		run, err := results.Open(dir)
		if err != nil {
			return document.BadInput(err)
		}
		if err := outside(flags.out, dir); err != nil {
			return shell.Usage(err)
		}
		runs = append(runs, run)
	}
	f, err := show.Plot(runs, study.PlotOptions{
		Metric: flags.metric, X: flags.x, By: flags.by, Arms: flags.arms, At: flags.at, Band: study.Band(flags.band),
		PerStep: flags.perStep, LogX: flags.logX, LogY: flags.logY, Size: size, Known: metrics,
	}.Named())
	if err != nil {
		return err
	}
	return figure.Save(f, flags.out)
}

// checkFigureFile refuses the file of a flag whose extension is not that of a figure.
// flag is the name for the error.
func checkFigureFile(flag, file string) error {
	if known := figure.Extensions(); !slices.Contains(known, filepath.Ext(file)) {
		return shell.Usage(fmt.Errorf("--%s %s: the extension must be one of %s", flag, file, strings.Join(known, ", ")))
	}
	return nil
}

// outside refuses a file that lies in the folder of a run, which is sealed with the files
// that it has.
func outside(file, dir string) error {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	folder, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(folder, absolute)
	// A path from the folder that stays below it is local; one that leaves it begins with
	// "..". From one volume to another there is no such path, and the file is outside as
	// well.
	if err == nil && filepath.IsLocal(relative) {
		return fmt.Errorf("--out %s lies in the results folder %s, which must not change", file, dir)
	}
	return nil
}
