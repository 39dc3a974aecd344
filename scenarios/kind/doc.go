// Package kind is the form of the catalog: what scenarios can name, by the section that
// names it, with what builds each. It lists nothing itself: package scenarios does, and
// hands the list to the builders.
//
//	section of a file     kind: laplace
//	      |  Find[B](catalog.Mechanisms, section, whom)
//	      v
//	Kind "laplace" --- Builds: []any, one builder for each who takes the kind
//	      |  the one whose type is B
//	      v
//	B(...)
//
// A kind goes with an algorithm if one of its builders has the type that the algorithm
// asks for. The same types answer `starling list --pairs` (Want), say in errors what
// would fit, and need no table that could be wrong.
package kind
