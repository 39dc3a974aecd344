package comparison

import (
	"math"

	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// Samples are the values by seed of metrics of the arms of a run, each arm at one step.
type Samples struct {
	steps  map[series]int64
	values map[series]map[uint64]float64
}

// NewSamples returns samples without a value, of metrics at the step that at gives for each arm.
func NewSamples(at map[string]int64, metrics []string) Samples {
	s := Samples{map[series]int64{}, map[series]map[uint64]float64{}}
	for arm, step := range at {
		for _, name := range metrics {
			s.steps[series{arm, name}] = step
		}
	}
	return s
}

// Add adds the value of a row, if it is one of the samples.
func (s Samples) Add(row results.Row) {
	name := series{row.Arm, row.Metric}
	if step, ok := s.steps[name]; !ok || step != row.Step {
		return
	}
	if s.values[name] == nil {
		s.values[name] = map[uint64]float64{}
	}
	s.values[name][row.Seed] = row.Value
}

// SamplesAt reads the values of metrics at the step that at gives for each arm.
func SamplesAt(r *results.Run, at map[string]int64, metrics []string) (Samples, error) {
	s := NewSamples(at, metrics)
	err := r.RunLevel(func(row results.Row) error {
		s.Add(row)
		return nil
	})
	return s, err
}

// Best returns, for each of several disjoint groups of arms, the best arm on a metric and the
// arms of its group that are not told from it. It uses paired t-tests over the seeds, corrected
// by Bonferroni's method for all pairs of arms inside of the groups. The data choose the best arm,
// so that any pair may be the one that is tested: k arms count for k(k-1)/2 tests, and not for the
// k-1 that are done. The chance that an arm of any group is wrongly told from the best is then at
// most Level, however many arms there are. The metric must have a better side. A group has no Best
// where fewer than two of its arms have the metric, where all are equal, or where there are fewer
// than FewestPairs seeds.
func (s Samples) Best(groups [][]string, m metric.Metric) []Tested {
	fields := make([]field, len(groups))
	pairs := 0.0
	for i, arms := range groups {
		fields[i] = s.field(arms, m)
		k := float64(len(fields[i].arms))
		pairs += float64(k*(k-1)) / 2
	}
	list := make([]Tested, len(groups))
	for i, f := range fields {
		if f.unequal {
			list[i] = s.tested(f, m, pairs)
		}
	}
	return list
}

// field are the arms of a group that take part in its tests.
type field struct {
	arms []string
	// best is the arm of the best mean; unequal is set where another arm has another mean.
	best    string
	unequal bool
}

// field returns the arms that have a finite mean over at least FewestPairs seeds.
func (s Samples) field(arms []string, m metric.Metric) (f field) {
	less := m.Better == metric.LowerIsBetter
	var first, best float64 // means of the first arm and of the best
	for _, arm := range arms {
		of := s.values[series{arm, m.Name}]
		if len(of) < FewestPairs {
			continue
		}
		mean := meanBySeed(of)
		if math.IsNaN(mean) || math.IsInf(mean, 0) {
			continue
		}
		if f.arms = append(f.arms, arm); len(f.arms) == 1 {
			first = mean
		}
		if f.best == "" || mean != best && (mean < best) == less {
			f.best, best = arm, mean
		}
		f.unequal = f.unequal || mean != first
	}
	return f
}

// tested tests the arms of a field against its best. pairs is the number of tests for which
// the p-values are corrected.
func (s Samples) tested(f field, m metric.Metric, pairs float64) Tested {
	t := Tested{Best: f.best}
	for _, arm := range f.arms {
		if arm == f.best {
			continue
		}
		p := comparedTo(s.values[series{f.best, m.Name}], s.values[series{arm, m.Name}], m.Derived)
		if !(float64(pairs*p) <= Level) {
			t.Alike = append(t.Alike, arm)
		}
	}
	return t
}

// P returns the two-sided p-value of the paired t-test between two arms on a metric, over the
// seeds that both have, before any correction. It is NaN where there is no test, as in
// Difference.P.
func (s Samples) P(a, b, metricName string) float64 {
	first, second := s.values[series{a, metricName}], s.values[series{b, metricName}]
	var differences []float64
	for _, seed := range seedsOf(first) {
		if other, ok := second[seed]; ok {
			differences = append(differences, other-first[seed])
		}
	}
	mean, se := results.MeanSE(differences)
	return pairedP(mean, se, len(differences))
}
