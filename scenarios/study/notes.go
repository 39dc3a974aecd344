package study

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
	"starling/scenarios/problem/dataset"
)

// The keys of notes of what is no data, and in the hash of a run as data are: code that a
// scenario names, which says what participants do, and the program that runs code.
const (
	CodeNote        = "code"
	InterpreterNote = "interpreter"
)

// NoteOf returns the note of a file, or of what has a digest as a file has, under a key.
func NoteOf(key string, d dataset.FileDigest) Note {
	return Note{key, d.Name + ", sha256 " + d.Sha256}
}

// NoteOfData returns the note of a file of data: its name and its SHA-256.
func NoteOfData(d dataset.FileDigest) Note {
	return NoteOf(dataset.DataNote, d)
}

// EpsilonPLD is the note of an epsilon that a second accountant computes: by
// privacy loss distributions, from the rate, the noise and the number of the
// releases alone. It shares no formula with the Rényi divergences by which
// budgets of sampled Gaussian noise are kept, nor with the calibration of
// Gaussian noise, so that claims on privacy can be decided by it. The
// sensitivities are those of the first accountant.
const EpsilonPLD = "epsilon.pld"

// pldNotes keeps the notes that were computed, by pldKey: arms of a sweep often
// have the same steps, and each takes a fifth of a second.
var pldNotes sync.Map

type pldKey struct {
	steps accountant.SampledGaussian
	delta float64
}

// NoteEpsilonPLD bounds the epsilon of the steps at delta. The upper bound comes
// first: it is the number that claims read.
func NoteEpsilonPLD(steps accountant.SampledGaussian, delta float64) Note {
	key := pldKey{steps, delta}
	if known, ok := pldNotes.Load(key); ok {
		return known.(Note)
	}
	n := Note{EpsilonPLD, ""}
	if bounds, err := ledger.BoundsOf(steps, delta); err != nil {
		n.Value = err.Error()
	} else {
		n.Value = fmt.Sprintf("%.6g at most, %.6g at least, at delta %g", bounds.High, bounds.Low, delta)
	}
	pldNotes.Store(key, n)
	return n
}

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

// Theory is how much work notes on theory may take: bounds and what they are made of.
type Theory int

const (
	// TheoryUsual is within a twentieth of an arm's runs, or a tenth of a second.
	TheoryUsual Theory = iota
	// TheoryBrief is within a twentieth of an arm's runs, or a hundredth of a second.
	TheoryBrief
	// TheoryAll is whatever it takes.
	TheoryAll
)

// leftOut is how the note begins that stands for one that would take too long.
const leftOut = "left out: "

// IsLeftOut tells whether the value of a note stands for one that was left out.
func IsLeftOut(value string) bool { return strings.HasPrefix(value, leftOut) }

// What parts of a run take, in operations, measured on scenarios of the library.
// They are below what was measured rather than above it.
const (
	TurnWork       = 400 // a turn of a node of DPDO-NC
	MessageWork    = 100 // a message that it hears
	CoordinateWork = 20  // a coordinate of its decision
	LocalStepWork  = 400 // a local step of a learner of OFL, and of each
	LocalDimWork   = 25  // coordinate of it
	DatumWork      = 100 // to draw a datum and take its loss, and of each
	DatumDimWork   = 10  // coordinate of it
	NewtonRounds   = 6   // iterations of Newton's method
	NewtonWork     = 5000
)

// NoteBudget is what is left for the notes of an arm. Its notes are made once, of
// the first seed, whatever the number of seeds.
type NoteBudget struct{ run, Left float64 }

// NewNoteBudget returns what the notes of an arm may take whose runs take so many
// operations.
func NewNoteBudget(run float64, theory Theory) *NoteBudget {
	left := max(alwaysMade, noteShare*run)
	switch theory {
	case TheoryBrief:
		left = max(brieflyMade, noteShare*run)
	case TheoryAll:
		left = math.Inf(1)
	}
	return &NoteBudget{run, left}
}

// Take takes what a note needs. If that is over what is left, it takes nothing and
// returns what to say in place of the note.
func (b *NoteBudget) Take(work float64) (leftOut string) {
	if work > b.Left {
		return b.Refusal(work)
	}
	b.Left -= work
	return ""
}

// Refusal returns what to say in place of a note that would take so many operations.
func (b *NoteBudget) Refusal(work float64) string {
	return fmt.Sprintf(leftOut+"it would take about %.2g operations, and with other notes over 5 %% of the run's %.2g", work, b.run)
}
