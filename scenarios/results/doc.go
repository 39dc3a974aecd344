// Package results keeps what a simulation run leaves behind: one folder per
// scenario and hash, with
//
//	manifest.json     what was run, with which build, and the hash of every data file
//	scenario.yaml     the scenario, byte for byte
//	metrics.parquet   arm, seed, step, node, metric, value
//	summary.parquet   arm, step, metric, mean, se, n
//	privacy.parquet   what each observer learns of which units (package privacy has its rows)
//	arms.parquet      run, scenario, arm, key, value, type, number, swept
//	digests.jsonl     of each job what ties its rows to its digest (package digest)
//	log.jsonl         the caller's log; the one file that may hold the time
//	plots/            figures as SVG, PNG and JSON (package figure draws them)
//	models/           what jobs have trained, a file each, where that is asked for
//	COMPLETE          the SHA-256 of manifest.json, written last
//
// A run is a scenario with all its arms (the variants of a sweep) and seeds; a
// job is one (arm, seed). Create opens a folder for writing under an exclusive
// lock, WriteJob streams the jobs into it in canonical order (arms in the order
// of the run, seeds ascending), Commit makes it complete. Open reads a complete
// folder back. Files are whole or absent under their final names, and equal
// rows give equal bytes, so that two runs can be compared by hash. The metadata of each
// Parquet file names the run, its scenario and its digest, and says what the metrics are.
//
// The package knows nothing of scenarios, algorithms or engines: it neither
// runs anything nor decides what is measured.
package results
