package view

import (
	"fmt"
	"math"
	"slices"

	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/live"
	"starling/scenarios/view/plot"
)

// Headline is the finding of a run in one line: the best arm by the headline metric.
type Headline struct {
	// Metric is the name of the headline metric, as in a Finding, and Better its better side;
	// without one the arm is the first.
	Metric string           `json:"metric"`
	Better metric.Direction `json:"better,omitempty"`
	// Arm is the arm, and Value its mean over the seeds after the last step.
	Arm   string     `json:"arm"`
	Value live.Float `json:"value"`
	// Half is half of the 95 % confidence interval of the mean (Student's t); null for a statistic
	// over the seeds, of which IntervalsIn has it, and for fewer than two seeds.
	Half live.Float `json:"half"`
	// Epsilon is the accounted privacy loss of the arm over the run, to the strongest observer.
	// It is null where none is accounted, and where Unbounded says that no number bounds it.
	Epsilon   live.Float `json:"epsilon"`
	Unbounded bool       `json:"unbounded,omitempty"`
	// Private is the best arm with a finite accounted loss, where Arm has none; nil otherwise.
	Private *PrivateArm `json:"private,omitempty"`
	// Choice is the best choice of arms by two keys, which the sentences of a Finding name first; nil for others.
	Choice *BestChoice `json:"choice,omitempty"`
}

// BestChoice is the choice with the best mean under the most conditions of a grid, or the choices, where several have the
// best of as many. Its Arm is the best arm among these, and Value, Half and Epsilon are the numbers of this arm, as in
// Headline.
type BestChoice struct {
	Of        string     `json:"of"`
	Name      string     `json:"name"`
	Under     int        `json:"under"`
	Columns   int        `json:"columns"`
	Arm       string     `json:"arm"`
	Value     live.Float `json:"value"`
	Half      live.Float `json:"half"`
	Epsilon   live.Float `json:"epsilon"`
	Unbounded bool       `json:"unbounded,omitempty"`
}

// PrivateArm is an arm with a finite accounted loss. Its fields are as in Headline.
type PrivateArm struct {
	Arm     string     `json:"arm"`
	Value   live.Float `json:"value"`
	Half    live.Float `json:"half"`
	Epsilon live.Float `json:"epsilon"`
}

// Led is the headline by which a run is listed: of arms by two keys the best arm of the best choice, which the finding names
// first, or else the best arm.
func (h *Headline) Led() Headline {
	led := *h
	if c := h.Choice; c != nil {
		led.Arm, led.Value, led.Half, led.Epsilon, led.Unbounded = c.Arm, c.Value, c.Half, c.Epsilon, c.Unbounded
		if !c.Unbounded {
			led.Private = nil
		}
	}
	return led
}

// Text names the choice with the number of its conditions.
func (c *BestChoice) Text() string { return fmt.Sprintf("%s (%d of %d)", c.Name, c.Under, c.Columns) }

// HeadlineOf returns the headline of a finished run, or nil where it has no arm, or nothing by which
// its arms compare. It reads the summary and the final rows of the ledger, and no file in which
// rows are of seeds.
func HeadlineOf(run *results.Run, metrics metric.List) (*Headline, error) {
	if len(run.Manifest.Arms) == 0 {
		return nil, nil
	}
	known, err := results.DeclaredMetrics(metrics, run)
	if err != nil {
		return nil, err
	}
	names, err := preferred(run, known)
	if err != nil {
		return nil, err
	}
	read, err := plot.Read(run, func(name string) bool { return slices.Contains(names, name) })
	if err != nil {
		return nil, err
	}
	r := &Run{read, known}
	m, ok := firstRecorded(names, known, func(name string) bool { return r.Rows[name] != nil })
	if !ok {
		return nil, nil
	}
	f := &Finding{Metric: m}
	if r.last(f); len(f.Rows) == 0 {
		return nil, nil
	}
	stated, _, err := r.statements("")
	if err != nil {
		return nil, err
	}
	if !r.measuresQuality(f.Metric) && r.byLoss(f, stated) && f.Metric.Better == "" {
		return nil, nil // nothing tells the arms apart
	}
	r.halves(f)
	for i := range f.Rows {
		f.Rows[i].Epsilon = worst(stated[f.Rows[i].Arm])
	}
	f.sort()
	best := &f.Rows[0]
	loss := worst(stated[best.Arm])
	h := &Headline{
		Metric: f.Metric.Name, Better: f.Metric.Better, Arm: best.Arm, Value: live.Float(best.Value), Half: live.Float(best.Half), Epsilon: live.Float(loss), Unbounded: math.IsInf(loss, 1),
	}
	if h.Unbounded {
		h.Private = firstPrivate(f.Rows, stated)
	}
	if h.Choice = r.bestChoice(f); h.Choice != nil {
		loss := worst(stated[h.Choice.Arm])
		h.Choice.Epsilon, h.Choice.Unbounded = live.Float(loss), math.IsInf(loss, 1)
	}
	return h, nil
}

// bestChoice returns the choice that the sentences of a finding name first, without its privacy loss; nil where two keys do
// not tell the arms apart, where no choice is the best, and where choices protect different units, of which each has its own best.
func (r *Run) bestChoice(f *Finding) *BestChoice {
	g := r.grid(f)
	if g == nil || len(g.units) > 0 {
		return nil
	}
	list := g.winsOf(f.Metric.Better, "")
	if len(list) == 0 {
		return nil
	}
	var names []string
	for _, w := range list {
		if len(w.conditions) == len(list[0].conditions) {
			names = append(names, w.choice)
		}
	}
	c := &BestChoice{Of: g.Of, Name: namesText(names), Under: len(list[0].conditions)}
	for k, i := range g.winners(f.Metric.Better, "") {
		if i < 0 {
			continue
		}
		c.Columns++
		if row := g.Rows[i][k]; slices.Contains(names, g.RowLabels[i]) && (c.Arm == "" || f.Metric.Better.Beats(row.Value, float64(c.Value))) {
			c.Arm, c.Value, c.Half = row.Arm, live.Float(row.Value), live.Float(row.Half)
		}
	}
	return c
}

// HeadlineMetric returns the metric of the headline; false where the run has recorded none.
func (r *Run) HeadlineMetric() (metric.Metric, bool, error) {
	names, err := preferred(r.Source, r.Known)
	if err != nil {
		return metric.Metric{}, false, err
	}
	m, ok := firstRecorded(names, r.Known, func(name string) bool { return r.Rows[name] != nil })
	return m, ok, nil
}

// halves gives rows with a mean over the seeds half of its 95 % interval. A statistic over all seeds
// has its interval by the bootstrap, which reads the values of each seed.
func (r *Run) halves(f *Finding) {
	if f.Metric.Level == metric.OfSummary {
		return
	}
	for i := range f.Rows {
		f.Rows[i].Half = r.halfOf(f.Metric.Name, &f.Rows[i])
	}
}

// halfOf returns half of the 95 % interval of the mean of a row over the seeds; NaN for one seed.
func (r *Run) halfOf(metricName string, row *FindingRow) float64 {
	half := math.NaN()
	for _, of := range r.Rows[metricName] {
		if of.Arm == row.Arm && of.Step == row.Step {
			half = comparison.HalfWidth(of.SE, of.N)
		}
	}
	return half
}

// firstPrivate returns the first row of an arm with a finite loss; nil for none.
func firstPrivate(rows []FindingRow, stated map[string][]statement) *PrivateArm {
	for i := range rows {
		if loss := worst(stated[rows[i].Arm]); !math.IsNaN(loss) && !math.IsInf(loss, 0) {
			return &PrivateArm{rows[i].Arm, live.Float(rows[i].Value), live.Float(rows[i].Half), live.Float(loss)}
		}
	}
	return nil
}

// HeadlineIn is HeadlineOf for the run in a folder, without checks of bytes. A run that is not
// complete or cannot be read has none.
func HeadlineIn(dir string, metrics metric.List) *Headline {
	run, err := results.OpenUnverified(dir, -1)
	if err != nil {
		return nil
	}
	h, err := HeadlineOf(run, metrics)
	if err != nil {
		return nil // verbs that read the run say why
	}
	return h
}

// Intervals are halves of the 95 % confidence intervals of a headline: of its arm, and of the best
// private one; null where there is none.
type Intervals struct {
	Half    live.Float `json:"half"`
	Private live.Float `json:"private"`
	// Choice is of the best arm of the best choice.
	Choice live.Float `json:"choice"`
}

// IntervalsIn returns the intervals of the headline of the run in a folder, as its finding has them. A
// statistic over the seeds has them by the bootstrap, which reads the values of each seed: it takes
// some hundred times as long as the headline.
func IntervalsIn(dir string, metrics metric.List, h *Headline, statistics comparison.Statistics) (*Intervals, error) {
	found := &Intervals{live.Float(math.NaN()), live.Float(math.NaN()), live.Float(math.NaN())}
	source, err := results.OpenUnverified(dir, -1)
	if err != nil {
		return nil, err
	}
	run, err := Read(source, metrics)
	if err != nil {
		return nil, err
	}
	f, err := run.Find(statistics)
	if err != nil || f == nil || f.Metric.Name != h.Metric {
		return found, err
	}
	for i := range f.Rows {
		row, half := &f.Rows[i], live.Float(f.Rows[i].Half)
		if row.Arm == h.Arm {
			found.Half = half
		}
		if h.Private != nil && row.Arm == h.Private.Arm {
			found.Private = half
		}
		if h.Choice != nil && row.Arm == h.Choice.Arm {
			found.Choice = half
		}
	}
	return found, nil
}
