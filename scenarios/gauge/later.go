package gauge

import (
	"cmp"
	"slices"
	"sync"

	"starling/actors/algorithm/batch"
	"starling/messages"
)

// Many asks about decisions of nodes at a step: x has one decision of each, len d, side by
// side, and dst has room for the agreed count of numbers for each. A node may come several
// times.
type Many func(dst []float64, nodes []messages.NodeID, step int, x []float64) error

// Numbered returns the function that asks about participants in place of nodes: participant
// first is node 0, and its step k is step k+later.
func (ask Many) Numbered(first messages.NodeID, later int) Many {
	return func(dst []float64, participants []messages.NodeID, step int, x []float64) error {
		nodes := make([]messages.NodeID, len(participants))
		for i, participant := range participants {
			nodes[i] = participant - first
		}
		return ask(dst, nodes, step+later, x)
	}
}

// One returns a function that asks about one node, for a number.
func One(ask Many) func(node messages.NodeID, step int, x []float64) float64 {
	return func(node messages.NodeID, step int, x []float64) float64 {
		var answer [1]float64
		if err := ask(answer[:], []messages.NodeID{node}, step, x); err != nil {
			panic(batch.Failure{Err: err})
		}
		return answer[0]
	}
}

// Later keeps decisions until there are many of them, asks about them together, and hands out
// the answers, of each node in the order of its steps. A gauge calls Flush before it uses its
// data. It is safe for concurrent use.
type Later struct {
	// Most is the largest number of decisions that are kept, and Width the count of numbers in
	// an answer.
	Most, Width int
	Ask         Many
	// Take takes a decision with its answer. It is called by one goroutine at a time.
	Take func(node messages.NodeID, at At, x, answer []float64)

	mu      sync.Mutex
	waiting []waiting
}

// waiting is a decision that is kept.
type waiting struct {
	node messages.NodeID
	at   At
	x    []float64
}

// again returns one that keeps nothing and hands out nothing yet; of nil nil.
func (l *Later) again() *Later {
	if l == nil {
		return nil
	}
	return &Later{Most: l.Most, Width: l.Width, Ask: l.Ask}
}

// Add keeps a decision, and flushes once there are many.
func (l *Later) Add(node messages.NodeID, at At, x []float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.waiting); n < cap(l.waiting) {
		l.waiting = l.waiting[:n+1]
	} else {
		l.waiting = append(l.waiting, waiting{})
	}
	w := &l.waiting[len(l.waiting)-1]
	w.node, w.at, w.x = node, at, append(w.x[:0], x...)
	if len(l.waiting) >= l.Most {
		l.flush()
	}
}

// Flush asks about all decisions that are kept; a nil Later keeps none.
func (l *Later) Flush() {
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.flush()
	}
}

// final is Early.Final for a gauge that keeps decisions here: it returns -1, since some of
// them may be of an early point. A nil Later keeps none.
func (l *Later) final(points int) int {
	if l != nil {
		return -1
	}
	return points
}

// flush asks step by step, in the order of the nodes: nodes are some steps apart.
func (l *Later) flush() {
	slices.SortStableFunc(l.waiting, func(a, b waiting) int { return cmp.Or(a.at.Step-b.at.Step, int(a.node-b.node)) })
	for left := l.waiting; len(left) > 0; {
		step := left[0].at.Step
		var nodes []messages.NodeID
		var x []float64
		for _, w := range left {
			if w.at.Step == step {
				nodes, x = append(nodes, w.node), append(x, w.x...)
			}
		}
		answers := make([]float64, len(nodes)*l.Width)
		if err := l.Ask(answers, nodes, step, x); err != nil {
			panic(batch.Failure{Err: err})
		}
		for i, w := range left[:len(nodes)] {
			l.Take(w.node, w.at, w.x, answers[i*l.Width:(i+1)*l.Width])
		}
		left = left[len(nodes):]
	}
	l.waiting = l.waiting[:0]
}
