package topology

import "slices"

// chain is a random process in discrete time that shows a graph in each state:
// the part of a sequence with memory that differs between them. S is a slice of
// plain values, the state in full.
type chain[T any] interface {
	// start returns the state of epoch 0.
	start() []T
	// advance turns the state of an epoch into the state of the next, in place. It depends on
	// the state, the epoch, options and seed only.
	advance(state []T, epoch int)
	// draft drafts the graph of a state; the state is only read.
	draft(state []T, epoch int, d *draft)
}

// Limits of the checkpoints of a remembered sequence.
const (
	// firstSpacing is how many epochs lie between checkpoints at first.
	firstSpacing = 16
	// mostCheckpoints is how many are kept. When there are more, every second
	// is dropped and the spacing doubles, so memory does not grow with the
	// horizon and a random access replays at most a sixteenth of the epochs
	// visited so far.
	mostCheckpoints = 32
)

// remembered is the sequence of a chain. At is a pure function of options, seed
// and step: in order, a step costs one advance and one graph; out of order, the
// state is replayed from the nearest checkpoint before it, which gives the same
// bits. It is safe for concurrent use, but callers take turns and disturb each
// other's order: give each run an instance of its own.
type remembered[T any] struct {
	nodes, every int
	chain        chain[T]
	// held is a channel with room for the one cursor there is. The goroutine that has taken it
	// out owns it, as with a lock; packages that compute import none.
	held chan *cursor[T]
}

// cursor is a position in a chain, and the checkpoints met on the way.
type cursor[T any] struct {
	epoch       int
	state       []T
	shown       *Graph // of the epoch; nil if not built
	draft       draft
	spacing     int
	checkpoints [][]T // of the epochs 0, spacing, 2*spacing, ...
}

// remember returns the sequence of a chain that advances every so many steps.
func remember[T any](nodes, every int, c chain[T]) Sequence {
	state := c.start()
	held := make(chan *cursor[T], 1)
	held <- &cursor[T]{state: state, spacing: firstSpacing, checkpoints: [][]T{slices.Clone(state)}, draft: draft{spare: make(chan *memory, mostSpare)}}
	return &remembered[T]{nodes: nodes, every: every, chain: c, held: held}
}

// Nodes implements Sequence.
func (r *remembered[T]) Nodes() int { return r.nodes }

// Period implements Sequence: there is none.
func (r *remembered[T]) Period() (int, bool) { return 0, false }

// Epoch implements Sequence.
func (r *remembered[T]) Epoch(step int) int { return step / r.every }

// At implements Sequence.
func (r *remembered[T]) At(step int) *Graph {
	c := <-r.held
	defer func() { r.held <- c }()
	c.moveTo(r.chain, r.Epoch(step))
	if c.shown == nil {
		r.chain.draft(c.state, c.epoch, &c.draft)
		c.shown = c.draft.pattern()
		c.shown.Keep()
	}
	return c.shown
}

// weightedAt implements drafts.
func (r *remembered[T]) weightedAt(step int, w Weighting) (*Graph, error) {
	c := <-r.held
	defer func() { r.held <- c }()
	c.moveTo(r.chain, r.Epoch(step))
	r.chain.draft(c.state, c.epoch, &c.draft)
	return c.draft.weighted(w)
}

// moveTo brings the cursor to an epoch: forward from where it is, or from a
// checkpoint that is nearer.
func (c *cursor[T]) moveTo(chain chain[T], epoch int) {
	if epoch == c.epoch {
		return
	}
	c.shown = nil
	nearest := min(epoch/c.spacing, len(c.checkpoints)-1)
	if from := nearest * c.spacing; epoch < c.epoch || from > c.epoch {
		copy(c.state, c.checkpoints[nearest])
		c.epoch = from
	}
	for c.epoch < epoch {
		chain.advance(c.state, c.epoch)
		c.epoch++
		if c.epoch == len(c.checkpoints)*c.spacing {
			c.keep()
		}
	}
}

// keep makes a checkpoint of the state, the first of its epoch.
func (c *cursor[T]) keep() {
	if len(c.checkpoints) == mostCheckpoints {
		for k := range mostCheckpoints / 2 {
			c.checkpoints[k] = c.checkpoints[2*k]
		}
		clear(c.checkpoints[mostCheckpoints/2:])
		c.checkpoints = c.checkpoints[:mostCheckpoints/2]
		c.spacing *= 2
	}
	c.checkpoints = append(c.checkpoints, slices.Clone(c.state))
}
