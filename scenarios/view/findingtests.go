package view

import (
	"errors"
	"math"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
)

// sampled reports whether an arm is compared by values that vary over several seeds, so that more of them could
// be tested.
func (b *Baseline) sampled() bool {
	return slices.ContainsFunc(b.Metrics, func(of comparison.OfMetric) bool {
		return !isLoss(&of) && slices.ContainsFunc(of.Rows, func(row comparison.Row) bool {
			return !row.Baseline && len(row.Seeds) > 1 && (row.Bootstrapped || row.High > row.Low)
		})
	})
}

// BaselineArm returns the name of the arm with which a finding compares the others.
func (r *Run) BaselineArm() (string, error) {
	stated, _, err := r.statements("")
	if err != nil || len(r.Arms) == 0 {
		return "", err
	}
	base, err := r.baseline(stated)
	return r.Arms[base].Name, err
}

// baseline returns the place of the baseline, among the arms that have the headline metric.
func (r *Run) baseline(stated map[string][]statement) (place int, err error) {
	arms, err := r.headlined()
	if err != nil {
		return 0, err
	}
	private := slices.ContainsFunc(arms, func(arm results.ArmEntry) bool { return unbounded(stated[arm.Name]) == "" })
	base := arms[0].Name
	if i := slices.IndexFunc(arms, func(arm results.ArmEntry) bool { return unbounded(stated[arm.Name]) != "" }); private && i >= 0 {
		base = arms[i].Name
	}
	return slices.IndexFunc(r.Arms, func(arm results.ArmEntry) bool { return arm.Name == base }), nil
}

// headlined returns the arms that have the headline metric; all arms where none has one.
func (r *Run) headlined() (arms []results.ArmEntry, err error) {
	metrics, err := headline(Side{r.Source, r.Arms[0].Name}, r.Known)
	if errors.As(err, new(*document.InputError)) { // there is no metric
		return r.Arms, nil
	}
	if err != nil {
		return nil, err
	}
	arms = slices.DeleteFunc(slices.Clone(r.Arms), func(arm results.ArmEntry) bool {
		return !slices.ContainsFunc(r.Rows[metrics[0].Name], func(row results.SummaryRow) bool { return row.Arm == arm.Name })
	})
	if len(arms) == 0 {
		return r.Arms, nil
	}
	return arms, nil
}

// against gives the rows the intervals and ratios of a comparison with the baseline, which it
// returns. Rows of another problem keep none. It is nil where nothing compares.
func (r *Run) against(f *Finding, sides []Side, statistics comparison.Statistics) (*Baseline, error) {
	_, grid := r.Full()
	b, err := Against(sides, r.Known, BaselineOptions{Metrics: []string{f.Metric.Name}, Statistics: statistics, AcrossConditions: !grid})
	if errors.As(err, new(*OtherProblemError)) || errors.Is(err, comparison.ErrNothingCommon) || errors.As(err, new(*document.InputError)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, row := range b.allRows() {
		i := slices.IndexFunc(f.Rows, func(other FindingRow) bool { return other.Arm == b.Arms[row.Arm].Arm })
		if i < 0 || row.Step != f.Rows[i].Step {
			continue // the summary has the value of another step, which all arms reached
		}
		f.Rows[i].Half, f.Bootstrapped = row.Half, f.Bootstrapped || row.Bootstrapped
		if !row.Baseline {
			f.Rows[i].Ratio, f.Rows[i].P, f.Rows[i].Baseline = row.Ratio, row.Holm, b.Arms[b.Arms[row.Arm].Baseline].Arm
		}
	}
	return b, nil
}

// fillIntervals gives an interval to the rows that are not compared with the baseline, such as arms of another problem.
func (r *Run) fillIntervals(f *Finding, statistics comparison.Statistics) {
	for i := range f.Rows {
		row := &f.Rows[i]
		if !math.IsNaN(row.Half) || f.Seeds < 2 {
			continue
		}
		if f.Metric.Level != metric.OfSummary {
			row.Half = r.halfOf(f.Metric.Name, row)
			continue
		}
		if statistics == nil {
			continue
		}
		half, err := comparison.HalfWidthOf(comparison.Arm{Run: r.Source, Name: row.Arm}, f.Metric.Name, row.Step, statistics)
		if err == nil { // else a part of the statistic is missing, and the row has no interval
			row.Half, f.Bootstrapped = half, f.Bootstrapped || !math.IsNaN(half)
		}
	}
}

// problems returns the problem of each arm as the values that it sets; nil where a comparison has all arms, so that
// they learn one problem.
func (r *Run) problems(b *Baseline) map[string]string {
	if b == nil || len(b.Arms) == len(r.Arms) {
		return nil
	}
	of := map[string]string{}
	for _, arm := range r.Arms {
		of[arm.Name] = ""
		for _, v := range SettingValues(arm, nil) {
			if ofProblem(v.Path) {
				of[arm.Name] += v.Path + "=" + v.Value + "\n"
			}
		}
	}
	return of
}

// resample gives the statistics over the seeds besides the headline metric their intervals, as a
// comparison has them. One with missing parts has none.
func (r *Run) resample(f *Finding, statistics comparison.Statistics) {
	f.halves = map[[2]string]float64{}
	if statistics == nil || f.Seeds < 2 {
		return
	}
	for _, m := range r.Known {
		if m.Level != metric.OfSummary || m.Name == f.Metric.Name || r.Rows[m.Name] == nil {
			continue
		}
		last, _ := LastSteps(&r.Run, r.Metrics())
		for arm, step := range last {
			half, err := comparison.HalfWidthOf(comparison.Arm{Run: r.Source, Name: arm}, m.Name, step, statistics)
			if err != nil {
				half = math.NaN()
			}
			f.halves[[2]string{arm, m.Name}] = half
		}
	}
}

// mark gives the rows the marks of the table of last values, and the marks of a statistic over the seeds.
func (r *Run) mark(f *Finding, statistics comparison.Statistics) error {
	marks, err := r.marks(rankedOf(r.Known, f.Metric.Name))
	if err != nil {
		return err
	}
	r.resampled(&marks, f.Metric, statistics)
	_, grid := r.Full()
	for i := range f.Rows {
		f.Rows[i].Group = marks.group[f.Rows[i].Arm]
		for _, t := range marks.of[f.Metric.Name] {
			f.Rows[i].mark(t, !grid && f.Rows[i].Group == marks.group[t.Best])
		}
	}
	if f.Marks = marks.few; len(marks.of[f.Metric.Name]) > 0 {
		f.Marks = marks.shortText()
	}
	return nil
}

// mark gives a row the mark of a test. Where the best arm of the test is the baseline of the row, and
// the row is compared with it, the p-value of the finding counts as well, which is corrected for all
// arms: sentences state it, and no mark contradicts them.
func (r *FindingRow) mark(t comparison.Tested, compared bool) {
	alike := slices.Contains(t.Alike, r.Arm) || compared && r.Baseline == t.Best && r.P > comparison.Level
	switch {
	case t.Best == r.Arm:
		r.Mark = strings.TrimSpace(bestMark)
	case alike:
		r.Mark = strings.TrimSpace(alikeMark)
	}
}
