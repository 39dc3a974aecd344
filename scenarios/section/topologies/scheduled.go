package topologies

import (
	"sync"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/limits"
)

// readSchedule reads the file that the schedule names, if it names one.
func (c *Common) readSchedule(at Site, schedule *document.Node) error {
	if c.Schedule.File == "" {
		return nil
	}
	text, digest, err := at.Data.File(schedule, "file", c.Schedule.File)
	if err != nil {
		return err
	}
	c.digests = append(c.digests, digest)
	c.listed, c.apart, err = topology.ReadTimes(c.Schedule.File, text, at.Nodes)
	if err != nil {
		return schedule.Resolve(document.AtEach("file", err))
	}
	return nil
}

// times returns the times of the schedule under a seed; nil is every step.
func (c *Common) times(nodes int, seed uint64) *topology.Times {
	switch {
	case c.Schedule == nil:
		return nil
	case c.listed != nil:
		return c.listed
	}
	return c.Schedule.Times(nodes, seed)
}

// staggered reports whether nodes send in different steps.
func (c *Common) staggered() bool {
	return c.Schedule != nil && (c.Schedule.Staggered() || c.apart)
}

// Scheduled reports whether there is a schedule.
func (t *Plan) Scheduled() bool { return t.common.Schedule != nil }

// Together reports whether all nodes send in the same steps, by the schedule.
func (t *Plan) Together() bool { return t.Scheduled() && !t.common.staggered() }

// Heard reports whether some other node hears each node in every step, under every seed.
func (t *Plan) Heard() bool { return t.heard }

// listen finds the steps of a sequence in which each node is heard by another, up to the
// horizon.
func (t *Plan) listen(sequence topology.Sequence, horizon int) {
	counts, last, always := make([]int, t.nodes), 0, true
	each := func(take func(from, end int, g *topology.Graph)) { // steps with one graph
		for from, end := 0, 0; from < horizon; from = end {
			for end++; end < horizon && sequence.Epoch(end) == sequence.Epoch(from); end++ {
			}
			take(from, end, sequence.At(from))
		}
	}
	each(func(from, end int, g *topology.Graph) {
		for i := range counts {
			if g.View(messages.NodeID(i)).Others() > 0 {
				counts[i] += end - from
			} else {
				always = false
			}
		}
	})
	if t.heard = always; always {
		return
	}
	for i, count := range counts {
		if count > counts[last] {
			last = i
		}
	}
	t.busiest = make([]bool, horizon)
	each(func(from, end int, g *topology.Graph) {
		heard := g.View(messages.NodeID(last)).Others() > 0
		for step := from; step < end; step++ {
			t.busiest[step] = heard
		}
	})
}

// Busy are the steps in which a node can be heard.
type Busy struct {
	Sends func(step int) bool // from 0
	Count int                 // up to the horizon
}

// Busiest returns the steps of the node with the most such steps under any of so many seeds from a
// first one. It returns nil if they are not known before the run: every step counts then. Where
// graphs depend on the seed the schedule alone counts.
func (t *Plan) Busiest(first uint64, seeds, horizon int) *Busy {
	if t.busiest != nil && len(t.busiest) >= horizon {
		sends := func(step int) bool { return t.busiest[step] }
		return &Busy{sends, countOf(sends, horizon)}
	}
	if t.common.Schedule == nil {
		return nil
	}
	if !t.common.Schedule.Drawn() {
		first, seeds = 0, 1
	}
	// All arms with these graphs ask, and each of them several times.
	type question struct {
		first          uint64
		seeds, horizon int
	}
	once, _ := t.busy.LoadOrStore(question{first, seeds, horizon}, sync.OnceValue(func() *Busy { return t.scheduled(first, seeds, horizon) }))
	return once.(func() *Busy)()
}

// scheduled is Busiest by the schedule.
func (t *Plan) scheduled(first uint64, seeds, horizon int) *Busy {
	candidates := 1
	if t.common.staggered() {
		candidates = t.nodes
	}
	if limits.Product(seeds, candidates, horizon) > mostTimes {
		return nil
	}
	busiest := &Busy{Count: -1}
	for k := range seeds {
		times := t.common.times(t.nodes, first+uint64(k))
		for i := range messages.NodeID(candidates) {
			sends := func(step int) bool { return times.Sends(i, step) }
			if n := countOf(sends, horizon); n > busiest.Count {
				busiest = &Busy{sends, n}
			}
		}
	}
	return busiest
}

// mostTimes is the number of triples of a seed, a node and a step that a check of a file looks at:
// about a second of work.
const mostTimes = 1 << 26

func countOf(sends func(step int) bool, horizon int) (count int) {
	for step := range horizon {
		if sends(step) {
			count++
		}
	}
	return count
}
