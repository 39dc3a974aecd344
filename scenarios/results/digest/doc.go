// Package digest ties the results of a job to its digest: the digest of a run is the digest of
// the rows in its files, and readers can check that the rows are as they were written.
//
//	Hash    the digest of a job, while states of machines and rows come in
//	Proof   a digest, and the state of its hash before the rows: from there the rows give it again
//	Book    the proofs of all jobs of a run, which become digests.jsonl, a line each
//	OfRun   the digest of a run, made of the digests of its jobs
//	CheckMetrics, CheckPrivacy   the rows of a file against such lines
//
// A proof does not show that the machines were the scenario's: only a run can show that.
package digest
