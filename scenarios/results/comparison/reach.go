package comparison

import (
	"fmt"
	"maps"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// Reach returns the join at the first recorded step of each seed at which a metric is as good as a value. The
// error is of a metric without a better side.
func Reach(m metric.Metric, value float64) (Join, error) {
	if m.Better == "" {
		return Join{}, document.BadInput(fmt.Errorf("%s has no better side, and so no value is reached", m.Name))
	}
	return Join{Column: m.Name, Value: value, Better: m.Better}, nil
}

// Reaches reports whether the steps are of each seed, by a value that is reached.
func (j Join) Reaches() bool { return j.Better != "" }

// moment is a step of a job.
type moment struct {
	seed uint64
	step int64
}

// reached returns the rows of a metric at the steps at which the arms reach the value of the join. An arm with
// a seed that never does is left out with a note: a mean over the others would be of a selection.
func (a *against) reached(m metric.Metric, arms []Arm) (rows []Row, err error) {
	read := map[*results.Run]map[series]map[moment]float64{}
	values, last := make([]map[uint64]float64, len(arms)), make([]int64, len(arms))
	for i, arm := range arms {
		if read[arm.Run] == nil {
			if read[arm.Run], err = recorded(arm.Run, m.Name, a.join.Column); err != nil {
				return nil, err
			}
		}
		of := read[arm.Run]
		var why string
		values[i], last[i], why = a.join.first(of[series{arm.Name, a.join.Column}], of[series{arm.Name, m.Name}])
		if why == "" {
			continue
		}
		a.note("arm %s is left out: %s", arm.label(), why)
		if i == 0 {
			return nil, nil
		}
	}
	rows = a.paired(m, arms, values)
	for i := range rows {
		rows[i].Step = last[rows[i].Arm]
	}
	return rows, nil
}

// recorded returns the values of some metrics of the arms of a run, by seed and step.
func recorded(r *results.Run, metrics ...string) (map[series]map[moment]float64, error) {
	values := map[series]map[moment]float64{}
	err := r.RunLevel(func(row results.Row) error {
		if !slices.Contains(metrics, row.Metric) {
			return nil
		}
		name := series{row.Arm, row.Metric}
		if values[name] == nil {
			values[name] = map[moment]float64{}
		}
		values[name][moment{row.Seed, row.Step}] = row.Value
		return nil
	})
	return values, err
}

// first returns the values of a metric by seed at the first steps with a target that is good enough, and the last of
// these steps; or else the reason why there are none.
func (j Join) first(target, values map[moment]float64) (of map[uint64]float64, last int64, why string) {
	first := map[uint64]int64{}
	seeds := map[uint64]bool{}
	for at, value := range target {
		seeds[at.seed] = true
		if step, ok := first[at.seed]; j.Better.AsGood(value, j.Value) && (!ok || at.step < step) {
			first[at.seed] = at.step
		}
	}
	switch missing := len(seeds) - len(first); {
	case len(seeds) == 0:
		return nil, 0, "it has not recorded " + j.Column
	case missing > 0:
		return nil, 0, fmt.Sprintf("under %d of %s its %s is never %v or better", missing, document.Counted(len(seeds), "seed"), j.Column, j.Value)
	}
	of = map[uint64]float64{}
	for _, seed := range slices.Sorted(maps.Keys(first)) {
		step := first[seed]
		value, ok := values[moment{seed, step}]
		if !ok {
			return nil, 0, fmt.Sprintf("it has not recorded the metric at step %d, at which it has %s", step, j)
		}
		of[seed], last = value, max(last, step)
	}
	return of, last, ""
}
