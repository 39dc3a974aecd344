package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// outcomeForm is the form in which an outcome is printed.
type outcomeForm struct {
	// JSON prints an object, and Quiet the folder alone.
	JSON, Quiet bool
	// All prints the last values of all metrics of few arms.
	All bool
	// Brief prints the finding and the first warnings of few arms, too, without values and notes.
	Brief bool
	// Part prints a part of a run in place of its results; nil is a whole run.
	Part func(w io.Writer) error
}

// writeOutcome prints the outcome of a run. It returns the error of arms that failed, which is
// printed last. The consequences of a failed arm for a part are reported by its merge.
func (p program) writeOutcome(cmd *cobra.Command, o *runner.Outcome, f outcomeForm) (err error) {
	w := cmd.OutOrStdout()
	if !f.JSON {
		warnOutcome(cmd.ErrOrStderr(), o)
	}
	switch {
	case f.JSON:
		err = p.writeOutcomeJSON(w, o)
	case f.Quiet:
		_, err = shell.Printf(w, "%s\n", o.Dir)
	case f.Part != nil:
		err = f.Part(w)
	default:
		err = p.printOutcome(w, o, f)
	}
	if err != nil || f.Part != nil || len(o.Failures) == 0 {
		return err
	}
	return fmt.Errorf("%s\nthe results have the other arms. A corrected scenario takes them over, and the same command tries the failed arms again", o.Manifest.Failed())
}

// manyArms is the number of arms above which a run prints its finding alone: the tables of all
// metrics would push it off the screen.
const manyArms = 8

// shortDigest is the number of digits of a digest that people see.
const shortDigest = 12

// printOutcome prints the results of a run, in the order in which a reader needs them:
//
//	the scenario, its seeds and steps
//	the finding: arms by the headline metric            printFinding
//	values and warnings, where its arms are few         printDetails
//	the figures, and verbs that say more                printNext
//	the beginning of the digest, and the folder
//
// The last line is for scripts.
func (p program) printOutcome(w io.Writer, outcome *runner.Outcome, f outcomeForm) error {
	m := &outcome.Manifest
	if outcome.Existing {
		if err := shell.WriteText(w, "", "These results existed already; --again runs the scenario again."); err != nil {
			return err
		}
	}
	if outcome.Adopted > 0 {
		shell.Printf(w, "%s of %d existed already, in %s.\n", document.Counted(outcome.Adopted, "run"), len(m.Arms)*m.Seeds.Count, strings.Join(outcome.From, ", "))
	}
	// The files of the run were compared with the manifest when it was written, or opened.
	form := headlinesOnly
	switch {
	case len(m.Arms) > manyArms || f.Brief:
	case f.All:
		form = withValues
	default:
		form = withFirst
	}
	if err := p.printRun(w, &results.Run{Dir: outcome.Dir, Manifest: outcome.Manifest}, form); err != nil {
		return err
	}
	_, err := shell.Printf(w, "digest  %s... (--json has all)\nresults %s\n", m.Digest[:min(len(m.Digest), shortDigest)], outcome.Dir)
	return err
}

// runForm is the amount that is printed of a run.
type runForm int

const (
	// headlinesOnly is the finding, withFirst the last values of the metrics that figures draw
	// first, and the warnings, too, withValues the values of all metrics, and withNotes all.
	headlinesOnly runForm = iota
	withFirst
	withValues
	withNotes
)

// fileWidth is the number of columns of a finding that no terminal shows.
const fileWidth = 120

// printRun prints the finding of a run and, by the form, its values, notes and warnings.
func (p program) printRun(w io.Writer, run *results.Run, form runForm) error {
	m := &run.Manifest
	shell.Printf(w, "%s: %s, %s\n\n", m.Scenario, document.Counted(m.Seeds.Count, "seed"), document.Counted(m.Horizon, "step"))
	read, err := view.Read(run, p.Kinds.AllMetrics())
	if err != nil {
		return err
	}
	f, err := p.find(read)
	if err != nil {
		return err
	}
	var legend []string
	if f != nil {
		f.Width, f.Wrapped = cmp.Or(shell.WidthOf(w), fileWidth), shell.WidthOf(w) > 0
		if form == withNotes && len(f.Rows) > 1 {
			return p.printNotes(w, read, f)
		}
		if err := printFinding(w, run, f, form.rowsOf()); err != nil {
			return err
		}
	}
	if err := p.printPairs(w, run); err != nil {
		return err
	}
	switch {
	case f != nil && len(f.Rows) > 1:
		legend = f.Legend(form.rowsOf())
	case form == withFirst || form == withValues:
		form = withNotes // no table has the losses of the run
	}
	switch {
	case form != headlinesOnly:
		if err := printDetails(w, read, f, form, legend); err != nil {
			return err
		}
	case len(legend) > 0:
		if err := writeTexts(w, legend); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if form == headlinesOnly {
		if err := writeFirstWarnings(w, read, f); err != nil {
			return err
		}
	}
	return printNext(w, read, f, form)
}

// printNotes prints the answer of a run in sentences, without the table that the run has printed, and the rest in full.
func (p program) printNotes(w io.Writer, read *view.Run, f *view.Finding) error {
	if err := printAnswer(w, read.Source, f, f.AnswersBeside(false)); err != nil {
		return err
	}
	if err := p.printPairs(w, read.Source); err != nil {
		return err
	}
	if err := printDetails(w, read, f, withNotes, nil); err != nil {
		return err
	}
	return printNext(w, read, f, withNotes)
}

// mostWarnings is the largest number of warnings that a run of many arms prints.
const mostWarnings = 2

// writeFirstWarnings prints the first warnings of a run. printNext counts the others.
func writeFirstWarnings(w io.Writer, read *view.Run, f *view.Finding) error {
	all, err := notedOf(read, f)
	if err != nil || len(all.warnings) == 0 {
		return err
	}
	for _, line := range all.warnings[:min(len(all.warnings), mostWarnings)] {
		if err := shell.WriteText(w, "warning: ", line); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(w)
	return err
}

// printDetails prints the contents of a run besides its finding:
//
//	the metrics at the last step; with first: a few besides the finding's
//	the legend of the finding, and of these values
//	with notes: quantities derived for the arms, such as their noise  writeTables
//	with notes: the privacy losses to observers                       writeLedger
//	warnings of the run
func printDetails(w io.Writer, read *view.Run, f *view.Finding, form runForm, legend []string) error {
	m := &read.Source.Manifest
	all, err := notedOf(read, f)
	if err != nil {
		return err
	}
	// Many arms make several tables of a few columns: wider ones wrap and cannot be read.
	options := view.ValuesOptions{Beside: all.private(), PerTable: armsPerTable, Width: cmp.Or(shell.WidthOf(w), view.LineWidth)}
	if form == withFirst {
		options.First = mostFirst
	}
	values, err := read.Values(f, options)
	if err != nil {
		return err
	}
	last := values.Last
	if form != withNotes { // the notes have no table of the finding
		last = read.BesidesFinding(last, f, form.rowsOf())
	}
	if err := writeTables(w, last); err != nil {
		return err
	}
	if len(legend) == 0 || f.Marks == "" {
		legend = append(legend, values.Marks)
	}
	legend = append(legend, values.Errors, values.Same)
	if values.More > 0 {
		legend = append(legend, document.Counted(values.More, "other metric")+": starling table "+document.Word(named(read.Source)))
	}
	if err := writeTexts(w, legend); err != nil {
		return err
	}
	if strings.Join(legend, "") != "" {
		fmt.Fprintln(w)
	}
	tables := values.Owners
	if form == withNotes {
		tables = append(tables, all.notes...)
	}
	if err := writeTables(w, tables); err != nil {
		return err
	}
	if err := writeLeftOut(w, m); err != nil {
		return err
	}
	if form == withNotes {
		if err := writeLedger(w, read.Source, all.ledger); err != nil {
			return err
		}
	}
	return writeWarnings(w, m, f, form == withNotes)
}

// noted is all that the verb notes prints of a run besides values.
type noted struct {
	notes           []tabular.Table
	ledger          tabular.Table
	facts, warnings []string
}

// notedOf returns the notes, the ledger and the warnings of a run, as readers see them: without the warnings that stand above
// the finding.
func notedOf(read *view.Run, f *view.Finding) (n noted, err error) {
	m := &read.Source.Manifest
	ledger, err := accounts.LedgerTable(read.Source)
	if err != nil {
		return n, err
	}
	n.ledger = accounts.ArmsTogether(accounts.Named(ledger, plot.ArmLabels(m.Arms)))
	for _, table := range read.Notes(n.private()) {
		if table.Header[0] == "arm" {
			table = accounts.RowsTogether(table)
		}
		n.notes = append(n.notes, table)
	}
	warnings := view.Labelled(below(m.Warnings, f, false), m.Arms)
	n.facts = view.FactLines(warnings, m.Seeds.Count, len(m.Arms))
	n.warnings, _ = view.WarningLines(warnings, m.Seeds.Count, len(m.Arms))
	return n, nil
}

// below returns the warnings that do not stand above the finding, all where there is none. The causes of failed arms
// are among them only if asked for: the finding names the arms.
func below(warnings []results.Warning, f *view.Finding, causes bool) []results.Warning {
	if f == nil {
		return warnings
	}
	return slices.DeleteFunc(slices.Clone(warnings), func(w results.Warning) bool { return view.Voids(w) && !(causes && view.Fails(w)) })
}

// private reports whether the ledger is printed with the notes.
func (n *noted) private() bool { return len(n.ledger.Rows) > 0 && len(n.ledger.Rows) <= ledgerRows }

// unprinted counts the lines of the notes, and of the ledger, that other forms than withNotes leave out,
// as the verb notes prints them; headlinesOnly leaves out facts and all but the first warnings, too.
func (n *noted) unprinted(form runForm) string {
	notes := 0
	for _, table := range n.notes {
		notes += len(table.Rows)
	}
	warnings := 0
	if form == headlinesOnly {
		notes, warnings = notes+len(n.facts), len(n.warnings)-mostWarnings
	}
	var parts []string
	for _, part := range []struct {
		number int
		of, in string
	}{{notes, "note", ""}, {warnings, "other warning", ""}, {len(n.ledger.Rows), "row", " of the ledger"}} {
		if part.number > 0 {
			parts = append(parts, document.Counted(part.number, part.of)+part.in)
		}
	}
	return strings.Join(parts, ", ")
}

// writeWarnings prints the facts and the warnings of a run that do not stand above its finding, and the causes of
// failed arms only if asked for: a run ends with them.
func writeWarnings(w io.Writer, m *results.Manifest, f *view.Finding, causes bool) error {
	warnings := below(m.Warnings, f, causes)
	more, err := writeRemarks(w, view.Labelled(warnings, m.Arms), m.Seeds.Count, len(m.Arms))
	if err != nil {
		return err
	}
	if more != "" {
		shell.Printf(w, "         (%s)\n", more)
	}
	if len(warnings) > 0 {
		fmt.Fprintln(w)
	}
	return nil
}

// result is the outcome of a run, for a program.
type result struct {
	Folder string `json:"folder"`
	// Digest is empty for a part.
	Digest string `json:"digest,omitempty"`
	// Existing means that the results were there, and Resumed that a run went on.
	Existing bool `json:"existing"`
	Resumed  bool `json:"resumed"`
	// Adopted is the number of runs that were taken over, and From are the folders that had
	// them.
	Adopted  int      `json:"adopted"`
	From     []string `json:"from"`
	Warnings []string `json:"warnings"`
	// Failures has the arms that failed, which the results are without.
	Failures []results.Failure `json:"failures"`
	// Finding is the answer of a whole run; null where it has none.
	Finding *findingJSON `json:"finding"`
}

// writeOutcomeJSON prints the outcome of a run as an object, with its finding.
func (p program) writeOutcomeJSON(w io.Writer, o *runner.Outcome) error {
	out := ended(o)
	if o.Manifest.Digest != "" {
		run := &results.Run{Dir: o.Dir, Manifest: o.Manifest}
		read, err := view.Read(run, p.Kinds.AllMetrics())
		if err != nil {
			return err
		}
		f, err := p.find(read)
		if err != nil {
			return err
		}
		if out.Finding, err = newFindingJSON(f, run); err != nil {
			return err
		}
	}
	return shell.WriteJSON(w, out)
}

// ended is the outcome of a run, for a program.
func ended(o *runner.Outcome) result {
	return result{
		Folder: o.Dir, Digest: o.Manifest.Digest, Existing: o.Existing, Resumed: o.Resumed, Adopted: o.Adopted,
		From: append([]string{}, o.From...), Warnings: append([]string{}, o.Warnings...), Failures: append([]results.Failure{}, o.Failures...),
	}
}

// writeLeftOut names the notes that the run has left out.
func writeLeftOut(w io.Writer, m *results.Manifest) error {
	var keys []string
	for _, n := range m.Notes {
		if study.IsLeftOut(n.Value) && !slices.Contains(keys, n.Key) {
			keys = append(keys, n.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	_, err := shell.Printf(w, "notes left out: %s; run with --notes --again to have them\n\n", strings.Join(keys, ", "))
	return err
}

// warnOutcome prints remarks on the results folder that a user should know, a line each: such as
// files that could not be removed, or that other arithmetic made the results.
func warnOutcome(w io.Writer, o *runner.Outcome) {
	for _, text := range o.Warnings {
		shell.Printf(w, "warning: %s\n", text)
	}
}

// outcomeRemarks prints the notes and the warnings about a scenario before it is run: it is valid, and yet probably
// not as its author wants it.
func outcomeRemarks(w io.Writer, s *study.Scenario) error {
	_, err := writeRemarks(w, view.Labelled(loading.Remarks(s), plot.Arms(s)), s.Seeds.Count, len(s.Arms))
	return err
}

// writeRemarks prints facts as notes, and then warnings. more is the second result of view.WarningLines.
func writeRemarks(w io.Writer, list []results.Warning, seeds, arms int) (more string, err error) {
	for _, fact := range view.FactLines(list, seeds, arms) {
		if err := shell.WriteText(w, "note: ", fact); err != nil {
			return "", err
		}
	}
	lines, more := view.WarningLines(list, seeds, arms)
	for _, line := range lines {
		if err := shell.WriteText(w, "warning: ", line); err != nil {
			return "", err
		}
	}
	return more, nil
}

// ledgerRows is the largest number of rows of a ledger that are printed with a run. For a
// longer ledger the verb that prints it is named: a sweep of many arms would push the metrics
// off the screen.
const ledgerRows = 12

// writeLedger prints the privacy losses to the observers of the run, as later readers of its
// folder see them.
func writeLedger(w io.Writer, run *results.Run, table tabular.Table) error {
	switch {
	case len(table.Rows) == 0:
		return nil
	case len(table.Rows) > ledgerRows:
		_, err := shell.Printf(w, "privacy by observer: starling privacy %s\n\n", document.Word(run.Dir))
		return err
	}
	if err := shell.WriteNarrowed(w, table); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// mostFirst is the largest number of metrics besides the finding's that a run prints.
const mostFirst = 6

// armsPerTable is the number of columns of numbers that a terminal holds.
const armsPerTable = 4

// writeTables prints tables, with an empty line after each.
func writeTables(w io.Writer, tables []tabular.Table) error {
	for _, table := range tables {
		if err := shell.WriteTable(w, table); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}
