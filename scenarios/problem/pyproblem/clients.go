package pyproblem

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/messages"
)

// Clients are the costs of a seed as losses on the simplex.
type Clients struct {
	*Instance
	// linear is true if the scenario declares losses linear, <l, x>.
	linear bool
}

// byClient are the losses of clients: client i, from 1, is node i-1. They implement
// algorithm.Costs, batch.Costs and batch.Earlier.
type byClient struct{ of *Instance }

var (
	_ batch.Costs   = byClient{}
	_ batch.Earlier = byClient{}
)

// ByClient implements experts.Numbered.
func (c *Clients) ByClient() algorithm.Costs { return byClient{c.Instance} }

// ClientsOf returns the losses of a seed. Nothing is started before Open.
func (p *Problem) ClientsOf(seed uint64, horizon int, linear bool) *Clients {
	return &Clients{p.instance(seed, p.o.Nodes, horizon), linear}
}

// Open is Instance.Open. It refuses losses that are declared linear, and are not linear at
// step 1.
func (c *Clients) Open() error {
	err := c.Instance.Open()
	if err == nil && c.linear {
		if err = c.checkLinear(); err != nil {
			c.Release()
		}
	}
	return err
}

// linearTolerance is the largest error of rounding in a linear loss, for 1 and for each unit
// of it.
const linearTolerance = 1e-9

// checkLinear asks for gradients of all clients at a corner and in the middle of the simplex,
// which have to be the same vector l, and for the loss in the middle, <l, x>.
func (c *Clients) checkLinear() error {
	d, n := c.problem.Dim(), len(c.all())
	corner, middle, at, losses := make([]float64, n*d), make([]float64, n*d), make([][]float64, 2), make([]float64, n)
	nodes := make([]messages.NodeID, n)
	for i := range nodes {
		nodes[i], corner[i*d] = messages.NodeID(i), 1
	}
	for k := range middle {
		middle[k] = 1 / float64(d)
	}
	for i, x := range [][]float64{corner, middle} {
		at[i] = make([]float64, n*d)
		if err := c.Instance.Gradients(at[i], nodes, 1, x); err != nil {
			return err
		}
	}
	if err := c.Instance.Losses(losses, nodes, 1, middle); err != nil {
		return err
	}
	for i := range nodes {
		sum := 0.0
		for k := i * d; k < (i+1)*d; k++ {
			sum += at[0][k]
			if !(math.Abs(at[0][k]-at[1][k]) <= linearTolerance*(1+math.Abs(at[0][k]))) {
				return c.notLinear(i, "its gradient is %v for expert %d at a corner of the simplex, and %v in the middle", at[0][k], k-i*d+1, at[1][k])
			}
		}
		if want := sum / float64(d); !(math.Abs(losses[i]-want) <= linearTolerance*(1+math.Abs(want))) {
			return c.notLinear(i, "its loss is %v in the middle of the simplex, and the mean of the losses of experts %v", losses[i], want)
		}
	}
	return nil
}

func (c *Clients) notLinear(node int, format string, args ...any) error {
	o := &c.problem.o
	return &Error{What: fmt.Sprintf("%s: the losses of %s are no linear ones, of node %d at step 1", o.File, o.Class, node), Cause: fmt.Errorf(format, args...)}
}

// nodesOf returns the nodes of clients.
func nodesOf(clients []messages.NodeID) []messages.NodeID {
	nodes := make([]messages.NodeID, len(clients))
	for i, client := range clients {
		nodes[i] = client - 1
	}
	return nodes
}

// Loss implements algorithm.Costs.
func (c byClient) Loss(client messages.NodeID, step int, x []float64) float64 {
	return c.of.Loss(client-1, step, x)
}

// Gradient implements algorithm.Costs.
func (c byClient) Gradient(dst []float64, client messages.NodeID, step int, x []float64) {
	c.of.Gradient(dst, client-1, step, x)
}

// Losses implements batch.Costs.
func (c byClient) Losses(dst []float64, clients []messages.NodeID, step int, x []float64) error {
	return c.of.Losses(dst, nodesOf(clients), step, x)
}

// Gradients implements batch.Costs.
func (c byClient) Gradients(dst []float64, clients []messages.NodeID, step int, x []float64) error {
	return c.of.Gradients(dst, nodesOf(clients), step, x)
}

// EarlierGradients implements batch.Earlier.
func (c byClient) EarlierGradients(clients []messages.NodeID, questions []*batch.Steps) error {
	d, r := c.of.problem.Dim(), c.of.rows()
	defer c.of.asked.Put(r)
	var answers [][]float64
	for row, q := range questions {
		r.x = append(r.x, q.X...)
		for i, step := range q.Steps {
			r.add(row, int(clients[row])-1, step)
			answers = append(answers, q.Answer[i*d:(i+1)*d])
		}
	}
	return c.of.each("gradient", r, []int{d}, func(i int, g []float64) error {
		copy(answers[i], g)
		return nil
	})
}
