package topology

import (
	"math"

	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Geometric is the random geometric graph of nodes in the unit square, moving or not: two
// nodes hear each other while they are within Radius. With a Spread each node has its own
// range, within which others hear it, so that the graph is directed.
//
// The nodes move by the random waypoint model (Johnson and Maltz, Dynamic Source
// Routing in Ad Hoc Wireless Networks, 1996): each goes straight to a point drawn
// uniformly in the box, at a speed drawn uniformly for the way, pauses there, and
// goes on to the next. The smallest speed is above 0, for otherwise the mean
// speed would sink towards 0 as time goes on (Yoon, Liu and Noble, INFOCOM 2003).
// At the first step all nodes set out from uniform points; as time goes on they
// are more often met in the middle of the box, as is known of the model. A
// pattern, with memory if the nodes move.
type Geometric struct {
	// Nodes is N, at least 1. About N pi Radius^2 of them hear each node.
	Nodes    int
	Radius   float64 `yaml:"radius,required" unit:"sides of the box" range:"above 0" doc:"within which nodes hear each other, in sides of the box"`
	Spread   float64 `yaml:"spread" unit:"share of the radius" range:"0 to 1" doc:"each node's range is uniform between radius*(1-spread) and radius*(1+spread), and the graph directed; absent, 0"`
	SpeedMin float64 `yaml:"speed_min" unit:"sides of the box a step" range:"0 to speed_max" doc:"least speed; above 0 where speed_max is; absent, 0"`
	SpeedMax float64 `yaml:"speed_max" unit:"sides of the box a step" range:"0 to 1" doc:"greatest speed; 0 leaves the nodes where they are; absent, 0"`
	Pause    float64 `yaml:"pause" unit:"steps" range:"at least 0" doc:"steps that a node stays where it arrives; absent, 0"`
	Seed     uint64  // of the run
}

// Validate reports the first option that is out of range.
func (g Geometric) Validate() error {
	if err := checkNodesOption(g.Nodes, 1); err != nil {
		return err
	}
	switch {
	case !(g.Radius > 0) || math.IsInf(g.Radius, 0):
		return option.Errorf("radius", "radius is %v, want a number above 0", g.Radius)
	case !(g.Spread >= 0 && g.Spread <= 1):
		return option.Errorf("spread", "spread is %v, want 0 to 1", g.Spread)
	case !(g.SpeedMax >= 0 && g.SpeedMax <= 1):
		return option.Errorf("speed_max", "speed_max is %v, want 0 to 1", g.SpeedMax)
	case g.SpeedMax > 0 && !(g.SpeedMin > 0 && g.SpeedMin <= g.SpeedMax):
		return option.Errorf("speed_min", "speed_min is %v, want above 0 and at most speed_max, %v", g.SpeedMin, g.SpeedMax)
	case g.SpeedMax == 0 && g.SpeedMin != 0:
		return option.Errorf("speed_min", "speed_min is %v, but speed_max is 0", g.SpeedMin)
	case !(g.Pause >= 0) || math.IsInf(g.Pause, 0):
		return option.Errorf("pause", "pause is %v, want a number of at least 0", g.Pause)
	}
	pairs := float64(g.Nodes) * float64(g.Nodes-1)
	return checkExpectedSize("radius", pairs*min(1, math.Pi*g.Radius*g.Radius))
}

// Sequence returns the sequence of a seed.
func (g Geometric) Sequence() (Sequence, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	c := g.chain()
	if g.SpeedMax == 0 {
		var d draft
		c.draft(c.start(), 0, &d)
		return Static(d.pattern()), nil
	}
	return remember(g.Nodes, 1, c), nil
}

// Places returns where the nodes are in the steps 0 .. steps-1, when the graphs of Sequence
// are made of the same places: entry 2 (step N + node) is the first coordinate in the unit
// square, the entry after it the second. Nodes that never move are in one place each, and 2 N
// entries are returned. It takes time and memory linear in N and the steps, and returns the
// error of Validate.
func (g Geometric) Places(steps int) ([]float64, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	if err := atLeast("steps", steps, 1); err != nil {
		return nil, err
	}
	if g.SpeedMax == 0 {
		steps = 1
	}
	c := g.chain()
	trips := c.start()
	places := make([]float64, 0, 2*g.Nodes*steps)
	for epoch := range steps {
		for v, t := range trips {
			p := c.position(v, t, epoch)
			places = append(places, p.x, p.y)
		}
		c.advance(trips, epoch)
	}
	return places, nil
}

func (g Geometric) chain() waypoints {
	return waypoints{Geometric: g, key: topologyKey(g.Seed, "geometric")}
}

// waypoints is the chain of Geometric. A node's way from one point to the next, its leg, and
// the speed on it follow from the node and the number of the leg alone, so that the state
// needs only the node's place in time.
type waypoints struct {
	Geometric
	key rng.Key
}

// trip is the leg a node is on: from waypoint leg to waypoint leg+1.
type trip struct {
	leg              int32
	departs, arrives float64 // in steps
}

// point is a place in the unit square.
type point struct{ x, y float64 }

// Uses of the numbers of a node and leg, by the hop of their key. A node's range
// is drawn with its first leg.
const (
	waypointX = iota
	waypointY
	waypointSpeed
	waypointRange
)

func (c waypoints) waypoint(node int, leg int32) point {
	return point{c.key.Uniform(node, int(leg), waypointX), c.key.Uniform(node, int(leg), waypointY)}
}

// setOut returns the trip of a leg that begins at a time.
func (c waypoints) setOut(node int, leg int32, departs float64) trip {
	speed := c.SpeedMin + float64((c.SpeedMax-c.SpeedMin)*c.key.Uniform(node, int(leg), waypointSpeed))
	from, to := c.waypoint(node, leg), c.waypoint(node, leg+1)
	return trip{leg: leg, departs: departs, arrives: departs + math.Sqrt(distance2(from, to))/speed}
}

func distance2(p, q point) float64 {
	dx, dy := p.x-q.x, p.y-q.y
	return float64(dx*dx) + float64(dy*dy)
}

func (c waypoints) start() []trip {
	trips := make([]trip, c.Nodes)
	if c.SpeedMax == 0 {
		return trips // all at the start of their first leg
	}
	for v := range trips {
		trips[v] = c.setOut(v, 0, 0)
	}
	return trips
}

func (c waypoints) advance(trips []trip, epoch int) {
	now := float64(epoch + 1)
	for v := range trips {
		for t := &trips[v]; t.arrives+c.Pause <= now; {
			*t = c.setOut(v, t.leg+1, t.arrives+c.Pause)
		}
	}
}

// position returns where a node is on its trip.
func (c waypoints) position(node int, t trip, epoch int) point {
	from := c.waypoint(node, t.leg)
	now := float64(epoch)
	if now <= t.departs {
		return from
	}
	to := c.waypoint(node, t.leg+1)
	if now >= t.arrives {
		return to
	}
	part := (now - t.departs) / (t.arrives - t.departs)
	return point{from.x + float64(part*(to.x-from.x)), from.y + float64(part*(to.y-from.y))}
}

// draft joins the nodes within range, by a grid of cells as wide as the longest
// range: only nodes of the same and of adjacent cells are compared.
func (c waypoints) draft(trips []trip, epoch int, d *draft) {
	places := make([]point, c.Nodes)
	squares := make([]float64, c.Nodes) // of the ranges
	for v := range places {
		places[v] = c.position(v, trips[v], epoch)
		reach := c.Radius
		if c.Spread > 0 {
			reach *= 1 + float64(c.Spread*(2*float64(c.key.Uniform(v, 0, waypointRange))-1))
		}
		squares[v] = reach * reach
	}
	d.pairs(c.Nodes, anyOrder)
	d.symmetric = c.Spread == 0
	d.arcs = c.nearPairs(d.arcs, places, squares)
}

// nearPairs appends the arcs between nodes in range, both directions if there is
// a spread, and otherwise each pair once.
func (c waypoints) nearPairs(arcs []arc, places []point, squares []float64) []arc {
	// No more cells than nodes: finer ones would be mostly empty.
	side := int(min(1/(c.Radius*(1+c.Spread)), math.Sqrt(float64(c.Nodes))))
	side = max(side, 1)
	cellOf := make([]int32, len(places))
	for v, p := range places {
		column, row := min(int(p.x*float64(side)), side-1), min(int(p.y*float64(side)), side-1)
		cellOf[v] = int32(row*side + column)
	}
	cells := groups(cellOf, side*side)
	for v, p := range places {
		row, column := int(cellOf[v])/side, int(cellOf[v])%side
		for y := max(row-1, 0); y <= min(row+1, side-1); y++ {
			for x := max(column-1, 0); x <= min(column+1, side-1); x++ {
				for _, w := range cells.row(messages.NodeID(y*side + x)) {
					if int(w) <= v {
						continue // each pair once, from its lower node
					}
					d := distance2(p, places[w])
					if d <= squares[v] {
						arcs = append(arcs, arc{messages.NodeID(v), w})
					}
					if c.Spread > 0 && d <= squares[w] {
						arcs = append(arcs, arc{w, messages.NodeID(v)})
					}
				}
			}
		}
	}
	return arcs
}
