package observatory

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"path"

	"starling/scenarios/results/report"
)

//go:embed assets
var assets embed.FS

// first is the script that the document has in it: a file would be asked for before the runs are.
var first = func() string {
	text, err := assets.ReadFile("assets/route.js")
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(text)
}()

// policy is the Content-Security-Policy of the page. It allows the one script in the document by its hash.
var policy = "default-src 'none'; script-src 'self' 'sha256-" + hashOf(first) + "'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// pageHeaders returns the headers that every answer of the server has.
func pageHeaders() map[string]string {
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

// shared holds the files that the page shares with the report. Its modules have no globals but those
// that they set.
var shared = map[string]string{
	"uPlot.js": report.ChartLibrary + "\nglobalThis.uPlot = uPlot;\n", "uPlot.css": report.ChartLibraryStyle, "uPlot.LICENSE": report.ChartLicense,
	"chart.js": report.ChartScript, "components.css": report.PageStyle,
}

// layout is the document. Its texts come from the program.
var layout = template.Must(template.ParseFS(assets, "assets/page.html"))

// closed is the page for a browser that comes without the token. Its style is in it: no other file
// is served without the token.
var closed = template.Must(template.ParseFS(assets, "assets/closed.html"))

// closedPolicy is the Content-Security-Policy of that page, which runs nothing and loads nothing. It
// allows its one style, by its hash.
var closedPolicy = func() string {
	text, err := assets.ReadFile("assets/closed.html")
	if err != nil {
		panic(err) // it is part of the program
	}
	_, style, _ := bytes.Cut(text, []byte("<style>"))
	style, _, _ = bytes.Cut(style, []byte("</style>"))
	return "default-src 'none'; style-src 'sha256-" + hashOf(string(style)) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// hashOf is the hash of a script or a style as a policy has it.
func hashOf(text string) string {
	hash := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(hash[:])
}

// writeClosed answers a browser that asks for the page and is refused, with the reason and the way to open it.
func writeClosed(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("Content-Security-Policy", closedPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = closed.Execute(w, reason) // the reader may be gone
}

// modules make the table of runs. They are requested at once, so that none waits for another that
// imports it. The modules for one run are requested by route.js.
var modules = []string{"dom.js", "api.js", "table.js", "settings.js", "columns.js", "runs.js"}

// writePage writes the document. The files that it loads lie below /base/. If writes is true, the
// page offers to write and run scenarios.
func writePage(w io.Writer, base, version string, writes bool) error {
	var text bytes.Buffer
	if err := layout.Execute(&text, struct {
		Base, Version string
		First         template.JS
		Modules       []string
		Writes        bool
	}{base, version, template.JS(first), modules, writes}); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err := w.Write(text.Bytes())
	return err
}

// pageFiles serves the files that the document loads.
func pageFiles() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Clean("/" + r.URL.Path)[1:]
		text, ok := shared[name]
		if !ok {
			file, err := assets.ReadFile("assets/" + name)
			if err != nil || path.Ext(name) == ".html" {
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
