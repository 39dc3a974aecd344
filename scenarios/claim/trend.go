package claim

import (
	"cmp"
	"fmt"
	"math"

	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
	"starling/scenarios/document"
	"starling/scenarios/results/tabular"
)

// The directions of a trend.
const (
	falls = "falls"
	grows = "grows"
)

// Trend claims that the quantity of each arm falls, or grows, from one step to another. Its
// parts are differences, one for each arm: the quantity at the later step less the quantity at
// the earlier one, under each seed, below 0 or above 0. It claims nothing on the steps
// between.
type Trend struct {
	Common    `yaml:",inline"`
	Quantity  `yaml:",inline"`
	Direction string `yaml:"direction,required" doc:"falls or grows"`
	From      Step   `yaml:"from" doc:"the step: first, last or a number"`
	To        Step   `yaml:"to" doc:"the step: first, last or a number"`
}

func (s *Trend) validate() error {
	if err := s.Common.validate(0); err != nil {
		return err
	}
	if err := s.Quantity.noReach("a trend is from one step to another"); err != nil {
		return err
	}
	if s.Direction != falls && s.Direction != grows {
		return document.At("direction", "unknown %q; known: %s, %s", s.Direction, falls, grows)
	}
	return s.Quantity.validate()
}

// parts returns a part for each arm. from and to have the usual values first and last. If they
// name the same step there is nothing to test.
func (s *Trend) parts(d *Data) (parts []Part, _ string, err error) {
	r := &reader{data: d, quantity: s.Quantity}
	for _, arm := range d.armsOr(s.Arms) {
		before, err := r.at(arm, s.From)
		if err != nil {
			return nil, "", err
		}
		after, err := r.at(arm, s.To)
		if err != nil {
			return nil, "", err
		}
		part := Part{Label: arm + ": later - earlier", Claimed: "< 0", span: span{low: math.Inf(-1), high: 0, open: true}}
		if s.Direction == grows {
			part.Claimed, part.span = "> 0", span{low: 0, high: math.Inf(1), open: true}
		}
		part.estimate, part.Reason = difference(after, before)
		if len(r.steps) == 1 && part.Reason == "" {
			part.Reason = "the steps are the same"
		}
		parts = append(parts, part)
	}
	return parts, r.statistics("differences "+pairedText, addedText), nil
}

// Exponent claims that the quantity of each arm grows as a power of the step, q(t) = c t^a,
// with an exponent a that is below a number, above one, or between two; or, with Apart, that
// is about the exponent of the first arm. The exponent is the least-squares slope of ln q(t)
// against ln t over the recorded steps of the window, one for each seed. It describes the
// window: an order of growth, such as O(sqrt T), is a statement on steps without end. Its
// exponent is the limit of the window's.
type Exponent struct {
	Common   `yaml:",inline"`
	Quantity `yaml:",inline"`
	Below    *float64 `yaml:"below" doc:"the exponent is smaller"`
	Above    *float64 `yaml:"above" doc:"the exponent is larger"`
	Apart    *float64 `yaml:"apart" doc:"in place of below and above: the largest difference of the exponent of an arm from the exponent of the first"`
	From     Step     `yaml:"from" doc:"the first step of the window"`
	To       Step     `yaml:"to" doc:"the last step of the window"`
}

func (s *Exponent) validate() error {
	if err := s.Common.validate(0); err != nil {
		return err
	}
	const over = "an exponent is fitted over all recorded steps from one to another"
	if err := cmp.Or(s.Quantity.noWindow(over), s.Quantity.noReach(over)); err != nil {
		return err
	}
	if s.Apart != nil {
		return s.validateApart()
	}
	if s.Below == nil && s.Above == nil {
		return document.At("", "want below, above or both, or apart")
	}
	if err := checkBounds(s.Below, s.Above); err != nil {
		return err
	}
	return s.Quantity.validate()
}

// checkBounds refuses bounds of an exponent if there are none, or if they leave nothing
// between them.
func checkBounds(below, above *float64) error {
	if below == nil && above == nil {
		return document.At("", "want below, above or both")
	}
	if below != nil && above != nil && *below <= *above {
		return document.At("above", "%v is not less than below, %v", *above, *below)
	}
	return nil
}

// validateApart checks the second form: margin > 0, two arms at least, and neither of the
// bounds of the first form.
func (s *Exponent) validateApart() error {
	if s.Below != nil || s.Above != nil {
		return document.At("apart", "want either apart, or below and above")
	}
	if !(*s.Apart > 0) || math.IsInf(*s.Apart, 1) {
		return document.At("apart", "%v; want a finite number > 0", *s.Apart)
	}
	if len(s.Arms) < 2 {
		return document.At("arms", "%d arms; want at least 2", len(s.Arms))
	}
	return s.Quantity.validate()
}

// parts returns a part for each arm: the mean of the exponents over the seeds, in the claimed
// range.
func (s *Exponent) parts(d *Data) (parts []Part, _ string, err error) {
	if s.Apart != nil {
		return s.differences(d)
	}
	claimed, allowed := boundsSpan(s.Below, s.Above)
	r := &reader{data: d, quantity: s.Quantity}
	for _, arm := range d.armsOr(s.Arms) {
		part := Part{Label: arm, Claimed: claimed, span: allowed}
		slopes, reason, err := s.slopes(r, arm)
		if err != nil {
			return nil, "", err
		}
		part.estimate, part.Reason = mean(slopes, d.exponents(s.Quantity), sizeOf(slopes)), reason
		parts = append(parts, part)
	}
	return parts, r.statistics("exponent in t fitted under each seed", ""), nil
}

// differences returns a part for each arm but the first: the difference of its exponent from
// the first arm's, paired by seed, within -Apart to Apart.
func (s *Exponent) differences(d *Data) (parts []Part, _ string, err error) {
	r := &reader{data: d, quantity: s.Quantity}
	first, firstReason, err := s.slopes(r, s.Arms[0])
	if err != nil {
		return nil, "", err
	}
	for _, arm := range s.Arms[1:] {
		slopes, reason, err := s.slopes(r, arm)
		if err != nil {
			return nil, "", err
		}
		part := Part{
			Label: arm + " - " + s.Arms[0], Claimed: "within ±" + tabular.FormatValue(*s.Apart),
			span: span{low: -*s.Apart, high: *s.Apart}, estimate: unknown, Reason: cmp.Or(firstReason, reason),
		}
		if part.Reason == "" {
			part.estimate, part.Reason = difference(sample{values: slopes, of: d.exponents(s.Quantity)}, sample{values: first, of: d.exponents(s.Quantity)})
		}
		parts = append(parts, part)
	}
	return parts, r.statistics("exponent in t fitted under each seed, differences "+pairedText, ""), nil
}

// boundsSpan returns the range of an exponent as text and as numbers. The range is open: an
// exponent on its edge is not in it.
func boundsSpan(below, above *float64) (claimed string, allowed span) {
	allowed = span{low: math.Inf(-1), high: math.Inf(1), open: true}
	if above != nil {
		allowed.low = *above
		claimed = "> " + tabular.FormatValue(*above)
	}
	if below != nil {
		allowed.high = *below
		if claimed != "" {
			claimed += ", "
		}
		claimed += "< " + tabular.FormatValue(*below)
	}
	return claimed, allowed
}

// slopes returns the exponents of an arm, by seed, or the reason why the run has none. A
// value of 0, or below, or infinite, has no logarithm; the arm is then not tested, and no
// step is left out to make a fit possible.
func (s *Exponent) slopes(r *reader, arm string) (slopes []float64, reason string, err error) {
	window, reason, err := s.window(r, arm)
	if err != nil || reason != "" {
		return nil, reason, err
	}
	logT := make([]float64, len(window))
	var logs [][]float64 // by seed, then by step
	for k, step := range window {
		at, err := r.at(arm, Step{number: step})
		if err != nil {
			return nil, "", err
		}
		if at.values == nil {
			return nil, "", fmt.Errorf("%s has no value for a seed, so no exponent can be fitted", r.quantity)
		}
		if logs == nil {
			logs = make([][]float64, len(at.values))
		}
		logT[k] = portable.Log(float64(step))
		for i, x := range at.values {
			if !(x > 0) || math.IsInf(x, 1) {
				return nil, fmt.Sprintf("%s is %s at step %d under a seed and has no logarithm", r.quantity, tabular.FormatValue(x), step), nil
			}
			logs[i] = append(logs[i], portable.Log(x))
		}
	}
	for _, values := range logs {
		slopes = append(slopes, slope(logT, values))
	}
	return slopes, "", nil
}

// window lists the recorded steps from the first to the last of the window, ascending,
// without step 0, which has no logarithm. Fewer than two are no window.
func (s *Exponent) window(r *reader, arm string) (window []int64, reason string, err error) {
	if err := r.data.known(s.Metric); err != nil {
		return nil, "", err
	}
	steps := r.data.steps[series{arm, s.Metric}]
	ends := [2]int64{}
	for i, end := range []Step{s.From, s.To} {
		if ends[i], reason = end.in(steps); reason != "" {
			return nil, reason, nil
		}
	}
	for _, step := range steps {
		if step >= ends[0] && step <= ends[1] && step > 0 {
			window = append(window, step)
		}
	}
	if len(window) < 2 {
		return nil, "the window has fewer than two steps", nil
	}
	return window, "", nil
}

// slope returns the slope of the least-squares line through points, of which at least two have
// different x.
func slope(x, y []float64) float64 {
	n := float64(len(x))
	middleX, middleY := kernel.Sum(x)/n, kernel.Sum(y)/n
	var product, square float64
	for i, v := range x {
		product += float64((v - middleX) * (y[i] - middleY))
		square += float64((v - middleX) * (v - middleX))
	}
	return product / square
}
