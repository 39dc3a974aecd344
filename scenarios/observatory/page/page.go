// Package page is the browser's part of the local page: one document, one stylesheet and
// modules of plain JavaScript, without a build step. It asks nothing of any other server.
//
//	route.js    the page's view, by the part of the address after #; loads it at once
//	main.js     which view it shows
//	api.js      questions to the server, and its events
//	dom.js      elements and numbers; all text goes in as text
//	table.js    a table of many rows that sorts, filters, selects, and goes by keyboard
//	runs.js     the runs of the folder
//	run.js      one run: progress, last values, scenario
//	live.js     a run that goes on: pace, seeds, values so far
//	figures.js  charts, with a choice of axes
//	privacy.js  the ledger of a run
//	pairs.js    the losses of nodes to each other
//	compare.js  two runs side by side
//	write.js    a scenario that is written, forecast, and run
//	editor.js   a text area with colours, marks, completion and explanations
//	schema.js   the schema's entry for a place in a text
//	outline.js  the keys of a text that may be half done
//	network.js  the graph of a step, the fate of messages, and a node's turns
//	drawing.js  pictures of a graph
//
// uPlot, the code that makes its charts readable, and the style of tables and text are shared
// with the report (package report).
//
// The policy lets nothing run but these files, forbids calls that turn text into markup
// (require-trusted-types-for), and allows requests to the page's own server alone.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"path"

	"starling/scenarios/results/report"
)

//go:embed assets
var assets embed.FS

// policy is the Content-Security-Policy of the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Headers returns the headers that every answer of the server has.
func Headers() map[string]string {
	return map[string]string{
		"Content-Security-Policy":      policy,
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"X-Frame-Options":              "DENY",
		"Cache-Control":                "no-store",
	}
}

// shared holds the files that the page shares with the report.
var shared = map[string]string{
	"uPlot.js": report.ChartLibrary, "uPlot.css": report.ChartLibraryStyle, "uPlot.LICENSE": report.ChartLicense,
	"chart.js": report.ChartScript, "components.css": report.PageStyle,
}

// layout is the document. Its texts come from the program.
var layout = template.Must(template.ParseFS(assets, "assets/page.html"))

// modules are requested at once, so that none waits for another that imports it.
var modules = []string{"dom.js", "api.js", "table.js", "runs.js", "run.js", "live.js", "figures.js", "privacy.js", "pairs.js", "network.js", "drawing.js"}

// Write writes the document. The files that it loads lie below /base/. If writes is true, the
// page offers to write and run scenarios.
func Write(w io.Writer, base, version string, writes bool) error {
	var text bytes.Buffer
	if err := layout.Execute(&text, struct {
		Base, Version string
		Modules       []string
		Writes        bool
	}{base, version, modules, writes}); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err := w.Write(text.Bytes())
	return err
}

// Files serves the files that the document loads.
func Files() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Clean("/" + r.URL.Path)[1:]
		text, ok := shared[name]
		if !ok {
			file, err := assets.ReadFile("assets/" + name)
			if err != nil || name == "page.html" {
				http.NotFound(w, r)
				return
			}
			text = string(file)
		}
		kind := "application/octet-stream"
		switch path.Ext(name) {
		case ".js":
			kind = "text/javascript; charset=utf-8"
		case ".css":
			kind = "text/css; charset=utf-8"
		case ".svg":
			kind = "image/svg+xml"
		case ".LICENSE":
			kind = "text/plain; charset=utf-8"
		}
		w.Header().Set("Content-Type", kind)
		io.WriteString(w, text)
	})
}
