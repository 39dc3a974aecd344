// Package mechanisms reads the mechanism section of a scenario. It draws no noise:
// packages under mechanisms at the top of the tree do.
package mechanisms
