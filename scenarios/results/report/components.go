package report

import _ "embed"

// uPlot 1.6.32 is by Leon Sorokin, MIT licence. It draws curves on a canvas, in 50 KB and
// without dependencies; a test pins its files by their SHA-256.
var (
	//go:embed uPlot.iife.min.js
	ChartLibrary string
	//go:embed uPlot.min.css
	ChartLibraryStyle string
	//go:embed uPlot.LICENSE
	ChartLicense string
)

// ChartScript is a script that defines starlingChart, with the class Panel: a figure of a page.
// It needs Library before it.
//
//go:embed chart.js
var ChartScript string

// PageStyle is a stylesheet with variables for light and dark.
//
//go:embed components.css
var PageStyle string
