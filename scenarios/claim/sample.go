package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/scenarios/document"
	"starling/scenarios/metric"
)

// Quantity is a number that a run has at a step.
type Quantity struct {
	// Metric is required except for limits of notes.
	Metric string `yaml:"metric" doc:"one of the run's metrics"`
	// Over is a metric to divide by, under each seed.
	Over string `yaml:"over" doc:"a metric to divide by, under each seed"`
	// PerStep divides by the step: average regret of a cumulative one.
	PerStep bool `yaml:"per_step" doc:"divide by the step"`
	// Window, of 0 to 1, takes the mean over the recorded steps of that part of the
	// horizon, up to and with the step, under each seed.
	Window float64 `yaml:"window" doc:"mean over the recorded steps of this part of the horizon, up to the step; absent, only the step"`
	// Reach chooses a step of each seed.
	Reach *Reach `yaml:"reach" doc:"in place of at: the first recorded step of each seed at which a metric is as good as a value, such as {metric: loss.train, value: 0.5}"`
}

// validate reports a quantity without a metric, and a window that is no fraction of the
// horizon.
func (q Quantity) validate() error {
	if q.Metric == "" {
		return document.At("", "missing required key %q", "metric")
	}
	return q.validateWindow()
}

func (q Quantity) validateWindow() error {
	if !(q.Window >= 0 && q.Window <= 1) {
		return document.At("window", "window %v; want a part of the horizon, more than 0 and at most 1", q.Window)
	}
	return q.validateReach()
}

// noWindow refuses a window where a test reads single steps.
func (q Quantity) noWindow(why string) error {
	if q.Window != 0 {
		return document.At("window", "%s; leave window out", why)
	}
	return nil
}

// String returns the quantity in words.
func (q Quantity) String() string {
	text := q.Metric
	if q.Over != "" {
		text += "/" + q.Over
	}
	if q.PerStep {
		text += "/t"
	}
	return text
}

func (q Quantity) metrics() (list []string) {
	for _, metric := range []string{q.Metric, q.Over} {
		if metric != "" {
			list = append(list, metric)
		}
	}
	if q.Reach != nil {
		list = append(list, q.Reach.Metric)
	}
	return list
}

// Step is a recorded step: first, last, or a number.
type Step struct {
	// word is first or last; empty for a number.
	word   string
	number int64
}

var (
	firstStep = Step{word: "first"}
	lastStep  = Step{word: "last"}
)

// DecodeNode implements document.NodeDecoder.
func (s *Step) DecodeNode(node *document.Node) error {
	if word := node.Value(); node.Kind() == document.String {
		if word != firstStep.word && word != lastStep.word {
			return node.Issuef("expected first, last or a step, got %s", node.Text())
		}
		*s = Step{word: word}
		return nil
	}
	*s = Step{}
	return document.Decode(node, &s.number)
}

// in returns the step among the steps recorded for an arm, which ascend, or the reason why it
// is not among them. A step that is not recorded is not replaced by its neighbour: a claim on
// step 100 is not a claim on step 96.
func (s Step) in(steps []int64) (step int64, reason string) {
	if len(steps) == 0 {
		return 0, "the arm has no such metric"
	}
	switch s {
	case firstStep:
		return steps[0], ""
	case lastStep:
		return steps[len(steps)-1], ""
	}
	if _, ok := slices.BinarySearch(steps, s.number); !ok {
		reason = fmt.Sprintf("step %d is not recorded", s.number)
	}
	return s.number, reason
}

// sample is a quantity of an arm at a step, in one of three forms: values under seeds, a
// statistic over seeds, or the reason why there is neither.
type sample struct {
	// values are by ascending seed; nil for a statistic over seeds.
	values []float64
	// whole is the statistic over seeds; unset where there are values.
	whole estimate
	// of is the prior knowledge of the values before they are measured.
	of support
	// reason is the reason why there is neither.
	reason string
}

// estimate returns the estimate of the mean over seeds, or the statistic.
func (s sample) estimate() estimate {
	if s.values == nil {
		return s.whole
	}
	return mean(s.values, s.of, sizeOf(s.values))
}

// reader reads samples for one test and records the steps that it read.
type reader struct {
	// data is the run, and quantity the quantity to read from it.
	data     *Data
	quantity Quantity
	// steps are the steps that were read, ascending.
	steps []int64
	// whole is true if some sample was a statistic over seeds.
	whole bool
}

// at reads the quantity of an arm. An error means that the claim does not fit the run. If the
// run does not have the quantity, the sample has a reason.
func (r *reader) at(arm string, step Step) (sample, error) {
	for _, metric := range r.quantity.metrics() {
		if err := r.data.known(metric); err != nil {
			return sample{}, err
		}
	}
	name := series{arm, r.quantity.Metric}
	if r.quantity.Reach != nil {
		return r.reached(name)
	}
	t, reason := step.in(r.data.steps[name])
	if reason != "" {
		return sample{reason: reason}, nil
	}
	if r.quantity.Window > 0 {
		return r.windowed(name, t)
	}
	r.read(t)
	return r.sample(cell{name, t})
}

// read records a step that was read.
func (r *reader) read(step int64) {
	if i, ok := slices.BinarySearch(r.steps, step); !ok {
		r.steps = slices.Insert(r.steps, i, step)
	}
}

// windowed returns the mean over the recorded steps of the window that ends at a step, under
// each seed. The window has w T steps, where w is Window and T the horizon: the steps t with
// end - w T < t <= end. The step itself is always one of them.
func (r *reader) windowed(name series, end int64) (sample, error) {
	first := end - int64(math.Round(r.quantity.Window*float64(r.data.horizon)))
	var sum []float64
	count := 0
	for _, step := range r.data.steps[name] {
		if step > end || step <= first && step != end {
			continue
		}
		r.read(step)
		at, err := r.sample(cell{name, step})
		if err != nil {
			return sample{}, err
		}
		switch {
		case at.values == nil:
			return sample{}, fmt.Errorf("%s has no value for a seed, so no mean over a window", r.quantity)
		case sum == nil:
			sum = make([]float64, len(at.values))
		case len(at.values) != len(sum):
			return sample{}, fmt.Errorf("%s has %d values at step %d of arm %q and %d before", r.quantity, len(at.values), step, name.arm, len(sum))
		}
		for i, x := range at.values {
			sum[i] += x
		}
		count++
	}
	for i := range sum {
		sum[i] /= float64(count)
	}
	return sample{values: sum, of: r.data.support(r.quantity, end)}, nil
}

// sample returns the quantity at a recorded step: the metric, divided by another one if Over
// names it, and by the step if PerStep is set. A statistic over seeds has no values to divide
// by another metric's, and is an error then.
func (r *reader) sample(at cell) (sample, error) {
	scale := 1.0
	if r.quantity.PerStep {
		scale = float64(at.step)
	}
	values, measured := r.data.values[at]
	if r.quantity.Over != "" {
		over, ok := r.data.values[cell{series{at.arm, r.quantity.Over}, at.step}]
		if !measured || !ok || len(over) != len(values) {
			return sample{}, fmt.Errorf("%s has no value for a seed at step %d of arm %q", r.quantity, at.step, at.arm)
		}
		values = slices.Clone(values)
		for i := range values {
			values[i] /= over[i]
		}
	}
	if measured {
		scaled := make([]float64, len(values))
		for i, x := range values {
			scaled[i] = x / scale
		}
		return sample{values: scaled, of: r.data.support(r.quantity, at.step)}, nil
	}
	row, ok := r.data.summary[at]
	if !ok {
		return sample{}, fmt.Errorf("%s is a metric of nodes, not of whole runs", r.quantity.Metric)
	}
	r.whole = true
	return sample{whole: estimate{value: row.Mean / scale, se: row.SE / scale, n: int(row.N), of: support{derived: r.data.declared.Derives(at.metric)}}}, nil
}

// support returns the prior knowledge of a quantity at a step.
func (d *Data) support(q Quantity, step int64) (of support) {
	of.derived = d.declared.Derives(q.Metric) && (q.Over == "" || d.declared.Derives(q.Over))
	if m, ok := d.declared.Find(q.Metric); ok && m.Unit == metric.Share && q.Over == "" {
		of.bounded, of.high = true, 1
		if q.PerStep {
			of.high = 1 / float64(step)
		}
	}
	return of
}

// exponents returns the prior knowledge of an exponent of a quantity: it is derived if the
// quantity is.
func (d *Data) exponents(q Quantity) support { return support{derived: d.support(q, 1).derived} }

// less returns the prior knowledge of the difference of two quantities.
func (s support) less(other support) support {
	return support{
		derived: s.derived && other.derived, bounded: s.bounded && other.bounded,
		low: s.low - other.high, high: s.high - other.low,
	}
}

// statistics describes the samples that were read. It appends values, or statistics if a
// sample was a statistic over seeds.
func (r *reader) statistics(values, statistics string) string {
	text := r.quantity.String()
	switch n := len(r.steps); {
	case n > 0 && r.quantity.Reach != nil:
		text += fmt.Sprintf(" at the first recorded step of each seed with a %s of %s, steps %d to %d", r.quantity.Reach.Metric, r.quantity.Reach, r.steps[0], r.steps[n-1])
	case n == 1:
		text += fmt.Sprintf(" at step %d", r.steps[0])
	case n > 1 && r.quantity.Window > 0:
		text += fmt.Sprintf(", means over a window of %s %% of the horizon, steps %d to %d", percent(r.quantity.Window), r.steps[0], r.steps[n-1])
	case n > 1:
		text += fmt.Sprintf(", steps %d to %d", r.steps[0], r.steps[n-1])
	}
	if r.whole {
		return text + "; " + statistics
	}
	return text + "; " + values
}

// difference returns the estimate of a - b. Where both have values under the same seeds it is
// paired: the mean of the differences. Its error is smaller than the error for two independent
// means, since the seed fixes the data of both arms. Otherwise the standard errors are added,
// which is right for every dependence between the two.
func difference(a, b sample) (e estimate, reason string) {
	if a.reason != "" || b.reason != "" {
		return unknown, cmp.Or(a.reason, b.reason)
	}
	if a.values != nil && len(a.values) == len(b.values) {
		differences := make([]float64, len(a.values))
		for i := range differences {
			if a.values[i] != b.values[i] { // equal infinities would give NaN
				differences[i] = a.values[i] - b.values[i]
			}
		}
		return mean(differences, a.of.less(b.of), max(sizeOf(a.values), sizeOf(b.values))), ""
	}
	x, y := a.estimate(), b.estimate()
	return estimate{value: x.value - y.value, se: x.se + y.se, n: min(x.n, y.n), of: support{derived: x.of.derived && y.of.derived}}, ""
}

// ratio returns the estimate of mean(a) / mean(b) =: q. By the delta method its standard error
// is the standard error of the mean of (a_s - q b_s) / mean(b) over the seeds s. Where a or b
// has no values under seeds it is (se_a + |q| se_b) / |mean(b)|, right for every dependence. A
// denominator of 0 gives a ratio that is not a number, and no interval.
func ratio(a, b sample) (e estimate, reason string) {
	if a.reason != "" || b.reason != "" {
		return unknown, cmp.Or(a.reason, b.reason)
	}
	x, y := a.estimate(), b.estimate()
	of := support{derived: x.of.derived && y.of.derived}
	e = estimate{value: x.value / y.value, se: math.NaN(), n: min(x.n, y.n), of: of}
	if math.IsInf(e.value, 0) {
		e.value = math.NaN() // the denominator is 0
	}
	if x.se == 0 && y.se == 0 {
		e.se = 0
		return e, ""
	}
	if a.values == nil || len(a.values) != len(b.values) {
		e.se = (x.se + float64(math.Abs(e.value)*y.se)) / math.Abs(y.value)
		return e, ""
	}
	residuals := make([]float64, len(a.values))
	for i := range residuals {
		residuals[i] = (a.values[i] - float64(e.value*b.values[i])) / y.value
	}
	if math.IsNaN(e.value) || e.n == 1 {
		return e, ""
	}
	return mean(residuals, of, math.Abs(e.value)).plus(e.value), ""
}
