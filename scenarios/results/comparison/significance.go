package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"starling/mechanisms/numeric"
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// Holm corrects the p-values of several tests for there being several, by Holm's method
// (1979): with the p-values ascending, the k-th of m is multiplied by m-k+1, is at least the
// corrected values of those before it, and at most 1. A comparison with a value of at most a
// level may be called a difference; the chance that any such call is wrong is at most the
// level. A NaN is no test, and does not count. The result is new.
func Holm(p []float64) []float64 {
	corrected := slices.Clone(p)
	var order []int
	for i, value := range p {
		if !math.IsNaN(value) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	least := 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(order)-k)*p[i]))
		corrected[i] = least
	}
	return corrected
}

// pairedP is the two-sided p-value of Student's t on the pairs, for a mean difference of
// 0. It is NaN where there is no test: for one pair, for infinite differences, and for
// pairs that all differ alike, which are no sample of anything.
func pairedP(mean, se float64, n int) float64 {
	if n < 2 || !(se > 0) || math.IsInf(mean, 0) || math.IsNaN(mean) || math.IsInf(se, 0) {
		return math.NaN()
	}
	return 2 * numeric.StudentSurvival(float64(n-1), math.Abs(mean/se))
}

// Tested is the outcome of the tests between the arms of a run on one metric.
type Tested struct {
	// Best is the arm with the best mean.
	Best string
	// Alike are the other arms that the tests do not separate from Best, in the order of the
	// run.
	Alike []string
}

// FewestPairs is the least number of seeds for tests between arms, in every output. With fewer of them hardly
// any difference can be told from chance, and all arms would be marked as alike: TooFew says so.
const FewestPairs = 5

// enough returns the p-value of a test over n pairs, NaN where they are too few for one.
func enough(p float64, n int) float64 {
	if n < FewestPairs {
		return math.NaN()
	}
	return p
}

// Level is the level at which arms are told apart.
const Level = 0.05

// TooFew says that tests between arms take more seeds, and how many; it is empty for enough of them.
func TooFew(seeds int) string {
	if seeds >= FewestPairs {
		return ""
	}
	verb := "are"
	if seeds == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s %s too few for tests: %d would do", document.Counted(seeds, "seed"), verb, FewestPairs)
}

// FormatP writes a p-value for reading: two digits, nothing of NaN.
func FormatP(p float64) string {
	switch {
	case math.IsNaN(p):
		return ""
	case p < 1e-4:
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

// Better names the run on which a metric is better: first or second, or ~ where the two are
// not told apart. It is empty for a metric that is not tested or has no better side.
func (d *Difference) Better(known metric.List) string {
	m, ok := known.Find(d.Metric)
	switch {
	case !ok || m.Better == "" || math.IsNaN(d.Holm):
		return ""
	case d.Holm > Level:
		return "~"
	case (d.Mean < 0) == (m.Better == metric.LowerIsBetter):
		return "second"
	}
	return "first"
}

// meanBySeed is the mean over seeds, in their order.
func meanBySeed(values map[uint64]float64) float64 {
	var list []float64
	for _, seed := range seedsOf(values) {
		list = append(list, values[seed])
	}
	mean, _ := results.MeanSE(list)
	return mean
}

// comparedTo is the p-value of a comparison of values under the seeds that both have: of the
// paired t-test or, where the values differ by the same under every seed, so that there is no
// standard error, of the sign test. A derived metric that differs so counts as different. The
// result is NaN where there is no test.
func comparedTo(a, b map[uint64]float64, derived bool) float64 {
	mean, se, n := paired(a, b)
	switch {
	case se != 0 || math.IsInf(mean, 0):
		return pairedP(mean, se, n)
	case mean == 0:
		return 1
	case derived:
		return 0
	}
	return math.Ldexp(2, -n)
}

// paired is the mean of the differences b-a under the seeds that both have, with its standard error
// and the number of these seeds.
func paired(a, b map[uint64]float64) (mean, se float64, n int) {
	var differences []float64
	for _, seed := range seedsOf(a) {
		if other, ok := b[seed]; ok {
			differences = append(differences, other-a[seed])
		}
	}
	mean, se = results.MeanSE(differences)
	return mean, se, len(differences)
}

// seedsOf lists seeds, ascending.
func seedsOf(values map[uint64]float64) []uint64 {
	seeds := make([]uint64, 0, len(values))
	for seed := range values {
		seeds = append(seeds, seed)
	}
	slices.Sort(seeds)
	return seeds
}
