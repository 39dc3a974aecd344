package views

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
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
	return write(drawn, format, w)
}

// write writes a figure in a format, and returns its content type.
func write(f figure.Figure, format string, w io.Writer) (contentType string, err error) {
	switch format {
	case "svg":
		return "image/svg+xml", figure.WriteSVG(f, w)
	case "png":
		return "image/png", figure.WritePNG(f, w)
	case "pdf":
		return "application/pdf", figure.WritePDF(f, w)
	case "csv":
		return "text/csv; charset=utf-8", figure.WriteCSV(f, w)
	case "py":
		return "text/x-python; charset=utf-8", figure.WritePython(f, w)
	}
	return "", document.BadInput(errors.New(document.Unknown("format", format, Formats())))
}

// ExportLosses writes the figure of the losses over the steps, of which Privacy has the charts, as Export writes others.
func (f *Folder) ExportLosses(id, observer string, unit int32, format string, w io.Writer) (contentType string, err error) {
	p, err := f.Privacy(id, observer, unit)
	if err != nil {
		return "", err
	}
	if len(p.Charts) == 0 {
		return "", document.BadInput(errors.New("the run accounts for no privacy"))
	}
	return write(p.drawn, format, w)
}

// ExportOverlay writes a figure of several runs, as Export writes others.
func (f *Folder) ExportOverlay(ids []string, q Query, format string, w io.Writer) (contentType string, err error) {
	fig, err := f.Overlay(ids, q)
	if err != nil {
		return "", err
	}
	return write(fig.drawn, format, w)
}

// ExportPairs writes the maps of the losses between nodes as a picture: svg, png or pdf.
func (f *Folder) ExportPairs(id, format string, w io.Writer) (contentType string, err error) {
	types := map[string]string{"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
	if types[format] == "" {
		return "", document.BadInput(errors.New(document.Unknown("format", format, []string{"svg", "png", "pdf"})))
	}
	o, err := f.opened(id)
	if err != nil {
		return "", err
	}
	list, err := accounts.PairsOf(o.Source)
	if err != nil {
		return "", document.BadInput(err)
	}
	near := accounts.Near{}
	if s, err := f.scenario(id); err == nil {
		if near, err = view.Near(s); err != nil {
			return "", err
		}
	}
	dir, err := os.MkdirTemp("", "starling-pairs-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "pairs."+format)
	if err := figure.SaveHeat(accounts.PairsFigure(o.Source, list, near, plot.ArmLabels(o.Arms)), path); err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err == nil {
		_, err = w.Write(text)
	}
	return types[format], err
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
