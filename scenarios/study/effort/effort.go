// Package effort is how much work the notes of an arm may take beside its runs: bounds of
// theory can cost more than the runs that they are about. It estimates no work; families
// say what a note of theirs takes.
package effort

import (
	"fmt"
	"math"
	"strings"
)

// What notes may take beside the runs of an arm, in operations: multiply-adds, of
// about a nanosecond each. Estimates depend on sizes alone, so that what is noted
// never depends on a clock.
const (
	// noteShare is the part of the runs of an arm that notes may take.
	noteShare = 0.05
	// alwaysMade is what notes may take whatever the runs do: a tenth of a second, which
	// claims count on; and brieflyMade where nobody does: a hundredth.
	alwaysMade  = 1e8
	brieflyMade = 1e7
)

// Extent is how much work notes on theory may take: bounds and what they are made of.
type Extent int

const (
	// Usual is within a twentieth of an arm's runs, or a tenth of a second.
	Usual Extent = iota
	// Brief is within a twentieth of an arm's runs, or a hundredth of a second.
	Brief
	// All is whatever it takes.
	All
)

// leftOut is how the note begins that stands for one that would take too long.
const leftOut = "left out: "

// IsLeftOut tells whether the value of a note stands for one that was left out.
func IsLeftOut(value string) bool { return strings.HasPrefix(value, leftOut) }

// Budget is what is left for the notes of an arm. Its notes are made once, of
// the first seed, whatever the number of seeds.
type Budget struct{ run, Left float64 }

// NewBudget returns what the notes of an arm may take whose runs take so many
// operations.
func NewBudget(run float64, theory Extent) *Budget {
	left := max(alwaysMade, noteShare*run)
	switch theory {
	case Brief:
		left = max(brieflyMade, noteShare*run)
	case All:
		left = math.Inf(1)
	}
	return &Budget{run, left}
}

// Take takes what a note needs. If that is over what is left, it takes nothing and
// returns what to say in place of the note.
func (b *Budget) Take(work float64) (leftOut string) {
	if work > b.Left {
		return b.Refusal(work)
	}
	b.Left -= work
	return ""
}

// Refusal returns what to say in place of a note that would take so many operations.
func (b *Budget) Refusal(work float64) string {
	return fmt.Sprintf(leftOut+"it would take about %.2g operations, and with other notes over 5 %% of the run's %.2g", work, b.run)
}
