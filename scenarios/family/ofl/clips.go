package ofl

import (
	"math"

	"starling/actors/algorithm/ofl"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Clips counts gradients, and the clipped ones among them.
type Clips struct {
	gradients, clipped gauge.Counter
	takesShare         bool
	span               *gauge.Span
	share              func(point int) float64 // metricOf clipped ones, up to a point
}

// Begin implements gauge.Gauge: the metrics are derived.
func (n *Clips) Begin(s *gauge.Span) []gauge.Column {
	n.gradients, n.clipped = make(gauge.Counter, len(s.Points)), make(gauge.Counter, len(s.Points))
	n.span, n.share = s, n.clipped.Share(n.gradients)
	n.takesShare = s.Wanted.Any(gauge.ClipShare)
	return nil
}

// Listens implements gauge.Listening.
func (n *Clips) Listens(quantity string) bool { return quantity == ofl.Clipped }

// Recorded implements gauge.Quantities.
func (n *Clips) Recorded(_ messages.NodeID, at gauge.At, quantity string, value float64) {
	if quantity != ofl.Clipped {
		return
	}
	if n.takesShare {
		n.gradients[at.Point].Add(1)
	}
	if value != 0 {
		n.clipped[at.Point].Add(1)
	}
}

// Final implements gauge.Early.
func (*Clips) Final(points int) int { return points }

// Any reports whether a gradient has been clipped so far.
func (n *Clips) Any() bool {
	for i := range n.clipped {
		if n.clipped[i].Load() > 0 {
			return true
		}
	}
	return false
}

// Hand implements gauge.Handing.
func (n *Clips) Hand(c *messages.Codec, _ []messages.NodeID) {
	n.gradients.Hand(c, "gradients")
	n.clipped.Hand(c, "clipped")
}

// State implements gauge.Gauge.
func (n *Clips) State(c *messages.Codec) {
	n.gradients.Go(c, "gradients")
	n.clipped.Go(c, "clipped")
}

// boundGauges returns the known bounds, at the last step, unless a gradient was clipped: then the
// algorithm is not the one they are proven for.
func boundGauges(known func() Bounds, clips *Clips) (list gauge.Derived) {
	known = gauge.Once(known)
	for _, bound := range []struct {
		metric string
		of     func(Bounds) float64
	}{
		{BoundDynamic, func(b Bounds) float64 { return b.Dynamic }},
		{BoundStatic, func(b Bounds) float64 { return b.Static }},
	} {
		list = append(list, gauge.Column{Metric: metricOf(bound.metric), Last: true, Rows: func(point int, to gauge.Sheet) {
			if clips.Any() {
				return
			}
			if v := bound.of(known()); !math.IsNaN(v) {
				to.Add(clips.span.Points[point], bound.metric, v)
			}
		}})
	}
	return list
}

// noiseGauge is the distance by which noise has moved the sums of gradients.
type noiseGauge struct {
	learners int
	gauge.ByNode
}

// Begin implements gauge.Gauge.
func (n *noiseGauge) Begin(s *gauge.Span) []gauge.Column {
	n.ByNode = gauge.NewByNode(len(s.Points), n.learners)
	return []gauge.Column{{Metric: metricOf(NoisePrefix), Value: func(int) float64 { return n.Sum() / float64(n.learners) }}}
}

// Listens implements gauge.Listening.
func (n *noiseGauge) Listens(quantity string) bool { return quantity == ofl.PrefixNoise }

// Recorded implements gauge.Quantities.
func (n *noiseGauge) Recorded(node messages.NodeID, at gauge.At, quantity string, value float64) {
	if quantity == ofl.PrefixNoise {
		n.Put(at.Point, int(node-ofl.Learner(0)), value)
	}
}

// Final implements gauge.Early.
func (*noiseGauge) Final(points int) int { return points }

// Hand implements gauge.Handing.
func (n *noiseGauge) Hand(c *messages.Codec, nodes []messages.NodeID) {
	for _, node := range nodes {
		if i := int(node - ofl.Learner(0)); i >= 0 && i < n.learners {
			n.ByNode.Hand(c, i)
		}
	}
}
