// Package bench compares the actor runtime with the plain loops that people
// write in its place, doing the same arithmetic in the same run, and measures
// what participants cost. It is no part of the program.
//
// Absolute times depend on the machine and what else runs on it; the figures to
// read are the ratios. Loop and actors take turns, and the ratio is the median
// over the pairs:
//
//	go test ./bench -run '^$' -bench . -benchtime 11x
package bench
