package study

import (
	"fmt"
	"math"
	"strings"
)

// The limits on the work of notes beside the runs of an arm, in operations: multiply-adds, of
// about a nanosecond each. Estimates depend on sizes alone, so that the choice of notes never
// depends on a clock.
const (
	// noteShare is the part of the runs' work that notes may take.
	noteShare = 0.05
	// alwaysMade is the work that notes may take whatever the runs do: a tenth of a second,
	// which claims count on. brieflyMade is the same where no claim does: a hundredth.
	alwaysMade  = 1e8
	brieflyMade = 1e7
)

// EffortExtent is the limit on the work of notes on theory: bounds and their ingredients.
type EffortExtent int

const (
	// Usual is within a twentieth of an arm's runs, or a tenth of a second.
	Usual EffortExtent = iota
	// Brief is within a twentieth of an arm's runs, or a hundredth of a second.
	Brief
	// All is without a limit.
	All
)

// leftOut is the beginning of the note that stands for one that would take too long.
const leftOut = "left out: "

// IsLeftOut reports whether the value of a note stands for one that was left out.
func IsLeftOut(value string) bool { return strings.HasPrefix(value, leftOut) }

// Effort is the work that is left for the notes of an arm. Its notes are made once, of the
// first seed, whatever the number of seeds.
type Effort struct{ run, Left float64 }

// NewEffort returns the budget of the notes of an arm; its runs take run operations.
func NewEffort(run float64, theory EffortExtent) *Effort {
	left := max(alwaysMade, noteShare*run)
	switch theory {
	case Brief:
		left = max(brieflyMade, noteShare*run)
	case All:
		left = math.Inf(1)
	}
	return &Effort{run, left}
}

// Take takes the work of a note from the budget. If that is more than the work left, it takes
// nothing and returns the text in place of the note.
func (b *Effort) Take(work float64) (leftOut string) {
	if work > b.Left {
		return b.Refusal(work)
	}
	b.Left -= work
	return ""
}

// Refusal returns the text in place of a note that would take so many operations.
func (b *Effort) Refusal(work float64) string {
	return fmt.Sprintf(leftOut+"it would take about %.2g operations, and with other notes over 5 %% of the run's %.2g", work, b.run)
}
