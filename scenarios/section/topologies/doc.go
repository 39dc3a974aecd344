// Package topologies reads the topology section of a scenario into graphs by seed. The
// graphs themselves are those of actors/topology.
//
//	section --decodeTopology--> options of the kind, and those that all kinds have
//	        --Design----------> what is known before a graph is drawn: edges, directed, redrawn
//	        --Site.plan-------> events (Script), then weights (Weighting)
//	        ------------------> Plan: Sequence(seed), Check
//
// # What is checked when
//
// Options and sizes are checked when the file is read. Graphs that are the same for all
// seeds are made and checked then, too, unless they are so large that a check should not
// (limits.Usage). Graphs that depend on the seed are checked under the first seed with
// the file, and under every seed by its own job.
//
// A topology inside another, such as the base of a matching, is asked who hears whom
// only; weights, windows and events are for the whole to say.
package topologies
