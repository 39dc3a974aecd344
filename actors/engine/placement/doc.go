// Package placement assigns the participants of a run to shards, and shards to processes. It
// decides which participants work beside each other, never the results, and it runs nothing.
//
//	New      the shards of a run
//	Links    which of them send to which along the edges of a graph
//	Divide   the processes that have them
//	Cut      the crossings between them
package placement
