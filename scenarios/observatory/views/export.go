package views

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// Formats are those that Export writes, by extension.
func Formats() []string { return []string{"svg", "png", "pdf", "csv", "py", "yaml"} }

// Export writes a figure of a run: as a picture, as the CSV of its points, as code for
// matplotlib, or as the part of a scenario that asks for it. Of a figure in facets a
// picture shows the given one. It returns the type of what was written.
func (f *Folder) Export(id string, q Query, facet int, format string, w io.Writer) (contentType string, err error) {
	if format == "yaml" {
		_, err = w.Write([]byte(sectionOf(q)))
		return "text/plain; charset=utf-8", err
	}
	fig, err := f.Figure(id, q)
	if err != nil {
		return "", err
	}
	if len(fig.figures) == 0 {
		return "", document.BadInput(errors.New(strings.Join(fig.Remarks, " ")))
	}
	if facet < 0 || facet >= len(fig.figures) {
		return "", document.BadInput(fmt.Errorf("facet %d of %d", facet, len(fig.figures)))
	}
	switch format {
	case "svg":
		return "image/svg+xml", figure.WriteSVG(fig.figures[facet], w)
	case "png":
		return "image/png", figure.WritePNG(fig.figures[facet], w)
	case "pdf":
		return "application/pdf", figure.WritePDF(fig.figures[facet], w)
	case "csv":
		return "text/csv; charset=utf-8", fig.writePoints(w)
	case "py":
		_, err := w.Write(fig.code(q))
		return "text/x-python; charset=utf-8", err
	}
	return "", document.BadInput(errors.New(document.Unknown("format", format, Formats())))
}

// writePoints writes all points of all charts, a point a line. Numbers are the shortest that
// read back; what is infinite or undefined is inf, -inf or empty, as in exports of metrics.
func (f *Figure) writePoints(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"chart", "curve", "x", "y", "low", "high"}); err != nil {
		return err
	}
	for i := range f.figures {
		chart := ""
		if len(f.Facets) > 0 {
			chart = f.Facets[i]
		}
		for _, s := range f.figures[i].Series {
			for k := range s.X {
				row := []string{chart, s.Name, number(s.X[k]), number(s.Y[k]), "", ""}
				if s.Low != nil {
					row[4], row[5] = number(s.Low[k]), number(s.High[k])
				}
				if err := out.Write(row); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 0):
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(v), "+"))
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// code is a program for matplotlib that draws the charts from the CSV of their points.
func (f *Figure) code(q Query) []byte {
	var out bytes.Buffer
	first := f.figures[0]
	fmt.Fprintf(&out, `# Draws points.csv, which the page saves beside this file.
import csv
import math
import matplotlib.pyplot as plt

charts = {}
with open("points.csv", newline="") as file:
    for row in csv.DictReader(file):
        curve = charts.setdefault(row["chart"], {}).setdefault(row["curve"], ([], [], [], []))
        for values, key in zip(curve, ("x", "y", "low", "high")):
            values.append(float(row[key]) if row[key] else math.nan)

figure, axes = plt.subplots(1, len(charts), figsize=(6.4 * len(charts), 4.4), squeeze=False, layout="constrained")
for axis, (title, curves) in zip(axes[0], charts.items()):
    for name, (x, y, low, high) in curves.items():
        line, = axis.plot(x, y, label=name)
        if not all(map(math.isnan, low)):
            axis.fill_between(x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axis.set(title=title or %s, xlabel=%s, ylabel=%s)
`, quoted(first.Title), quoted(first.XLabel), quoted(first.YLabel))
	if q.LogX {
		out.WriteString("    axis.set_xscale(\"log\")\n")
	}
	if q.LogY {
		out.WriteString("    axis.set_yscale(\"log\")\n")
	}
	out.WriteString("    axis.legend(fontsize=\"small\")\nfigure.savefig(\"figure.pdf\")\n")
	return out.Bytes()
}

// quoted is a text as Python and YAML write it.
func quoted(text string) string { return strconv.QuoteToASCII(text) }

// sectionOf is the entry of the section plots of a scenario that asks for the figure. Facets
// and styles have no keys there.
func sectionOf(q Query) string {
	var out strings.Builder
	out.WriteString("plots:\n")
	line := func(key, value string) { fmt.Fprintf(&out, "    %s: %s\n", key, value) }
	fmt.Fprintf(&out, "  - y: %s\n", q.Metric)
	if q.X != "" && q.X != study.PlotStep {
		line("x", q.X)
	}
	if q.By != "" && q.By != study.PlotArm {
		line("by", q.By)
	}
	if len(q.Arms) > 0 {
		names := slices.Clone(q.Arms)
		for i := range names {
			names[i] = quoted(names[i])
		}
		line("arms", "["+strings.Join(names, ", ")+"]")
	}
	if q.At > 0 {
		line("at", strconv.FormatInt(q.At, 10))
	}
	line("band", string(q.Band))
	for _, flag := range []struct {
		key string
		set bool
	}{{"per_step", q.PerStep}, {"log_x", q.LogX}, {"log_y", q.LogY}} {
		if flag.set {
			line(flag.key, "true")
		}
	}
	return out.String()
}
