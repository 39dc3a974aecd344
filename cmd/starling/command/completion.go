package command

import (
	"strings"

	"github.com/spf13/cobra"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/document"
	"starling/scenarios/guide"
	"starling/scenarios/loading"
	"starling/scenarios/results/runs"
	"starling/scenarios/results/typeset"
	"starling/scenarios/runner"
	"starling/scenarios/view/paper"
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

// completeRuns completes the names, tags and other words by which runs are named. The default
// directive lets the shell complete folders besides, for a run may be a folder. Arguments after
// the last run have no completion.
func completeRuns(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if most := strings.Count(cmd.Use, "RUN"); len(args) >= most && !strings.Contains(cmd.Use, "RUN...") && !strings.Contains(cmd.Use, "RUN[:ARM]...") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, name := range runs.Names(resultsOf(cmd)) {
		if strings.HasPrefix(name, begun) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeScenariosAndRuns completes the argument of verbs that take either.
func completeScenariosAndRuns(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, directive := completeScenarios(cmd, args, begun)
	more, _ := completeRuns(cmd, args, begun)
	return append(names, more...), directive
}

// resultsOf is the folder in which a verb looks for runs.
func resultsOf(cmd *cobra.Command) string {
	if flag := cmd.Flags().Lookup("results"); flag != nil {
		return flag.Value.String()
	}
	return shell.UsualResults
}

// typed is the part of a command line before the word that is completed, and the beginning of
// that word.
type typed struct {
	// args are the arguments, and folder is the folder of results.
	args          []string
	folder, begun string
}

// completing is a function that completes the value of a flag.
type completing func(g *guide.Guide, at typed) []guide.Value

// completeFlag completes a flag by a function. Values that end in = go on without a
// blank.
func (p program) completeFlag(complete completing) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		g, err := guide.New(p.Kinds)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		var words []cobra.Completion
		for _, v := range complete(g, typed{args, resultsOf(cmd), begun}) {
			if !strings.HasPrefix(v.Text, begun) {
				continue
			}
			words = append(words, cobra.CompletionWithDesc(v.Text, v.About))
			if strings.HasSuffix(v.Text, "=") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
		return words, directive
	}
}

// documentOf is the scenario that arguments name; nil where they name none that can be
// read.
func documentOf(args []string) *document.Document {
	if len(args) == 0 {
		return nil
	}
	doc, err := loading.Document(args[0])
	if err != nil {
		return nil
	}
	return doc
}

// completeSet completes path=value: paths of the scenario before the sign, and the words
// that the path takes after it.
func completeSet(g *guide.Guide, at typed) (list []guide.Value) {
	doc := documentOf(at.args)
	path, _, whole := strings.Cut(at.begun, "=")
	if !whole {
		for _, v := range g.Paths(doc) {
			list = append(list, guide.Value{Text: v.Text + "=", About: v.About})
		}
		return list
	}
	for _, v := range g.Values(doc, path) {
		list = append(list, guide.Value{Text: path + "=" + v.Text, About: v.About})
	}
	return list
}

// completeArm completes the arms of a scenario, or else of a run.
func completeArm(_ *guide.Guide, at typed) (list []guide.Value) {
	if doc := documentOf(at.args); doc != nil {
		names, _ := loading.ArmsOf(doc) // reading the sweep reports its errors
		for _, name := range names {
			list = append(list, guide.Value{Text: name})
		}
		return list
	}
	if len(at.args) == 0 {
		return nil
	}
	if r, _, err := runs.Newest(at.folder, at.args[0]); err == nil {
		for _, arm := range r.Arms {
			list = append(list, guide.Value{Text: arm.Name})
		}
	}
	return list
}

// completeMetric completes the names of metrics.
func (p program) completeMetric(*guide.Guide, typed) (list []guide.Value) {
	for _, m := range p.Kinds.AllMetrics() {
		list = append(list, guide.Value{Text: m.Name, About: m.Summary})
	}
	return list
}

// flagCompletions are the functions that complete flags, by verb and flag, or by flag of
// every verb that has it.
func (p program) flagCompletions() map[string]completing {
	list := map[string]completing{"set": completeSet, "arm": completeArm, "plot y": p.completeMetric, "plot x": p.completeMetric, "baseline": completeArm, "table metric": p.completeMetric, "compare metric": p.completeMetric}
	for flag, words := range map[string][]string{
		"interval": paper.Intervals(), "format": typeset.Formats(), "rows": {paper.ArmAxis, paper.MetricAxis}, "columns": {paper.MetricAxis, paper.ArmAxis},
	} {
		list["table "+flag] = func(*guide.Guide, typed) (values []guide.Value) {
			for _, word := range words {
				values = append(values, guide.Value{Text: word})
			}
			return values
		}
	}
	for _, section := range []string{"algorithm", "problem", "topology", "mechanism", "network"} {
		list["init "+section] = func(g *guide.Guide, _ typed) []guide.Value { return g.KindValues(section) }
	}
	return list
}

// addCompletion teaches the verbs to complete their arguments and the flags
// that take one of a few words.
func (p program) addCompletion(root *cobra.Command) {
	words := map[string][]cobra.Completion{
		"engine": {string(runner.Actors), string(runner.Lockstep)},
		"width":  {"full", "column"},
		"band":   {"se", "sd", "none"},
	}
	for _, verb := range root.Commands() {
		// A verb's usage names its arguments: the word after its name decides.
		switch argument := strings.TrimPrefix(verb.Use, verb.Name()+" "); {
		case verb.ValidArgsFunction != nil:
		case strings.Contains(argument, "SCENARIO") && strings.Contains(argument, "RUN"):
			verb.ValidArgsFunction = completeScenariosAndRuns
		case strings.HasPrefix(argument, "SCENARIO"), strings.HasPrefix(argument, "[NAME"):
			verb.ValidArgsFunction = completeScenarios
		case strings.HasPrefix(strings.TrimPrefix(argument, "["), "RUN"):
			verb.ValidArgsFunction = completeRuns
		}
		for name, complete := range p.flagCompletions() {
			flag, of := name, verb.Name()
			if verb, rest, ok := strings.Cut(name, " "); ok {
				flag, of = rest, verb
			}
			if verb.Flags().Lookup(flag) == nil || of != verb.Name() {
				continue
			}
			if err := verb.RegisterFlagCompletionFunc(flag, p.completeFlag(complete)); err != nil {
				panic(err) // the flag is there, and has no completion yet
			}
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
