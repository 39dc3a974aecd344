// Package digest ties what a job has left to its digest: so the digest of a run is that of the
// rows in its files, and whoever reads them can see whether they are the rows that were written.
//
//	Hash    the digest of a job, while states of machines and rows come in
//	Proof   a digest, and the state of its hash before the rows: from there the rows give it again
//	Book    the proofs of all jobs of a run, which become digests.jsonl, a line each
//	OfRun   the digest of a run, of those of its jobs
//	CheckMetrics, CheckPrivacy   the rows of a file against such lines
//
// A proof does not show that the machines were those of the scenario: that takes a run.
package digest
