package show

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
)

// Marks tell by which metrics an arm of a run is the best, and which arms are not told
// from it.
type Marks struct {
	// of is nil where there are no marks; seeds are the pairs of each test.
	of    map[string]comparison.Tested // by metric
	seeds int
}

// The marks.
const (
	bestMark  = " *"
	alikeMark = " ~"
	noMark    = "  "
)

// MarksOf tests the arms of a run at the steps of its table of last values. There are no
// marks of privacy losses, which are no samples, of arms that learn different things, and
// of runs with few seeds.
func MarksOf(run *results.Run, summary []results.SummaryRow, known metric.List) (Marks, error) {
	m := Marks{seeds: run.Manifest.Seeds.Count}
	if len(run.Manifest.Arms) < 2 || m.seeds < comparison.FewestPairs || slices.ContainsFunc(run.Manifest.Arms, changesProblem) {
		return m, nil
	}
	// A metric takes part if it says which direction is better. Tests are of one metric
	// each, and the correction is for the arms and not for the metrics.
	var ranked metric.List
	for _, c := range known {
		if c.Better != "" && c.Level == metric.OfRun && !strings.HasPrefix(c.Name, "epsilon.") {
			ranked = append(ranked, c)
		}
	}
	at, _ := lastSteps(&run.Manifest, summary)
	var err error
	m.of, err = comparison.BestArms(run, at, ranked)
	return m, err
}

// changesProblem tells whether an arm sets what is learned; from which set decisions are
// is no part of that.
func changesProblem(arm results.Arm) bool {
	return slices.ContainsFunc(arm.Values, func(v results.Value) bool {
		ofSet := v.Path == "problem.set" || strings.HasPrefix(v.Path, "problem.set.")
		return (v.Path == "problem" || strings.HasPrefix(v.Path, "problem.")) && !ofSet
	})
}

// on is a cell of a table with its mark. Where a table has marks, all cells have room for
// one, so that numbers stay under each other. The marks take two columns each, as many as
// the blank that cells without one get.
func (m *Marks) on(cell, metricName, arm string) string {
	t, marked := m.of[metricName]
	switch {
	case cell == "" || len(m.of) == 0:
		return cell
	case marked && arm == t.Best:
		return cell + bestMark
	case marked && slices.Contains(t.Alike, arm):
		return cell + alikeMark
	}
	return cell + noMark
}

// Text says what the marks mean; empty where there are none.
func (m *Marks) Text() string {
	if len(m.of) == 0 {
		return ""
	}
	return fmt.Sprintf("*: the best mean of the arms; ~: not told apart from it by a paired t-test over %s at %g, corrected by Bonferroni's method for all pairs of arms", Counted(m.seeds, "seed"), comparison.Level)
}
