// Package participants has the algorithm of equals whose code is a class in Python: what a
// participant remembers, plays and says is the class's, in a child process (package
// external); messages, gradients and their bound, noise, payments and the ledger are not.
//
//	algorithm: {kind: python, file: mine.py, name: Mine, options: {rate: 0.5}}
//
// A class has
//
//	step(turn) or step_all(turns)   a generator: it yields what it asks, and returns what
//	                                is released; see participants.py
//	state(start)                    the state that a participant begins with: arrays,
//	                                numbers and bytes by name; absent, none
//	sensitivity(step, bound)        by how much the costs of a node move a vector that it
//	                                releases, in 2-norm, or {"l1": .., "l2": ..}, where
//	                                gradients are within the bound; only without noise it
//	                                may lack
//	metrics = {name: {..}}          what turn.record records: text, and unit, label and better
//	inbox = True                    has turns bring messages in place of their sum
//	sends = N                       has what it returns be vectors by neighbour, N at most;
//	                                needs an inbox
//	push_sum = True                 asks for column stochastic weights only, and has turns
//	                                bring the ratio of sums, and the node's mass
//
// Privacy rests on the sensitivity that the class states, and on nothing being released
// that depends on data otherwise: the program takes the author's word for it, as it does
// of algorithms in Go, and `starling audit` holds it against samples.
//
// What a node says to single neighbours in a step is one release, of all vectors side by side:
// it is paid for once, and noise is scaled to sends times what the class states in 1-norm, and
// to the root of that in 2-norm. A node that would send more fails the run.
//
// # Turns
//
// The machine of a participant (node) is thin. It asks a desk, which the participants of
// a shard ask together, what to do; it is answered with a request, which the node meets by
// the means of its own turn, such as to play x and take the gradient, and asks again; or
// with what to send, and the state after the turn. So a batch is one call of Python for
// each request, and what a participant may do is what a machine may do.
//
// A batch begins and ends in one object of the class (external.Pool). Between turns
// objects hold nothing: states are the machines', and so in checkpoints and digests.
package participants
