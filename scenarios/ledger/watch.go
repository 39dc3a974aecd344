package ledger

import (
	"slices"

	"starling/actors/algorithm"
	"starling/messages"
)

// watch makes the ledger keep the messages that members of coalitions receive.
func (l *Ledger) watch(learns func() Learns) {
	if l.view.make = learns; learns == nil {
		return
	}
	for i := range l.Accounts {
		l.view.watched = append(l.view.watched, l.Accounts[i].Members...)
	}
	slices.Sort(l.view.watched)
	l.view.watched = slices.Compact(l.view.watched)
	n := len(l.view.watched)
	memory := make([]sightings, n*len(l.paid))
	for i := range l.paid {
		l.paid[i].heard = memory[i*n : (i+1)*n : (i+1)*n]
	}
}

// EachReceiver implements algorithm.ReceiverMeter.
func (l *Ledger) EachReceiver() bool { return len(l.view.watched) > 0 }

// heard notes a message to a member of a coalition, if nothing bounds its loss.
func (l *Ledger) heard(from, to messages.NodeID, step int, mark *algorithm.Mark) {
	slot, watched := slices.BinarySearch(l.view.watched, to)
	if !watched {
		return
	}
	p := &l.paid[from]
	p.heard[slot].note(p.since > 0, step, mark)
}
