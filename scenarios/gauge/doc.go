// Package gauge measures runs from beside the machines: gauges get the decisions, records and
// messages of machines, and are never read by a machine. A Gauge measures one thing; a Meter
// is a list of gauges, with the points at which a run is measured, and a job hands it to the
// ledger. A family lists the gauges that it wants; those that it shares with others are here,
// and its own stand with the family.
//
//	gauge          metrics                                       of
//	Traffic        messages.sent, bytes.sent                     any run
//	Fates          messages.lost, .late, .dropped, bytes.queued  networks with effects
//	Model          evaluations of the server's model             runs with a server that decides
//	Latest         a quantity of one machine, its newest value   such as rounds of a server
//	Means          a quantity of machines, the mean over nodes   records of an author's code
//	Paid           the ledger's metrics                          any run
//	OnBoundary     none: how many decisions are extreme          decision sets with an interior
//	Participation  none: the steps with participants             networks with effects
//	BelowQuorum    none: how often too little was heard          rules against lies
//
// The gauges of decisions ask the problem of a run:
//
//	Spread         consensus.error, target.error                 runs with several deciders
//	Accuracy       accuracy.test                                 problems that classify
//	Probe          loss.mean, loss.fresh, regret.fixed, ...      any run that is asked for them
//	Owners         loss.worst, epsilon.gini, ...                 any run that is asked for them
//	Window         consensus.error.mean, .least, .most, ...      any run that is asked for them
//
// RegretGauges are the gauges of decentralized online optimisation, by nodes that are equals:
//
//	LinearRegret   regret.node, .run: linear regret (DPDO-NC, (3)), cumulative;
//	               regret.adaptive: the largest over intervals of a length
//	ExpectedRegret regret.expected: max over i of E over seeds, inside both maxima
//	moves          move.*: how far mirror steps move nodes
//	masses         none: masses of push-sum, which sum to the number of nodes
//
// and Spread, Accuracy, Traffic, Fates. No gauge measures payments: package ledger states the
// metrics of privacy.
//
// During a run gauges take in the data of their metrics, and compute the metrics when it is
// over, in an order of their own: nothing depends on the runtime that calls, or on the order
// in which nodes play. Sums of floating-point numbers are taken by node, then by step; sums
// over concurrent nodes are of integers. A gauge of which no metric is wanted is left out, and
// costs nothing.
package gauge
