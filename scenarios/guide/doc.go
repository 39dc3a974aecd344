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
package guide
