package document

import (
	"errors"
	"strings"
)

// InputError is bad input: a scenario that cannot run as it is written.
type InputError struct {
	Err  error
	Line func(Position) (string, bool)
	Data string // a data set that is needed and not there, if one is
}

// Error implements error: a line for each problem, file:line:column first
// where it has a place.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap gives document.Issues where the problems have places.
func (e *InputError) Unwrap() error { return e.Err }

// Excerpts returns Error with the source line and a caret under each problem.
func (e *InputError) Excerpts() string {
	var issues Issues
	if !errors.As(e.Err, &issues) || e.Line == nil {
		return e.Error()
	}
	var text strings.Builder
	if err := issues.Render(&text, e.Line); err != nil {
		return e.Error()
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// BadInput marks an error as an InputError.
func BadInput(err error) error { return &InputError{Err: err} }
