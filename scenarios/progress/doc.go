// Package progress follows a run while it is made: how far each run under a seed has come,
// how long the rest will take, and the metrics recorded so far. It writes them into
// progress.json, whose format is that of package live.
//
//	runner ->  Begin, Advance, Paused, Finish   of each job, from its goroutine
//	Tracker -> progress.json                    at most once a second
//
// # What it costs
//
// A step costs an atomic store. The file is written at most once a second, and not again
// before a hundred times as long as writing took. The metrics of a job under way are worked
// out on a copy of what its meter has taken in, while the job rests between two steps anyway
// to save its state; not within its first seconds, and for at most a hundredth of the time.
//
// # What it is not
//
// Nothing of a result depends on it: the tracker reads what jobs have left and writes to none
// of them. It says what the runner does and decides nothing.
package progress
