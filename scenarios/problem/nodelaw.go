package problem

import (
	"math"
	"sync"

	"starling/mechanisms/rng"
)

// nodeLaw has the parameters of one node, which its data and labels are drawn with.
type nodeLaw struct {
	offset float64   // c_i
	model  []float64 // w_i, len d
	mean   []float64 // v_i, len d
}

// nodeLaws returns the parameters of nodes.
type nodeLaws struct {
	dim          int
	key          rng.Key
	spread, wide float64   // the standard deviations of u_i and B_i
	own, all     float64   // weights of a node's own model, and of the shared one
	near         float64   // weight of the model of a node's time zone
	shared       []float64 // the shared model, len d, and its offset; nil where nodes share nothing
	zones        Zones
	zoned        [][]float64 // models of time zones, as shared; nil where data do not differ by zone
	kept         []nodeLaw   // by node; nil where none are kept
	models       []float64   // their models, N x d
	// drawn has parameters of nodes, of *drawnLaw, where none are kept. Data of a node are mostly
	// drawn one after the other, and then find its parameters there.
	drawn sync.Pool
}

// drawnLaw has the parameters of the node that was asked for last.
type drawnLaw struct {
	nodeLaw
	node   int // -1 for none
	stream rng.Stream
}

// keep draws the parameters of the nodes 0 .. nodes-1, which are then kept.
func (l *nodeLaws) keep(nodes int) {
	mean := make([]float64, nodes*l.dim)
	l.models = make([]float64, nodes*l.dim)
	l.kept = make([]nodeLaw, nodes)
	var stream rng.Stream
	for i := range nodes {
		row := i * l.dim
		l.kept[i] = nodeLaw{model: l.models[row : row+l.dim : row+l.dim], mean: mean[row : row+l.dim : row+l.dim]}
		l.draw(&l.kept[i], i, &stream)
	}
}

// draw draws the parameters of a node, and mixes the shared model into its own.
func (l *nodeLaws) draw(of *nodeLaw, node int, stream *rng.Stream) {
	r := stream.Open(l.key, node, 0, 0)
	u := float64(l.spread * r.NormFloat64())
	b := float64(l.wide * r.NormFloat64())
	of.offset = u + r.NormFloat64()
	r.FillNormal(of.model)
	r.FillNormal(of.mean)
	for j := range l.dim {
		of.model[j] += u
		of.mean[j] += b
	}
	if l.shared == nil && l.zoned == nil {
		return
	}
	of.offset = float64(l.own * of.offset)
	for j, w := range of.model {
		of.model[j] = float64(l.own * w)
	}
	if l.shared != nil {
		l.mix(of, l.all, l.shared)
	}
	if l.zoned != nil {
		l.mix(of, l.near, l.zoned[l.zones.Of(node)])
	}
}

// mix adds a model with a weight.
func (l *nodeLaws) mix(of *nodeLaw, weight float64, model []float64) {
	of.offset += float64(weight * model[l.dim])
	for j := range of.model {
		of.model[j] += float64(weight * model[j])
	}
}

// of returns the parameters of a node, and where they were drawn for this call; back takes that
// again.
func (l *nodeLaws) of(node int) (*nodeLaw, *drawnLaw) {
	if l.kept != nil {
		return &l.kept[node], nil
	}
	d := l.drawn.Get().(*drawnLaw)
	if d.node != node {
		l.draw(&d.nodeLaw, node, &d.stream)
		d.node = node
	}
	return &d.nodeLaw, d
}

// back ends the use of parameters that were drawn for one call.
func (l *nodeLaws) back(d *drawnLaw) {
	if d != nil {
		l.drawn.Put(d)
	}
}

// newNodeLaws returns the laws of nodes of synthetic(alpha, beta) under a seed; none is kept yet.
func newNodeLaws(o LogisticOptions, v Variation, seed uint64, dim int) nodeLaws {
	return nodeLaws{
		drawn: sync.Pool{New: func() any {
			return &drawnLaw{nodeLaw: nodeLaw{model: make([]float64, dim), mean: make([]float64, dim)}, node: -1}
		}},
		dim: dim, key: rng.NewKey(seed, purposeNode), spread: math.Sqrt(o.Alpha), wide: math.Sqrt(o.Beta),
		own: math.Sqrt(1 - v.Shared - v.Zonal), all: math.Sqrt(v.Shared), near: math.Sqrt(v.Zonal),
	}
}
