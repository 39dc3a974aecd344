package figure

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteCSV writes the points of the figure under the header series,x,y,low,high. Numbers are
// the shortest decimals that read back to the same float64; what is NaN, and a band that a
// series has not, is empty, and infinities are inf and -inf.
func WriteCSV(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	_ = out.Write([]string{"series", "x", "y", "low", "high"}) // Error tells
	for _, s := range f.Series {
		for i := range s.X {
			low, high := "", ""
			if s.Low != nil {
				low, high = decimal(s.Low[i]), decimal(s.High[i])
			}
			_ = out.Write([]string{s.Name, decimal(s.X[i]), decimal(s.Y[i]), low, high})
		}
	}
	out.Flush()
	return out.Error()
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
// whoever wants to change more than this package does.
func WritePython(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	p := f.page()
	width, height := p.printed()
	var text strings.Builder
	fmt.Fprintf(&text, `# Draws the figure with matplotlib: python FILE.py [OUT.pdf]
import sys

import matplotlib.pyplot as plt

nan, inf = float("nan"), float("inf")

fig, ax = plt.subplots(figsize=(%.3g, %.3g), layout="constrained")
`, width.Points()/72, height.Points()/72)
	legend := false
	for i, s := range f.Series {
		color, dash := Stroke(i)
		style := "\"-\""
		if len(dash) > 0 {
			style = fmt.Sprintf("(0, %s)", list(dash))
		}
		marker := ""
		if s.marked() {
			marker = `, marker="o", markersize=4`
		}
		hex := fmt.Sprintf("#%02X%02X%02X", color.R, color.G, color.B)
		fmt.Fprintf(&text, "\nx = %s\ny = %s\n", list(s.X), list(s.Y))
		fmt.Fprintf(&text, "ax.plot(x, y, color=%q, linestyle=%s%s, label=%s)\n", hex, style, marker, quote(s.Name))
		if s.Low != nil {
			fmt.Fprintf(&text, "ax.fill_between(x, %s, %s, color=%q, alpha=0.19, linewidth=0)\n", list(s.Low), list(s.High), hex)
		}
		legend = legend || s.Name != "" && f.Legend != LegendNone
	}
	fmt.Fprintf(&text, "\nax.set_title(%s)\nax.set_xlabel(%s)\nax.set_ylabel(%s)\n", quote(f.Title), quote(f.XLabel), quote(f.YLabel))
	for _, axis := range []struct {
		name string
		log  bool
	}{{"x", f.LogX}, {"y", f.LogY}} {
		if axis.log {
			fmt.Fprintf(&text, "ax.set_%sscale(\"log\")\n", axis.name)
		}
	}
	text.WriteString("ax.grid(color=\"0.86\", linewidth=0.6)\n")
	if legend {
		text.WriteString("ax.legend(frameon=False)\n")
	}
	text.WriteString("\nif len(sys.argv) > 1:\n    plt.rcParams[\"pdf.fonttype\"] = 42  # fonts that can be edited\n    fig.savefig(sys.argv[1], dpi=300)\nelse:\n    plt.show()\n")
	_, err := io.WriteString(w, text.String())
	return err
}

// list is a list of numbers in Python, where nan and inf are names.
func list(values []float64) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
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
