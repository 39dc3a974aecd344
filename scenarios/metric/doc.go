// Package metric lists the metrics: name, meaning, unit, and which direction is better.
// Packages under meter compute them.
package metric
