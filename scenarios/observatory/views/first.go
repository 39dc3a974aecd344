package views

import (
	"slices"

	"starling/scenarios/metric"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// Chosen are the settings of a figure under the names that requests have for them.
type Chosen struct {
	Y       string     `json:"y"`
	X       string     `json:"x,omitempty"`
	By      string     `json:"by,omitempty"`
	Facet   string     `json:"facet,omitempty"`
	Hue     string     `json:"hue,omitempty"`
	Dash    string     `json:"dash,omitempty"`
	Band    study.Band `json:"band,omitempty"`
	Arms    []string   `json:"arm,omitempty"`
	At      int64      `json:"at,omitempty"`
	PerStep bool       `json:"per_step,omitempty"`
	LogX    bool       `json:"log_x,omitempty"`
	LogY    bool       `json:"log_y,omitempty"`
}

// firstFigure returns the settings of the first figure of a finished run that the page can draw: of
// the headline that the study states, of the study's figures, those over an epsilon first, or of the usual ones, the
// headline against privacy first, with the axis that they have in the folder of the run; nil where there is none.
func (o *opened) firstFigure() *Chosen {
	stated, own, err := plot.Stated(o.Source)
	if err != nil {
		return nil
	}
	if stated.Headline != "" {
		own = slices.DeleteFunc(own, func(p study.PlotSection) bool { return p.Y != stated.Headline })
	}
	over := func(p study.PlotSection) bool { options := p.Options(o.Known); return plot.IsTradeOff(&options) }
	for _, p := range append(slices.DeleteFunc(slices.Clone(own), func(p study.PlotSection) bool { return !over(p) }), own...) {
		if options := p.Options(o.Known); !options.OfNodes() && len(o.Rows[options.Metric]) > 0 {
			return chosenOf(&options)
		}
	}
	charted := o.Known.Charted()
	if m, ok := o.Known.Find(stated.Headline); ok {
		charted = append(metric.List{m}, charted...)
	}
	if len(own) == 0 {
		if options, ok := o.againstLoss(stated.Headline); ok {
			return chosenOf(&options)
		}
	}
	for _, m := range charted {
		if len(o.Rows[m.Name]) == 0 || m.Level == metric.OfNode {
			continue
		}
		options := study.PlotOptions{Metric: m.Name, Band: study.UsualBand, PerStep: m.PerStep}
		var series []figure.Series
		for _, arm := range o.Arms {
			series = append(series, o.Curve(arm.Name, m.Name, study.AxisStep, m.PerStep))
		}
		options.LogY = plot.Logarithmic(m.Unit, series)
		return chosenOf(&options)
	}
	return nil
}

// againstLoss returns the settings of a figure of the headline against the accounted loss.
func (o *opened) againstLoss(stated string) (study.PlotOptions, bool) {
	for _, headline := range plot.Headlines(stated, nil, o.Known) {
		if len(o.Rows[headline.Metric]) > 0 {
			return o.AgainstLoss(headline.Metric, o.Known)
		}
	}
	return study.PlotOptions{}, false
}

// chosenOf names the settings; usual ones are left out.
func chosenOf(o *study.PlotOptions) *Chosen {
	usual := func(text, word string) string {
		if text == word {
			return ""
		}
		return text
	}
	band := study.Band(usual(string(o.Band), string(study.UsualBand)))
	return &Chosen{o.Metric, usual(o.X, study.AxisStep), usual(o.By, study.EachArm), o.Facet, o.Hue, o.Dash, band, o.Arms, o.At, o.PerStep, o.LogX, o.LogY}
}
