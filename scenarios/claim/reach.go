package claim

import (
	"fmt"

	"starling/scenarios/document"
)

// Reach is a target: the quantity is read at the first recorded step, under each seed, at which a metric is
// as good as a value.
type Reach struct {
	Metric string  `yaml:"metric,required" doc:"a metric with a better side"`
	Value  float64 `yaml:"value,required" doc:"the value to reach: at most that, or at least that where more is better"`
}

// String is the target in words.
func (t *Reach) String() string { return fmt.Sprintf("%v or better", t.Value) }

// noReach refuses a target where a test reads steps of its own.
func (q Quantity) noReach(why string) error {
	if q.Reach != nil {
		return document.At("reach", "%s; leave reach out", why)
	}
	return nil
}

// checkAt refuses a step beside a target.
func (q Quantity) checkAt(at Step) error {
	if q.Reach != nil && at != lastStep {
		return document.At("at", "reach chooses the steps; leave at out")
	}
	return nil
}

// validateReach reports a target beside other choices of steps.
func (q Quantity) validateReach() error {
	if q.Reach != nil && (q.PerStep || q.Window != 0) {
		return document.At("reach", "each seed reaches the value at a step of its own: leave per_step and window out")
	}
	return nil
}

// reached reads the quantity of an arm, under each seed, at the step at which that reaches the target. A seed
// that never does leaves the sample without a value.
func (r *reader) reached(name series) (of sample, err error) {
	target := series{name.arm, r.quantity.Reach.Metric}
	first, missing, err := r.data.firstReached(target, r.quantity.Reach)
	if err != nil {
		return sample{}, err
	}
	if missing > 0 {
		return sample{reason: fmt.Sprintf("%s is never %s under %d of %d seeds", target.metric, r.quantity.Reach, missing, len(first))}, nil
	}
	for i, step := range first {
		at, err := r.sample(cell{name, step})
		if err != nil {
			return sample{}, err
		}
		if len(at.values) != len(first) {
			return sample{}, fmt.Errorf("%s has no value for a seed at step %d of arm %q, at which %s is recorded", r.quantity, step, name.arm, target.metric)
		}
		r.read(step)
		of.values, of.of = append(of.values, at.values[i]), at.of
	}
	if len(of.values) == 0 {
		of.reason = fmt.Sprintf("the arm has no %s", target.metric)
	}
	return of, nil
}

// firstReached returns, by seed, the first recorded step at which a metric of an arm is as good as a target, and
// the number of seeds without such a step.
func (d *Data) firstReached(name series, of *Reach) (first []int64, missing int, err error) {
	m, ok := d.declared.Find(name.metric)
	if !ok || m.Better == "" {
		return nil, 0, fmt.Errorf("%s has no better side, and so no value is reached", name.metric)
	}
	steps := d.steps[name]
	if len(steps) == 0 {
		return nil, 0, nil
	}
	for i := range d.values[cell{name, steps[0]}] {
		k := 0
		for ; k < len(steps); k++ {
			values := d.values[cell{name, steps[k]}]
			if i >= len(values) {
				return nil, 0, fmt.Errorf("%s has %d values at step %d of arm %q, and more before", name.metric, len(values), steps[k], name.arm)
			}
			if m.Better.AsGood(values[i], of.Value) {
				break
			}
		}
		if k == len(steps) {
			missing++
			first = append(first, 0)
			continue
		}
		first = append(first, steps[k])
	}
	return first, missing, nil
}
