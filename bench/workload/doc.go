// Package workload has the fixed workloads that Starling is measured by: whole runs,
// the actor engine alone, algorithms, noise, graphs, models, results, and the start of
// the program. Each runs the code that users run. Most have a plain loop beside them,
// which does the same arithmetic over arrays, without actors, on two goroutines where the
// work is divided; a test holds the loops of whole runs to the same numbers.
//
//	group       work                                          plain loop
//	run         runner.Run, from a scenario to its folder     the same draws, steps and sums over arrays
//	engine      actors that average, or take local steps      the same sums over arrays
//	algorithms  a job of an algorithm on the actor engine     none
//	noise       a mechanism's releases                        as many normal numbers
//	graphs      redrawn graphs, weighted and checked          lists of neighbours, searched
//	models      gradients of batches                          the same sums, or as many multiplications
//	results     metrics to Parquet                            the same rows as CSV
//	program     a new process                                 none
//
// Measure takes the time, the processor time, the allocations and the peak memory of each run of
// a workload, in turn with its plain loop. A Report has the figures, and compares two reports by
// the statistics of benchstat: medians, confidence intervals from order statistics, and the
// Mann-Whitney U test (package benchmath of golang.org/x/perf).
//
// Measure alone reads the clock. The verb bench and the benchmarks of package bench both take
// their workloads from here.
package workload
