// Package components has the shared parts of pages about runs: the library that draws figures,
// the script that makes them readable, and the look of text, tables and figures in light, dark
// and print. The report inlines them, and the local page serves them. It knows no run and no
// metric: the script gets its data as JSON (report.Chart).
package components

import _ "embed"

// uPlot 1.6.32 is by Leon Sorokin, MIT licence. It draws curves on a canvas, in 50 KB and
// without dependencies; a test pins its files by their SHA-256.
var (
	//go:embed uPlot.iife.min.js
	Library string
	//go:embed uPlot.min.css
	LibraryStyle string
	//go:embed uPlot.LICENSE
	License string
)

// Chart is a script that defines starlingChart, with the class Panel: a figure of a page.
// It needs Library before it.
//
//go:embed chart.js
var Chart string

// Style is a stylesheet with variables for light and dark.
//
//go:embed components.css
var Style string
