// Package limits holds the limits on the size of scenarios, and counts the use of a scenario.
// It refuses nothing itself: its callers compare.
package limits
