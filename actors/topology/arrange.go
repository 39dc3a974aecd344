package topology

import (
	"math"

	"starling/mechanisms/portable"
)

// Arranged is a generator of nodes with places in pictures that show the form of its graphs:
// a circle, a lattice, blocks. Places change no run.
type Arranged interface {
	// Arrange returns the places of the nodes in the steps 0 .. steps-1: entry 2 (step N + node)
	// is the first coordinate in the unit square, which goes right, and the entry after it the
	// second, which goes down. Nodes that never move have 2 N entries. The error is the one of
	// Validate.
	Arrange(steps int) ([]float64, error)
}

// Grouped is a generator of nodes in groups of consecutive nodes, such as blocks, which pictures
// mark. Groups change no run.
type Grouped interface {
	// Groups returns the number of nodes of each group in the first step, and the word for a group.
	// The error is the one of Validate.
	Groups() (sizes []int, word string, err error)
}

// Around returns places of nodes around a circle in the unit square, the first at the top,
// clockwise: two entries for each node.
func Around(nodes int) []float64 { return circleAt(nil, nodes, 0.5, 0.5, 0.5) }

// circleAt appends the places of nodes around a circle with a middle and a radius. A single node
// is in the middle.
func circleAt(places []float64, nodes int, x, y, radius float64) []float64 {
	if nodes == 1 {
		return append(places, x, y)
	}
	for v := range nodes {
		sin, cos := portable.Sincos(2 * math.Pi * float64(v) / float64(nodes))
		places = append(places, x+float64(radius*sin), y-float64(radius*cos))
	}
	return places
}

// Blocks returns places of nodes in blocks of consecutive nodes: each block is a circle, and
// blocks lie side by side, in rows. sizes are at least 1 each.
func Blocks(sizes []int) (places []float64) {
	columns := int(math.Ceil(math.Sqrt(float64(len(sizes)))))
	rows := (len(sizes) + columns - 1) / columns
	cell := 1 / float64(columns)
	for k, size := range sizes {
		across := min(columns, len(sizes)-k/columns*columns) // the last row may be shorter, and is in the middle
		x := 0.5 + float64(cell*(float64(k%columns)-float64(0.5*float64(across-1))))
		y := 0.5 + float64(cell*(float64(k/columns)-float64(0.5*float64(rows-1))))
		places = circleAt(places, size, x, y, 0.33*cell)
	}
	return places
}

// fitted moves and stretches places so that they fill the unit square. A direction that is less
// than a third as long as the other stays so much shorter.
func fitted(places []float64) []float64 {
	var low, high [2]float64
	for i, v := range places {
		if k := i % 2; i < 2 {
			low[k], high[k] = v, v
		} else {
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
	}
	longest := max(high[0]-low[0], high[1]-low[1])
	if longest == 0 {
		longest = 1
	}
	for i, v := range places {
		k := i % 2
		scale := 1 / max(high[k]-low[k], longest/3)
		places[i] = 0.5 + float64((v-float64(0.5*(low[k]+high[k])))*scale)
	}
	return places
}

// Arrange implements Arranged: around a circle.
func (r Ring) Arrange(int) ([]float64, error) { return Around(r.Nodes), r.Validate() }

// Arrange implements Arranged: around a circle.
func (c Circulant) Arrange(int) ([]float64, error) { return Around(c.Nodes), c.Validate() }

// Arrange implements Arranged: around a circle.
func (c Complete) Arrange(int) ([]float64, error) { return Around(c.Nodes), c.Validate() }

// Arrange implements Arranged: around a circle, which no edge closes.
func (p Path) Arrange(int) ([]float64, error) { return Around(p.Nodes), p.Validate() }

// Arrange implements Arranged: around a circle.
func (e Exponential) Arrange(int) ([]float64, error) { return Around(e.Nodes), e.Validate() }

// Arrange implements Arranged: around a circle.
func (o OnePeer) Arrange(int) ([]float64, error) { return Around(o.Nodes), o.Validate() }

// Arrange implements Arranged: around the circle from which some edges are led elsewhere.
func (s SmallWorld) Arrange(int) ([]float64, error) { return Around(s.Nodes), s.Validate() }

// Arrange implements Arranged: the places of the nodes in the box, in each step where they move.
func (g Geometric) Arrange(steps int) ([]float64, error) { return g.Places(steps) }

// Arrange implements Arranged: side by side, the blocks of the first draw.
func (s StochasticBlock) Arrange(int) ([]float64, error) {
	sizes, _, err := s.Groups()
	if err != nil {
		return nil, err
	}
	return Blocks(sizes), nil
}

// Groups implements Grouped: the blocks of the first draw.
func (s StochasticBlock) Groups() (sizes []int, word string, err error) {
	if err := s.Validate(); err != nil {
		return nil, "", err
	}
	sizes = make([]int, s.Blocks)
	for _, block := range (blockChain{StochasticBlock: s}).start() {
		sizes[block]++
	}
	return sizes, "block", nil
}

// Served returns places of nodes in clusters, as Blocks, and after them of a server for each cluster,
// in its middle, and of a cloud in the middle of all: the clusters lie around the cloud.
func Served(sizes []int) (places []float64) {
	const apart = 1.6 // of the middles of near clusters, beside their width
	count := float64(len(sizes))
	sin, _ := portable.Sincos(math.Pi / count)
	away := 0.5 / (1 + sin/apart)
	radius := away * sin / apart
	if len(sizes) == 1 {
		away, radius = 0, 0.5
	}
	var middles []float64
	for k, size := range sizes {
		sin, cos := portable.Sincos(2 * math.Pi * (float64(k) - 0.5) / count)
		x, y := 0.5+float64(away*sin), 0.5-float64(away*cos)
		places, middles = circleAt(places, size, x, y, radius), append(middles, x, y)
	}
	if len(sizes) == 1 { // the cloud is above the only server
		return append(append(places, middles...), 0.5, 0.25)
	}
	return append(append(places, middles...), 0.5, 0.5)
}

// Arrange implements Arranged: a lattice of the last two sides, lattices of these along the two
// before, and so on; one side is a circle.
func (t Torus) Arrange(int) ([]float64, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if len(t.Sides) == 1 {
		return Around(t.Nodes), nil
	}
	const gap = 1.3 // between lattices, beside their own length
	places := make([]float64, 2*t.Nodes)
	stride, length := 1, [2]float64{1, 1}
	for k := range t.Sides {
		side, direction := t.Sides[len(t.Sides)-1-k], k%2
		for v := range t.Nodes {
			places[2*v+direction] += float64(length[direction] * float64(v/stride%side))
		}
		stride *= side
		length[direction] *= gap * float64(side)
	}
	return fitted(places), nil
}

// cubeAxes are the directions of the first bits in the picture of a hypercube: right, up, and
// into the page; then the directions in cubes of cubes, turned a little, so that no edge passes a node.
var cubeAxes = [][2]float64{{1, 0.06}, {0.05, -1}, {0.42, -0.33}, {2.1, 0.55}, {-0.6, 2.2}, {1.3, 1.05}}

// Arrange implements Arranged: a square, a cube, and cubes of cubes for more than three bits.
func (h Hypercube) Arrange(int) ([]float64, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	places := make([]float64, 2*h.Nodes)
	scale := 1.0
	for bit := range logCeil(h.Nodes) {
		if bit > 0 && bit%len(cubeAxes) == 0 {
			scale *= 5
		}
		axis := cubeAxes[bit%len(cubeAxes)]
		for v := range h.Nodes {
			if v>>bit&1 == 1 {
				places[2*v] += float64(scale * axis[0])
				places[2*v+1] += float64(scale * axis[1])
			}
		}
	}
	return fitted(places), nil
}
