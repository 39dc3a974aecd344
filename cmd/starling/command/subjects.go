package command

import (
	"cmp"
	"fmt"
	"io"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/kind"
	"starling/scenarios/library"
)

// otherSubject is the subject of scenarios that have none in the library.
const otherSubject = "Others"

// writeSubjects prints scenarios by their subjects, for a terminal of a width.
func writeSubjects(w io.Writer, entries []kind.Entry, width int) {
	longest := 0
	by := map[string][]kind.Entry{}
	for _, e := range entries {
		longest = max(longest, len(e.Kind))
		title := cmp.Or(library.SubjectOf(e.Kind), otherSubject)
		by[title] = append(by[title], e)
	}
	style, before := shell.Style{On: shell.Styled(w)}, ""
	for _, subject := range append(library.Subjects(), library.Subject{Title: otherSubject}) {
		if len(by[subject.Title]) == 0 {
			continue
		}
		fmt.Fprintln(w, before+style.Bold(shell.WrapLine(subject.Title, width)))
		for _, e := range by[subject.Title] {
			fmt.Fprintln(w, "  "+item(e.Kind, longest, e.Summary, width))
		}
		before = "\n"
	}
}
