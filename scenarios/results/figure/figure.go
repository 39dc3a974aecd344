// Package figure draws line charts of results as SVG, PNG and PDF, or as JSON: curves with
// uncertainty bands, told apart by colour (the colour-blind-safe palette of Okabe and
// Ito) and by dash, so that they survive grey print. Equal figures give equal bytes.
//
//	Figure --Validate--> newChart     ranges, ticks, legend    chart.go, axis.go, legend.go
//	                                  colours and dashes       style.go, stroke.go
//	                     chart.draw   bands, curves, texts     band.go, curve.go, text.go, panel.go
//	                     WriteSVG, WritePNG, WritePDF          write.go, pdf.go
//	                     WriteJSON    the points               points.go
//	Heat, diagram.Sheet --SaveHeat, SaveDiagram--> the same formats    heat.go, diagram.go, picture.go
//
// It is no general plotting library. It draws the charts that the metrics of a run need, in
// one style, and decides for itself where labels go.
package figure

import (
	"cmp"
	"fmt"
	"math"

	"starling/scenarios/metric"
)

// Figure is a chart. In its texts, "^" before digits raises them: "T^2"; "^{...}" raises and
// "_{...}" lowers the text in braces, and names such as \epsilon are Greek letters.
type Figure struct {
	// Title and labels may be empty, and then take no room.
	Title, XLabel, YLabel string
	// LogX and LogY make an axis logarithmic; numbers that are not positive have no place on
	// it.
	LogX, LogY bool
	// Share means that values of y are parts of a whole: the axis ends at 1, and intervals are cut there.
	Share bool
	// Size is the size of a page, or of one of two columns.
	Size metric.FigureSize
	// Width and Height are in inches, and replace the width and height of Size; 0 keeps those.
	// Look is the size of the letters, and Legend the place of the legend; where they are
	// empty, the figure decides.
	Width, Height float64
	Look          metric.FigureLook
	Legend        metric.FigureLegend
	// Series are drawn in their order, the last on top; Distinct of them can be told
	// apart.
	Series []Series
	// Panels are charts beside and below each other with the same axes. With them the figure
	// itself has no Series.
	Panels []Panel
	// Stacked panels stand below each other, over one x axis, and each has a y axis of its own,
	// for the quantity that its title names.
	Stacked bool
	// Categories are the names at 0, 1 and so on of an x axis without numbers; nil is an axis of
	// numbers.
	Categories []string
	// Cells are a heat map in place of curves: the figure has no series then.
	Cells *Cells
	// XMarks are the marks of a logarithmic x axis, ascending, where they have room; nil chooses them.
	XMarks []float64
	// Ramp are values of Hue that are degrees of one quantity, from the least to the greatest,
	// such as epsilons. Their colours go from light to dark; series of other values are grey.
	Ramp []string
	// Hues are the values of Hue of all figures of a study, in one order: a value has the same colour in
	// each figure. Values that are not among them come after; nil is the order of the figure.
	Hues []string
	// Places is the number of styles of all figures of a study, as Place counts them; 0 is the number of the
	// figure's own series.
	Places int
	// Bare figures have no room for intervals beside their axes.
	Bare bool
	// Note is a sentence below the figure in small letters.
	Note string
	// Caption are the sentences of the caption, which has files of its own beside the figure; nil is
	// no caption.
	Caption []string
}

// Panel is one chart of several.
type Panel struct {
	// Title is the subject of the panel, such as the value of a key.
	Title  string
	Series []Series
	// FromZero has the y axis of a stacked panel include 0.
	FromZero bool
}

// Series is a curve. Points that cannot be drawn, those with a NaN, an infinity
// (or anything beyond 1e300) or, on a logarithmic axis, a number that is not
// positive (or below 1e-300), are left out and interrupt the curve.
type Series struct {
	// Name identifies the curve, and is in the legend; without a name there is no entry.
	Name string
	// Label is the text of the name for readers; empty means that it is the name itself.
	Label string
	// X and Y are of equal length; X need not ascend.
	X, Y []float64
	// Low and High bound the band around the curve: both nil, or as long as X.
	// Where a Low is not positive on a logarithmic axis, band or bar goes down to the edge of the chart. Bands do
	// not lengthen the y axis much, and are cut at its ends.
	Low, High []float64
	// Bars means that Low and High are drawn as a bar at each point, and not as a band: for
	// points with nothing measured between them.
	Bars bool
	// Faint is a curve in the background of a crowded chart: it is grey and thin, and its legend is the number at
	// its end.
	Faint bool
	// Smooth is the number of points to each side over which the line is the mean, for a noisy curve; the
	// points are drawn thin and pale behind. 0 draws the points alone.
	Smooth int
	// Place is the number of the style of the curve, from 1, where values give none: one curve has the
	// same in all figures of a study. 0 is its number in the figure.
	Place int
	// Baseline is the curve that others are compared with, such as the arm without noise: it is black and solid in
	// all figures of a study.
	Baseline bool
	// Unbanded leaves the band out of the picture; Low and High stay among the points.
	Unbanded bool
	// Reference is a line to compare the others with: its points have no marks.
	Reference bool
	// Points are texts beside the points, such as the epsilon of each; nil is none.
	Points []string
	// Dots means that the points are marked, and that no line joins them.
	Dots bool
	// Hue and Dash are the values that give the curve its colour and its dash, such as
	// "epsilon=1": curves of one value share it, and the legend lists the values in place
	// of the curves. Where no series of a figure has either, each name has a style of its
	// own.
	Hue, Dash string
}

// Shown is the name of the curve for readers.
func (s *Series) Shown() string { return cmp.Or(s.Label, s.Name) }

// Charts are the panels of the figure, or one without a title of its series.
func (f *Figure) Charts() []Panel {
	if len(f.Panels) > 0 {
		return f.Panels
	}
	return []Panel{{Series: f.Series}}
}

// Validate reports slices of unequal length, and a figure with panels and series.
func (f *Figure) Validate() error {
	if err := f.checkPage(); err != nil {
		return err
	}
	if len(f.Panels) > 0 && len(f.Series) > 0 {
		return fmt.Errorf("figure %q: series beside panels", f.Title)
	}
	for _, p := range f.Charts() {
		if err := f.checkSeries(p.Series); err != nil {
			return err
		}
	}
	return nil
}

// checkSeries reports slices of unequal length.
func (f *Figure) checkSeries(list []Series) error {
	for i, s := range list {
		if len(s.Y) != len(s.X) {
			return fmt.Errorf("figure %q: series %d (%q): %d x, %d y", f.Title, i+1, s.Name, len(s.X), len(s.Y))
		}
		if (s.Low == nil) != (s.High == nil) {
			return fmt.Errorf("figure %q: series %d (%q): a band needs both Low and High", f.Title, i+1, s.Name)
		}
		if s.Points != nil && len(s.Points) != len(s.X) {
			return fmt.Errorf("figure %q: series %d (%q): %d x, %d texts", f.Title, i+1, s.Name, len(s.X), len(s.Points))
		}
		if s.Low != nil && (len(s.Low) != len(s.X) || len(s.High) != len(s.X)) {
			return fmt.Errorf("figure %q: series %d (%q): %d x, %d low, %d high",
				f.Title, i+1, s.Name, len(s.X), len(s.Low), len(s.High))
		}
	}
	return nil
}

// Coordinates farther from 1 than these are not drawn, so that no length of an
// axis, margins included, leaves the normal range of float64. The smallest
// counts on logarithmic axes only.
const (
	largest  = 1e300
	smallest = 1e-300
)

// Drawable reports whether a coordinate has a place on its axis, logarithmic or
// not.
func Drawable(v float64, log bool) bool {
	return math.Abs(v) <= largest && (!log || v >= smallest)
}
