package study

import "starling/scenarios/cache"

// NeedsOf returns the values that a job of the arm asks the cache for. The caller that runs
// jobs makes the cache hold the values of all of them before the first begins, and releases
// each job's values at its end. Otherwise the job asks a cache that keeps nothing.
func NeedsOf(arm *Arm, seed uint64) (needs []cache.Need) {
	if arm.Topology != nil && arm.Topology.Checks && arm.Topology.Seeded() {
		needs = append(needs, graphsNeed(arm, seed))
	}
	if s, ok := arm.Algorithm.(Sharer); ok {
		needs = append(needs, s.Shares(seed)...)
	}
	return needs
}
