// Package pyalgorithm has the algorithms by a class in Python: of equals, and of a server. A
// class of equals has a participant's memory, decisions and messages, in a child process (package
// pyproblem). The delivery of messages, gradients and their bound, noise, payments and the
// ledger stay in this program.
//
//	algorithm: {kind: python, file: mine.py, name: Mine, options: {rate: 0.5}}
//
// A class has
//
//	step(turn) or step_all(turns)   a generator: it yields requests, and returns the
//	                                release; see participants.py
//	state(start)                    the initial state of a participant: arrays,
//	                                numbers and bytes by name; absent, none
//	sensitivity(step, bound)        the distance that the costs of a node move a vector
//	                                that it releases, in 2-norm, or {"l1": .., "l2": ..},
//	                                where gradients are within the bound; it may be absent
//	                                only without noise
//	metrics = {name: {..}}          the quantities of turn.record: text, and unit, label
//	                                and better
//	inbox = True                    turns bring messages in place of their sum
//	sends = N                       the results are vectors by neighbour, N at most;
//	                                needs an inbox
//	push_sum = True                 column stochastic weights are enough, and turns
//	                                bring the ratio of sums, and the node's mass
//
// Privacy rests on the sensitivity that the class states, and on the absence of other releases
// that depend on data. The program takes the author's word for it, as it does for algorithms in
// Go, and `starling audit` compares it with samples.
//
// The vectors that a node sends to single neighbours in a step are one release, of all vectors
// side by side. It is paid for once. Noise is scaled to N times the distance that the class
// states in 1-norm, and to sqrt(N) times the distance in 2-norm. A node that would send more
// than N vectors fails the run.
//
// Server is an algorithm of a server and its clients: a class with adopt(state, model, mean, round)
// and, if it has a memory, state(start); see servers.py. It computes of noised means alone, so that
// it states nothing.
//
// # Turns
//
// The machine of a participant (node) is thin. It asks a desk for instructions; the
// participants of a shard ask together. The desk answers with a request, such as to play x and
// take the gradient. The node meets it by the means of its own turn, and asks again. Or the
// desk answers with the release and the state after the turn. So a batch makes one call of
// Python for each request, and a participant may do exactly the things that a machine may do.
//
// A batch begins and ends in one object of the class (pyproblem.Pool). Between turns
// objects hold nothing: states are the machines', and so in checkpoints and digests.
package pyalgorithm
