package command

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/guide"
	"starling/scenarios/loading"
)

// newDescribe is the verb describe.
func (p program) newDescribe() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "describe KIND|METRIC|WORD|scenario|sweep|events",
		Short: "Describe a kind, a metric or a word, and the kinds that go with it",
		Long: `Describe a kind of any section, or a metric: the paper it is from, every option
with its type, unit, bound and default, an example, and the kinds that go with it. Where two
sections have a kind of one name, both are described; problem/logistic is one of them.
scenario, sweep and events are the keys of a file without the keys of its sections, and
mechanism.epsilon is one key. A metric is found by its label, too, as findings and figures
have it. Any other word, and the head of a column of a table, is looked up in the glossary (starling help glossary). With --json, print an array with an object for each: {"section", "name", "summary",
"papers", "options", "examples", "goes_with"}, and of a metric "metric" and
"recorded_by".`,
		Example: "  starling describe dpdonc\n  starling describe problem/logistic\n  starling describe regret.fixed\n  starling describe observer\n  starling describe 'largest expected regret of a node'\n  starling describe scenario --json",
		Args:    shell.Exactly(1, "the name of a kind or a metric, or a word of the glossary"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			g, err := guide.New(p.Kinds)
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			words, err := glossary()
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return beginning(begun, knownTo(g, words)), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := guide.New(p.Kinds)
			if err != nil {
				return err
			}
			list, err := described(g, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return shell.WriteJSON(cmd.OutOrStdout(), list)
			}
			return writeDescriptions(cmd.OutOrStdout(), list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// writeDescriptions prints descriptions in lines that fit a terminal.
func writeDescriptions(w io.Writer, list []guide.Description) error {
	width := pageWidth
	if of := shell.WidthOf(w); of > 0 {
		width = min(of, width)
	}
	return guide.Write(w, list, width)
}

// describe prints the description of a kind of a section, or of the keys of a file, as the verb describe does.
func (p program) describe(cmd *cobra.Command, name string) error {
	g, err := guide.New(p.Kinds)
	if err != nil {
		return err
	}
	list, err := g.Describe(name)
	if err != nil {
		return err
	}
	return writeDescriptions(cmd.OutOrStdout(), list)
}

// describedBy is the name under which describe has the page of a kind of a section or of the keys of a file, which help is
// asked for; empty for another page.
func (p program) describedBy(args []string) string {
	switch {
	case len(args) == 1:
		return keyParts[args[0]]
	case len(args) == 2 && slices.ContainsFunc(p.sectionKinds(args[0]), func(k guide.Named) bool { return k.Kind.Kind == args[1] }):
		return args[0] + "/" + args[1]
	}
	return ""
}

// described returns the descriptions of a name, or the entries of the glossary where it is
// neither a kind nor a metric.
func described(g *guide.Guide, name string) ([]guide.Description, error) {
	words, err := glossary()
	if err != nil {
		return nil, err
	}
	if list, err := labelled(g, name); len(list) > 0 || err != nil {
		return list, err
	}
	known := knownTo(g, words)
	if list := ofGlossary(words, wordOf(name)); len(list) > 0 && !slices.Contains(g.Names(), name) {
		return append(g.DescribeKey(name), list...), nil // a key of the file can be a word, too, as horizon is
	}
	if !slices.Contains(known, name) && !strings.Contains(name, "/") {
		if keys := g.DescribeKey(name); len(keys) > 0 {
			return keys, nil
		}
		entries, err := loading.LibraryEntries()
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(entries, func(e loading.ScenarioEntry) bool { return e.Kind == name }); i >= 0 {
			return nil, shell.Usage(fmt.Errorf("%s is a scenario of the library: %s; starling show %s prints it", name, entries[i].Summary, name))
		}
		return nil, shell.Usage(errors.New(unknownName(name, known)))
	}
	list, err := g.Describe(name)
	if err != nil {
		return nil, shell.Usage(err)
	}
	return append(list, ofGlossary(words, name)...), nil // a metric can be a word, too, as delta is
}

// labelled returns the metrics with a label, as findings and figures have it, in small letters or large.
func labelled(g *guide.Guide, label string) (list []guide.Description, err error) {
	for _, name := range g.Labelled(label) {
		of, err := g.Describe("metric/" + name)
		if err != nil {
			return nil, err
		}
		list = append(list, of...)
	}
	return list, nil
}

// wordOf returns the word of a head of a table: "mean (95 % CI)" is mean, "× no noise" is ×, and "p, Holm" is p.
func wordOf(head string) string {
	if strings.HasPrefix(head, "×") {
		return "×"
	}
	head, _, _ = strings.Cut(head, " (")
	head, _, _ = strings.Cut(head, ",")
	return strings.TrimSpace(head)
}

// unknownName is the message that describe knows no such name: it lists the names with dots that
// begin with the word, such as metrics, or the nearest name.
func unknownName(name string, known []string) string {
	message := fmt.Sprintf("unknown kind or metric %q", name)
	var longer []string
	for _, k := range known {
		if strings.HasPrefix(k, name+".") {
			longer = append(longer, k)
		}
	}
	if longer != nil {
		slices.SortStableFunc(longer, func(a, b string) int { return strings.Count(a, ".") - strings.Count(b, ".") })
		return fmt.Sprintf("%s; names that begin with it: %s", message, strings.Join(longer, ", "))
	}
	if near := document.Suggest(name, known, ""); near != "" {
		return message + near
	}
	return message + "; starling list names them, and starling help glossary has other words"
}

// knownTo returns the names that describe takes.
func knownTo(g *guide.Guide, words []guide.Description) []string {
	names := g.Names()
	for _, d := range words {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// beginning are the words that begin with the typed text.
func beginning(begun string, words []string) (list []cobra.Completion) {
	for _, word := range words {
		if strings.HasPrefix(word, begun) {
			list = append(list, word)
		}
	}
	return list
}
