// Package guide documents scenarios for users: the options of every kind with their units,
// defaults and bounds, the kinds that go together, and whole scenarios, as they are run or to
// begin with. All its contents are read from the catalog and from the tags of the structs that
// sections are decoded into, through the schema of the loader.
//
//	catalog, tags yaml, doc, unit, min, max, ..
//	      |  loading.Definitions
//	      v
//	[]Option -----> Describe    a kind and its options
//	          \---> Resolved    a scenario with every default in it
//	           \--> Init        a new scenario with comments
//
//	pairing.go    the problems and mechanisms of a catalog that go with each algorithm, by their
//	              capabilities; demands on values are known where an algorithm is built
//	option.go     an Option from the schema of a key
//	describe.go   the description of a name, and the kinds that go with it
//	text.go       descriptions as text in lines of a width
//	begin.go      a new scenario: drafts from examples, of which one is made to load
//	comment.go    the comments of a new scenario
//	resolve.go    a scenario with every default, and the origin of each value
//	mend.go       a wrong scenario made loadable, so that the loader finds further faults
//	paths.go      words that complete a command line
package guide
