package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"starling/scenarios/document"
)

// ErrorsFlag is the flag of all verbs for the form of errors.
const ErrorsFlag = "errors"

// form is the value of a flag that says in which form something is printed.
type form struct {
	value  string
	values []string
}

// String, Set and Type implement pflag.Value.
func (f *form) String() string { return f.value }
func (f *form) Type() string   { return "string" }

func (f *form) Set(value string) error {
	if !slices.Contains(f.values, value) {
		return fmt.Errorf("want one of %v", f.values)
	}
	f.value = value
	return nil
}

// AddErrors adds --errors to all verbs.
func AddErrors(root *cobra.Command) {
	root.PersistentFlags().Var(&form{"text", []string{"text", "json"}}, ErrorsFlag,
		"how errors are printed: text, or json, an array of objects with file, line, column, path and message")
}

// ErrorsAsJSON reports whether arguments ask for errors as JSON. It reads them itself, as the
// error may be that they cannot be read.
func ErrorsAsJSON(args []string) bool {
	for i, arg := range args {
		if arg == "--" {
			return false
		}
		if arg == "--errors=json" || arg == "--errors" && i+1 < len(args) && args[i+1] == "json" {
			return true
		}
	}
	return false
}

// Fault is an error as JSON. Line and column count from 1, and are 0 where the error is of no
// place; path is the path of the value in the scenario.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// WriteFaults prints an error as an array of faults, on one line: all that a scenario or a
// command line has, or one.
func WriteFaults(w io.Writer, err error) {
	faults := []Fault{{Message: err.Error()}}
	var issues document.Issues
	var input *document.InputError
	switch {
	case !errors.As(err, &input):
	case errors.As(err, &issues):
		faults = nil
		for _, i := range issues.Sorted() {
			faults = append(faults, Fault{i.Position.File, i.Position.Line, i.Position.Column, i.Path, i.Message})
		}
	default:
		if several := joined(input.Err); several != nil {
			faults = several
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.Encode(faults) // an error of standard error cannot be reported
}

// joined returns a fault for each error that errors.Join put together; nil for another error.
func joined(err error) (faults []Fault) {
	for _, message := range Joined(err) {
		faults = append(faults, Fault{Message: message})
	}
	return faults
}

// Joined returns the message of each error that errors.Join put together; nil for another error.
func Joined(err error) (messages []string) {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(several.Unwrap()...).Error() != err.Error() {
		return nil
	}
	for _, part := range several.Unwrap() {
		messages = append(messages, part.Error())
	}
	return messages
}
