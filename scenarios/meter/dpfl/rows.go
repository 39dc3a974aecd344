package dpfl

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/scenarios/meter"
)

// The names of the metrics, all of them recorded at the points. A run that has
// ended early keeps the model that it has, and what it has paid: nobody learns any
// more, and what is measured after is the model that is left.
const (
	// AccuracyTest is the share of the test images that the model classifies
	// right.
	AccuracyTest = "accuracy.test"
	// LossTrain is F(w), the mean loss of the model over all clients' data.
	LossTrain = "loss.train"
	// Tau is the local steps of the round, and of the last one after the end.
	Tau = "tau"
	// Rounds is how many rounds there were.
	Rounds = "rounds"
	// EpsilonSpent is what the paper accounts for, the local steps, at Delta: the
	// largest of a client.
	EpsilonSpent = "epsilon.spent"
	// EpsilonTotal is the loss of all that clients sent, statistics with it: what they
	// paid, or where that depends on data what the plan guarantees.
	EpsilonTotal = meter.EpsilonTotal
	// EpsilonOdometer is what they paid, where the plan's guarantee is another: the
	// reading of an odometer.
	EpsilonOdometer = "epsilon.odometer"
	// Delta is the delta of both.
	Delta = "delta"
	// ClipShare is the mean share of clipped gradients, over clients and their
	// rounds so far.
	ClipShare = "clip.share"
	// MessagesSent and BytesSent are between different participants, and
	// cumulative.
	MessagesSent = meter.MessagesSent
	BytesSent    = meter.BytesSent
)

// Metrics lists the names of the metrics.
func Metrics() []string {
	return []string{AccuracyTest, LossTrain, Tau, Rounds, EpsilonSpent, EpsilonTotal, EpsilonOdometer, Delta, ClipShare, MessagesSent, BytesSent}
}

// Finish computes the metrics and hands those that are wanted to r, by ascending
// step. The run must be over.
func (m *Meter) Finish(r meter.Recorder) {
	f := &finish{Meter: m, to: r, now: make([]client, m.Clients)}
	if m.ended == 0 {
		m.look(0) // at the initial model, which nothing has moved
	} else if point := m.points[m.ended]; m.Points[point] != m.ended {
		m.look(point)
	}
	for point, step := range m.Points {
		f.advance(point)
		f.record(point, step)
		f.fates.Record(point, func(metric string, value func() float64) { f.add(step, metric, value) })
	}
}

// finish is where the metrics of a meter are at.
type finish struct {
	*Meter
	to              meter.Recorder
	now             []client // by client
	server          round
	messages, bytes int64
}

// advance takes in what came since the point before.
func (f *finish) advance(point int) {
	for i := range f.now {
		if s := &f.at[point*f.Clients+i]; s.set {
			f.now[i] = s.client
		}
	}
	if r := f.rounds[point]; point == 0 || !math.IsNaN(r.rounds) {
		f.server = r
	}
	f.messages += f.counted[point].messages.Load()
	f.bytes += f.counted[point].bytes.Load()
}

// add records a metric that is wanted, and computes no other.
func (f *finish) add(step int, metric string, value func() float64) {
	if f.Wanted.Any(metric) {
		f.to.Add(step, metric, value())
	}
}

func (f *finish) record(point, step int) {
	if f.server.failed != nil {
		panic(fmt.Sprintf("dpfl meter: %v", f.server.failed)) // the data are checked before they are divided
	}
	if f.Accuracy != nil {
		f.add(step, AccuracyTest, func() float64 { return f.server.accuracy })
	}
	f.add(step, LossTrain, func() float64 { return f.server.loss })
	f.add(step, Tau, func() float64 { return f.server.tau })
	f.add(step, Rounds, func() float64 { return f.server.rounds })
	f.add(step, EpsilonSpent, func() float64 { return f.local.Total(point) })
	f.add(step, EpsilonTotal, func() float64 { return f.total(point) })
	if f.Guarantee != nil {
		f.add(step, EpsilonOdometer, func() float64 { return f.spending.Total(point) })
	}
	f.add(step, Delta, func() float64 { return f.Delta })
	f.add(step, ClipShare, f.clipped)
	f.add(step, MessagesSent, func() float64 { return float64(f.messages) })
	f.add(step, BytesSent, func() float64 { return float64(f.bytes) })
}

// clipped adds up in the order of the clients.
func (f *finish) clipped() float64 {
	var sum, rounds float64
	for _, c := range f.now {
		sum += c.clip
		rounds += float64(c.rated)
	}
	return sum / rounds
}

// Spending is the largest epsilon of a client at the end: of its local steps, of all
// that it sent, guaranteed, and of all that it paid. The run must be over.
func (m *Meter) Spending() (spent, total, odometer float64) {
	last := len(m.Points) - 1
	return m.local.Total(last), m.total(last), m.spending.Total(last)
}

// LocalSteps are the local steps that the client paid for whose epsilon of them is
// the largest. The run must be over, and its steps private.
func (m *Meter) LocalSteps() accountant.SampledGaussian { return m.local.Costliest().Sampled }

// total is the largest loss of a client up to a point: what the plan guarantees, where
// there is such a guarantee and anybody has paid anything, or what was paid. What is
// not private is so whatever the plan says.
func (m *Meter) total(point int) (epsilon float64) {
	paid := m.spending.Total(point)
	if m.Guarantee == nil || !m.spending.Any(point) || math.IsInf(paid, 1) {
		return paid
	}
	for client := 1; client <= m.Clients; client++ {
		total := m.Guarantee(client, m.Points[point])
		if m.Before != nil {
			total.AddTotal(m.Before)
		}
		e, err := m.by.EpsilonOf(m.Neighbours, &total, m.Delta, m.Method)
		if err != nil {
			panic(fmt.Sprintf("dpfl meter: %v", err)) // losses and delta were checked with the options
		}
		epsilon = max(epsilon, e)
	}
	return epsilon
}
