package limits

// The limits of a scenario. They lie far above the sizes that a run can finish. They keep a
// slip of the pen, such as a horizon of 10^9, from exhausting the memory of a check or the
// patience of its user.
const (
	Steps = 10_000_000
	Nodes = 10_000_000
	// Population bounds the nodes of a run that holds the clients of a round alone.
	Population = 1_000_000_000
	Arms       = 1_000
	// Swept is the greatest number of values that an arm sets.
	Swept = 100
	// Dimension bounds d of a decision.
	Dimension = 1_000_000
	// Models bounds the coordinates of the models of clients that keep their data, in one arm:
	// 32 GiB. Arms are run one after the other, in the memory that a run may take.
	Models = 1 << 32
	// Points bounds the steps at which an arm's metrics are recorded.
	Points = 100_000
	// Track bounds T d: the coordinates of a target that is tracked over the horizon.
	Track = 1 << 28
	// Places bounds T N d: the coordinates of moving sensors.
	Places = 1 << 26
	// MetricBytes bounds the memory of statistics over an arm's seeds, and the metrics of one
	// of its runs.
	MetricBytes = 4 << 30
	// OwnerBytes bounds the memory of the values of single participants in one run.
	OwnerBytes = 1 << 30
)

// The limits on all arms of a scenario together; data that arms share count once.
const (
	// Coordinates bounds N d of all arms: the decisions of all nodes.
	Coordinates = 1 << 27
	// Edges bounds the graphs that are kept.
	Edges = 1 << 26
	// Records bounds the steps at which metrics are recorded.
	Records = 1 << 20
	// Checked bounds the nodes and edges of graphs drawn anew that validate and a dry run
	// examine. A run examines each graph when it comes to it.
	Checked = 1 << 24
	// visited bounds the nodes and edges that a check of the file examines, and built those
	// that it has in memory. The rest is left to the run: a check takes a second or two and
	// some 100 MiB at most, whatever the file.
	visited = 1 << 24
	built   = 1 << 20
	// divided bounds the number of data that a check of the file divides among nodes, over all
	// seeds: half a second, and some 100 MiB. Each division counts as eachDivision more data.
	divided      = 1 << 23
	eachDivision = 1 << 12
	// surveyed bounds the nodes and edges of graphs of seeds after the first that a check of
	// the file examines, over all seeds and arms: half a second. Each graph counts as
	// eachGraph more.
	surveyed  = 1 << 23
	eachGraph = 1 << 8
	// foreseen bounds the nodes and edges of graphs drawn anew that a check of the file
	// examines for an arm: a millisecond or two.
	foreseen = 1 << 16
)

// Usage is the use of the arms of a scenario, in the units of the limits. Amounts are float64
// so that no product overflows.
type Usage struct {
	// Each of the three is the sum over all arms so far.
	Coordinates, Edges, Records float64
	// If these exceed their limits, the scenario is not refused.
	looked, built, dealt, surveyed float64
	// Exceeded is true if a limit is exceeded: later arms need not be built.
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

// Builds reports whether a check of the file should have a graph of size nodes and edges in
// memory, and examine work of them. It takes both off the check's limits.
func (u *Usage) Builds(size, work float64) bool {
	return u.built+size <= built && u.Take(&u.looked, work, visited) && u.Take(&u.built, size, built)
}

// Divides returns the number of seeds, of so many, for which a check of the file should divide
// so many data among nodes. It takes them off the check's limit.
func (u *Usage) Divides(data, seeds int) int {
	count := max(0, min(seeds, int((divided-u.dealt)/float64(data+eachDivision))))
	u.dealt += Product(count, data+eachDivision)
	return count
}

// Surveys reports whether a check of the file should examine a graph of another seed, of size
// nodes and edges. It takes the graph off the check's limit.
func (u *Usage) Surveys(size float64) bool {
	if u.surveyed+size+eachGraph > surveyed {
		return false
	}
	u.surveyed += size + eachGraph
	return true
}

// Foresees returns the number of steps at which a check of the file should examine graphs that
// are drawn anew, of size nodes and edges a step. It takes them off the check's limit.
func (u *Usage) Foresees(size float64, steps int) int {
	looked := min(steps, int(foreseen/max(size, 1)))
	if !u.Take(&u.looked, Product(looked)*size, visited) {
		return 0
	}
	return looked
}

// Product returns the product of integers as a float64.
func Product(factors ...int) float64 {
	p := 1.0
	for _, f := range factors {
		p *= float64(f)
	}
	return p
}
