package plot

import (
	"fmt"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// bandNote says in words what the intervals of a figure are, and over how many seeds.
func bandNote(runs []Run, o *study.PlotOptions) string {
	what := "Mean"
	if m, _ := o.Known.Find(o.Metric); m.Level == metric.OfSummary {
		what = "Value"
	}
	switch o.Band {
	case study.BandCI:
		what += fmt.Sprintf(" and %g %% interval", 100*comparison.Confidence)
	case study.BandSD:
		what += " and standard deviation"
	default:
		what += " and standard error"
	}
	least, most := 0, 0
	for i := range runs {
		if facts := runs[i].Facts; facts != nil {
			n := facts.Seeds.Count
			most = max(most, n)
			if least == 0 || n < least {
				least = n
			}
		}
	}
	switch {
	case most == 0:
		return what + " over the seeds."
	case least < most:
		return fmt.Sprintf("%s over %d to %d seeds.", what, least, most)
	}
	return fmt.Sprintf("%s over %s.", what, document.Counted(most, "seed"))
}

// prepend writes a sentence before the note of a figure.
func prepend(f *figure.Figure, text string) {
	f.Note = strings.TrimSpace(text + " " + f.Note)
}

// cutShares cuts the intervals of parts of a whole at 0 and at 1.
func cutShares(f *figure.Figure) {
	for _, chart := range f.Charts() {
		for i := range chart.Series {
			s := &chart.Series[i]
			for k := range s.Low {
				if y := s.Y[k]; y >= 0 && y <= 1 {
					s.Low[k], s.High[k] = max(0, s.Low[k]), min(1, s.High[k])
				}
			}
		}
	}
}

// narrow reports whether a figure has the width of a column, where notes are short.
func narrow(o *study.PlotOptions) bool {
	const column = 4.5 // inches
	return o.Size == metric.ColumnSize || o.Width > 0 && o.Width < column
}

// Curves in the bands of each other have intervals at their ends alone.
const (
	// leastMuddy is the least number of bands that hide each other.
	leastMuddy = 3
	// muddy is the share of the pairs of a curve and the band of another in which the curve is, on average.
	muddy = 0.6
)

// overlaid reports whether most curves of a chart are in the bands of most others.
func overlaid(list []*figure.Series) bool {
	if len(list) < leastMuddy {
		return false
	}
	in, all := 0, 0
	for _, band := range list {
		for _, curve := range list {
			if band == curve {
				continue
			}
			for k := range min(len(band.X), len(curve.X)) {
				if y := curve.Y[k]; finite(y) && band.X[k] == curve.X[k] {
					all++
					if band.Low[k] <= y && y <= band.High[k] {
						in++
					}
				}
			}
		}
	}
	return float64(in) > muddy*float64(all)
}
