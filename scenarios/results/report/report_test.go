package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/topology"
	"starling/scenarios/results"
	"starling/scenarios/results/diagram"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
)

// line50 is a curve of 50 points around a height, with a band.
func line50(name string, height float64) figure.Series {
	s := figure.Series{Name: name}
	for i := range 50 {
		y := height + 0.3*math.Sin(float64(i)/5)
		s.X = append(s.X, float64(1+10*i))
		s.Y, s.Low, s.High = append(s.Y, y), append(s.Low, y-0.1), append(s.High, y+0.1)
	}
	return s
}

func testFigure(metric string, series ...figure.Series) Figure {
	return Figure{Metric: metric, Figure: figure.Figure{Title: "title of " + metric, XLabel: "step t", YLabel: metric, Series: series}}
}

// testPage has one run with four figures: three curves; curves with gaps, other
// steps, no number and a single point; one behind a selector of two; and that
// of the ledger.
func testPage() *Page {
	gaps := line50("gaps", 2)
	gaps.Y[10], gaps.Y[20] = math.NaN(), math.Inf(1)
	none := line50("none", 0)
	for i := range none.Y {
		none.Y[i] = math.Inf(1)
	}
	single := figure.Series{Name: "single", X: []float64{77}, Y: []float64{4}}
	ring, err := topology.Ring{Nodes: 3}.Sequence()
	if err != nil {
		panic(err)
	}
	return &Page{Title: "a run", Starling: "0.0.0", Runs: []Run{{
		Name: "a run", Hash: "0123456789ab", Description: "about it",
		Paper: []Fact{{"paper", "A Paper"}}, Facts: []Fact{{"seeds", "2"}}, Warnings: []string{"beware"},
		Last: []tabular.Table{{Header: []string{"at the last step", "arm"}, Rows: [][]string{{"metric", "1.0 ± 0.1"}}}},
		Figures: Figures{
			Shown:  []Figure{testFigure("first", line50("a", 1), line50("b", 2), line50("c", 3)), testFigure("second", gaps, none, single)},
			Others: []Figure{testFigure("other.first", line50("a", 1)), testFigure("other.second", line50("a", 5))},
		},
		Ledger:     Ledger{Table: tabular.Table{Header: []string{"arm", "claimed"}, Rows: [][]string{{"a", "1"}}}, Figures: Figures{Shown: []Figure{testFigure("epsilon.total", line50("a", 1))}}},
		Notes:      []tabular.Table{{Header: []string{"derived", ""}, Rows: [][]string{{"window", "2"}}}},
		Topologies: []Topology{{Graphs: []diagram.Graph{{Title: "Step 1", Graph: ring.At(0), FirstLabel: 1}}}},
		Scenario:   "version: 1 # comment\n", Origin: []Fact{{"digest", "abcd"}},
		Files:    []results.FileEntry{{Name: "metrics.parquet", Size: 1, SHA256: strings.Repeat("ab", 32)}},
		Commands: []string{"starling run scenario.yaml"},
	}}}
}

func written(t *testing.T, p *Page) string {
	t.Helper()
	var text bytes.Buffer
	if err := Write(p, &text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// dataOf decodes the numbers in a page.
func dataOf(t *testing.T, text string) (charts []struct {
	Metric string
	X      [][]*float64
	Series []struct {
		Name         string
		Y, Low, High []*float64
		Mark, Remark string
		Hidden       bool
	}
	Caption string
}) {
	t.Helper()
	match := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(text)
	if match == nil {
		t.Fatal("the page has no data")
	}
	if err := json.Unmarshal([]byte(match[1]), &charts); err != nil {
		t.Fatal(err)
	}
	return charts
}

func TestPageHoldsEverything(t *testing.T) {
	text := written(t, testPage())
	for _, want := range []string{
		"<title>a run</title>", "about it", "A Paper", "beware", "1.0 ± 0.1", "claimed", "window", "Step 1",
		`<span class="comment"># comment</span>`, "abcd", strings.Repeat("ab", 32), "starling run scenario.yaml",
		"Permission is hereby granted", "Leon Sorokin", `<svg class="graph"`, `<html lang="en">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	charts := dataOf(t, text)
	if len(charts) != 5 {
		t.Fatalf("%d charts, want 5", len(charts))
	}
	gaps, none := charts[1].Series[0], charts[1].Series[1]
	if gaps.Y[10] != nil || gaps.Y[20] != nil || gaps.Y[11] == nil {
		t.Error("what is not finite is not a gap")
	}
	if gaps.Mark != "∞, ?" || gaps.Remark != "infinite at 1 of 50 points, which are not drawn; undefined at 1 of 50 points, which are not drawn" {
		t.Errorf("mark %q, remark %q", gaps.Mark, gaps.Remark)
	}
	if none.Mark != "∞" || !strings.HasPrefix(none.Remark, "infinite at 50 of 50") {
		t.Errorf("mark %q, remark %q", none.Mark, none.Remark)
	}
	if len(charts[0].X) != 1 || len(charts[1].X) != 2 {
		t.Errorf("%d and %d lists of steps, want 1 and 2", len(charts[0].X), len(charts[1].X))
	}
}

// TestPageIsStableAndCloses checks that equal pages have equal bytes, and that
// the page refers to nothing outside itself: the one address in it is in the
// comment of uPlot, and namespaces load nothing.
func TestPageIsStableAndCloses(t *testing.T) {
	text := written(t, testPage())
	if again := written(t, testPage()); again != text {
		t.Error("the same page has other bytes")
	}
	known := []string{"https://github.com/leeoniya/uPlot", "http://www.w3.org/2000/svg"}
	for _, address := range regexp.MustCompile(`(?i)(https?:)?//[a-z0-9-]+\.[a-z0-9./-]+`).FindAllString(text, -1) {
		if !slices.Contains(known, address) {
			t.Errorf("the page names %s", address)
		}
	}
	if found := regexp.MustCompile(`(?i)<(link|img|iframe|object|embed|base|form)\b|\b(src|srcset|action)=|@import|\burl\(`).FindAllString(text, -1); len(found) > 0 {
		t.Errorf("the page loads: %q", found)
	}
	for _, part := range []string{"default-src &#39;none&#39;", "script-src &#39;sha256-", "style-src &#39;sha256-"} {
		if !strings.Contains(text, part) {
			t.Errorf("the policy lacks %s", part)
		}
	}
	if strings.Contains(text, "unsafe-inline") || strings.Contains(text, "unsafe-eval") {
		t.Error("the policy lets in scripts of others")
	}
}

// TestEscaping puts text that ends elements everywhere a run has text.
func TestEscaping(t *testing.T) {
	const hostile = `</script></style></title><script>alert(1)</script>" onload='x' <!-- ]]> & {{.}}`
	p := testPage()
	p.Title, p.Starling = hostile, hostile
	r := &p.Runs[0]
	r.Name, r.Hash, r.Description, r.Scenario, r.NoTopology = hostile, hostile, hostile, "a: "+hostile+"\n# "+hostile, hostile
	r.Paper[0], r.Facts[0], r.Origin[0] = Fact{hostile, hostile}, Fact{hostile, hostile}, Fact{hostile, hostile}
	r.Warnings[0], r.Commands[0], r.Files[0].Name = hostile, hostile, hostile
	r.Last[0].Header[0], r.Last[0].Rows[0][0], r.Ledger.Remark = hostile, hostile, hostile
	r.Topologies[0] = Topology{Title: hostile, Remark: hostile, Graphs: r.Topologies[0].Graphs}
	r.Topologies[0].Graphs[0].Title = hostile
	f := &r.Figures.Shown[0]
	f.Title, f.XLabel, f.YLabel, f.Caption, f.Metric, f.Series[0].Name = hostile, hostile, hostile, hostile, hostile, hostile
	text := written(t, p)
	if n := strings.Count(text, "<script"); n != 5 {
		t.Errorf("%d script elements, want 5", n)
	}
	if n := strings.Count(text, "</script"); n != 5 {
		t.Errorf("%d ends of script elements, want 5", n)
	}
	outside := regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAllString(text, "")
	if strings.Count(text, "</style") != 1 || strings.Count(text, "<!--") != 0 || strings.Contains(outside, "onload='x'") {
		t.Error("text of the run became part of the page")
	}
	if got := dataOf(t, text)[0].Series[0].Name; got != hostile {
		t.Errorf("the name of the curve is %q", got)
	}
}

func TestNumbersOfArms(t *testing.T) {
	for _, test := range []struct{ arms, points, hidden int }{{1, 1, 0}, {1, 50, 0}, {12, 1, 0}, {12, 50, 0}, {20, 50, 12}} {
		p := testPage()
		f := testFigure("first")
		for arm := range test.arms {
			s := line50(fmt.Sprintf("arm %d", arm), float64(arm))
			s.X, s.Y, s.Low, s.High = s.X[:test.points], s.Y[:test.points], s.Low[:test.points], s.High[:test.points]
			f.Series = append(f.Series, s)
		}
		f.Hidden = test.hidden
		p.Runs[0].Figures.Shown[0] = f
		chart := dataOf(t, written(t, p))[0]
		if len(chart.Series) != test.arms || len(chart.X) != 1 || len(chart.X[0]) != test.points {
			t.Errorf("%+v: %d series over %d lists of steps", test, len(chart.Series), len(chart.X))
		}
		for i, s := range chart.Series {
			if len(s.Y) != test.points || s.Hidden != (test.hidden > 0 && i >= test.hidden) {
				t.Errorf("%+v: series %d has %d points, hidden %v", test, i, len(s.Y), s.Hidden)
			}
		}
	}
}

func TestInvalidPages(t *testing.T) {
	if err := Write(&Page{}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "no runs") {
		t.Errorf("a page without runs: %v", err)
	}
	p := testPage()
	p.Runs[0].Ledger.Figures.Shown[0].Series[0].Y = nil
	file := filepath.Join(t.TempDir(), "report.html")
	if err := Save(p, file); err == nil || !strings.Contains(err.Error(), "50 x, 0 y") {
		t.Errorf("a series without y: %v", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(file)); len(entries) > 0 {
		t.Errorf("a page that cannot be written leaves %v", entries)
	}
}

// TestThinning checks that a long curve keeps its ends, its extremes and its
// gaps, in order, and that the page says it is thinned.
func TestThinning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4*mostPoints).Draw(t, "points")
		seed := rapid.IntRange(1, 1000).Draw(t, "seed")
		gap := rapid.IntRange(0, n-1).Draw(t, "gap")
		y := make([]float64, n)
		for i := range y {
			y[i] = math.Sin(float64(i*seed) * 0.37)
		}
		least, most := slices.Min(y), slices.Max(y)
		kept := thinned(y)
		if !slices.IsSorted(kept) || len(slices.Compact(slices.Clone(kept))) != len(kept) {
			t.Fatal("indices repeat or are out of order")
		}
		if kept[0] != 0 || kept[len(kept)-1] != n-1 || len(kept) > mostPoints || n <= mostPoints && len(kept) != n {
			t.Fatalf("%d of %d points from %d to %d", len(kept), n, kept[0], kept[len(kept)-1])
		}
		holds := func(kept []int, test func(v float64) bool) bool {
			return slices.ContainsFunc(kept, func(i int) bool { return test(y[i]) })
		}
		if !holds(kept, func(v float64) bool { return v == least }) || !holds(kept, func(v float64) bool { return v == most }) {
			t.Fatal("an extreme is gone")
		}
		y[gap] = math.NaN()
		if !holds(thinned(y), math.IsNaN) {
			t.Fatal("a gap is closed")
		}
	})
	p := testPage()
	long := figure.Series{Name: "long"}
	for i := range 10_000 {
		long.X, long.Y = append(long.X, float64(i)), append(long.Y, float64(i))
	}
	p.Runs[0].Figures.Shown[0].Series = []figure.Series{long}
	chart := dataOf(t, written(t, p))[0]
	if len(chart.Series[0].Y) > mostPoints || !strings.Contains(chart.Caption, "Curves of up to 10000 points are thinned") {
		t.Errorf("%d points, caption %q", len(chart.Series[0].Y), chart.Caption)
	}
}

func TestGraphs(t *testing.T) {
	for _, test := range []struct {
		sequence interface {
			Sequence() (topology.Sequence, error)
		}
		contains []string // nothing: no picture
		absent   string
		describe string
	}{
		{topology.Ring{Nodes: 6}, []string{"<title>node 6</title>", "<title>6 to 1: weight 0.5</title>", "Each node has a self-loop, which is not drawn."}, "1 to 1:",
			"6 nodes, 6 edges, 6 self-loops; in-degree 1, out-degree 1."},
		{topology.Complete{Nodes: 16}, []string{` stroke-width="0.`}, " style=", "16 nodes, 120 links both ways, 0 self-loops; in-degree 15, out-degree 15."}, // the page's policy forbids attributes of style
		{topology.Complete{Nodes: 60}, []string{`class="graph matrix"`, "M1 0h59v1h-59z"}, "class=\"node\"", "60 nodes, 1770 links both ways, 0 self-loops; in-degree 59, out-degree 59."},
		{topology.Ring{Nodes: 400}, []string{`class="graph matrix"`, "M0 1h2v1h-2z"}, "class=\"node\"", "400 nodes, 400 edges, 400 self-loops; in-degree 1, out-degree 1."},
		{topology.Ring{Nodes: 401}, nil, "", "401 nodes, 401 edges, 401 self-loops; in-degree 1, out-degree 1."},
		{topology.Star{Leaves: 3}, []string{"<title>1 and 4: weight 1</title>"}, "4 and 1:",
			"4 nodes, 3 links both ways, 0 self-loops; in-degree 1 to 3, out-degree 1 to 3, 1.5 on average."},
	} {
		sequence, err := test.sequence.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		g := diagram.Graph{Title: "Step 1", Graph: sequence.At(0), FirstLabel: 1}
		picture := string(drawing(&g))
		if (picture == "") != (test.contains == nil) {
			t.Errorf("%T: a picture of %d bytes", test.sequence, len(picture))
		}
		for _, want := range test.contains {
			if !strings.Contains(picture, want) {
				t.Errorf("%T: the picture lacks %q", test.sequence, want)
			}
		}
		if test.absent != "" && strings.Contains(picture, test.absent) {
			t.Errorf("%T: the picture has %q", test.sequence, test.absent)
		}
		if strings.Contains(picture, "NaN") || strings.Contains(picture, "Inf") {
			t.Errorf("%T: a coordinate is no number", test.sequence)
		}
		if got := diagram.Describe(g.Graph); got != test.describe {
			t.Errorf("%T: %q, want %q", test.sequence, got, test.describe)
		}
	}
}

func TestHighlight(t *testing.T) {
	for text, want := range map[string]string{
		"kind: ring # why\n":      `<span class="key">kind</span>: ring <span class="comment"># why</span>` + "\n",
		"x: [0.5, -1e3, none]":    `<span class="key">x</span>: [<span class="number">0.5</span>, <span class="number">-1e3</span>, none]`,
		`d: "a # b: 1"`:           `<span class="key">d</span>: <span class="string">&#34;a # b: 1&#34;</span>`,
		"{kind: box, lower: [1]}": `{<span class="key">kind</span>: box, <span class="key">lower</span>: [<span class="number">1</span>]}`,
		"<b>&":                    "&lt;b&gt;&amp;",
		"":                        "",
	} {
		if got := string(highlight(text)); got != want {
			t.Errorf("%q becomes %s, want %s", text, got, want)
		}
	}
}

// FuzzHighlight checks that highlighting changes no character of the text.
func FuzzHighlight(f *testing.F) {
	f.Add("version: 1\nname: 'it''s'\n- {a: 1.5e3} # b\n")
	tags := regexp.MustCompile(`</?span[^>]*>`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, 0) {
			t.Skip("no document holds a NUL, which HTML replaces")
		}
		plain := tags.ReplaceAllString(string(highlight(text)), "")
		for _, entity := range [][2]string{{"&lt;", "<"}, {"&gt;", ">"}, {"&#34;", `"`}, {"&#39;", "'"}, {"&amp;", "&"}} {
			plain = strings.ReplaceAll(plain, entity[0], entity[1])
		}
		if plain != text {
			t.Errorf("%q becomes %q", text, plain)
		}
	})
}

func TestNumericColumns(t *testing.T) {
	table := tabular.Table{Header: []string{"a", "b", "c", "d", "e"}, Rows: [][]string{
		{"596 (8 to 1184) *", "3.9e+06, vacuous", "inf", "5 (replace)", "no claim (the paper has no noise)"},
		{"(1.2 ± 0.3)e+07 ~", "1", "", "inf (add-or-remove)", ""}, {"1  ", "NaN", "-1e-05", "5", "5 a step"},
	}}
	var classes []string
	for _, column := range columns(table) {
		classes = append(classes, column.Class())
	}
	if want := []string{"number", "", "number", "number", "long"}; !slices.Equal(classes, want) {
		t.Errorf("columns %q, want %q", classes, want)
	}
}

// Marks stand in a column of their own, for which cells without one leave room.
func TestCut(t *testing.T) {
	for text, want := range map[string]cell{
		"1.2 ± 0.3 *": {"1.2 ± 0.3", "*", true}, "1 ~": {"1", "~", true}, "1  ": {"1", "", true},
		"1": {"1", "", false}, "": {"", "", false}, " *": {" *", "", false},
	} {
		if got := cut(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// Two edges between the same nodes are one line where their weights are equal,
// and two arrows, with heads, where they are not.
func TestMutualEdges(t *testing.T) {
	for _, test := range []struct {
		weight              float64
		lines, heads, paths int
	}{{1, 1, 0, 1}, {2, 0, 2, 4}} {
		g, err := topology.FromEdges(2, []topology.Edge{{From: 0, To: 1, Weight: 1}, {From: 1, To: 0, Weight: test.weight}})
		if err != nil {
			t.Fatal(err)
		}
		picture := string(drawing(&diagram.Graph{Title: "Step 1", Graph: g, FirstLabel: 1}))
		lines, heads, paths := strings.Count(picture, "1 and 2:"), strings.Count(picture, `class="head"`), strings.Count(picture, "<path")
		if lines != test.lines || heads != test.heads || paths != test.paths {
			t.Errorf("weights 1 and %v: %d lines, %d heads, %d paths, want %d, %d, %d", test.weight, lines, heads, paths, test.lines, test.heads, test.paths)
		}
	}
}

// The page marks what a logarithmic axis does not show, and a linear one does.
func TestPageMarksLostPoints(t *testing.T) {
	for _, test := range []struct {
		logX, logY   bool
		mark, remark string
	}{
		{false, false, "", ""},
		{false, true, "≤ 0", "0 or less at 2 of 4 points, which a logarithmic axis does not show"},
		{true, false, "x ≤ 0", "at 0 or less on the x axis are 1 of 4 points, which a logarithmic axis does not show"},
	} {
		line := NewChart(&Figure{Figure: figure.Figure{LogX: test.logX, LogY: test.logY, Series: []figure.Series{{
			Name: "a", X: []float64{0, 1, 2, 3}, Y: []float64{0, 3, 0, -1},
		}}}}).Series[0]
		if line.Mark != test.mark || line.Remark != test.remark {
			t.Errorf("%+v: mark %q, remark %q", test, line.Mark, line.Remark)
		}
	}
	nan, inf := math.NaN(), math.Inf(1)
	line := NewChart(&Figure{Figure: figure.Figure{LogX: true, Series: []figure.Series{{
		Name: "a", X: []float64{inf, nan, -1, 1, -inf}, Y: []float64{0, 3, 0, nan, 1},
	}}}}).Series[0]
	const want = "undefined at 1 of 5 points, which are not drawn; at infinity on the x axis are 2 of 5 points, which are not drawn; " +
		"undefined on the x axis are 1 of 5 points, which are not drawn; at 0 or less on the x axis are 1 of 5 points, which a logarithmic axis does not show"
	if line.Mark != "?, x = ∞, x = ?, x ≤ 0" || line.Remark != want {
		t.Errorf("mark %q, remark %q", line.Mark, line.Remark)
	}
}

// luminance is the relative luminance of a colour as #0072b2 (WCAG 2.1).
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var parts [3]int
	if _, err := fmt.Sscanf(strings.ToLower(hex), "#%02x%02x%02x", &parts[0], &parts[1], &parts[2]); err != nil {
		t.Fatalf("%q: %v", hex, err)
	}
	sum := 0.
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := float64(parts[i]) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// TestContrastOnDark has every curve of a dark page stand out from it, at a contrast of 3 (WCAG 2.1,
// 1.4.11), with the degrees of a ramp in their order.
func TestContrastOnDark(t *testing.T) {
	_, dark, _ := strings.Cut(PageStyle, "prefers-color-scheme: dark")
	paper := regexp.MustCompile(`--paper: (#[0-9a-f]{6})`).FindStringSubmatch(dark)[1]
	replaced := map[string]string{}
	_, table, _ := strings.Cut(ChartScript, "onDark = {")
	table, _, _ = strings.Cut(table, "}")
	for _, pair := range regexp.MustCompile(`"(#[0-9a-f]{6})": "(#[0-9a-f]{6})"`).FindAllStringSubmatch(table, -1) {
		replaced[pair[1]] = pair[2]
	}
	contrast := func(color, dark string) float64 {
		shown := cmp.Or(dark, replaced[color], color)
		return (luminance(t, shown) + 0.05) / (luminance(t, paper) + 0.05)
	}
	var f Figure
	for i := range figure.Distinct {
		f.Series = append(f.Series, line50(fmt.Sprintf("arm %d", i), float64(i)))
	}
	for _, line := range NewChart(&f).Series {
		if c := contrast(line.Color, line.Dark); c < 3 {
			t.Errorf("%s: %s has a contrast of %.2f on %s", line.Name, line.Color, c, paper)
		}
	}
	for degrees := 1; degrees <= 13; degrees++ {
		f := Figure{}
		for i := range degrees {
			s := line50(fmt.Sprint(i), float64(i))
			s.Hue = s.Name
			f.Ramp, f.Series = append(f.Ramp, s.Name), append(f.Series, s)
		}
		chart, last := NewChart(&f), math.Inf(1)
		for i, line := range chart.Series {
			c := contrast(line.Color, line.Dark)
			if c < 3 || c >= last {
				t.Errorf("degree %d of %d: %s, dark %s has a contrast of %.2f on %s, the one before %.2f", i, degrees, line.Color, line.Dark, c, paper, last)
			}
			if key := chart.Keys[i]; key.Dark != line.Dark || line.Dark == "" {
				t.Errorf("degree %d of %d: the legend has %q, the curve %q", i, degrees, key.Dark, line.Dark)
			}
			last = c
		}
	}
}

// TestFaint leaves the bands of the curves besides the best of many out, and marks them.
func TestFaint(t *testing.T) {
	s := figure.Series{Name: "a", X: []float64{1, 2}, Y: []float64{1, 2}, Low: []float64{0, 1}, High: []float64{2, 3}}
	faint := s
	faint.Unbanded, faint.Faint = true, true
	c := NewChart(&Figure{Figure: figure.Figure{Series: []figure.Series{s, faint}}})
	if c.Series[0].Low == nil || c.Series[0].Faint || c.Series[1].Low != nil || c.Series[1].High != nil || !c.Series[1].Faint {
		t.Errorf("%+v", c.Series)
	}
	faint.Faint = false
	if c = NewChart(&Figure{Figure: figure.Figure{Series: []figure.Series{s, faint}}}); c.Series[1].Low != nil || c.Series[1].Faint {
		t.Error("a curve without a band lost its colour")
	}
}
