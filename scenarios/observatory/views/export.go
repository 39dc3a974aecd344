package views

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// Formats returns the formats that Export writes, by extension.
func Formats() []string { return []string{"svg", "png", "pdf", "csv", "py", "yaml"} }

// Export writes a figure of a run: as a picture, as the CSV of its points, as code for
// matplotlib, or as the part of a scenario that asks for it. For a figure in facets it writes
// one facet by its number from 0; -1 writes all. It returns the content type.
func (f *Folder) Export(id string, q Query, facet int, format string, w io.Writer) (contentType string, err error) {
	if format == "yaml" {
		_, err = w.Write([]byte(sectionOf(q)))
		return "text/plain; charset=utf-8", err
	}
	fig, err := f.Figure(id, q)
	if err != nil {
		return "", err
	}
	if len(fig.Charts) == 0 && fig.Picture == nil {
		return "", document.BadInput(errors.New(strings.Join(fig.Remarks, " ")))
	}
	drawn := fig.drawn
	if charts := len(drawn.Charts()); facet >= charts {
		return "", document.BadInput(fmt.Errorf("facet %d of %d", facet, charts))
	}
	if facet >= 0 && len(drawn.Panels) > 0 {
		drawn.Panels = drawn.Panels[facet : facet+1]
	}
	switch format {
	case "svg":
		return "image/svg+xml", figure.WriteSVG(drawn, w)
	case "png":
		return "image/png", figure.WritePNG(drawn, w)
	case "pdf":
		return "application/pdf", figure.WritePDF(drawn, w)
	case "csv":
		return "text/csv; charset=utf-8", figure.WriteCSV(drawn, w)
	case "py":
		return "text/x-python; charset=utf-8", figure.WritePython(drawn, w)
	}
	return "", document.BadInput(errors.New(document.Unknown("format", format, Formats())))
}

// quoted returns a text in YAML's quotes.
func quoted(text string) string { return strconv.QuoteToASCII(text) }

// sectionOf returns the entry of the section plots of a scenario that asks for the figure.
func sectionOf(q Query) string {
	var out strings.Builder
	out.WriteString("plots:\n")
	line := func(key, value string) { fmt.Fprintf(&out, "    %s: %s\n", key, value) }
	fmt.Fprintf(&out, "  - y: %s\n", q.Metric)
	if q.X != "" && q.X != study.AxisStep {
		line("x", q.X)
	}
	if q.By != "" && q.By != study.EachArm {
		line("by", q.By)
	}
	for _, style := range []struct{ key, value string }{{"facet", q.Facet}, {"hue", q.Hue}, {"dash", q.Dash}} {
		if style.value != "" {
			line(style.key, style.value)
		}
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
