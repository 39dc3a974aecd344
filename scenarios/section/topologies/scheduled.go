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

// Given reports whether the rule of the weights leaves them as they are.
func (t *Plan) Given() bool { return t.given }

// Keeps reports whether the weight that a node gives itself is at most 1 in every step, as far as
// is known before the run: for push-sum or where the rule of the weights makes rows or columns that
// sum to 1, and where a look at graphs with weights of the scheme given has shown it.
func (t *Plan) Keeps() bool { return t.keeps }

// Heard reports whether some other node hears each node in every step, under every seed.
func (t *Plan) Heard() bool { return t.heard }

// listen finds out whether some other node hears each node in every step up to the horizon, and
// keeps a sequence in which one does not. It also looks at the weights that nodes give themselves.
func (t *Plan) listen(sequence topology.Sequence, horizon int) {
	known := t.keeps
	t.heard, t.keeps = true, known || t.given
	eachGraph(sequence, horizon, func(_, _ int, g *topology.Graph) bool {
		for i := range messages.NodeID(t.nodes) {
			t.heard = t.heard && g.View(i).Others() > 0
			t.keeps = t.keeps && (known || g.Weight(i, i) <= 1)
		}
		return t.heard || t.keeps && !known
	})
	if !t.heard {
		t.listened, t.looked = sequence, horizon
	}
}

// eachGraph hands on the graphs of a sequence, each with its steps from from to before end, until
// take returns false.
func eachGraph(sequence topology.Sequence, horizon int, take func(from, end int, g *topology.Graph) bool) {
	for from, end := 0, 0; from < horizon; from = end {
		for end++; end < horizon && sequence.Epoch(end) == sequence.Epoch(from); end++ {
		}
		if !take(from, end, sequence.At(from)) {
			return
		}
	}
}

// Busy are the steps in which a node can be heard.
type Busy struct {
	Sends func(step int) bool // from 0
	Count int                 // up to the horizon
}

// Span are the steps of runs under some seeds: Seeds of them from First. Steps count from 0, and end
// before Horizon.
type Span struct {
	First         uint64
	Seeds         int
	From, Horizon int
}

// Busiest returns the steps of the node with the most of them in which it can be heard, under any
// seed of a span. It returns nil if they are not known before the run: every step counts then.
// Where graphs depend on the seed the schedule alone counts. Count is of the steps of the span.
func (t *Plan) Busiest(span Span) *Busy {
	// All arms with these graphs ask, and each of them several times.
	once, _ := t.busy.LoadOrStore(span, sync.OnceValue(func() *Busy {
		sums := t.Sums(span, func(int) float64 { return 1 })
		if sums == nil {
			return nil
		}
		return &Busy{Sends: sums.Sends(sums.most), Count: int(sums.Of(sums.most))}
	}))
	return once.(func() *Busy)()
}

// Sums are sums of the weights of the steps in which nodes can be heard: of each node the largest
// under any seed of a span.
type Sums struct {
	plan  *Plan
	sums  []float64 // by node; one for all where all send in the same steps
	seeds []uint64  // those with these sums
	most  messages.NodeID
}

// place returns the place of a node in sums.
func (s *Sums) place(node messages.NodeID) int { return min(int(node), len(s.sums)-1) }

// Of returns the sum of a node.
func (s *Sums) Of(node messages.NodeID) float64 { return s.sums[s.place(node)] }

// Sends returns the steps in which a node can be heard, under the seed with its sum.
func (s *Sums) Sends(node messages.NodeID) func(step int) bool {
	place := s.place(node)
	if s.plan.listened == nil {
		times := s.plan.common.times(s.plan.nodes, s.seeds[place])
		return func(step int) bool { return times.Sends(messages.NodeID(place), step) }
	}
	heard := make([]bool, s.plan.looked)
	eachGraph(s.plan.listened, s.plan.looked, func(from, end int, g *topology.Graph) bool {
		for step := from; step < end; step++ {
			heard[step] = g.View(node).Others() > 0
		}
		return true
	})
	return func(step int) bool { return heard[step] }
}

// Sums returns the sums of the weights of steps, from 0; nil if the steps in which nodes can be heard are
// not known before the run. Where graphs depend on the seed the schedule alone counts.
func (t *Plan) Sums(span Span, weight func(step int) float64) *Sums {
	switch {
	case t.listened != nil && t.looked >= span.Horizon:
		return t.listenedSums(span, weight)
	case t.common.Schedule == nil:
		return nil
	case !t.common.Schedule.Drawn():
		span.First, span.Seeds = 0, 1
	}
	candidates := 1
	if t.common.staggered() {
		candidates = t.nodes
	}
	if limits.Product(span.Seeds, candidates, span.Horizon) > mostTimes {
		return nil
	}
	s, best := &Sums{plan: t, sums: make([]float64, candidates), seeds: make([]uint64, candidates)}, -1.0
	for k := range span.Seeds {
		seed := span.First + uint64(k)
		times := t.common.times(t.nodes, seed)
		for i := range messages.NodeID(candidates) {
			sum := 0.0
			for step := span.From; step < span.Horizon; step++ {
				if times.Sends(i, step) {
					sum += weight(step)
				}
			}
			if k == 0 || sum > s.sums[i] {
				s.sums[i], s.seeds[i] = sum, seed
			}
			if sum > best {
				best, s.most = sum, i
			}
		}
	}
	return s
}

// listenedSums is Sums by graphs that depend on no seed.
func (t *Plan) listenedSums(span Span, weight func(step int) float64) *Sums {
	s := &Sums{plan: t, sums: make([]float64, t.nodes)}
	eachGraph(t.listened, span.Horizon, func(from, end int, g *topology.Graph) bool {
		for i := range s.sums {
			if g.View(messages.NodeID(i)).Others() == 0 {
				continue
			}
			for step := max(from, span.From); step < end; step++ {
				s.sums[i] += weight(step)
			}
		}
		return true
	})
	for i, sum := range s.sums {
		if sum > s.sums[s.most] {
			s.most = messages.NodeID(i)
		}
	}
	return s
}

// mostTimes is the number of triples of a seed, a node and a step that a check of a file looks at:
// about a second of work.
const mostTimes = 1 << 26
