// Package measure runs workloads, and takes the time, the processor time, the allocations and
// the peak memory of each run, in turn with its plain loop. It writes the figures as a report,
// and compares two reports by the statistics of benchstat: medians, confidence intervals from
// order statistics, and the Mann-Whitney U test (package benchmath of golang.org/x/perf).
//
// It reads the clock. It knows no workload.
package measure
