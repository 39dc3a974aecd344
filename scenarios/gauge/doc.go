// Package gauge measures runs from beside the machines: gauges get what machines decide,
// record and send, and are never read by a machine. A Gauge measures one thing; a Meter is
// a list of them, with the points at which a run is measured, and is what a job hands to
// the ledger. A family lists the gauges that it wants; those that it shares with others
// are here, and its own stand with the family.
//
//	gauge      metrics                                       of
//	Traffic    messages.sent, bytes.sent                     any run
//	Fates      messages.lost, .late, .dropped, bytes.queued  networks with effects
//	Model      what is evaluated of the server's model       runs with a server that decides
//	Latest     a quantity of one machine, as it was last     such as rounds of a server
//	Means      a quantity of machines, the mean over nodes   what an author records
//	Paid       what the ledger states                        any run
//	Edge       none: how many decisions are extreme          decision sets with an interior
//	Turnout    none: it says who took part                   networks with effects
//	Few        none: how often too little was heard          rules against lies
//
// The gauges of decisions, which ask the problem of a run, are in package decisions:
//
//	Spread     consensus.error, target.error                 runs with several deciders
//	Accuracy   accuracy.test                                 problems that classify
//	Probe      loss.mean, loss.fresh, regret.fixed, ...      any run that is asked for them
//
// During a run gauges take in what their metrics are made of, and compute the metrics when
// it is over, in an order of their own: nothing depends on which runtime calls, or in what
// order nodes play. Sums of floating-point numbers are taken by node, then by step; what
// concurrent nodes add to together is integers. A gauge of which no metric is wanted is
// left out, and costs nothing.
package gauge
