package typeset

import (
	"bytes"
	"encoding/csv"
	"html"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
)

// printable are all printable characters of ASCII, and some others.
func printable() string {
	var text strings.Builder
	for r := rune('!'); r <= '~'; r++ {
		text.WriteString(string(r) + "x")
	}
	return text.String() + "±–∞×≤≥"
}

// hostile is a table with all printable characters in its headings and its caption, and one
// with an end of a line.
func hostile() *Table {
	cell := func(mean, err float64, mark Mark) Cell {
		return Cell{Key: []string{printable(), "m"}, Mean: mean, SE: err, Error: err, N: 3, Mark: mark, P: 0.00002}
	}
	return &Table{
		Name: "a b_c", Corner: "[x]", Columns: []string{printable(), "two\nlines"}, Rows: []string{printable(), "[r]"},
		Keys: []string{"arm", "metric"}, Digits: 2, Tests: true, Caption: []string{printable()}, Best: "best", Alike: "alike",
		Cells: [][]Cell{{cell(-1.5, 0.25, Best), cell(1e-9, 1e-13, Alike)}, {cell(math.Inf(-1), math.NaN(), Best), {}}},
	}
}

func text(t *testing.T, table *Table, format string) string {
	t.Helper()
	var out bytes.Buffer
	if err := table.Write(&out, format); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// cellsOf are the texts of the cells of HTML.
func cellsOf(page string) (cells []string) {
	tag := regexp.MustCompile(`<[^>]*>`)
	for _, cell := range regexp.MustCompile(`(?s)<t[hd](?: [^>]*)?>(.*?)</t[hd]>`).FindAllStringSubmatch(page, -1) {
		cells = append(cells, html.UnescapeString(tag.ReplaceAllString(cell[1], "")))
	}
	return cells
}

// TestOneNotation writes the large numbers of a column out where others of the same metric have no power of ten.
func TestOneNotation(t *testing.T) {
	cell := func(metric string, mean, err float64) Cell {
		return Cell{Key: []string{"a", metric, "9"}, Mean: mean, SE: err, Error: err, N: 3}
	}
	table := &Table{Corner: "arm", Columns: []string{"one", "two", "mixed"}, Rows: []string{"a", "b"}, Digits: 2, Cells: [][]Cell{
		{cell("x", 2.75e6, 1.8e5), cell("y", 2.75e6, 1.8e5), cell("x", 2.75e6, 1.8e5)}, {cell("x", 639756, 21770), cell("y", 3e6, 1.8e5), cell("z", 3, 1)},
	}}
	rows := table.Plain().Rows
	want := [][]string{{"a", "2750000 ± 180000", "(2.75 ± 0.18)e+06", "(2.75 ± 0.18)e+06"}, {"b", "639756 ± 21770", "(3.00 ± 0.18)e+06", "3.0 ± 1.0"}}
	for i := range want {
		if strings.Join(rows[i], "|") != strings.Join(want[i], "|") {
			t.Errorf("%q, want %q", rows[i], want[i])
		}
	}
}

// HTML, and Markdown as a program of others shows it, have the texts as they are.
func TestTextsAsTheyAre(t *testing.T) {
	table := hostile()
	var shown bytes.Buffer
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()))
	if err := markdown.Convert([]byte(text(t, table, Markdown)), &shown); err != nil {
		t.Fatal(err)
	}
	want := []string{"[x]", printable(), "p", "two lines", "p", printable(), "-1.50 ± 0.25", "<0.0001", "(1.00000 ± 0.00010)e-09", "<0.0001", "[r]", "-inf", "<0.0001", "", ""}
	for name, page := range map[string]string{"HTML": text(t, table, HTML), "Markdown": shown.String()} {
		if got := strings.Join(cellsOf(page), "\n"); got != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, strings.Join(want, "\n"))
		}
	}
	records, err := csv.NewReader(strings.NewReader(text(t, table, CSV))).ReadAll()
	if err != nil || len(records) != 4 || records[1][0] != printable() || strings.Join(records[3][2:], " ") != "-Inf  3 2e-05" {
		t.Errorf("CSV: %q, %v", records, err)
	}
}

// LaTeX takes all texts.
func TestLaTeXTakesAllTexts(t *testing.T) {
	engine, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("there is no pdflatex")
	}
	if exec.Command("kpsewhich", "siunitx.sty", "booktabs.sty").Run() != nil {
		t.Skip("there is no siunitx or booktabs")
	}
	for _, siunitx := range []bool{false, true} {
		table := hostile()
		table.Siunitx = siunitx
		dir := t.TempDir()
		page := "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs,siunitx}\n\\begin{document}\n" + text(t, table, LaTeX) + "\\end{document}\n"
		if err := os.WriteFile(filepath.Join(dir, "t.tex"), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(engine, "-halt-on-error", "-interaction=nonstopmode", "t.tex")
		command.Dir = dir
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("siunitx %v: %v\n%s\n%s", siunitx, err, page, output)
		}
	}
}

// Values have the digits of their errors, or of the standard error where none is shown.
func TestDigits(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		mean, se, err float64
		digits        int
		want          string
	}{
		{0.123456, 0.00123, 0.00123, 2, "0.1235 ± 0.0012"}, {0.123456, 0.00123, 0.00123, 1, "0.123 ± 0.001"}, {0.123456, 0.00123, 0.00123, 3, "0.12346 ± 0.00123"},
		{0.123456, 0.00123, nan, 2, "0.1235"}, {0.123456, 0.00123, 0.0034, 2, "0.1235 ± 0.0034"}, {12345678, 1234, 1234, 2, "(1.23457 ± 0.00012)e+07"},
		{12345678, 1234, nan, 2, "1.23457e+07"}, {54, 0, 0, 2, "54"}, {0.123456789, nan, nan, 2, "0.123457"}, {1.5e-7, 0, nan, 2, "1.5e-07"}, {math.Inf(1), nan, nan, 2, "inf"}, {nan, nan, nan, 2, "NaN"},
	} {
		table := Table{Digits: test.digits}
		if got := table.rounded(&Cell{Mean: test.mean, SE: test.se, Error: test.err}).String(); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

// The end of a name chooses the format; another format is refused.
func TestFormatOf(t *testing.T) {
	for file, want := range map[string]string{"a.tex": LaTeX, "a.MD": Markdown, "b.csv": CSV, "x/y.html": HTML, "z.txt": Terminal, "z.pdf": "", "z": ""} {
		if got, ok := FormatOf(file); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", file, got, ok)
		}
	}
	if err := new(Table).Write(new(bytes.Buffer), "docx"); err == nil || !strings.Contains(err.Error(), "known: terminal, markdown, latex, csv, html") {
		t.Error(err)
	}
}
