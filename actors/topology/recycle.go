package topology

// memory is what a drawn graph is made in: the graph itself, its halves and weights.
type memory struct {
	graph   Graph
	in, out adjacency
	weights []float64
	// home is where it goes when nobody reads the graph any more.
	home chan *memory
}

// mostSpare is how many memories a sequence keeps for the graphs to come.
const mostSpare = 16

// memory returns that of a graph that nobody reads any more, or new memory.
func (d *draft) memory() *memory {
	select {
	case m := <-d.spare:
		return m
	default:
		return &memory{home: d.spare}
	}
}

// Recycle gives the memory of a graph back to the sequence that drew it, for another.
// Nobody may read the graph after that, nor what In, Out and View returned: only who
// asked a sequence for it, and has shown it to nobody who may still look, calls
// Recycle. A graph that its sequence keeps, or that was not drawn, stays as it is.
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

// Keep has Recycle leave the graph as it is. Whoever shares a graph calls it before anybody
// else can read it.
func (g *Graph) Keep() {
	if g.memory != nil { // else it may be shared, and is only read
		g.memory = nil
	}
}
