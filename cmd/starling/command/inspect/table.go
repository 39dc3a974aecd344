package inspect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starling/actors/atomicfile"
	"starling/cmd/starling/command/shell"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/results/typeset"
	"starling/scenarios/runner"
	"starling/scenarios/view"
	"starling/scenarios/view/paper"
	"starling/scenarios/view/plot"
)

// tableFlags are the flags of table.
type tableFlags struct {
	paper.Options
	// metrics are lists of metrics with commas between them.
	metrics         []string
	interval, marks string
	at              int64
	// p asks for p-values against the baseline.
	p bool
	// caption is auto or none.
	caption string
	// format is the format; empty is by the end of the name of out, the file to write.
	format, out string
	siunitx     bool
	// results is the folder of all results.
	results string
	json    *bool
}

// The values of --marks and --caption.
const (
	bestMarks   = "best"
	autoCaption = "auto"
	fullCaption = "full"
	noneOf      = "none"
)

// newTable is the verb table.
func (p program) newTable() *cobra.Command {
	var flags tableFlags
	cmd := &cobra.Command{
		Use:   "table RUN",
		Short: "Make the table of a paper from a run",
		Long: `Make a table of means over the seeds with their errors from a run. The rows are the
arms and the columns the metrics, unless --rows and --columns say otherwise: arm,
metric, or a key that the arms set, such as algorithm.kind and mechanism.epsilon. A
table without an axis of metrics has one metric.

The best mean of a metric is bold, and arms that are not significantly different from it are
underlined; in a terminal they end in * and ~. The tests are paired t-tests over the
seeds: each arm of a condition against the best of it, corrected by Holm's method for
these comparisons. Marks are among arms of one condition: the same accounted epsilon to four
digits at the same delta, for the same unit and neighbours, to the same observers,
and the same learning problem. --observer compares by the losses to one observer.
Arms of other privacy are never marked against each other, and the caption says so.
There are no marks for privacy losses, for metrics without a better side, and with
fewer than 5 seeds.

--p adds p-values against the arm of --baseline, corrected by Holm's method for all
of the table. The caption names the arms whose privacy is not the baseline's.

Intervals are of Student's t over the seeds. Statistics over seeds such as
regret.expected have those of a bootstrap, as runs and compare do.

A value has as many digits as its error, of which two are shown or --digits. LaTeX
has the rules of booktabs, and with --siunitx the columns of numbers of siunitx. CSV
has a cell a line: swept keys of the axes, arm, metric, step, mean, error and n, all
digits, and no marks. Arms and metrics have the names that figures give them, and the
caption has the ids of metrics; CSV and --json have ids, which flags take. The usual
table leaves out means, minima and maxima over steps; numbers of swept keys ascend. More
than 8 arms by metrics are in the order of the headline metric, or of the first --metric,
and a terminal leaves out the columns that it has no room for and names them. The caption is brief on a terminal, and full in files or with --caption full.

` + shell.NamesOfRuns + `

Exit status: 0 done, 1 failed, 2 bad input; then nothing is written.`,
		Example: `  starling table last
  starling table dpdonc-noise --metric regret.run,target.error --interval se --out noise.tex
  starling table results/compare-families/0123456789ab --rows algorithm.kind --columns mechanism.epsilon --metric accuracy.test --format markdown
  starling table results/dpdonc-noise/0123456789ab --p --baseline epsilon=1`,
		Args: shell.Exactly(1, "the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.table(cmd, args[0], &flags) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.metrics, "metric", nil, "a metric, or several with commas between them; repeatable; default: all of the run's usual table")
	f.StringArrayVar(&flags.Arms, "arm", nil, "an arm to show, repeatable; one that ends in * is the beginning of names; default: all")
	f.StringVar(&flags.Rows, "rows", paper.ArmAxis, "one row for each: arm, metric or a swept key")
	f.StringVar(&flags.Columns, "columns", paper.MetricAxis, "one column for each: arm, metric or a swept key")
	f.Int64Var(&flags.at, "at", 0, "the step; default: the last, or the last that all arms reached")
	f.StringVar(&flags.interval, "interval", "", "the error beside a mean: ci, half the width of the 95 % interval, as the run has it; se, the standard error; or none; default: ci, and se in CSV and with --json")
	f.IntVar(&flags.Digits, "digits", 2, "the number of digits of an error, 1 to 10")
	f.StringVar(&flags.marks, "marks", bestMarks, "best, or none")
	f.StringVar(&flags.Observer, "observer", "", "the observer whose losses make arms comparable, such as server; default: all")
	f.BoolVar(&flags.p, "p", false, "add p-values against --baseline")
	f.StringVar(&flags.Baseline, "baseline", "", "the arm of the p-values")
	f.StringVar(&flags.Title, "title", "", "the beginning of the caption; default: the description of the scenario")
	f.StringVar(&flags.caption, "caption", autoCaption, "auto, full or none; auto is one sentence on a terminal, and full in files")
	f.StringVar(&flags.format, "format", "", strings.Join(typeset.Formats(), ", ")+"; default: by the extension of --out, or terminal")
	f.BoolVar(&flags.siunitx, "siunitx", false, "set numbers of LaTeX in columns of siunitx")
	f.StringVar(&flags.out, "out", "", "the file to write: "+strings.Join(typeset.Extensions(), ", ")+", or any with --format")
	shell.AddResults(cmd, &flags.results)
	flags.json = shell.AddJSON(cmd, "rows, columns, caption, cells (row, column, values of swept keys, arm, metric, step, mean, error, n, mark and p) and file")
	return cmd
}

// table makes and writes the table. All bad input is refused before the file is written.
func (p program) table(cmd *cobra.Command, name string, flags *tableFlags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	run, err := shell.OpenRun(cmd, flags.results, name)
	if err != nil {
		return err
	}
	if flags.out != "" {
		if err := shell.Outside(flags.out, run.Dir); err != nil {
			return shell.Usage(err)
		}
	}
	parts := &runner.Parts{Loader: p.Loader("")}
	parts.Loader.Showing = true
	defer parts.Close()
	flags.Statistics = parts.Statistic
	flags.Foremost = flags.Ranked && shell.WidthOf(cmd.OutOrStdout()) > 0
	t, err := makeTable(run, p.Kinds.AllMetrics(), flags)
	if err != nil {
		return err
	}
	tellFailed(cmd, run)
	if flags.out != "" {
		if _, _, err := atomicfile.Write(flags.out, func(w io.Writer) error { return t.Write(w, flags.format) }); err != nil {
			return err
		}
	}
	switch {
	case *flags.json:
		return shell.WriteJSON(cmd.OutOrStdout(), newTableJSON(t, flags.out))
	case flags.out != "":
		return nil
	case flags.format == typeset.Terminal:
		return printTable(cmd.OutOrStdout(), t, flags.Metrics == nil && flags.Columns == paper.MetricAxis)
	}
	return t.Write(cmd.OutOrStdout(), flags.format)
}

// makeTable reads the run.
func makeTable(run *results.Run, metrics metric.List, flags *tableFlags) (*typeset.Table, error) {
	read, err := view.Read(run, metrics)
	if err != nil {
		return nil, err
	}
	options := flags.Options
	options.Arms, options.Baseline = plot.ArmsNamed(read.Arms, options.Arms), plot.ArmNamed(read.Arms, options.Baseline)
	t, err := paper.Build(read, options)
	if err != nil {
		return nil, err
	}
	t.Siunitx = flags.siunitx
	return t, nil
}

// check checks the flags that need no run, and completes the options of the table. It reports
// all faults at once.
func (f *tableFlags) check(cmd *cobra.Command) error {
	var faults []error
	fault := func(format string, arguments ...any) { faults = append(faults, fmt.Errorf(format, arguments...)) }
	for _, list := range f.metrics {
		for name := range strings.SplitSeq(list, ",") {
			f.Metrics = append(f.Metrics, strings.TrimSpace(name))
		}
	}
	for _, choice := range []struct {
		flag, value string
		known       []string
	}{
		{"interval", cmp.Or(f.interval, string(paper.CI)), paper.Intervals()}, {"marks", f.marks, []string{bestMarks, noneOf}}, {"caption", f.caption, []string{autoCaption, fullCaption, noneOf}},
	} {
		if !slices.Contains(choice.known, choice.value) {
			fault("unknown %s %q; known: %s", choice.flag, choice.value, strings.Join(choice.known, ", "))
		}
	}
	f.Labels = !*f.json
	f.Marks, f.Captioned = f.marks == bestMarks, f.caption != noneOf
	if cmd.Flags().Changed("at") {
		f.At = &f.at
	}
	if f.p != (f.Baseline != "") {
		fault("--p and --baseline ARM need each other")
	}
	known := true
	switch {
	case f.format != "":
		known = slices.Contains(typeset.Formats(), f.format)
	case f.out == "":
		f.format = typeset.Terminal
	default:
		if f.format, known = typeset.FormatOf(f.out); !known {
			fault("--out %s: the extension must be one of %s, or --format one of %s", f.out, strings.Join(typeset.Extensions(), ", "), strings.Join(typeset.Formats(), ", "))
			known = true
		}
	}
	if !known {
		fault("unknown format %q; known: %s", f.format, strings.Join(typeset.Formats(), ", "))
	}
	f.Readers = !*f.json && f.format != typeset.CSV
	f.Brief = f.caption == autoCaption && f.format == typeset.Terminal && !*f.json
	f.Ranked = f.format == typeset.Terminal && !*f.json
	f.Interval = cmp.Or(paper.Interval(f.interval), paper.CI)
	if f.interval == "" && (f.format == typeset.CSV || *f.json) { // scripts read the error as a standard error
		f.Interval = paper.SE
	}
	if f.siunitx && f.format != typeset.LaTeX {
		fault("--siunitx is for LaTeX: --format %s, or --out FILE.tex", typeset.LaTeX)
	}
	if len(faults) > 0 {
		return shell.Usage(errors.Join(faults...))
	}
	return nil
}

// printTable prints the table as text, wrapped to the width of a terminal. If equal is true, columns
// with one value are a sentence.
func printTable(w io.Writer, t *typeset.Table, equal bool) error {
	table, notes := t.Plain(), t.Notes()
	if equal {
		var same []string
		if table, same = table.WithoutEqual(); len(same) > 0 {
			notes = append([]string{"Equal in all rows: " + strings.Join(same, "; ") + "."}, notes...)
		}
	}
	if width := shell.WidthOf(w); !t.Tests && len(table.Rows) > paper.ManyArms {
		var left []string
		if table, left = folded(table, width); len(left) > 0 {
			notes = append([]string{fmt.Sprintf("%d columns have no room for: %s. --metric NAME shows one, and --out FILE has all.", width, strings.Join(left, "; "))}, notes...)
		}
	}
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(w)
		if err := shell.WriteText(w, "", note); err != nil {
			return err
		}
	}
	return nil
}

// folded returns a table of many rows without its last columns that a terminal of a width has no room for, and
// their heads. Where three columns fit so, a row is one line.
func folded(table tabular.Table, width int) (rest tabular.Table, left []string) {
	fits := table.Columns(0, min(3, len(table.Header))).FitsWhole(width)
	for rest = table; len(rest.Header) > 2 && !(rest.FitsWhole(width) || !fits && rest.Fits(width)); {
		last := len(rest.Header) - 1
		left = append([]string{rest.Header[last]}, left...)
		rest = rest.Columns(0, last)
	}
	return rest, left
}

// tableJSON is the object that table --json prints. Numbers have all their digits.
type tableJSON struct {
	Rows    []string   `json:"rows"`
	Columns []string   `json:"columns"`
	Caption []string   `json:"caption"`
	Cells   []cellJSON `json:"cells"`
	// File is the file that was written; empty where none was.
	File string `json:"file"`
}

// cellJSON is a cell that is there. Row and Column count from 0, and Values has the values of
// the swept keys of rows and columns. Error and P are null where there is none. Mark is best,
// alike or empty.
type cellJSON struct {
	Row    int          `json:"row"`
	Column int          `json:"column"`
	Values []string     `json:"values"`
	Arm    string       `json:"arm"`
	Metric string       `json:"metric"`
	Step   json.Number  `json:"step"`
	Mean   shell.Number `json:"mean"`
	Error  shell.Number `json:"error"`
	N      int64        `json:"n"`
	Mark   string       `json:"mark"`
	P      shell.Number `json:"p"`
}

func newTableJSON(t *typeset.Table, file string) tableJSON {
	out := tableJSON{Rows: t.Rows, Columns: t.Columns, Caption: append([]string{}, t.Caption...), Cells: []cellJSON{}, File: file}
	marks := map[typeset.Mark]string{typeset.Best: "best", typeset.Alike: "alike"}
	for i, row := range t.Cells {
		for j, c := range row {
			if c.Key == nil {
				continue
			}
			last := len(c.Key) - 3 // values of swept keys come first, then arm, metric and step
			out.Cells = append(out.Cells, cellJSON{
				i, j, append([]string{}, c.Key[:last]...), c.Key[last], c.Key[last+1], json.Number(c.Key[last+2]),
				shell.Number(c.Mean), shell.Number(c.Error), c.N, marks[c.Mark], shell.Number(c.P),
			})
		}
	}
	return out
}
