// Package results stores the results of a simulation run: one folder per scenario and hash,
// with
//
//	manifest.json     the scenario's identity, the build, and the hash of every data file
//	scenario.yaml     the scenario, byte for byte
//	metrics.parquet   arm, seed, step, node, metric, value
//	summary.parquet   arm, step, metric, mean, se, n
//	privacy.parquet   the privacy loss of which units to each observer
//	arms.parquet      run, scenario, arm, key, value, type, number, swept
//	digests.jsonl     for each job the proof that ties its rows to its digest
//	log.jsonl         the caller's log; the one file that may hold the time
//	plots/            figures as SVG, PNG and JSON, captions as text and LaTeX (package figure)
//	models/           the models that jobs have trained, a file each, if the scenario asks for it
//	COMPLETE          the SHA-256 of manifest.json, written last
//
// A run is a scenario with all its arms (the variants of a sweep) and seeds; a job is one
// (arm, seed). Create opens a folder for writing under an exclusive lock, WriteJob streams the
// jobs into it in canonical order (arms in the order of the run, seeds ascending), Commit
// makes it complete. Open reads a complete folder back. Files are whole or absent under their
// final names, and equal rows give equal bytes, so that two runs can be compared by hash. The
// metadata of each Parquet file names the run, its scenario and its digest, and describes the
// metrics.
//
// # Tables
//
// A table is a Parquet file of records of any type: whole or absent, in row groups that are
// copied as they are, and with columns that are decoded page by page. Equal rows in equal calls
// give equal bytes.
//
//	createTable, Write, Commit  a file, in row groups of at most rowsPerGroup rows
//	Annotate                    texts in its metadata
//	encodeTable, openRows, Copy a table in memory, and its row groups in a file byte for byte
//	readTable                   all rows of a file
//	readValues, readPlaces,
//	readNames, readCounts       columns of a row group
//	behind                      work beside the caller, in order
//
// The package knows nothing of scenarios, algorithms or engines: it neither runs anything nor
// chooses the metrics.
package results
