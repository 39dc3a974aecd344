// Package topologies reads the topology section of a scenario into graphs by seed. The graphs
// themselves are in actors/topology.
//
//	section --kind.As-----> Designed or Composed: keys of the kind, and Common, of all kinds
//	        --draw, compose-> facts known before a graph is drawn: edges, directed, redrawn
//	        --Site.plan-----> events (Script), then weights (Weighting)
//	        ----------------> Plan: Sequence(seed), Check
//
// # The times of checks
//
// Options and sizes are checked when the file is read. Graphs that are the same for all
// seeds are made and checked then, too, unless they are too large for a check of a scenario
// (limits.Usage). Graphs that depend on the seed are checked under the first seed with the
// file, and under every seed by its own job.
//
// A topology inside another, such as the base of a matching, gives the edges only. Weights,
// windows and events belong to the whole.
package topologies
