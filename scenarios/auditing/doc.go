// Package auditing bounds from below what a run shows of its data, by what crosses the
// wire: it runs an algorithm on neighbouring data many times, and compares. Families say
// what their neighbours are that are told apart the most. The bounds themselves are those
// of mechanisms/audit.
package auditing
