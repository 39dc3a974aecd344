// Package study is the vocabulary of studies: a scenario and its arms, the plan that a
// family of algorithms makes of an arm, and the job that a plan makes of a seed. It
// builds what all families need, such as graphs and the points of time at which metrics
// are taken. It names no family, reads no files of scenarios and runs nothing: packages
// family, loading and runner do.
package study
