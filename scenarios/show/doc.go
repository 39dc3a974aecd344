// Package show makes tables and figures of results. It computes no metric.
//
//	LastValues     the arms' summaries at their last steps     tables.go
//	NoteTables     notes that are derived for the arms         tables.go
//	WarningLines   warnings, grouped for readers               warnings.go
//	UsualFigures   one figure a metric                         figures.go
//	OwnFigures     the figures that a scenario asks for        plots.go
//	Plot           the figures of `starling plot`              plot.go, curves.go
//
// A figure is made in three steps. Rows of results become points of named curves
// (plotter), points get their places and bands on the axes (placed), and curves become
// series of package figure, which draws them.
//
// The command, the results folder and the report page all draw through PlotFigure or
// Curve, so that one run has one picture.
package show
