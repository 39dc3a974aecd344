package opestoch

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/messages"
)

// Client is a client's machine: Algorithms 1 and 3, or 4 and 3.
type Client struct {
	shared *shared
	node   messages.NodeID
	x      []float64 // the newest iterate, which is also played; len d

	// drawn are the losses that phase number drawnFor uses, counted from 0 in
	// the phase before, in the order of their use.
	drawnFor int
	drawn    []int32

	// Linear losses: by tree, the sum of the losses drawn at its root, len T1 d; tree holds by
	// loss the root that it was drawn at, from 1, or 0. It follows from drawn.
	sums []float64
	tree []uint8

	// Other losses: by depth on the path to the leaf, v_s and x_s, len (T1 + 1) d, and the
	// number of losses of drawn that are used.
	v, at []float64
	used  int

	scalars int // sent
}

func newClient(s *shared, node messages.NodeID) *Client {
	c := &Client{shared: s, node: node, x: make([]float64, s.Experts)}
	if s.Losses == nil {
		c.sums = make([]float64, s.trees*s.Experts)
	} else {
		c.v = make([]float64, (s.trees+1)*s.Experts)
		c.at = make([]float64, (s.trees+1)*s.Experts)
	}
	return c
}

// Decision is the point of the simplex that the client plays, len d, a copy.
func (c *Client) Decision() []float64 { return append([]float64(nil), c.x...) }

// Scalars is how many scalars the client has sent so far.
func (c *Client) Scalars() int { return c.scalars }

// Step implements algorithm.Machine.
func (c *Client) Step(t *algorithm.Turn) error {
	p, first := c.shared.schedule.phaseOf(t.Step)
	if first {
		if p.Number == 1 || t.Hop > 0 {
			if err := c.receive(t, p); err != nil {
				return err
			}
		}
		if k := t.Hop/2 + 1; p.Number > 1 && k <= p.Leaves() {
			return c.leaf(t, p, k)
		}
		c.draw(t, p.Number+1)
	}
	if err := t.Play(c.x); err != nil {
		return err
	}
	return c.collect(t, p)
}

// receive takes the server's message: z in phase 1, and the vertex of a leaf after that, with
// which the iterate moves on, (2).
func (c *Client) receive(t *algorithm.Turn, p *Phase) error {
	if len(t.Inbox) != 1 {
		return fmt.Errorf("%d messages from the server, want 1", len(t.Inbox))
	}
	values := t.Inbox[0].Payload.(*messages.Vector).Values
	if p.Number == 1 {
		copy(c.x, values)
		return nil
	}
	k := t.Hop / 2
	eta := 2 / float64(k+1)
	kernel.Scale(c.x, 1-eta, c.x)
	c.x[int(values[0])-1] += eta
	return nil
}

// leaf computes the estimate at leaf k of the phase and sends its inner
// products with the vertices of the simplex, which are its entries: line 8.
func (c *Client) leaf(t *algorithm.Turn, p *Phase, k int) error {
	j := treeOf(k)
	estimate, err := c.estimate(t, p, j, k+1-1<<j)
	if err != nil {
		return err
	}
	m := t.Vector(len(c.x))
	copy(m.Values, estimate)
	mark := algorithm.Raw()
	if s := c.shared; s.Variant != Central {
		mechanism := noise.Additive{Law: s.law(), Scale: p.Scales[j-1]}
		receipt, err := mechanism.ReleaseAt(m.Values, t.Rand(s.NoisePurpose), s.charge(p, k), t.Spend)
		if err != nil {
			return err
		}
		mark = algorithm.Released(receipt)
	}
	c.scalars += len(m.Values)
	t.Record(algorithm.QuantityScalars, float64(len(m.Values)))
	return t.Broadcast(m, mark) // to the server, its one neighbour
}

// collect sees the loss of the step. Linear losses are summed by the root that the next phase
// uses them at; others are computed when they are used.
func (c *Client) collect(t *algorithm.Turn, p *Phase) error {
	s := c.shared
	if s.Losses != nil {
		return nil
	}
	d := len(c.x)
	loss := t.Scratch(d)
	if err := t.Gradient(loss, c.x); err != nil {
		return err
	}
	if err := s.checkEntries(loss, c.node, t.Step); err != nil {
		return err
	}
	if c.drawnFor <= p.Number {
		return nil // no phase comes after this one
	}
	if tree := int(c.tree[t.Step-p.First]); tree > 0 {
		sum := c.sums[(tree-1)*d : tree*d]
		kernel.Add(sum, loss)
	}
	return nil
}

// draw chooses the losses that a phase uses, if there is such a phase, before
// they are seen: uniformly without replacement (the first steps of a Fisher-
// Yates shuffle).
func (c *Client) draw(t *algorithm.Turn, number int) {
	s := c.shared
	if number > len(s.schedule.Phases) {
		return
	}
	p := &s.schedule.Phases[number-1]
	deck := make([]int32, p.Available)
	for i := range deck {
		deck[i] = int32(i)
	}
	r := t.Rand(s.SamplePurpose)
	for i := range p.Drawn {
		other := i + r.IntN(len(deck)-i)
		deck[i], deck[other] = deck[other], deck[i]
	}
	c.drawnFor, c.drawn, c.used = number, deck[:p.Drawn:p.Drawn], 0
	if s.Losses == nil {
		clear(c.sums)
		c.sortByRoot()
	}
}

// sortByRoot sets tree from drawn.
func (c *Client) sortByRoot() {
	p := &c.shared.schedule.Phases[c.drawnFor-1]
	c.tree = make([]uint8, p.Available)
	next := 0
	for j := 1; j <= p.Trees; j++ {
		for _, at := range c.drawn[next : next+p.Batch] {
			c.tree[at] = uint8(j)
		}
		next += drawnInTree(p.Batch, j)
	}
}

// drawnInTree is how many losses a tree of depth j draws: b at its root, and
// 2^(q-1) times b >> q at its right children of depth q.
func drawnInTree(b, j int) int {
	sum := b
	for q := 1; q <= j; q++ {
		sum += (b >> q) << (q - 1)
	}
	return sum
}

// State implements algorithm.Machine.
func (c *Client) State(s *messages.Codec) {
	s.Int("scalars", &c.scalars)
	s.Int("phase drawn for", &c.drawnFor)
	s.Int("used", &c.used)
	s.Floats("x", c.x)
	s.Floats("sums", c.sums)
	s.Floats("v", c.v)
	s.Floats("at", c.at)
	messages.Integers(s, "drawn", &c.drawn, math.MaxInt32)
	s.Check(c.fits(len(c.drawn)), "state with %d losses drawn for phase %d, %d of them used, which the schedule does not have", len(c.drawn), c.drawnFor, c.used)
	if !s.Reading() || s.Failed() || c.drawnFor == 0 {
		return
	}
	available := c.shared.schedule.Phases[c.drawnFor-1].Available
	if i := slices.IndexFunc(c.drawn, func(at int32) bool { return at < 0 || int(at) >= available }); i >= 0 {
		s.Check(false, "state with loss %d drawn for phase %d, which the phase before does not have", c.drawn[i], c.drawnFor)
	} else if c.shared.Losses == nil {
		c.sortByRoot()
	}
}

// fits reports whether the schedule has n losses drawn.
func (c *Client) fits(n int) bool {
	if c.drawnFor == 0 {
		return n == 0 && c.used == 0
	}
	if c.drawnFor < 2 || c.drawnFor > len(c.shared.schedule.Phases) {
		return false
	}
	return n == c.shared.schedule.Phases[c.drawnFor-1].Drawn && c.used >= 0 && c.used <= n
}
