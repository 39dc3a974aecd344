package pyproblem

import (
	"sync"

	"starling/actors/algorithm/batch"
	"starling/messages"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// Data are the costs of a seed as data that learners of a server meet one by one: a datum is
// the number of a node, from 0, and a step, from 1, and names the cost that the class computes.
// They implement problem.Data and problem.Many.
type Data struct {
	*Instance
	rounds stream.Memo[int, stream.Optimum]
	static func() stream.Optimum
	shape  stream.Shape
}

var (
	_ problem.Data = &Data{}
	_ problem.Many = &Data{}
)

// DataOf returns the data of a seed, with as many of each learner as shape has steps. Nothing
// is started before Open.
func (p *Problem) DataOf(seed uint64, shape stream.Shape) *Data {
	d := &Data{Instance: p.instance(seed, shape.Learners, shape.Steps()), shape: shape}
	d.static = sync.OnceValue(func() stream.Optimum { return d.least(1, shape.Steps()) })
	return d
}

// Width implements problem.Data.
func (d *Data) Width() int { return 2 }

// Datum implements problem.Data.
func (d *Data) Datum(dst []float64, node messages.NodeID, step int) {
	dst[0], dst[1] = float64(node), float64(step)
}

// least returns the least mean loss over the steps first to last, as the class gives it.
func (d *Data) least(first, last int) stream.Optimum {
	return stream.Optimum{Status: stream.Solved, Value: d.BestIn(first, last)}
}

// Round returns the least mean loss over the data of a round, from 0; see stream.Comparator.
func (d *Data) Round(r int) stream.Optimum {
	return d.rounds.Get(r, func() stream.Optimum { return d.least(r*d.shape.Tau+1, (r+1)*d.shape.Tau) })
}

// Static returns the least mean loss over all data.
func (d *Data) Static() stream.Optimum { return d.static() }

// Model is the model of data: the class computes its losses and gradients. It implements
// stream.Seeded and batch.Models. Without a seed it has a dimension only.
type Model struct {
	problem *Problem
	data    *Instance // nil where there is no seed
}

// Model returns the model of data of the problem, without a seed.
func (p *Problem) Model() *Model { return &Model{problem: p} }

// Under implements stream.Seeded.
func (m *Model) Under(in problem.Data) stream.Model {
	return &Model{m.problem, in.(*Data).Instance}
}

// Dim implements stream.Model.
func (m *Model) Dim() int { return m.problem.Dim() }

// Loss implements stream.Model.
func (m *Model) Loss(x, datum []float64) float64 {
	return m.data.Loss(messages.NodeID(datum[0]), int(datum[1]), x)
}

// Gradient implements stream.Model.
func (m *Model) Gradient(dst, x, datum []float64) {
	m.data.Gradient(dst, messages.NodeID(datum[0]), int(datum[1]), x)
}

// Gradients implements batch.Models.
func (m *Model) Gradients(questions []*batch.Datum) error {
	d, r := m.Dim(), m.data.rows()
	defer m.data.asked.Put(r)
	for i, q := range questions {
		r.x = append(r.x, q.X...)
		r.add(i, int(q.Datum[0]), int(q.Datum[1]))
	}
	return m.data.each("gradient", r, []int{d}, func(i int, g []float64) error {
		copy(questions[i].Answer, g)
		return nil
	})
}
