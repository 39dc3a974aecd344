package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/results/tabular"
)

// How samples of two arms, or two steps, are compared: as values under seeds, or as statistics
// over seeds.
const (
	pairedText = "paired by seed"
	ownText    = "a statistic over seeds with its own standard error"
	addedText  = "statistics over seeds, the standard errors of two added"
)

// Ordered claims that the quantity grows from each arm to the next: the arms ascend, on
// average over the seeds or under each of them.
type Ordered struct {
	Common   `yaml:",inline"`
	Quantity `yaml:",inline"`
	At       Step   `yaml:"at" doc:"the step: first, last or a number"`
	Under    string `yaml:"under" doc:"each-seed; absent, on average over the seeds"`
}

// eachSeed is the value of Under.
const eachSeed = "each-seed"

func (o *Ordered) validate() error {
	if err := o.Common.validate(2); err != nil {
		return err
	}
	if err := checkUnder(o.Under); err != nil {
		return err
	}
	return cmp.Or(o.Quantity.checkAt(o.At), o.Quantity.validate())
}

// checkUnder refuses an unknown value of Under.
func checkUnder(under string) error {
	if under != "" && under != eachSeed {
		return document.At("under", "unknown under %q; want each-seed, or none", under)
	}
	return nil
}

// parts returns a part for each arm but the first: its difference from the arm before, claimed
// to be above 0. With Under each-seed it returns such a part for each seed.
func (o *Ordered) parts(d *Data) (parts []Part, _ string, err error) {
	r := &reader{data: d, quantity: o.Quantity}
	samples, err := r.all(o.Arms, o.At)
	if err != nil {
		return nil, "", err
	}
	for i := 1; i < len(samples); i++ {
		part := Part{
			Label: o.Arms[i] + " - " + o.Arms[i-1], Claimed: "> 0",
			span: span{low: 0, high: math.Inf(1), open: true},
		}
		if o.Under == eachSeed {
			bySeed, err := r.bySeed(part, samples[i], samples[i-1])
			if err != nil {
				return nil, "", err
			}
			parts = append(parts, bySeed...)
			continue
		}
		part.estimate, part.Reason = difference(samples[i], samples[i-1])
		parts = append(parts, part)
	}
	if o.Under == eachSeed {
		return parts, r.statistics("differences under each seed", ""), nil
	}
	return parts, r.statistics("differences "+pairedText, addedText), nil
}

// bySeed returns a part for each seed: the difference a - b, which is exact and has an
// interval of width 0.
func (r *reader) bySeed(part Part, a, b sample) (parts []Part, err error) {
	if part.Reason = cmp.Or(a.reason, b.reason); part.Reason != "" {
		part.estimate = unknown
		return []Part{part}, nil
	}
	if a.values == nil || len(a.values) != len(b.values) {
		return nil, fmt.Errorf("%s has no value for a seed", r.quantity)
	}
	for i := range a.values {
		p := part
		p.Label += fmt.Sprintf(", seed %d of %d", i+1, len(a.values))
		p.estimate, _ = difference(sample{values: a.values[i : i+1]}, sample{values: b.values[i : i+1]})
		p.estimate = exact(p.estimate.value)
		parts = append(parts, p)
	}
	return parts, nil
}

// all reads a sample for each arm.
func (r *reader) all(arms []string, at Step) ([]sample, error) {
	samples := make([]sample, len(arms))
	for i, arm := range arms {
		var err error
		if samples[i], err = r.at(arm, at); err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// Margin is the greatest distance at which numbers still count as equal: in the unit of the
// quantity, or relative to the number that they are compared with. One of the two is set.
type Margin struct {
	Absolute float64 `yaml:"absolute" doc:"in the unit of the metric"`
	Relative float64 `yaml:"relative" doc:"as a share of the value of comparison"`
}

func (m Margin) validate() error {
	if (m.Absolute > 0) == (m.Relative > 0) || m.Absolute < 0 || m.Relative < 0 {
		return document.At("margin", "want either an absolute or a relative margin > 0")
	}
	return nil
}

// acrossNodes is the value of Close.Across.
const acrossNodes = "nodes"

// Close claims that the quantity is equal within a margin: in every arm and the first, or at
// all nodes of each arm.
type Close struct {
	Common   `yaml:",inline"`
	Quantity `yaml:",inline"`
	At       Step   `yaml:"at" doc:"the step: first, last or a number"`
	Across   string `yaml:"across" doc:"nodes; absent, across the arms"`
	Margin   Margin `yaml:"margin,required"`
}

func (c *Close) validate() error {
	fewest := 2
	if c.Across != "" {
		fewest = 0
	}
	if err := c.Common.validate(fewest); err != nil {
		return err
	}
	if c.Across != "" && c.Across != acrossNodes {
		return document.At("across", "unknown %q; known: %s", c.Across, acrossNodes)
	}
	if c.Across != "" && (c.Over != "" || c.PerStep || c.Window != 0 || c.Reach != nil) {
		return document.At("across", "a spread between nodes is of a plain metric at a step: leave over, per_step, window and reach out")
	}
	if err := cmp.Or(c.Quantity.checkAt(c.At), c.Quantity.validate()); err != nil {
		return err
	}
	return c.Margin.validate()
}

// parts returns a part for each arm but the first: the difference within an absolute margin,
// or the ratio within a relative one.
func (c *Close) parts(d *Data) ([]Part, string, error) {
	if c.Across == acrossNodes {
		return c.nodes(d)
	}
	r := &reader{data: d, quantity: c.Quantity}
	samples, err := r.all(c.Arms, c.At)
	if err != nil {
		return nil, "", err
	}
	var parts []Part
	for i := 1; i < len(samples); i++ {
		if m := c.Margin.Absolute; m > 0 {
			part := Part{Label: c.Arms[i] + " - " + c.Arms[0], Claimed: "within ±" + tabular.FormatValue(m), span: span{low: -m, high: m}}
			part.estimate, part.Reason = difference(samples[i], samples[0])
			parts = append(parts, part)
			continue
		}
		part := newRatioPart(c.Arms[i]+" / "+c.Arms[0], 1, c.Margin.Relative)
		part.estimate, part.Reason = ratio(samples[i], samples[0])
		parts = append(parts, part)
	}
	return parts, r.statistics(pairedText, addedText), nil
}

// newRatioPart returns a part for a ratio that is claimed to equal a number within a relative
// margin.
func newRatioPart(label string, want, margin float64) Part {
	return Part{
		Label:   label,
		Claimed: fmt.Sprintf("%s ± %s %%", tabular.FormatValue(want), percent(margin)),
		span:    span{low: want * (1 - margin), high: want * (1 + margin)},
	}
}

// nodes returns a part for each arm: the spread between the nodes of a run, the largest value
// less the smallest, claimed to be at most the margin. A relative margin is relative to the
// mean size of the metric at a node.
func (c *Close) nodes(d *Data) (parts []Part, _ string, err error) {
	if err := d.known(c.Metric); err != nil {
		return nil, "", err
	}
	r := &reader{data: d, quantity: c.Quantity}
	for _, arm := range d.armsOr(c.Arms) {
		name := series{arm, c.Metric}
		step, reason := c.At.in(d.steps[name])
		part := Part{Label: arm + ": spread", span: span{low: math.Inf(-1), high: c.Margin.Absolute}}
		part.Claimed = "≤ " + tabular.FormatValue(c.Margin.Absolute)
		if c.Margin.Relative > 0 {
			part.Label = arm + ": spread / mean size"
			part.span.high, part.Claimed = c.Margin.Relative, "≤ "+tabular.FormatValue(c.Margin.Relative)
		}
		values := d.nodes[cell{name, step}]
		switch {
		case reason != "":
			part.estimate, part.Reason = unknown, reason
		case len(values) == 0:
			return nil, "", fmt.Errorf("%s is no metric of nodes", c.Metric)
		default:
			r.steps = []int64{step}
			spread, size := spreads(values)
			spread.of = d.support(Quantity{Metric: c.Metric}, step)
			size.of = spread.of
			if part.estimate = spread.estimate(); c.Margin.Relative > 0 {
				part.estimate, part.Reason = ratio(spread, size)
			}
		}
		parts = append(parts, part)
	}
	return parts, r.statistics("largest less smallest of the nodes of each run", ""), nil
}

// spreads returns, for each seed, the largest less the smallest value of a node
// and the mean absolute value over the nodes.
func spreads(values [][]float64) (spread, size sample) {
	for _, nodes := range values {
		var sum float64
		for _, x := range nodes {
			sum += math.Abs(x)
		}
		size.values = append(size.values, sum/float64(len(nodes)))
		spread.values = append(spread.values, slices.Max(nodes)-slices.Min(nodes))
	}
	return spread, size
}

// Ratio claims that the quantity of the arms is in stated proportions: for arms 2, 3, ..., the
// ratio of its mean to the first arm's is Expected[i] / Expected[0], within a relative margin.
type Ratio struct {
	Common   `yaml:",inline"`
	Quantity `yaml:",inline"`
	At       Step      `yaml:"at" doc:"the step: first, last or a number"`
	Under    string    `yaml:"under" doc:"each-seed; absent, of means over the seeds"`
	Expected []float64 `yaml:"expected,required" doc:"a number for each arm, all > 0; their ratios count"`
	Margin   float64   `yaml:"margin,required" doc:"relative margin of a ratio"`
}

func (s *Ratio) validate() error {
	if err := s.Common.validate(2); err != nil {
		return err
	}
	if len(s.Expected) != len(s.Arms) {
		return document.At("expected", "%d numbers for %d arms", len(s.Expected), len(s.Arms))
	}
	for i, x := range s.Expected {
		if !(x > 0) || math.IsInf(x, 1) {
			return document.At(fmt.Sprintf("expected[%d]", i), "%v; want a finite number > 0", x)
		}
	}
	if !(s.Margin > 0) {
		return document.At("margin", "margin %v; want more than 0", s.Margin)
	}
	if err := checkUnder(s.Under); err != nil {
		return err
	}
	return cmp.Or(s.Quantity.checkAt(s.At), s.Quantity.validate())
}

// parts returns a part for each arm but the first: its ratio to the first, against the ratio
// of the expected numbers. With Under each-seed it is the ratio of the seed that is the
// farthest from the expected one.
func (s *Ratio) parts(d *Data) (parts []Part, _ string, err error) {
	r := &reader{data: d, quantity: s.Quantity}
	samples, err := r.all(s.Arms, s.At)
	if err != nil {
		return nil, "", err
	}
	for i := 1; i < len(samples); i++ {
		expected := s.Expected[i] / s.Expected[0]
		part := newRatioPart(s.Arms[i]+" / "+s.Arms[0], expected, s.Margin)
		if s.Under == eachSeed {
			part.Label += ", farthest of all seeds"
			part.estimate, part.Reason, err = r.farthest(samples[i], samples[0], expected)
		} else {
			part.estimate, part.Reason = ratio(samples[i], samples[0])
		}
		if err != nil {
			return nil, "", err
		}
		parts = append(parts, part)
	}
	if s.Under == eachSeed {
		return parts, r.statistics("ratios under each seed", ""), nil
	}
	return parts, r.statistics("ratios of means, "+pairedText, addedText), nil
}

// farthest returns the ratio of two arms under the seed where it is the farthest from a
// number. Like other numbers under each seed it is exact, and has an interval of width 0.
func (r *reader) farthest(a, b sample, from float64) (e estimate, reason string, err error) {
	if reason = cmp.Or(a.reason, b.reason); reason != "" {
		return unknown, reason, nil
	}
	if a.values == nil || len(a.values) != len(b.values) {
		return unknown, "", fmt.Errorf("%s has no value for a seed", r.quantity)
	}
	e = exact(from)
	for i := range a.values {
		if q := a.values[i] / b.values[i]; !(math.Abs(q-from) <= math.Abs(e.value-from)) { // also NaN
			e = exact(q)
		}
		if math.IsNaN(e.value) {
			break
		}
	}
	return e, "", nil
}
