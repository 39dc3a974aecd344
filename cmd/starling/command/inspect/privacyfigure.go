package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starling/cmd/starling/command/shell"
	"starling/scenarios/accounts"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/view/plot"
)

// labelledCurves gives the curves of privacy losses the names of arms for readers. Curves for different neighbours have
// charts of their own, since their losses do not compare, and losses without a bound are named below.
func labelledCurves(run *results.Run, f figure.Figure) figure.Figure {
	f.XLabel = "step t"
	labels := plot.ArmLabels(run.Manifest.Arms)
	of := accounts.RelationsOf(run.Manifest.Ledger)
	relations := map[string]string{} // by name of a curve
	for i := range f.Series {
		s := &f.Series[i]
		for _, arm := range run.Manifest.Arms {
			if rest, ok := strings.CutPrefix(s.Name, arm.Name+": "); ok {
				relations[s.Name] = of[arm.Name]
				s.Label = cmp.Or(labels[arm.Name], arm.Name) + ": " + strings.Replace(rest, " ("+of[arm.Name]+")", "", 1)
			}
		}
	}
	f.Title = run.Manifest.Scenario + ": privacy loss" + ofOneUnit(f.Series) + " by step"
	_, f.Note = accounts.WithBound(&f)
	f.LogY = plot.Logarithmic("", f.Series)
	return byRelation(f, relations)
}

// ofOneUnit takes the unit off the labels of curves that all are of one, and returns words on it; empty for several.
func ofOneUnit(list []figure.Series) string {
	unit := ""
	for i, s := range list {
		of := unitOfCurve.FindStringSubmatch(s.Shown())
		if of == nil || i > 0 && of[1] != unit {
			return ""
		}
		unit = of[1]
	}
	for i := range list {
		list[i].Label = unitOfCurve.ReplaceAllString(list[i].Shown(), "")
	}
	if unit == "" {
		return ""
	}
	return " of unit " + unit
}

// unitOfCurve is the unit in the label of a curve.
var unitOfCurve = regexp.MustCompile(`, unit (\d+)`)

// byRelation gives the curves for each neighbouring relation a chart, where there are several.
func byRelation(f figure.Figure, relations map[string]string) figure.Figure {
	for _, s := range f.Series {
		at := slices.IndexFunc(f.Panels, func(p figure.Panel) bool { return p.Title == "neighbours: "+relations[s.Name] })
		if at < 0 {
			at, f.Panels = len(f.Panels), append(f.Panels, figure.Panel{Title: "neighbours: " + relations[s.Name]})
		}
		f.Panels[at].Series = append(f.Panels[at].Series, s)
	}
	if len(f.Panels) < 2 {
		f.Panels = nil
		return f
	}
	f.Series, f.YLabel = nil, "privacy loss ε, at most"
	return f
}

// mapsPairs reports whether --plot draws the losses between single nodes: where the run has them, in a picture, and
// where no flag asks for curves. It says how curves are drawn.
func (f *privacyFlags) mapsPairs(run *results.Run) (bool, error) {
	picture := slices.Contains([]string{".svg", ".png", ".pdf"}, filepath.Ext(f.plot))
	if !picture || f.curve || f.units || f.asJSON || f.asCSV || f.observer != "" || f.unitGiven {
		return false, nil
	}
	pairs, err := hasPairs(run)
	if !pairs || err != nil {
		return false, err
	}
	_, err = fmt.Fprintf(f.errors, "drawn: the losses between single nodes; --curve with --plot draws the largest loss by step\n")
	return true, err
}

// hasPairs reports whether a run has losses of single nodes to single nodes.
func hasPairs(run *results.Run) (bool, error) {
	found := errors.New("a pair")
	err := run.Privacy(func(row results.PrivacyRow) error {
		if accounts.Single(row.Observer) >= 0 {
			return found
		}
		return nil
	})
	if errors.Is(err, found) {
		return true, nil
	}
	return false, err
}

// save draws a figure on the page of the flags, with captions beside it, and says so. A figure for a paper or a column has
// no title of its own.
func (f *privacyFlags) save(w io.Writer, run *results.Run, drawn figure.Figure) error {
	page, err := pageOf(f.width, f.style, 0, "")
	if err != nil {
		return err
	}
	caption := captionOf(run, drawn.Title, drawn.Note)
	drawn.Size, drawn.Width, drawn.Look = page.Size, page.Width, page.Look
	if page.Look == metric.PaperLook || page.Size == metric.ColumnSize {
		drawn.Title = ""
	}
	if !slices.Contains([]string{".csv", ".json", ".py"}, filepath.Ext(f.plot)) { // points keep the names of arms
		drawn.Series = together(drawn.Series)
		for i := range drawn.Panels {
			drawn.Panels[i].Series = together(drawn.Panels[i].Series)
		}
	}
	if err := figure.Save(drawn, f.plot); err != nil {
		return err
	}
	if err := saveCaptions(f.errors, caption, f.plot); err != nil {
		return err
	}
	return shell.WriteText(w, "", drawnText(f.plot, drawn))
}

// captionOf are the sentences of the caption of a figure of privacy losses: its subject, its note, and the run.
func captionOf(run *results.Run, title, note string) []string {
	sentences := []string{title + "."}
	if note != "" {
		sentences = append(sentences, note)
	}
	return append(sentences, run.Manifest.Provenance())
}

// together returns one curve in place of curves with the same losses: their lines would hide each other.
func together(list []figure.Series) (one []figure.Series) {
	groups := map[int][]string{} // labels by place in one
	for i := range list {
		s := &list[i]
		at := slices.IndexFunc(one, func(o figure.Series) bool { return slices.Equal(o.X, s.X) && slices.Equal(o.Y, s.Y) })
		if at < 0 {
			at, one = len(one), append(one, *s)
		}
		groups[at] = append(groups[at], s.Shown())
	}
	for at := range one {
		if labels := groups[at]; len(labels) > 1 {
			one[at].Label = labelOfAll(labels)
		}
	}
	return one
}

// labelOfAll returns a label of several curves: the values that all their arms have, the number of arms, and the
// observers and words after them that all have.
func labelOfAll(labels []string) string {
	var values, rest []string
	for i, label := range labels {
		arm, after, _ := strings.Cut(label, ": ")
		of, also := strings.Split(arm, ", "), strings.Split(after, ", ")
		if i == 0 {
			values, rest = of, also
		}
		values = slices.DeleteFunc(values, func(value string) bool { return !slices.Contains(of, value) })
		rest = slices.DeleteFunc(rest, func(word string) bool { return !slices.Contains(also, word) })
	}
	text := fmt.Sprintf("%d arms", len(labels))
	if len(values) > 0 {
		text = strings.Join(values, ", ") + " (" + text + ")"
	}
	return strings.TrimSuffix(text+": "+strings.Join(rest, ", "), ": ")
}
