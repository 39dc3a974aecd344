package views

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/live"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// Provisional has the arms of a run that goes on by the metric that is to be its headline, in the
// order of the scenario. No test is made of it.
type Provisional struct {
	Metric string           `json:"metric"`
	Label  string           `json:"label"`
	Better metric.Direction `json:"better,omitempty"`
	// Instead is a sentence on the headline of which there is no value yet, a statistic over all
	// seeds; empty where Metric is the headline.
	Instead string `json:"instead,omitempty"`
	// Leading names the arm with the best mean so far, or one for each column of Grid; empty where the metric has no better
	// side or fewer than two arms have a value at the last step.
	Leading string `json:"leading,omitempty"`
	// Figure has the settings of the study's figure of the metric, or else of the usual one.
	Figure *Chosen `json:"figure"`
	// Seeds is the number of seeds that each arm is to have.
	Seeds int              `json:"seeds"`
	Arms  []ProvisionalArm `json:"arms"`
	// Grid has the arms by two keys; absent where these do not tell them apart.
	Grid *ProvisionalGrid `json:"grid,omitempty"`
}

// ProvisionalGrid has choices as rows and conditions as columns.
type ProvisionalGrid struct {
	Of      string   `json:"of"`
	Columns []string `json:"columns"`
	Rows    []string `json:"rows"`
	// Cells are places in the list of arms by row and column, -1 for a cell without an arm, and
	// Others are the places of arms beside the grid.
	Cells  [][]int `json:"cells"`
	Others []int   `json:"others"`
	// Shares are the darkness of the cells as in a finding, null for one without a value.
	Shares [][]live.Float `json:"shares"`
	// Best has the cells with the best mean of a column so far.
	Best [][]bool `json:"best"`
}

// ProvisionalArm is an arm of a provisional finding.
type ProvisionalArm struct {
	Arm string `json:"arm"`
	// Step is the last recorded step, of which Seeds have a record; both are 0 where there is none.
	Step  int64 `json:"step"`
	Seeds int   `json:"seeds"`
	// Text is the mean over these seeds, with half of its 95 % interval where there are several.
	Text string `json:"text"`
	// mean is the mean; NaN where there is none.
	mean float64
}

// provisional returns the provisional finding of a run from the headline, conditions and figures of its
// scenario and its curves so far; nil where no metric that can be a headline is recorded yet.
func provisional(stated study.Emphasis, own []study.PlotSection, progress *live.Run, known metric.List) *Provisional {
	list := plot.Headlines(stated.Headline, own, known)
	o, ok := headlineOf(list, progress, known)
	if !ok {
		return nil
	}
	m, _ := known.Find(o.Metric)
	if i := slices.IndexFunc(own, func(p study.PlotSection) bool { return p.Y == o.Metric }); i >= 0 {
		o = own[i].Options(known)
	} else {
		o.LogY = logarithmic(o.Metric, own, progress.Curves, known)
	}
	p := &Provisional{Metric: o.Metric, Instead: instead(list, o.Metric, progress.Later), Figure: chosenOf(&o), Label: cmp.Or(m.Label, o.Metric), Better: m.Better, Seeds: progress.Seeds.Count, Arms: []ProvisionalArm{}}
	run := plot.Run{Emphasis: stated}
	for _, arm := range progress.Arms {
		run.Arms = append(run.Arms, results.ArmEntry{Name: arm.Name, Values: arm.Values})
		p.Arms = append(p.Arms, provisionalArm(arm.Name, o.Metric, progress.Curves))
	}
	if g, ok := run.Grid(); ok {
		p.Grid = p.grid(g)
	}
	p.Leading = p.leading(plot.ArmLabels(run.Arms))
	return p
}

// best returns the place of the arm with the best mean among some; -1 where the metric has no better side, or where fewer
// than two of them have a value at the last step that any has.
func (p *Provisional) best(places []int) int {
	last, best, compared := int64(0), -1, 0
	for _, i := range places {
		if i >= 0 {
			last = max(last, p.Arms[i].Step)
		}
	}
	for _, i := range places {
		if i < 0 || p.Better == "" || p.Arms[i].Step != last || math.IsNaN(p.Arms[i].mean) || math.IsInf(p.Arms[i].mean, 0) {
			continue
		}
		compared++
		if best < 0 || p.Better.Beats(p.Arms[i].mean, p.Arms[best].mean) {
			best = i
		}
	}
	if compared < 2 {
		return -1
	}
	return best
}

// leading names the best arm so far, or the best one of each column, and marks these cells.
func (p *Provisional) leading(labels map[string]string) string {
	named := func(i int) string {
		return fmt.Sprintf("%s, over %d of %d seeds", p.Arms[i].Text, p.Arms[i].Seeds, p.Seeds)
	}
	var list []string
	if p.Grid == nil {
		all := make([]int, len(p.Arms))
		for i := range all {
			all[i] = i
		}
		if i := p.best(all); i >= 0 {
			list = append(list, labels[p.Arms[i].Arm]+", "+named(i))
		}
	} else {
		for k, column := range p.Grid.Columns {
			places := make([]int, len(p.Grid.Cells))
			for i := range places {
				places[i] = p.Grid.Cells[i][k]
			}
			best := p.best(places)
			for i := range places {
				p.Grid.Best[i][k] = best >= 0 && places[i] == best
				if p.Grid.Best[i][k] {
					list = append(list, fmt.Sprintf("%s under %s (%s)", p.Grid.Rows[i], column, p.Arms[best].Text))
				}
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	side := "Lowest"
	if p.Better == metric.HigherIsBetter {
		side = "Highest"
	}
	return side + " mean so far, not tested: " + strings.Join(list, "; ") + "."
}

// instead says why a metric stands for the headline, which comes before it in a list; empty where none does.
// later are the statistics that the run records when all seeds are done.
func instead(list []study.PlotOptions, shown string, later []string) string {
	for _, o := range list {
		if o.Metric == shown {
			break
		}
		if slices.Contains(later, o.Metric) {
			return fmt.Sprintf("Ranked by %s until all seeds are done: the final ranking is by the headline, %s, a statistic over all of them, and can differ.", shown, o.Metric)
		}
	}
	return ""
}

// provisionalArm returns the last recorded values of an arm.
func provisionalArm(arm, metric string, curves []live.Curve) ProvisionalArm {
	row := ProvisionalArm{Arm: arm, mean: math.NaN()}
	i := slices.IndexFunc(curves, func(c live.Curve) bool { return c.Arm == arm && c.Metric == metric })
	if i < 0 || len(curves[i].Steps) == 0 {
		return row
	}
	c := &curves[i]
	last := len(c.Steps) - 1
	row.Step, row.Seeds = c.Steps[last], c.N[last]
	mean := float64(c.Mean[last])
	row.mean = mean
	row.Text = tabular.FormatValue(mean)
	if half := comparison.HalfWidth(float64(c.SE[last]), int64(c.N[last])); half > 0 {
		row.Text = tabular.FormatEstimate(mean, half)
	}
	return row
}

// grid returns the places of the arms of a grid.
func (p *Provisional) grid(g plot.Grid) *ProvisionalGrid {
	out := &ProvisionalGrid{Of: g.Of, Columns: g.ColumnLabels, Rows: g.RowLabels, Others: []int{}}
	place := func(name string) int {
		return slices.IndexFunc(p.Arms, func(arm ProvisionalArm) bool { return arm.Arm == name })
	}
	var values [][]float64
	for _, line := range g.Arms {
		var cells []int
		var means []float64
		for _, arm := range line {
			i, mean := place(arm), math.NaN()
			if i >= 0 {
				mean = p.Arms[i].mean
			}
			cells, means = append(cells, i), append(means, mean)
		}
		out.Cells, values = append(out.Cells, cells), append(values, means)
		out.Best = append(out.Best, make([]bool, len(cells)))
	}
	shares, _ := view.SharesOf(values, p.Better)
	for _, row := range shares {
		var line []live.Float
		for _, share := range row {
			line = append(line, live.Float(share))
		}
		out.Shares = append(out.Shares, line)
	}
	for _, arm := range g.Others {
		out.Others = append(out.Others, place(arm))
	}
	return out
}

// statedIn returns the headline, the conditions and the figures that a scenario states. One that this
// build does not read states none.
func statedIn(scenario string) (stated study.Emphasis, own []study.PlotSection) {
	doc, err := document.Parse(results.ScenarioFile, []byte(scenario))
	if err != nil {
		return stated, nil
	}
	return plot.StatedIn(doc)
}

// logarithmic reports whether the figure of a metric has a logarithmic axis: as the scenario states, or else
// as suits the curves so far.
func logarithmic(name string, own []study.PlotSection, curves []live.Curve, known metric.List) bool {
	if i := slices.IndexFunc(own, func(p study.PlotSection) bool { return p.Y == name }); i >= 0 {
		return own[i].Options(known).LogY
	}
	var series []figure.Series
	for i := range curves {
		if c := &curves[i]; c.Metric == name {
			s := figure.Series{}
			for _, mean := range c.Mean {
				s.Y = append(s.Y, float64(mean))
			}
			series = append(series, s)
		}
	}
	m, _ := known.Find(name)
	return plot.Logarithmic(m.Unit, series)
}

// headlineOf returns the first figure of a list with a metric that is recorded. Where the headline is a statistic that comes
// later, a recorded metric of its family with the same better side stands for it: it ranks arms by nearly the same quantity.
func headlineOf(list []study.PlotOptions, progress *live.Run, known metric.List) (o study.PlotOptions, ok bool) {
	recorded := func(name string) bool {
		m, _ := known.Find(name)
		return m.Level != metric.OfNode && slices.ContainsFunc(progress.Curves, func(c live.Curve) bool { return c.Metric == name })
	}
	if len(list) > 0 && !recorded(list[0].Metric) && slices.Contains(progress.Later, list[0].Metric) {
		if name := relative(list[0].Metric, progress.Curves, known); name != "" {
			o = list[0]
			o.Metric = name
			return o, true
		}
	}
	i := slices.IndexFunc(list, func(o study.PlotOptions) bool { return recorded(o.Metric) })
	if i < 0 {
		return o, false
	}
	return list[i], true
}

// relative returns the first recorded metric of runs with the first word of a name, such as regret, and its better side; empty
// for none.
func relative(name string, curves []live.Curve, known metric.List) string {
	of, _ := known.Find(name)
	family, _, _ := strings.Cut(name, ".")
	for i := range curves {
		m, _ := known.Find(curves[i].Metric)
		if first, _, _ := strings.Cut(m.Name, "."); first == family && m.Level == metric.OfRun && m.Better == of.Better && m.Better != "" {
			return m.Name
		}
	}
	return ""
}
