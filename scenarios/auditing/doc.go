// Package auditing bounds from below what a run shows of its data, by what crosses the
// wire: it runs an algorithm on neighbouring data many times, and compares. Families say
// which neighbours are told apart the most. The bounds themselves are those of
// mechanisms/audit.
//
//	scenario --Smaller--> an arm of a few nodes and steps      Builder, of a family
//	     |
//	     v
//	Run.Run(seed, other, noise)     the plan's own job, with the canary on one side
//	     |                          lockstep, watched
//	     v
//	Observed                        what the node sent, and what its shadows would have
//	     |
//	     +-- likelihood ratio       the best statistic, if the noise is as stated   run.go
//	     +-- differences and sums   noise that is shared or repeated cancels        second.go
//	     +-- moments                is the noise independent, and as large?         second.go
//	     +-- moments of few runs    of which steps are outcomes worth the time?     scale.go
//	     v
//	judge                           lower bounds, all with one confidence           judge.go
//
// # What an audit can find
//
// An account that states too little, noise that is too small, noise that is used twice or
// shared, and a release that depends on data the account does not count. What it cannot
// find is a loss that needs more samples than it has: Finding.Reach says how far so many
// can see.
//
// An audit plays the job that a study runs, from the same plan. It changes sizes, data
// and the scale of the noise, and nothing else: an audit of a copy would audit the copy.
package auditing
