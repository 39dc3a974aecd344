package study

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"starling/scenarios/metric"
)

// TrialResult is a trial of an arm that was run: the mean of the metric over the seeds at the last step,
// and its standard error, NaN of one seed. A trial that failed has no result.
type TrialResult struct {
	Trial    int
	Mean, SE float64
}

// TunedChoice is the choice for an arm.
type TunedChoice struct {
	Arm string
	// Values are those of the best trial, in YAML, in the order of the keys.
	Values []string
	TrialResult
	// Trials is the number of trials of the plan, and Failed how many of the last round have no
	// tuneNumber.
	Trials, Failed int
	// Edges are the keys with the first or the last value of their grid, in the order of numbers.
	Edges []string
}

// Best returns the results of an arm from the best on. Trials of equal means are in the order in
// which they were made; those without a number are left out.
func (p *TuningPlan) Best(results []TrialResult) []TrialResult {
	list := slices.DeleteFunc(slices.Clone(results), func(r TrialResult) bool { return math.IsNaN(r.Mean) })
	slices.SortStableFunc(list, func(a, b TrialResult) int {
		if p.Metric.Better == metric.HigherIsBetter {
			a, b = b, a
			return cmp.Or(cmp.Compare(a.Mean, b.Mean), b.Trial-a.Trial)
		}
		return cmp.Or(cmp.Compare(a.Mean, b.Mean), a.Trial-b.Trial)
	})
	return list
}

// Choose returns the choice for an arm by the results of its last round. tried is the number of
// trials of that round. ok is false where no trial has a number.
func (p *TuningPlan) Choose(arm int, results []TrialResult, tried int) (c TunedChoice, ok bool) {
	best := p.Best(results)
	if len(best) == 0 {
		return TunedChoice{Arm: p.scenario.Arms[arm].Name, Trials: tried, Failed: tried}, false
	}
	c = TunedChoice{
		Arm: p.scenario.Arms[arm].Name, Values: p.Trials[best[0].Trial].Values, TrialResult: best[0],
		Trials: len(p.Trials), Failed: tried - len(best),
	}
	for i, k := range p.keys {
		if p.Section.Grid != nil && k.edge(c.Values[i]) != 0 {
			c.Edges = append(c.Edges, k.name)
		}
	}
	return c, true
}

// numbers returns the values of a list as numbers, ascending; nil where one is none, and where
// there are fewer than two.
func (k *tuneKey) numbers() (list []float64) {
	for _, value := range k.values {
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
		list = append(list, v)
	}
	if slices.Sort(list); len(list) < 2 {
		return nil
	}
	return list
}

// edge returns -1 for the smallest number of a list, 1 for the largest, and 0 for others.
func (k *tuneKey) edge(value string) int {
	numbers := k.numbers()
	v, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || numbers == nil:
		return 0
	case v == numbers[0]:
		return -1
	case v == numbers[len(numbers)-1]:
		return 1
	}
	return 0
}

// beyond returns the number beyond an edge of a list: by the ratio of the two numbers at that edge
// where all are above 0, and else by their difference.
func (k *tuneKey) beyond(edge int) string {
	n := k.numbers()
	end, inner := n[0], n[1]
	if edge > 0 {
		end, inner = n[len(n)-1], n[len(n)-2]
	}
	if n[0] > 0 {
		return tuneNumber(end * (end / inner))
	}
	return tuneNumber(end + (end - inner))
}

// Extend adds a value beyond each edge that a choice lies at, to the lists of a grid, and the
// trials with these values. It returns the indices of the new trials, none where no choice lies at
// an edge or a value is no new one.
func (p *TuningPlan) Extend(chosen []TunedChoice) (added []int) {
	for i := range p.keys {
		k := &p.keys[i]
		for _, edge := range []int{-1, 1} {
			at := func(c TunedChoice) bool { return c.Values != nil && k.edge(c.Values[i]) == edge }
			if !slices.ContainsFunc(chosen, at) {
				continue
			}
			if value := k.beyond(edge); !slices.Contains(k.values, value) {
				k.values = append(k.values, value)
			}
		}
	}
	known := p.Trials
	p.combine()
	all := p.Trials
	p.Trials = known
	for _, t := range all {
		if !slices.ContainsFunc(known, func(other Trial) bool { return slices.Equal(other.Values, t.Values) }) {
			added, p.Trials, p.extended = append(added, len(p.Trials)), append(p.Trials, t), true
		}
	}
	return added
}
