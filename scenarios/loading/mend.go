package loading

import (
	"errors"
	"slices"

	"starling/scenarios/document"
)

// mostMended is how many layers of faults are looked behind: sections, what an algorithm
// makes of them, and what goes together.
const mostMended = 5

// MendedSource is what positions call a value that stands in the place of a wrong one.
const MendedSource = "mended"

// hidden are faults of a document that those that are known hide: a family does not look
// at a combination whose parts are wrong. The known ones are mended, and what is wrong
// then, elsewhere, was wrong before. Nothing is hidden where the loader cannot mend.
func (l Loader) hidden(doc *document.Document, known document.Issues) (found document.Issues) {
	for range mostMended {
		if l.Mend == nil {
			return found
		}
		mended := l.Mend(doc, slices.Concat(known, found))
		if mended == nil {
			return found
		}
		_, err := l.checkScenario(mended, nil, l.folder())
		var issues document.Issues
		errors.As(err, &issues)
		issues = slices.DeleteFunc(slices.Clone(issues), func(i document.Issue) bool { return !isHidden(i, slices.Concat(known, found)) })
		if len(issues) == 0 {
			return found
		}
		found = append(found, issues...)
	}
	return found
}

// isHidden tells whether a fault of a mended document is one of the document itself, in
// a place apart from those that were mended.
func isHidden(issue document.Issue, known document.Issues) bool {
	return issue.Path != "" && issue.Position.File != MendedSource && !slices.ContainsFunc(known, func(k document.Issue) bool {
		return below(issue.Path, k.Path) || below(k.Path, issue.Path)
	})
}
