// Package placement says which participant of a run is in which shard, and which shard in
// which process. It decides who works beside whom, never what comes out, and it runs nothing.
//
//	New      the shards of a run
//	Links    which of them send to which along the edges of a graph
//	Divide   the processes that have them
//	Cut      what crosses between them
package placement
