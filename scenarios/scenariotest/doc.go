// Package scenariotest is support for tests, and no part of the program: small scenarios
// of every family as texts, a loader with generated data, and functions that load, run
// and read a scenario and fail the test where something goes wrong.
//
//	Base, Learning, Stochastic, Realizable, Trained    texts of the families, to be changed by Edited
//	Families                                           all of them, with what changes who pays what
//	Small                                              a scenario of the library, at a size for tests
//	LoadText, Load, RunIn, RowsOf, MetricsOf           load, run, read
//	Charged, SentBy                                    what was sent, and what the ledger says of it
//
// Tests of package scenarios and of the packages below it import it. Those below it
// import it as external tests, because it imports the catalog.
package scenariotest
