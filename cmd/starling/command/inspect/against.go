package inspect

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	json, across bool
	// acrossConditions compares all arms with one baseline.
	acrossConditions bool
	// all prints all arms of a comparison with a baseline.
	all bool
	// results is the folder of all results.
	results string
	// baseline is the arm with which all others are compared; empty is the first argument.
	baseline string
	// metrics are lists of metrics with commas between them.
	metrics []string
	// at is the choice of steps, and observer limits the privacy that is compared to one observer.
	at, observer string
	// reach is the choice of a step of each seed, METRIC=VALUE; empty is none.
	reach string
}

// ofBaseline are the flags of the comparison with a baseline alone.
var ofBaseline = []string{"baseline", "metric", "at", "reach", "observer", "all", "across-conditions"}

// add adds the flags to the verb.
func (f *compareFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.across, "different-problems", false, "compare runs of different problems or data, too")
	flags.StringVar(&f.baseline, "baseline", "", "the arm with which all other arms are compared; default: the first that is named, or, of one run, the arm that 'starling run' names")
	flags.StringArrayVar(&f.metrics, "metric", nil, "a metric, or several with commas between them; repeatable; default: the metric of the first figure")
	flags.StringVar(&f.at, "at", comparison.Last, "the steps: last, step=N, or a recorded metric that grows, such as rounds=N or data.seen=N; without =N the greatest value that all arms reached")
	flags.StringVar(&f.reach, "reach", "", "in place of --at, METRIC=VALUE: of each seed the first recorded step at which the metric is as good as the value, such as loss.train=0.5")
	flags.BoolVar(&f.all, "all", false, "show all arms, where there are more than 12, and not only the best and the worst")
	flags.BoolVar(&f.acrossConditions, "across-conditions", false, "compare all arms with the one baseline, also those under another attack or network")
	flags.StringVar(&f.observer, "observer", "", "the observer whose losses make arms comparable, such as server; default: all")
	shell.AddResults(cmd, &f.results)
}

// baselined reports whether a command line asks for a comparison with a baseline.
func (f *compareFlags) baselined(cmd *cobra.Command, args []string) bool {
	asked := slices.ContainsFunc(ofBaseline, func(name string) bool { return cmd.Flags().Changed(name) })
	return len(args) > 2 || len(args) == 1 || asked && len(args) == 2
}

// aboutBaseline is the part of the help on comparisons with a baseline.
const aboutBaseline = `Comparisons with a baseline are made for one RUN, for three or more, and with --baseline,
--metric or --at. There is a table for each metric and a row for each arm: its value, its
difference from the baseline, the ratio of the two, each with a 95 % interval, p, and a
verdict. A RUN stands for all of its arms. Without --baseline the first argument is the
baseline, and names an arm.

Ratios have Fieller's interval. A dash stands where the baseline is 0, has both signs, or
is not significantly different from 0. Statistics over seeds have a bootstrap interval:
seeds are resampled in pairs, always the same ones, from the folder jobs/ of the run. A
letter marks arms of different privacy. Their verdict is higher or lower, not better or
worse: less noise learns better.

With more than 12 arms a table shows the baseline, the best arms and the worst; --all
shows all.

Arms of one run may learn under several conditions, such as attacks. Each is then compared
with the arm that has the baseline's choices under the same condition, or with the
baseline if there is no such arm. --across-conditions compares all arms with the baseline.
So does a command that names several runs or each arm.

--at chooses the steps, for arms of families that count steps differently. --at
data.seen=N takes from each arm the last recorded step at which data.seen is at most N.
--at data.seen takes the largest N that all arms reached. --reach loss.train=0.5 takes
from each seed the first recorded step at which the loss is at most 0.5, so that --metric
time.elapsed,data.seen compares the time and the data to that target. An arm with a seed
that never reaches the target is left out.`

// against compares arms with a baseline.
func (p program) against(cmd *cobra.Command, args []string, flags *compareFlags) error {
	join, err := flags.join()
	if err != nil {
		return p.withLastStep(cmd, args, flags, err)
	}
	usual := len(args) == 1 && flags.baseline == ""
	sides, named, err := p.openMany(cmd, flags, args)
	if err != nil {
		return err
	}
	var runs []*results.Run
	for _, s := range sides {
		if !slices.Contains(runs, s.Run) {
			runs = append(runs, s.Run)
		}
	}
	known, err := results.DeclaredMetrics(p.Kinds.AllMetrics(), runs...)
	if err != nil {
		return err
	}
	if flags.reach != "" {
		if join, err = reached(join, known); err != nil {
			return err
		}
	}
	loader := p.Loader("")
	loader.Showing = true
	parts := &runner.Parts{Loader: loader}
	defer parts.Close()
	b, err := view.Against(sides, known, view.BaselineOptions{
		Metrics: flags.names(), Join: join, Observer: flags.observer, AcrossProblems: flags.across, AcrossConditions: flags.acrossConditions, Named: named, Statistics: parts.Statistic,
	})
	if other := (*view.OtherProblemError)(nil); errors.As(err, &other) {
		err = document.BadInput(fmt.Errorf("%w\n--different-problems compares them anyway", err))
	} else if errors.Is(err, comparison.ErrNothingCommon) {
		err = document.BadInput(err)
	}
	if err != nil {
		return err
	}
	tellFailed(cmd, runs...)
	if flags.json {
		return shell.WriteJSON(cmd.OutOrStdout(), newAgainstJSON(b))
	}
	if usual {
		err = shell.WriteText(cmd.OutOrStdout(), "baseline  ", sides[0].Shown()+", as 'starling run' has it")
	} else {
		_, err = shell.Printf(cmd.OutOrStdout(), "baseline  %s\n", sides[0].Shown())
	}
	if err != nil {
		return err
	}
	if arm, private, ok := b.Counterpart(); ok && len(runs) == 1 {
		what := "the best arm without a bound on its privacy loss"
		if private {
			what = "the best arm with a bounded privacy loss"
		}
		if err := shell.WriteText(cmd.OutOrStdout(), "or        ", fmt.Sprintf("--baseline %s, %s", document.Word(arm), what)); err != nil {
			return err
		}
	}
	return printAgainst(cmd.OutOrStdout(), b, flags.all)
}

// withLastStep adds the last step of the run to the error of --at where that is a bare number.
func (p program) withLastStep(cmd *cobra.Command, args []string, flags *compareFlags, err error) error {
	if _, number := strconv.ParseInt(flags.at, 10, 64); number != nil {
		return err
	}
	sides, _, failed := p.openMany(cmd, flags, args)
	if failed != nil {
		return err
	}
	return shell.Usage(fmt.Errorf("%w; the run has %s", err, document.Counted(sides[0].Run.Manifest.Horizon, "step")))
}

// join is the choice of steps of the flags. The better side of a metric to be reached is not known yet.
func (f *compareFlags) join() (comparison.Join, error) {
	if f.reach == "" {
		join, err := comparison.ParseJoin(f.at)
		if err != nil {
			return join, shell.Usage(fmt.Errorf("--at: %w", err))
		}
		return join, nil
	}
	join, err := comparison.ParseJoin(f.reach)
	switch {
	case f.at != comparison.Last:
		return join, shell.Usage(errors.New("--at and --reach both choose the steps; leave one of them out"))
	case err != nil:
		return join, shell.Usage(fmt.Errorf("--reach: %w", err))
	case join.Column == "" || join.Column == comparison.StepColumn || math.IsInf(join.Value, 1):
		return join, shell.Usage(fmt.Errorf("--reach: %q is not METRIC=VALUE, such as loss.train=0.5", f.reach))
	}
	return join, nil
}

// reached returns the choice of the steps at which a metric of the runs reaches a value.
func reached(j comparison.Join, known metric.List) (comparison.Join, error) {
	m, ok := known.Find(j.Column)
	if !ok {
		return j, document.BadInput(fmt.Errorf("--reach: unknown metric %q%s", j.Column, document.Suggest(j.Column, known.Names(), "there are")))
	}
	return comparison.Reach(m, j.Value)
}

// names lists the metrics of the flag; nil for the usual ones.
func (f *compareFlags) names() (names []string) {
	for _, list := range f.metrics {
		for name := range strings.SplitSeq(list, ",") {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

// openMany opens the arms that arguments mean, the baseline first, each once; of one run without a baseline
// the arm that its finding has. named reports
// whether every argument names an arm.
func (p program) openMany(cmd *cobra.Command, flags *compareFlags, args []string) (sides []view.Side, named bool, err error) {
	opened := map[string]*results.Run{} // by folder: one run may be named several times
	named = true
	for i, text := range args {
		side, err := openArm(cmd, flags.results, text)
		if err != nil {
			return nil, false, err
		}
		if before := opened[side.Run.Dir]; before != nil {
			side.Run = before
		}
		opened[side.Run.Dir] = side.Run
		if side.Arm != "" {
			sides = append(sides, side)
			continue
		}
		named = false
		switch several := len(side.Run.Manifest.Arms) > 1; {
		case i > 0 || flags.baseline != "" || !several:
		case len(args) == 1:
			return p.ofRun(side.Run)
		default:
			return nil, false, document.BadInput(fmt.Errorf("%s has several arms: choose the baseline by --baseline ARM, or name it first, RUN:ARM", side.Run.Dir))
		}
		for _, arm := range side.Run.Manifest.Arms {
			sides = append(sides, view.Side{Run: side.Run, Arm: arm.Name})
		}
	}
	if flags.baseline != "" {
		if sides, err = withFirst(sides, flags.baseline); err != nil {
			return nil, false, err
		}
	}
	var once []view.Side
	for _, s := range sides {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	if len(once) < 2 {
		return nil, false, document.BadInput(fmt.Errorf("%s is the only arm: there is none to compare with it", once[0].Shown()))
	}
	return once, named, nil
}

// ofRun returns all arms of a run, first the one with which its finding compares the others.
func (p program) ofRun(run *results.Run) (sides []view.Side, named bool, err error) {
	read, err := view.Read(run, p.Kinds.AllMetrics())
	if err != nil {
		return nil, false, err
	}
	baseline, err := read.BaselineArm()
	if err != nil {
		return nil, false, err
	}
	for _, arm := range run.Manifest.Arms {
		sides = append(sides, view.Side{Run: run, Arm: arm.Name})
	}
	sides, err = withFirst(sides, baseline)
	return sides, false, err
}

// withFirst puts the first arm of a name before all others.
func withFirst(sides []view.Side, name string) ([]view.Side, error) {
	i := slices.IndexFunc(sides, func(s view.Side) bool {
		return s.Arm == plot.ArmNamed(s.Run.Manifest.Arms, name) || sideName(s) == name
	})
	if i < 0 {
		var arms []results.ArmEntry
		for _, s := range sides {
			for _, arm := range s.Run.Manifest.Arms {
				same := func(other results.ArmEntry) bool { return other.Name == arm.Name }
				if arm.Name == s.Arm && !slices.ContainsFunc(arms, same) {
					arms = append(arms, arm)
				}
			}
		}
		return nil, document.BadInput(fmt.Errorf("--baseline: there is no arm %q%s", name, plot.SuggestArm(arms, name, "there are")))
	}
	first := sides[i]
	return append([]view.Side{first}, slices.Delete(slices.Clone(sides), i, i+1)...), nil
}

// The heads of columns that a narrow terminal may have no room for, and of the one that then says enough.
const (
	privacyColumn    = "privacy" // letters
	unitColumn       = "per"
	differenceColumn = "difference"
	ratioColumn      = "ratio and 95 %"
)

// narrowed returns a table that is too wide for a terminal without differences, and then without the units or letters of
// privacies, with a line on the arms of each. A width of 0 is no limit.
func narrowed(table tabular.Table, width int) (narrow tabular.Table, line string) {
	if !table.FitsWhole(width) && slices.Contains(table.Header, ratioColumn) {
		table = table.Without(differenceColumn)
	}
	at := slices.IndexFunc(table.Header, func(head string) bool { return head == privacyColumn || head == unitColumn })
	if at < 0 || table.Fits(width) {
		return table, ""
	}
	column := table.Header[at]
	arms := map[string][]string{}
	for _, row := range table.Rows {
		if row[at] != "" {
			arms[row[at]] = append(arms[row[at]], row[0])
		}
	}
	kinds := slices.Sorted(maps.Keys(arms))
	if len(kinds) == 1 {
		return table.Without(column), fmt.Sprintf("All arms have %s %s.", column, kinds[0])
	}
	var parts []string
	for _, kind := range kinds {
		parts = append(parts, strings.TrimPrefix(column+" ", privacyColumn+" ")+kind+": "+document.List(arms[kind]))
	}
	return table.Without(column), "Arms by privacy: " + strings.Join(parts, ". ") + "."
}

// printAgainst prints the tables below the baseline, of many arms the best and the worst unless all is true, and then
// their meaning.
func printAgainst(w io.Writer, b *view.Baseline, all bool) error {
	if b.Within() {
		if err := shell.WriteText(w, "within    ", "each condition: an arm is compared with the arm that has the baseline's choices in the same condition; --across-conditions compares all with the baseline"); err != nil {
			return err
		}
	}
	tables, texts := b.Tables(), b.Texts()
	if len(b.Arms) > view.BriefArms && !all {
		tables, texts = b.Brief("--all shows each, and --json has all digits")
	}
	for _, table := range tables {
		fmt.Fprintln(w)
		if err := shell.WriteText(w, "", table.Heading); err != nil {
			return err
		}
		narrow, privacy := narrowed(table.Table, shell.WidthOf(w))
		if len(table.Rows) > 0 {
			if err := shell.WriteTable(w, narrow); err != nil {
				return err
			}
		}
		if privacy != "" {
			if err := shell.WriteText(w, "", privacy); err != nil {
				return err
			}
		}
		if table.Text != "" {
			if err := shell.WriteText(w, "", table.Text); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(w)
	for _, text := range texts {
		if err := shell.WriteText(w, "", text); err != nil {
			return err
		}
	}
	return printNotes(w, b.Notes)
}

// againstJSON is the object that compare --json prints for a comparison with a baseline. Numbers
// have all their digits; they are null where there is none, and where they are infinite.
type againstJSON struct {
	// Arms has the baseline first; Baseline is its name.
	Baseline string    `json:"baseline"`
	Arms     []armJSON `json:"arms"`
	// At is the choice of steps, as --at takes it or the target of --reach in words, and Observer the only observer that counts.
	At       string `json:"at"`
	Observer string `json:"observer,omitempty"`
	// Confidence is the confidence of each interval by itself: 0.95.
	Confidence float64 `json:"confidence"`
	Correction string  `json:"correction"`
	Tests      int     `json:"tests"`
	// Resamples is the number of samples of seeds that a bootstrap draws.
	Resamples int `json:"resamples"`
	// Rows are by metric, and then the arms, the baseline first.
	Rows  []againstRowJSON `json:"rows"`
	Notes []string         `json:"notes"`
}

// armJSON is an arm with its privacy. SamePrivacy reports whether that is its baseline's:
// otherwise verdicts are empty.
type armJSON struct {
	Run     string `json:"run"`
	Arm     string `json:"arm"`
	Label   string `json:"label"`
	Privacy string `json:"privacy"`
	// Baseline is the label of the arm with which this one is compared.
	Baseline    string `json:"baseline"`
	SamePrivacy bool   `json:"same_privacy"`
}

// againstRowJSON is an arm on a metric.
type againstRowJSON struct {
	Metric string `json:"metric"`
	Arm    string `json:"arm"` // the label
	Step   int64  `json:"step"`
	// Joined is the value of the joining column at the step.
	Joined shell.Number `json:"joined"`
	Seeds  []uint64     `json:"seeds"`
	Value  shell.Number `json:"value"`
	// HalfWidth is half the width of the interval of Value.
	HalfWidth  shell.Number `json:"half_width"`
	Difference shell.Number `json:"difference"`
	// IntervalLow and IntervalHigh are the ends of the interval of Difference.
	IntervalLow  shell.Number `json:"interval_low"`
	IntervalHigh shell.Number `json:"interval_high"`
	Ratio        shell.Number `json:"ratio"`
	RatioLow     shell.Number `json:"ratio_low"`
	RatioHigh    shell.Number `json:"ratio_high"`
	P            shell.Number `json:"p"`
	PHolm        shell.Number `json:"p_holm"`
	// Verdict is better, worse, ~ or empty; Method is paired or bootstrap.
	Verdict string `json:"verdict"`
	Method  string `json:"method"`
	// Incomparable marks a privacy loss for another unit or other neighbours than the baseline's.
	Incomparable bool `json:"incomparable"`
	// Values are under Seeds; empty of a statistic over seeds.
	Values []shell.Number `json:"values"`
}

// newAgainstJSON returns a comparison as JSON. Lists without entries are empty, and never null.
func newAgainstJSON(b *view.Baseline) againstJSON {
	out := againstJSON{
		Baseline: b.Arms[0].Label, At: b.Join.String(), Observer: b.Observer, Confidence: comparison.Confidence,
		Correction: "holm", Tests: b.Tests, Resamples: comparison.Resamples, Rows: []againstRowJSON{}, Notes: append([]string{}, b.Notes...),
	}
	for _, a := range b.Arms {
		out.Arms = append(out.Arms, armJSON{a.Dir, a.Arm, a.Label, b.Conditions[a.Condition].Privacy, b.Arms[a.Baseline].Label, a.Condition == b.Arms[a.Baseline].Condition})
	}
	for i := range b.Metrics {
		of := &b.Metrics[i]
		for k := range of.Rows {
			row := &of.Rows[k]
			line := againstRowJSON{
				Metric: of.Metric.Name, Arm: b.Arms[row.Arm].Label, Step: row.Step, Joined: shell.Number(row.Joined), Seeds: row.Seeds,
				Value: shell.Number(row.Value), HalfWidth: shell.Number(row.Half), Difference: shell.Number(row.Difference),
				IntervalLow: shell.Number(row.Low), IntervalHigh: shell.Number(row.High),
				Ratio: shell.Number(row.Ratio.Value), RatioLow: shell.Number(row.Ratio.Low), RatioHigh: shell.Number(row.Ratio.High),
				P: shell.Number(row.P), PHolm: shell.Number(row.Holm), Verdict: b.Verdict(row, of.Metric), Method: "paired",
				Incomparable: strings.HasPrefix(of.Metric.Name, "epsilon.") && b.Arms[row.Arm].Incomparable, Values: []shell.Number{},
			}
			if row.Bootstrapped {
				line.Method = "bootstrap"
			}
			for _, v := range row.Values {
				line.Values = append(line.Values, shell.Number(v))
			}
			out.Rows = append(out.Rows, line)
		}
	}
	return out
}
