// Package jobs defines a job of a study, which is an arm under a seed: its place in the
// canonical order, its result, and the form of its saved state and result.
//
//	New       the i-th job, without a result
//	Save      has its run pause and save its state; Resume goes on from one
//	Take      the result of a job that has run: metrics, privacy, digest
//	State     the result as bytes, and Read from them
//	Order     the order in which jobs begin, for shared data
//	ArmRows   the values of the arms, as results keep them
//
// A job depends on arm and seed alone. Its result depends neither on the process that ran it
// nor on the time. The package runs nothing.
package jobs
