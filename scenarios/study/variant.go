package study

import (
	"starling/scenarios/document"
)

// Variant is one arm of a sweep before it is built: the scenario's document
// with the arm's values in place.
type Variant struct {
	Name      string
	Overrides string         // the arm's values, for the manifest
	Assigned  []Assignment   // the arm's settings, by canonical paths
	Place     *document.Node // of the arm in the sweep
	Document  *document.Document
}

// Assignment is a path and the value it takes in an arm.
type Assignment struct {
	Path  string
	Value *document.Node
}

// Undone returns an error for a value that a later one of the same arm replaces.
func (v *Variant) Undone(assignments []Assignment) error {
	var issues document.Issues
	for _, a := range assignments {
		node, ok := v.Document.Find(a.Path)
		if !ok || node.Position() != a.Value.Position() {
			issues = append(issues, a.Value.Issuef("the arm sets %s again after this", a.Path))
		}
	}
	return issues.Err()
}
