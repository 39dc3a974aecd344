package command

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/problem/table/profile"
	"starling/scenarios/results/tabular"
)

// newDataLook is data look.
func newDataLook() *cobra.Command {
	var label, party string
	var asJSON *bool
	cmd := &cobra.Command{
		Use:   "look FILE",
		Short: "Show the columns of a table, its faults, and a section problem for it",
		Long: `Read a CSV or Parquet file and print its contents: the notation of its numbers
and dates, and of each column the sort, the number of different values, the cells
without a value, the range, and a use. All rows with faults are listed. Below it
stands a section problem for the table, to paste into a scenario; starling init with
--file writes the whole scenario.

Label and party are guessed by their names; --label and --party name them.

Exit status: 0 done, 1 there are rows that cannot be read, 2 bad input.`,
		Example: "  starling data look mine.csv\n  starling data look survey.csv --label affairs --party region",
		Args:    shell.Exactly(1, "a file of rows"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := profile.Read(args[0], label, party)
			if err != nil {
				return document.BadInput(err)
			}
			if *asJSON {
				err = shell.WriteJSON(cmd.OutOrStdout(), lookedAt(p))
			} else {
				err = writeLook(cmd.OutOrStdout(), p)
			}
			if err == nil && len(p.Faults) > 0 {
				err = errors.New("there are rows that cannot be read; correct them, or leave them out")
			}
			return err
		},
	}
	cmd.Flags().StringVar(&label, "label", "", "the column that is learned")
	cmd.Flags().StringVar(&party, "party", "", "the column with the owner of a row")
	asJSON = shell.AddJSON(cmd, "file, rows, parties, columns (name, type, values, many, missing, range, use, why, faults), notes, faults and problem (key, value)")
	return cmd
}

// writeLook prints what is known of a file.
func writeLook(w io.Writer, p *profile.Profile) error {
	shell.Printf(w, "%s: %s, %s\n\n", p.Path, document.Counted(p.Rows, "row"), document.Counted(len(p.Columns), "column"))
	const shown = 60 // columns
	t := tabular.Table{Header: []string{"column", "type", "values", "missing", "range", "use"}}
	for _, c := range p.Columns[:min(len(p.Columns), shown)] {
		values := fmt.Sprint(c.Distinct)
		if c.Many {
			values = "more"
		}
		use := string(c.Use)
		if c.Why != "" {
			use += ": " + c.Why
		}
		t.Rows = append(t.Rows, []string{c.Name, string(c.Type), values, fmt.Sprint(c.Missing), c.Range(), use})
	}
	if err := shell.WriteTable(w, t); err != nil {
		return err
	}
	if more := len(p.Columns) - shown; more > 0 {
		shell.Printf(w, "and %d more columns; --json has all\n", more)
	}
	if p.Parties > 0 {
		shell.Printf(w, "\n%d parties; the smallest has %s", p.Parties, document.Counted(p.Fewest, "row"))
		if p.Lone > 0 {
			shell.Printf(w, "; %d more with one row or none with a label", p.Lone)
		}
		shell.Printf(w, "\n")
	}
	list := func(title string, texts []string) {
		if len(texts) > 0 {
			shell.Printf(w, "\n%s\n  %s\n", title, strings.Join(texts, "\n  "))
		}
	}
	list("Guesses:", p.Notes)
	var odd []string
	for _, c := range p.Columns {
		odd = append(odd, c.Faults...)
	}
	list("Cells that do not go with the others:", odd)
	list("Rows that cannot be read:", p.Faults)
	shell.Printf(w, "\nproblem:\n  kind: table\n")
	for _, key := range p.Keys(filepath.Base(p.Path)) {
		shell.Printf(w, "  %s: %s\n", key.Name, key.Value)
	}
	_, err := shell.Printf(w, "# starling init my.yaml --algorithm dp-fedavg --problem table --file %s writes a scenario\n", document.Word(filepath.Base(p.Path)))
	return err
}

// looked is what is known of a file, for a program.
type looked struct {
	File    string         `json:"file"`
	Rows    int            `json:"rows"`
	Parties int            `json:"parties"`
	Columns []lookedColumn `json:"columns"`
	Notes   []string       `json:"notes"`
	Faults  []string       `json:"faults"`
	Problem []lookedKey    `json:"problem"`
}

// lookedColumn is a column, for a program.
type lookedColumn struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Values  int      `json:"values"`
	Many    bool     `json:"many"`
	Missing int      `json:"missing"`
	Range   string   `json:"range"`
	Use     string   `json:"use"`
	Why     string   `json:"why"`
	Faults  []string `json:"faults"`
}

// lookedKey is a key of the section problem with its value in YAML.
type lookedKey struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// lookedAt returns what is known of a file, for a program.
func lookedAt(p *profile.Profile) looked {
	l := looked{File: p.Path, Rows: p.Rows, Parties: p.Parties, Notes: append([]string{}, p.Notes...), Faults: append([]string{}, p.Faults...)}
	for _, c := range p.Columns {
		l.Columns = append(l.Columns, lookedColumn{c.Name, string(c.Type), c.Distinct, c.Many, c.Missing, c.Range(), string(c.Use), c.Why, append([]string{}, c.Faults...)})
	}
	for _, key := range p.Keys(filepath.Base(p.Path)) {
		l.Problem = append(l.Problem, lookedKey{key.Name, key.Value})
	}
	return l
}
