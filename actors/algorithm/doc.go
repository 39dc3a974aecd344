// Package algorithm defines an algorithm for the runtime: a pure state machine (Machine) that
// is stepped with a complete, ordered inbox (Turn) and hands out messages. Each family of
// algorithms is a subpackage; the others are shared by families or runtimes: mirror, star,
// clipping, decision, hearing, schedule, queue, slab.
//
// Nothing here knows actors, time, files or other goroutines. A Stepper, which both runtimes
// use, gives a turn to a machine, so that a machine cannot know in which runtime it runs.
package algorithm
