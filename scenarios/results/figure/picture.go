package figure

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"starling/actors/atomicfile"
)

// PictureExtensions lists the extensions of the files that SaveHeat and SaveDiagram write.
func PictureExtensions() []string { return []string{".svg", ".png", ".pdf"} }

// savePicture writes a page of a size to a file, whole or not at all, in the format of its
// extension. The page is drawn at its own size, and scaled in print.
func savePicture(path string, width, height vg.Length, scale float64, drawOn func(page draw.Canvas)) error {
	scaled := func(canvas vg.Canvas) draw.Canvas {
		if scale != 1 {
			canvas.Scale(scale, scale)
		}
		return draw.NewCanvas(canvas, width, height)
	}
	printed := func(length vg.Length) vg.Length { return vg.Length(length * vg.Length(scale)) }

	var out bytes.Buffer
	var err error
	switch extension := filepath.Ext(path); extension {
	case ".svg":
		canvas := vgsvg.New(printed(width), printed(height))
		drawOn(scaled(canvas))
		err = writeSVG(canvas, &out)
	case ".png":
		pixels := math.Round(fullPixels * scale)
		if printed(width) < narrow*vg.Inch { // as a column of a figure has
			pixels = math.Round(3 * fullPixels * scale)
		}
		canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(int(pixels)))
		drawOn(draw.NewCanvas(canvas, width, height))
		err = EncodePNG(&out, canvas.Image().(*image.RGBA), pixels/scale)
	case ".pdf":
		canvas := newPDF(printed(width), printed(height))
		drawOn(scaled(canvas))
		canvas.doc.TransformEnd()
		err = errors.Join(canvas.err, canvas.doc.Output(&out))
	default:
		err = fmt.Errorf("unknown extension %q; known: %s", extension, strings.Join(PictureExtensions(), ", "))
	}
	if err != nil {
		return fmt.Errorf("figure: %s: %w", path, err)
	}
	_, _, err = atomicfile.Write(path, func(w io.Writer) error { _, err := w.Write(out.Bytes()); return err })
	return err
}
