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
	// mostChecked is how many edges of graphs that are drawn anew are looked
	// at before a run. Graphs beyond it are looked at by the run.
	mostChecked = 1 << 26
)

// usage is what the arms of a scenario take, in the units of the limits.
// Amounts are float64 so that no product overflows.
type usage struct {
	coordinates, edges, records, checked float64
	exceeded                             bool // one of the limits, the last apart
}

// take adds an amount to one of the totals unless that would exceed its limit.
func (u *usage) take(total *float64, amount, most float64) bool {
	if !(*total+amount <= most) {
		u.exceeded = u.exceeded || total != &u.checked
		return false
	}
	*total += amount
	return true
}

// product is that of integers as a float64.
func product(factors ...int) float64 {
	p := 1.0
	for _, f := range factors {
		p *= float64(f)
	}
	return p
}
