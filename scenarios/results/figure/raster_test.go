package figure_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/scenarios/metric"
	"starling/scenarios/results/figure"
)

// TestPNGIsThePicture reads what is written by the decoder of the standard library, which
// checks every checksum.
func TestPNGIsThePicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height")
		whole := image.NewRGBA(image.Rect(0, 0, width+3, height+3))
		levels := rapid.SliceOfN(rapid.Byte(), len(whole.Pix), len(whole.Pix)).Draw(t, "levels")
		copy(whole.Pix, levels)
		for i := 3; i < len(whole.Pix); i += 4 {
			whole.Pix[i] = 255
		}
		// A part of a picture has rows that are not beside each other.
		picture := whole.SubImage(image.Rect(1, 2, 1+width, 2+height)).(*image.RGBA)
		var file bytes.Buffer
		if err := figure.EncodePNG(&file, picture, 200); err != nil {
			t.Fatal(err)
		}
		read, err := png.Decode(&file)
		if err != nil {
			t.Fatal(err)
		}
		if read.Bounds().Size() != picture.Bounds().Size() {
			t.Fatalf("the picture is %v, want %v", read.Bounds().Size(), picture.Bounds().Size())
		}
		for y := range height {
			for x := range width {
				if got, want := color.RGBAModel.Convert(read.At(x, y)), picture.At(1+x, 2+y); got != want {
					t.Fatalf("pixel (%d, %d) is %v, want %v", x, y, got, want)
				}
			}
		}
	})
}

// TestPNGHasItsInches reads the size in print of figures from their files: pixels a metre, in the chunk pHYs.
func TestPNGHasItsInches(t *testing.T) {
	for name, test := range map[string]struct {
		change func(f *figure.Figure)
		width  float64
	}{
		"full":   {func(*figure.Figure) {}, 8},
		"column": {func(f *figure.Figure) { f.Size = metric.ColumnSize }, 3.4},
		"inches": {func(f *figure.Figure) { f.Width = 5.5 }, 5.5},
		"slides": {func(f *figure.Figure) { f.Look = metric.SlidesLook }, 8},
		"paper":  {func(f *figure.Figure) { f.Look = metric.PaperLook }, 8},
	} {
		f := figure.Figure{Series: []figure.Series{{Name: "a", X: []float64{1, 2}, Y: []float64{1, 2}}}}
		test.change(&f)
		var file bytes.Buffer
		if err := figure.WritePNG(f, &file); err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(file.Bytes(), []byte("pHYs"))
		if at < 0 || file.Bytes()[at+12] != 1 {
			t.Fatalf("%s: no size in metres", name)
		}
		across := float64(binary.BigEndian.Uint32(file.Bytes()[at+4:]))
		picture, err := png.Decode(&file)
		if err != nil {
			t.Fatal(err)
		}
		if inches := float64(picture.Bounds().Dx()) / across / 0.0254; math.Abs(inches-test.width) > 0.01 {
			t.Errorf("%s: %.3f inches wide, want %g", name, inches, test.width)
		}
	}
}
