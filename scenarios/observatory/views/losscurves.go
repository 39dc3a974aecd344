package views

import (
	"cmp"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
	"starling/scenarios/view/plot"
)

// withBound takes the curves without a bound out of a figure of losses. It returns a remark that names them; empty for
// none. arms are the numbers of the arms of the curves.
func withBound(fig *figure.Figure, arms *[]int) string {
	kept, text := accounts.WithBound(fig)
	var of []int
	for _, i := range kept {
		of = append(of, (*arms)[i])
	}
	*arms = of
	return text
}

// furtherDashes tell the second and later curves of an arm from its first.
var furtherDashes = [][]float64{{6, 4}, {2, 3}, {10, 3, 2, 3}}

// mostTogether is the largest number of curves of losses in one chart, where they can be apart.
const mostTogether = 8

// charts draws the losses over the steps, and adds remarks on what is not drawn.
func (f *Folder) charts(p *Privacy, o *opened, curves []accounts.PrivacyCurve, labels map[string]string) {
	fig := accounts.CurveFigure(o.Source, curves)
	arms := labelled(&fig, o.Arms, labels)
	if text := withBound(&fig, &arms); text != "" {
		p.Remarks = append(p.Remarks, text)
	}
	p.ChartsText = sameEnding(&fig)
	arms = oneCurve(&fig, arms)
	f.budget(o, &fig)
	families := byFamily(&fig)
	if p.drawn = fig; families {
		p.Charts = report.NewCharts(&report.Figure{Figure: fig, Metric: "epsilon"})
		return
	}
	p.Charts = []report.Chart{report.NewChart(&report.Figure{Figure: fig, Metric: "epsilon"})}
	colourByArm(&p.Charts[0], arms, armLines(&o.Run.Run, arms))
	if said := fig.Repeated(); said != "" {
		p.Remarks = append(p.Remarks, said)
	}
}

// oneCurve has arms with equal losses share a curve where curves are too many for one chart and few
// enough then. It returns the numbers of the arms of the curves.
func oneCurve(fig *figure.Figure, arms []int) []int {
	if len(fig.Series) <= mostTogether {
		return arms
	}
	var kept []figure.Series
	var of []int
	var names [][]string
	for i, s := range fig.Series {
		at := slices.IndexFunc(kept, func(other figure.Series) bool { return slices.Equal(other.X, s.X) && slices.Equal(other.Y, s.Y) })
		if at < 0 {
			at = len(kept)
			kept, of, names = append(kept, s), append(of, arms[i]), append(names, nil)
		}
		names[at] = append(names[at], s.Name)
	}
	if len(kept) > mostTogether {
		return arms
	}
	for i := range kept {
		kept[i].Name = accounts.ArmsText(names[i])
	}
	fig.Series = kept
	return of
}

// labelled gives the curves of losses the labels of their arms for names, and returns the number of the
// arm of each curve.
func labelled(fig *figure.Figure, arms []results.ArmEntry, labels map[string]string) (of []int) {
	for i := range fig.Series {
		name, at := fig.Series[i].Name, -1
		for k, arm := range arms {
			if strings.HasPrefix(name, arm.Name+": ") && (at < 0 || len(arm.Name) > len(arms[at].Name)) {
				at = k
			}
		}
		if of = append(of, at); at >= 0 {
			fig.Series[i].Name = cmp.Or(labels[arms[at].Name], arms[at].Name) + name[len(arms[at].Name):]
		}
	}
	return of
}

// sameEnding takes observers and unit off the names of curves that all have the same, and returns them as
// a sentence; the unit alone where observers differ.
func sameEnding(fig *figure.Figure) string {
	observers, unit := "", ""
	for i, s := range fig.Series {
		_, rest, _ := strings.Cut(s.Name, ": ")
		of, number, found := strings.Cut(rest, ", unit ")
		if !found || i > 0 && number != unit {
			return ""
		}
		if i == 0 {
			observers = of
		}
		if unit = number; of != observers {
			observers = ""
		}
	}
	if unit == "" {
		return ""
	}
	ending, text := ", unit "+unit, "The loss is that of unit "+unit+"."
	if observers != "" {
		ending, text = ": "+observers+ending, "The loss is that of unit "+unit+", to "+observers+"."
	}
	for i := range fig.Series {
		fig.Series[i].Name = strings.TrimSuffix(fig.Series[i].Name, ending)
	}
	return text
}

// byFamily gives each family of arms, by the first part of their labels, a chart of its own, and reports
// whether it has: where curves are many and no family has more than one chart shows. A curve of no arm,
// such as a budget, is in every chart.
func byFamily(fig *figure.Figure) bool {
	if len(fig.Series) <= mostTogether {
		return false
	}
	var panels []figure.Panel
	var common []figure.Series
	for _, s := range fig.Series {
		arm, rest, several := strings.Cut(s.Name, ": ")
		family, member, found := strings.Cut(arm, ", ")
		if !found {
			if arm != budgetName {
				return false
			}
			common = append(common, s)
			continue
		}
		s.Name, s.Hue = member, member
		if several {
			s.Name, s.Dash = member+": "+rest, rest
		}
		i := slices.IndexFunc(panels, func(p figure.Panel) bool { return p.Title == family })
		if i < 0 {
			i = len(panels)
			panels = append(panels, figure.Panel{Title: family})
		}
		panels[i].Series = append(panels[i].Series, s)
	}
	if len(panels) < 2 || slices.ContainsFunc(panels, func(p figure.Panel) bool { return len(p.Series) > mostTogether }) {
		return false
	}
	for i := range panels {
		observed(&panels[i])
		panels[i].Series = append(panels[i].Series, common...)
	}
	fig.Panels, fig.Series, fig.Title = panels, nil, ""
	return true
}

// observed moves the observers from the names of curves into the title of their chart, where all curves
// have the same.
func observed(p *figure.Panel) {
	of := p.Series[0].Dash
	if of == "" || slices.ContainsFunc(p.Series, func(s figure.Series) bool { return s.Dash != of }) {
		return
	}
	p.Title += ": " + of
	for i := range p.Series {
		p.Series[i].Name, p.Series[i].Dash = p.Series[i].Hue, ""
	}
}

// armLines are the styles that the arms of a run have in a figure with a curve for each arm, by arm.
// Where some of the arms whose numbers are drawn would look alike without the others, each has a style by its number.
func armLines(run *plot.Run, drawn []int) []figure.Line {
	var fig figure.Figure
	for _, arm := range run.Arms {
		fig.Series = append(fig.Series, figure.Series{Name: arm.Name, X: []float64{0}, Y: []float64{0}})
	}
	numbered := fig.Lines()[0]
	run.Arrange(&fig)
	arranged := fig.Lines()
	lines := make([]figure.Line, len(run.Arms))
	for k, panel := range fig.Charts() {
		for i, s := range panel.Series {
			lines[slices.IndexFunc(run.Arms, func(arm results.ArmEntry) bool { return arm.Name == s.Name })] = arranged[k][i]
		}
	}
	for i, a := range drawn {
		for _, b := range drawn[:i] {
			if a != b && a >= 0 && b >= 0 && lines[a].Color == lines[b].Color && slices.Equal(lines[a].Dash, lines[b].Dash) {
				return numbered
			}
		}
	}
	return lines
}

// colourByArm gives the curves of losses the colours and dashes of their arms; the second and later curves
// of an arm have further dashes. arms are the numbers of the arms of the first curves.
func colourByArm(chart *report.Chart, arms []int, styles []figure.Line) {
	curves := map[int]int{} // by arm
	for i, at := range arms {
		line := &chart.Series[i]
		if at < 0 {
			continue
		}
		style := styles[at]
		line.Color, line.Dark, line.Dash = strings.ToLower(style.Hex()), strings.ToLower(style.DarkHex()), style.Dash
		if n := curves[at]; n > 0 {
			line.Dash = furtherDashes[(n-1)%len(furtherDashes)]
		}
		curves[at]++
	}
}
