package study

import (
	"errors"

	"starling/actors/option"
	"starling/scenarios/document"
)

// Faults are the faults that a function finds in a file, in the order of finding. A function that
// goes on after a fault, to find more, has Faults of its own and returns their Err. The zero
// value has none.
type Faults []error

// Note notes an error, unless it is nil. It reports whether it is nil.
func (f *Faults) Note(err error) bool {
	if err != nil {
		*f = append(*f, err)
	}
	return err == nil
}

// At notes a fault at a path.
func (f *Faults) At(path, format string, args ...any) {
	f.Note(document.At(path, format, args...))
}

// Err returns the faults as one error, nil where there are none. Document.Resolve gives each its
// place in the file.
func (f Faults) Err() error { return errors.Join(f...) }

// OptionFaults returns errors in the options of an algorithm with the paths that scenarios have
// for them.
func OptionFaults(err error) error { return option.Rename(err, optionPath) }

// optionPath returns the path in a scenario of an option of an algorithm: its name in the
// section algorithm, unless elsewhere has another path.
func optionPath(name string) string {
	if path, ok := elsewhere[name]; ok {
		return path
	}
	return "algorithm." + name
}

// elsewhere are the options of algorithms that other sections set.
var elsewhere = map[string]string{
	"nodes": "nodes", "clients": "nodes",
	"horizon": "horizon", "rounds": "horizon",
	"experts": "problem", "alpha": "problem", "beta": "problem",
	"kind": "mechanism.kind", "noise": "mechanism.noise", "neighbours": "mechanism.neighbours",
	"epsilon": "mechanism.epsilon", "delta": "mechanism.delta", "sigma": "mechanism.sigma",
	"budget": "budget", "budget.epsilon": "budget.epsilon", "budget.delta": "budget.delta", "budget.accountant": "mechanism.accountant",
}
