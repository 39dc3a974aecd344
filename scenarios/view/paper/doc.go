// Package paper makes the table of a paper from a finished run.
//
//	Build    a run and Options -> typeset.Table: cells, marks, p-values and caption
//	Describe the caption of a figure of a run
//
//	options.go     the choice of arms, metrics, step and axes, with all faults at once
//	layout.go      the arm and the metric of each cell
//	conditions.go  the arms that state the same privacy and learn the same problem
//	tests.go       marks inside of conditions, and p-values against a baseline
//	caption.go     the sentences of the caption
//
// A mark compares arms of one condition only: the same epsilon at the same delta, of the same
// unit and neighbours, to the same observers. Package comparison has the tests, and
// package results/typeset writes the formats.
package paper
