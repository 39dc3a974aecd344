package figure

import (
	"bytes"
	"compress/zlib"
	"errors"
	"image/png"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"starling/scenarios/metric"
)

// TestColumn checks that a column is 3.4 inches (244.8 points) wide in print,
// and 2040 pixels, which are 600 an inch.
func TestColumn(t *testing.T) {
	f := curves(4, 200)
	f.Size = metric.ColumnSize
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
}

// TestPDFHasText reads the texts of a PDF back as a reader does that selects them: as UTF-16
// in a font that is embedded and whose letters are those of Unicode.
func TestPDFHasText(t *testing.T) {
	f := curves(2, 10)
	f.Title, f.XLabel = "−1 ≤ ∞ ε (a)", "日 \U0001F600" // the font lacks both letters of the label
	var file bytes.Buffer
	if err := WritePDF(f, &file); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, stream := range regexp.MustCompile(`(?s)/FlateDecode[^>]*>>\s*stream\r?\n(.*?)\r?\nendstream`).FindAllSubmatch(file.Bytes(), -1) {
		r, err := zlib.NewReader(bytes.NewReader(stream[1]))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, shown := range regexp.MustCompile(`(?s)Td \((.*?)\) Tj`).FindAllSubmatch(content, -1) {
			units := []uint16{}
			plain := unescape(shown[1])
			for i := 0; i+1 < len(plain); i += 2 {
				units = append(units, uint16(plain[i])<<8|uint16(plain[i+1]))
			}
			texts = append(texts, string(utf16.Decode(units)))
		}
	}
	for _, want := range []string{f.Title, f.YLabel, f.Series[1].Name} {
		if want != "" && !slices.Contains(texts, want) {
			t.Errorf("%q is not among %q", want, texts)
		}
	}
	for _, want := range []string{"/FontFile2", "/Identity-H", "/ToUnicode"} {
		if !bytes.Contains(file.Bytes(), []byte(want)) {
			t.Errorf("the document has no %s", want)
		}
	}
}

// unescape is what a string of a document stands for.
func unescape(text []byte) (plain []byte) {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
			if text[i] == 'r' {
				plain = append(plain, '\r')
				continue
			}
		}
		plain = append(plain, text[i])
	}
	return plain
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
		f.Size = metric.ColumnSize
		l := newLegend(&f, &page{width: 340, height: 60}, span{min: 0, max: 3})
		if n > 0 && (l.columns-1)*l.rows() >= n {
			t.Errorf("%d names: %d columns of %d", n, l.columns, l.rows())
		}
	}
}
