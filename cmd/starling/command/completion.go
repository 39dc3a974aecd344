package command

import (
	"strings"

	"github.com/spf13/cobra"

	"starling/scenarios/loading"
	"starling/scenarios/runner"
)

// completeScenarios completes the names of library scenarios. The default directive lets
// the shell complete files besides, for a scenario may be a file.
func completeScenarios(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	entries, err := loading.LibraryEntries()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []cobra.Completion
	for _, entry := range entries {
		if strings.HasPrefix(entry.Kind, begun) {
			names = append(names, cobra.CompletionWithDesc(entry.Kind, entry.Summary))
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeRuns completes folders, for runs are folders.
func completeRuns(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// addCompletion teaches the verbs to complete their arguments and the flags
// that take one of a few words.
func addCompletion(root *cobra.Command) {
	words := map[string][]cobra.Completion{
		"engine": {string(runner.Actors), string(runner.Lockstep)},
		"width":  {"full", "column"},
		"band":   {"se", "sd", "none"},
	}
	for _, verb := range root.Commands() {
		// A verb's usage says what it takes: the word after its name decides.
		switch argument := strings.TrimPrefix(verb.Use, verb.Name()+" "); {
		case verb.ValidArgsFunction != nil:
		case strings.HasPrefix(argument, "SCENARIO"), strings.HasPrefix(argument, "[NAME"):
			verb.ValidArgsFunction = completeScenarios
		case strings.HasPrefix(argument, "RUN"):
			verb.ValidArgsFunction = completeRuns
		}
		for flag, list := range words {
			if verb.Flags().Lookup(flag) == nil {
				continue
			}
			if err := verb.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)); err != nil {
				panic(err) // the flag is there, and has no completion yet
			}
		}
	}
}
