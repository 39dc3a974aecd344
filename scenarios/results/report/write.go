package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"starling/actors/atomicfile"
	"starling/scenarios/results/diagram"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
)

// The page's own parts; package report has the others.
var (
	//go:embed assets/page.html
	pageText string
	//go:embed assets/report.css
	styleText string
	//go:embed assets/save.js
	saveText string
	//go:embed assets/report.js
	pageScript string
)

// scriptText saves figures, and puts the page together.
var scriptText = saveText + pageScript

var layout = template.Must(template.New("page").Funcs(template.FuncMap{
	"highlight": highlight,
	"drawing":   drawing,
	"caption":   func(g diagram.Graph) string { return diagram.Caption(&g) },
	"columns":   columns,
	"add":       func(i int) int { return i + 1 },
	"named": func(name, id string, t tabular.Table) namedTable {
		return namedTable{Table: t.ForPeople(), Name: name + ", " + id}
	},
	"finding": func(id string, f *Finding) namedTable {
		return namedTable{Table: f.Table.ForPeople(), Name: "finding, " + id, strong: f.Best, shares: f.Shares}
	},
	"picture":    picture,
	"captionOf":  captionOf,
	"heat":       func(h figure.Heat, i int) template.HTML { return heat(&h, &h.Maps[i]) },
	"boxes":      func(h figure.Heat, i int) template.HTML { return boxes(&h, &h.Maps[i]) },
	"heatScale":  func(h figure.Heat) template.HTML { return heatScale(&h) },
	"cut":        cut,
	"lastInside": lastInside, "notesInside": notesInside, "linesInside": linesInside, "filesInside": filesInside,
}).Parse(pageText))

// Save writes the page, whole or not at all. The folder must exist.
func Save(p *Page, path string) error {
	_, _, err := atomicfile.Write(path, func(w io.Writer) error { return Write(p, w) })
	return err
}

// Write writes the page. It reads p only.
func Write(p *Page, w io.Writer) error {
	if err := p.Validate(); err != nil {
		return err
	}
	view := newView(p)
	data, err := encode(view.charts)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	view.Data = template.JS(data)
	if data, err = encode(view.movies); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	view.Movies = template.JS(data)
	var text bytes.Buffer
	if err := layout.Execute(&text, view); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(text.Bytes())
	return err
}

// view is the data of the template.
type view struct {
	*Page
	// Fields of template types are trusted as they are: they come from the program, or
	// from encode, which escapes.
	Policy  string
	Style   template.CSS
	Library template.JS
	Figures template.JS
	Script  template.JS
	Data    template.JS
	// Movies are the movies of networks that change.
	Movies       template.JS
	License      string
	SharedPanels panels
	Sections     []section
	charts       []Chart
	movies       []movie
}

// section is a run with the numbers of its charts.
type section struct {
	*Run
	ID string
	// Single is true if the page has no other section.
	Single         bool
	Panels, Ledger panels
	Networks       []movingTopology
}

// movingTopology is a topology with the number of its movie in the page's data.
type movingTopology struct {
	*Topology
	Moves bool
	Movie int
}

// panels are the figures of a place on the page by their numbers in the data.
type panels struct {
	Shown  []panel
	Others []panel // behind one selector
}

// panel is a figure on the page.
type panel struct {
	Number int
	// Title is the title of the chart, or of the panel where a figure has several charts.
	Title string
	// Group is the number of the first of several charts of one figure, from 1, which share a
	// title, a legend and buttons; 0 for a chart by itself. First and Last mark the ends of the
	// group, and Figure is the title of all.
	Group       int
	First, Last bool
	Figure      string
}

// newView numbers all figures and movies of the page, and puts their data together.
func newView(p *Page) *view {
	style := template.CSS(ChartLibraryStyle + PageStyle + styleText)
	v := &view{
		Page: p, Style: style,
		Library: template.JS(ChartLibrary), Figures: template.JS(ChartScript), Script: template.JS(scriptText), License: ChartLicense,
		// Nothing is loaded, and nothing runs but these three scripts.
		Policy: fmt.Sprintf("default-src 'none'; script-src %s %s %s; style-src %s; base-uri 'none'; form-action 'none'",
			integrity(ChartLibrary), integrity(ChartScript), integrity(scriptText), integrity(string(style))),
	}
	v.SharedPanels = v.panels(&p.Shared)
	for i := range p.Runs {
		run := &p.Runs[i]
		v.Sections = append(v.Sections, section{
			Run: run, ID: fmt.Sprintf("run-%d", i+1), Single: len(p.Runs) == 1,
			Panels: v.panels(&run.Figures), Ledger: v.panels(&run.Ledger.Figures), Networks: v.networks(run.Topologies),
		})
	}
	return v
}

// panels numbers figures and adds their charts to the page's data.
func (v *view) panels(f *Figures) (p panels) {
	add := func(list []Figure) (added []panel) {
		for i := range list {
			charts, group := NewCharts(&list[i]), 0
			if len(charts) > 1 {
				group = len(v.charts) + 1
			}
			for k, chart := range charts {
				p := panel{Number: len(v.charts), Title: chart.Title, Group: group}
				if group > 0 {
					p.Title, p.Figure, p.First, p.Last = list[i].Panels[k].Title, list[i].Title, k == 0, k == len(charts)-1
				}
				added, v.charts = append(added, p), append(v.charts, chart)
			}
		}
		return added
	}
	p.Shown = add(f.Shown)
	p.Others = add(f.Others)
	return p
}

// networks adds the movies of topologies that change to the page's data.
func (v *view) networks(topologies []Topology) (list []movingTopology) {
	for i := range topologies {
		t := movingTopology{Topology: &topologies[i], Movie: len(v.movies)}
		if m := newMovie(t.Steps); len(m.Frames) > 1 {
			t.Moves = true
			v.movies = append(v.movies, m)
		}
		list = append(list, t)
	}
	return list
}

// integrity names a script or style in the page's policy by its content.
func integrity(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// namedTable is a table with the name that readers of screens hear, which no other on the page has.
type namedTable struct {
	tabular.Table
	Name string
	// strong are the cells in bold; nil is none.
	strong [][]bool
	// shares are the darkness of cells after the first column; nil is none.
	shares [][]float64
}

// Heat reports whether cells have colours.
func (t namedTable) Heat() bool { return t.shares != nil }

// shadeSteps is the number of colours of the cells of a table besides the lightest.
const shadeSteps = 10

// CellClass is the class of a cell: its layout, and its colour by a step from 0 to 10.
func (t namedTable) CellClass(row, column int, layout string) string {
	if row >= len(t.shares) || column < 1 || column > len(t.shares[row]) || math.IsNaN(t.shares[row][column-1]) {
		return layout
	}
	class := fmt.Sprintf("%s shade shade-%d", layout, int(math.Round(shadeSteps*t.shares[row][column-1])))
	if t.Strong(row, column) {
		class += " best"
	}
	return strings.TrimSpace(class)
}

// Strong reports whether a cell is in bold.
func (t namedTable) Strong(row, column int) bool { return t.strong != nil && t.strong[row][column] }

// column is the layout of the cells of a column of a table: numbers to the right, long texts
// in several lines.
type column struct{ Numeric, Long bool }

// longText is the length from which on a text may take several lines.
const longText = 28

// columns looks at all cells of a table. A column of numbers has no other cells but empty
// ones.
func columns(t tabular.Table) []column {
	list := make([]column, len(t.Header))
	for i := range list {
		list[i].Numeric = len(t.Rows) > 0
		for _, row := range t.Rows {
			list[i].Numeric = list[i].Numeric && number.MatchString(row[i])
			list[i].Long = list[i].Long || utf8.RuneCountInString(row[i]) > longText
		}
		list[i].Long = list[i].Long && !list[i].Numeric
	}
	return list
}

// class is the class of the column's cells in the stylesheet.
func (c column) Class() string {
	switch {
	case c.Numeric:
		return "number"
	case c.Long:
		return "long"
	}
	return ""
}

// number is a cell that belongs in a column of numbers: a value, with or without its
// standard error or the ends of its interval, for which neighbours it is, and its mark or the room for one.
var number = regexp.MustCompile(`^(-|not run|no value|(-?(?:inf|∞)|NaN|\(?[-+]?[0-9][0-9.]*(e[-+]?[0-9]+)?( ± [0-9][0-9.]*(e[-+]?[0-9]+)?)?\)?(e[-+]?[0-9]+)?( \(-?[0-9.]+(e[-+]?[0-9]+)? to -?[0-9.]+(e[-+]?[0-9]+)?\))?)( \([a-z-]+\))?( [*~✓✗]|  )?)?$`)

// cell is the text of a cell and its mark. Marked means that the column has marks, so that a
// cell without one leaves room.
type cell struct {
	Text, Mark string
	Marked     bool
}

// Class is the style of the mark.
func (c cell) Class() string {
	return map[string]string{"✓": " kept", "✗": " exceeded"}[c.Mark]
}

// cut takes a cell apart.
func cut(text string) cell {
	for _, mark := range []string{" *", " ~", " ✓", " ✗", "  "} {
		if rest, ok := strings.CutSuffix(text, mark); ok && rest != "" {
			return cell{rest, strings.TrimSpace(mark), true}
		}
	}
	return cell{Text: text}
}
