// Package jobs has what a job of a study is, which is an arm under a seed: its place in the
// canonical order, what it leaves, and how its state and its results are written and read.
//
//	New       the i-th job, without a result
//	Save      has its run pause and save its state; Resume goes on from one
//	Take      the result of a job that has run: metrics, privacy, digest
//	State     the result as bytes, and Read from them
//	Order     in which order jobs begin, for what they share
//	ArmRows   what the arms of the jobs set, as results keep it
//
// A job depends on arm and seed alone, and its result does not depend on who ran it or
// when. The package runs nothing.
package jobs
