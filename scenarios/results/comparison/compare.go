// Package comparison compares runs, and arms of them: differences of metrics under the same
// seeds, with intervals and tests that are corrected for their number.
package comparison

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// ErrNothingCommon is the error of Compare for runs that share no seed, no arm, or no metric
// at a common step.
var ErrNothingCommon = errors.New("the runs have nothing in common to compare")

// Confidence is the level of the intervals of Compare.
const Confidence = 0.95

// Comparison is the comparison of two runs: the differences of the second from the first.
type Comparison struct {
	// Rows has the arms in the order of the first run, each with its metrics in
	// alphabetical order.
	Rows []Difference
	// Tests is the number of rows that have a P, for which Holm corrects.
	Tests int
	// Notes are remarks that a reader must know, a sentence each, such as arms that are not
	// compared.
	Notes []string
}

// Difference compares one run-level metric of one arm at the last step that
// both runs have for it, second run minus first. Steps are the same where the arms have
// taken as many before them, whether they are counted from 0 or from 1.
type Difference struct {
	Arm    string
	Metric string
	// Step is the last that both runs have for the metric, in the numbers of the first.
	Step int64
	// Pairs are by ascending seed, at least one.
	Pairs []Pair
	Mean  float64
	// Low and High are the ends of the confidence interval of Mean; NaN where
	// there is none.
	Low, High float64
	// P is the two-sided p-value of the paired t-test, and Holm the same, corrected for all
	// rows of the comparison; NaN where there is no test.
	P, Holm float64
	// Incomparable means that the metric is a privacy loss, and that the losses of the two
	// runs are for different neighbouring data or units: Mean does not show which run is more
	// private.
	Incomparable bool
}

// Pair is the difference under one seed that both runs have.
type Pair struct {
	Seed uint64
	// Difference is second minus first; 0 for equal infinities.
	Difference float64
}

// Compare pairs two runs by seed. It compares the arms that both have by name
// and the metrics of whole runs that both have; statistics over seeds that a
// reducer computed, such as regret.expected, have no value for a seed and are
// left out. Runs that share nothing are ErrNothingCommon.
//
// Arms that budgets stopped at different steps are compared before the first of them
// stopped. The p-values of all rows are corrected by Holm's method; privacy losses, which
// are no samples, are not tested.
//
// The interval is mean ± t·s/√n with Student's t on n-1 degrees of freedom, n the number of
// pairs. It supposes differences that are independent between seeds and not far from normal.
// There is none (NaN) for a single pair, where a difference is infinite or NaN, and where all
// differences are equal, unless the metric is derived: agreement of a few seeds says nothing
// about the difference under others. For a derived metric the interval then has the width 0.
// The known metrics are the metrics of the catalog and of the runs.
func Compare(first, second *results.Run, known metric.List) (Comparison, error) {
	return compare(side{first, ""}, side{second, ""}, known)
}

// CompareArms compares one arm of a run with one of another, or of the same run, as
// Compare does. The rows have the name of the first.
func CompareArms(first *results.Run, a string, second *results.Run, b string, known metric.List) (Comparison, error) {
	for _, s := range []side{{first, a}, {second, b}} {
		if s.find(s.arm) == nil {
			return Comparison{}, fmt.Errorf("%w: %s has no arm %q", ErrNothingCommon, s.Dir, s.arm)
		}
	}
	return compare(side{first, a}, side{second, b}, known)
}

// side is one of the two that are compared: a run, or one arm of it.
type side struct {
	*results.Run
	arm string // empty for all
}

// first is the number of the first step of an arm of the side.
func (s side) first(arm string) int64 {
	if a := s.find(arm); a != nil && a.FirstStep != nil {
		return *a.FirstStep
	}
	return s.Manifest.FirstStep
}

// sinceFirst is an arm of the side with its steps counted from 0.
func (s side) sinceFirst(arm string) results.ArmEntry {
	a := *s.find(arm)
	if a.StoppedAt != nil {
		at := *a.StoppedAt - s.first(arm)
		a.StoppedAt = &at
	}
	return a
}

// find is the arm of a name; nil if there is none.
func (s side) find(name string) *results.ArmEntry {
	if i := slices.IndexFunc(s.Manifest.Arms, func(arm results.ArmEntry) bool { return arm.Name == name }); i >= 0 {
		return &s.Manifest.Arms[i]
	}
	return nil
}

// arms returns the arms that are compared.
func (s side) arms() []results.ArmEntry {
	if s.arm == "" {
		return s.Manifest.Arms
	}
	return []results.ArmEntry{*s.find(s.arm)}
}

// other is the name in s of the arm that the first side calls arm.
func (s side) other(arm string) string { return cmp.Or(s.arm, arm) }

func compare(first, second side, known metric.List) (Comparison, error) {
	low, high, ok := commonSeeds(first.Manifest.Seeds, second.Manifest.Seeds)
	if !ok {
		return Comparison{}, fmt.Errorf("%w: no seed is in both", ErrNothingCommon)
	}
	firstSteps, err := stepsIn(first.Run)
	if err != nil {
		return Comparison{}, err
	}
	secondSteps, err := stepsIn(second.Run)
	if err != nil {
		return Comparison{}, err
	}
	at, elsewhere := map[series]int64{}, map[series]int64{} // in the first, and in the second
	var order []series                                      // the keys of at, sorted by metric below
	for name, steps := range firstSteps {
		if first.arm != "" && name.arm != first.arm {
			continue
		}
		same := series{second.other(name.arm), name.metric}
		if second.find(same.arm) == nil {
			continue
		}
		// Two steps are the same if equally many steps were taken before them, whichever
		// numbers they have.
		later := second.first(same.arm) - first.first(name.arm)
		before, apart := StoppedApart([]results.ArmEntry{first.sinceFirst(name.arm), second.sinceFirst(same.arm)})
		if apart {
			reached := func(step int64) bool { return step-first.first(name.arm) >= before }
			steps = slices.DeleteFunc(slices.Clone(steps), reached)
		}
		if step, ok := lastCommon(steps, secondSteps[same], later); ok {
			at[name], elsewhere[same] = step, step+later
			order = append(order, name)
		}
	}
	// Values are read in a second pass, of the chosen steps alone: a run may have
	// millions of rows.
	before, err := valuesAt(first.Run, at)
	if err != nil {
		return Comparison{}, err
	}
	after, err := valuesAt(second.Run, elsewhere)
	if err != nil {
		return Comparison{}, err
	}
	slices.SortFunc(order, func(a, b series) int { return cmp.Compare(a.metric, b.metric) })
	byArm := map[string][]Difference{}
	for _, name := range order {
		if pairs := pair(before[name], after[series{second.other(name.arm), name.metric}], low, high); len(pairs) > 0 {
			byArm[name.arm] = append(byArm[name.arm], newDifference(name, at[name], pairs, known.Derives(name.metric)))
		}
	}
	c, err := collect(first, second, byArm)
	if err != nil {
		return c, err
	}
	c.mark(first.Manifest.Ledger, second)
	c.correct()
	c.markArithmetic(&first.Manifest, &second.Manifest)
	return c, nil
}

// mark marks the privacy losses of arms with different units or neighbours in their ledgers,
// and notes it.
func (c *Comparison) mark(first []results.LedgerEntry, second side) {
	noted := map[string]bool{}
	for i := range c.Rows {
		row := &c.Rows[i]
		before, after := protectionOf(first, row.Arm), protectionOf(second.Manifest.Ledger, second.other(row.Arm))
		if !strings.HasPrefix(row.Metric, "epsilon.") || before == after || before == "" || after == "" {
			continue
		}
		row.Incomparable = true
		if !noted[row.Arm] {
			noted[row.Arm] = true
			c.Notes = append(c.Notes, fmt.Sprintf("arm %q: epsilons do not compare: in the first run they are for %s, in the second for %s", row.Arm, before, after))
		}
	}
}

// correct tests the rows and corrects their p-values for there being several.
func (c *Comparison) correct() {
	p := make([]float64, len(c.Rows))
	for i := range c.Rows {
		row := &c.Rows[i]
		if strings.HasPrefix(row.Metric, "epsilon.") {
			row.P = math.NaN()
		}
		p[i] = row.P
		if !math.IsNaN(row.P) {
			c.Tests++
		}
	}
	for i, value := range Holm(p) {
		c.Rows[i].Holm = value
	}
}

// protectionOf returns the unit and the neighbours that the losses of an arm are for.
func protectionOf(ledger []results.LedgerEntry, arm string) string {
	for i := range ledger {
		if entry := &ledger[i]; entry.Arm == arm {
			return fmt.Sprintf("%s, %s", entry.Unit, entry.Neighbours)
		}
	}
	return ""
}

// markArithmetic notes it where the runs, with different digests, were made with different
// arithmetic, or on different processors.
func (c *Comparison) markArithmetic(first, second *results.Manifest) {
	if text := results.OtherMachine(&first.Versions, &second.Versions); text != "" && first.Digest != second.Digest {
		c.Notes = append(c.Notes, text)
	}
}

// collect orders the differences by arm and notes the arms that have none.
func collect(first, second side, byArm map[string][]Difference) (c Comparison, err error) {
	common := 0
	for _, arm := range first.arms() {
		other := second.find(second.other(arm.Name))
		if other == nil {
			c.Notes = append(c.Notes, fmt.Sprintf("arm %q is in the first run only", arm.Name))
			continue
		}
		common++
		if len(byArm[arm.Name]) == 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("arm %q has no metric with a step and a seed in both runs", arm.Name))
		}
		c.Rows = append(c.Rows, byArm[arm.Name]...)
		if before, apart := StoppedApart([]results.ArmEntry{first.sinceFirst(arm.Name), second.sinceFirst(other.Name)}); apart {
			c.Notes = append(c.Notes, fmt.Sprintf("arm %q: budgets stopped the two at different steps, the first at step %d: they are compared before it, at a step that both reached", arm.Name, before+first.first(arm.Name)))
		}
		if a, b := first.first(arm.Name), second.first(other.Name); a != b {
			c.Notes = append(c.Notes, fmt.Sprintf("arm %q: steps are counted from %d in the first and from %d in the second: they are compared after as many steps; the numbers of steps are the first's", arm.Name, a, b))
		}
	}
	for _, arm := range second.arms() {
		if first.arm == "" && first.find(arm.Name) == nil {
			c.Notes = append(c.Notes, fmt.Sprintf("arm %q is in the second run only", arm.Name))
		}
	}
	switch {
	case common == 0:
		return Comparison{}, fmt.Errorf("%w: no arm is in both", ErrNothingCommon)
	case len(c.Rows) == 0:
		return Comparison{}, fmt.Errorf("%w: no metric has a step and a seed in both", ErrNothingCommon)
	}
	return c, nil
}

// series is the values of a run-level metric of an arm.
type series struct{ arm, metric string }

// stepsIn returns, for each metric in the summary, its steps in ascending order.
func stepsIn(r *results.Run) (map[series][]int64, error) {
	steps := map[series][]int64{}
	err := r.Summary(func(row results.SummaryRow) error {
		name := series{row.Arm, row.Metric}
		steps[name] = append(steps[name], row.Step)
		return nil
	})
	return steps, err
}

// valuesAt returns the values by seed of each series at its step.
func valuesAt(r *results.Run, at map[series]int64) (map[series]map[uint64]float64, error) {
	values := map[series]map[uint64]float64{}
	err := r.RunLevel(func(row results.Row) error {
		name := series{row.Arm, row.Metric}
		if step, ok := at[name]; !ok || step != row.Step {
			return nil
		}
		if values[name] == nil {
			values[name] = map[uint64]float64{}
		}
		values[name][row.Seed] = row.Value
		return nil
	})
	return values, err
}

// commonSeeds returns the first and the last seed of both ranges, if any.
func commonSeeds(a, b results.Seeds) (low, high uint64, ok bool) {
	low = max(a.Base, b.Base)
	high = min(a.Base+uint64(a.Count-1), b.Base+uint64(b.Count-1))
	return low, high, low <= high
}

// lastCommon returns the greatest number of an ascending list that the other has, too, where
// its numbers are later by some.
func lastCommon(a, b []int64, later int64) (int64, bool) {
	for _, step := range slices.Backward(a) {
		if _, ok := slices.BinarySearch(b, step+later); ok {
			return step, true
		}
	}
	return 0, false
}

// pair returns the differences under the seeds low..high that both have.
func pair(before, after map[uint64]float64, low, high uint64) (pairs []Pair) {
	for i := range high - low + 1 {
		x, inFirst := before[low+i]
		y, inSecond := after[low+i]
		if !inFirst || !inSecond {
			continue
		}
		p := Pair{Seed: low + i}
		if x != y { // equal infinities would give NaN
			p.Difference = y - x
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// newDifference is the mean of the pairs with Student's interval about it. The interval has
// width 0 where all pairs agree on a derived metric.
func newDifference(name series, step int64, pairs []Pair, derived bool) Difference {
	differences := make([]float64, len(pairs))
	for i, p := range pairs {
		differences[i] = p.Difference
	}
	mean, se := results.MeanSE(differences)
	d := Difference{Arm: name.arm, Metric: name.metric, Step: step, Pairs: pairs, Mean: mean, Low: math.NaN(), High: math.NaN(), P: enough(pairedP(mean, se, len(pairs)), len(pairs))}
	if n := len(pairs); n > 1 && !math.IsInf(d.Mean, 0) && (se != 0 || derived) {
		half := HalfWidth(se, int64(n))
		d.Low, d.High = d.Mean-half, d.Mean+half
	}
	return d
}

// StoppedApart reports whether budgets have stopped arms at different steps, some perhaps
// never. before is the step before which all arms took part.
func StoppedApart(arms []results.ArmEntry) (before int64, apart bool) {
	before = math.MaxInt64
	for i, arm := range arms {
		at := int64(math.MaxInt64)
		if arm.StoppedAt != nil {
			at = *arm.StoppedAt
		}
		apart = apart || i > 0 && at != before
		before = min(before, at)
	}
	return before, apart
}

// CommonStep returns the step at which arms are compared that budgets stopped at different
// steps. It is the last step that all arms have before the first of them stopped; steps
// are the steps of each arm, in any order. ok is false for arms that were not stopped at different steps,
// and for arms without such a step.
func CommonStep(arms []results.ArmEntry, steps map[string][]int64) (step int64, ok bool) {
	before, apart := StoppedApart(arms)
	if !apart {
		return 0, false
	}
	in := map[int64]int{} // number of arms that have a step
	for _, arm := range arms {
		list := slices.Sorted(slices.Values(steps[arm.Name]))
		for _, at := range slices.Compact(list) {
			if in[at]++; in[at] == len(arms) && at < before && (!ok || at > step) {
				step, ok = at, true
			}
		}
	}
	return step, ok
}
