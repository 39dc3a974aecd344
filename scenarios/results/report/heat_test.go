package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"starling/scenarios/results/figure"
)

// A map has each cell once, in the colour of its value to one of the shades, whatever cells are
// joined, and it is well-formed whatever its names.
func TestHeat(t *testing.T) {
	values := [][]float64{{math.NaN(), 5, 5, 1}, {math.Inf(1), math.NaN(), 10, 10}, {0, 0, math.NaN(), 2.5}}
	h := figure.Heat{Label: "epsilon", XLabel: `who "learns"`, YLabel: "<whose>", BoxLabel: "edges", Maps: []figure.HeatMap{{
		Name: "a<b", Rows: []int32{1, 2, 3}, Columns: []int32{1, 2, 3, 4}, Values: values,
		Boxes: []figure.Box{{At: 1, Count: 7, Quartiles: [5]float64{1, 2, 5, 6, 10}}, {At: 3, Count: 2, Quartiles: [5]float64{0, 0, 0, math.Inf(1), math.Inf(1)}}},
	}}}
	text := string(heat(&h, &h.Maps[0]))
	drawn := map[[2]int]string{}
	for _, path := range regexp.MustCompile(`<path fill="([^"]*)" d="([^"]*)"/>`).FindAllStringSubmatch(text, -1) {
		for _, run := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllStringSubmatch(path[2], -1) {
			var n [4]int
			for k := range n {
				n[k], _ = strconv.Atoi(run[k+1])
			}
			if n[2] != n[3] {
				t.Errorf("the row %s is open", run[0])
			}
			for k := n[0]; k < n[0]+n[2]; k++ {
				if drawn[[2]int{n[1], k}] != "" {
					t.Errorf("cell %d, %d is drawn twice", n[1], k)
				}
				drawn[[2]int{n[1], k}] = path[1]
			}
		}
	}
	for i, row := range values {
		for k, v := range row {
			got, wanted := drawn[[2]int{i, k}], strings.ToLower(h.Spread().Color(v))
			var a, b [3]int
			fmt.Sscanf(got, "#%02x%02x%02x", &a[0], &a[1], &a[2])
			fmt.Sscanf(wanted, "#%02x%02x%02x", &b[0], &b[1], &b[2])
			for c := range a {
				if d := a[c] - b[c]; d > 12 || d < -12 || got == "" {
					t.Errorf("cell %d, %d of %v is %q, want about %s", i, k, v, got, wanted)
				}
			}
		}
	}
	for _, svg := range []string{text, string(boxes(&h, &h.Maps[0])), "<p>" + string(heatScale(&h)) + "</p>"} {
		decoder := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v in %s", err, svg)
			}
		}
	}
	if svg := string(boxes(&h, &h.Maps[0])); strings.Count(svg, `class="spread"`) != 2 || strings.Count(svg, `class="box"`) != 1 || !strings.Contains(svg, "7 pairs, median 5") || strings.Contains(svg, "-0<") || !strings.Contains(svg, ">0<") {
		t.Errorf("boxes are %s", svg)
	}
	if scale := string(heatScale(&h)); !strings.Contains(scale, "no bound") || !strings.Contains(scale, ">10<") {
		t.Errorf("the scale is %s", scale)
	}
	for i, row := range values { // all positive, and far from each other
		for k := range row {
			values[i][k] += 0.01
		}
	}
	if low, _ := h.Spread().Ends(); h.Spread().Logarithmic() || low != 0 {
		t.Errorf("boxes that reach 0 are on a logarithmic scale from %v", low)
	}
	h.Maps[0].Boxes = nil
	if low, high := h.Spread().Ends(); !h.Spread().Logarithmic() || low != 0.01 || high != 10.01 {
		t.Errorf("the scale goes from %v to %v", low, high)
	}
	if scale := string(heatScale(&h)); !strings.Contains(scale, ">10.01 (logarithmic)<") || !strings.Contains(scale, "epsilon 0.01") {
		t.Errorf("the scale is %s", scale)
	}
	if share := h.Spread().Share(math.Sqrt(0.01 * 10.01)); math.Abs(share-0.5) > 1e-12 {
		t.Errorf("the middle of the scale is at %v", share)
	}
}

// TestPicturesHaveLabels has every picture on a page labelled, or hidden from readers of screens.
func TestPicturesHaveLabels(t *testing.T) {
	h := figure.Heat{Label: "epsilon", XLabel: `who "learns"`, YLabel: "<whose>", BoxLabel: "edges", Maps: []figure.HeatMap{{
		Name: "a<b $1", Rows: []int32{1, 2}, Columns: []int32{1, 2}, Values: [][]float64{{math.NaN(), 5}, {1, math.NaN()}},
		Boxes: []figure.Box{{At: 1, Count: 7, Quartiles: [5]float64{1, 2, 5, 6, 10}}},
	}}}
	page := testPage()
	page.Runs[0].Ledger.Pairs = &Pairs{Maps: h}
	text := written(t, page)
	tags := regexp.MustCompile(`<svg [^>]*>(<title>[^<]*</title>)?`).FindAllStringSubmatch(text, -1)
	if len(tags) < 6 {
		t.Fatalf("%d pictures; this test does not see them", len(tags))
	}
	for _, tag := range tags {
		label := regexp.MustCompile(` role="img" aria-label="([^"]+)"`).FindStringSubmatch(tag[0])
		if hidden := strings.Contains(tag[0], ` aria-hidden="true"`); hidden == (label != nil) || !hidden && tag[1] != "<title>"+label[1]+"</title>" {
			t.Errorf("%s", tag[0])
		}
	}
	if !strings.Contains(text, `aria-label="a&lt;b $1: epsilon of each pair of nodes; who &#34;learns&#34; across, &lt;whose&gt; down"`) {
		t.Error("the map has another label")
	}
}
