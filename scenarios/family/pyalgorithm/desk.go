package pyalgorithm

import (
	"errors"
	"fmt"

	"starling/messages"
	"starling/scenarios/problem/pyproblem"
)

// action is a request or a result of a participant; participants.py has the same numbers.
type action int

// The actions. Actions before release are answered, raw with nothing.
const (
	play action = iota
	gradient
	loss
	project
	raw
	release
	nothing
	actions // their number
)

// question is a question of a node to the desk, and the answer. Each node has one of its own,
// for all its turns.
type question struct {
	// The turn, as it begins.
	key   [4]float64 // 32 bits each, of the stream of the node and the step
	fresh bool       // the node has no state yet
	start []float64  // x_1, len d
	heard []float64  // len d; nil in the first step, and where there is an inbox
	mass  float64    // of push-sum, else 1
	// inbox has the messages that the node has heard, and neighbours the nodes that hear it,
	// without itself, ascending. They are set where the class asks for its inbox.
	inbox      []message
	neighbours []messages.NodeID
	state      *state // of the node, which the desk overwrites at the end of the turn
	seed       uint64
	labels     int // paper's number of node 0

	membership
	answer []float64 // to the batch's request to the node

	// The desk's answer.
	action action
	values []float64 // len d, or 0; until the next question
	// single means that values are a vector for each of to, ascending, side by side.
	single bool
	to     []messages.NodeID
	// records are the node's records, at the end of the turn, by the office's metrics; NaN
	// means none.
	records []float64
}

// message is a message that a node has heard.
type message struct {
	from   messages.NodeID
	weight float64
	late   bool
	raw    bool
	values []float64 // the sender's: read only
}

// office is the desk of the nodes of a plan; it implements batch.Desk.
type office struct {
	pool  *pyproblem.Pool
	class string
	inbox bool // turns bring messages in place of their sum
	// sends is the largest number of neighbours that get a vector of their own in a step; 0
	// means none.
	sends  int
	pushes bool // sums are by push-sum
	twice  bool // turns are taken twice, and compared
	// metrics are the names, in order, of the metrics that the class records.
	metrics []string
}

// errShape is for answers that participants.py does not give.
var errShape = errors.New("the answer has another form than asked for")

// Answer implements batch.Desk.
func (o *office) Answer(step int, nodes []messages.NodeID, questions []any) error {
	for _, list := range together[*question](nodes, questions) {
		nodes := make([]messages.NodeID, len(list))
		for i, q := range list {
			nodes[i] = q.node
		}
		if err := o.answer(step, nodes, list); err != nil {
			return err
		}
	}
	return nil
}

// answer has the nodes of a batch begin, or go on.
func (o *office) answer(step int, nodes []messages.NodeID, list []*question) error {
	what := fmt.Sprintf("%s: step %d of %s, seed %d", o.class, step, span(nodes, list[0].labels), list[0].seed)
	return exchange(o.pool, list, what, func(begins bool) *pyproblem.Call {
		if begins {
			return o.beginning(step, nodes, list)
		}
		return continuation(list)
	}, func(arrays []pyproblem.Array) (int, error) { return read(arrays, list, o.metrics) })
}

// span names nodes, which are consecutive except for nodes that are down.
func span(nodes []messages.NodeID, first int) string {
	if len(nodes) == 1 {
		return fmt.Sprintf("node %d", int(nodes[0])+first)
	}
	return fmt.Sprintf("%d nodes, %d to %d", len(nodes), int(nodes[0])+first, int(nodes[len(nodes)-1])+first)
}

// packing holds the arrays of a call.
type packing struct {
	arrays   []pyproblem.Array
	integers []string
}

func (p *packing) floats(name string, values []float64, shape ...int) {
	p.arrays = append(p.arrays, pyproblem.Array{Name: name, Shape: shape, Values: values})
}

func (p *packing) whole(name string, values []float64, shape ...int) {
	p.floats(name, values, shape...)
	p.integers = append(p.integers, name)
}

// call makes the call of a method.
func (p *packing) call(method string) *pyproblem.Call {
	return &pyproblem.Call{Method: method, Arrays: p.arrays, Integers: p.integers}
}

// beginning makes the call that begins turns.
func (o *office) beginning(step int, nodes []messages.NodeID, list []*question) *pyproblem.Call {
	k, d := len(list), len(list[0].start)
	labels, fresh, keys := make([]float64, k), make([]float64, k), make([]float64, 0, 4*k)
	for i, q := range list {
		labels[i] = float64(nodes[i])
		if q.fresh {
			fresh[i] = 1
		}
		keys = append(keys, q.key[:]...)
	}
	var p packing
	p.whole("step", []float64{float64(step)})
	p.whole("nodes", labels, k)
	p.whole("key", keys, k, 4)
	p.floats("start", list[0].start, d)
	p.whole("fresh", fresh, k)
	if o.twice {
		p.whole("twice", []float64{1})
	}
	switch {
	case o.inbox:
		packInboxes(&p, list, d)
	case list[0].heard != nil:
		heard := make([]float64, 0, k*d)
		for _, q := range list {
			heard = append(heard, q.heard...)
		}
		p.floats("heard", heard, k, d)
	}
	if o.pushes {
		masses := make([]float64, k)
		for i, q := range list {
			masses[i] = q.mass
		}
		p.floats("mass", masses, k)
	}
	packStates(&p, list)
	return p.call("begin")
}

// packInboxes adds the messages of all nodes, one after the other.
func packInboxes(p *packing, list []*question, d int) {
	truth := map[bool]float64{true: 1}
	var counts, senders, weights, late, raw, values, degrees, neighbours []float64
	for _, q := range list {
		degrees = append(degrees, float64(len(q.neighbours)))
		for _, to := range q.neighbours {
			neighbours = append(neighbours, float64(to))
		}
		counts = append(counts, float64(len(q.inbox)))
		for _, m := range q.inbox {
			senders, weights, values = append(senders, float64(m.from)), append(weights, m.weight), append(values, m.values...)
			late, raw = append(late, truth[m.late]), append(raw, truth[m.raw])
		}
	}
	p.whole("inbox.count", counts, len(counts))
	p.whole("inbox.sender", senders, len(senders))
	p.floats("inbox.weight", weights, len(weights))
	p.whole("inbox.late", late, len(late))
	p.whole("inbox.raw", raw, len(raw))
	p.floats("inbox.values", values, len(senders), d)
	p.whole("degrees", degrees, len(degrees))
	p.whole("neighbours", neighbours, len(neighbours))
}

// packStates adds the states of the nodes that have one.
func packStates(p *packing, list []*question) {
	var old []*state
	for _, q := range list {
		if !q.fresh {
			old = append(old, q.state)
		}
	}
	if len(old) == 0 {
		return
	}
	for i, entry := range old[0].entries {
		var values, shapes []float64
		for _, s := range old {
			values = append(values, s.entries[i].values...)
			for _, length := range s.entries[i].shape {
				shapes = append(shapes, float64(length))
			}
		}
		p.floats("state."+entry.name, values, len(values))
		p.whole("shape."+entry.name, shapes, len(old), len(entry.shape))
		p.whole("kind."+entry.name, []float64{float64(entry.kind)})
	}
}

// continuation makes the call that hands over answers.
func continuation(list []*question) *pyproblem.Call {
	var answers, lengths []float64
	for _, q := range list {
		answers, lengths = append(answers, q.answer...), append(lengths, float64(len(q.answer)))
	}
	var p packing
	p.floats("answers", answers, len(answers))
	p.whole("lengths", lengths, len(lengths))
	return p.call("go_on")
}
