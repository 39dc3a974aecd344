package figure

import (
	"encoding/json"
	"io"
	"math"
)

// points is a figure as WriteJSON writes it.
type points struct {
	Title  string `json:"title"`
	XLabel string `json:"x_label"`
	YLabel string `json:"y_label"`
	LogX   bool   `json:"log_x"`
	LogY   bool   `json:"log_y"`
	// Categories are the names of the values 0, 1 and so on of an x axis without numbers.
	Categories []string       `json:"categories,omitempty"`
	Cells      *cellPoints    `json:"cells,omitempty"`
	Series     []seriesPoints `json:"series"`
}

// cellPoints is a heat map: values and halves of intervals by row and column. The value of a row
// across is in its first column.
type cellPoints struct {
	Rows    []string       `json:"rows"`
	Columns []string       `json:"columns"`
	Values  [][]coordinate `json:"values"`
	Half    [][]coordinate `json:"half"`
	Best    [][]bool       `json:"best"`
	Marks   [][]string     `json:"marks,omitempty"`
	Across  []bool         `json:"across"`
	// Dots means that the picture has dots in place of coloured cells.
	Dots bool `json:"dots,omitempty"`
}

// seriesPoints is a series of it, with its colour, such as #0072B2, and its dash: lengths in
// points, drawn and left out in turn, none for a solid line.
type seriesPoints struct {
	// Facet is the title of the panel, absent where there is one chart. Hue and DashOf are
	// the values that colour and dash stand for.
	Facet  string `json:"facet,omitempty"`
	Hue    string `json:"hue,omitempty"`
	DashOf string `json:"dash_of,omitempty"`
	Name   string `json:"name"`
	// Label is the name for readers; absent where it is the name itself.
	Label string       `json:"label,omitempty"`
	Color string       `json:"color"`
	Dash  []float64    `json:"dash"`
	X     []coordinate `json:"x"`
	Y     []coordinate `json:"y"`
	Low   []coordinate `json:"low,omitempty"`
	High  []coordinate `json:"high,omitempty"`
	// Dots means that no line joins the points.
	Dots bool `json:"dots,omitempty"`
}

// coordinate is null where it is NaN or infinite.
type coordinate float64

// MarshalJSON implements json.Marshaler.
func (x coordinate) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// coordinates are the values of a series; no list stays none.
func coordinates(values []float64) []coordinate {
	if values == nil {
		return nil
	}
	list := make([]coordinate, len(values))
	for i, v := range values {
		list[i] = coordinate(v)
	}
	return list
}

// WriteJSON writes the content of the figure: its titles, and the points, colour and dash of
// each series, for other programs to draw.
func WriteJSON(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	p := points{Title: f.Title, XLabel: f.XLabel, YLabel: f.YLabel, LogX: f.LogX, LogY: f.LogY, Categories: f.Categories, Series: []seriesPoints{}}
	if c := f.Cells; c != nil {
		p.Cells = &cellPoints{Rows: c.Rows, Columns: c.Columns, Best: c.Best, Marks: c.Marks, Across: c.Across, Dots: c.Dots}
		for i := range c.Rows {
			p.Cells.Values, p.Cells.Half = append(p.Cells.Values, coordinates(c.Values[i])), append(p.Cells.Half, coordinates(c.Half[i]))
		}
	}
	lines := f.Lines()
	for k, panel := range f.Charts() {
		for i, s := range panel.Series {
			p.Series = append(p.Series, seriesPoints{
				Facet: panel.Title, Hue: s.Hue, DashOf: s.Dash,
				Name: s.Name, Label: s.Label, Color: lines[k][i].Hex(), Dash: append([]float64{}, lines[k][i].Dash...),
				X: coordinates(s.X), Y: coordinates(s.Y), Low: coordinates(s.Low), High: coordinates(s.High), Dots: s.Dots,
			})
		}
	}
	return json.NewEncoder(w).Encode(p)
}
