// Package progress follows a run while it is made: the steps that each run under a seed has
// made, the time that the rest will take, and the metrics recorded so far. It writes them into
// progress.json, in the format of package live.
//
//	runner ->  Begin, Watch, Advance, Paused, Finish   of each job, from its goroutine
//	Tracker -> progress.json                           at most once a second
//
// # Cost
//
// A step costs an atomic store. While a job goes on, its meter reports the final values of its
// metrics (gauge.Meter.Tell), for some milliseconds before each write of the file. The file is
// written at most once a second. If the report and the write took time t, the next write comes
// no earlier than 125 t, which is 0.8 % of one core. On a busy machine, where the clock counts
// the time of other programs, the file is written every five seconds all the same. So values
// appear within one to five seconds of the step after theirs.
//
// A metric that is known only when a job is over, such as an epsilon, is computed on a copy of
// its meter, at a pause that the job makes anyway to save its state. That is not done within
// its first seconds, and takes at most another 0.2 % of the time. Such a metric changes at
// those pauses, and so do all metrics of a run that is spread over processes.
//
// # What the package is not
//
// No result depends on it: the tracker reads the records of jobs and writes to none of them.
// It reports the work of the runner and decides nothing.
package progress
