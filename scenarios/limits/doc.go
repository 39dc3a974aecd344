// Package limits holds the limits on the size of scenarios, and counts the use of a scenario.
// It refuses nothing itself: its callers compare. It limits the time of users, too: Within ends
// the wait for work that ignores its context, and a Board shows the work that a user waits for.
package limits
