package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
)

// Fails reports whether a warning has the cause of a failed arm.
func Fails(w results.Warning) bool { return w.Code == "failed" }

// Voids reports whether a warning is of arms that do not compare, which the cautions of a finding name.
func Voids(w results.Warning) bool { return Fails(w) || w.Code == "stopped-apart" }

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
	if n := len(m.Failures); n > 0 {
		failed, verb := make([]string, n), "are"
		for i := range m.Failures {
			failed[i] = m.Failures[i].Arm
		}
		if n == 1 {
			verb = "is"
		}
		list = append(list, fmt.Sprintf("%d of %d arms failed and %s left out: %s.", n, len(m.Arms)+n, verb, namesText(failed)))
	}
	of := slices.DeleteFunc(Labelled(m.Warnings, m.Arms), func(w results.Warning) bool { return !Voids(w) || Fails(w) })
	lines, _ := WarningLines(of, m.Seeds.Count, len(m.Arms))
	return append(list, lines...)
}
