package report

import (
	"fmt"
	"strings"

	"starling/scenarios/document"
)

// lastInside is the content of the folded part with the last values, in a few words.
func lastInside(r *Run) string {
	arms, metrics := 0, 0
	for _, t := range r.Last {
		if across := len(t.Header) - 1; metrics == 0 || len(t.Rows) == metrics {
			metrics, arms = len(t.Rows), arms+across
		} else {
			arms, metrics = max(arms, len(t.Rows)), max(metrics, across)
		}
	}
	list := []string{}
	if arms > 0 {
		list = append(list, fmt.Sprintf("a table of %d by %d", metrics, arms))
	}
	if n := len(r.More.Rows); n > 0 {
		list = append(list, document.Counted(n, "further metric"))
	}
	return strings.Join(list, ", ")
}

// notesInside says how many notes and derived tables there are.
func notesInside(r *Run) string {
	list := []string{}
	if n := len(r.Remarks); n > 0 {
		list = append(list, document.Counted(n, "note"))
	}
	if n := len(r.Notes); n > 0 {
		list = append(list, document.Counted(n, "table")+" of derived values")
	}
	if n := len(r.Warnings); n > 0 {
		list = append(list, document.Counted(n, "warning")+" above")
	}
	return strings.Join(list, ", ")
}

// linesInside says how long the scenario is.
func linesInside(text string) string {
	return document.Counted(strings.Count(strings.TrimRight(text, "\n"), "\n")+1, "line") + " of YAML"
}

// filesInside says how many facts, commands and files the origin has.
func filesInside(r *Run) string {
	return fmt.Sprintf("%s, %s with checksums", document.Counted(len(r.Commands), "command"), document.Counted(len(r.Files), "file"))
}
