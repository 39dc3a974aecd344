package study

import (
	"fmt"
	"sync"

	"starling/mechanisms/accountant"
	"starling/scenarios/inputs"
	"starling/scenarios/ledger"
)

// The keys of notes on files that are no data, but are in the hash of a run as data are: code
// that a scenario names for the behaviour of participants, and the program that runs code.
const (
	CodeNote        = "code"
	InterpreterNote = "interpreter"
)

// NoteOf returns the note of a file, or of anything with a name and a digest, under a key.
func NoteOf(key string, d inputs.Digest) Note {
	return Note{Key: key, Value: d.Name + ", sha256 " + d.Sha256}
}

// NoteOfData returns the note of a file of data: its name and its SHA-256.
func NoteOfData(d inputs.Digest) Note {
	return NoteOf(inputs.DataNote, d)
}

// EpsilonPLD is the note of an epsilon that a second accountant computes: by privacy loss
// distributions, from the rate, the noise and the number of the releases alone. It shares no
// formula with the Rényi divergences by which budgets of sampled Gaussian noise are kept, nor
// with the calibration of Gaussian noise, so that claims on privacy can be decided by it. The
// sensitivities are the first accountant's.
const EpsilonPLD = "epsilon.pld"

// pldNotes keeps the notes that were computed, by pldKey: arms of a sweep often have the same
// steps, and each takes a fifth of a second.
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
	n := Note{Key: EpsilonPLD}
	if bounds, err := ledger.BoundsOf(steps, delta); err != nil {
		n.Value = err.Error()
	} else {
		n.Value = fmt.Sprintf("%.6g at most, %.6g at least, at delta %g", bounds.High, bounds.Low, delta)
	}
	pldNotes.Store(key, n)
	return n
}

// Note and Warning are the types of results.Manifest without the arm. Key and Code are fixed
// words, for programs; Value and Message are for people.
type (
	Note struct {
		Key, Value string
		// Later returns the value if finding it takes a while. It is called when a job has
		// run, and not by code that only reads the scenario. nil if Value is known.
		Later func() string
	}
	Warning struct{ Code, Message string }
)

// Remarks are the notes and the warnings for readers of an arm's results. The zero value has
// none.
type Remarks struct {
	Notes    []Note
	Warnings []Warning
}

// Add adds a note.
func (r *Remarks) Add(key, format string, args ...any) {
	r.Notes = append(r.Notes, Note{Key: key, Value: fmt.Sprintf(format, args...)})
}

// Warn adds a warning.
func (r *Remarks) Warn(code, message string) {
	r.Warnings = append(r.Warnings, Warning{Code: code, Message: message})
}

// Unprotected adds the note of an arm without noise, which is a baseline and no fault: messages
// show the text shown.
func (r *Remarks) Unprotected(shown string) { r.Add("privacy", "none, without noise: %s", shown) }

// Append adds notes and warnings, and changes neither slice.
func (r *Remarks) Append(notes []Note, warnings []Warning) {
	r.Notes, r.Warnings = append(r.Notes, notes...), append(r.Warnings, warnings...)
}

// Start adds remarks on the start of a run; nil adds none.
func (r *Remarks) Start(b *ledger.Before) {
	if b == nil {
		return
	}
	r.Add("start", "%s", b.Text)
	if len(b.Others) > 0 || !b.Total.Private() {
		r.Warn("start", b.Text)
	}
}

// Known returns the note with its value.
func (n Note) Known() Note {
	if n.Later != nil {
		n.Value, n.Later = n.Later(), nil
	}
	return n
}
