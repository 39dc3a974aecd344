// Package layout has the choices for the page of a figure: its size in print, its use, and the
// place of its legend. Scenarios and commands name them. It draws nothing; package figure does.
package layout

// Size is the size of a figure in print.
type Size int

// The sizes. A legend below the chart adds to the height.
const (
	// Full is 8 by 4.8 inches, for a screen or a page.
	Full Size = iota
	// Column is 3.4 by 2.3 inches, for a column of a page set in two: letters of 8 points, and
	// the label of the y axis above the axes.
	Column
)

// Look is the use of a figure, which decides the size of its letters relative to the figure.
type Look string

// The looks. The empty one is for a screen or a page.
const (
	Paper  Look = "paper"  // letters of 8 points and more; the caption has the title
	Slides Look = "slides" // 16:9, letters and lines are 1.4 times as large
)

// Legend is the place of the legend.
type Legend string

// The places of a legend. The empty one is beside the axes where its names are short and
// few, and below them else.
const (
	LegendRight Legend = "right"
	LegendBelow Legend = "below"
	LegendNone  Legend = "none"
)
