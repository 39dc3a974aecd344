// Package standard has the problems that scenarios can name: problems of nodes that are equals,
// streams of data, images, tables, and adversaries of prediction from experts. It reads their
// sections, and makes of each the forms in which algorithms take it, which package problems
// declares. The mathematics is in scenarios/problem.
//
//	table.go, images.go, streams.go      problems with data, shared by arms with the same section
//	corpus.go, costs.go, adversaries.go  the same data as each family takes them
//	simplex.go                           data as losses with decisions on the simplex
package standard
