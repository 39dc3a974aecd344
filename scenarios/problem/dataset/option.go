package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// OptionError reports one option that is missing, malformed or out of range.
type OptionError struct {
	// Path is the key path of the option, relative to the options.
	Path string
	// Message says what is wrong and what would be right.
	Message string
}

// Error implements error.
func (e *OptionError) Error() string { return e.Path + ": " + e.Message }

// Field is the key path, for callers that point at the place in a file.
func (e *OptionError) Field() string { return e.Path }

// optionErrorf builds an OptionError.
func optionErrorf(path, format string, args ...any) error {
	return &OptionError{Path: path, Message: fmt.Sprintf(format, args...)}
}

// requireRange demands a whole number of a range.
func requireRange(path string, v, least, most int) error {
	if v >= least && v <= most {
		return nil
	}
	return optionErrorf(path, "is %d, want %d to %d", v, least, most)
}

// requireBetween demands a number of a range.
func requireBetween(path string, v, least, most float64) error {
	if v >= least && v <= most && !math.IsNaN(v) {
		return nil
	}
	return optionErrorf(path, "is %v, want %v to %v", v, least, most)
}

// requireOneOf demands a word of a list.
func requireOneOf(path, v string, words []string) error {
	if slices.Contains(words, v) {
		return nil
	}
	return optionErrorf(path, "is %q, want one of %s", v, strings.Join(words, ", "))
}
