package plot

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// TradeOff draws the last value of the headline metric, as tables have it, against the accounted
// privacy loss, one point an arm. Arms that differ in an epsilon alone share a curve, and arms without a finite
// loss are lines across. The boolean is false where fewer than two losses are finite, where they
// are for different neighbouring data, or where the scenario has such a figure of its own.
func (r *Run) TradeOff(s *study.Scenario) (figure.Named, bool) {
	known := s.Kinds.AllMetrics()
	o, ok := r.headline(s, known)
	relations := neighbouring([]Run{*r}, o.Metric)
	if !ok || len(relations) > 1 || ownTradeOff(s, known) {
		return figure.Named{}, false
	}
	o.PerStep = false // the value of the finding
	f := newFigure(s, known.Label(o.Metric, false)+" against privacy", known.Label(o.Metric, false))
	f.XLabel = accounts.EpsilonAxis("accounted ε of the run", ledger.EpsilonTotal, relations)
	p := plotter{options: &study.PlotOptions{}, runs: []Run{*r}}
	losses := lastRows(r.Rows[ledger.EpsilonTotal])
	values := lastRows(r.Rows[o.Metric])
	finite := map[float64]bool{}
	for i := range r.Arms {
		arm := &r.Arms[i]
		loss, accounted := losses[arm.Name]
		if !accounted {
			loss.Mean, accounted = matched(arm)
		}
		if worst := r.strongest(arm.Name); accounted && worst > loss.Mean { // under the seed that pays the most
			loss.Mean = worst
		}
		row, measured := values[arm.Name]
		if !accounted || !measured {
			continue
		}
		placed := []curvePoint{placed(loss.Mean, row, &o)}
		r.resample(arm.Name, placed, &o)
		point, from := placed[0], origin{r, arm}
		if finite[loss.Mean] = true; loss.Mean == 0 || math.IsInf(loss.Mean, 1) {
			p.apart = append(p.apart, reference{from, point})
			continue
		}
		point.text = nominal(arm, loss.Mean)
		p.join(withoutEpsilon(arm), point)
	}
	delete(finite, math.Inf(1))
	if len(finite) < 2 || len(p.curves) == 0 || len(p.curves) > fewColours {
		return figure.Named{}, false
	}
	p.fewTexts()
	for _, c := range p.curves {
		slices.SortFunc(c.points, func(a, b curvePoint) int { return cmp.Compare(a.x, b.x) })
		series := c.series(&o)
		series.Bars = series.Low != nil
		f.Series = append(f.Series, series)
	}
	m, _ := known.Find(o.Metric)
	if f.Share = m.Unit == metric.Share; f.Share {
		cutShares(&f)
	}
	f.LogX, f.LogY = spreadAcross(f.Series), Logarithmic(m.Unit, f.Series)
	f.Series = append(f.Series, p.across(f.Series, f.LogY)...)
	p.colour(&f, r.Arms)
	if slices.ContainsFunc(f.Series, func(s figure.Series) bool { return s.Low != nil }) {
		f.Note = bandNote([]Run{*r}, &o)
	}
	o.X = ledger.EpsilonTotal
	f.Caption = caption([]Run{*r}, &f, &o)
	return figure.Named{Name: tradeOffName, Figure: f}, Drawn(f.Series)
}

// AgainstLoss returns the options of a figure of a metric at the last step against the accounted loss, as TradeOff draws
// the headline. The boolean is false where arms have fewer than two finite losses, for different neighbouring data, or
// are too many curves.
func (r *Run) AgainstLoss(name string, known metric.List) (study.PlotOptions, bool) {
	o := study.PlotOptions{Metric: name, X: study.AxisLoss, Band: study.UsualBand, Known: known, Crowded: true}
	if len(neighbouring([]Run{*r}, name)) > 1 {
		return o, false
	}
	f, err := Figure([]Run{*r}, o)
	if err != nil || f.Cells != nil || f.Categories != nil || len(f.Panels) > 0 {
		return o, false
	}
	losses, curves := map[float64]bool{}, 0
	for i := range f.Series {
		if s := &f.Series[i]; !s.Reference {
			curves++
			for _, x := range s.X {
				losses[x] = true
			}
		}
	}
	m, _ := known.Find(name)
	o.Crowded, o.LogX, o.LogY = false, spreadAcross(f.Series), Logarithmic(m.Unit, f.Series)
	return o, len(losses) > 1 && curves <= fewColours
}

// IsTradeOff reports whether a figure has an epsilon on its x axis.
func IsTradeOff(o *study.PlotOptions) bool { return isTradeOff(o.X) }

// mostTexts is the greatest number of points of a figure with a text beside each.
const mostTexts = 12

// fewTexts leaves out the texts beside points where they are many.
func (p *plotter) fewTexts() {
	points := 0
	for _, c := range p.curves {
		points += len(c.points)
	}
	if points <= mostTexts {
		return
	}
	for _, c := range p.curves {
		for i := range c.points {
			c.points[i].text = ""
		}
	}
}

// nominal returns the epsilon that an arm sets, such as "ε = 0.5", where it is another number than the
// accounted loss; else nothing.
func nominal(arm *results.ArmEntry, loss float64) string {
	keys := epsilonKeys(arm)
	if len(keys) != 1 {
		return ""
	}
	text, _ := arm.Value(keys[0])
	if value, ok := AxisNumber(text); !ok || math.Abs(loss-value) <= tolerance*value {
		return ""
	}
	return valueLabel(keys[0], lastElement(keys[0]), text)
}

// matched returns the privacy loss to which match has calibrated an arm; infinite for none.
func matched(arm *results.ArmEntry) (float64, bool) {
	value, ok := arm.Value("match.epsilon")
	if ok && value == document.NoEpsilon {
		return math.Inf(1), true
	}
	if !ok {
		return 0, false
	}
	return AxisNumber(value)
}

// Headlines are the figures whose metric can be the headline of a study, the preferred first: the
// one that the study states, if it is not empty, the study's own figures, then the usual ones.
// Privacy losses and metrics of nodes are none, unless they are stated.
func Headlines(stated string, own []study.PlotSection, known metric.List) (list []study.PlotOptions) {
	add := func(name string, perStep bool) {
		m, ok := known.Find(name)
		if m.Name = name; !ok { // of a program that the run had
			m.Level = metric.OfRun
		}
		if name == stated || m.Level != metric.OfNode && !accounts.IsEpsilon(name) {
			list = append(list, study.PlotOptions{Metric: name, Band: study.UsualBand, PerStep: perStep, Known: known})
		}
	}
	if stated != "" {
		m, _ := known.Find(stated)
		i := slices.IndexFunc(own, func(p study.PlotSection) bool { return p.Y == stated })
		add(stated, m.PerStep && i < 0 || i >= 0 && own[i].PerStep)
	}
	for _, p := range own {
		add(p.Y, p.PerStep)
	}
	for _, c := range known.Charted() {
		add(c.Name, c.PerStep)
	}
	return list
}

// UsualMetric returns the metric of a figure for which none is asked: the headline that the study of
// a run states, else the first headline that the run has recorded, as its finding has it; usual, if it
// has recorded none.
func UsualMetric(run *results.Run, usual string, known metric.List) (string, error) {
	stated, own, err := Stated(run)
	if err != nil || stated.Headline != "" {
		return stated.Headline, err
	}
	var names []string
	for _, o := range Headlines("", own, known) {
		names = append(names, o.Metric)
	}
	names = append(names, usual)
	r, err := Read(run, func(name string) bool { return slices.Contains(names, name) })
	if err != nil {
		return "", err
	}
	if i := slices.IndexFunc(names, func(name string) bool { return len(r.Rows[name]) > 0 }); i >= 0 {
		return names[i], nil
	}
	return usual, nil
}

// headline returns the first headline of a study that the run has recorded.
func (r *Run) headline(s *study.Scenario, known metric.List) (study.PlotOptions, bool) {
	list := Headlines(s.Headline, s.Plots, known)
	i := slices.IndexFunc(list, func(o study.PlotOptions) bool { return len(r.Rows[o.Metric]) > 0 })
	if i < 0 {
		return study.PlotOptions{}, false
	}
	return list[i], true
}

// ownTradeOff reports whether a figure of the scenario has an epsilon on its x axis.
func ownTradeOff(s *study.Scenario, known metric.List) bool {
	return slices.ContainsFunc(s.Plots, func(p study.PlotSection) bool { return isTradeOff(p.Options(known).X) })
}

// isTradeOff reports whether an x axis is an epsilon.
func isTradeOff(x string) bool { return accounts.IsEpsilon(x) || isEpsilon(x) }

// tradeOffName is the name of the usual figure of the headline metric against privacy.
const tradeOffName = "trade-off"

// InOrder returns names of the figures of a run as readers want them: those with an epsilon on the x axis
// first, for they answer a study of privacy, then the figures of the study in its order, then the others.
func InOrder(run *results.Run, names []string) ([]string, error) {
	_, own, err := Stated(run)
	if err != nil {
		return nil, err
	}
	rank := func(name string) int { // trade-offs, the study's other figures, and the usual ones
		i := slices.IndexFunc(own, func(p study.PlotSection) bool { return p.Name == name })
		switch {
		case name == tradeOffName:
			return 0
		case i >= 0 && isTradeOff(own[i].X):
			return 1 + i
		case i >= 0:
			return 1 + len(own) + i
		}
		return 1 + 2*len(own)
	}
	sorted := slices.Clone(names)
	slices.SortStableFunc(sorted, func(a, b string) int { return rank(a) - rank(b) })
	return sorted, nil
}

// lastRows returns the last row of each arm.
func lastRows(rows []results.SummaryRow) map[string]results.SummaryRow {
	last := map[string]results.SummaryRow{}
	for _, row := range rows {
		last[row.Arm] = row
	}
	return last
}

// withoutEpsilon returns the name of an arm without the values of its epsilons. An arm that sets none has the name that
// the study gives it.
func withoutEpsilon(arm *results.ArmEntry) string {
	keys := epsilonKeys(arm)
	if len(keys) == 0 && len(arm.Values) > 0 && arm.Name != valuesBut(arm) && !strings.ContainsAny(arm.Name, "={[") {
		return spaced(arm.Name)
	}
	return restLabel(arm, keys...)
}

// epsilonKeys returns the epsilons that an arm sets, those inside of mappings too.
func epsilonKeys(arm *results.ArmEntry) []string {
	return slices.DeleteFunc(KeysOf(arm), func(key string) bool { return !isEpsilon(key) })
}

// join adds a point of an arm to the curve of a name.
func (p *plotter) join(name string, point curvePoint) {
	i := slices.IndexFunc(p.curves, func(c *plotCurve) bool { return c.name == name })
	if i < 0 {
		i = len(p.curves)
		p.curves = append(p.curves, &plotCurve{name: name})
	}
	p.curves[i].points = append(p.curves[i].points, point)
}

// across returns a line across the figure for each arm without a finite loss, in the colour of
// the curve of its name, and gives the curves their colours by their names.
func (p *plotter) across(curves []figure.Series, logY bool) (lines []figure.Series) {
	low, high := endsOf(curves, false)
	for i := range curves {
		curves[i].Hue = curves[i].Name
	}
	for _, r := range p.apart {
		if !figure.Drawable(r.y, logY) {
			continue
		}
		line := r.line(low, high)
		name := withoutEpsilon(r.arm)
		switch {
		case name != "" && slices.ContainsFunc(curves, func(s figure.Series) bool { return s.Name == name }):
			line.Hue, line.Dash = name, lossText(r.x)
		case r.x == 0:
			line.Name = strings.TrimPrefix(name+", "+lossText(r.x), ", ")
		case name == "":
			line.Name, line.Baseline = withoutNoise, true
		}
		lines = append(lines, line)
	}
	return merged(lines, curves, logY)
}

// spreadAcross reports whether the points of curves lie so far apart that a logarithmic x axis
// shows them better.
func spreadAcross(curves []figure.Series) bool {
	least, most := math.Inf(1), 0.0
	for _, s := range curves {
		for _, x := range s.X {
			least, most = math.Min(least, x), math.Max(most, x)
		}
	}
	return least > 0 && most > spread*least
}
