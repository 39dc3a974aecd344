// Package scenarios is the catalog of the kinds that scenario files can name, and the entry
// point to the packages below it: loading reads and checks a file and spreads its sweep into
// arms, a family plans the jobs of each arm, runner runs all arms and seeds and writes the
// results folder, auditing bounds the privacy loss of a run from below, view and view/plot
// present results.
//
// It holds no algorithm, no problem and no topology of its own: those are packages, and
// catalog.go has a line for each.
package scenarios
