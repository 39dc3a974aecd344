package scenarios

// The limits of a scenario. They lie far above what a run can finish, and keep
// a slip of the pen, such as a horizon of 10^9, from exhausting the memory or
// the patience of whoever checks the file.
const (
	mostSteps     = 10_000_000
	mostNodes     = 10_000_000
	mostSeeds     = 1_000_000
	mostArms      = 1_000
	mostSwept     = 100 // values that an arm sets
	mostDimension = 1_000_000
	mostPoints    = 100_000 // steps at which an arm's metrics are recorded
	mostMeasured  = 100_000 // nodes at which regret is taken
	mostTrack     = 1 << 28 // T d: coordinates of what is followed over the horizon
	mostPlaces    = 1 << 26 // T N d: coordinates of sensors that move
	// mostMetricBytes is what statistics over an arm's seeds keep, and the
	// metrics of one of its runs.
	mostMetricBytes = 4 << 30
)

// The limits of what all arms of a scenario take together; what arms share
// counts once.
const (
	mostCoordinates = 1 << 27 // N d: of the decisions of all nodes
	mostEdges       = 1 << 26 // of the graphs that are kept
	mostRecords     = 1 << 20 // steps at which metrics are recorded
	// mostChecked is how many edges of graphs that are drawn anew a run looks at
	// before its jobs. Each job looks at its own graphs in any case.
	mostChecked = 1 << 26
	// mostVisited and mostBuilt are how many nodes and edges a check of the file
	// looks at and has in memory. What is beyond is left to the run: a check takes
	// a second or two and some 100 MiB at most, whatever the file.
	mostVisited = 1 << 24
	mostBuilt   = 1 << 20
)

// usage is what the arms of a scenario take, in the units of the limits.
// Amounts are float64 so that no product overflows.
type usage struct {
	coordinates, edges, records float64
	// Where these are exceeded the scenario is not refused.
	looked, built float64
	exceeded      bool // one of the limits
}

// take adds an amount to one of the totals unless that would exceed its limit.
func (u *usage) take(total *float64, amount, most float64) bool {
	if !(*total+amount <= most) {
		u.exceeded = u.exceeded || total != &u.looked && total != &u.built
		return false
	}
	*total += amount
	return true
}

// builds reports whether a check of the file should have graphs of so many nodes and
// edges in memory, and look at so many, and takes both off what it may.
func (u *usage) builds(size, work float64) bool {
	return u.built+size <= mostBuilt && u.take(&u.looked, work, mostVisited) && u.take(&u.built, size, mostBuilt)
}

// product is that of integers as a float64.
func product(factors ...int) float64 {
	p := 1.0
	for _, f := range factors {
		p *= float64(f)
	}
	return p
}
