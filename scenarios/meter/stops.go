package meter

import (
	"cmp"
	"slices"
	"sync"

	"starling/messages"
)

// Stop is a participant's early end.
type Stop struct {
	Node   messages.NodeID
	Step   int
	Reason string
}

// StopList is the part of a meter that keeps who ended early.
type StopList struct {
	mu   sync.Mutex
	list []Stop // guarded by mu: by arrival until Stops orders them
}

// Stopped implements algorithm.Meter.
func (l *StopList) Stopped(node messages.NodeID, step int, reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, Stop{Node: node, Step: step, Reason: reason})
}

// Stops lists the participants that ended early, by step, then node. The run
// must be over; the list is the meter's.
func (l *StopList) Stops() []Stop {
	slices.SortFunc(l.list, func(a, b Stop) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Node, b.Node))
	})
	return l.list
}

// AppendStops appends the list to a meter's state.
func (l *StopList) AppendStops(dst []byte) []byte {
	dst = messages.AppendInt(dst, len(l.list))
	for _, s := range l.list {
		dst = messages.AppendInt(dst, int(s.Node))
		dst = messages.AppendInt(dst, s.Step)
		dst = messages.AppendFramed(dst, func(dst []byte) []byte { return append(dst, s.Reason...) })
	}
	return dst
}

// ReadStops reads what AppendStops wrote. What is wrong with it is r's error.
func (l *StopList) ReadStops(r *messages.Reader) {
	for range r.Int() {
		s := Stop{Node: messages.NodeID(r.Int()), Step: r.Int(), Reason: string(r.Framed())}
		if r.Err() != nil {
			return
		}
		l.list = append(l.list, s)
	}
}
