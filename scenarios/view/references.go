package view

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/results/figure"
)

// referenceTitle heads the panel of curves that have no place in the other panels.
const referenceTitle = "for reference"

// mostReferences is the largest number of curves that stand in every panel of a figure of a page, where panels are small.
const mostReferences = 2

// referencesApart gives curves that stand in every panel of a figure a panel of their own, where they are many: on a page
// the panels are small. Where a panel has no other curves all stay. Curves without a point on the axis are left out, and
// the note names them.
func (r *reported) referencesApart(f *figure.Figure) {
	if len(f.Panels) < 2 {
		return
	}
	everywhere := func(s figure.Series) bool {
		return !slices.ContainsFunc(f.Panels, func(p figure.Panel) bool {
			return !slices.ContainsFunc(p.Series, func(other figure.Series) bool { return other.Name == s.Name })
		})
	}
	var shared []figure.Series
	rest := slices.Clone(f.Panels)
	for i := range rest {
		rest[i].Series = nil
		for _, s := range f.Panels[i].Series {
			if !everywhere(s) {
				rest[i].Series = append(rest[i].Series, s)
			} else if i == 0 {
				shared = append(shared, s)
			}
		}
		if len(rest[i].Series) == 0 {
			return
		}
	}
	if len(shared) == 0 {
		return
	}
	var absent []string
	shared = slices.DeleteFunc(shared, func(s figure.Series) bool {
		none := !slices.ContainsFunc(s.Y, func(y float64) bool { return figure.Drawable(y, f.LogY) })
		if none {
			absent = append(absent, r.label(s.Name))
		}
		return none
	})
	switch {
	case len(shared) > mostReferences:
		f.Panels = append(rest, figure.Panel{Title: referenceTitle, Series: shared})
	default:
		for i := range rest {
			rest[i].Series = append(rest[i].Series, shared...)
		}
		f.Panels = rest
	}
	if len(absent) > 0 {
		f.Note = strings.TrimSpace(f.Note + fmt.Sprintf(" Not drawn: %s, without a value that the axis can show.", strings.Join(absent, "; ")))
	}
}
