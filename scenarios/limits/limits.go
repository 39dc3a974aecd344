package limits

// The limits of a scenario. They lie far above what a run can finish, and keep
// a slip of the pen, such as a horizon of 10^9, from exhausting the memory or
// the patience of whoever checks the file.
const (
	Steps = 10_000_000
	Nodes = 10_000_000
	Arms  = 1_000
	// Swept is how many values an arm sets at most.
	Swept = 100
	// Dimension is d of a decision.
	Dimension = 1_000_000
	// Points are the steps at which an arm's metrics are recorded.
	Points = 100_000
	// Track bounds T d: the coordinates of what is followed over the horizon.
	Track = 1 << 28
	// Places bounds T N d: the coordinates of sensors that move.
	Places = 1 << 26
	// MetricBytes is what statistics over an arm's seeds keep, and the
	// metrics of one of its runs.
	MetricBytes = 4 << 30
)

// The limits of what all arms of a scenario take together; what arms share
// counts once.
const (
	// Coordinates bounds N d of all arms: the decisions of all nodes.
	Coordinates = 1 << 27
	// Edges bounds the graphs that are kept.
	Edges = 1 << 26
	// Records bounds the steps at which metrics are recorded.
	Records = 1 << 20
	// Checked is how many nodes and edges of graphs that are drawn anew validate and a
	// dry run look at. A run looks at each graph as it comes to it.
	Checked = 1 << 24
	// visited and built are how many nodes and edges a check of the file
	// looks at and has in memory. What is beyond is left to the run: a check takes
	// a second or two and some 100 MiB at most, whatever the file.
	visited = 1 << 24
	built   = 1 << 20
	// divided is how many data a check of the file divides among nodes, over all seeds: half a
	// second, and some 100 MiB. A division takes as long as that of so many more, eachDivision.
	divided      = 1 << 23
	eachDivision = 1 << 12
	// surveyed is how many nodes and edges of graphs of seeds after the first a check of the file
	// looks at, over all seeds and arms: half a second. A graph takes as long as so many more,
	// eachGraph.
	surveyed  = 1 << 23
	eachGraph = 1 << 8
	// foreseen is how many nodes and edges of graphs that are drawn anew a check of the
	// file looks at for an arm: a millisecond or two.
	foreseen = 1 << 16
)

// Usage is what the arms of a scenario take, in the units of the limits.
// Amounts are float64 so that no product overflows.
type Usage struct {
	// Each of the three is the sum over all arms so far.
	Coordinates, Edges, Records float64
	// Where these are exceeded the scenario is not refused.
	looked, built, dealt, surveyed float64
	// Exceeded tells that one of the limits is: what comes after need not be built.
	Exceeded bool
}

// Take adds an amount to one of the totals unless that would exceed its limit.
func (u *Usage) Take(total *float64, amount, most float64) bool {
	if !(*total+float64(amount) <= most) {
		u.Exceeded = u.Exceeded || total != &u.looked && total != &u.built
		return false
	}
	*total += float64(amount)
	return true
}

// Builds reports whether a check of the file should have graphs of so many nodes and
// edges in memory, and look at so many, and takes both off what it may.
func (u *Usage) Builds(size, work float64) bool {
	return u.built+size <= built && u.Take(&u.looked, work, visited) && u.Take(&u.built, size, built)
}

// Divides returns of how many seeds, of so many, a check of the file should divide so many data
// among nodes, and takes them off what it may.
func (u *Usage) Divides(data, seeds int) int {
	count := max(0, min(seeds, int((divided-u.dealt)/float64(data+eachDivision))))
	u.dealt += Product(count, data+eachDivision)
	return count
}

// Surveys reports whether a check of the file should look at a graph of another seed, of so many
// nodes and edges, and takes it off what it may.
func (u *Usage) Surveys(size float64) bool {
	if u.surveyed+size+eachGraph > surveyed {
		return false
	}
	u.surveyed += size + eachGraph
	return true
}

// Foresees returns of how many steps a check of the file should look at graphs that are
// drawn anew, of so many nodes and edges a step, and takes them off what it may.
func (u *Usage) Foresees(size float64, steps int) int {
	looked := min(steps, int(foreseen/max(size, 1)))
	if !u.Take(&u.looked, Product(looked)*size, visited) {
		return 0
	}
	return looked
}

// Product is that of integers as a float64.
func Product(factors ...int) float64 {
	p := 1.0
	for _, f := range factors {
		p *= float64(f)
	}
	return p
}
