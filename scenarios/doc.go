// Package scenarios turns a scenario file into results: it reads and checks the
// file, spreads its sweep into arms, builds what each arm runs from the
// catalog, runs all arms and seeds, and writes the results folder.
//
// It holds no algorithm, no problem and no topology of its own: those are
// packages, and catalog.go has a line for each.
package scenarios
