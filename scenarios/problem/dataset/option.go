package dataset

import (
	"math"
	"slices"
	"strings"

	"starling/actors/option"
)

// requireRange demands a whole number of a range.
func requireRange(path string, v, least, most int) error {
	if v >= least && v <= most {
		return nil
	}
	return option.Errorf(path, "is %d, want %d to %d", v, least, most)
}

// requireBetween demands a number of a range.
func requireBetween(path string, v, least, most float64) error {
	if v >= least && v <= most && !math.IsNaN(v) {
		return nil
	}
	return option.Errorf(path, "is %v, want %v to %v", v, least, most)
}

// requireOneOf demands a word of a list.
func requireOneOf(path, v string, words []string) error {
	if slices.Contains(words, v) {
		return nil
	}
	return option.Errorf(path, "is %q, want one of %s", v, strings.Join(words, ", "))
}
