// Package tuning makes trials of the section tune of a scenario, and chooses values of keys by
// them: for each arm of the sweep, the values of the trials with the best mean of a metric of
// validation rows. It runs nothing. A verb runs the scenarios that it describes by overrides.
//
//	section.go    the section, checked against its scenario
//	keys.go       roles and paths, lists and laws of values
//	plan.go       trials as the arms of a scenario
//	choice.go     the best trials, edges of grids
//	cost.go       the cost of trials on private data
package tuning
