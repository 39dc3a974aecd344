package figure

import (
	"bytes"
	"errors"
	"image/color"
	"image/png"
	"path/filepath"
	"strings"
	"testing"
)

// TestColumn checks that a column is 3.4 inches (244.8 points) wide in print,
// and 2040 pixels, which are 600 an inch.
func TestColumn(t *testing.T) {
	f := curves(4, 200)
	f.Size = Column
	var svg, bitmap, pdf bytes.Buffer
	if err := errors.Join(WriteSVG(f, &svg), WritePNG(f, &bitmap), WritePDF(f, &pdf)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(svg.String(), `<svg width="244.8pt"`) {
		t.Errorf("SVG begins %.120q", svg.String())
	}
	if !strings.Contains(pdf.String(), "/MediaBox [0 0 244.80 ") {
		t.Error("the page of the PDF is not 244.80 points wide")
	}
	config, err := png.DecodeConfig(&bitmap)
	if err != nil || config.Width != 2040 {
		t.Errorf("PNG: width %d, want 2040 (%v)", config.Width, err)
	}
}

// TestPDFIsDeterministic draws letters that Windows-1252 lacks, and checks that
// the time of day does not show.
func TestPDFIsDeterministic(t *testing.T) {
	f := curves(3, 10)
	f.Title = "−1 ≤ ∞ × 10^−3"
	var first, second bytes.Buffer
	if err := WritePDF(f, &first); err != nil {
		t.Fatal(err)
	}
	if err := WritePDF(f, &second); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two drawings of a figure differ")
	}
	if n := bytes.Count(first.Bytes(), []byte("Date (D:20000101000000)")); n != 2 {
		t.Errorf("%d fixed dates, want 2", n)
	}
	if bytes.Contains(first.Bytes(), []byte("/FontFile")) {
		t.Error("a font is embedded, so a text is no outline")
	}
}

// TestStraight checks that what is translucent keeps its colour.
func TestStraight(t *testing.T) {
	r, g, b, a := straight{color.NRGBA{R: 0xFF, G: 0x80, A: 0x30}}.RGBA()
	if r != 0xFFFF || g != 0x8080 || b != 0 || a != 0x3030 {
		t.Errorf("%x %x %x %x", r, g, b, a)
	}
}

func TestSaveUnknownExtension(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jpg")
	if err := Save(curves(1, 2), path); err == nil || !strings.Contains(err.Error(), ".svg, .png, .pdf, .json") {
		t.Errorf("%v", err)
	}
}

// TestLegendHasNoEmptyColumn: four names of which three fit side by side make
// two columns, in the middle.
func TestLegendHasNoEmptyColumn(t *testing.T) {
	for n := range 20 {
		f := curves(n, 3)
		f.Size = Column
		l := newLegend(&f, 320, 40)
		if n > 0 && (l.columns-1)*l.rows() >= n {
			t.Errorf("%d names: %d columns of %d", n, l.columns, l.rows())
		}
	}
}
