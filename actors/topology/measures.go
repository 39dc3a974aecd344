package topology

// Measures are the measures and checks of sequences that can be ended on the way: their
// methods are the functions of the same names, which go on to the end. A measure of a
// million nodes takes some seconds and about a gigabyte.
type Measures struct {
	// Stop is asked before each graph, each pass over the edges of one, and each block of
	// nodes that news is spread to: once its error is not nil, the measure returns that as
	// it is. nil never ends one. It changes no result.
	Stop func() error
}

// stopped is the error of Stop.
func (m Measures) stopped() error {
	if m.Stop == nil {
		return nil
	}
	return m.Stop()
}

// approach is how many steps lie between those at which a sequence with memory is looked at
// on the way to a later one.
const approach = 32

// At returns the graph of a step. A sequence with memory is led there in pieces, from step 0 on:
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
