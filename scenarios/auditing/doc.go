// Package auditing bounds the privacy loss of a run from below, by the messages on the wire:
// it runs an algorithm on neighbouring data many times, and compares. Families name the
// neighbours that are easiest to tell apart. Package mechanisms/audit has the bounds
// themselves.
//
//	scenario --Smaller--> an arm of a few nodes and steps      Audit, of a family
//	     |
//	     v
//	Run.Run(seed, other, noise)     the plan's own job, with the canary on one side
//	     |                          lockstep, watched
//	     v
//	Observed                        the vectors of the node, and of its shadows without noise
//	     |
//	     +-- likelihood ratio       the best statistic, if the noise is as stated   run.go
//	     +-- differences and sums   noise that is shared or repeated cancels        second.go
//	     +-- moments                is the noise independent, and as large?         second.go
//	     +-- moments of few runs    of which steps are outcomes worth the time?     scale.go
//	     v
//	judge                           lower bounds, all with one confidence           judge.go
//
// # Power of an audit
//
// An audit can find an account that states too little, noise that is too small, noise that is
// used twice or shared, and a release that depends on data the account does not count. It
// cannot find a loss that needs more samples than it has: Finding.Reach is the largest loss
// that so many samples can show.
//
// An audit plays the job that a study runs, from the same plan. It changes sizes, data and the
// scale of the noise, and nothing else: an audit of a copy would audit the copy.
package auditing
