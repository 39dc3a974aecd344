package stream

import "sync"

// Held is a model of which all parameters but the first are held where they are: a
// model of those, for runs that are made small.
type Held struct {
	Model
	at   []float64 // len Dim of the whole model
	free int
	pool *sync.Pool // of *heldWork
}

type heldWork struct{ x, gradient []float64 }

// Hold returns a model with all parameters but the first, so many, held at a point, len
// Dim of the whole model. It keeps the point.
func Hold(whole Model, at []float64, free int) *Held {
	return &Held{whole, at, free, &sync.Pool{New: func() any {
		return &heldWork{make([]float64, len(at)), make([]float64, len(at))}
	}}}
}

// Under implements Seeded.
func (h *Held) Under(in Instance) Model { return Hold(Under(in, h.Model), h.at, h.free) }

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

// put is the point of the whole model at x.
func (h *Held) put(x []float64) *heldWork {
	w := h.pool.Get().(*heldWork)
	copy(w.x, h.at)
	copy(w.x, x)
	return w
}
