package shell

import (
	"fmt"

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
	return Usage(fmt.Errorf("unknown verb %q%s", name, document.Suggest(name, verbs, "")))
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
			return Usage(fmt.Errorf("%s takes %s; got %s", cmd.Name(), what, document.Counted(len(args), "argument")))
		}
		return nil
	}
}
