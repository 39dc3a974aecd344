package figure

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
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
// extension.
func savePicture(path string, width, height vg.Length, drawOn func(page draw.Canvas)) error {
	var out bytes.Buffer
	var err error
	switch extension := filepath.Ext(path); extension {
	case ".svg":
		canvas := vgsvg.New(width, height)
		drawOn(draw.NewCanvas(canvas, width, height))
		err = writeSVG(canvas, &out)
	case ".png":
		canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(fullPixels))
		drawOn(draw.NewCanvas(canvas, width, height))
		err = EncodePNG(&out, canvas.Image().(*image.RGBA), fullPixels)
	case ".pdf":
		canvas := newPDF(width, height)
		drawOn(draw.NewCanvas(canvas, width, height))
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
