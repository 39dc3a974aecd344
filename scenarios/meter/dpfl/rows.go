package dpfl

import (
	"fmt"
	"math"

	"starling/scenarios/meter"
)

// The names of the metrics, all of them recorded at the points. A run that has
// ended early keeps the model that it has, and what it has paid: nobody learns any
// more, and what is measured after is the model that is left.
const (
	// AccuracyTest is the share of the test images that the model classifies
	// right.
	AccuracyTest = meter.AccuracyTest
	// LossTrain is F(w), the mean loss of the model over all clients' data.
	LossTrain = "loss.train"
	// Tau is the local steps of the round, and of the last one after the end.
	Tau = "tau"
	// Rounds is how many rounds there were.
	Rounds = "rounds"
	// ClipShare is the mean share of clipped gradients, over clients and their
	// rounds so far.
	ClipShare = meter.ClipShare
	// MessagesSent and BytesSent are between different participants, and
	// cumulative.
	MessagesSent = meter.MessagesSent
	BytesSent    = meter.BytesSent
)

// Finish computes the metrics and hands those that are wanted to r, by ascending
// step. The run must be over.
func (m *Meter) Finish(r meter.Sheet) {
	f := &finish{Meter: m, to: r, now: make([]client, m.Clients)}
	if m.ended == 0 {
		m.look(0) // at the initial model, which nothing has moved
	} else if point, exact := m.At(m.ended); !exact {
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
	to     meter.Sheet
	now    []client // by client
	server round
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
	f.to.Paid(point)
	f.add(step, ClipShare, f.clipped)
	messages, bytes := f.SentBy(point)
	f.add(step, MessagesSent, func() float64 { return messages })
	f.add(step, BytesSent, func() float64 { return bytes })
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
