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
//	sensitivity(step, bound)        by how much the costs of a node move what it releases,
//	                                in 2-norm, or {"l1": .., "l2": ..}, where gradients
//	                                are within the bound; only without noise it may lack
//	metrics = {name: {..}}          what turn.record records: text, and unit, label and better
//	inbox = True                    has turns bring messages in place of their sum
//
// Privacy rests on the sensitivity that the class states, and on nothing being released
// that depends on data otherwise: the program takes the author's word for it, as it does
// of algorithms in Go, and `starling audit` holds it against samples.
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
