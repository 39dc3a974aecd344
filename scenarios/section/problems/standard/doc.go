// Package standard has the problems that scenarios can name: problems of nodes without a server,
// streams of data, images, tables, and adversaries of prediction from experts. It reads their
// sections, and makes of each the forms in which algorithms take it, which package problems
// declares. The mathematics is in scenarios/problem.
//
//	rows.go                              sources of rows, which any model of the catalog learns
//	table.go, images.go, streams.go      problems with data, shared by arms with the same section
//	corpus.go, costs.go, adversaries.go  the same data as each family takes them
//	simplex.go                           data as losses with decisions on the simplex
//	python.go                            rows that a class in a file of Python code gives
//	begin.go                             the settings of a new scenario for a file of the user's
//	                                     own, by its profile; the caller writes the scenario
//
// A class in Python gives rows, and computes no loss and no gradient of them: models, clipping
// and the bounds that privacy rests on are in Go. Package pyproblem asks the class; while a
// scenario is checked nothing is run.
//
// Losses of experts are no rows: a datum has a loss of each expert and no label that a model
// could predict. The same holds of the costs of localization, and of those that a class in
// Python computes. The data of logistic have the law of synthetic-logistic, which takes models.
package standard
