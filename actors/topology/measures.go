package topology

// Measures are measures and checks of sequences that can be stopped on the way. Their methods
// are the functions of the same names, which go on to the end. A measure of a million nodes
// takes some seconds and about a gigabyte.
type Measures struct {
	// Stop is called before each graph, each pass over the edges of one, and each block of
	// nodes that news is spread to. Once it returns an error, the measure returns that error
	// unchanged. nil never stops one. It changes no result.
	Stop func() error
}

// stopped is the error of Stop.
func (m Measures) stopped() error {
	if m.Stop == nil {
		return nil
	}
	return m.Stop()
}

// approach is the number of steps between two stops on the way to a later step of a sequence
// with memory.
const approach = 32

// At returns the graph of a step. A sequence with memory goes there in pieces, from step 0 on:
// far steps take long.
func (m Measures) At(seq Sequence, step int) (*Graph, error) {
	if replays(seq) {
		for before := approach; before < step; before += approach {
			if err := m.stopped(); err != nil {
				return nil, err
			}
			if _, err := GraphAt(seq, before); err != nil {
				return nil, err
			}
		}
	}
	if err := m.stopped(); err != nil {
		return nil, err
	}
	return GraphAt(seq, step)
}
