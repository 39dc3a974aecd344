// Package progress follows a run while it is made: how far each run under a seed has come,
// how long the rest will take, and the metrics recorded so far. It writes them into
// progress.json, whose format is that of package live.
//
//	runner ->  Begin, Watch, Advance, Paused, Finish   of each job, from its goroutine
//	Tracker -> progress.json                           at most once a second
//
// # What it costs
//
// A step costs an atomic store. Meters tell what is final of the metrics of a job under way
// while it goes on (gauge.Meter.Tell), for some milliseconds before each file; the file is
// written at most once a second, and not again before 125 times as long as both took, which
// is 0.8 % of one core. On a busy machine, where the clock counts the time of others, the
// file is written every five seconds all the same. So values appear within one to five
// seconds of the step after theirs.
//
// What is known only when a job is over, such as an epsilon, is worked out on a copy of what
// its meter has taken in, while the job rests between two steps anyway to save its state; not
// within its first seconds, and for at most another 0.2 % of the time. It moves at those
// pauses, and so do all metrics of a run that is spread over processes.
//
// # What it is not
//
// Nothing of a result depends on it: the tracker reads what jobs have left and writes to none
// of them. It says what the runner does and decides nothing.
package progress
