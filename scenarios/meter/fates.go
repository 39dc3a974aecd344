package meter

import (
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Fates adds up, by point, what becomes of messages and who is there, of a run whose
// network has effects. nil takes in nothing and has no
// metrics. Its methods are safe for concurrent use until the run is over.
type Fates struct {
	limited bool
	equals  bool // there is no server, and nobody takes part in its rounds
	at      []fates
}

// fates are those since the point before: what was lost, came late, or was dropped by an
// edge; queued are the bytes in line at the point's own step; participants and rounds
// make the mean number of vectors that the server averaged.
type fates struct{ lost, late, dropped, queued, participants, rounds atomic.Int64 }

// NewFates returns those of so many points. limited tells that the bandwidth of
// edges is.
func NewFates(points int, limited bool) *Fates {
	return &Fates{limited: limited, at: make([]fates, points)}
}

// Add takes in the fates of messages of a step, exact where it is the point's own.
func (f *Fates) Add(point int, exact bool, of algorithm.Fates) {
	if f == nil {
		return
	}
	at := &f.at[point]
	at.lost.Add(of.Lost)
	at.late.Add(of.Late)
	at.dropped.Add(of.Dropped)
	if exact {
		at.queued.Add(of.Queued)
	}
}

// Attend takes in how many a server averaged in a round.
func (f *Fates) Attend(point int, participants float64) {
	if f == nil {
		return
	}
	f.at[point].participants.Add(int64(participants))
	f.at[point].rounds.Add(1)
}

// State goes through every counter. nil has none.
func (f *Fates) State(c *messages.Codec) {
	if f == nil {
		return
	}
	messages.Each(c, "fates", f.at, func(at *fates) {
		c.Count("lost", &at.lost)
		c.Count("late", &at.late)
		c.Count("dropped", &at.dropped)
		c.Count("queued", &at.queued)
		c.Count("participants", &at.participants)
		c.Count("rounds", &at.rounds)
	})
}

// Record hands the metrics of a point to add, which are cumulative but for
// BytesQueued.
func (f *Fates) Record(point int, add func(metric string, value func() float64)) {
	if f == nil {
		return
	}
	so := func(of func(*fates) *atomic.Int64) float64 {
		var total int64
		for i := range f.at[:point+1] {
			total += of(&f.at[i]).Load()
		}
		return float64(total)
	}
	add(gauge.MessagesLost, func() float64 { return so(func(x *fates) *atomic.Int64 { return &x.lost }) })
	add(gauge.MessagesLate, func() float64 { return so(func(x *fates) *atomic.Int64 { return &x.late }) })
	if f.limited {
		add(gauge.MessagesDropped, func() float64 { return so(func(x *fates) *atomic.Int64 { return &x.dropped }) })
		add(gauge.BytesQueued, func() float64 { return float64(f.at[point].queued.Load()) })
	}
	if f.equals {
		return
	}
	add(gauge.Participants, func() float64 {
		return so(func(x *fates) *atomic.Int64 { return &x.participants }) / so(func(x *fates) *atomic.Int64 { return &x.rounds })
	})
}
