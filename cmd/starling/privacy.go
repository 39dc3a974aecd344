package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"starling/scenarios"
	"starling/scenarios/results"
)

func newPrivacy() *cobra.Command {
	var units, asJSON bool
	cmd := &cobra.Command{
		Use:   "privacy RUN",
		Short: "Say who sees what of a run, and what that costs",
		Long: `Print the ledger of a finished run: for each arm and observer what the paper
claims and what was accounted, for the unit that pays the most. The observers are
wire, which sees every message between different parties; server, what the server
receives; peer, what one other client or node receives; and public, the models or
decisions that are released. With --units, print the groups of units that pay the
same, under each seed. The same is in privacy.parquet; the loss over the steps is
the metric epsilon.total.

The noise of a simulator can be drawn again and is in floating point: it must not
protect real people's data.`,
		Example: `  starling privacy results/dpdonc-localization/0123456789ab
  starling privacy results/ofl-logistic/0123456789ab --units --json`,
		Args: exactly(1, "the folder of one run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := results.Open(args[0])
			if err != nil {
				return scenarios.BadInput(err)
			}
			return printPrivacy(cmd.OutOrStdout(), run, units, asJSON)
		},
	}
	cmd.Flags().BoolVar(&units, "units", false, "print every group of units, under every seed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: the entries of the ledger, and the groups of units")
	return cmd
}

func printPrivacy(w io.Writer, run *results.Run, units, asJSON bool) error {
	if asJSON {
		rows := []privacyRow{}
		err := run.Privacy(func(row results.PrivacyRow) error {
			rows = append(rows, newPrivacyRow(row))
			return nil
		})
		if err != nil {
			return err
		}
		return writeJSON(w, struct {
			Ledger []results.LedgerEntry `json:"ledger"`
			Groups []privacyRow          `json:"groups"`
		}{run.Manifest.Ledger, rows})
	}
	table, err := scenarios.LedgerTable(run)
	if units {
		table, err = groupTable(run)
	}
	if err != nil {
		return err
	}
	if err := table.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	seen := map[string]bool{}
	for _, entry := range run.Manifest.Ledger {
		for _, line := range []string{
			fmt.Sprintf("protected: %s; neighbours: %s", entry.Unit, entry.Neighbours), entry.Remark,
		} {
			if line != "" && !seen[line] {
				seen[line] = true
				fmt.Fprintln(w, line)
			}
		}
	}
	return nil
}

// privacyRow is a row of privacy.parquet as JSON.
type privacyRow struct {
	Arm        string `json:"arm"`
	Seed       uint64 `json:"seed"`
	Observer   string `json:"observer"`
	Unit       int32  `json:"unit"`
	Units      int32  `json:"units"`
	Step       int64  `json:"step"`
	Definition string `json:"definition"`
	Epsilon    number `json:"epsilon"`
	Delta      number `json:"delta"`
	Rho        number `json:"rho"`
}

func newPrivacyRow(r results.PrivacyRow) privacyRow {
	return privacyRow{r.Arm, r.Seed, r.Observer, r.Unit, r.Units, r.Step, r.Definition, number(r.Epsilon), number(r.Delta), number(r.Rho)}
}

// groupTable lists the groups of units.
func groupTable(run *results.Run) (results.Table, error) {
	table := results.Table{Header: []string{"arm", "seed", "observer", "units", "last step", "epsilon", "delta", "definition"}}
	err := run.Privacy(func(r results.PrivacyRow) error {
		units := fmt.Sprint(r.Unit)
		if r.Units > 1 {
			units = fmt.Sprintf("%d to %d", r.Unit, r.Unit+r.Units-1)
		}
		table.Rows = append(table.Rows, []string{
			r.Arm, fmt.Sprint(r.Seed), r.Observer, units, fmt.Sprint(r.Step),
			results.FormatValue(r.Epsilon), results.FormatValue(r.Delta), r.Definition,
		})
		return nil
	})
	return table, err
}
