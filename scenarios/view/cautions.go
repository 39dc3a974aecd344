package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
)

// voiding are the codes of warnings of a run in which arms do not compare.
var voiding = []string{"failed", "stopped-apart"}

// Voids reports whether a warning is among the cautions of a finding.
func Voids(w results.Warning) bool { return slices.Contains(voiding, w.Code) }

// cautions returns the reasons for which the order of the arms may be wrong: too few seeds for tests, arms without a
// finite value, arms that failed, and arms that budgets stopped at different steps.
func (r *Run) cautions(f *Finding) (list []string) {
	if few := comparison.TooFew(f.Seeds); few != "" && f.Marks == few && len(f.comparable()) > 1 {
		list = append(list, few+". The order of the arms may be chance.")
	}
	var names []string
	loss := f.Metric.Name == LossOfRun.Name || strings.HasPrefix(f.Metric.Name, "epsilon.") // which may have no bound
	for _, row := range f.Rows {
		if !loss && (math.IsNaN(row.Value) || math.IsInf(row.Value, 0)) {
			names = append(names, f.Name(row.Arm))
		}
	}
	if len(names) > 0 && len(names) < len(f.Rows) {
		verb := "have"
		if len(names) == 1 {
			verb = "has"
		}
		list = append(list, fmt.Sprintf("%s %s no finite value: the run diverged, or recorded none.", namesText(names), verb))
	}
	m := &r.Source.Manifest
	of := slices.DeleteFunc(Labelled(m.Warnings, m.Arms), func(w results.Warning) bool { return !Voids(w) })
	lines, _ := WarningLines(of, m.Seeds.Count, len(m.Arms))
	return append(list, lines...)
}
