// Package figure draws line charts of results as SVG, PNG and PDF: curves with
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
	"path/filepath"
	"strings"

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
	Size                  Size
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
	for _, extension := range []string{".svg", ".png"} {
		if err := Save(f, basePath+extension); err != nil {
			return err
		}
	}
	return nil
}

// formats are the formats of files, by extension.
var formats = []struct {
	extension string
	write     func(Figure, io.Writer) error
}{{".svg", WriteSVG}, {".png", WritePNG}, {".pdf", WritePDF}}

// Extensions lists the extensions of the files that Save writes: ".svg" and so
// on.
func Extensions() []string {
	var list []string
	for _, format := range formats {
		list = append(list, format.extension)
	}
	return list
}

// Save writes one file, whole or not at all, in the format of its extension.
// The folder must exist.
func Save(f Figure, path string) error {
	extension := filepath.Ext(path)
	for _, format := range formats {
		if format.extension == extension {
			_, _, err := atomicfile.Write(path, func(w io.Writer) error { return format.write(f, w) })
			return err
		}
	}
	return fmt.Errorf("figure: %s: unknown extension %q; known: %s", path, extension, strings.Join(Extensions(), ", "))
}

// WriteSVG writes the figure as SVG. Its texts stay text, in a sans-serif font
// of the reader.
func WriteSVG(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	chart := newChart(&f)
	canvas := vgsvg.New(chart.printed())
	chart.drawScaled(canvas)
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

// WritePNG writes the figure as PNG, 1600 pixels wide, or 2040 for a column of
// a page: 600 an inch in print.
func WritePNG(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	chart := newChart(&f)
	canvas := vgimg.NewWith(vgimg.UseWH(chart.width, chart.height), vgimg.UseDPI(chart.pixels))
	chart.draw(draw.NewCanvas(canvas, chart.width, chart.height))
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

// Drawable reports whether a coordinate has a place on its axis, logarithmic or
// not.
func Drawable(v float64, log bool) bool {
	return math.Abs(v) <= largest && (!log || v >= smallest)
}
