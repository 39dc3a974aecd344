package watch

import (
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Probe is what the problem of a run says of any decision. What is nil it does not say.
// Its functions are called concurrently for different nodes.
type Probe struct {
	// Met is the loss of what a node meets at a step, at a decision x, len d.
	Met func(node messages.NodeID, step int, x []float64) float64
	// Fresh is the mean loss of a decision on the fresh data of a node.
	Fresh func(node messages.NodeID, x []float64) float64
	// Best is the least mean loss of one point on all that was met; called once, and
	// only where every node decided in every step.
	Best func() float64
	// Seen is a quantity that a machine records, data so far as multiples of a size;
	// empty counts decisions.
	Seen string
	Size float64
}

// Answers says which questions a probe answers.
type Answers struct{ Met, Fresh, Best bool }

// Names are the metrics that a probe of these answers has values for.
func (a Answers) Names() []string {
	list := []string{gauge.Consensus, gauge.Travelled, gauge.DataSeen}
	if a.Met {
		list = append(list, gauge.LossMean)
	}
	if a.Fresh {
		list = append(list, gauge.LossFresh)
	}
	if a.Met && a.Best {
		list = append(list, gauge.RegretFixed)
	}
	return list
}

// Names are the metrics that the probe has values for.
func (p *Probe) Names() []string {
	return Answers{Met: p.Met != nil, Fresh: p.Fresh != nil, Best: p.Best != nil}.Names()
}

// AskedOptions say what is asked of a run.
type AskedOptions struct {
	First, End messages.NodeID // who decides
	Points     []int           // steps, ascending; the last is the last step
	FirstStep  int
	Names      []string // the metrics
	Probe      Probe
}

// Asked stands before the meter of a family and measures what is the same for all.
type Asked struct {
	Meter
	AskedOptions
	deciders []decided
	at       []decided // by point, then by decider: what it was last; zero where nothing was new
	fresh    []float64 // by point, then by decider: NaN where it did not decide
	seen     []atomic.Uint64
}

// decided is what a decider has done so far.
type decided struct {
	count           int
	loss, travelled float64
	x               []float64 // the last; len d
	here            bool      // in the step of the point
}

// NewAsked stands before a meter.
func NewAsked(m Meter, o AskedOptions) *Asked {
	n := int(o.End - o.First)
	a := &Asked{Meter: m, AskedOptions: o, deciders: make([]decided, n), at: make([]decided, n*len(o.Points)), fresh: make([]float64, n*len(o.Points)), seen: make([]atomic.Uint64, len(o.Points))}
	for i := range a.fresh {
		a.fresh[i] = math.NaN()
	}
	return a
}

// Beneath implements Wrapper.
func (a *Asked) Beneath() Meter { return a.Meter }

// Played implements algorithm.Meter.
func (a *Asked) Played(node messages.NodeID, step int, x []float64) {
	if node >= a.First && node < a.End {
		a.decide(int(node-a.First), step, x)
	}
	a.Meter.Played(node, step, x)
}

// decide takes in a decision. Calls for one decider are one after the other.
func (a *Asked) decide(i, step int, x []float64) {
	d, node := &a.deciders[i], a.First+messages.NodeID(i)
	d.count++
	if a.Probe.Met != nil && a.asks(gauge.LossMean, gauge.RegretFixed) {
		d.loss += a.Probe.Met(node, step, x)
	}
	if len(d.x) > 0 {
		d.travelled += math.Sqrt(squareDistance(x, d.x))
	}
	d.x = append(d.x[:0], x...)
	point := sort.SearchInts(a.Points, step)
	at := &a.at[point*len(a.deciders)+i]
	exact := a.Points[point] == step
	*at = decided{count: d.count, loss: d.loss, travelled: d.travelled, here: exact, x: at.x}
	if exact && a.asks(gauge.Consensus) {
		at.x = append(at.x[:0], x...)
	}
	if exact && a.asks(gauge.LossFresh) {
		a.fresh[point*len(a.deciders)+i] = a.Probe.Fresh(node, x)
	}
}

func squareDistance(x, y []float64) (sum float64) {
	for k, v := range x {
		e := v - y[k]
		sum += float64(e * e)
	}
	return sum
}

// asks tells whether one of the metrics is asked for.
func (a *Asked) asks(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(a.Names, name) })
}

// Recorded implements algorithm.Meter.
func (a *Asked) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	if quantity == a.Probe.Seen && quantity != "" {
		a.seen[sort.SearchInts(a.Points, step)].Store(math.Float64bits(value))
	}
	a.Meter.Recorded(node, step, quantity, value)
}

// Fates implements Network.
func (a *Asked) Fates(step int, f algorithm.Fates) {
	if m, ok := a.Meter.(Network); ok {
		m.Fates(step, f)
	}
}

// Finish implements Meter. What is asked for comes after the metrics of the family.
func (a *Asked) Finish(r gauge.Sheet) {
	a.Meter.Finish(r)
	now := make([]decided, len(a.deciders))
	seen := 0.0
	for point, step := range a.Points {
		for i := range now {
			here := a.at[point*len(now)+i]
			if now[i].here = here.here; here.count > 0 {
				now[i] = here
			}
		}
		seen = max(seen, math.Float64frombits(a.seen[point].Load()))
		for _, name := range a.Names {
			if name != gauge.RegretFixed || point == len(a.Points)-1 {
				r.Add(step, name, a.value(name, point, now, seen))
			}
		}
	}
}

// value is a metric at a point, given what deciders have done up to it.
func (a *Asked) value(name string, point int, now []decided, seen float64) float64 {
	var loss, travelled, count float64
	for i := range now { // in the order of the deciders
		loss += now[i].loss
		travelled += now[i].travelled
		count += float64(now[i].count)
	}
	switch name {
	case gauge.LossMean:
		return loss / count
	case gauge.RegretFixed:
		if count != float64(len(now)*(a.Points[point]-a.FirstStep+1)) {
			return math.NaN() // somebody did not decide in a step
		}
		return loss/count - a.Probe.Best()
	case gauge.Travelled:
		return travelled / float64(len(now))
	case gauge.DataSeen:
		if a.Probe.Seen != "" {
			return seen * a.Probe.Size
		}
		return count
	case gauge.LossFresh:
		return meanOf(a.fresh[point*len(now) : (point+1)*len(now)])
	}
	return consensus(now)
}

// meanOf is the mean of the numbers that there are; NaN where there are none.
func meanOf(list []float64) float64 {
	var sum, count float64
	for _, v := range list {
		if !math.IsNaN(v) {
			sum, count = sum+v, count+1
		}
	}
	return sum / count
}

// consensus is the root mean square 2-norm distance from their mean of the decisions of
// a step; NaN where there are none.
func consensus(now []decided) float64 {
	var mean []float64
	n := 0.0
	for i := range now {
		if !now[i].here {
			continue
		}
		if mean == nil {
			mean = make([]float64, len(now[i].x))
		}
		n++
		for k, v := range now[i].x {
			mean[k] += v
		}
	}
	for k := range mean {
		mean[k] /= n
	}
	var sum float64
	for i := range now {
		if now[i].here {
			sum += squareDistance(now[i].x, mean)
		}
	}
	return math.Sqrt(sum / n)
}

// State implements Meter.
func (a *Asked) State(c *messages.Codec) {
	messages.Each(c, "decider", a.deciders, func(d *decided) { d.state(c) })
	messages.Each(c, "at", a.at, func(d *decided) { d.state(c) })
	c.Floats("fresh", a.fresh)
	for i := range a.seen {
		c.Bits("seen", &a.seen[i])
	}
	c.Part("", a.Meter)
}

func (d *decided) state(c *messages.Codec) {
	c.Int("count", &d.count)
	c.Float("loss", &d.loss)
	c.Float("travelled", &d.travelled)
	c.List("x", &d.x, math.MaxInt32)
	c.Bool("here", &d.here)
}
