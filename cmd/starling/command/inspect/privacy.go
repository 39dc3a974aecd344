package inspect

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// privacyFlags are the flags of privacy.
type privacyFlags struct {
	// units asks for every group of units that pay the same, curve for the loss by step.
	units, curve bool
	// by is group, which is units, or node.
	by string
	// pairs asks for the losses between single nodes.
	pairs bool
	// asJSON and asCSV print for programs, with all digits.
	asJSON, asCSV bool
	// matrix asks for the matrix alone, arms by observers.
	matrix bool
	// observer and unit choose one curve.
	observer string
	unit     int32
	// unitGiven and epsilonGiven are true if the flags are given: 0 is a value of either.
	unitGiven    bool
	epsilon      float64
	epsilonGiven bool
	// results is the folder of all results.
	results string
	// plot is the file to draw the curve to.
	plot string
	// width and style are the page of the figure.
	width, style string
	// loader reads the scenario of the run, for the distances of nodes.
	loader loading.Loader
	// errors takes lines beside the output.
	errors io.Writer
}

// newPrivacy is the verb privacy. It reads the losses that the run has recorded; nothing is
// accounted again.
func (p program) newPrivacy() *cobra.Command {
	var flags privacyFlags
	cmd := &cobra.Command{
		Use:   "privacy RUN",
		Short: "Print the privacy losses of a run, by observer",
		Long: `Print the ledger of a finished run: the privacy loss of each arm to each observer,
beside the claim of the paper, for the unit that pays the most. Observers are wire
(an eavesdropper), server, peer (another client or node), public (the released models
or decisions), and the nodes and coalitions of measure.observers. A unit that sent raw
data is not private to the observers of these data.

flag       prints
--curve    the loss by step, of the unit that pays the most or of --unit
--epsilon  the last step up to which the loss is within an epsilon
--by node  quantiles over the units, and the loss of each unit
--units    the groups of units that pay the same, under each seed
--pairs    the losses of each node to each other; needs measure.pairs
--matrix   only arms by observers

Of a long curve a few points are printed, and of many pairs a summary; --json and
--csv have all. --plot draws a curve, pairs or the matrix. Values are under the seed
in which the loss is largest.

An epsilon holds for neighbouring data that replace a record, or that add or remove
one. The column neighbours, relation in CSV and JSON, says which. Epsilons for
different neighbours do not compare. Where the spending of a run depends on its data, as
in ali-dpfl, the epsilon is the guarantee of the plan. The column odometer is the
spending of this run, which guarantees nothing.

The noise of a simulator can be drawn again and is in floating point: it must not
protect real people's data.

` + shell.NamesOfRuns,
		Example: `  starling privacy last
  starling privacy dpdonc-localization --epsilon 20
  starling privacy ofl-logistic --units --json
  starling privacy ali-fmnist --curve --csv > loss.csv
  starling privacy privacy-observers --matrix --plot matrix.png
  starling privacy muffliato-pairs --pairs --plot pairs.svg
  starling privacy ali-fmnist --curve --observer server --plot loss.svg`,
		Args: shell.Exactly(1, "the folder of one run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.plot == "" && (cmd.Flags().Changed("width") || cmd.Flags().Changed("style")) {
				return shell.Usage(errors.New("--width and --style are of a figure; they need --plot"))
			}
			flags.unitGiven, flags.epsilonGiven = cmd.Flags().Changed("unit"), cmd.Flags().Changed("epsilon")
			run, err := shell.OpenRun(cmd, flags.results, args[0])
			if err != nil {
				return err
			}
			tellFailed(cmd, run)
			flags.loader, flags.errors = p.Loader(""), cmd.ErrOrStderr()
			return showPrivacy(cmd.OutOrStdout(), run, flags)
		},
	}
	shell.AddResults(cmd, &flags.results)
	cmd.Flags().BoolVar(&flags.units, "units", false, "print every group of units, under every seed")
	cmd.Flags().StringVar(&flags.by, "by", "", "one row for each: group, as --units, or node, each unit below quantiles over all; default: each observer")
	cmd.Flags().BoolVar(&flags.curve, "curve", false, "print the loss by step")
	cmd.Flags().BoolVar(&flags.pairs, "pairs", false, "print the knowledge of each node of each other")
	cmd.Flags().BoolVar(&flags.matrix, "matrix", false, "print only the matrix of arms and observers, or draw it with --plot")
	cmd.Flags().StringVar(&flags.observer, "observer", "", "the observer whose curve to print: wire, server, peer, public, a level of servers such as \"level edge\", or nodes of measure.observers such as \"node 3\" and \"nodes 1, 4\"; default: all")
	cmd.Flags().Int32Var(&flags.unit, "unit", 0, "of which unit to print the curve, by its number; default: the one that pays the most")
	shell.Synonyms(cmd.Flags(), map[string]string{"eps": "epsilon"})
	cmd.Flags().Float64Var(&flags.epsilon, "epsilon", 0, "print up to which step the loss is within `EPS`")
	cmd.Flags().StringVar(&flags.plot, "plot", "", "draw the curve, with --pairs all pairs, or with --matrix the matrix, to a file, .svg, .png or .pdf, in place of printing it")
	cmd.Flags().StringVar(&flags.width, "width", "full", widthHelp)
	cmd.Flags().StringVar(&flags.style, "style", "", "use of the figure: paper, without a title of its own, or slides, with larger letters; default: a screen")
	cmd.Flags().BoolVar(&flags.asJSON, "json", false, "print JSON: the entries of the ledger, and the groups of units or the curves")
	cmd.Flags().BoolVar(&flags.asCSV, "csv", false, "print CSV: the groups of units, or the points of the curves")
	return cmd
}

// showPrivacy chooses a page: the ledger, the groups of units, curves, or the step up to which
// an epsilon lasts. The flags choose it:
//
//	--pairs                privacyPairs     the losses between single nodes; --plot of a run that has them
//	--matrix               privacyMatrix    arms by observers
//	--epsilon EPS          privacyWithin    up to which step the loss is within EPS
//	--curve, --plot        printCurves      the loss by step, as a table or a figure
//	--json, --csv          exportPrivacy    the groups of units, for programs
//	--by node              privacyByNode    the units by themselves
//	--units, --by group    printPrivacy     the groups of units, for people
//	none of these          printPrivacy     the ledger: an arm and an observer a row
//
// Flags that a page would ignore are refused: a user that gives --unit wants the number of
// that unit, and would take the table for it.
func showPrivacy(w io.Writer, run *results.Run, flags privacyFlags) error {
	switch flags.by {
	case "":
	case byNode:
		return privacyByNode(w, run, flags)
	case byGroup:
		flags.units = true
	default:
		return shell.Usage(fmt.Errorf("unknown --by %q; known: %s, %s", flags.by, byNode, byGroup))
	}
	if !flags.pairs && !flags.matrix && !flags.epsilonGiven {
		var err error
		if flags.pairs, err = flags.mapsPairs(run); err != nil {
			return err
		}
	}
	if flags.pairs {
		return privacyPairs(w, run, flags)
	}
	if flags.matrix {
		return privacyMatrix(w, run, flags)
	}
	if flags.epsilonGiven {
		return privacyWithin(w, run, flags)
	}
	curves := flags.curve || flags.plot != ""
	if !curves && (flags.observer != "" || flags.unitGiven) {
		return shell.Usage(errors.New("--observer and --unit choose a curve; they need --curve, --plot or --epsilon"))
	}
	if curves && flags.units {
		return shell.Usage(errors.New("--units and --curve exclude each other"))
	}
	if flags.asJSON && flags.asCSV {
		return shell.Usage(errors.New("--json and --csv exclude each other"))
	}
	if curves {
		return printCurves(w, run, flags)
	}
	if flags.asJSON || flags.asCSV {
		return exportPrivacy(w, run, flags.asCSV)
	}
	return printPrivacy(w, run, flags)
}

// privacyWithin prints, for each arm and observer, the step up to which losses are within an
// epsilon. The epsilon of each point is the one that the run has recorded, at the delta of the
// table. Nothing is stated of the steps between two points.
func privacyWithin(w io.Writer, run *results.Run, flags privacyFlags) error {
	if flags.units || flags.curve || flags.plot != "" || flags.asJSON || flags.asCSV {
		return shell.Usage(errors.New("--epsilon prints a table of its own; it goes with --observer and --unit only"))
	}
	// The condition is negated so that NaN, which compares with nothing, is refused.
	if !(flags.epsilon >= 0) {
		return shell.Usage(fmt.Errorf("--epsilon %v is not a number of at least 0", flags.epsilon))
	}
	curves, err := accounts.PrivacyCurves(run, accounts.CurveOptions{Observer: flags.observer, Unit: flags.unit, OfUnit: flags.unitGiven})
	if err != nil {
		return document.BadInput(err)
	}
	return shell.WriteTable(w, labelled(run, accounts.WithinTable(curves, flags.epsilon)))
}

// printCurves prints the losses to observers by each step, or draws them. A table for people
// leaves points of a long curve out and states their number; CSV and JSON have all of them.
func printCurves(w io.Writer, run *results.Run, flags privacyFlags) error {
	curves, err := accounts.PrivacyCurves(run, accounts.CurveOptions{Observer: flags.observer, Unit: flags.unit, OfUnit: flags.unitGiven})
	if err != nil {
		return document.BadInput(err)
	}
	if flags.plot != "" {
		if err := shell.CheckFigureFile("plot", flags.plot); err != nil {
			return err
		}
		// The folder of a run is sealed: its manifest has the hash of each file.
		if err := shell.Outside(flags.plot, run.Dir); err != nil {
			return shell.Usage(err)
		}
		return flags.save(w, run, labelledCurves(run, accounts.CurveFigure(run, curves)))
	}
	rows := accounts.CurveRows(curves)
	switch {
	case flags.asCSV:
		return results.ExportPrivacy(w, rows, run.Manifest.Ledger)
	case !flags.asJSON:
		table, leftOut := accounts.CurveTable(curves)
		if err := shell.WriteTable(w, labelled(run, table)); err != nil || leftOut == 0 {
			return err
		}
		_, err := fmt.Fprintf(w, "\n%s left out; all are printed with --csv or --json\n", document.Counted(leftOut, "point"))
		return err
	}
	return shell.WriteJSON(w, struct {
		Ledger []results.LedgerEntry `json:"ledger"`
		Curve  []privacyRow          `json:"curve"`
	}{run.Manifest.Ledger, rowsOfOne(rows, run)})
}

// rowsOfOne returns the rows of losses that are of one unit each, without the number of units.
func rowsOfOne(rows []results.PrivacyRow, run *results.Run) []privacyRow {
	list := make([]privacyRow, len(rows))
	for i, row := range rows {
		list[i] = newPrivacyRow(row, run.Manifest.Ledger)
		list[i].Units = 0
	}
	return list
}

// privacyRow is a row of privacy.parquet as JSON, or a point of a curve: the loss of a unit to
// an observer by a step. It has the fields of results.PrivacyRow, and the relation, which the ledger
// of the manifest has.
type privacyRow struct {
	// Arm and Seed identify the run, and Observer the observer.
	Arm      string `json:"arm"`
	Seed     uint64 `json:"seed"`
	Observer string `json:"observer"`
	// Unit is the protected unit in the paper's numbering: of a row the first of Units
	// that have the same loss.
	Unit  int32 `json:"unit"`
	Units int32 `json:"units,omitempty"`
	// Step is the step of the last release so far, or of the first that was not protected. For
	// a point of a curve it is a step at which metrics were taken, and at which the loss has
	// grown since the last point.
	Step int64 `json:"step"`
	// Definition is pure, (eps, delta), zCDP, GDP, RDP or not private.
	Definition string `json:"definition"`
	// Epsilon holds at Delta; null where nothing protects. Rho is the parameter of
	// zero-concentrated privacy, 0 where the noise is not Gaussian.
	Epsilon shell.Number `json:"epsilon"`
	Delta   shell.Number `json:"delta"`
	Rho     shell.Number `json:"rho"`
	// Relation is replace or add-or-remove: for which neighbouring data Epsilon holds.
	// Epsilons of different relations do not compare.
	Relation string `json:"relation"`
	// Odometer is the loss that the run has spent so far, where Epsilon is the guarantee of
	// its plan. The spending depends on the data and guarantees nothing. Absent elsewhere.
	Odometer *shell.Number `json:"odometer,omitempty"`
}

// optional is a number of JSON that may be absent.
func optional(x *float64) *shell.Number {
	if x == nil {
		return nil
	}
	n := shell.Number(*x)
	return &n
}

// exportPrivacy prints the groups of units under every seed, for programs. Units that pay
// the same stand together: a run of a million records has a few groups, and
// privacy.parquet has them so.
func exportPrivacy(w io.Writer, run *results.Run, asCSV bool) error {
	var rows []results.PrivacyRow
	if err := run.Privacy(func(row results.PrivacyRow) error { rows = append(rows, row); return nil }); err != nil {
		return err
	}
	if asCSV {
		return results.ExportPrivacy(w, rows, run.Manifest.Ledger)
	}
	groups := make([]privacyRow, len(rows))
	for i, row := range rows {
		groups[i] = newPrivacyRow(row, run.Manifest.Ledger)
	}
	m, err := accounts.MatrixOf(run)
	if err != nil {
		return err
	}
	return shell.WriteJSON(w, struct {
		Ledger []results.LedgerEntry `json:"ledger"`
		Matrix []matrixRow           `json:"matrix"`
		Groups []privacyRow          `json:"groups"`
	}{run.Manifest.Ledger, matrixRows(m), groups})
}

// matrixRow is an arm and an observer of the matrix. Claimed is null where there is no such number,
// and Epsilon where no epsilon bounds the loss; Verdict is kept, exceeded or empty.
type matrixRow struct {
	Arm      string       `json:"arm"`
	Observer string       `json:"observer"`
	Claimed  shell.Number `json:"claimed"`
	Epsilon  shell.Number `json:"epsilon"`
	Delta    shell.Number `json:"delta"`
	Verdict  string       `json:"verdict"`
}

// matrixRows are the cells of a matrix, arm by arm.
func matrixRows(m *accounts.Matrix) []matrixRow {
	rows := []matrixRow{}
	for i := range m.Columns {
		c := &m.Columns[i]
		for _, arm := range c.Arms {
			for k, cell := range c.Cells {
				if cell.There {
					rows = append(rows, matrixRow{arm, m.Observers[k], shell.Number(c.Claimed), shell.Number(cell.Epsilon), shell.Number(c.Delta), string(cell.Verdict)})
				}
			}
		}
	}
	return rows
}

// printPrivacy prints the ledger or the groups of units, and below it the names of nodes that are
// observers, the protected units, their neighbours, and the remarks of the entries, each once.
func printPrivacy(w io.Writer, run *results.Run, flags privacyFlags) error {
	table, err := accounts.LedgerTable(run)
	if flags.units {
		table, err = groupTable(run)
	}
	if err != nil {
		return err
	}
	if !flags.units {
		table = accounts.Sorted(table, accounts.ByLabels(run.Manifest.Arms, plot.ArmLabels(run.Manifest.Arms)))
	}
	table = labelled(run, table)
	if !flags.units {
		if err := printMatrix(w, run); err != nil {
			return err
		}
		table = accounts.ArmsTogether(table)
	}
	if err := shell.WriteNarrowed(w, table); err != nil {
		return err
	}
	fmt.Fprintln(w)
	names, err := namesOf(run, flags.loader)
	if err != nil {
		fmt.Fprintf(flags.errors, "nodes are named by their numbers: %v\n", err)
	}
	if line := names.observers(run.Manifest.Ledger); line != "" {
		if err := shell.WriteText(w, "", line); err != nil {
			return err
		}
	}
	for _, line := range ledgerLines(run.Manifest.Ledger) {
		if err := shell.WriteText(w, "", line); err != nil {
			return err
		}
	}
	return nil
}

// labelled returns a table for people, with the labels of the arms of a run.
func labelled(run *results.Run, table tabular.Table) tabular.Table {
	return accounts.Named(table, plot.ArmLabels(run.Manifest.Arms))
}

// labelledMatrix returns the losses to all observers for people: with the labels of the arms, in the order
// of their epsilons.
func labelledMatrix(run *results.Run) (*accounts.Matrix, error) {
	m, err := accounts.MatrixOf(run)
	if err != nil {
		return nil, err
	}
	labels := plot.ArmLabels(run.Manifest.Arms)
	m.Sort(accounts.ByLabels(run.Manifest.Arms, labels))
	m.Named(labels)
	return m, nil
}

// printMatrix prints the losses to all observers as a matrix, with its explanation.
func printMatrix(w io.Writer, run *results.Run) error {
	m, err := labelledMatrix(run)
	if err != nil || len(m.Columns) == 0 {
		return err
	}
	if err := shell.WriteTable(w, m.Table(view.LineWidth)); err != nil {
		return err
	}
	for _, text := range m.Texts() {
		if err := shell.WriteText(w, "", text); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(w)
	return err
}

// ledgerLines are lines with the protected units, and the arms where they differ, and the
// remarks, each once.
func ledgerLines(ledger []results.LedgerEntry) (lines []string) {
	protected := map[string][]string{} // arms by line
	text := func(e *results.LedgerEntry) string {
		return fmt.Sprintf("protected: %s; neighbours: %s", e.Unit, e.Neighbours)
	}
	for i := range ledger {
		if e := &ledger[i]; !slices.Contains(protected[text(e)], e.Arm) {
			protected[text(e)] = append(protected[text(e)], e.Arm)
		}
	}
	for i := range ledger {
		line := text(&ledger[i])
		if arms := protected[line]; len(protected) > 1 {
			line += "; in " + namedArms(arms)
		}
		for _, line := range []string{line, ledger[i].Remark} {
			if line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// mostNamedArms is the largest number of arms that a line names.
const mostNamedArms = 6

// namedArms names arms, and counts them where they are too many to name.
func namedArms(arms []string) string {
	if n := len(arms); n > mostNamedArms {
		return fmt.Sprintf("%s and %d arms more", document.List(arms[:mostNamedArms]), n-mostNamedArms)
	}
	return document.List(arms)
}

// newPrivacyRow is a row of privacy.parquet with the relation, which the ledger has.
func newPrivacyRow(r results.PrivacyRow, ledger []results.LedgerEntry) privacyRow {
	return privacyRow{r.Arm, r.Seed, r.Observer, r.Unit, r.Units, r.Step, r.Definition, shell.Number(r.Epsilon), shell.Number(r.Delta), shell.Number(r.Rho), results.RelationOf(ledger, r.Arm, r.Observer), optional(r.Odometer)}
}

// groupTable returns the groups of units as a table for people, a group and seed a row: units with
// equal losses are one group, wherever they are. The column odometer is left out where no arm has
// one.
func groupTable(run *results.Run) (tabular.Table, error) {
	table := tabular.Table{Header: []string{"arm", "seed", "observer", "units", "last step", "epsilon", "delta", "definition", "neighbours", "odometer"}}
	groups, err := accounts.LossGroups(run)
	for i := range groups {
		r := &groups[i].Row
		table.Rows = append(table.Rows, []string{
			r.Arm, fmt.Sprint(r.Seed), r.Observer, groups[i].Text(), fmt.Sprint(r.Step),
			tabular.FormatValue(r.Epsilon), tabular.FormatValue(r.Delta), r.Definition, results.RelationOf(run.Manifest.Ledger, r.Arm, r.Observer), accounts.OdometerText(r),
		})
	}
	table.DropEmpty("odometer")
	return table, err
}
