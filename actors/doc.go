// Package actors is empty. It says how the packages below it run an algorithm: as
// actors (package engine), or in a plain loop (package lockstep), with the same bits.
//
// # The words
//
// A participant is a node, client, learner or server. Each holds one machine, the state
// machine of its part of an algorithm (algorithm.Machine).
//
// A step is the paper's time t. A step has one hop or several: the exchanges of messages
// inside it, numbered from 0. A server that asks and clients that answer need two.
//
// A turn is one hop of one step, counted over the whole run (algorithm.Clock). In a turn every
// participant that acts gets its inbox, is stepped once, and hands out its outbox. A message
// sent in turn k is received in turn k+1, unless the network delays or loses it. The inbox is
// complete and in the order of (sender, turn, position) before the machine sees it: this
// order, and random streams keyed by (seed, purpose, node, step, hop), make results
// independent of scheduling.
//
// A round is a word of federated learning: one exchange of a server with its clients. An
// algorithm says how many steps or hops a round has.
//
//	step            1                               2
//	hop             0               1               0               1
//	turn            0               1               2               3
//
//	server       [Step]                          [Step]
//	                   \                        ^      \
//	                    model             update        model
//	                         \            /                  \
//	                          v          /                    v
//	clients                      [Step]                          [Step]
//
// # In the engine
//
// The engine divides the participants among shards. A shard has a router, an actor in
// which the network lives, and a strand, which runs the shard's actors one at a time on
// whichever worker is free.
//
//	coordinator: the lowest turn that is not finished everywhere
//	     ^  |
//	     |  v  watermark: how far a shard may run ahead
//	+-- shard 0, one strand ---------------+     +-- shard 1, one strand --------+
//	|  router --turn--> participant 1      |     |  router --turn--> participant 4|
//	|    ^    --turn--> participant 2      |     |    ^    --turn--> participant 5|
//	|    |    --turn--> participant 3      |     |    |                           |
//	|    +--- outboxes of the turn --------+     |    +--- outboxes of the turn --+
//	|  router                  ------------batch----------> router                |
//	|  router                  <-----------batch----------- router                |
//	+--------------------------------------+     +--------------------------------+
//
// The router gives its participants their turn. Each participant builds its inbox from the
// outboxes of the turn before, by the graph of that turn (package network), steps its machine,
// and publishes its outbox once. When all have published, the router sends a batch to the
// routers of the shards that its messages go to. A router starts its next turn when the
// batches of all shards that send to it have come. There is no barrier: a router knows from
// the graph which shards to wait for.
//
// # In lockstep
//
// The sequential runtime does the same in a loop over turns and nodes, on one goroutine.
// It is the reference: tests hold the engine to its bits. It is also the place to try a
// machine of one's own; the examples of package algorithm show how.
package actors
