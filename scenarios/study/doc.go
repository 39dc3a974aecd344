// Package study is the vocabulary of studies: a scenario and its arms, the plan that a family
// of algorithms makes of an arm, and the job that a plan makes of a seed.
//
//	file            Scenario         one file, checked
//	  |  sweep        |
//	  v               v
//	Variant         Arm              one variant of it, ready to run under any seed
//	                  |  Algorithm.Build, of a family
//	                  v
//	                Plan             the content of the arm's runs: extent, privacy, recording
//	                  |  Plan.Job(seed)
//	                  v
//	                Job              machines, graphs and a ledger, ready for a runtime
//
// The package builds the parts that all families need: graphs, problems of nodes that are
// equals, jobs, planned losses. Arms of a sweep share equal parts by way of a Builder.
//
//	study/plots     the content of a scenario's figures
//	study/effort    the limit on the work of notes beside runs
//	study           the vocabulary
//	study/arms      builds and checks arms
//	study/remarks   notes and warnings for readers of results
//	study/pairing   the problems and mechanisms that go with each algorithm
//
// The first two know nothing of arms; the last three use the vocabulary and not each other.
//
// # Where errors appear
//
// An Arm is built with all its faults collected in Faults, each at file:line:column, so that a
// user sees all mistakes of a file at once. A Plan that could not be built is not used. A
// fault that depends on the seed, such as a graph that is not connected under one seed, is an
// error of Plan.Job.
//
// # Limits of the package
//
// It names no family, reads no files of scenarios and runs nothing: packages family, loading
// and runner do.
package study
