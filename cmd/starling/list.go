package main

import (
	"fmt"
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
	return &cobra.Command{
		Use:       "list [" + strings.Join(names, "|") + "]",
		Short:     "List the library's scenarios and the kinds a scenario can name",
		Example:   "  starling list\n  starling list topologies",
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(names, args[0]) {
				return &usageError{fmt.Errorf("list takes one of %s", strings.Join(names, ", "))}
			}
			return nil
		},
		RunE: list,
	}
}

func list(cmd *cobra.Command, args []string) error {
	w := cmd.OutOrStdout()
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
