package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starling/scenarios"
	"starling/scenarios/results"
)

// lists are what list can list.
var lists = []struct {
	name    string
	entries func() ([]scenarios.Entry, error)
}{
	{"scenarios", scenarios.LibraryEntries},
	{"algorithms", known(scenarios.Algorithms)},
	{"mechanisms", known(scenarios.Mechanisms)},
	{"topologies", known(scenarios.Topologies)},
	{"problems", known(scenarios.Problems)},
}

func known(entries func() []scenarios.Entry) func() ([]scenarios.Entry, error) {
	return func() ([]scenarios.Entry, error) { return entries(), nil }
}

func newList() *cobra.Command {
	var names []string
	for _, l := range lists {
		names = append(names, l.name)
	}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [" + strings.Join(names, "|") + "]",
		Short: "List the library's scenarios and the kinds a scenario can name",
		Long: `List the library's scenarios and the kinds a scenario can name, or one of these
lists. With --json, print an object with a member for each list, an array of
{"kind", "summary"}.`,
		Example:   "  starling list\n  starling list topologies\n  starling list --json problems",
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(names, args[0]) {
				return &usageError{fmt.Errorf("list takes one of %s", strings.Join(names, ", "))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				return listJSON(cmd.OutOrStdout(), args)
			}
			return list(cmd.OutOrStdout(), args)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// listJSON prints the lists as one object, its members by name.
func listJSON(w io.Writer, args []string) error {
	all := map[string][]scenarios.Entry{}
	for _, l := range lists {
		if len(args) == 1 && args[0] != l.name {
			continue
		}
		entries, err := l.entries()
		if err != nil {
			return err
		}
		all[l.name] = entries
	}
	return writeJSON(w, all)
}

func list(w io.Writer, args []string) error {
	for i, l := range lists {
		if len(args) == 1 && args[0] != l.name {
			continue
		}
		entries, err := l.entries()
		if err != nil {
			return err
		}
		if i > 0 && len(args) == 0 {
			fmt.Fprintln(w)
		}
		table := results.Table{Header: []string{l.name, "what it is"}}
		for _, e := range entries {
			table.Rows = append(table.Rows, []string{e.Kind, e.Summary})
		}
		if err := table.Write(w); err != nil {
			return err
		}
	}
	return nil
}
