package study

import (
	"starling/actors/option"
	"starling/scenarios/document"
)

// Faults collects the faults of an arm.
type Faults struct {
	// Doc resolves paths to places in the file; Issues are the faults, in the order of
	// finding.
	Doc    *document.Document
	Issues document.Issues
}

// Note notes the faults in an error, and reports whether there was none.
func (f *Faults) Note(err error) bool {
	f.Issues = append(f.Issues, f.Doc.Resolve("", err)...)
	return err == nil
}

// At notes a fault at a path.
func (f *Faults) At(path, format string, args ...any) {
	f.Note(document.At(path, format, args...))
}

// Options notes errors in the options of an algorithm at their places in the file, and reports
// whether there were none.
func (f *Faults) Options(err error) bool { return f.Note(option.Rename(err, optionPath)) }

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
