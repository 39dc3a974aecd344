// Package scenarios is the catalog of what scenario files can name, and the face of
// the packages below it: loading reads and checks a file and spreads its sweep into
// arms, a family plans what each arm runs, runner runs all arms and seeds and writes the
// results folder, auditing bounds what a run shows, reporting and show present it.
//
// It holds no algorithm, no problem and no topology of its own: those are packages, and
// catalog.go has a line for each.
package scenarios
