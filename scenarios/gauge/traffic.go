package gauge

import (
	"starling/actors/algorithm"
	"starling/messages"
)

// Traffic counts messages and bytes on wires.
type Traffic struct{ messages, bytes Counter }

// Begin implements Gauge.
func (t *Traffic) Begin(s *Span) []Column {
	t.messages, t.bytes = make(Counter, len(s.Points)), make(Counter, len(s.Points))
	return []Column{
		{Metric: Of(MessagesSent), Value: t.messages.SoFar()},
		{Metric: Of(BytesSent), Value: t.bytes.SoFar()},
	}
}

// Final implements Early.
func (*Traffic) Final(points int) int { return points }

// Sent implements Sendings.
func (t *Traffic) Sent(at At, messages, bytes int64) {
	t.messages[at.Point].Add(messages)
	t.bytes[at.Point].Add(bytes)
}

// State implements Gauge.
func (t *Traffic) State(c *messages.Codec) {
	t.messages.Go(c, "messages")
	t.bytes.Go(c, "bytes")
}

// Fates counts the fates of messages, and the participants of rounds, in a network with
// effects.
type Fates struct {
	Limited bool // the bandwidth of edges is limited
	// Server means that there is a server, which records under the name Participants the
	// number of vectors that it averaged in a round.
	Server                                            bool
	lost, late, dropped, queued, participants, rounds Counter
}

// Begin implements Gauge. The metrics are cumulative, except for BytesQueued.
func (f *Fates) Begin(s *Span) []Column {
	for _, c := range f.counters() {
		*c = make(Counter, len(s.Points))
	}
	columns := []Column{{Metric: Of(MessagesLost), Value: f.lost.SoFar()}, {Metric: Of(MessagesLate), Value: f.late.SoFar()}}
	if f.Limited {
		columns = append(columns, Column{Metric: Of(MessagesDropped), Value: f.dropped.SoFar()},
			Column{Metric: Of(BytesQueued), Value: func(point int) float64 { return float64(f.queued[point].Load()) }})
	}
	if f.Server {
		columns = append(columns, Column{Metric: Of(Participants), Value: f.participants.Share(f.rounds)})
	}
	return columns
}

// again implements everyStep.
func (f *Fates) again() everyStep {
	if !f.Limited {
		return nil
	}
	return &Fates{Limited: true}
}

// Final implements Early.
func (*Fates) Final(points int) int { return points }

func (f *Fates) counters() []*Counter {
	return []*Counter{&f.lost, &f.late, &f.dropped, &f.queued, &f.participants, &f.rounds}
}

// Fates implements Network.
func (f *Fates) Fates(at At, of algorithm.Fates) {
	f.lost[at.Point].Add(of.Lost)
	f.late[at.Point].Add(of.Late)
	f.dropped[at.Point].Add(of.Dropped)
	if at.Exact {
		f.queued[at.Point].Add(of.Queued)
	}
}

// Recorded implements Quantities.
func (f *Fates) Recorded(_ messages.NodeID, at At, quantity string, value float64) {
	if f.Server && quantity == Participants {
		f.participants[at.Point].Add(int64(value))
		f.rounds[at.Point].Add(1)
	}
}

// State implements Gauge.
func (f *Fates) State(c *messages.Codec) {
	for _, counter := range f.counters() {
		counter.Go(c, "fates")
	}
}

// FateMetrics lists the names of the metrics of messages under network effects, with limited
// bandwidth or not.
func FateMetrics(limited bool) []string {
	list := []string{MessagesLost, MessagesLate}
	if limited {
		list = append(list, MessagesDropped, BytesQueued)
	}
	return list
}
