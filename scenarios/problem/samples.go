package problem

import (
	"sync"
	"sync/atomic"

	"starling/mechanisms/rng"
)

// rowSource is a source that draws the data of many nodes at once.
type rowSource interface {
	source
	// data is datum for len(y) nodes from first on, at a step. It writes the features to a,
	// rows of length d side by side, and the responses to y.
	data(a, y []float64, first, step int, stream *rng.Stream)
}

// sampleBudget bounds the memory, in bytes, that an instance keeps its data in.
const sampleBudget = 256 << 20

// sampleBytes returns about the number of bytes of data that an instance of such an extent keeps. If
// not all fit, it keeps the data of steps of which sums over nodes are asked, and none if
// sums is false.
func sampleBytes(nodes, horizon, dim int, sums bool) int64 {
	batch := 8 * int64(nodes) * int64(dim+1)
	switch fit := sampleBudget / batch; {
	case int64(horizon) <= fit:
		return int64(horizon) * batch
	case sums:
		return fit * batch
	}
	return 0
}

// source regenerates data. It is safe for concurrent use.
type source interface {
	// datum writes the features of (node, step) to a, len d, and returns the
	// response. It is a pure function of (node, step); stream is scratch.
	datum(a []float64, node, step int, stream *rng.Stream) float64
}

// samples holds one datum (a, y) for every node and step. If all of them fit
// the budget they are drawn once, up front, and no call allocates. Otherwise a
// window of steps is kept, replaced as sums over nodes ask for other steps,
// and data that are not in the window are drawn again at each use: the bits are the same in
// every case.
//
// Concurrent readers share the window without locks: a batch is immutable once
// stored, and two callers that miss the same step both draw it. So memory is
// bounded by the budget and one batch per concurrent caller.
type samples struct {
	extent
	source  source
	window  []atomic.Pointer[batch] // the batch of a step is at (step-1) mod len
	scratch sync.Pool               // of *scratch
}

// batch is the data of all nodes at one step.
type batch struct {
	step      int
	features  []float64 // N x d
	responses []float64 // N
}

// scratch is the memory for drawing one datum, and mostRows data.
type scratch struct {
	stream          rng.Stream
	features        []float64 // len d
	rows, responses []float64 // mostRows x d, and mostRows; nil before the first use
}

// newSamples returns samples with the data, or a window of them, that fit in budget bytes.
func newSamples(e extent, source source, budget int) *samples {
	s := &samples{extent: e, source: source}
	s.scratch.New = func() any { return &scratch{features: make([]float64, e.dim)} }
	batchBytes := 8 * e.nodes * (e.dim + 1)
	s.window = make([]atomic.Pointer[batch], min(e.horizon, budget/batchBytes))
	if len(s.window) == e.horizon {
		for step := 1; step <= e.horizon; step++ {
			s.fill(step)
		}
	}
	return s
}

// kept returns the batch of a step if it is in the window, else nil.
func (s *samples) kept(step int) *batch {
	if len(s.window) == 0 {
		return nil
	}
	b := s.window[(step-1)%len(s.window)].Load()
	if b == nil || b.step != step {
		return nil
	}
	return b
}

// fill draws the batch of a step and puts it in the window.
func (s *samples) fill(step int) *batch {
	b := &batch{step: step, features: make([]float64, s.nodes*s.dim), responses: make([]float64, s.nodes)}
	work := s.scratch.Get().(*scratch)
	defer s.scratch.Put(work)
	if rows, ok := s.source.(rowSource); ok {
		rows.data(b.features, b.responses, 0, step, &work.stream)
	} else {
		for i := range s.nodes {
			b.responses[i] = s.source.datum(b.row(i, s.dim), i, step, &work.stream)
		}
	}
	s.window[(step-1)%len(s.window)].Store(b)
	return b
}

func (b *batch) row(i, dim int) []float64 { return b.features[i*dim : (i+1)*dim] }

// one calls use with the datum of (node, step). The features are valid during
// the call only, and read only.
func (s *samples) one(node, step int, use func(a []float64, y float64)) {
	if b := s.kept(step); b != nil {
		use(b.row(node, s.dim), b.responses[node])
		return
	}
	work := s.scratch.Get().(*scratch)
	defer s.scratch.Put(work)
	use(work.features, s.source.datum(work.features, node, step, &work.stream))
}

// many calls use with the data of count nodes from first on at a step, some at a time, in
// ascending order: features, rows of length d side by side, and responses, valid during the
// call only and read only.
func (s *samples) many(first, count, step int, use func(a, y []float64)) {
	if b := s.kept(step); b != nil {
		use(b.features[first*s.dim:(first+count)*s.dim], b.responses[first:first+count])
		return
	}
	rows, ok := s.source.(rowSource)
	if !ok {
		for node := first; node < first+count; node++ {
			s.one(node, step, func(a []float64, y float64) { use(a, []float64{y}) })
		}
		return
	}
	work := s.scratch.Get().(*scratch)
	defer s.scratch.Put(work)
	if work.rows == nil {
		work.rows, work.responses = make([]float64, mostRows*s.dim), make([]float64, mostRows)
	}
	for end := first + count; first < end; {
		some := min(mostRows, end-first)
		a, y := work.rows[:some*s.dim], work.responses[:some]
		rows.data(a, y, first, step, &work.stream)
		use(a, y)
		first += some
	}
}

// all calls use with the datum of every node at a step, in ascending order.
func (s *samples) all(step int, use func(a []float64, y float64)) {
	b := s.kept(step)
	if b == nil && len(s.window) > 0 {
		b = s.fill(step)
	}
	if b != nil {
		for i, y := range b.responses {
			use(b.row(i, s.dim), y)
		}
		return
	}
	work := s.scratch.Get().(*scratch)
	defer s.scratch.Put(work)
	for i := range s.nodes {
		use(work.features, s.source.datum(work.features, i, step, &work.stream))
	}
}
