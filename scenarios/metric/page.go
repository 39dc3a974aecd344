package metric

// FigureSize is the size of a figure in print.
type FigureSize int

// The sizes. A legend below the chart adds to the height.
const (
	// FullSize is 8 by 4.8 inches, for a screen or a page.
	FullSize FigureSize = iota
	// ColumnSize is 3.4 by 2.3 inches, for a column of a page set in two: letters of 8 points, and
	// the label of the y axis above the axes.
	ColumnSize
)

// FigureLook is the use of a figure, which decides the size of its letters relative to the figure.
type FigureLook string

// The looks. The empty one is for a screen or a page.
const (
	PaperLook  FigureLook = "paper"  // letters of 8 points and more; the caption has the title
	SlidesLook FigureLook = "slides" // 16:9, letters and lines are 1.4 times as large
)

// FigureLegend is the place of the legend.
type FigureLegend string

// The places of a legend. The empty one is beside the axes where its names are short and
// few, and below them else.
const (
	LegendRight FigureLegend = "right"
	LegendBelow FigureLegend = "below"
	LegendNone  FigureLegend = "none"
)
