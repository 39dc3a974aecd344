package experts

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/messages"
)

// Best is the best fixed decision in hindsight at each of a list of points.
type Best struct {
	// Loss is the smallest total loss of one fixed decision over all clients and
	// the steps up to the point.
	Loss []float64
	// Expert is the expert, from 1, that has the most weight in that decision,
	// the lowest where several have. For linear losses it has all of the weight.
	Expert []int
}

// Comparable is implemented by losses with a best fixed decision that is known.
type Comparable interface {
	// Hindsight returns the best fixed decision at each point, a step. It depends on
	// the losses alone, so runs on the same data share it. Points are strictly
	// ascending and within the horizon.
	Hindsight(points []int) (*Best, error)
}

// Hindsight implements Comparable.
func (in *Instance) Hindsight(points []int) (*Best, error) {
	if err := checkPoints(points); err != nil {
		return nil, err
	}
	best := &Best{Loss: make([]float64, len(points)), Expert: make([]int, len(points))}
	a := in.adversary
	sum, decision, datum := make([]float64, a.Experts), make([]float64, a.Experts), make([]float64, a.Experts)
	step := 1
	for k, point := range points {
		for ; step <= point; step++ {
			for node := range messages.NodeID(a.Clients) {
				in.Datum(datum, node, step)
				a.Model.Add(sum, datum)
			}
		}
		best.Loss[k] = a.Model.Hindsight(decision, sum)
		best.Expert[k] = 1 + slices.Index(decision, slices.Max(decision))
	}
	return best, nil
}

// Tally adds up the losses of the clients of one run. Played can be called concurrently for
// different clients, and for one in the order of its steps.
type Tally struct {
	losses  algorithm.Costs
	points  []int
	clients []account
}

// account has the losses of one client.
type account struct {
	paid  float64
	next  int       // the first point not noted
	noted []float64 // by point: paid up to and with it
}

// NewTally returns the tally of a run, for its losses or regret at the given steps, which are
// strictly ascending.
func NewTally(losses algorithm.Costs, clients int, points []int) (*Tally, error) {
	if err := checkPoints(points); err != nil {
		return nil, err
	}
	t := &Tally{losses: losses, points: points, clients: make([]account, clients)}
	for i := range t.clients {
		t.clients[i].noted = make([]float64, len(points))
	}
	return t, nil
}

// Played notes that a client, from 1, played x, len d, in a step. It has the arguments of
// algorithm.Meter.Played for the nodes of a star.
func (t *Tally) Played(client messages.NodeID, step int, x []float64) {
	t.Take(client, step, t.losses.Loss(client, step, x))
}

// Take is Played for a decision with a known loss.
func (t *Tally) Take(client messages.NodeID, step int, loss float64) {
	a := &t.clients[client-1]
	a.paid += loss
	if a.next < len(t.points) && t.points[a.next] == step {
		a.noted[a.next] = a.paid
		a.next++
	}
}

// Regret returns Reg(t, m) at each point t, given the result of Hindsight for the same points:
// the losses of clients on average, less the loss of the best fixed decision for each. It is
// NaN from the first point on that some client has not played.
func (t *Tally) Regret(best *Best) ([]float64, error) {
	if len(best.Loss) != len(t.points) {
		return nil, fmt.Errorf("the best losses of %d points, want %d", len(best.Loss), len(t.points))
	}
	return t.beyond(best.Loss), nil
}

// Paid returns the losses of clients up to each point, on average: Regret against a decision
// without losses.
func (t *Tally) Paid() []float64 { return t.beyond(make([]float64, len(t.points))) }

// beyond returns the losses of all clients together at each point, less least, on average over
// clients.
func (t *Tally) beyond(least []float64) []float64 {
	beyond := make([]float64, len(t.points))
	for k := range beyond {
		var paid float64
		for i := range t.clients {
			if t.clients[i].next <= k {
				paid = math.NaN()
				break
			}
			paid += t.clients[i].noted[k]
		}
		beyond[k] = (paid - least[k]) / float64(len(t.clients))
	}
	return beyond
}

// State goes through the losses of the clients. It must not be called while Played is. A
// reader is a new tally of the same run.
func (t *Tally) State(c *messages.Codec) {
	messages.Each(c, "client", t.clients, func(a *account) {
		c.Float("paid", &a.paid)
		c.Int("next", &a.next)
		if c.Check(a.next >= 0 && a.next <= len(t.points), "%d points of %d are noted", a.next, len(t.points)); !c.Failed() {
			c.Floats("noted", a.noted[:a.next])
		}
	})
}

func checkPoints(points []int) error {
	before := 0
	for k, point := range points {
		if point <= before {
			return fmt.Errorf("point %d of the list is step %d, want more than %d", k+1, point, before)
		}
		before = point
	}
	return nil
}
