// Package engine is the actor runtime, on Proto.Actor. Every participant is an actor of
// its own that holds one machine. The engine divides the participants among shards. A shard
// has a router, an actor in which the network lives, and a strand, which runs the shard's
// actors one at a time on whichever worker is free.
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
// # A turn
//
//	1  router       hands each of its participants the turn          router.start, fanout
//	2  participant  builds its inbox from the outboxes of the turn before, or
//	                sums the messages where they lie (algorithm.Summer)
//	                steps its machine, publishes its outbox once      participant.step
//	                or dozens do that at once (algorithm.Joiner)      fanout.deliver
//	                or they wait for each other's questions           algorithm.Lanes
//	3  router       when all have published, sends a batch to the routers of the
//	                shards that its messages go to                    router.finish
//	4  router       starts the next turn when the batches of all shards that send
//	                to it have come                                   router.hears
//
// A router waits for the shards that send to its own, and for no others: there is no barrier.
// It knows them from the graph, and from the schedule, which names the senders of a turn and
// the readers in the next. The lookahead bounds how far shards run ahead of each other. For
// this the coordinator publishes the lowest turn that is not finished everywhere, the
// watermark.
//
// # Shared memory, and why no lock guards it
//
// Outboxes live in one table by turn and node (run.outboxes). A shard writes the rows of its
// own nodes, and others read them only after the shard's batch has reached them: the channel
// of the batch orders the two. A row is used again after run.lifetime turns, when the
// watermark says that no shard can still read it. The vectors that summers send lie in one
// block, by node, for which the same is true: a batch says whether a shard's part of it is all
// that the shard sent. All that the actors of one shard share is used by one worker at a time,
// because a strand is on at most one worker.
//
// # Why mailboxes and workers of our own
//
// A turn of a small participant takes less time than a message through a general mailbox,
// which allocates and synchronises for each: the cost of messages would decide the speed. Here
// a shard's actors post to each other through a ring without a lock, a turn is one post for
// all participants, handed to each without a trip through Proto.Actor's books, and their
// answers come back as one message.
//
// # Limits of the package
//
// Results depend on the run alone: never on shards, workers or the order in which
// messages arrive. The package holds no arithmetic of any algorithm and no rule of
// delivery. Those are in packages algorithm and network, which the sequential runtime
// shares.
package engine
