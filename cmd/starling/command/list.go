package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/guide"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/results/tabular"
)

// listProgram is the program with the kinds that it knows.
type listProgram struct{ shell.Program }

// listed is one list in two forms: entries are for people, and whole is for programs. Both are
// of the same kinds in the same order.
type listed struct {
	// entries have a kind and a summary each.
	entries []kind.Entry
	// whole is the list with all its fields, as --json prints it.
	whole any
}

// nameable is a list with its name and a summary of it. The list is made when it is asked for: the
// list of scenarios reads every file of the library.
type nameable struct {
	name, summary string
	list          func() (listed, error)
}

// lists returns all lists, in the order in which they are printed. The kinds are the kinds of
// the program's catalog, so that a program with kinds of its own lists them too.
func (p listProgram) lists() []nameable {
	return []nameable{
		{scenarioList, "studies of the library, ready to run", listScenarios},
		{"algorithms", "how participants learn together", known(p.Kinds.Algorithms)},
		{"mechanisms", "noise that makes releases private", known(p.Kinds.Mechanisms)},
		{"topologies", "graphs over time", known(p.Kinds.Topologies)},
		{"networks", "delays, losses and outages of messages", known(p.Kinds.Networks)},
		{"codecs", "compression of messages", known(p.Kinds.Codecs)},
		{"adversaries", "attacks of Byzantine nodes", known(p.Kinds.Adversaries)},
		{"combines", "robust aggregation rules", known(p.Kinds.Combines)},
		{"problems", "data and losses", known(p.Kinds.Problems)},
		{"models", "predictions from rows of data", known(p.Kinds.Models)},
		{"metrics", "numbers that a run records", p.listMetrics},
	}
}

// exemplified is an entry with examples: texts by which a scenario names the kind.
type exemplified struct {
	kind.Entry
	Examples []string `json:"examples,omitempty"`
}

// known returns a function that lists the kinds of one section of the catalog, each with
// its one-line summary. As JSON each has its examples besides.
func known(kinds []kind.Kind) func() (listed, error) {
	return func() (listed, error) {
		whole := make([]exemplified, len(kinds))
		for i, k := range kinds {
			whole[i] = exemplified{k.Entry, k.Examples}
		}
		return listed{kind.Entries(kinds), whole}, nil
	}
}

// listScenarios lists the scenarios of the library. As JSON each has its paper besides.
func listScenarios() (listed, error) {
	list, err := loading.LibraryEntries()
	l := listed{whole: list}
	for _, e := range list {
		l.entries = append(l.entries, e.Entry)
	}
	return l, err
}

// listMetrics lists the metrics that a scenario can record. As JSON each has its label,
// unit and level besides, whether it is per step, and which direction is better.
func (p listProgram) listMetrics() (listed, error) {
	list := p.Kinds.AllMetrics()
	l := listed{whole: list}
	for _, m := range list {
		text := m.Summary
		if m.Better != "" {
			text += fmt.Sprintf("; %s is better", m.Better)
		}
		l.entries = append(l.entries, kind.Entry{Kind: m.Name, Summary: text})
	}
	return l, nil
}

// listVerb is the verb list.
func listVerb(of shell.Program) *cobra.Command {
	p := listProgram{of}
	var names []string
	for _, l := range p.lists() {
		names = append(names, l.name)
	}
	var asJSON, asMarkdown, pairs, all bool
	cmd := &cobra.Command{
		Use:   "list [" + strings.Join(names, "|") + "]",
		Short: "List the library's scenarios, kinds for scenarios, and metrics",
		Long: `Print how many scenarios, kinds and metrics there are, and the names of the
library's scenarios; or print one of the lists, a line for each entry. With --all,
print all lists. With --json, print an object with a member
for each list, an array of {"kind", "summary"}; scenarios have their "paper"
besides, metrics "label", "unit", "per_step", "better", "level" and "asked", and
other kinds "examples": sections that name the kind, of an algorithm whole small
scenarios. With --markdown, print Markdown tables. With --pairs, print which
algorithm goes with which problem and which mechanism, and why others do not; with
--json besides, an array of {"algorithm", "section", "kind", "fits", "why"}.`,
		Example:   "  starling list\n  starling list scenarios\n  starling list topologies\n  starling list --json problems\n  starling list --pairs",
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(names, args[0]) {
				return shell.Usage(fmt.Errorf("list takes one of %s%s", strings.Join(names, ", "), document.Suggest(args[0], names, "")))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case asJSON && asMarkdown:
				return shell.Usage(errors.New("list prints --json or --markdown, not both"))
			case all && len(args) > 0:
				return shell.Usage(errors.New("list --all takes no list"))
			case pairs && len(args) > 0:
				return shell.Usage(errors.New("list --pairs takes no list"))
			case pairs && asJSON:
				return shell.WriteJSON(cmd.OutOrStdout(), guide.Pairs(p.Kinds))
			case asJSON:
				return p.listJSON(cmd.OutOrStdout(), args)
			}
			write := shell.WriteTable
			if asMarkdown {
				write = writeMarkdownTable
			}
			if pairs {
				return write(cmd.OutOrStdout(), pairTable(p.Kinds))
			}
			if len(args) == 0 && !all && !asMarkdown {
				return p.overview(cmd.OutOrStdout())
			}
			if width := shell.WidthOf(cmd.OutOrStdout()); width > 0 && len(args) == 1 && args[0] == scenarioList && !asMarkdown {
				list, err := listScenarios() // by subjects for people; programs have one table
				if err != nil {
					return err
				}
				writeSubjects(cmd.OutOrStdout(), list.entries, width)
				return nil
			}
			return p.list(cmd.OutOrStdout(), args, write)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "print Markdown tables")
	cmd.Flags().BoolVar(&all, "all", false, "print all lists")
	cmd.Flags().BoolVar(&pairs, "pairs", false, "print which algorithm goes with which problem and mechanism")
	return cmd
}

// pairTable returns the table of the algorithms, problems and mechanisms that go together, a
// pair a row, with the reason why a pair does not fit. Files are checked by the same answers;
// see guide.Pairs.
func pairTable(kinds *kind.Catalog) tabular.Table {
	table := tabular.Table{Header: []string{"algorithm", "with", "kind", "goes together"}}
	for _, pair := range guide.Pairs(kinds) {
		word := "yes"
		if !pair.Fits {
			word = "no: " + pair.Why
		}
		table.Rows = append(table.Rows, []string{pair.Algorithm, pair.Section, pair.Kind, word})
	}
	return table
}

// listJSON prints the lists as one object with a member for each list. With an argument
// the object has that member alone: it stays an object, so that a script reads both
// alike.
func (p listProgram) listJSON(w io.Writer, args []string) error {
	all := map[string]any{}
	for _, l := range p.lists() {
		if len(args) == 1 && args[0] != l.name {
			continue
		}
		list, err := l.list()
		if err != nil {
			return err
		}
		all[l.name] = list.whole
	}
	return shell.WriteJSON(w, all)
}

// list prints the lists as tables, or the one that args names. write prints a table, for
// a terminal or as Markdown.
func (p listProgram) list(w io.Writer, args []string, write func(io.Writer, tabular.Table) error) error {
	for i, l := range p.lists() {
		if len(args) == 1 && args[0] != l.name {
			continue
		}
		list, err := l.list()
		if err != nil {
			return err
		}
		if i > 0 && len(args) == 0 {
			fmt.Fprintln(w)
		}
		table := tabular.Table{Header: []string{l.name, "what it is"}}
		for _, e := range list.entries {
			table.Rows = append(table.Rows, []string{e.Kind, e.Summary})
		}
		if err := write(w, table); err != nil {
			return err
		}
	}
	return nil
}

// writeMarkdownTable prints a table as Markdown, its first column as code.
func writeMarkdownTable(w io.Writer, table tabular.Table) error {
	var text bytes.Buffer
	shell.WriteRow(&text, table.Header...)
	shell.WriteRow(&text, slices.Repeat([]string{"---"}, len(table.Header))...)
	for _, row := range table.Rows {
		shell.WriteRow(&text, append([]string{"`" + row[0] + "`"}, row[1:]...)...)
	}
	_, err := w.Write(text.Bytes())
	return err
}
