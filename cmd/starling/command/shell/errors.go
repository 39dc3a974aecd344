package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starling/scenarios/document"
)

// UsageError is a command line that makes no sense: an unknown verb, a flag without its
// partner, a value out of range. Its exit code is 2.
type UsageError struct{ err error }

// Usage returns the error of a command line that makes no sense as err says.
func Usage(err error) error { return &UsageError{err} }

// Error implements error.
func (e *UsageError) Error() string { return e.err.Error() }

// Unwrap returns the fault of the command line.
func (e *UsageError) Unwrap() error { return e.err }

// UnknownVerb suggests the nearest verb, but none that removes runs: the name may have
// been meant for another.
func UnknownVerb(root *cobra.Command, name string) error {
	var verbs []string
	for _, verb := range root.Commands() {
		if verb.Name() != "rm" {
			verbs = append(verbs, verb.Name())
		}
	}
	hint := document.Suggest(name, verbs, "")
	if instead, ok := otherWords[name]; ok {
		hint = "; " + instead
	}
	if hint == "" && lists(root, name) {
		hint = "; did you mean \"starling list " + name + "\"?"
	}
	if hint == "" && len(verbs) <= fewVerbs {
		slices.Sort(verbs)
		hint = fmt.Sprintf("; %s has %s", root.Name(), document.List(verbs))
	}
	return Usage(fmt.Errorf("unknown verb %q%s", name, hint))
}

// otherWords are verbs of other programs, with the words for them here.
var otherWords = map[string]string{
	"resume":    "starling run goes on with a run that was stopped",
	"continue":  "starling run goes on with a run that was stopped",
	"start":     "starling run SCENARIO starts a run",
	"exec":      "starling run SCENARIO starts a run",
	"train":     "starling run SCENARIO starts a run",
	"ls":        "starling runs lists the runs, and starling list scenarios the library",
	"diff":      "starling compare RUN RUN compares two runs",
	"new":       "starling init FILE writes a scenario",
	"create":    "starling init FILE writes a scenario",
	"check":     "starling validate FILE checks a scenario",
	"lint":      "starling validate FILE checks a scenario",
	"graph":     "starling topology SCENARIO describes its network",
	"dashboard": "starling ui shows the runs as a page",
	"delete":    "starling rm RUN removes a run",
	"sweep":     "a section sweep of the scenario varies its keys; starling help sweep has more",
	"export":    "starling table RUN writes a table, and starling help results has the files of all values",
}

// fewVerbs is the largest number of verbs that an error lists.
const fewVerbs = 8

// lists reports whether the verb list prints a list of a name.
func lists(root *cobra.Command, name string) bool {
	return slices.ContainsFunc(root.Commands(), func(verb *cobra.Command) bool {
		return verb.Name() == "list" && slices.Contains(verb.ValidArgs, name)
	})
}

// MissingFile returns the text of an error with a file that is not there in plain words.
func MissingFile(err error, text string) string {
	var of *fs.PathError
	if !errors.As(err, &of) || !errors.Is(of, fs.ErrNotExist) {
		return text
	}
	plain := fmt.Sprintf("there is no file %q", of.Path)
	if of.Op == "mkdir" {
		plain = fmt.Sprintf("cannot make the folder %q", of.Path)
	}
	return strings.ReplaceAll(text, of.Error(), plain)
}

// AtLeast is the check of a command that takes n arguments or more. what describes each
// argument, for the error.
func AtLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return Usage(fmt.Errorf("%s takes %s; got %s", cmd.Name(), what, document.Counted(len(args), "argument")))
		}
		return nil
	}
}

// Exactly demands a number of arguments. what describes them, for the error: "validate takes
// the name of a scenario or a file; got 2 arguments".
func Exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return Usage(fmt.Errorf("%s takes %s; got %s%s", cmd.Name(), what, document.Counted(len(args), "argument"), loosely(cmd, args)))
		}
		return nil
	}
}

// loosely says how --set is written where its value stands apart, as in --set nodes 3; else it is empty.
func loosely(cmd *cobra.Command, args []string) string {
	if cmd.Flags().Lookup("set") == nil || len(args) == 0 {
		return ""
	}
	values, err := cmd.Flags().GetStringArray("set")
	if err != nil { // it is another flag
		return ""
	}
	for _, value := range values {
		if !strings.Contains(value, "=") {
			return fmt.Sprintf("; did you mean --set %s=%s?", value, args[len(args)-1])
		}
	}
	return ""
}
