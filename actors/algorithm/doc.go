// Package algorithm defines an algorithm for the runtime: a pure state machine
// (Machine) that is stepped with a complete, ordered inbox (Turn) and hands out
// messages. A turn is all of one idea, and all of it is here: the clock and the
// attendance of nodes (Schedule, Attendance), the lines in which messages wait
// at edges of limited bandwidth (Queue), the memory (Memory) and the encoding
// (Encoding) of the vectors that are sent, the payments of a node, the checks
// of its decisions (Space) and gradients (Bound), feedback without gradients
// (Feedback), the attacks of adversaries (Attack), and panics as errors (Panic).
//
// Each family of algorithms is a subpackage; the others are shared by families
// or runtimes: mirror, batch, inbox.
//
// Nothing here knows actors, time, files or other goroutines. A Stepper, which
// both runtimes use, gives a turn to a machine, so that a machine cannot know
// in which runtime it runs. Lanes steps machines in coroutines, on the
// goroutine of the runtime, so that the questions of many in one turn are
// answered together.
//
// # The words
//
// A participant is a node, client, learner or server. Each holds one machine, the state
// machine of its part of an algorithm (Machine).
//
// A step is the paper's time t. A step has one hop or several: the exchanges of messages
// inside it, numbered from 0. A server that asks and clients that answer need two.
//
// A turn is one hop of one step, counted over the whole run (Clock). In a turn every
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
// # Two runtimes
//
// Package engine runs an algorithm as actors, and package lockstep in a loop over turns and
// nodes, on one goroutine, with the same bits. The loop is the reference: tests hold the
// engine to its bits. It is also the place to try a machine of one's own; the examples of this
// package show how.
package algorithm
