// Package figure draws line charts of results as SVG and PNG: curves with
// uncertainty bands, told apart by colour (the colour-blind-safe palette of
// Okabe and Ito) and by dash, so that they survive grey print. Equal figures
// give equal bytes. It is no general plotting library: it draws what the
// metrics of a run need, in one style.
package figure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"starling/scenarios/results/internal/atomicfile"
)

// Figure is a chart. In the title and the labels, "^" before digits raises
// them: "T^2".
type Figure struct {
	Title, XLabel, YLabel string
	LogX, LogY            bool
	Series                []Series
}

// Series is a curve. Points that cannot be drawn, those with a NaN, an infinity
// (or anything beyond 1e300) or, on a logarithmic axis, a number that is not
// positive (or below 1e-300), are left out and interrupt the curve.
type Series struct {
	Name string    // in the legend; without a name there is no entry
	X, Y []float64 // of equal length
	// Low and High bound the band around the curve: both nil, or as long as X.
	// Where Low is not positive on a logarithmic axis, the band goes down to
	// the edge of the chart.
	Low, High []float64
}

// Validate reports slices of unequal length.
func (f *Figure) Validate() error {
	for i, s := range f.Series {
		if len(s.Y) != len(s.X) {
			return fmt.Errorf("figure %q: series %d (%q): %d x, %d y", f.Title, i+1, s.Name, len(s.X), len(s.Y))
		}
		if (s.Low == nil) != (s.High == nil) {
			return fmt.Errorf("figure %q: series %d (%q): a band needs both Low and High", f.Title, i+1, s.Name)
		}
		if s.Low != nil && (len(s.Low) != len(s.X) || len(s.High) != len(s.X)) {
			return fmt.Errorf("figure %q: series %d (%q): %d x, %d low, %d high",
				f.Title, i+1, s.Name, len(s.X), len(s.Low), len(s.High))
		}
	}
	return nil
}

// Render writes basePath.svg and basePath.png (1600 pixels wide), each whole or
// not at all. The folder must exist.
func Render(f Figure, basePath string) error {
	if basePath == "" {
		return errors.New("figure: the path is empty")
	}
	for _, format := range []struct {
		extension string
		write     func(Figure, io.Writer) error
	}{{".svg", WriteSVG}, {".png", WritePNG}} {
		_, _, err := atomicfile.Write(basePath+format.extension, func(w io.Writer) error { return format.write(f, w) })
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteSVG writes the figure as SVG. Its texts stay text, in a sans-serif font
// of the reader.
func WriteSVG(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	chart := newChart(&f)
	canvas := vgsvg.New(chart.width, chart.height)
	chart.draw(draw.New(canvas))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return fmt.Errorf("figure %q: %w", f.Title, err)
	}
	// The metrics of Liberation Sans are those of Arial and Helvetica, so the
	// layout holds with any of them.
	_, err := w.Write(bytes.ReplaceAll(text.Bytes(),
		[]byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
	return err
}

// WritePNG writes the figure as PNG, 1600 pixels wide.
func WritePNG(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	chart := newChart(&f)
	canvas := vgimg.NewWith(vgimg.UseWH(chart.width, chart.height), vgimg.UseDPI(pixelsPerInch))
	chart.draw(draw.New(canvas))
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(w); err != nil {
		return fmt.Errorf("figure %q: %w", f.Title, err)
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

// drawable reports whether a coordinate has a place on its axis.
func drawable(v float64, log bool) bool {
	return math.Abs(v) <= largest && (!log || v >= smallest)
}

// The size of the chart; a legend below it adds to the height.
const (
	chartWidth    = 8 * vg.Inch
	chartHeight   = 4.8 * vg.Inch
	pixelsPerInch = 200
)
