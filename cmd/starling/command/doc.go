// Package command is the command line of Starling for any catalog. The program
// starling has the catalog of package scenarios. A program of one's own adds
// its kinds to that; cmd/custom shows how.
//
// Each verb has a file: here, or in package inspect the verbs about finished
// runs and about folders of runs. Package shell has
// the code that verbs share. A verb reads flags, calls one function of the
// packages of scenarios, and prints the result. Nothing is computed here, so
// that Go programs can call everything that verbs do.
//
//	verb         task                                              package that does it
//	run          run a scenario under all its seeds                runner
//	merge        put the parts of a run together                   runner
//	batch        a job array for the parts of a run                workers
//	worker       make runs for a coordinator elsewhere             workers
//	validate     check a scenario without running it               loading
//	list, help   the names that a scenario can use, and its keys   kind, loading
//	describe     a kind or a metric, with all its options         guide
//	show         a scenario, as written or with all defaults      guide
//	init         a new scenario with comments                     guide
//	schema       JSON Schema of scenario files                     loading
//	export       metrics as CSV                                    results
//	compare      two runs or arms, paired by seed                  claim, view
//	plot         a metric as a figure                              view, results/figure
//	report       runs as an HTML page                              view, results/report
//	privacy      the losses of units to observers                  accounts
//	audit        lower bounds beside accounted losses              auditing
//	replay       one node's turns of a finished run                runner
//	reproduce    verdicts on the papers' claims                    runner, claim
//	account      calibrate Gaussian noise, account its steps       mechanisms/accountant
//	factorize    correlated noise for prefix sums                  mechanisms/factorization
//	topology     describe a network over time                      view
//	ui           runs and scenarios on a local web page            observatory
//	data         check and download data sets                      problem/dataset
//	runs         list the runs in a folder                         results/runs
//	watch        follow a run while it is made                     results/live
//	tag, rm, du  name, remove and size runs                        results/runs
//	man          manual pages of verbs and topics                  shell
//	bench        measure the program, in ratios to plain loops     bench/workload
//
// # Errors and exit codes
//
//	shell.UsageError       the command line makes no sense       2
//	document.InputError    a file, printed with its lines        2
//	context.Canceled       Ctrl-C                                1
//	any other error        the task failed                       1
//
// With exit code 2 nothing was written. Users script against verbs, flags, exit
// codes, columns and JSON fields: these change with an entry in CHANGELOG.md
// only.
package command
