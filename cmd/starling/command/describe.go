package command

import (
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/guide"
)

// newDescribe is the verb describe.
func (p program) newDescribe() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "describe KIND|METRIC|scenario|sweep|events",
		Short: "Say what a kind or a metric is, what it takes, and what it goes with",
		Long: `Say what a kind of any section is, or a metric: the paper it is from, every option
with its type, unit, bound and default, an example, and what it goes with. Where two
sections have a kind of one name, both are described; problem/logistic is one of them.
scenario, sweep and events are the keys of a file without those of its sections. With
--json, print an array with an object for each: {"section", "name", "summary",
"papers", "options", "examples", "goes_with"}, and of a metric "metric" and
"recorded_by".`,
		Example: "  starling describe dpdonc\n  starling describe problem/logistic\n  starling describe regret.fixed\n  starling describe scenario --json",
		Args:    shell.Exactly(1, "the name of a kind or a metric"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			g, err := guide.New(p.Kinds)
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return beginning(begun, g.Names()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := guide.New(p.Kinds)
			if err != nil {
				return err
			}
			list, err := g.Describe(args[0])
			if err != nil {
				return shell.Usage(err)
			}
			if asJSON {
				return shell.WriteJSON(cmd.OutOrStdout(), list)
			}
			width := pageWidth
			if w := shell.WidthOf(cmd.OutOrStdout()); w > 0 {
				width = min(w, width)
			}
			return guide.Write(cmd.OutOrStdout(), list, width)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
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
