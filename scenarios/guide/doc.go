// Package guide tells people what a scenario can say: the options of every kind with
// their units, defaults and bounds, what goes with what, and whole scenarios, as they are
// run or to begin with. Everything it says is read from the catalog and from the tags of
// the structs that sections are decoded into, through the schema of the loader.
//
//	catalog, tags yaml, doc, unit, min, max, ..
//	      |  loading.Definitions
//	      v
//	[]Option -----> Describe    what a kind is and takes
//	          \---> Resolved    a scenario with every default in it
//	           \--> Init        a new scenario with comments
//
//	option.go     an Option from the schema of a key
//	describe.go   what a name is, and which kinds go with it
//	text.go       descriptions as text in lines of a width
//	begin.go      a new scenario: drafts from examples, of which one is made to load
//	comment.go    the comments of a new scenario
//	resolve.go    a scenario with every default, and where each value is from
//	mend.go       a wrong scenario made loadable, so that the loader finds what else is wrong
//	paths.go      words that complete a command line
package guide
