package topologies

import (
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
		return schedule.Resolve(document.At("file", "%v", err))
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
	each := func(take func(step int, g *topology.Graph)) {
		var g *topology.Graph
		for step := range horizon {
			if step == 0 || sequence.Epoch(step) != sequence.Epoch(step-1) {
				g = sequence.At(step)
			}
			take(step, g)
		}
	}
	each(func(_ int, g *topology.Graph) {
		for i := range counts {
			if g.View(messages.NodeID(i)).Others() > 0 {
				counts[i]++
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
	each(func(step int, g *topology.Graph) { t.busiest[step] = g.View(messages.NodeID(last)).Others() > 0 })
}

// Busiest returns the steps, from 0, in which a node with the most such steps can be heard
// under a seed, and their number up to the horizon. known is false if that is not known before
// the run: every step counts then. Where graphs depend on the seed the schedule alone counts.
func (t *Plan) Busiest(seed uint64, horizon int) (sends func(step int) bool, count int, known bool) {
	switch s := t.common.Schedule; {
	case t.busiest != nil && len(t.busiest) >= horizon:
		sends = func(step int) bool { return t.busiest[step] }
	case s == nil:
		return nil, 0, false
	default:
		times, candidates := t.common.times(t.nodes, seed), 1
		if t.common.staggered() {
			candidates = t.nodes
		}
		if limits.Product(candidates, horizon) > mostTimes {
			return nil, 0, false
		}
		most, best := -1, messages.NodeID(0)
		for i := range messages.NodeID(candidates) {
			if n := countOf(func(step int) bool { return times.Sends(i, step) }, horizon); n > most {
				most, best = n, i
			}
		}
		sends = func(step int) bool { return times.Sends(best, step) }
	}
	return sends, countOf(sends, horizon), true
}

// mostTimes is the number of pairs of a node and a step that a check of a file looks at.
const mostTimes = 1 << 24

func countOf(sends func(step int) bool, horizon int) (count int) {
	for step := range horizon {
		if sends(step) {
			count++
		}
	}
	return count
}
