package loading

import (
	"errors"
	"slices"

	"starling/scenarios/document"
)

// mostMended is the number of layers of faults behind others that are looked for: faults of
// sections, of algorithms built from them, and of combinations.
const mostMended = 5

// MendedSource is the source in positions of a value that replaces a wrong one.
const MendedSource = "mended"

// hidden returns faults of a document that known faults hide: a family does not check a
// combination with wrong parts. It mends the known faults in one way or several; faults that
// occur elsewhere in each are the document's. It returns none where the loader cannot mend.
func (l Loader) hidden(doc *document.Document, known document.Issues) (found document.Issues) {
	for range mostMended {
		if l.FillIn == nil {
			return found
		}
		mended := l.FillIn(doc, slices.Concat(known, found))
		if len(mended) == 0 {
			return found
		}
		issues := l.faults(mended[0])
		for _, other := range mended[1:] {
			same := l.faults(other)
			issues = slices.DeleteFunc(issues, func(i document.Issue) bool { return !slices.Contains(same, i) })
		}
		issues = slices.DeleteFunc(issues, func(i document.Issue) bool { return !isHidden(i, slices.Concat(known, found)) })
		if len(issues) == 0 {
			return found
		}
		found = append(found, issues...)
	}
	return found
}

// faults returns the faults of a document; a new slice.
func (l Loader) faults(doc *document.Document) document.Issues {
	_, err := l.checkScenario(doc, nil, l.folder())
	var issues document.Issues
	errors.As(err, &issues)
	return slices.Clone(issues)
}

// decisionSet is the path of the set of decisions.
const decisionSet = "problem.set"

// isHidden reports whether a fault of a mended document is a fault of the document itself, in
// a place apart from the mended ones. Points of a problem and of its algorithm lie in the set of decisions: where
// the set is mended, their faults may follow from the value in place of the wrong one.
func isHidden(issue document.Issue, known document.Issues) bool {
	point := below(issue.Path, "problem") && !below(issue.Path, decisionSet) || below(issue.Path, "algorithm.start")
	if point && slices.ContainsFunc(known, func(k document.Issue) bool { return k.Path != decisionSet && below(k.Path, decisionSet) }) {
		return false
	}
	return issue.Path != "" && issue.Position.File != MendedSource && !slices.ContainsFunc(known, func(k document.Issue) bool {
		return below(issue.Path, k.Path) || below(k.Path, issue.Path)
	})
}
