// Package study is the vocabulary of studies: a scenario and its arms, the plan that a
// family of algorithms makes of an arm, and the job that a plan makes of a seed.
//
//	file            Scenario         one file, checked
//	  |  sweep        |
//	  v               v
//	Variant         Arm              one variant of it, ready to run under any seed
//	                  |  Algorithm.Build, of a family
//	                  v
//	                Plan             what the arm runs: sizes, losses, accounts, metrics
//	                  |  Plan.Job(seed)
//	                  v
//	                Job              machines, graphs and a ledger, ready for a runtime
//
// The package builds what all families need: graphs, problems of nodes that are equals,
// jobs, planned losses. Arms of a sweep share what they have in common by way of a Builder.
//
//	study/plots     what a figure of a scenario shows
//	study/effort    how much work notes may take beside runs
//	study           the vocabulary
//	study/arms      builds and checks arms
//	study/remarks   what readers of results need besides the numbers
//	study/pairing   which algorithm goes with which problem and mechanism
//
// The first two know nothing of arms; the last three use the vocabulary and not each other.
//
// # What fails where
//
// An Arm is built with all its faults collected in Faults, each at file:line:column, so
// that a user sees all mistakes of a file at once. A Plan that could not be built is not
// used. What depends on the seed, such as a graph that is not connected under one seed,
// is an error of Plan.Job.
//
// # What the package is not
//
// It names no family, reads no files of scenarios and runs nothing: packages family,
// loading and runner do.
package study
