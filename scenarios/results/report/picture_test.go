package report

import (
	"math"
	"strings"
	"testing"

	"starling/scenarios/results/figure"
)

// TestPicture has the drawing of a figure with a name for readers of screens, and without an
// attribute that the page's policy forbids.
func TestPicture(t *testing.T) {
	none := math.NaN()
	f := figure.Figure{Title: `a "b" & c`, Note: "Darker is better.", Cells: &figure.Cells{
		Rows: []string{"x<y"}, Columns: []string{"flip", "scaled"}, Inside: 1, Values: [][]float64{{1.5, 3}}, Half: [][]float64{{none, none}},
		Best: [][]bool{{true, false}}, Across: []bool{false},
	}}
	text, err := picture(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`role="img"`, `aria-label="a &#34;b&#34; &amp; c. Darker is better."`, ">1.50<", ">flip<", "x&lt;y", ` fill="#`, ` font-weight="bold"`, "textLength="} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	for _, other := range []string{"style=", "<?xml", "<script", "font-family"} {
		if strings.Contains(string(text), other) {
			t.Errorf("%s in the picture", other)
		}
	}
	if strings.Contains(string(text), `viewBox="0 0 `) { // the room of the title, which the page has, is left out
		t.Errorf("the picture begins with blank: %.60s", text)
	}
	if strings.Count(string(text), "<svg") != 1 || strings.Count(string(text), "</svg>") != 1 {
		t.Error("no single element")
	}
	if _, err := picture(figure.Figure{Series: []figure.Series{{X: []float64{1}}}}); err == nil {
		t.Error("a figure that cannot be drawn has a picture")
	}
}

// TestShades has the cells of a finding by two keys in colours, and no picture of the same cells beside them.
func TestShades(t *testing.T) {
	f := &Finding{Best: [][]bool{{false, true, false}, {false, false, false}}, Shares: [][]float64{{1, 0.26}, {0, math.NaN()}}}
	f.Table.Header, f.Table.Rows = []string{"rule", "flip", "none"}, [][]string{{"mean", "1 ± 2", "4"}, {"krum", "3", "not run"}}
	f.Pictures = []figure.Figure{{Cells: &figure.Cells{Rows: []string{"mean"}, Columns: []string{"flip"}, Values: [][]float64{{1}}}}}
	var out strings.Builder
	if err := Write(&Page{Runs: []Run{{Name: "s", Finding: f}}}, &out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{`class="heat-table"`, `shade shade-10 best"><b>1 ± 2</b>`, `shade shade-3">4`, `shade shade-0">3`, `<td class="number">not run`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, `<div class="pictures">`) {
		t.Error("the cells are drawn twice")
	}
}

// TestBestInBold has the cells of a finding in bold that the caller names.
func TestBestInBold(t *testing.T) {
	f := &Finding{Best: [][]bool{{false, true}, {false, false}}}
	f.Table.Header, f.Table.Rows = []string{"rule", "flip"}, [][]string{{"mean", "1 ± 2 *"}, {"krum", "3 ~"}}
	var out strings.Builder
	if err := Write(&Page{Runs: []Run{{Name: "s", Finding: f}}}, &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "<b>1 ± 2</b>") || strings.Contains(text, "<b>3") || strings.Contains(text, "<b>mean") {
		t.Error(text)
	}
}
