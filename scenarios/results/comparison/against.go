package comparison

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// Arm is an arm of a run.
type Arm struct {
	Run  *results.Run
	Name string
	// Label names the arm in errors and notes; empty is Name.
	Label string
	// Baseline is the place of the arm with which this one is compared: 0, the first arm, unless
	// it has a baseline of its own. A baseline has its own place.
	Baseline int
}

// label names the arm for people.
func (a Arm) label() string {
	if a.Label != "" {
		return a.Label
	}
	return a.Name
}

// firstStep is the number of the arm's first step.
func (a Arm) firstStep() int64 { return side{a.Run, a.Name}.first(a.Name) }

// Statistics returns a statistic over some seeds of an arm at a step. The error names the
// missing part.
type Statistics func(arm Arm, metricName string, step int64, seeds []uint64) (Statistic, error)

// Against is the comparison of several arms with a baseline.
type Against struct {
	// Metrics has an entry for each metric that is compared, in the order of the request, and of a
	// metric one for each baseline, in the order of the arms.
	Metrics []OfMetric
	// Tests is the number of p-values, for which Holm corrects.
	Tests int
	// Notes are remarks that a reader must know, a sentence each.
	Notes []string
}

// OfMetric compares the arms on one metric.
type OfMetric struct {
	Metric metric.Metric
	// Rows has the baseline first, and then its arms that have the metric, in their order.
	Rows []Row
}

// Row is one arm on one metric.
type Row struct {
	// Baseline reports whether the row is of the baseline.
	Baseline bool
	// Arm is the place of the arm in the list of arms; the baseline of most is at 0.
	Arm int
	// Step is the step of the value in the arm's numbers, the last of all seeds where each reaches a value
	// at a step of its own, and Joined the value of the joining
	// column there: NaN where the last steps are compared.
	Step   int64
	Joined float64
	// Seeds are the seeds of the row, ascending: of the baseline all of its own, of another arm
	// the seeds that both have.
	Seeds []uint64
	// Value is the mean, or the statistic, over Seeds, and Half half the width of its
	// confidence interval; NaN where there is none.
	Value, Half float64
	// Difference is the arm less the baseline over Seeds, Low and High are the ends of its
	// interval, Ratio is the arm over the baseline, and P and Holm are the p-value before and
	// after the correction. All are NaN for the baseline and where there is none.
	Difference, Low, High float64
	Ratio                 Ratio
	P, Holm               float64
	// Values are the values under Seeds; nil of a statistic over seeds.
	Values []float64
	// Bootstrapped reports whether intervals and p come from the bootstrap over seeds.
	Bootstrapped bool
}

// CompareAgainst compares arms with the first of them, the baseline, on some metrics, or each with
// the baseline that it names.
//
// Metrics of runs are paired by seed: the difference has Student's interval and the paired
// t-test, as in Compare, and the ratio Fieller's interval. Statistics over seeds are resampled in
// pairs; see the method studentized. Privacy losses are no samples, and have no tests. Holm's
// method corrects for all p-values of the comparison.
//
// A metric or an arm that cannot be compared is left out with a note. The error is ErrNothingCommon
// where nothing is left, and an InputError where the join does not fit.
func CompareAgainst(arms []Arm, metrics metric.List, j Join, statistics Statistics) (*Against, error) {
	read, err := readSummaries(arms)
	if err != nil {
		return nil, err
	}
	c := &Against{}
	b := against{arms: arms, read: read, join: j, statistics: statistics, out: c, samples: map[int]*bootstrap{}, least: math.MaxInt}
	for _, m := range metrics {
		for place := range arms {
			if arms[place].Baseline != place {
				continue
			}
			if err := b.compare(m, place); err != nil {
				return nil, err
			}
		}
	}
	b.noteSeeds()
	if len(c.Metrics) == 0 {
		return nil, fmt.Errorf("%w: no metric has a value for the baseline and for another arm: %s", ErrNothingCommon, strings.Join(c.Notes, "; "))
	}
	c.correct()
	return c, nil
}

// leaveOut keeps the name of an arm that has no seed of the baseline.
func (a *against) leaveOut(arm Arm) {
	if !slices.Contains(a.seedless, arm.label()) {
		a.seedless = append(a.seedless, arm.label())
	}
}

// overFewer keeps the name of an arm that has some seeds of the baseline, and how many it has.
func (a *against) overFewer(arm Arm, n, all int) {
	if !slices.Contains(a.fewer, arm.label()) {
		a.fewer = append(a.fewer, arm.label())
		a.least, a.most, a.all = min(a.least, n), max(a.most, n), max(a.all, all)
	}
}

// noteSeeds adds a remark on the arms without seeds of the baseline, and one on those with some.
func (a *against) noteSeeds() {
	switch n := len(a.seedless); n {
	case 0:
	case 1:
		a.note("arm %s has no seed in common with the baseline", a.seedless[0])
	default:
		a.note("%d arms have no seed in common with the baseline: %s", n, namedArms(a.seedless))
	}
	seeds := strconv.Itoa(a.most)
	if a.least < a.most {
		seeds = fmt.Sprintf("%d to %d", a.least, a.most)
	}
	switch n := len(a.fewer); n {
	case 0:
	case 1:
		a.note("arm %s has %s of the %d seeds of the baseline, and is compared over these", a.fewer[0], seeds, a.all)
	default:
		a.note("%d arms have %s of the %d seeds of the baseline, and are compared over these: %s", n, seeds, a.all, namedArms(a.fewer))
	}
}

// mostNamedArms is the largest number of arms that a remark names.
const mostNamedArms = 3

// namedArms lists the names of arms, of many the first ones.
func namedArms(names []string) string {
	if n := len(names) - mostNamedArms; n > 1 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:mostNamedArms], "; "), n)
	}
	return strings.Join(names, "; ")
}

// against compares metric after metric.
type against struct {
	arms       []Arm
	read       summaries
	join       Join
	statistics Statistics
	out        *Against
	samples    map[int]*bootstrap // by the number of seeds
	// seedless and fewer are the names of arms without a seed of the baseline, and with some. least and most are
	// the numbers of seeds of the latter, and all is the number of the baseline.
	seedless, fewer  []string
	least, most, all int
}

// note adds a remark, each once.
func (a *against) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(a.out.Notes, text) {
		a.out.Notes = append(a.out.Notes, text)
	}
}

// compare compares the arms of a baseline on a metric.
func (a *against) compare(m metric.Metric, baseline int) error {
	var places []int // of the arms that have the metric
	var some []Arm
	for i, arm := range a.arms {
		if arm.Baseline != baseline && i != baseline {
			continue
		}
		if len(a.read.of(arm, m.Name)) == 0 {
			a.note("arm %s has no metric %s", arm.label(), m.Name)
			continue
		}
		places, some = append(places, i), append(some, arm)
	}
	first := slices.Index(places, baseline)
	if first < 0 || len(places) == 1 {
		return nil
	}
	places = slices.Concat(places[first:first+1], places[:first], places[first+1:])
	some = slices.Concat(some[first:first+1], some[:first], some[first+1:])
	if a.join.Reaches() {
		return a.compareReached(m, places, some)
	}
	at, err := a.read.join(some, m.Name, a.join)
	if err != nil {
		return err
	}
	if at.remark != "" {
		a.note("%s", at.remark)
	}
	of := OfMetric{Metric: m}
	add := a.sampled
	if m.Level == metric.OfSummary {
		add = a.resampled
	}
	if of.Rows, err = add(m, some, at.at); err != nil {
		return err
	}
	for i := range of.Rows {
		row := &of.Rows[i]
		row.Step, row.Joined = at.at[row.Arm].step, math.NaN()
		if a.join.Column != "" && a.join.Column != StepColumn {
			row.Joined = at.at[row.Arm].value
		}
		row.Baseline, row.Arm = row.Arm == 0, places[row.Arm]
	}
	if len(of.Rows) > 1 {
		a.out.Metrics = append(a.out.Metrics, of)
	}
	return nil
}

// compareReached compares the arms of a baseline, at places of the list, where each reaches the value of the join.
func (a *against) compareReached(m metric.Metric, places []int, arms []Arm) error {
	if m.Level == metric.OfSummary {
		a.note("%s has no value for a seed, and is left out", m.Name)
		return nil
	}
	rows, err := a.reached(m, arms)
	for i := range rows {
		row := &rows[i]
		row.Joined, row.Baseline, row.Arm = math.NaN(), row.Arm == 0, places[row.Arm]
	}
	if len(rows) > 1 {
		a.out.Metrics = append(a.out.Metrics, OfMetric{Metric: m, Rows: rows})
	}
	return err
}

// sampled returns the rows of a metric with a value for each seed. Arm of a row is its place among
// the arms of the call.
func (a *against) sampled(m metric.Metric, arms []Arm, at []place) (rows []Row, err error) {
	values, err := valuesOf(arms, m.Name, at)
	if err != nil {
		return nil, err
	}
	return a.paired(m, arms, values), nil
}

// paired returns the rows of values by seed of arms, each paired with the first. Arms without values are left
// out.
func (a *against) paired(m metric.Metric, arms []Arm, values []map[uint64]float64) (rows []Row) {
	base := values[0]
	for i := range arms {
		if values[i] == nil {
			continue
		}
		seeds := seedsOf(values[i])
		if i > 0 {
			seeds = slices.DeleteFunc(seeds, func(seed uint64) bool { _, both := base[seed]; return !both })
		}
		if len(seeds) == 0 {
			if i == 0 {
				return nil
			}
			a.leaveOut(arms[i])
			continue
		}
		if i > 0 && len(seeds) < len(base) {
			a.overFewer(arms[i], len(seeds), len(base))
		}
		rows = append(rows, newRow(i, seeds, base, values[i], m.Derived))
	}
	return rows
}

// valuesOf returns, by arm, the values of a metric by seed. Each run is read once.
func valuesOf(arms []Arm, metricName string, at []place) ([]map[uint64]float64, error) {
	steps := map[*results.Run]map[series]int64{}
	for i, arm := range arms {
		if steps[arm.Run] == nil {
			steps[arm.Run] = map[series]int64{}
		}
		steps[arm.Run][series{arm.Name, metricName}] = at[i].step
	}
	read := map[*results.Run]map[series]map[uint64]float64{}
	values := make([]map[uint64]float64, len(arms))
	for i, arm := range arms {
		if read[arm.Run] == nil {
			var err error
			if read[arm.Run], err = valuesAt(arm.Run, steps[arm.Run]); err != nil {
				return nil, err
			}
		}
		values[i] = read[arm.Run][series{arm.Name, metricName}]
	}
	return values, nil
}

// newRow compares an arm with the baseline under some seeds.
func newRow(arm int, seeds []uint64, base, values map[uint64]float64, derived bool) Row {
	row := Row{Arm: arm, Seeds: seeds, Half: math.NaN(), Difference: math.NaN(), Low: math.NaN(), High: math.NaN(), Ratio: noRatio(), P: math.NaN(), Holm: math.NaN()}
	var x []float64
	for _, seed := range seeds {
		x, row.Values = append(x, base[seed]), append(row.Values, values[seed])
	}
	mean, se := results.MeanSE(row.Values)
	row.Value = mean
	if n := len(seeds); n > 1 && se > 0 && !math.IsInf(mean, 0) {
		row.Half = HalfWidth(se, int64(n))
	}
	if arm == 0 {
		return row
	}
	var pairs []Pair
	for i, seed := range seeds {
		p := Pair{Seed: seed}
		if x[i] != row.Values[i] { // equal infinities would give NaN
			p.Difference = row.Values[i] - x[i]
		}
		pairs = append(pairs, p)
	}
	d := newDifference(series{}, 0, pairs, derived)
	row.Difference, row.Low, row.High, row.P = d.Mean, d.Low, d.High, d.P
	row.Ratio = fieller(x, row.Values, derived)
	return row
}

// resampled returns the rows of a statistic over seeds. An arm without the data for that is left
// out with a note, and so is the metric where the baseline has none.
func (a *against) resampled(m metric.Metric, arms []Arm, at []place) (rows []Row, err error) {
	if a.statistics == nil {
		a.note("%s has no value for a seed, and is left out", m.Name)
		return nil, nil
	}
	base := seedsIn(arms[0].Run)
	for i, arm := range arms {
		seeds := slices.DeleteFunc(seedsIn(arm.Run), func(seed uint64) bool { return !slices.Contains(base, seed) })
		if len(seeds) == 0 {
			a.leaveOut(arm)
			continue
		}
		of, err := a.statistics(arm, m.Name, at[i].step, seeds)
		var first Statistic
		if err == nil {
			first, err = a.statistics(arms[0], m.Name, at[0].step, seeds)
		}
		if err != nil {
			a.note("%s of arm %s is left out: %v", m.Name, arm.label(), err)
			if i == 0 {
				return nil, nil
			}
			continue
		}
		rows = append(rows, a.bootstrapped(i, seeds, first, of))
	}
	return rows, nil
}

// bootstrapped compares a statistic of an arm with the baseline's.
func (a *against) bootstrapped(arm int, seeds []uint64, base, of Statistic) Row {
	n := len(seeds)
	if a.samples[n] == nil {
		a.samples[n] = newBootstrap(n)
	}
	b := a.samples[n]
	y := b.of(of)
	own := b.studentized(y)
	row := Row{Arm: arm, Seeds: seeds, Value: own.value, Half: own.high - own.value, Difference: math.NaN(), Low: math.NaN(), High: math.NaN(), Ratio: noRatio(), P: math.NaN(), Holm: math.NaN(), Bootstrapped: true}
	if arm == 0 {
		return row
	}
	x := b.of(base)
	d := b.studentized(combine(x, y, difference))
	row.Difference, row.Low, row.High, row.P = d.value, d.low, d.high, enough(d.p, n)
	row.Ratio = b.ratioOf(x, y)
	return row
}

// seedsIn lists the seeds of a run.
func seedsIn(run *results.Run) []uint64 {
	seeds := make([]uint64, run.Manifest.Seeds.Count)
	for i := range seeds {
		seeds[i] = run.Manifest.Seeds.Base + uint64(i)
	}
	return seeds
}

// correct corrects the p-values by Holm's method. Privacy losses are no samples, and not tested.
func (c *Against) correct() {
	var rows []*Row
	var p []float64
	for i := range c.Metrics {
		of := &c.Metrics[i]
		for k := range of.Rows {
			row := &of.Rows[k]
			if strings.HasPrefix(of.Metric.Name, "epsilon.") {
				row.P = math.NaN()
			}
			rows, p = append(rows, row), append(p, row.P)
			if !math.IsNaN(row.P) {
				c.Tests++
			}
		}
	}
	for i, value := range Holm(p) {
		rows[i].Holm = value
	}
}

// The words of Verdict.
const (
	BetterWord = "better"
	WorseWord  = "worse"
	AlikeWord  = "~"
)

// Verdict reports on which side of the baseline the row is: better or worse, or ~ where the two
// are not told apart. It is empty for a row without a test, and for a metric without a better
// side.
func (r *Row) Verdict(m metric.Metric) string {
	switch {
	case m.Better == "" || math.IsNaN(r.Holm):
		return ""
	case r.Holm > Level:
		return AlikeWord
	case (r.Difference < 0) == (m.Better == metric.LowerIsBetter):
		return BetterWord
	}
	return WorseWord
}
