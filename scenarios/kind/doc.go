// Package kind is the form of the catalog: the kinds that scenarios can name, by the section
// that names them. It lists nothing itself: package scenarios does, and hands the list to the
// readers of sections.
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
// errors, and need no table that could be wrong. The structs of problems and algorithms are
// pieces beside their sections (New): their methods get a section and read it, so that one
// error has the faults of all that a section names.
package kind
