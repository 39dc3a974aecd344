// Package watch holds the meters that stand before the meter of a job's family: who
// plays on after the end of its part, and who takes part at all. It measures no metric;
// packages under meter do.
package watch
