package opestoch

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"starling/actors/algorithm"
	"starling/mechanisms/portable"
	"starling/messages"
)

// Phase is one phase, as the options settle it.
type Phase struct {
	Number      int // p, from 1
	First, Last int // its steps: 2^(p-1) .. 2^p - 1, the last phase cut at the horizon
	// Trees is T1, 0 in phase 1. Tree j = 1 .. T1 has 2^j leaves.
	Trees int
	// Batch is b, the losses drawn at each root; a right child at depth q draws
	// Batch >> q of them, which is exact where Batch is at least 2^T1, and
	// nothing where it is 1.
	Batch int
	// Available is the number of losses of the phase before, Drawn how many of
	// them are used, each once.
	Available, Drawn int
	// Scales are by tree, from tree 1: lambda of the clients' noise, or mu of
	// the server's in the central variant; sigma of Gaussian noise.
	Scales []float64
}

// Leaves is the number of leaves of all trees: 2^(T1+1) - 2.
func (p *Phase) Leaves() int { return 1<<(p.Trees+1) - 2 }

// Schedule says which participants act when, and how much they send. It does not depend on
// data. Leaf k of a phase has two hops in the phase's first step, up and down, and a last hop
// plays: 2 K + 1 hops. Step 1 has two, the broadcast of z and the play; all other steps one.
type Schedule struct {
	Clients, Experts int
	Phases           []Phase // by number, from 1
}

// NewSchedule returns the schedule of the options. It returns the errors of Validate.
func NewSchedule(o *Options) (*Schedule, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &Schedule{Clients: o.Clients, Experts: o.Experts}
	for p := 1; 1<<(p-1) <= o.Horizon; p++ {
		phase := Phase{Number: p, First: 1 << (p - 1), Last: min(1<<p-1, o.Horizon)}
		if p > 1 {
			o.plan(&phase)
		}
		s.Phases = append(s.Phases, phase)
	}
	return s, nil
}

// Scaled returns the schedule with the noise multiplied by a factor; by 0 there is none.
func (s *Schedule) Scaled(by float64) *Schedule {
	scaled := *s
	scaled.Phases = slices.Clone(s.Phases)
	for i := range scaled.Phases {
		p := &scaled.Phases[i]
		p.Scales = slices.Clone(p.Scales)
		for j := range p.Scales {
			p.Scales[j] *= by
		}
	}
	return &scaled
}

// Scale is the scale of the noise on the clients' messages in a hop of a step, the first of a
// phase from 2 on. In the central variant the noise is on the server's averages of these
// messages.
func (s *Schedule) Scale(step, hop int) float64 {
	p, _ := s.phaseOf(step)
	return p.Scales[treeOf(hop/2+1)-1]
}

// treeOf is the tree of leaf k of a phase, both from 1: in binary k+1 is a one followed
// by the path to the leaf.
func treeOf(k int) int { return bits.Len(uint(k+1)) - 1 }

// plan sets trees, batch and noise of a phase from 2 on. The number of trees goes down to 1,
// if it must, until a batch of at least 2^T1 fits the available losses. Then the batch is the
// largest multiple of 2^T1, up to the theorem's batch, that fits, so that every 2^(-|s|) b is
// whole. Where not even 2 fit, a single loss is drawn, at the root.
func (o *Options) plan(p *Phase) {
	p.Available = 1 << (p.Number - 2)
	b := o.batch(p.Number)
	for p.Trees = o.treesWanted(p.Number, b); p.Trees >= 1; p.Trees-- {
		// The trees of depths 1 .. T1 draw b (1 + j/2) each.
		quarters := 4*p.Trees + p.Trees*(p.Trees+1)
		fits := min(int(b), 4*p.Available/quarters)
		if p.Batch = fits >> p.Trees << p.Trees; p.Batch > 0 {
			p.Drawn = p.Batch * quarters / 4
			break
		}
	}
	if p.Batch == 0 {
		p.Trees, p.Batch, p.Drawn = 1, 1, 1
	}
	p.Scales = make([]float64, p.Trees)
	for j := range p.Scales {
		p.Scales[j] = o.scale(p, j+1)
	}
}

// batch is b of a phase from 2 on, before rounding.
func (o *Options) batch(p int) float64 {
	b := math.Ldexp(1, p-1)
	if o.Batch == Theorem1 {
		b /= float64((p - 1) * (p - 1))
	}
	return b
}

// treesWanted is T1 of a phase from 2 on, rounded down and kept within 1 ..
// max(1, floor(log2 b)). Without smoothness or choice there is nothing to
// refine, and T1 is 1.
func (o *Options) treesWanted(p int, b float64) int {
	most := max(1, math.Floor(portable.Log2(b)))
	if o.Trees > 0 {
		return min(o.Trees, int(most))
	}
	if o.Batch == Corollary1 || o.Beta == 0 || o.Experts == 1 {
		return 1
	}
	m, gain := float64(o.Clients), b*o.Epsilon*o.Beta/(o.Alpha*portable.Log(float64(o.Experts)))
	var trees float64
	switch o.Variant {
	case Local:
		trees = portable.Log2(gain*math.Sqrt(m)) / 2
	case Central: // the proof of Theorem 7
		trees = portable.Log2(gain*m) / 2
	case Approximate:
		trees = portable.Log2(gain*math.Sqrt(m)/o.logDelta(p)) * 2 / 3
	}
	return int(min(max(1, math.Floor(trees)), most))
}

// logDelta is log(2^(p-1)/delta).
func (o *Options) logDelta(p int) float64 {
	return float64(float64(p-1)*math.Ln2) - portable.Log(o.Delta)
}

// scale is the scale of the Laplace noise at the leaves of tree j of a phase, from the actual
// batch.
func (o *Options) scale(p *Phase, j int) float64 {
	if o.Release.Law != nil {
		return o.Release.Fit(o.mostMoved(p, j)).Scale
	}
	if math.IsInf(o.Epsilon, 1) {
		return 0
	}
	unit := o.Alpha / (float64(p.Batch) * o.Epsilon)
	switch o.Variant {
	case Central: // Algorithm 5, line 5
		return 4 * math.Ldexp(unit, j) / float64(o.Clients)
	case Approximate: // Lemma 6
		return unit * portable.Pow(2, float64(p.Trees)/2) * o.logDelta(p.Number)
	}
	return 4 * math.Ldexp(unit, j) // Theorem 1
}

// phaseOf returns the phase that a step is in, and whether the step is its
// first.
func (s *Schedule) phaseOf(step int) (p *Phase, first bool) {
	p = &s.Phases[bits.Len(uint(step))-1]
	return p, step == p.First
}

// Hops is the number of hops of the step with that offset from step 1:
// algorithm.Run.Hops.
func (s *Schedule) Hops(offset int) int {
	p, first := s.phaseOf(offset + 1)
	switch {
	case !first:
		return 1
	case p.Number == 1:
		return 2
	}
	return 2*p.Leaves() + 1
}

// Acts returns the participants that have a turn in a hop of the step with that offset from
// step 1: algorithm.Run.Acts.
func (s *Schedule) Acts(offset, hop int) (first, end messages.NodeID) {
	return algorithm.StarActs(s.Clients, offset, hop)
}

// Communication is the number of scalars that the clients send in all, and the number that the
// server sends, a broadcast counted once a client: d a leaf and client up; the d of z and one
// index a leaf down.
func (s *Schedule) Communication() (up, down int) {
	leaves := 0
	for i := range s.Phases {
		leaves += s.Phases[i].Leaves()
	}
	return s.Clients * s.Experts * leaves, s.Clients * (s.Experts + leaves)
}

// String is the schedule as a table, a line a phase from 2 on.
func (s *Schedule) String() string {
	var text strings.Builder
	text.WriteString("phase  steps  trees  leaves  batch  drawn  of  scale of tree 1, 2, ..\n")
	for _, p := range s.Phases[1:] {
		fmt.Fprintf(&text, "%d  %d-%d  %d  %d  %d  %d  %d  %.4g\n", p.Number, p.First, p.Last, p.Trees, p.Leaves(), p.Batch, p.Drawn, p.Available, p.Scales)
	}
	return text.String()
}
