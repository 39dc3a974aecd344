package comparison

import (
	"math"
	"slices"

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
// arms of its group that are not told from it. This is the one rule of all marks. Each arm of a
// group is compared with the best of the group by a paired t-test over the seeds, and Holm's method
// corrects for these k-1 comparisons of a group of k arms.
//
// The data choose the best arm, so that the level is of the choice: an arm that is truly as good as
// any other is told from the best with a chance of at most Level. At the first step of Holm's method
// it is told only if one of k-1 arms, none of them truly better, is seen to be better with p at most
// Level/(k-1); each of these one-sided events has a chance of at most half of that, and their sum is
// Level/2. The other half of the level is for the later steps, which follow only where other arms
// were told from the best: TestMarksHoldTheirLevel measures the whole. That any of k equal arms is
// told from the best has a chance of at most k*Level/2, the sum over all pairs.
//
// The metric must have a better side. A group has no Best where fewer than two of its arms have the
// metric, where all are equal, where no value varies over the seeds, for a test is of samples, or where
// there are fewer than FewestPairs seeds.
func (s Samples) Best(groups [][]string, m metric.Metric) []Tested {
	list := make([]Tested, len(groups))
	for i, arms := range groups {
		if f := s.field(arms, m); f.unequal && f.varied {
			list[i] = s.tested(f, m)
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
	// varied is set where the value of an arm depends on the seed.
	varied bool
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
		f.unequal, f.varied = f.unequal || mean != first, f.varied || varies(of)
	}
	return f
}

// varies reports whether values under seeds are not all the same.
func varies(bySeed map[uint64]float64) bool {
	var first float64
	found := false
	for _, v := range bySeed { // the order does not matter
		if found && v != first {
			return true
		}
		first, found = v, true
	}
	return false
}

// tested tests the arms of a field against its best.
func (s Samples) tested(f field, m metric.Metric) Tested {
	t := Tested{Best: f.best}
	others := slices.DeleteFunc(slices.Clone(f.arms), func(arm string) bool { return arm == f.best })
	p := make([]float64, len(others))
	for i, arm := range others {
		p[i] = comparedTo(s.values[series{f.best, m.Name}], s.values[series{arm, m.Name}], m.Derived)
		if math.IsNaN(p[i]) {
			p[i] = 1 // an arm without a test is not told from the best, and counts
		}
	}
	for i, corrected := range Holm(p) {
		if corrected > Level {
			t.Alike = append(t.Alike, others[i])
		}
	}
	return t
}

// P returns the two-sided p-value of the paired t-test between two arms on a metric, over the
// seeds that both have, before any correction. It is NaN where there is no test, as in
// Difference.P.
func (s Samples) P(a, b, metricName string) float64 {
	mean, se, n := paired(s.values[series{a, metricName}], s.values[series{b, metricName}])
	return enough(pairedP(mean, se, n), n)
}

// BestOf is Best for a statistic over the seeds of a run, each arm at the step that at gives: the test of an
// arm with the best is the bootstrap of CompareAgainst. An arm without the parts of the statistic
// takes no part.
func BestOf(run *results.Run, groups [][]string, m metric.Metric, at map[string]int64, statistics Statistics) []Tested {
	if statistics == nil {
		return nil
	}
	seeds := seedsIn(run)
	return BestOfSeeds(len(seeds), groups, m, func(arm string) (Statistic, error) {
		return statistics(Arm{Run: run, Name: arm}, m.Name, at[arm], seeds)
	})
}

// BestOfSeeds is BestOf for statistics over so many seeds, without a run. An arm without a statistic takes no part.
func BestOfSeeds(seeds int, groups [][]string, m metric.Metric, statistic func(arm string) (Statistic, error)) []Tested {
	list := make([]Tested, len(groups))
	if seeds < FewestPairs {
		return list
	}
	b := newBootstrap(seeds)
	for i, arms := range groups {
		list[i] = b.best(arms, m, statistic)
	}
	return list
}

// best tests the arms of a group against the best of them.
func (b *bootstrap) best(arms []string, m metric.Metric, statistic func(arm string) (Statistic, error)) (t Tested) {
	less := m.Better == metric.LowerIsBetter
	var names []string
	var values []*replicates
	best := 0
	for _, arm := range arms {
		of, err := statistic(arm)
		if err != nil {
			continue
		}
		r := b.of(of)
		if v := r.all.value; math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		names, values = append(names, arm), append(values, r)
		if v := values[best].all.value; r.all.value != v && (r.all.value < v) == less {
			best = len(values) - 1
		}
	}
	if len(names) < 2 {
		return t
	}
	p := make([]float64, len(names))
	for i := range names {
		if p[i] = math.NaN(); i == best {
			continue
		}
		if p[i] = b.studentized(combine(values[best], values[i], difference)).p; math.IsNaN(p[i]) {
			p[i] = 1 // an arm without a test is not told from the best, and counts
		}
	}
	t.Best = names[best]
	for i, corrected := range Holm(p) {
		if corrected > Level {
			t.Alike = append(t.Alike, names[i])
		}
	}
	return t
}
