package topology

// Scheduled returns the tree with the edges of each step alone. times are the steps of the levels of
// servers from the top, without the lowest, which takes part in every step; nil is every level in every
// step. A level also takes part in the steps of the levels above it, so that the edges of a step are
// those below its highest level.
func (g Tiers) Scheduled(times []*Times) (Sequence, error) {
	if len(times) == 0 {
		return g.Sequence()
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	s := &tierSteps{times: times}
	for highest := range len(times) + 1 {
		graph, err := g.from(highest)
		if err != nil {
			return nil, err
		}
		graph.Keep()
		s.graphs = append(s.graphs, graph)
	}
	return s, nil
}

// tierSteps is a tree by step.
type tierSteps struct {
	times  []*Times
	graphs []*Graph // by the highest level that takes part
}

// Nodes implements Sequence.
func (s *tierSteps) Nodes() int { return s.graphs[0].Nodes() }

// At implements Sequence. It never builds anything.
func (s *tierSteps) At(step int) *Graph { return s.graphs[s.Epoch(step)] }

// Epoch implements Sequence: the highest level that takes part.
func (s *tierSteps) Epoch(step int) int {
	for level, t := range s.times {
		if t.Sends(0, step) {
			return level
		}
	}
	return len(s.times)
}

// Period implements Sequence: the least common multiple of the periods, if it is at most 2^31.
func (s *tierSteps) Period() (period int, ok bool) {
	period = 1
	for _, t := range s.times {
		repeats, ok := t.period()
		if !ok || repeats > longestPeriod {
			return 0, false
		}
		a, b := period, repeats
		for b > 0 {
			a, b = b, a%b
		}
		if period = period / a * repeats; period > longestPeriod {
			return 0, false
		}
	}
	return period, true
}
