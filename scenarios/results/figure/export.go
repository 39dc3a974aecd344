package figure

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteCSV writes the points of the figure under the header series,x,y,low,high, with facet,
// the title of the panel, at the end where there are panels. Numbers are the shortest decimals
// that read back to the same float64; NaN is empty, as is the band of a series without one,
// and infinities are inf and -inf.
func WriteCSV(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	row := func(cells []string, facet string) {
		if len(f.Panels) > 0 {
			cells = append(cells, facet)
		}
		_ = out.Write(cells) // Error reports it
	}
	row([]string{"series", "x", "y", "low", "high"}, "facet")
	if f.Cells != nil {
		f.Cells.records(row)
	}
	for _, panel := range f.Charts() {
		for _, s := range panel.Series {
			for i := range s.X {
				low, high := "", ""
				if s.Low != nil {
					low, high = decimal(s.Low[i]), decimal(s.High[i])
				}
				row([]string{s.Name, decimal(s.X[i]), decimal(s.Y[i]), low, high}, panel.Title)
			}
		}
	}
	out.Flush()
	return out.Error()
}

// records writes a row for each cell with a value, its column as x.
func (c *Cells) records(row func(cells []string, facet string)) {
	for i, name := range c.Rows {
		for k, column := range c.Columns {
			v, half := c.Values[i][k], c.Half[i][k]
			if c.Across[i] {
				column = ""
			}
			if !math.IsNaN(v) {
				row([]string{name, column, decimal(v), decimal(v - half), decimal(v + half)}, "")
			}
		}
	}
}

// decimal is a number in a CSV file.
func decimal(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(x, 'g', -1, 64)), "+")
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// WritePython writes a program that draws the figure with matplotlib, its points in it, for
// readers that want to change more than this package does.
func WritePython(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	if f.Cells != nil {
		return f.Cells.writePython(&f, w)
	}
	chart := newChart(&f)
	width, height := chart.printed()
	charts := f.Charts()
	rows := (len(charts) + chart.columns - 1) / chart.columns
	var text strings.Builder
	fmt.Fprintf(&text, `# Draws the figure with matplotlib: python FILE.py [OUT.pdf]
import sys

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

nan, inf = float("nan"), float("inf")

fig, axes = plt.subplots(%d, %d, figsize=(%.3g, %.3g), sharex=True, sharey=%s, squeeze=False, layout="constrained")
axes = list(axes.flat)
`, rows, chart.columns, width.Points()/72, height.Points()/72, map[bool]string{true: "False", false: "True"}[f.Stacked])
	lines := f.Lines()
	for k, panel := range charts {
		fmt.Fprintf(&text, "\nax = axes[%d]\n", k)
		if panel.Title != "" {
			fmt.Fprintf(&text, "ax.set_title(%s, fontsize=\"medium\")\n", quote(panel.Title))
		}
		for i, s := range panel.Series {
			writeCurve(&text, &s, lines[k][i])
		}
	}
	fmt.Fprintf(&text, "\nfor ax in axes[%d:]:\n    ax.remove()\nfor ax in axes[:%d]:\n    ax.grid(color=\"0.86\", linewidth=0.6)\n", len(charts), len(charts))
	for _, axis := range []struct {
		name string
		log  bool
	}{{"x", f.LogX}, {"y", f.LogY}} {
		if axis.log {
			fmt.Fprintf(&text, "    ax.set_%sscale(\"log\")\n", axis.name)
		}
	}
	if f.LogX && f.XMarks != nil {
		fmt.Fprintf(&text, "    ax.set_xticks(%s, %s)\n    ax.minorticks_off()\n", list(f.XMarks), quotedNumbers(f.XMarks))
	}
	if f.Categories != nil {
		names := make([]string, len(f.Categories))
		for i, name := range f.Categories {
			names[i] = quote(name)
		}
		fmt.Fprintf(&text, "    ax.set_xticks(range(%d), [%s], rotation=30, ha=\"right\")\n", len(names), strings.Join(names, ", "))
	}
	if len(f.Panels) > 0 {
		fmt.Fprintf(&text, "fig.suptitle(%s)\nfig.supxlabel(%s)\nfig.supylabel(%s)\n", quote(f.Title), quote(f.XLabel), quote(f.YLabel))
		// Panels with nothing below have the labels of the axis, as in the picture.
		fmt.Fprintf(&text, "for ax in axes[%d:%d]:\n    ax.tick_params(labelbottom=True)\n", max(0, len(charts)-chart.columns), len(charts))
	} else {
		fmt.Fprintf(&text, "ax = axes[0]\nax.set_title(%s)\nax.set_xlabel(%s)\nax.set_ylabel(%s)\n", quote(f.Title), quote(f.XLabel), quote(f.YLabel))
	}
	writeLegend(&text, &f)
	text.WriteString("\nif len(sys.argv) > 1:\n    plt.rcParams[\"pdf.fonttype\"] = 42  # fonts that can be edited\n    fig.savefig(sys.argv[1], dpi=300)\nelse:\n    plt.show()\n")
	_, err := io.WriteString(w, text.String())
	return err
}

// writeCurve writes the lines of Python that draw a curve.
func writeCurve(text *strings.Builder, s *Series, line Line) {
	marker := ""
	if s.marked() {
		marker = `, marker="o", markersize=4`
	}
	fmt.Fprintf(text, "x = %s\ny = %s\n", list(s.X), list(s.Y))
	fmt.Fprintf(text, "ax.plot(x, y, color=%q, linestyle=%s%s, label=%s)\n", line.Hex(), linestyleOf(line, s.Dots), marker, quote(s.Shown()))
	switch {
	case s.Low != nil && s.Bars:
		fmt.Fprintf(text, "ax.vlines(x, %s, %s, color=%q, linewidth=1)\n", list(s.Low), list(s.High), line.Hex())
	case s.Low != nil:
		fmt.Fprintf(text, "ax.fill_between(x, %s, %s, color=%q, alpha=0.19, linewidth=0)\n", list(s.Low), list(s.High), line.Hex())
	}
}

// quoted is a list of texts in Python.
func quoted(texts []string) string {
	words := make([]string, len(texts))
	for i, text := range texts {
		words[i] = quote(text)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// writeDots writes the program of dots.
func (c *Cells) writeDots(f *Figure, w io.Writer) error {
	var values, halves []string
	for i, row := range c.Values {
		half := c.Half[i]
		if c.Across[i] {
			row, half = slices.Repeat(row[:1], len(c.Columns)), slices.Repeat(half[:1], len(c.Columns))
		}
		values, halves = append(values, list(row)), append(halves, list(half))
	}
	scale := "linear"
	if c.spanOfDots().log {
		scale = "log"
	}
	_, err := fmt.Fprintf(w, `# Draws the figure with matplotlib: python FILE.py [OUT.pdf]
import sys

import matplotlib.pyplot as plt

nan, inf = float("nan"), float("inf")
rows, columns = %s, %s
values = [%s]
halves = [%s]

fig, axes = plt.subplots(1, len(columns), sharex=True, sharey=True, squeeze=False, layout="constrained", figsize=(8, 1.2 + 0.25 * len(rows)))
for k, ax in enumerate(axes.flat):
    half = [row[k] if row[k] == row[k] else 0 for row in halves]
    ax.errorbar([row[k] for row in values], range(len(rows)), xerr=half, fmt="o", color="black")
    ax.set_title(columns[k], fontsize="medium")
    ax.grid(color="0.86", linewidth=0.6)
axes[0, 0].set_xscale("%s")
axes[0, 0].set_yticks(range(len(rows)), rows)
axes[0, 0].invert_yaxis()
fig.suptitle(%s)
fig.supxlabel(%s)
if len(sys.argv) > 1:
    fig.savefig(sys.argv[1], dpi=300)
else:
    plt.show()
`, quoted(c.Rows), quoted(c.Columns), strings.Join(values, ", "), strings.Join(halves, ", "), scale, quote(f.Title), quote(f.YLabel))
	return err
}

// writePython writes the program of a heat map, or of dots.
func (c *Cells) writePython(f *Figure, w io.Writer) error {
	if c.Dots {
		return c.writeDots(f, w)
	}
	var values []string
	for i, row := range c.Values {
		if c.Across[i] {
			row = slices.Repeat(row[:1], len(c.Columns))
		}
		values = append(values, list(row))
	}
	norm := "None"
	if c.Logarithmic() {
		norm = "LogNorm()"
	}
	scheme := "Blues"
	if c.Better == Lower {
		scheme = "Blues_r"
	}
	_, err := fmt.Fprintf(w, `# Draws the figure with matplotlib: python FILE.py [OUT.pdf]
import sys

import matplotlib.pyplot as plt
from matplotlib.colors import LogNorm

nan, inf = float("nan"), float("inf")
rows, columns = %s, %s
values = [%s]

fig, ax = plt.subplots(layout="constrained")
ax.imshow(values, cmap="%s", norm=%s, aspect="auto")
ax.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
ax.set_yticks(range(len(rows)), rows)
for i, row in enumerate(values):
    for k, value in enumerate(row):
        if value == value:
            ax.text(k, i, f"{value:.3g}", ha="center", va="center")
ax.set_title(%s)
ax.set_xlabel(%s)
if len(sys.argv) > 1:
    fig.savefig(sys.argv[1], dpi=300)
else:
    plt.show()
`, quoted(c.Rows), quoted(c.Columns), strings.Join(values, ", "), scheme, norm, quote(strings.TrimSpace(f.Title+" "+f.YLabel)), quote(f.XLabel))
	return err
}

// linestyleOf is the linestyle of a curve, or of dots.
func linestyleOf(line Line, dots bool) string {
	if dots {
		return `"none"`
	}
	return linestyle(line.Dash)
}

// linestyle is a dash as matplotlib takes it.
func linestyle(dash []float64) string {
	if len(dash) == 0 {
		return `"-"`
	}
	return fmt.Sprintf("(0, %s)", list(dash))
}

// writeLegend writes the lines of Python that draw the legend: the one that the picture has.
func writeLegend(text *strings.Builder, f *Figure) {
	entries := f.entries()
	if len(entries) == 0 {
		return
	}
	text.WriteString("handles = [\n")
	for _, e := range entries {
		p := e.stroke
		line := p.line()
		marker := ""
		if e.dots {
			marker = `, marker="o", markersize=4`
		}
		fmt.Fprintf(text, "    Line2D([], [], color=%q, linestyle=%s%s, label=%s),\n", line.Hex(), linestyleOf(line, e.dots), marker, quote(e.name))
	}
	text.WriteString("]\n")
	if len(f.Panels) > 0 {
		text.WriteString("fig.legend(handles=handles, loc=\"outside lower center\", ncols=min(4, len(handles)), frameon=False)\n")
		return
	}
	text.WriteString("ax.legend(handles=handles, frameon=False)\n")
}

// list is a list of numbers in Python, where nan and inf are names.
func list(values []float64) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// quotedNumbers is a list of numbers as texts in Python.
func quotedNumbers(values []float64) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = quote(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// quote is a text in Python: in JSON's form, which Python reads, and with matplotlib's
// mathematics where something is raised or lowered.
func quote(text string) string {
	var line strings.Builder
	for _, p := range split(text) {
		plain := strings.ReplaceAll(p.text, "$", `\$`)
		switch p.raised {
		case 1:
			plain = "$^{" + plain + "}$"
		case -1:
			plain = "$_{" + plain + "}$"
		}
		line.WriteString(plain)
	}
	encoded, err := json.Marshal(line.String())
	if err != nil {
		panic(err) // of a string
	}
	return string(encoded)
}
