package study

import "starling/scenarios/cache"

// NeedsOf are the values that a job of the arm asks the cache for: whoever runs jobs has
// the cache hold those of all of them before the first begins, and release those of each
// at its end. A job that is run without asks a cache that keeps nothing.
func NeedsOf(arm *Arm, seed uint64) (needs []cache.Need) {
	if arm.Topology != nil && arm.Topology.Checks && arm.Topology.Seeded() {
		needs = append(needs, graphsNeed(arm, seed))
	}
	if shares := arm.Algorithm.Shares; shares != nil {
		needs = append(needs, shares(seed)...)
	}
	return needs
}
