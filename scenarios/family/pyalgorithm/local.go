package pyalgorithm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/federated/machine"
	"starling/scenarios/metric"
	"starling/scenarios/problem/pyproblem"
)

// client is a client whose local steps are the method local of the class. Its message is the change of the
// server's.
type client struct {
	at     *machine.Setting
	office *clientOffice
	index  int
	begun  bool      // the client has taken part before
	kept   []float64 // vectors that the client keeps, side by side
	// The rest is working memory: no part of the state.
	question localQuestion
	gradient []float64
}

func newClient(office *clientOffice, at *machine.Setting, index int) machine.Client {
	return &client{at: at, office: office, index: index, kept: make([]float64, office.keeps*at.Dim), gradient: make([]float64, at.Dim)}
}

// State implements messages.Stateful.
func (c *client) State(codec *messages.Codec) {
	if len(c.kept) > 0 {
		codec.Bool("begun", &c.begun)
		codec.Floats("kept", c.kept)
	}
}

// errGradients is for more questions than there are batches.
var errGradients = errors.New("local asks for more gradients than turn.steps, for which batches are drawn; raise tau")

// Update implements machine.Client.
func (c *client) Update(t *algorithm.Turn, dst, said []float64) (accountant.Receipt, error) {
	batches := c.at.Steps.Begin(t, c.index)
	defer batches.Leave()
	q := &c.question
	*q = localQuestion{client: c.index, fresh: !c.begun, dim: c.at.Dim, said: said, kept: c.kept, steps: batches.Left(), rate: c.at.Steps.LearningRate}
	for {
		if err := t.Consult(c.office, q); err != nil || q.over {
			return accountant.Receipt{}, err // an error of another client where the batch has broken up
		}
		if q.point == nil {
			break
		}
		if batches.Left() == 0 {
			return accountant.Receipt{}, fmt.Errorf("%s: %w", c.office.class, errGradients)
		}
		if _, err := batches.Sum(c.gradient, q.point); err != nil {
			return accountant.Receipt{}, err
		}
		kernel.Scale(c.gradient, 1/batches.Size, c.gradient)
		q.gradient = c.gradient
	}
	c.begun = true
	copy(c.kept, q.kept)
	for i, v := range q.model {
		dst[i] = v - said[i]
	}
	for i, value := range q.records {
		if !math.IsNaN(value) {
			t.Record(metric.Own+c.office.metrics[i], value)
		}
	}
	return accountant.Receipt{}, nil
}

// localQuestion is a question of a client to the desk, and the answer.
type localQuestion struct {
	membership
	client, dim, steps int
	fresh              bool // the client's first round
	rate               float64
	said               []float64 // the server's message, vectors side by side
	gradient           []float64 // len dim, of the point that the class has asked about
	kept               []float64 // vectors that the client keeps; at the end those that it keeps then

	// The desk's answer: a point to take the gradient at, or at the end the vectors in place of said.
	point, model []float64
	records      []float64 // by the office's metrics, at the end; NaN means none
}

// first is 1 in the first round of a client, and else 0.
func (q *localQuestion) first() []float64 {
	if q.fresh {
		return []float64{1}
	}
	return []float64{0}
}

// clientOffice is the desk of the clients of a plan; it implements batch.Desk.
type clientOffice struct {
	pool    *pyproblem.Pool
	class   string
	vectors int // in a message
	keeps   int // vectors that a client keeps
	metrics []string
	twice   bool // turns are taken twice, and compared
}

// Answer implements batch.Desk.
func (o *clientOffice) Answer(round int, nodes []messages.NodeID, questions []any) error {
	for _, list := range together[*localQuestion](nodes, questions) {
		most := len(list)
		if list[0].batch == nil {
			most = max(1, mostNumbers/len(list[0].said))
		}
		for part := range slices.Chunk(list, most) {
			if err := o.answer(round, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostNumbers is the largest number of numbers of the messages of clients that begin in one call.
const mostNumbers = 1 << 24

// answer has the clients of a batch begin, or go on.
func (o *clientOffice) answer(round int, list []*localQuestion) error {
	what := fmt.Sprintf("%s.local of %s in round %d", o.class, clientsOf(list), round)
	return exchange(o.pool, list, what, func(begins bool) *pyproblem.Call {
		if begins {
			return o.beginning(round, list)
		}
		return o.continuation(list)
	}, func(arrays []pyproblem.Array) (int, error) { return o.read(arrays, list) })
}

// clientsOf names the clients of questions, from 0.
func clientsOf(list []*localQuestion) string {
	if len(list) == 1 {
		return fmt.Sprintf("client %d", list[0].client)
	}
	return fmt.Sprintf("%d clients from %d to %d", len(list), list[0].client, list[len(list)-1].client)
}

// rows has the values of all clients one after the other.
func rows(list []*localQuestion, of func(q *localQuestion) []float64) (all []float64) {
	for _, q := range list {
		all = append(all, of(q)...)
	}
	return all
}

// beginning makes the call that begins the turns of clients.
func (o *clientOffice) beginning(round int, list []*localQuestion) *pyproblem.Call {
	first, k := list[0], len(list)
	var p packing
	p.whole("round", []float64{float64(round)})
	p.whole("nodes", rows(list, func(q *localQuestion) []float64 { return []float64{float64(q.client)} }), k)
	p.whole("steps", []float64{float64(first.steps)})
	p.floats("rate", []float64{first.rate})
	shape := []int{k, first.dim}
	if o.vectors > 1 {
		shape = []int{k, o.vectors, first.dim}
	}
	p.floats("model", rows(list, func(q *localQuestion) []float64 { return q.said }), shape...)
	if o.keeps > 0 {
		p.floats("kept", rows(list, func(q *localQuestion) []float64 { return q.kept }), k, o.keeps, first.dim)
		p.whole("fresh", rows(list, (*localQuestion).first), k)
	}
	if o.twice {
		p.whole("twice", []float64{1})
	}
	return p.call("begin")
}

// continuation makes the call that hands over gradients.
func (o *clientOffice) continuation(list []*localQuestion) *pyproblem.Call {
	var p packing
	p.floats("gradient", rows(list, func(q *localQuestion) []float64 { return q.gradient }), len(list), list[0].dim)
	return p.call("go_on")
}

// read hands out the arrays of an answer, and returns the number of clients that ask for more: all or none.
func (o *clientOffice) read(arrays []pyproblem.Array, list []*localQuestion) (asked int, err error) {
	d := list[0].dim
	parts := map[string]int{"point": d, "model": o.vectors * d, "kept": o.keeps * d, "records": len(o.metrics)}
	found := map[string][]float64{}
	for _, a := range arrays {
		if width, ok := parts[a.Name]; !ok || len(a.Values) != width*len(list) {
			return 0, errShape
		}
		found[a.Name] = a.Values
	}
	row := func(name string, i int) []float64 {
		if found[name] == nil {
			return nil
		}
		return found[name][i*parts[name] : (i+1)*parts[name]]
	}
	if (found["point"] == nil) == (found["model"] == nil) {
		return 0, errShape
	}
	for i, q := range list {
		q.point, q.model, q.records = row("point", i), row("model", i), row("records", i)
		if q.model != nil && o.keeps > 0 {
			q.kept = row("kept", i)
		}
	}
	if found["point"] != nil {
		return len(list), nil
	}
	return 0, nil
}
