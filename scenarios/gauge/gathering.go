package gauge

import (
	"math"
	"sync"
	"sync/atomic"

	"starling/messages"
)

// gathering keeps the decisions of all deciders at a point until there are all of them. It is
// safe for concurrent use.
type gathering struct {
	who  Deciders
	dim  int // d
	mu   sync.Mutex
	open []*decisions // guarded by mu: by point, nil before and after use
	free []*decisions // guarded by mu
}

// decisions collects all decisions of a step. It is reused for later points: at most as many
// are in use as there are points that some nodes have reached and others have not.
type decisions struct {
	x     []float64 // n x d; NaN where a node has not played
	mean  []float64 // d, scratch
	count atomic.Int64
}

// begin makes a gathering ready for a run with so many points.
func (g *gathering) begin(who Deciders, dim, points int) {
	g.who, g.dim, g.open = who, dim, make([]*decisions, points)
}

// add keeps a decision of the step of a point. The call with the last decision of a point
// returns all of them, and others nil.
func (g *gathering) add(node messages.NodeID, at At, x []float64) *decisions {
	i, decides := g.who.at(node)
	if !at.Exact || !decides {
		return nil
	}
	d := g.make(at.Point)
	copy(d.x[i*g.dim:], x)
	if d.count.Add(1) == int64(g.who.in()) {
		return d
	}
	return nil
}

// at returns the decisions of a point of which some are there and some are missing; else nil.
func (g *gathering) at(point int) *decisions {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open[point]
}

// make returns the decisions of a point, in memory of their own.
func (g *gathering) make(point int) *decisions {
	g.mu.Lock()
	defer g.mu.Unlock()
	if d := g.open[point]; d != nil {
		return d
	}
	var d *decisions
	if n := len(g.free); n > 0 {
		d, g.free = g.free[n-1], g.free[:n-1]
	} else {
		d = &decisions{x: make([]float64, g.who.n()*g.dim), mean: make([]float64, g.dim)}
	}
	d.count.Store(0)
	for i := range d.x {
		d.x[i] = math.NaN()
	}
	g.open[point] = d
	return d
}

// close gives the memory of the decisions of a point back.
func (g *gathering) close(point int, d *decisions) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open[point] = nil
	g.free = append(g.free, d)
}

// each calls visit for the decisions there are, in the order of the nodes, with the number of
// the decider from 0.
func (g *gathering) each(d *decisions, visit func(i int, x []float64)) (count int) {
	for i := range g.who.n() {
		x := d.x[i*g.dim : (i+1)*g.dim]
		if math.IsNaN(x[0]) {
			continue // the node has ended its part, or is out
		}
		count++
		visit(i, x)
	}
	return count
}

// end calls reduce for each point with missing decisions.
func (g *gathering) end(reduce func(point int, d *decisions)) {
	for point, d := range g.open {
		if d != nil {
			reduce(point, d)
		}
	}
}

// State goes through the points with missing decisions: the decisions of nodes that ended their
// part never come.
func (g *gathering) State(c *messages.Codec) {
	var open []int
	for point, d := range g.open {
		if d != nil {
			open = append(open, point)
		}
	}
	messages.Integers(c, "open", &open, len(g.open))
	for _, point := range open {
		if c.Check(point >= 0 && point < len(g.open), "decisions of point %d of %d", point, len(g.open)); c.Failed() {
			return
		}
		d := g.make(point)
		c.Enter("decisions", point)
		c.Count("count", &d.count)
		c.Check(d.count.Load() >= 0 && d.count.Load() < int64(g.who.in()), "%d decisions of %d nodes", d.count.Load(), g.who.in())
		c.Floats("x", d.x)
		c.Leave()
	}
}
