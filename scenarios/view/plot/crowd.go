package plot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"starling/mechanisms/portable"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// Limits on the curves of a chart that readers can follow.
const (
	// mostBands is the most curves of a chart with bands in a file, where others have their intervals beside the axes, and
	// mostPageBands on a page, where others have none: more bands are one grey area.
	mostBands     = 4
	mostPageBands = 6
	// bestBands is the number of curves that stay in front in charts of many.
	bestBands = 3
	// leastAlike is the least number of coincident curves that are one.
	leastAlike = 3
	// coincident is the relative difference up to which points lie on each other.
	coincident = 1e-3
)

// thinBands leaves bands to the best curve and the baseline in charts of many curves: the interval at the end of each curve
// stands beside the axes. It says so below the figure. The points keep the ends of all bands.
func thinBands(f *figure.Figure, o *study.PlotOptions) {
	m, _ := o.Known.Find(o.Metric)
	if unband(f, mostBands, func(list []figure.Series) map[string]bool { return leading(list, m, f.LogY) }) {
		if !f.HasEndBars() { // a single interval would not be compared
			unband(f, mostBands, func([]figure.Series) map[string]bool { return nil })
		}
		f.Note = strings.TrimSpace(f.Note + " " + unbandedNote(f))
	}
}

// leading returns the keys of the curves of a chart that keep their bands: the best, and the baseline. Noisy curves are
// none: their points fill their bands.
func leading(series []figure.Series, m metric.Metric, logY bool) map[string]bool {
	front := map[string]bool{}
	list := banded(series)
	if overlaid(list) {
		return front
	}
	for _, s := range list {
		front[keyOf(s)] = s.Baseline && !wavers(s, logY)
	}
	if m.Better != "" && len(list) > 0 {
		sortBest(list, m.Better)
		front[keyOf(list[0])] = !wavers(list[0], logY)
	}
	return front
}

// unband leaves bands to some curves of charts that have more than the most, or in files bands that hide each other: to
// those with the keys that front returns. In files all charts are as one of these. It reports whether there is such a chart.
func unband(f *figure.Figure, most int, front func(list []figure.Series) map[string]bool) (thinned bool) {
	many := func(chart figure.Panel) bool {
		list, curves := banded(chart.Series), 0
		for i := range chart.Series {
			if s := &chart.Series[i]; !s.Reference && !inAll(f.Panels, s) {
				curves++
			}
		}
		return len(list) > 0 && (curves > most || most == mostBands && overlaid(list))
	}
	charts := f.Charts()
	all := most == mostBands && slices.ContainsFunc(charts, many) // charts of a file have intervals of one kind
	for _, chart := range charts {
		list := banded(chart.Series)
		if len(list) == 0 || !all && !many(chart) {
			continue
		}
		thinned = true
		kept := front(chart.Series)
		for _, s := range list {
			s.Unbanded = !kept[keyOf(s)]
		}
	}
	return thinned
}

// inAll reports whether each of several charts has a curve, such as a baseline.
func inAll(panels []figure.Panel, of *figure.Series) bool {
	return len(panels) > 1 && !slices.ContainsFunc(panels, func(p figure.Panel) bool {
		return !slices.ContainsFunc(p.Series, func(s figure.Series) bool { return s.Name == of.Name && slices.Equal(s.Y, of.Y) })
	})
}

// Ranking is the order of the arms of a run by the last values of a metric.
type Ranking struct {
	// Places are the places of the arms, by their names; the best one has 0.
	Places map[string]int
	// Metric is the name of the metric, and Label its name for readers.
	Metric, Label string
}

// Ranked returns the order of the arms by the metric of the run's finding. It is nil where that has no better side.
func (r *Run) Ranked(s *study.Scenario, known metric.List) *Ranking {
	o, ok := r.headline(s, known)
	m, found := known.Find(o.Metric)
	if !ok || !found || m.Better == "" {
		return nil
	}
	rows := slices.SortedFunc(maps.Values(lastRows(r.Rows[o.Metric])), func(a, b results.SummaryRow) int {
		before := func(a, b float64) bool { return m.Better.Beats(a, b) || math.IsNaN(b) && !math.IsNaN(a) }
		switch {
		case before(a.Mean, b.Mean):
			return -1
		case before(b.Mean, a.Mean):
			return 1
		}
		return strings.Compare(a.Arm, b.Arm)
	})
	ranking := &Ranking{map[string]int{}, o.Metric, known.Label(o.Metric, false)}
	for i, row := range rows {
		ranking.Places[row.Arm] = i
	}
	return ranking
}

// frontOf returns the keys of the curves of a crowded figure that stay in front: the best of each chart, in all charts where
// they are few. A ranking gives the order or, where it is nil, the last values of the metric.
func frontOf(f *figure.Figure, m metric.Metric, ranking *Ranking) map[string]bool {
	front := map[string]bool{}
	for _, chart := range f.Charts() {
		list := banded(chart.Series)
		switch {
		case ranking != nil:
			slices.SortStableFunc(list, func(a, b *figure.Series) int { return ranking.place(a.Name) - ranking.place(b.Name) })
		case m.Better != "":
			sortBest(list, m.Better)
		}
		for _, s := range list[:min(bestBands, len(list))] {
			front[keyOf(s)] = true
		}
	}
	return front
}

// place is the place of an arm; one without the metric comes last.
func (r *Ranking) place(arm string) int {
	if place, ok := r.Places[arm]; ok {
		return place
	}
	return len(r.Places)
}

// unbandedNote says that some curves have no band; a drawn figure says by itself where their intervals are.
func unbandedNote(f *figure.Figure) string {
	switch {
	case f.HasEndBars() && slices.ContainsFunc(f.Charts(), anyBand):
		return "Shaded: along some curves."
	case f.HasEndBars():
		return ""
	}
	if len(f.Panels) > 0 {
		return fmt.Sprintf("Charts of more than %d curves have no bands.", mostBands)
	}
	return fmt.Sprintf("More than %d curves have no bands.", mostBands)
}

// FewBands leaves bands to a few curves of a metric in crowded charts, and says so in the figure's note: the best by a
// ranking, so that all figures have the same arms in front, or by the metric where there is none.
func FewBands(f *figure.Figure, name string, known metric.List, ranking *Ranking) {
	m, _ := known.Find(name)
	front, grey := frontOf(f, m, ranking), false
	if all, _ := crowdOf(f, &study.PlotOptions{Metric: name, Known: known}); all >= leastCrowd && len(f.Ramp) == 0 {
		grey = true
	}
	if unband(f, mostPageBands, func([]figure.Series) map[string]bool { return front }) {
		text := "With bands: "
		if grey {
			text = "In colour, with bands: "
		}
		if len(f.Panels) > 0 {
			text += "in each chart "
		}
		switch {
		case ranking != nil:
			text += fmt.Sprintf("the best %d arms by the %s", bestBands, ranking.Label)
		case m.Better != "":
			text += fmt.Sprintf("the best %d curves", bestBands)
		default:
			text += fmt.Sprintf("the first %d curves", bestBands)
		}
		f.Note = strings.TrimSpace(f.Note + " " + text + ".")
	}
	for _, chart := range f.Charts() {
		for i := range chart.Series {
			if s := &chart.Series[i]; s.Unbanded {
				s.Low, s.High = nil, nil
				s.Faint = s.Faint || grey && !inAll(f.Panels, s)
			}
		}
	}
}

// bandsDrawn reports whether a figure shows a band or a bar.
func bandsDrawn(f *figure.Figure) bool {
	return f.HasEndBars() || slices.ContainsFunc(f.Charts(), func(p figure.Panel) bool {
		return slices.ContainsFunc(p.Series, func(s figure.Series) bool { return s.Low != nil && !s.Unbanded })
	})
}

// thin makes one of coincident curves of arms over steps, thins bands, and marks gaps. It returns the
// names of curves that became one.
func (p *plotter) thin(f *figure.Figure) (joined []string) {
	o := p.options
	if o.Across() == study.AxisStep && !o.OfNodes() && o.CurvesBy() == study.EachArm {
		joined = joinAlike(f)
	}
	background(f, o)
	thinBands(f, o)
	markGaps(f, "", o)
	return joined
}

// leastCrowd is the least number of curves of a figure of which most are in the background.
const leastCrowd = MostCurves

// background puts the curves of a crowded figure into the background, but for the best and the worst of each chart
// and those without noise, and makes the lines of noisy curves smooth. The note says so. A figure of dashes with a meaning, or
// of a ramp of colours, stays as it is.
func background(f *figure.Figure, o *study.PlotOptions) {
	all, front := crowdOf(f, o)
	if all < leastCrowd || len(f.Ramp) > 0 || o.Coloured {
		return
	}
	smooth := 0
	for _, chart := range f.Charts() {
		for i := range chart.Series {
			s := &chart.Series[i]
			if s.Faint = !front[keyOf(s)]; s.Faint {
				s.Unbanded = s.Low != nil
			}
			if wavers(s, f.LogY) && !o.Crowded { // a page draws lines as they are
				s.Smooth = len(s.Y) / smoothPart
				smooth = max(smooth, 2*s.Smooth+1)
			}
		}
	}
	which, worst := "best", " and the worst"
	if m, _ := o.Known.Find(o.Metric); m.Better == "" {
		which, worst = "first", ""
	}
	text := fmt.Sprintf("In colour: the %s %d curves%s", which, bestBands, worst)
	if len(f.Panels) > 0 {
		text = fmt.Sprintf("In colour: curves among the %s %d%s of a chart, in all charts", which, bestBands, worst)
	}
	if front[withoutNoise] {
		text += ", and " + withoutNoise
	}
	if smooth > 0 {
		text += fmt.Sprintf(". Noisy lines are means over up to %d records, which are pale behind", smooth)
	}
	f.Note = strings.TrimSpace(f.Note + " " + text + ".")
}

// crowdOf counts the curves of a figure by their keys, and returns the keys of those that stay in front: the best of
// each chart and its worst, and those without noise. A figure of dashes, dots or bars has none.
func crowdOf(f *figure.Figure, o *study.PlotOptions) (all int, front map[string]bool) {
	keys := map[string]bool{}
	front = map[string]bool{}
	m, _ := o.Known.Find(o.Metric)
	for _, chart := range f.Charts() {
		var list []*figure.Series
		for i := range chart.Series {
			s := &chart.Series[i]
			if s.Dash != "" || s.Dots || s.Bars || s.Reference {
				return 0, nil
			}
			keys[keyOf(s)] = true
			if slices.ContainsFunc(s.Y, func(y float64) bool { return figure.Drawable(y, f.LogY) }) {
				list = append(list, s)
				front[withoutNoise] = front[withoutNoise] || keyOf(s) == withoutNoise
			}
		}
		if m.Better != "" {
			sortBest(list, m.Better)
		}
		for _, s := range list[:min(bestBands, len(list))] {
			front[keyOf(s)] = true
		}
		if n := len(list); n > bestBands && m.Better != "" {
			front[keyOf(list[n-1])] = true
		}
	}
	return len(keys), front
}

// Noisy curves have at least so many points, and go up and down by so many times their range. A smooth line
// is a mean over a share of the points to each side.
const (
	leastNoisy = 60
	wavering   = 6
	smoothPart = 50
)

// wavers reports whether a curve is noisy.
func wavers(s *figure.Series, log bool) bool {
	var low, high, way, last float64
	n := 0
	for i, y := range s.Y {
		if !figure.Drawable(y, log) || !figure.Drawable(s.X[i], false) {
			continue
		}
		if log {
			y = portable.Log(y)
		}
		if n == 0 {
			low, high = y, y
		} else {
			low, high, way = math.Min(low, y), math.Max(high, y), way+math.Abs(y-last)
		}
		last = y
		n++
	}
	return n >= leastNoisy && way > wavering*(high-low)
}

// banded returns the curves of a chart that have a band.
func banded(series []figure.Series) (list []*figure.Series) {
	for i := range series {
		if s := &series[i]; s.Low != nil && !s.Bars && !s.Reference {
			list = append(list, s)
		}
	}
	return list
}

// sortBest sorts curves by their last values, the best first.
func sortBest(list []*figure.Series, better metric.Direction) {
	last := func(s *figure.Series) float64 {
		y := math.Inf(1)
		if n := len(s.Y); n > 0 && !math.IsNaN(s.Y[n-1]) {
			y = s.Y[n-1]
			if better == metric.HigherIsBetter {
				y = -y
			}
		}
		return y
	}
	slices.SortStableFunc(list, func(a, b *figure.Series) int {
		switch x, y := last(a), last(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

// joinAlike draws several curves as one where they coincide in all charts, with a name that has
// their number. Degrees of a ramp stay apart. It returns the names of curves that became one.
func joinAlike(f *figure.Figure) (joined []string) {
	charts := f.Charts()
	for _, s := range charts[0].Series {
		group := alikeIn(charts[0].Series, &s, f.Ramp)
		if len(group) < leastAlike || slices.ContainsFunc(charts[1:], func(p figure.Panel) bool { return !sameGroup(p.Series, group, f.Ramp) }) {
			continue
		}
		name := fmt.Sprintf("%d arms", len(group))
		join := func(list []figure.Series) []figure.Series {
			kept := slices.Clone(list[:0:0])
			for _, s := range list {
				switch key := keyOf(&s); {
				case key == group[0]:
					s.Name, s.Label = name, ""
					if s.Hue != "" {
						s.Hue = name
					}
					kept = append(kept, s)
				case !slices.Contains(group, key):
					kept = append(kept, s)
				}
			}
			return kept
		}
		f.Series = join(f.Series)
		for i := range f.Panels {
			f.Panels[i].Series = join(f.Panels[i].Series)
		}
		return group // one name is free
	}
	return nil
}

// keyOf is the name under which the legend has a curve.
func keyOf(s *figure.Series) string {
	return cmp.Or(s.Hue, s.Shown())
}

// alikeIn returns the names of the curves of a chart that coincide with one, itself included, where
// no dash and no degree tells them apart.
func alikeIn(list []figure.Series, of *figure.Series, ramp []string) (names []string) {
	for i := range list {
		s := &list[i]
		key := keyOf(s)
		if key != "" && s.Dash == "" && !s.Reference && !slices.Contains(ramp, key) && !slices.Contains(names, key) && coincide(s, of) {
			names = append(names, key)
		}
	}
	return names
}

// sameGroup reports whether the named curves of a chart coincide, and no others with them.
func sameGroup(list []figure.Series, names, ramp []string) bool {
	i := slices.IndexFunc(list, func(s figure.Series) bool { return keyOf(&s) == names[0] })
	return i >= 0 && slices.Equal(alikeIn(list, &list[i], ramp), names)
}

// coincide reports whether two curves have the same points, all finite, and no bands.
func coincide(a, b *figure.Series) bool {
	if !slices.Equal(a.X, b.X) || len(a.X) == 0 || a.Low != nil || b.Low != nil {
		return false
	}
	for i, y := range a.Y {
		if !finite(y) || math.Abs(y-b.Y[i]) > coincident*math.Abs(y) {
			return false
		}
	}
	return !slices.ContainsFunc(b.Y, func(y float64) bool { return !finite(y) })
}
