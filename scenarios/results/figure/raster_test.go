package figure_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"pgregory.net/rapid"

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
		if err := figure.EncodePNG(&file, picture); err != nil {
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
