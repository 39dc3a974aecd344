package figure_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/actors/topology"
	"starling/scenarios/results/diagram"
	"starling/scenarios/results/figure"
)

// sheetOf lays out a graph.
func sheetOf(t *testing.T, nodes int, total bool, edges ...topology.Edge) *diagram.Sheet {
	t.Helper()
	g, err := topology.FromEdges(nodes, edges)
	if err != nil {
		t.Fatal(err)
	}
	sheet, ok := diagram.NewSheet(&diagram.Graph{Title: "a network", Graph: g, FirstLabel: 1, Total: total})
	if !ok {
		t.Fatal("no picture")
	}
	return sheet
}

// saved writes a sheet and returns the file.
func saved(t *testing.T, sheet *diagram.Sheet, name string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := figure.SaveDiagram(sheet, file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A sheet is a file of each format, to the same bytes each time; other formats are refused, and
// nothing is written.
func TestSaveDiagram(t *testing.T) {
	sheet := sheetOf(t, 2, false, topology.Edge{From: 0, To: 1, Weight: 1})
	for extension, magic := range map[string]string{".svg": "<svg", ".png": "\x89PNG", ".pdf": "%PDF"} {
		text := saved(t, sheet, "a"+extension)
		if !bytes.HasPrefix(text, []byte(magic)) {
			t.Errorf("%s begins with %q", extension, text[:8])
		}
		if !bytes.Equal(text, saved(t, sheet, "a"+extension)) {
			t.Errorf("%s differs from time to time", extension)
		}
	}
	file := filepath.Join(t.TempDir(), "a.gif")
	if err := figure.SaveDiagram(sheet, file); err == nil || !strings.Contains(err.Error(), ".svg, .png, .pdf") {
		t.Errorf("a.gif: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a.gif is there")
	}
}

// picture returns the pixels of a sheet, and the colour at a place of its picture.
func picture(t *testing.T, sheet *diagram.Sheet) (img image.Image, at func(x, y float64) color.RGBA) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(saved(t, sheet, "a.png")))
	if err != nil {
		t.Fatal(err)
	}
	unit := float64(img.Bounds().Dx()) / sheet.Width
	scale := sheet.Side / (sheet.Picture.To - sheet.Picture.From)
	return img, func(x, y float64) color.RGBA {
		x, y = sheet.Left+(x-sheet.Picture.From)*scale, sheet.Top+(y-sheet.Picture.From)*scale
		return color.RGBAModel.Convert(img.At(int(x*unit), int(y*unit))).(color.RGBA)
	}
}

// The image has the shapes of the picture at their places: rims of nodes, edges by their
// opacity and width, and cells.
func TestDiagramPixels(t *testing.T) {
	heavy, light := topology.Edge{From: 0, To: 1, Weight: 4}, topology.Edge{From: 2, To: 3, Weight: 1}
	sheet := sheetOf(t, 4, true, heavy, light)
	img, at := picture(t, sheet)
	if img.Bounds().Dx() != 1600 {
		t.Errorf("the image is %d pixels wide", img.Bounds().Dx())
	}
	shades := map[string]color.RGBA{}
	for _, item := range sheet.Picture.Items {
		shape := item.Shapes[0]
		p := shape.Points[0]
		switch item.Class {
		case diagram.Node:
			if rim := at(p.X, p.Y+shape.Size); rim.B < rim.R+60 {
				t.Errorf("the rim of %s is %v", item.Title, rim)
			}
			if inside := at(p.X+shape.Size/2, p.Y+shape.Size/2); inside != (color.RGBA{255, 255, 255, 255}) {
				t.Errorf("the inside of %s is %v", item.Title, inside)
			}
		case diagram.Edge:
			from, to := p, shape.Points[2]
			shades[item.Title] = at((from.X+to.X)/2, (from.Y+to.Y)/2)
		}
	}
	strong, weak := shades["1 to 2: weight 4"], shades["3 to 4: weight 1"]
	if strong.R > 60 || weak.R < 90 || weak.R > 200 {
		t.Errorf("the heavy edge is %v, the light one %v", strong, weak)
	}

	matrix := sheetOf(t, 150, false, topology.Edge{From: 10, To: 60, Weight: 1}, topology.Edge{From: 70, To: 30, Weight: 0.1})
	_, at = picture(t, matrix)
	if dark, pale, none := at(10.5, 60.5), at(70.5, 30.5), at(60.5, 10.5); dark.R > 60 || pale.R < 90 || pale.R > 200 || none.R != 255 {
		t.Errorf("cells are %v and %v, no cell is %v", dark, pale, none)
	}
}

// Stacked panels have y axes of their own, over one x axis and below each other.
func TestStacked(t *testing.T) {
	f := figure.Figure{Title: "both", XLabel: "step", Stacked: true, Panels: []figure.Panel{
		{Title: "small", Series: []figure.Series{{X: []float64{1, 2, 3}, Y: []float64{7, 8, 9}}}},
		{Title: "large", Series: []figure.Series{{X: []float64{1, 2, 3}, Y: []float64{4000, 5000, 6000}}}, FromZero: true},
	}}
	var svg, program bytes.Buffer
	if err := figure.WriteSVG(f, &svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">small<", ">large<", ">8<", ">0<", ">4000<", ">step<"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the figure lacks %s", want)
		}
	}
	if err := figure.WritePython(f, &program); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(program.String(), "plt.subplots(2, 1,") || !strings.Contains(program.String(), "sharey=False") {
		t.Error("the program draws something else")
	}
	f.Stacked = false
	svg.Reset()
	if err := figure.WriteSVG(f, &svg); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(svg.String(), ">8<") {
		t.Error("panels that are not stacked have an axis of their own")
	}
}
