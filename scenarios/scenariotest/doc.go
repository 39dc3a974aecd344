// Package scenariotest is support for tests, and no part of the program: small scenarios of
// every family as texts, a loader with generated data, and functions that load, run and read a
// scenario and fail the test on an error.
//
//	Base, Learning, Stochastic, Realizable, Trained    texts of the families, to be changed by Edited
//	Families                                           all of them, with variants of the privacy charges
//	Small                                              a scenario of the library, at a size for tests
//	LoadText, Load, RunIn, RowsOf, MetricsOf           load, run, read
//	Charged, SentBy                                    messages, and the ledger's charges for them
//
// Tests of package scenarios and of the packages below it import it. Packages below it do so
// from external tests, because it imports the catalog. Its own tests audit runs of every family
// of the catalog by AuditIn and AuditRuns.
package scenariotest
