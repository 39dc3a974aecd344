// Package engine is the actor runtime, on Proto.Actor. Every participant is an
// actor of its own that holds one machine; participants are grouped in shards,
// and each shard has a router, an actor in which the network lives.
//
// In a turn the router of a shard hands each of its participants the turn;
// each builds its inbox from what was sent in the turn before, steps its
// machine and publishes once to its router; when all have, the router tells
// the routers of the shards that its messages go to. A router starts its next
// turn when every shard that sends to it has told it so: it knows from the
// graph for whom it waits, and there is no barrier. How far shards run ahead
// of each other is bounded by the lookahead, for which the coordinator
// publishes the lowest turn not finished everywhere.
//
// Results depend on the run alone: never on shards, workers or the order in
// which messages arrive. The package holds no arithmetic of any algorithm and
// no rule of delivery; those are shared with the sequential runtime.
package engine
