package inspect

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/accounts"
	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
)

// The values of --by.
const (
	byNode  = "node"
	byGroup = "group"
)

// mostUnits is the largest number of rows of single units that are printed for people.
const mostUnits = 200

// privacyByNode prints the losses of single units, for people or for programs.
func privacyByNode(w io.Writer, run *results.Run, flags privacyFlags) error {
	if flags.units || flags.curve || flags.pairs || flags.epsilonGiven || flags.unitGiven || flags.observer != "" || flags.plot != "" {
		return shell.Usage(errors.New("--by node prints tables of its own; it goes with --json or --csv only"))
	}
	if flags.asJSON && flags.asCSV {
		return shell.Usage(errors.New("--json and --csv exclude each other"))
	}
	s, unread := scenarioOf(run, flags.loader)
	if unread != nil {
		fmt.Fprintf(flags.errors, "units that lost nothing are left out, since the scenario of the run cannot be read: %v\n", unread)
	}
	rows, err := accounts.UnitRows(run, s)
	if err != nil {
		return err
	}
	ledger := run.Manifest.Ledger
	if flags.asCSV {
		return results.ExportPrivacy(w, rows, ledger)
	}
	if flags.asJSON {
		units := make([]privacyRow, len(rows))
		for i, row := range rows {
			units[i] = newPrivacyRow(row, ledger)
		}
		return shell.WriteJSON(w, struct {
			Ledger []results.LedgerEntry `json:"ledger"`
			Units  []privacyRow          `json:"units"`
		}{ledger, units})
	}
	if err := shell.WriteTable(w, labelled(run, unitQuantiles(rows))); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if len(rows) > mostUnits {
		_, err := fmt.Fprintf(w, "%d losses of single units are printed with --csv or --json\n", len(rows))
		return err
	}
	names, err := namesOf(run, flags.loader)
	if err != nil {
		fmt.Fprintf(flags.errors, "nodes are named by their numbers: %v\n", err)
	}
	return shell.WriteTable(w, labelled(run, unitTable(rows, ledger, names)))
}

// unitTable returns the losses of single units, a unit and an observer a row. The column name is left
// out where nodes have none.
func unitTable(rows []results.PrivacyRow, ledger []results.LedgerEntry, names nodeNames) tabular.Table {
	table := tabular.Table{Header: []string{"arm", "observer", "unit", "name", "seed", "epsilon", "delta", "definition", "neighbours", "odometer"}}
	for _, r := range rows {
		table.Rows = append(table.Rows, []string{
			r.Arm, r.Observer, fmt.Sprint(r.Unit), names[r.Arm][r.Unit], fmt.Sprint(r.Seed), tabular.FormatValue(r.Epsilon), tabular.FormatValue(r.Delta), r.Definition,
			results.RelationOf(ledger, r.Arm, r.Observer), accounts.OdometerText(&r),
		})
	}
	table.DropEmpty("name")
	table.DropEmpty("odometer")
	return table
}

// unitQuantiles returns the quantiles of the epsilons of units: an arm and an observer a row.
func unitQuantiles(rows []results.PrivacyRow) tabular.Table {
	table := tabular.Table{Header: []string{"arm", "observer", "units", "least", "0.1", "median", "0.9", "largest", "Gini"}}
	for len(rows) > 0 {
		end := slices.IndexFunc(rows, func(r results.PrivacyRow) bool { return r.Arm != rows[0].Arm || r.Observer != rows[0].Observer })
		if end < 0 {
			end = len(rows)
		}
		epsilons := make([]float64, end)
		for i, r := range rows[:end] {
			epsilons[i] = r.Epsilon
		}
		slices.Sort(epsilons)
		line := []string{rows[0].Arm, rows[0].Observer, fmt.Sprint(end)}
		for _, share := range []float64{0, 0.1, 0.5, 0.9, 1} {
			line = append(line, tabular.FormatValue(gauge.Quantile(epsilons, share)))
		}
		table.Rows = append(table.Rows, append(line, tabular.FormatValue(gauge.Gini(epsilons))))
		rows = rows[end:]
	}
	return table
}
