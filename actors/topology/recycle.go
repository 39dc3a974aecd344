package topology

// memory is the memory of a drawn graph: the graph itself, its halves and weights.
type memory struct {
	graph   Graph
	in, out adjacency
	weights []float64
	// home is where it goes when the graph is not read any more.
	home chan *memory
}

// mostSpare is how many memories a sequence keeps for the graphs to come.
const mostSpare = 16

// memory returns the memory of a graph that is not read any more, or new memory.
func (d *draft) memory() *memory {
	select {
	case m := <-d.spare:
		return m
	default:
		return &memory{home: d.spare}
	}
}

// Recycle gives the memory of a graph back to the sequence that drew it, for another. The
// graph must not be read after that, nor the results of its In, Out and View. Only the caller
// that asked a sequence for the graph may call Recycle, and only if no other reader may still
// have it. A graph that its sequence keeps, or that was not drawn, stays as it is.
func (g *Graph) Recycle() {
	m := g.memory
	if m == nil {
		return
	}
	g.memory = nil
	select {
	case m.home <- m:
	default:
	}
}

// Keep has Recycle leave the graph as it is. A caller that shares a graph calls it before
// others can read it.
func (g *Graph) Keep() {
	if g.memory != nil { // else it may be shared, and is only read
		g.memory = nil
	}
}
