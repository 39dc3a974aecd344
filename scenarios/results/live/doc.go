// Package live is the file progress.json in the folder of a run: the progress of the run, and
// the metrics that it has recorded so far. The process that makes the run writes the file, and
// anybody may read it.
//
//	running    written at most once a second, and for at most a hundredth of the time
//	stopped    the run ended before it was done; the same command goes on
//	failed     the run ended with an error
//	done       a part of a run is done
//	(absent)   the run is complete, or has not begun
//
// A reader gets the old file or the new one, and never a part of either. The file belongs to
// no result: no digest and no data file depends on it, and a run that is complete removes it.
// A process that was killed leaves the file as it was last written; the claim on the folder
// shows whether a process is at work, and not this file; see package runs.
//
// The package computes nothing: package runner fills the file in.
package live
