package views

import (
	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
	"starling/scenarios/study/plots"
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
	Band    plots.Band `json:"band,omitempty"`
	Arms    []string   `json:"arm,omitempty"`
	At      int64      `json:"at,omitempty"`
	PerStep bool       `json:"per_step,omitempty"`
	LogX    bool       `json:"log_x,omitempty"`
	LogY    bool       `json:"log_y,omitempty"`
}

// firstFigure returns the settings of the first figure of a finished run's study that the page can
// draw, or else of the first usual figure with the axis that it has in the folder of the run; nil
// where there is neither.
func (o *opened) firstFigure() *Chosen {
	for _, p := range o.plots() {
		if options := p.Options(o.Known); !options.OfNodes() && len(o.Rows[options.Metric]) > 0 {
			return chosenOf(&options)
		}
	}
	for _, m := range o.Known.Charted() {
		if len(o.Rows[m.Name]) == 0 || m.Level == metric.OfNode {
			continue
		}
		options := plots.Options{Metric: m.Name, Band: plots.SE, PerStep: m.PerStep}
		var series []figure.Series
		for _, arm := range o.Arms {
			series = append(series, o.Curve(arm.Name, m.Name, plots.Step, m.PerStep))
		}
		options.LogY = plot.Logarithmic(m.Unit, series)
		return chosenOf(&options)
	}
	return nil
}

// plots returns the plots that the scenario of the run asks for.
func (o *opened) plots() []plots.Section {
	text, err := o.Source.Scenario()
	if err != nil {
		return nil
	}
	doc, err := document.Parse(results.ScenarioFile, text)
	if err != nil {
		return nil
	}
	f, issues := study.DecodeFile(doc)
	if issues.Err() != nil {
		return nil
	}
	return f.Plots
}

// chosenOf names the settings; usual ones are left out.
func chosenOf(o *plots.Options) *Chosen {
	usual := func(text, word string) string {
		if text == word {
			return ""
		}
		return text
	}
	return &Chosen{o.Metric, usual(o.X, plots.Step), usual(o.By, plots.Arm), o.Facet, o.Hue, o.Dash, plots.Band(usual(string(o.Band), string(plots.SE))), o.Arms, o.At, o.PerStep, o.LogX, o.LogY}
}
