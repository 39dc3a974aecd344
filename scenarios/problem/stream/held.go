package stream

import (
	"sync"

	"starling/actors/algorithm/batch"
	"starling/messages"
	"starling/scenarios/problem"
)

// Held is a model of the first parameters of another model. The other parameters are held at a
// point. It is for runs that are made small.
type Held struct {
	Model
	at   []float64 // len Dim of the whole model
	free int
	pool *sync.Pool // of *heldWork
	desk batch.Desk // nil where the whole model is not asked about many data at once
}

type heldWork struct{ x, gradient []float64 }

// Hold returns a model of the first free parameters, with all others held at a point, len Dim
// of the whole model. It keeps the point.
func Hold(whole Model, at []float64, free int) *Held {
	h := &Held{Model: whole, at: at, free: free, pool: &sync.Pool{New: func() any {
		return &heldWork{make([]float64, len(at)), make([]float64, len(at))}
	}}}
	if all := batch.OfModel(whole); all != nil {
		h.desk = &heldDesk{h, all}
	}
	return h
}

// Desk implements batch.DeskHolder.
func (h *Held) Desk() batch.Desk { return h.desk }

// heldDesk asks the whole model.
type heldDesk struct {
	held *Held
	all  batch.Desk
}

// Answer implements batch.Desk, for questions of type *batch.Datum.
func (h *heldDesk) Answer(step int, nodes []messages.NodeID, questions []any) error {
	work, whole := make([]*heldWork, len(questions)), make([]any, len(questions))
	for i, question := range questions {
		q := question.(*batch.Datum)
		work[i] = h.held.put(q.X)
		defer h.held.pool.Put(work[i])
		whole[i] = &batch.Datum{X: work[i].x, Datum: q.Datum, Answer: work[i].gradient}
	}
	if err := h.all.Answer(step, nodes, whole); err != nil {
		return err
	}
	for i, question := range questions {
		copy(question.(*batch.Datum).Answer, work[i].gradient)
	}
	return nil
}

// Under implements Seeded.
func (h *Held) Under(in problem.Data) Model { return Hold(Under(in, h.Model), h.at, h.free) }

// Dim implements Model.
func (h *Held) Dim() int { return h.free }

// Loss implements Model.
func (h *Held) Loss(x, datum []float64) float64 {
	w := h.put(x)
	defer h.pool.Put(w)
	return h.Model.Loss(w.x, datum)
}

// Gradient implements Model: the first entries of the whole gradient, which is no
// shorter.
func (h *Held) Gradient(dst, x, datum []float64) {
	w := h.put(x)
	defer h.pool.Put(w)
	h.Model.Gradient(w.gradient, w.x, datum)
	copy(dst, w.gradient)
}

// put returns memory with the point of the whole model for x.
func (h *Held) put(x []float64) *heldWork {
	w := h.pool.Get().(*heldWork)
	copy(w.x, h.at)
	copy(w.x, x)
	return w
}
