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
package algorithm
