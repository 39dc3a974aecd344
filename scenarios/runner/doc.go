// Package runner runs scenarios: all their jobs, with checkpoints, into results folders;
// replays of a few steps; and the reproduction of the library's claims.
//
// # A run
//
//	Run
//	  |  Hash: scenario, overrides, data and build name the folder OUT/NAME/HASH
//	  |  complete already?  -> the existing results
//	  v
//	RunJobs      all arms under all seeds, several at a time
//	  |            executor.job   plan.Job(seed), state from a checkpoint, engine or lockstep
//	  |            in the order of (arm, seed), whatever the order in which they end
//	  v
//	collector    metrics, privacy, statistics over seeds, digest
//	  |
//	  v
//	figures, manifest, commit; then the checkpoints are removed
//
// # Why results do not depend on how they were run
//
// A job depends on arm and seed alone. Results are taken in the canonical order, so that
// files and digest are the same with one worker and with many. A job that was interrupted
// goes on from its state, and a job that was finished is read from the journal. The
// digest covers the final state of every machine and every recorded number.
//
// # Progress
//
// A tracker follows the jobs and writes progress.json into the folder of the run. No result
// depends on it.
//
// # Replays
//
// A run keeps metrics and no messages: messages are computed anew, bit for bit. Nothing is
// written.
//
//	Replay    the turns of one node: inbox, outbox, state, and charged losses; the metrics that it
//	          meets are compared with the recorded ones
//	Passage   the messages of a step and their fates, link by link
//
// # What the package is not
//
// It knows no family and no mechanism. Package study chooses the metrics, and ledger and
// accounts do the accounting.
package runner
