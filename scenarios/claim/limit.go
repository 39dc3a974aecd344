package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/results/tabular"
)

// Bound is the value of a limit: a number, or a numeric note of the arm such as the bound of a
// theorem, times a factor.
type Bound struct {
	Value *float64 `yaml:"value" doc:"a number"`
	Note  string   `yaml:"note" doc:"a note of the run whose text begins with a number"`
	Times float64  `yaml:"times" doc:"a factor, 1 if absent"`
}

// rounding is the relative slack of a bound, so that numbers that are equal but for the
// rounding of their computation count as equal.
const rounding = 1e-9

// atLeast is the kind of a Limit from below.
const atLeast = "at-least"

// Limit claims that a quantity, or a note, of each arm is at most, or at least, a bound (kinds
// at-most and at-least). A theorem's bound is a note of the run: the run computes it from the
// constants of its own problem, and the claim compares the measured quantity with it.
type Limit struct {
	Common   `yaml:",inline"`
	Quantity `yaml:",inline"`
	Note     string `yaml:"note" doc:"in place of a metric: a note of the run whose text begins with a number"`
	At       Step   `yaml:"at" doc:"the step: first, last or a number"`
	Under    string `yaml:"under" doc:"each-seed; absent, on average over the seeds"`
	Bound    Bound  `yaml:"bound,required"`
}

func (l *Limit) validate() error {
	if err := l.Common.validate(0); err != nil {
		return err
	}
	if (l.Metric == "") == (l.Note == "") {
		return document.At("", "want either a metric or a note")
	}
	if err := checkUnder(l.Under); err != nil {
		return err
	}
	if l.Note != "" && l.Under != "" {
		return document.At("under", "a note is the same under each seed: leave under out")
	}
	if l.Note != "" && (l.Over != "" || l.PerStep || l.Window != 0 || l.Reach != nil) {
		return document.At("note", "a note has no steps: leave over, per_step, window and reach out")
	}
	if err := cmp.Or(l.checkAt(l.At), l.validateWindow()); err != nil {
		return err
	}
	if (l.Bound.Value == nil) == (l.Bound.Note == "") {
		return document.At("bound", "want either a value or a note")
	}
	if math.IsInf(l.Bound.Times, 0) || l.Bound.Times == 0 {
		return document.At("bound.times", "%v; want a finite number that is not 0", l.Bound.Times)
	}
	return nil
}

// parts returns a part for each arm: the quantity or note against the bound. A relative slack
// of 1e-9 keeps rounding from refuting an equality. An arm without a bound is not tested, for
// the reason that its note gives. With Under each-seed the worst value over the seeds is
// limited: the claim is on the seeds of the run and not on a mean over all possible seeds.
func (l *Limit) parts(d *Data) (parts []Part, _ string, err error) {
	r := &reader{data: d, quantity: l.Quantity}
	for _, arm := range d.armsOr(l.Arms) {
		part := Part{Label: arm}
		if part.estimate, part.Reason, err = l.subject(r, arm); err != nil {
			return nil, "", err
		}
		bound, reason, err := l.bound(d, arm)
		if err != nil {
			return nil, "", err
		}
		if part.Reason == "" {
			part.Reason = reason
		}
		slack := 0.0
		if !math.IsInf(bound, 0) {
			slack = rounding * math.Abs(bound)
		}
		part.span, part.Claimed = span{low: math.Inf(-1), high: bound + slack}, "≤ "+tabular.FormatValue(bound)
		if l.Under == eachSeed {
			part.Label += map[bool]string{true: ", least of all seeds", false: ", largest of all seeds"}[l.Kind == atLeast]
		}
		if l.Kind == atLeast {
			part.span, part.Claimed = span{low: bound - slack, high: math.Inf(1)}, "≥ "+tabular.FormatValue(bound)
		}
		if reason != "" {
			part.Claimed = ""
		}
		parts = append(parts, part)
	}
	if l.Note != "" {
		return parts, "note " + l.Note + ", derived and not measured", nil
	}
	values := "mean over seeds"
	if l.Under == eachSeed {
		values = "under each seed"
	}
	text := r.statistics(values, ownText)
	if l.Bound.Note != "" {
		text += ", against note " + l.Bound.Note
	}
	return parts, text, nil
}

// subject returns the limited number: an exact number for a note, which is derived and not
// measured, and an estimate over the seeds for a quantity.
func (l *Limit) subject(r *reader, arm string) (e estimate, reason string, err error) {
	if l.Note != "" {
		value, text, err := r.data.number(arm, l.Note)
		if text != "" {
			reason = fmt.Sprintf("%s is %s", l.Note, text)
		}
		return exact(value), reason, err
	}
	s, err := r.at(arm, l.At)
	if err != nil || s.reason != "" {
		return unknown, s.reason, err
	}
	if l.Under != eachSeed {
		return s.estimate(), "", nil
	}
	if s.values == nil {
		return unknown, "", fmt.Errorf("%s has no value for a seed", r.quantity)
	}
	worst := slices.Max[[]float64] // NaN if one value is
	if l.Kind == atLeast {
		worst = slices.Min[[]float64]
	}
	return exact(worst(s.values)), "", nil
}

// bound returns the limit of an arm, times its factor, or the reason why the arm has
// none.
func (l *Limit) bound(d *Data, arm string) (value float64, reason string, err error) {
	if l.Bound.Value != nil {
		return *l.Bound.Value * l.Bound.Times, "", nil
	}
	value, text, err := d.number(arm, l.Bound.Note)
	if text != "" {
		reason = fmt.Sprintf("%s is %s", l.Bound.Note, text)
	}
	return value * l.Bound.Times, reason, err
}
