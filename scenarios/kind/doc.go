// Package kind is the form of the catalog: the kinds that scenarios can name, by the section
// that names them, each with its builders. It lists nothing itself: package scenarios does,
// and hands the list to the builders.
//
//	section of a file     kind: laplace
//	      |  Find[B](catalog.Mechanisms, section, whom)
//	      v
//	Kind "laplace" --- Builds: []any, one builder for each user of the kind
//	      |  the one whose type is B
//	      v
//	B(...)
//
// A kind goes with an algorithm if one of its builders has the type that the algorithm asks
// for. The same types answer `starling list --pairs` (Want), list the kinds that would fit in
// errors, and need no table that could be wrong.
package kind
