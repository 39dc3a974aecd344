// Package workers distributes the jobs of a run to other processes. The results have the same
// bits.
//
//	Serve      a worker: listens at an address, and makes the jobs that coordinators request
//	NewPool    a coordinator's workers, to which the runner hands its jobs
//	  Begin      joins them, and has each load the scenario and check build and data
//	  Run        one job: by a worker that is free, and by another if that is lost
//	  Spread     one job, with participants in all workers
//
// # Messages
//
// A worker gets the scenario with all that it extends and all overrides, the hash of the run,
// and the names and SHA-256 of the data. It has the data itself, in its own folder. It refuses
// a run of another version, build or arithmetic than its own. It refuses data that differ or
// are missing, by name. Then it gets numbers of jobs, one ahead for each core. It sends back
// the number of steps of each job that are done, every second; the job's states, as often as
// the scenario has them saved; and at the end the job's result, in the form that package jobs
// writes into the journal of a run. So a result does not depend on the worker that made it.
// The coordinator takes results in the canonical order as it does with its own.
//
// A spread job is made by all workers, each of which has the shards of one process of package
// engine; the coordinator has none. Workers open links to each other. The messages between the
// processes of the run go over all links in packets.
//
// # Losses
//
// A worker that falls silent or loses its link is lost. Its jobs go to other workers, from the
// last state that arrived whole, while the pool tries for Options.Patience to join it again. A
// job that was lost with three workers and has saved no state meanwhile fails the run, since
// it may have ended them. The loss of all workers fails the run, and so does a job without a
// finished step for Options.Stall; the error names the worker that has it. A spread job that
// loses a worker goes back to the last saved state. A worker that loses its coordinator ends
// its jobs, logs that, and waits for the next coordinator.
//
// A worker that cannot do a request, such as to go on from a state that is too long, refuses
// with the reason, and the pool gives it up. All queues in both processes are bounded.
//
// ToWorker and ToCoordinator are messages of Protocol Buffers. They are generated from
// workers.proto by protoc 3.21.12 and protoc-gen-go 1.36.12; a test holds that they are current.
//
// # Batches
//
// A Batch is input for a cluster that runs the parts of a study without workers: a job array for
// Slurm, an indexed Job for Kubernetes, or a shell script for one machine. Every part is the same
// command with its own number, and requests the same cores, memory and time. Nothing of it is run
// here, and it knows of a study no more than its commands.
package workers

//go:generate protoc --proto_path=../.. --go_out=../.. --go_opt=paths=source_relative scenarios/workers/workers.proto
