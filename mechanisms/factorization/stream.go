package factorization

import (
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/kernel"
	"starling/messages"
)

// law is the law that a kind draws its increments from: an immutable table.
type law interface {
	// memory is the number of floats of state for each coordinate.
	memory() int
	// sampler returns the sampler of one stream.
	sampler() sampler
}

// sampler draws increments. It may keep scratch. Its draws depend on no scratch beyond numbers
// that it can compute from the step.
type sampler interface {
	// next writes the increment of step t to dst (len d) and brings state (len
	// memory*d; all zero before step 0) from before the step to after it.
	next(dst, state []float64, t int, z Normals)
}

// Normals overwrites vectors with its next independent numbers of the law N(0, 1). A *rng.Rand
// is one; other implementations measure how a stream depends on its numbers, which is linear.
type Normals interface{ FillNormal(dst []float64) }

// Stream draws the noise increments (b^t - b^(t-1)) Z, t = 0..n-1, b^(-1) = 0, of
// one release of vectors: rows of B, and Z of independent N(0, 1) entries. The
// caller multiplies by the standard deviation of its noise. A stream belongs to
// one goroutine at a time.
type Stream struct {
	// n is the number of steps, d the length of vectors, and t the step to draw next.
	n, d, t int
	// state is the state after the draws of earlier steps, memory*d numbers, a row for each
	// number a coordinate keeps. A checkpoint holds it.
	state []float64
	// work is scratch of NextAt, len d once it has passed over a step.
	work []float64
	// law makes a new sampler after a checkpoint is read: scratch of an old one may not
	// fit the step.
	law     law
	sampler sampler
}

// Stream returns a stream at step 0 for vectors of len d >= 1.
func (f *Factorization) Stream(d int) (*Stream, error) {
	memory := f.law.memory()
	if d < 1 || d > math.MaxInt/8/max(1, memory) {
		return nil, fmt.Errorf("stream of factorization %s for vectors of length %d, want at least 1 and at most as much as memory holds", f.kind, d)
	}
	return &Stream{n: f.n, d: d, state: make([]float64, memory*d), law: f.law, sampler: f.law.sampler()}, nil
}

// Step returns the step of the increment that Next draws next, n after the last.
func (s *Stream) Step() int { return s.t }

// Next overwrites dst (len d) with the increment of the next step and allocates
// nothing. All draws are from z, which is not kept; the increment depends on the
// draws of this step and earlier ones only. It is an error, which changes
// nothing, to ask for more than n steps or for another length.
func (s *Stream) Next(dst []float64, z Normals) error {
	if s.t >= s.n {
		return fmt.Errorf("noise for step %d, but the factorization has %d steps", s.t, s.n)
	}
	if len(dst) != s.d {
		return fmt.Errorf("noise for a vector of length %d, but the stream has %d", len(dst), s.d)
	}
	s.next(dst, z)
	return nil
}

// NextAt overwrites dst (len d) with the noise on the input of a step, from Step on, where the
// inputs of the steps from Step up to it are known to be zero: the sum of their increments and
// its own, for they show nothing else. Where increments are independent of each other the
// increments of zero inputs are left out, and not drawn. Otherwise all are drawn from z, in
// order. It allocates once, for the first step that is passed over. It returns the errors of
// Next, and an error if the step has been drawn already.
func (s *Stream) NextAt(step int, dst []float64, z Normals) error {
	switch {
	case step < s.t:
		return fmt.Errorf("noise for step %d, but the noise of step %d is next", step, s.t)
	case step >= s.n:
		return fmt.Errorf("noise for step %d, but the factorization has %d steps", step, s.n)
	case step == s.t || len(dst) != s.d:
		return s.Next(dst, z)
	case len(s.state) == 0:
		s.t = step
		return s.Next(dst, z)
	}
	if s.work == nil {
		s.work = make([]float64, s.d)
	}
	clear(dst)
	for s.t <= step {
		s.next(s.work, z)
		kernel.Add(dst, s.work)
	}
	return nil
}

// next is Next without checks.
func (s *Stream) next(dst []float64, z Normals) {
	s.sampler.next(dst, s.state, s.t, z)
	s.t++
}

// State implements messages.Stateful: the step and the numbers that are kept. A
// stream of the same factorization and length that reads it goes on with the same
// bits.
func (s *Stream) State(c *messages.Codec) {
	c.Int("step", &s.t)
	c.Check(s.t >= 0 && s.t <= s.n, "state of a stream is at step %d of %d", s.t, s.n)
	c.Same("length", len(s.state))
	c.Floats("state", s.state)
	if !c.Reading() {
		return
	}
	if i := slices.IndexFunc(s.state, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }); i >= 0 {
		c.Check(false, "number %d of the state of a stream is %v", i, s.state[i])
	}
	s.sampler = s.law.sampler() // scratch may be of another step
}
