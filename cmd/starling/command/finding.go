package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/runs"
	"starling/scenarios/runner"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// findingRows is the largest number of rows of a finding that a run prints, so that a terminal holds the answer.
const findingRows = 12

// allRows is more than the number of rows of any finding.
const allRows = math.MaxInt32

// rowsOf is the largest number of rows of a finding that a form prints.
func (f runForm) rowsOf() int {
	if f == withNotes {
		return allRows
	}
	return findingRows
}

// find returns the finding of a run, nil where it has none.
func (p program) find(read *view.Run) (*view.Finding, error) {
	loader := p.Loader("")
	loader.Showing = true // no code of the scenario runs
	parts := &runner.Parts{Loader: loader}
	defer parts.Close()
	return read.Find(parts.Statistic)
}

// leadingAnswers is the number of sentences of an answer before its figure: the best arm, by how much, and its privacy.
const leadingAnswers = 3

// printAnswer prints the cautions on a run and its answer, by sentences of which the first say the most.
func printAnswer(w io.Writer, run *results.Run, f *view.Finding, answers []string) error {
	for i, caution := range f.Cautions {
		if err := shell.WriteText(w, "warning: ", caution); err != nil {
			return err
		}
		if i == len(f.Cautions)-1 {
			fmt.Fprintln(w)
		}
	}
	if err := shell.WriteText(w, "", f.Heading()); err != nil {
		return err
	}
	if len(answers) > 0 {
		if err := writeTexts(w, slices.Insert(answers, min(leadingAnswers, len(answers)), figureOf(run, f))); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

// figureOf names the figure that a run of many arms has of its finding, or the command that draws it; empty for few arms.
func figureOf(run *results.Run, f *view.Finding) string {
	if len(f.Rows) <= view.BriefArms {
		return ""
	}
	name := "dots.png"
	if f.Grid != nil {
		name = "heat-map.png"
	}
	file := filepath.Join(run.Dir, "plots", name)
	if _, err := os.Stat(file); err != nil {
		return "Figure: starling plot " + document.Word(named(run)) + " --out figure.pdf draws it."
	}
	return "Figure: " + file
}

// printFinding prints the answer of a run, and the headline metric of at most so many arms, with the
// results of the tests. A single arm has no table. Its legend is left to printDetails, which explains the marks of all tables once.
func printFinding(w io.Writer, run *results.Run, f *view.Finding, most int) error {
	if err := printAnswer(w, run, f, f.AnswersBeside(true)); err != nil {
		return err
	}
	if len(f.Rows) == 1 { // one arm has no other to be compared with
		return nil
	}
	if err := shell.WriteTable(w, f.Table(most)); err != nil {
		return err
	}
	if err := writeTexts(w, f.RemarksBeside(most)); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if costs, legend := f.CostTable(); len(costs.Rows) > 0 {
		if err := shell.WriteTable(w, costs); err != nil {
			return err
		}
		if err := shell.WriteText(w, "", legend); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

// writeTexts prints paragraphs, without the empty ones.
func writeTexts(w io.Writer, texts []string) error {
	for _, text := range texts {
		if text == "" {
			continue
		}
		if err := shell.WriteText(w, "", text); err != nil {
			return err
		}
	}
	return nil
}

// printNext names the figures of a run and the verbs that say more, the answer to the study's question
// first: the comparison with the baseline, and then the report, before the values of all metrics.
func printNext(w io.Writer, read *view.Run, f *view.Finding, form runForm) error {
	run := read.Source
	figures, err := filepath.Glob(filepath.Join(run.Dir, "plots", "*.png"))
	if err != nil {
		return err
	}
	for i, file := range figures {
		figures[i] = strings.TrimSuffix(filepath.Base(file), ".png")
	}
	if figures, err = plot.InOrder(run, figures); err != nil {
		return err
	}
	if len(figures) > 0 {
		if err := shell.WriteText(w, "figures ", filepath.Join(run.Dir, "plots")+": "+strings.Join(figures, ", ")+" (captions .txt, .tex)"); err != nil {
			return err
		}
	}
	name := document.Word(named(run))
	var next []string
	if form != withNotes {
		all, err := notedOf(read, f)
		if err != nil {
			return err
		}
		if text := all.unprinted(form); text != "" {
			if err := shell.WriteText(w, "notes   ", text+": starling notes "+name); err != nil {
				return err
			}
		}
	}
	switch {
	case f == nil || len(f.Rows) < 2:
	case f.Metric.Name == view.LossOfRun.Name:
		next = append(next, fmt.Sprintf("privacy %s --matrix", name))
	default:
		next = append(next, fmt.Sprintf("compare %s --baseline %s", name, document.Word(f.Name(f.Baseline))))
	}
	if mapped, err := ofPairs(run); err != nil {
		return err
	} else if mapped {
		next = append(next, fmt.Sprintf("privacy %s --pairs --plot pairs.svg", name))
	}
	next = append(next, "report "+name)
	if form == headlinesOnly {
		next = append(next, "table "+name)
	}
	if f != nil && len(f.Rows) > 1 {
		next = append(next, "plot "+name+" --out figure.pdf")
	}
	for i, verb := range next {
		head := "        "
		if i == 0 {
			head = "next    "
		}
		if width := shell.WidthOf(w); width > 0 && utf8.RuneCountInString(head+"starling "+verb) > width { // as a shell takes it
			verb = strings.Replace(verb, " --", " \\\n            --", 1)
		}
		shell.Printf(w, "%sstarling %s\n", head, verb)
	}
	if text := idsText(run.Manifest.Arms); text != "" {
		return shell.WriteText(w, "ids     ", text)
	}
	return nil
}

// ofPairs reports whether the scenario of a run asks for the losses between single nodes, of which
// there are maps.
func ofPairs(run *results.Run) (bool, error) {
	doc, err := scenarioText(run)
	if err != nil {
		return false, err
	}
	node, ok := doc.Find("measure.pairs")
	return ok && node.Text() == "true", nil
}

// scenarioText returns the scenario of a run as a document.
func scenarioText(run *results.Run) (*document.Document, error) {
	text, err := run.Scenario()
	if err != nil {
		return nil, err
	}
	doc, err := document.Parse(results.ScenarioFile, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run.Dir, err)
	}
	return doc, nil
}

// printPairs prints the losses between single nodes of a run whose scenario asks for them. A scenario that this build
// cannot read has no distances, and no such table.
func (p program) printPairs(w io.Writer, run *results.Run) error {
	asked, err := ofPairs(run)
	if err != nil || !asked {
		return err
	}
	doc, err := scenarioText(run)
	if err != nil {
		return err
	}
	loader := p.Loader("")
	loader.Showing = true // no code of the scenario runs
	s, err := loader.Check(doc)
	if err != nil {
		return nil
	}
	title, table, err := view.PairsByDistance(run, s)
	if err != nil || title == "" {
		return err
	}
	if err := shell.WriteText(w, "", title); err != nil {
		return err
	}
	if err := shell.WriteTable(w, table); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w)
	return err
}

// named is the name of a run by which verbs find it: last where that is the run, the name of its scenario where it is
// the newest of them, or else its folder.
func named(run *results.Run) string {
	if !strings.HasPrefix(run.Dir, shell.UsualResults+string(filepath.Separator)) {
		return run.Dir
	}
	for _, name := range []string{runs.Last, run.Manifest.Scenario} {
		if found, _, err := runs.Newest(shell.UsualResults, name); err == nil && found.Dir == run.Dir {
			return name
		}
	}
	return run.Dir
}

// mostTyped is the largest number of arms with ids in a line.
const mostTyped = 4

// idsText says which names arms have in files where people read others; empty where they are the same. Flags take both.
func idsText(arms []results.ArmEntry) string {
	labels := plot.ArmLabels(arms)
	var list []string
	bare := "" // an arm of which only the blanks differ
	for _, arm := range arms {
		switch label := labels[arm.Name]; {
		case label == arm.Name:
		case strings.ReplaceAll(label, " ", "") == arm.Name:
			bare = cmp.Or(bare, arm.Name)
		default:
			list = append(list, fmt.Sprintf("%s for %s", arm.Name, label))
		}
	}
	switch {
	case len(list) == 0 && bare == "":
		return ""
	case len(list) == 0:
		return fmt.Sprintf("files have the names of arms without blanks, such as %s; flags take both", bare)
	case len(list) > mostTyped:
		return fmt.Sprintf("files have the names of arms in the scenario, such as %s; flags take both, and --json has all", list[0])
	}
	return "files have " + strings.Join(list, ", ") + "; flags take both"
}

// findingJSON is the finding of a run, for a program. Numbers are null where there is none, and
// where they are infinite.
type findingJSON struct {
	Metric   string           `json:"metric"`
	Label    string           `json:"label"`
	Better   string           `json:"better"`
	Step     int64            `json:"step"`
	Seeds    int              `json:"seeds"`
	Baseline string           `json:"baseline"`
	Rows     []findingRowJSON `json:"rows"`
	// Sentences state the tests, and Cautions are reasons for which the order of the arms may be wrong.
	Sentences []string `json:"sentences"`
	Cautions  []string `json:"cautions"`
	// Pairs are the losses between single nodes by arm, of a run that has accounted for them.
	Pairs []pairsJSON `json:"pairs,omitempty"`
}

// pairsJSON has the losses of nodes to one other in an arm: their number, the median and the largest.
type pairsJSON struct {
	Arm     string       `json:"arm"`
	Pairs   int          `json:"pairs"`
	Median  shell.Number `json:"median"`
	Largest shell.Number `json:"largest"`
}

// newPairsJSON returns the losses between single nodes of a run; nil where it has none.
func newPairsJSON(run *results.Run) (list []pairsJSON, err error) {
	if asked, err := ofPairs(run); err != nil || !asked {
		return nil, err
	}
	pairs, err := accounts.PairsOf(run)
	if errors.Is(err, accounts.ErrNoPairs) {
		return nil, nil
	}
	for i := range pairs {
		median, largest := pairs[i].Losses()
		list = append(list, pairsJSON{pairs[i].Arm, len(pairs[i].Rows()), shell.Number(median), shell.Number(largest)})
	}
	return list, err
}

// findingRowJSON is an arm of a finding.
type findingRowJSON struct {
	Arm       string       `json:"arm"`
	Value     shell.Number `json:"value"`
	HalfWidth shell.Number `json:"half_width"`
	// Baseline is the arm with which this one is compared; empty for none.
	Baseline  string       `json:"baseline"`
	Ratio     shell.Number `json:"ratio"`
	RatioLow  shell.Number `json:"ratio_low"`
	RatioHigh shell.Number `json:"ratio_high"`
	PHolm     shell.Number `json:"p_holm"`
	Epsilon   shell.Number `json:"epsilon"`
	// Claimed is the claimed epsilon of the run; null where there is no such number.
	Claimed shell.Number `json:"claimed"`
	// Private reports whether the loss of the run is bounded; Mark is *, ~ or empty.
	Private bool   `json:"private"`
	Mark    string `json:"mark"`
}

// newFindingJSON returns the finding of a run as JSON; nil stays nil.
func newFindingJSON(f *view.Finding, run *results.Run) (*findingJSON, error) {
	if f == nil {
		return nil, nil
	}
	pairs, err := newPairsJSON(run)
	if err != nil {
		return nil, err
	}
	out := &findingJSON{
		Metric: f.Metric.Name, Label: f.Metric.Label, Better: string(f.Metric.Better), Step: f.Step, Seeds: f.Seeds, Baseline: f.Baseline,
		Rows: []findingRowJSON{}, Sentences: append([]string{}, f.Sentences...), Cautions: append([]string{}, f.Cautions...), Pairs: pairs,
	}
	for _, row := range f.Rows {
		claimed := math.NaN()
		if row.Claimed != nil {
			claimed = *row.Claimed
		}
		out.Rows = append(out.Rows, findingRowJSON{
			Arm: row.Arm, Value: shell.Number(row.Value), HalfWidth: shell.Number(row.Half),
			Baseline: row.Baseline, Ratio: shell.Number(row.Ratio.Value), RatioLow: shell.Number(row.Ratio.Low), RatioHigh: shell.Number(row.Ratio.High),
			PHolm: shell.Number(row.P), Epsilon: shell.Number(row.Epsilon), Claimed: shell.Number(claimed), Private: row.Private(), Mark: row.Mark,
		})
	}
	return out, nil
}

// newNotes is the verb notes.
func (p program) newNotes() *cobra.Command {
	var folder string
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "notes RUN",
		Short: "Print the values, notes and warnings of a run",
		Long: `Print all about a finished run: its answer in sentences, the last values of all metrics,
quantities that are derived for its arms, such as bounds of theorems, the privacy
losses to observers, and warnings. 'starling run' prints the table of the finding, and
the values where arms are few.

A RUN is the path of its folder, the name of its scenario, a tag, the beginning of
its hash, 'last', or the folder directly above; of several runs the newest is taken,
and standard error says which.

Exit status: 0 done, 1 failed, 2 bad input.

More: starling help results`,
		Example: "  starling notes last\n  starling notes dpdonc-localization",
		Args:    shell.Exactly(1, "the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := shell.OpenRun(cmd, folder, args[0])
			if err != nil {
				return err
			}
			if *asJSON {
				return p.writeNotesJSON(cmd.OutOrStdout(), run)
			}
			return p.printRun(cmd.OutOrStdout(), run, withNotes)
		},
	}
	shell.AddResults(cmd, &folder)
	asJSON = shell.AddJSON(cmd, "folder, finding, notes (arm, key and value) and warnings")
	return cmd
}

// writeNotesJSON prints the finding, the notes and the warnings of a run, with all digits.
func (p program) writeNotesJSON(w io.Writer, run *results.Run) error {
	read, err := view.Read(run, p.Kinds.AllMetrics())
	if err != nil {
		return err
	}
	f, err := p.find(read)
	if err != nil {
		return err
	}
	finding, err := newFindingJSON(f, run)
	if err != nil {
		return err
	}
	return shell.WriteJSON(w, struct {
		Folder   string            `json:"folder"`
		Finding  *findingJSON      `json:"finding"`
		Notes    []results.Note    `json:"notes"`
		Warnings []results.Warning `json:"warnings"`
	}{run.Dir, finding, append([]results.Note{}, run.Manifest.Notes...), append([]results.Warning{}, run.Manifest.Warnings...)})
}
