// Package kind is the form of the catalog: the kinds that scenarios can name, by the section
// that names them. It lists nothing itself: package scenarios does, and hands the list to the
// builders.
//
//	section of a file     kind: laplace
//	      |  As[C](catalog.Mechanisms, section, whom)
//	      v
//	Kind "laplace" --- made by Of: a struct with the keys, whose methods say what it can do
//	      |  a new value of the struct, which holds the section, if it has the methods of C
//	      v
//	C
//
// A kind goes with an algorithm if its struct has the methods that the algorithm asks for. The
// same interfaces answer `starling list --pairs` (Want), list the kinds that would fit in
// errors, and need no table that could be wrong. Problems and algorithms have builders, one
// for each user of the kind, in place of methods: Find returns the one of the type that is
// asked for.
package kind
