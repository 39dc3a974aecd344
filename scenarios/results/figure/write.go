package figure

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"starling/actors/atomicfile"
)

// Named is a figure and the name of its files.
type Named struct {
	// Name is without an extension: PNG, SVG and JSON share it.
	Name   string
	Figure Figure
}

// Render writes NAME.png (1600 pixels wide), NAME.svg, NAME.json, its points, and the caption
// in NAME.txt and NAME.tex of every figure into a folder, each file whole or not at all. The folder must exist. Files are drawn
// side by side, as many as there are cores; a file that fails leaves the others, and Render
// returns the first error.
func Render(figures []Named, folder string) error {
	extensions := append([]string{".png", ".svg", ".json"}, CaptionExtensions()...) // the longer work first
	failures := make([]error, len(figures)*len(extensions))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(failures)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(failures); i = int(next.Add(1)) - 1 {
				f := &figures[i/len(extensions)]
				extension, base := extensions[i%len(extensions)], filepath.Join(folder, f.Name)
				if !slices.Contains(CaptionExtensions(), extension) {
					failures[i] = Save(f.Figure, base+extension)
				} else if f.Figure.Caption != nil {
					failures[i] = SaveCaption(f.Figure.Caption, base, extension)
				}
			}
		})
	}
	workers.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// formats are the formats of files, by extension.
var formats = []struct {
	extension string
	write     func(Figure, io.Writer) error
}{{".svg", WriteSVG}, {".png", WritePNG}, {".pdf", WritePDF}, {".json", WriteJSON}, {".csv", WriteCSV}, {".py", WritePython}}

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
	if err := writeSVG(canvas, w); err != nil {
		return fmt.Errorf("figure %q: %w", f.Title, err)
	}
	return nil
}

// writeSVG writes a canvas with fonts that a reader may have: Liberation Sans has the metrics of
// Arial and Helvetica, so the layout holds with any of them.
func writeSVG(canvas *vgsvg.Canvas, w io.Writer) error {
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return err
	}
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
	// The image is white before anything is drawn: to fill it again took a third of the
	// time of a figure.
	chart.draw(draw.NewCanvas(canvas, chart.width, chart.height))
	if err := EncodePNG(w, canvas.Image().(*image.RGBA), float64(chart.pixels)/chart.scale); err != nil {
		return fmt.Errorf("figure %q: %w", f.Title, err)
	}
	return nil
}
