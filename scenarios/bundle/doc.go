// Package bundle puts a finished run into one archive, with all that is needed to make it
// again, and holds a run that is made from such an archive against it.
//
//	Pack     run --> archive: scenario, claims, code, data, and the expected digest, ledger, verdicts
//	Unpack   archive --> folder, after every file has been held against its SHA-256
//	Compare  folder, run made from it --> a Check for the digest, the ledger and each claim
//
// The archive is a zip. Equal runs and options give equal bytes: entries are sorted and have
// one fixed time.
//
//	README.md             the command that checks the archive
//	bundle.json           the list of files, each with size and SHA-256 (Index)
//	run/scenario.yaml     the scenario as it was run
//	run/scenario.claims.yaml, and run/NAME for each file that the scenario or its code names
//	data/NAME             the files of data sets
//	outside/N/NAME        data outside of the scenario's folder; bundle.json has their names in it
//	expected/             manifest.json and privacy.parquet of the run, and verdicts.yaml
//
// The package makes no run: the caller does, between Unpack and Compare. It is no store of
// results either: metrics are not in the archive, but for their digest.
package bundle
