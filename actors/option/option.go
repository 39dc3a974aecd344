// Package option has the error that every check of options returns: of algorithms, topologies,
// networks, problems and sections of scenario files. One kind of error lets one function find
// the place in a file.
package option

import (
	"errors"
	"fmt"
)

// Error is the fault of one option.
type Error struct {
	// Path is the option's key path, relative to the checked options, as scenario files write
	// it: tau, sensors.circle.radius or matrices[1][2]. An empty path is the whole.
	Path string
	// Message describes the fault and a right value, without the path.
	Message string
}

// Error returns "path: message".
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// Errorf returns an *Error with a formatted message.
func Errorf(path, format string, args ...any) error {
	return &Error{Path: path, Message: fmt.Sprintf(format, args...)}
}

// At returns an *Error about the option at a path with the text of err; nil for nil.
func At(path string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Path: path, Message: err.Error()}
}

// Faults collects faults of options. The zero value is empty.
type Faults []error

// Check notes an error in the option at a path unless ok holds.
func (f *Faults) Check(ok bool, path, format string, args ...any) {
	if !ok {
		*f = append(*f, Errorf(path, format, args...))
	}
}

// Add notes an error, unless it is nil.
func (f *Faults) Add(err error) {
	if err != nil {
		*f = append(*f, err)
	}
}

// At notes the text of err for the option at a path, unless err is nil.
func (f *Faults) At(path string, err error) {
	f.Add(At(path, err))
}

// Err joins the faults noted; nil if there are none.
func (f *Faults) Err() error { return errors.Join(*f...) }

// Rename gives other paths to the options that errors name: it changes each *Error in err,
// which may be joined or wrapped. A wrapped one loses the text around it. Other errors stay as
// they are.
func Rename(err error, rename func(path string) string) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range joined.Unwrap() {
			errs = append(errs, Rename(e, rename))
		}
		return errors.Join(errs...)
	}
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return &Error{Path: rename(e.Path), Message: e.Message}
}

// Under puts a section's key in front of the paths of the errors in its options.
func Under(section string, err error) error {
	return Rename(err, func(path string) string { return section + "." + path })
}

// Message is the text of an error, without the path of its option. It is empty for nil.
func Message(err error) string {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Message
	}
	return err.Error()
}
