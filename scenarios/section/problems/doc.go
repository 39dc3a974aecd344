// Package problems reads the problem section of a scenario: problems of nodes that are
// equals, streams of data, images, and adversaries of prediction from experts. The problems
// themselves are in scenarios/problem.
//
//	table.go, images.go, streams.go      problems with data, shared by arms with the same section
//	corpus.go, costs.go, adversaries.go  the same data as each family takes them
//	pooled.go, narrow.go, simplex.go     all data in one place, fewer parameters, the simplex
package problems
