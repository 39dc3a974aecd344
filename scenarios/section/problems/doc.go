// Package problems declares the forms in which algorithms take a problem: a corpus that stays
// with clients, a stream of data, an adversary of prediction from experts, and costs of nodes
// that are equals. It finds the builder of a section in the catalog. It reads no data; package
// standard does. It names one kind of problem, images, whose networks narrow.go makes small.
//
//	corpus.go, streams.go, adversaries.go  the forms, and the search for their builders
//	equals.go                              a builder from options and a constructor
//	pooled.go, narrow.go                   all data in one place, fewer parameters
package problems
