// Package problems declares the forms in which algorithms take a problem: a corpus that stays
// with clients, a stream of data, an adversary of prediction from experts, and costs of nodes
// that are equals. It asks the pieces of the catalog for them. It reads no data; package
// standard does. It names no kind of problem. It reads the sections of decision sets (l1-ball,
// l2-ball, box, simplex) and of Bregman divergences (euclidean, mahalanobis, entropy); package
// mirror decides which pairs have a mirror step.
//
//	forms.go                               the forms as capabilities of pieces
//	corpus.go, streams.go, adversaries.go  the forms as values, and their readers
//	population.go                          a corpus of clients that no run holds
//	equals.go                              a piece from options and a constructor
//	sets.go                                sections of sets and divergences
//	pooled.go, narrow.go                   all data in one place, fewer parameters
package problems
