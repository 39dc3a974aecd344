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
// Beside the vocabulary it has
//
//	plots.go                the content of a figure: a metric against an x axis, with curves,
//	                        colours and bands, as sections of a scenario, commands and pages
//	                        describe it; view/plot decides whether arms have that content, and
//	                        draws it
//	effort.go               the limit on the work of notes beside runs
//	remarks.go, oddities.go notes and warnings for readers of results
//
// A TuningPlan makes trials of the section tune, and chooses values of keys by them: for each arm
// of the sweep, the values of the trials with the best mean of a metric of validation rows. A
// verb runs the scenarios that the plan describes by overrides.
//
//	tune.go, tunecheck.go   the section, checked against its scenario
//	tuningkeys.go           roles and paths, lists and laws of values
//	tuningplan.go           trials as the arms of a scenario
//	tunedchoice.go          the best trials, edges of grids
//	tuningstop.go           a random number of trials
//	tuningcost.go           the cost of trials on private data
//
// Package arms builds and checks arms.
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
