// Package plot draws the metrics of runs as figures. It computes no metric and prints no
// table; package view does.
//
//	Draw          the figures of `starling plot`          plot.go, curves.go
//	Usual         one figure a metric                     figures.go
//	Own           the figures that a scenario asks for    plots.go
//	OwnerFigures  results by participant                  owners.go
//	Validate      refuses figures that cannot be drawn    plotcheck.go, plots.go
//
// A figure is made in three steps. Rows of results become points of named curves
// (plotter), points get their places and bands on the axes (placed), and curves become
// series of package figure, which draws them.
//
// The command, the results folder, the report and the local page all draw through Figure or
// Curve, so that one run has one picture.
package plot
