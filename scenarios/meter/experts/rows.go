package experts

import (
	"fmt"

	"starling/scenarios/gauge"
)

// The names of the metrics. All are recorded at the points, and cumulative.
const (
	// RegretClient is Reg(t, m) = (1/m) [sum_i sum_s l_{i,s}(x_{i,s}) - min_x
	// sum_i sum_s l_{i,s}(x)] over the steps s up to t. It is undefined, NaN,
	// from where a client has ended its part.
	RegretClient = "regret.client"
	// LossClient takes the place of RegretClient where the best fixed decision is not
	// known: (1/m) sum_i sum_s l_{i,s}(x_{i,s}) over the steps s up to t.
	LossClient = "loss.client"
	// CommunicationUp and CommunicationDown are the scalars that clients send and
	// that the server does, a broadcast counted once a client.
	CommunicationUp   = "communication.up"
	CommunicationDown = "communication.down"
	// Switches is how often the server has drawn the expert anew.
	Switches = "switches"
	// BestExpert is the expert, from 1, that is best in hindsight up to the step.
	BestExpert = "best.expert"
)

// Finish computes the metrics and hands those that are wanted to r, by
// ascending step. The run must be over, or not go on: what it has not reached is
// undefined.
func (m *Meter) Finish(r gauge.Sheet) {
	f := &finish{Meter: m, to: r}
	f.compare()
	for point, step := range m.Points {
		f.advance(point)
		f.record(point, step)
	}
}

// finish is where the metrics of a meter are at.
type finish struct {
	*Meter
	to                 gauge.Sheet
	total              []float64 // by point: regret, or what clients pay
	experts            []int     // by point: the best
	up, down, switches int64     // up to the point
}

// compare computes regret, or what clients pay, where that is wanted.
func (f *finish) compare() {
	if f.Best == nil && f.tally != nil {
		f.total = f.tally.Paid()
	}
	if f.Best == nil || !f.Wanted.Any(RegretClient, BestExpert) {
		return
	}
	best, err := f.Best()
	if err == nil {
		f.experts = best.Expert
		if f.tally != nil {
			f.total, err = f.tally.Regret(best)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("experts meter: %v", err)) // the points were checked
	}
}

// advance takes in what came since the point before.
func (f *finish) advance(point int) {
	c := &f.counted[point]
	f.up += c.up.Load()
	f.down += c.down.Load()
	f.switches = max(f.switches, c.switches.Load())
}

// record records the metrics of a point.
func (f *finish) record(point, step int) {
	if f.tally != nil {
		f.add(step, f.Meter.total(), f.total[point])
	}
	if c := &f.counted[point]; f.fresh != nil {
		f.add(step, gauge.AccuracyTest, float64(c.correct.Load())/float64(c.tested.Load())) // NaN where nobody decided
	}
	f.add(step, CommunicationUp, float64(f.up))
	f.add(step, CommunicationDown, float64(f.down))
	if f.Switches {
		f.add(step, Switches, float64(f.switches))
	}
	if f.experts != nil {
		f.add(step, BestExpert, float64(f.experts[point]))
	}
	messages, bytes := f.SentBy(point)
	f.add(step, gauge.MessagesSent, messages)
	f.add(step, gauge.BytesSent, bytes)
	f.to.Paid(point)
}

func (f *finish) add(step int, metric string, value float64) {
	if f.Wanted.Any(metric) {
		f.to.Add(step, metric, value)
	}
}
