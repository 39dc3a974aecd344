package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"starling/mechanisms/numeric"
	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
)

// Facts are the facts of a run that captions state besides the contents of a figure.
type Facts struct {
	// Hash is the hash of the run.
	Hash  string
	Seeds results.Seeds
	// Ledger describes the privacy losses of the arms, and Losses has the final ones.
	Ledger []results.LedgerEntry
	Losses accounts.Losses
}

// FactsOf reads the facts of a finished run.
func FactsOf(run *results.Run) (*Facts, error) {
	losses, err := accounts.WorstRows(run)
	m := &run.Manifest
	return &Facts{m.Hash, m.Seeds, m.Ledger, losses}, err
}

// private reports whether a number bounds the privacy loss of an arm to some observer.
func (f *Facts) private(arm string) bool {
	return slices.ContainsFunc(f.Ledger, func(e results.LedgerEntry) bool {
		row, ok := f.Losses[[2]string{arm, e.Observer}]
		return e.Arm == arm && (!ok || !math.IsInf(row.Epsilon, 1))
	})
}

// strongest returns the privacy loss of an arm to the strongest observer; -Inf where none is
// accounted.
func (f *Facts) strongest(arm string) float64 {
	most := math.Inf(-1)
	for _, e := range f.Ledger {
		if row, ok := f.Losses[[2]string{arm, e.Observer}]; ok && e.Arm == arm {
			most = math.Max(most, row.Epsilon)
		}
	}
	return most
}

// strongest returns the privacy loss of an arm by the end of the run to the strongest observer, under the seed in which it
// is largest; -Inf where that is not known.
func (r *Run) strongest(arm string) float64 {
	if r.Facts == nil {
		return math.Inf(-1)
	}
	return r.Facts.strongest(arm)
}

// caption returns the caption of a figure of some arms of runs: subject, seeds, bands, baseline,
// privacy and runs, a sentence each. It is nil where the facts of a run are not known.
func caption(runs []Run, f *figure.Figure, o *study.PlotOptions) (list []string) {
	if slices.ContainsFunc(runs, func(r Run) bool { return r.Facts == nil }) {
		return nil
	}
	list = subject(runs, f, o)
	seeds := &runs[0].Facts.Seeds
	alike := !slices.ContainsFunc(runs, func(r Run) bool { return r.Facts.Seeds != *seeds })
	if alike {
		list = append(list, seedsText(*seeds))
	}
	if text := bandText(runs, f, o); text != "" {
		list = append(list, text)
		if f.Cells != nil && f.Cells.Ended() {
			list = append(list, endsText)
		}
		if m, _ := o.Known.Find(o.Metric); m.Level == metric.OfSummary && o.Across() == study.AxisStep {
			list = append(list, worstNodeText)
		}
		if f.Clipped() {
			list = append(list, clippedText(f))
		}
		if f.Beyond() {
			list = append(list, beyondText)
		}
	}
	for i := range runs {
		r := &runs[i]
		if !alike {
			list = append(list, r.Label+": "+seedsText(r.Facts.Seeds))
		}
		if arm := r.baseline(); arm != nil {
			list = append(list, "Baseline: "+r.label(arm.Name)+", without a bound on its privacy loss.")
		}
		if text := r.privacyText(f, o); text != "" {
			list = append(list, text)
		}
	}
	for i := range runs {
		list = append(list, fmt.Sprintf("Scenario %s, run %s.", runs[i].Scenario, runs[i].Facts.Hash[:min(12, len(runs[i].Facts.Hash))]))
	}
	for i := range list {
		list[i] = figure.Plain(list[i])
	}
	return list
}

// subject describes the axes, the charts and the curves.
func subject(runs []Run, f *figure.Figure, o *study.PlotOptions) (list []string) {
	if o.Title != "" {
		list = append(list, sentence(o.Title))
	}
	arms := 0
	for i := range runs {
		arms += len(runs[i].Arms)
	}
	text := f.YLabel
	if f.XLabel != "" { // dots have arms across
		text += " against " + f.XLabel
	}
	if arms > 1 {
		text += ", " + document.Counted(arms, "arm")
	}
	if len(f.Panels) > 0 {
		var titles []string
		for _, p := range f.Panels {
			titles = append(titles, p.Title)
		}
		text += "; charts: " + strings.Join(titles, ", ")
	}
	return append(list, sentence(text))
}

// sentence returns a text as a sentence. A symbol such as ε at its beginning stays as it is.
func sentence(text string) string {
	text = strings.TrimSuffix(strings.TrimSpace(text), ".")
	first := []rune(text)
	if len(first) > 1 && first[1] != '=' && first[0] <= unicode.MaxASCII {
		first = append([]rune(strings.ToUpper(string(first[:1]))), first[1:]...)
	}
	return string(first) + "."
}

// seedsText names the seeds.
func seedsText(seeds results.Seeds) string {
	if seeds.Count == 1 {
		return fmt.Sprintf("One seed, %d.", seeds.Base)
	}
	return fmt.Sprintf("Over %d seeds, %d to %d.", seeds.Count, seeds.Base, seeds.Base+uint64(seeds.Count)-1)
}

// withJoined adds the names of curves that are one to a caption; nil stays none.
func withJoined(list, names []string) []string {
	if list == nil || len(names) == 0 {
		return list
	}
	return append(list, figure.Plain(fmt.Sprintf("Coincident curves, drawn as one: %s.", strings.Join(names, "; "))))
}

// worstNodeText explains jumps in the bands of a largest mean over nodes.
const worstNodeText = "The largest is over the means of the nodes, and its interval is of the node that is the worst at a step: a band jumps where another node becomes the worst."

// ClippedText explains bands of charts on a page that reach 0 on a logarithmic axis, or go far below all curves.
const ClippedText = "An interval that reaches below the logarithmic axis, such as one with 0 or less, is cut at its lower end."

// clippedText explains bands and bars of figures in files that reach 0 on a logarithmic axis, or go far below
// all curves.
func clippedText(f *figure.Figure) string {
	drawn := "the band goes to the edge of the chart"
	if bars(f) {
		drawn = "the bar goes to the edge of the chart and has no lower end"
	}
	return "Where an interval reaches 0 or less, or below the logarithmic axis, " + drawn + "."
}

// endsText explains the intervals of cells that stand with their ends.
const endsText = "A wide interval, and one that 0 or 1 cuts, has its ends in place of ±."

// beyondText explains bands that are cut at the ends of the y axis.
const beyondText = "The y axis is for the curves: a band that goes far beyond them is cut at its end."

// bars reports whether all intervals of a figure are bars, lines across left out.
func bars(f *figure.Figure) bool {
	return !slices.ContainsFunc(f.Charts(), func(p figure.Panel) bool {
		return slices.ContainsFunc(p.Series, func(s figure.Series) bool { return s.Low != nil && !s.Bars && !s.Reference })
	})
}

// bandText describes the bands and their confidence; empty where the figure has none.
func bandText(runs []Run, f *figure.Figure, o *study.PlotOptions) string {
	banded := bandsDrawn(f) || f.Cells != nil && f.Cells.Banded()
	if !banded && unbanded(f) {
		return unbandedNote(f)
	}
	name := "Bands"
	switch {
	case !banded:
		return runs[0].ResampledText(o, name, runs[0].Facts.Seeds.Count, false)
	case f.Cells != nil:
		name = "±"
	case bars(f):
		name = "Bars"
	case o.Across() == study.AxisStep && !o.PerStep && slices.ContainsFunc(runs, func(r Run) bool { return r.Windows(o.Metric) }):
		return "Curves: the mean over the steps of a record. Bands: from the least to the most of these steps."
	}
	n := runs[0].Facts.Seeds.Count
	switch {
	case f.HasEndBars():
		name = "Intervals"
	case unbanded(f):
		name += fmt.Sprintf(", in charts of up to %d curves", mostBands)
	}
	if text := runs[0].ResampledText(o, name, n, true); text != "" {
		return text
	}
	switch o.Band {
	case study.BandCI:
		return fmt.Sprintf("%s: the %g %% confidence interval of the mean (Student's t, %d seeds).", name, 100*comparison.Confidence, n)
	case study.BandSD:
		return name + ": one standard deviation of a seed to each side."
	}
	within := 100 * (1 - float64(2*numeric.StudentSurvival(float64(max(n, 2)-1), 1)))
	return fmt.Sprintf("%s: one standard error of the mean to each side, a confidence of %.0f %% (Student's t, %d seeds).", name, within, n)
}

// anyBand reports whether a curve of a chart has a band.
func anyBand(p figure.Panel) bool {
	return slices.ContainsFunc(p.Series, func(s figure.Series) bool { return s.Low != nil && !s.Unbanded })
}

// unbanded reports whether some bands of a figure are not drawn.
func unbanded(f *figure.Figure) bool {
	return slices.ContainsFunc(f.Charts(), func(p figure.Panel) bool {
		return slices.ContainsFunc(p.Series, func(s figure.Series) bool { return s.Unbanded })
	})
}

// baseline returns the first arm without a bound on its privacy loss, where another has one; nil
// for none.
func (r *Run) baseline() *results.ArmEntry {
	bounded := func(arm results.ArmEntry) bool { return r.Facts.private(arm.Name) }
	if i := slices.IndexFunc(r.Arms, func(arm results.ArmEntry) bool { return !bounded(arm) }); i >= 0 && slices.ContainsFunc(r.Arms, bounded) {
		return &r.Arms[i]
	}
	return nil
}

// showsPrivacy reports whether a figure has privacy losses on an axis or in its labels.
func (r *Run) showsPrivacy(o *study.PlotOptions) bool {
	if accounts.IsEpsilon(o.Metric) || accounts.IsEpsilon(o.X) || o.Accounted() {
		return true
	}
	return slices.ContainsFunc(r.Arms, func(arm results.ArmEntry) bool { return slices.ContainsFunc(KeysOf(&arm), isEpsilon) })
}

// privacyText states delta, unit and observers of the privacy losses of a figure. It is empty where
// the figure shows none, or no arm has a bound.
func (r *Run) privacyText(f *figure.Figure, o *study.PlotOptions) string {
	if !r.showsPrivacy(o) {
		return ""
	}
	var deltas, units, observers []string
	add := func(list *[]string, text string) {
		if !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	for _, arm := range r.Arms {
		most := r.Facts.strongest(arm.Name)
		for _, e := range r.Facts.Ledger {
			row, ok := r.Facts.Losses[[2]string{arm.Name, e.Observer}]
			if !ok || e.Arm != arm.Name || row.Epsilon != most || math.IsInf(most, 1) {
				continue
			}
			add(&deltas, tabular.FormatValue(row.Delta))
			add(&units, accounts.Protected(e))
			add(&observers, e.Observer)
		}
	}
	if len(deltas) == 0 {
		return ""
	}
	to := fmt.Sprintf("the strongest observer (%s)", strings.Join(observers, ", "))
	if o.Metric == ledger.EpsilonTotal && r.ofClaims() != nil {
		to = "the observers of the claims"
	}
	return fmt.Sprintf("Privacy losses ε: accounted at δ = %s, for %s, to %s.", strings.Join(deltas, " or "), strings.Join(units, " or "), to)
}

// ofClaims lists the arms whose recorded loss is to the observers of their claim, and not to the strongest observer,
// each with its loss to the strongest observer; nil where the facts of the run are not known.
func (r *Run) ofClaims() (list []string) {
	if r.Facts == nil {
		return nil
	}
	last := lastRows(r.Rows[ledger.EpsilonTotal])
	for _, arm := range r.Arms {
		row, ok := last[arm.Name]
		if most := r.Facts.strongest(arm.Name); ok && most > r.Facts.least(arm.Name, row.Mean)*(1+lossTolerance) {
			loss := "∞"
			if !math.IsInf(most, 1) {
				loss = tabular.FormatValue(most)
			}
			list = append(list, fmt.Sprintf("%s (%s)", r.label(arm.Name), loss))
		}
	}
	return list
}

// least returns the least of the losses of an arm to its observers that are not below a mean over the seeds: the loss
// of which it is the mean, under the seed that loses the most. It is +Inf where there is none.
func (f *Facts) least(arm string, mean float64) float64 {
	least := math.Inf(1)
	for _, e := range f.Ledger {
		if row, ok := f.Losses[[2]string{arm, e.Observer}]; ok && e.Arm == arm && row.Epsilon >= mean*(1-lossTolerance) {
			least = math.Min(least, row.Epsilon)
		}
	}
	return least
}

// lossTolerance is the relative difference up to which two accounts of one loss are equal.
const lossTolerance = 1e-3

// noteObservers adds to the note of a figure of losses the arms that lose more to other observers.
func noteObservers(f *figure.Figure, runs []Run, o *study.PlotOptions) {
	if o.Metric != ledger.EpsilonTotal {
		return
	}
	for i := range runs {
		if list := runs[i].ofClaims(); list != nil {
			f.Note = strings.TrimSpace(f.Note + " ε to the observers of the claims; to others more: " + strings.Join(list, "; ") + ".")
		}
	}
}
