// Package meter measures a run of decentralized online optimisation from beside the
// machines: it gets every decision, evaluates any cost at it, and is never read by a
// machine.
//
//	metric                  what it is                                       function
//	regret.node, .run       linear regret (DPDO-NC, (3)), cumulative         addRegret, regret
//	regret.expected         max over i of E over seeds, inside both maxima   Expected
//	consensus.error         root mean square distance from the mean          consensus
//	target.error            mean distance from the target                    distance
//	accuracy.test           share of fresh data classified right             test
//	messages.*, bytes.*     what crossed wires, cumulative                   Sent, Fates
//	move.*                  how far mirror steps move nodes                  moved
//
// It computes what the metrics are made of during the run and the metrics themselves at
// the end, in an order of its own, so that nothing it reports depends on which runtime
// calls it, or in what order nodes play. Sums of floating-point numbers are taken by
// node, then by step; what concurrent nodes add to together is integers.
//
// The meters of other families are in the folders below; they share Fates and the metrics
// of traffic with this one. What is paid for is no business of meters: package ledger
// states the metrics of privacy.
package meter

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/problem"
)

// Options say what to measure.
type Options struct {
	// Nodes is N, FirstStep the paper's index of the first step, and Steps the horizon.
	Nodes     int
	FirstStep int
	Steps     int
	// Points are the steps at which metrics are recorded, the paper's
	// indices, strictly ascending; the last is the last step.
	Points []int
	// Measured are the nodes whose regret is taken, at least one, strictly
	// ascending.
	Measured []messages.NodeID
	// Problem is what is learned, and Instance that of this run's seed.
	Problem  problem.Problem
	Instance problem.Instance
	// Effects tells that the network has effects, and that what it loses and
	// delays is recorded.
	Effects bool
	// Limited tells that the bandwidth of its edges is limited, and that what
	// they drop and what stands in line is recorded.
	Limited bool
	// Masses tells that nodes record masses of push-sum in every step, and that
	// nothing keeps those of a step from summing to Nodes, which is held.
	Masses bool
	// Moves tells that nodes record how far each mirror step moves them, as
	// algorithm.QuantityMove says, and that what they record is measured.
	Moves bool
	// Wanted tells which metrics are recorded; nil is all. Accuracy is not taken where
	// it is not.
	Wanted gauge.Wanted
}

// Validate reports the first thing that keeps the options from describing a
// run.
func (o *Options) Validate() error {
	if err := gauge.CheckPoints(o.FirstStep, o.FirstStep+o.Steps-1, o.Points); err != nil {
		return err
	}
	if len(o.Measured) == 0 {
		return errors.New("measure: no node's regret is taken")
	}
	next := messages.NodeID(0)
	for i, node := range o.Measured {
		if node < next || int(node) >= o.Nodes {
			return fmt.Errorf("measure: measured node %d of the list has the index %d, want %d to %d", i+1, node, next, o.Nodes-1)
		}
		next = node + 1
	}
	return nil
}

// Meter measures one run. Its methods are those of algorithm.Meter but for payments.
type Meter struct {
	Options
	gauge.StopList
	Sending
	dim   int
	slots []int32 // by node: its place in Measured, -1 if it is not measured
	// running is by measured node: the sums that make its regret so far.
	running []functional
	scratch []float64 // dim a measured node
	kept    []int32   // by measured node: the points at which running is noted
	// linear is running at each point, by point, then by measured node.
	linear []float64

	tests  []tests    // by point; nil unless accuracy is taken
	masses []stepMass // by step from the first; nil unless Masses
	moves  []moves    // by point; nil unless Moves
	fates  *Fates     // nil without Effects

	mu        sync.Mutex
	decisions []*decisions // guarded by mu: by point, nil before and after use
	free      []*decisions // guarded by mu
	spread    []spread     // by point; each written once, by whoever completes it
}

// functional is the two sums that determine a node's regret against every x:
// R(x) = inner - <gradient, x> (DPDO-NC, (3)). The largest over x in the set is
// inner + Support(gradient), for Support(g) is the largest of -<g, x>; no x is searched for.
type functional struct {
	inner    float64   // sum over t and j of <grad f_t^j(x_t), x_t>
	gradient []float64 // sum over t and j of grad f_t^j(x_t), len d
}

// spread is what is measured over all nodes' decisions of a step.
type spread struct{ consensus, target float64 }

// decisions collects all nodes' decisions of a step. It is reused for later points: at
// most as many are in use as there are points that some nodes have reached and others
// have not.
type decisions struct {
	x     []float64 // N x d; NaN where a node has not played
	mean  []float64 // d, scratch
	count atomic.Int64
}

// New returns the meter of a run. It panics if Validate refuses the options:
// scenarios are checked before their meters are made.
func New(options Options) *Meter {
	if err := options.Validate(); err != nil {
		panic(err)
	}
	m := &Meter{Options: options, dim: options.Problem.Dim()}
	points, measured, d := len(m.Points), len(m.Measured), m.dim
	m.slots = make([]int32, m.Nodes)
	for i := range m.slots {
		m.slots[i] = -1
	}
	m.running, m.kept = make([]functional, measured), make([]int32, measured)
	sums := make([]float64, measured*d)
	for k, node := range m.Measured {
		m.slots[node] = int32(k)
		m.running[k].gradient = sums[k*d : (k+1)*d : (k+1)*d]
	}
	m.scratch = make([]float64, measured*d)
	m.linear = make([]float64, points*measured*(d+1))
	m.Sending = NewSending(m.FirstStep, m.Points)
	if m.Effects {
		m.fates = NewFates(points, m.Limited)
		m.fates.equals = true
	}
	m.decisions, m.spread = make([]*decisions, points), make([]spread, points)
	for point := range m.spread {
		m.spread[point] = spread{consensus: math.NaN(), target: math.NaN()} // until somebody has played
	}
	if m.takesTests() {
		m.tests = make([]tests, points)
	}
	if m.Masses {
		m.masses = make([]stepMass, m.Steps)
	}
	if m.Moves {
		m.moves = make([]moves, points)
	}
	return m
}

// Played implements algorithm.Meter.
func (m *Meter) Played(node messages.NodeID, step int, x []float64) {
	point, exact := m.At(step)
	if k := int(m.slots[node]); k >= 0 {
		m.keepRegret(k, point) // as it was at the points before
		m.addRegret(k, step, x)
	}
	if exact {
		m.decide(node, point, x)
		m.test(node, point, x)
	}
}

// addRegret adds a step to a measured node's sums.
func (m *Meter) addRegret(k, step int, x []float64) {
	gradient := m.scratch[k*m.dim : (k+1)*m.dim]
	m.Instance.SumGradient(gradient, step, x)
	running := &m.running[k]
	for i, g := range gradient {
		running.inner += float64(g * x[i])
		running.gradient[i] += g
	}
}

// keepRegret notes a measured node's sums at every point before the end-th at which they
// are not noted yet. A node that was down plays no step near some points, and has the
// same sums there.
func (m *Meter) keepRegret(k, end int) {
	for ; int(m.kept[k]) < end; m.kept[k]++ {
		at := m.linearAt(int(m.kept[k]), k)
		at[0] = m.running[k].inner
		copy(at[1:], m.running[k].gradient)
	}
}

func (m *Meter) linearAt(point, k int) []float64 {
	width := m.dim + 1
	from := (point*len(m.Measured) + k) * width
	return m.linear[from : from+width]
}

// decide notes a decision at a point. Whoever brings the last one of the point reduces
// them, in the order of the nodes and not of arrival.
func (m *Meter) decide(node messages.NodeID, point int, x []float64) {
	d := m.decisionsAt(point)
	copy(d.x[int(node)*m.dim:], x)
	if d.count.Add(1) == int64(m.Nodes) {
		m.reduce(point, d)
	}
}

func (m *Meter) decisionsAt(point int) *decisions {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := m.decisions[point]; d != nil {
		return d
	}
	var d *decisions
	if n := len(m.free); n > 0 {
		d, m.free = m.free[n-1], m.free[:n-1]
	} else {
		d = &decisions{x: make([]float64, m.Nodes*m.dim), mean: make([]float64, m.dim)}
	}
	d.count.Store(0)
	for i := range d.x {
		d.x[i] = math.NaN()
	}
	m.decisions[point] = d
	return d
}

// reduce computes what is measured over all decisions of a point and gives
// their memory back.
func (m *Meter) reduce(point int, d *decisions) {
	m.spread[point] = spread{consensus: m.consensus(d), target: m.distance(m.Points[point], d)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.decisions[point] = nil
	m.free = append(m.free, d)
}

// each calls visit for the decisions there are, in the order of the nodes.
func (m *Meter) each(d *decisions, visit func(x []float64)) (count int) {
	for i := range m.Nodes {
		x := d.x[i*m.dim : (i+1)*m.dim]
		if math.IsNaN(x[0]) {
			continue // the node has ended its part
		}
		count++
		visit(x)
	}
	return count
}

// consensus is the root mean square 2-norm distance of the decisions from their
// mean.
func (m *Meter) consensus(d *decisions) float64 {
	mean := d.mean
	clear(mean)
	n := float64(m.each(d, func(x []float64) {
		for k, v := range x {
			mean[k] += v
		}
	}))
	for k := range mean {
		mean[k] /= n
	}
	var sum float64
	m.each(d, func(x []float64) { sum += squareDistance(x, mean) })
	return math.Sqrt(sum / n)
}

// distance is the mean 2-norm distance of the decisions from the target, NaN
// where there is none.
func (m *Meter) distance(step int, d *decisions) float64 {
	tracker, ok := m.Instance.(problem.Tracker)
	if !ok {
		return math.NaN()
	}
	target := tracker.Target(step)
	var sum float64
	n := m.each(d, func(x []float64) { sum += math.Sqrt(squareDistance(x, target)) })
	return sum / float64(n)
}

func squareDistance(x, y []float64) (sum float64) {
	for k, v := range x {
		e := v - y[k]
		sum += float64(e * e)
	}
	return sum
}

// Fates implements algorithm.NetworkMeter.
func (m *Meter) Fates(step int, f algorithm.Fates) {
	point, exact := m.At(step)
	m.fates.Add(point, exact, f)
}
