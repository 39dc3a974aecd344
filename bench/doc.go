// Package bench has the benchmarks of Starling, and is no part of the program. Of its
// subpackages, workload has the workloads that the verb bench measures too, whole runs among
// them, the plain loops beside them, and the measurement of their time and memory.
//
// BenchmarkWorkloads runs all of them. The other benchmarks look into a part: starting
// participants, redrawn graphs and their growth, correlated noise, the optimal
// factorization, a round of ALI-DPFL, a convolutional network.
//
// Absolute times depend on the machine and the other programs on it; the figures to read are
// the ratios. Loop and actors take turns, and the ratio is the median over the pairs:
//
//	go test ./bench -run '^$' -bench . -benchtime 11x
//	go test ./bench -run '^$' -bench Workloads/run/gossip -benchtime 6x
//	starling bench --only '^run/gossip'
//
// BenchmarkPage measures the local page in Chromium, beside a page that has the same curves
// and nothing else.
//
// audits, a program, draws scenarios at random and audits each of them. TestFaults
// audits against faults that cost privacy and that audits have to find: the sources are built with
// all of them put back, each behind a switch, and `starling audit` runs with one of them at a
// time. A fault that no longer fits the sources fails TestFaultsFit.
//
// peers/run, in Python, measures the command against the programs of others.
package bench
