// Package workers has jobs of a run made by other processes, with the same bits.
//
//	Serve      a worker: hears at an address, and makes the jobs that coordinators ask for
//	NewPool    a coordinator's workers, which the runner hands its jobs to
//	  Begin      joins them, and has each load the scenario and check build and data
//	  Run        one job: by a worker that is free, and by another if that is lost
//	  Spread     one job, whose participants are in all workers
//
// # What crosses
//
// A worker gets the scenario with all that it extends and all overrides, the hash of the
// run, and the names and SHA-256 of the data. It has the data itself, in its own folder. It
// refuses another version, build or arithmetic than its own, and data that differ or are
// missing, by name. Then it gets numbers of jobs, one ahead for each core. It sends back how
// many steps of each are done, every second, its states, as often as the scenario has them
// saved, and at the end what the job left, as package jobs writes it for the
// journal of a run. So a result is the same whoever made it, and the coordinator takes
// results in the canonical order as it does with its own.
//
// A job that is spread is made by all workers, each of which has the shards of one process of
// package engine; the coordinator has none. Workers open links to each other, and what the
// processes of the run tell each other goes over all links in packets.
//
// # What is lost
//
// A worker of which nothing is heard, or whose link has failed, is lost: its jobs go to
// others, from the last state that came whole, while the pool tries for Patience to join it
// again. A job that was lost with three workers and has saved no state meanwhile fails the
// run, since it may be what ended them. So do
// the loss of all workers, and a job of which no step was done for Options.Stall; the error
// names who is waited for. A spread job that loses a worker goes back to the last state that
// was saved. A worker whose coordinator is gone ends its jobs, says so, and
// waits for the next.
//
// A worker that cannot do what it is asked, such as to go on from a state longer than it takes,
// refuses with the reason, and is given up. What waits in either process has a bound.
package workers
