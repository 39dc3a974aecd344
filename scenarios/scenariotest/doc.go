// Package scenariotest is support for tests, and no part of the program: small
// scenarios of every family as texts, a loader with generated data, and functions that
// load, run and read a scenario and fail the test where something goes wrong. Tests of
// package scenarios and of the packages below it import it; those below it import it as
// external tests, because it imports the catalog.
package scenariotest
