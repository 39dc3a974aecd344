package ledger

import (
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// View is an observer of a run, as the plan of an algorithm is asked about it.
type View struct {
	Observer accountant.Observer
	// Members are the participants of a coalition, ascending and read only; nil of the
	// observers wire, server, peer and public.
	Members []messages.NodeID
}

// Learns says what a view learns of a unit, a participant, from the start of a run up to a
// step at most, by all that it sees in that time and for the neighbours of the account;
// said is false where the plan says nothing of the view, which then learns what the unit
// paid. A total that is not private says that nothing bounds it.
//
// It counts what reaches the view on the way over others. Of raw payloads the ledger itself
// counts those alone that a member receives: who they reach besides is what said answers
// for. What nobody says anything of counts as passed on, to everybody.
//
// It is called when the run is over, by one goroutine: for one view after the other, for
// each by ascending steps, and in a step by ascending units.
type Learns func(of View, unit messages.NodeID, step int) (total accountant.Total, said bool, err error)

// views is what a ledger knows of observers beyond the four that all runs have.
type views struct {
	make   func() Learns
	learns Learns // made when it is first asked for
	made   bool
	// watched are the members of coalitions, ascending, where the plan says what these
	// learn: of each the ledger keeps what it was sent.
	watched []messages.NodeID
}

// sightings are the first steps, counted from 1, in which a member of a coalition was sent
// something raw, and something as released that nobody had paid for. 0 is never.
type sightings struct{ raw, unpaid int32 }

// watch has the ledger keep what members of coalitions are sent.
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

// heard notes what a member of a coalition is sent that nothing bounds.
func (l *Ledger) heard(from, to messages.NodeID, step int, mark *algorithm.Mark) {
	slot, watched := slices.BinarySearch(l.view.watched, to)
	if !watched {
		return
	}
	p := &l.paid[from]
	first := &p.heard[slot].raw
	switch mark.Exposure() {
	case messages.Public:
		return
	case messages.Released:
		if p.since > 0 {
			return
		}
		first = &p.heard[slot].unpaid
	}
	if *first == 0 {
		*first = int32(step) + 1
	}
}

// GroupsFor are groups of a point, which Groups returned, as the account needs them:
// without the members of its coalition, and of one unit each where the plan says what
// observers learn.
func (l *Ledger) GroupsFor(a *Account, groups []Group, point int) (list []Group) {
	if a.Members == nil && l.view.make == nil {
		return groups
	}
	earliest := l.firstPayment()
	for _, g := range groups {
		next := g
		next.Count = 0
		for unit := g.First; unit < g.First+g.Count; unit++ {
			_, member := slices.BinarySearch(a.Members, messages.NodeID(unit))
			if !member {
				if next.Count == 0 {
					next.First = unit
				}
				next.Count++
			}
			if next.Count > 0 && (member || l.view.make != nil || unit == g.First+g.Count-1) {
				if l.view.make != nil {
					next.heard, next.heardUnpaid = l.heardOf(a, next.First, point, earliest)
				}
				list = append(list, next)
				next.Count = 0
			}
		}
	}
	return list
}

// LastPaid is the last step that a participant has paid for, once the run is over; ok is
// false where it has not.
func (l *Ledger) LastPaid(node messages.NodeID) (step int, ok bool) {
	l.partAll()
	marks := l.paid[node].marks
	if len(marks) == 0 {
		return 0, false
	}
	return int(marks[len(marks)-1].last), true
}

// heardOf tells whether a coalition was sent, up to a point, what nothing bounds of a unit,
// and whether some of that as released.
func (l *Ledger) heardOf(a *Account, unit, point int, earliest int32) (heard, unpaid bool) {
	by := func(first int32) bool { return first > 0 && int(first)-1 <= l.Points[point] }
	for _, member := range a.Members {
		slot, _ := slices.BinarySearch(l.view.watched, member)
		for _, i := range l.payersFor(unit) {
			s := &l.paid[i].heard[slot]
			missing := by(s.unpaid) && !l.served(i, s.unpaid, earliest)
			heard, unpaid = heard || missing || by(s.raw), unpaid || missing
		}
	}
	return heard, unpaid
}

// told is what the plan says that an account's observer learns of a unit.
func (l *Ledger) told(a *Account, unit, step int) (accountant.Total, bool, error) {
	v := &l.view
	if v.make == nil {
		return accountant.Total{}, false, nil
	}
	if !v.made {
		v.learns, v.made = v.make(), true
	}
	if v.learns == nil {
		return accountant.Total{}, false, nil
	}
	return v.learns(View{a.Observer, a.Members}, messages.NodeID(unit), step)
}

// Declared is what an observer learns of the units of a group by the account alone, up to a
// step, whatever was sent; shown tells whether it saw something of theirs that nothing
// bounds, and unpaid whether some of that was sent as released.
func (l *Ledger) Declared(a *Account, g *Group, step int) (total accountant.Total, shown, unpaid bool, err error) {
	total, said, err := l.told(a, g.First, step)
	if !said {
		total = a.declared(g, step)
	}
	shown, unpaid = l.shows(a, g, said)
	return total, shown, unpaid, err
}

// declared is what the account says of a group, where the plan says nothing else.
func (a *Account) declared(g *Group, step int) accountant.Total {
	switch {
	case a.Guarantee != nil:
		return a.Guarantee(g.First, step)
	case a.Bound != nil:
		return a.Bound(step).Total()
	}
	return g.Total
}

// shows tells what of a group the observer of an account saw unprotected. A coalition whose
// plan does not say what is passed on to it counts as peers do, whoever was sent what: what
// one of them knows raw others may learn from it. A server passes on what was released.
func (l *Ledger) shows(a *Account, g *Group, said bool) (shown, unpaid bool) {
	if a.Members == nil {
		i := ObserverIndex(a.Observer)
		return g.Shown[i], g.Unpaid[i]
	}
	if said {
		return g.heard, g.heardUnpaid
	}
	peer, server := ObserverIndex(accountant.Peer), ObserverIndex(accountant.Server)
	shown, unpaid = g.Shown[peer], g.Unpaid[peer]
	if l.server && a.Members[0] == 0 {
		shown, unpaid = shown || g.Shown[server], unpaid || g.Unpaid[server]
	}
	return shown, unpaid
}

// Learned is what an observer learns of the units of a group, which GroupsFor made for it,
// up to a step, and which step it is of: the last that was paid for or in which something
// unprotected was first sent, or, where the plan says what observers learn, the step itself.
// Nothing bounds what was sent unprotected where the observer sees it.
func (l *Ledger) Learned(a *Account, g *Group, step int) (total accountant.Total, at int, err error) {
	total, said, err := l.told(a, g.First, step)
	if at = g.Last; said {
		at = step
	}
	if shown, _ := l.shows(a, g, said); shown {
		return accountant.NotPrivate().Total(), at, err
	}
	if !said {
		total = a.declared(g, step)
	}
	return a.Before.Added(total), at, err
}
