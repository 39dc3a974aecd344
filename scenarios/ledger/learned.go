package ledger

import (
	"slices"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// GroupsFor returns the groups of a point, which Groups returned, as the account needs them:
// without the members of its coalition, and of one unit each if the plan states the loss to
// observers.
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

// LastPaid returns the last step that a participant has paid for, once the run is over. ok is
// false if it has paid for none.
func (l *Ledger) LastPaid(node messages.NodeID) (step int, ok bool) {
	l.partAll()
	marks := l.paid[node].marks
	if len(marks) == 0 {
		return 0, false
	}
	return int(marks[len(marks)-1].last), true
}

// heardOf reports whether a coalition was sent, up to a point, anything of a unit that nothing
// bounds, and whether some of that was sent as released.
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

// told returns the loss of a unit to an account's observer, as the plan states it. The bool is
// false if the plan states none.
func (l *Ledger) told(a *Account, unit, step int) (accountant.Total, bool, error) {
	v := &l.view
	if v.make == nil || a.Links != nil {
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

// Declared returns the loss of a group's units to an observer by the account alone, up to a
// step, whatever was sent. shown is true if the observer saw something of theirs that nothing
// bounds, and unpaid if some of that was sent as released.
func (l *Ledger) Declared(a *Account, g *Group, step int) (total accountant.Total, shown, unpaid bool, err error) {
	total, said, err := l.told(a, g.First, step)
	if !said {
		total = l.declared(a, g, step)
	}
	shown, unpaid = l.shows(a, g, said)
	return total, shown, unpaid, err
}

// shows reports whether the observer of an account saw something unprotected of a group, and
// whether some of that was sent as released. If the plan does not state the messages that are
// passed on to a coalition, the coalition counts as peers do, whichever participant received a
// message: raw data that one peer knows may reach the others. A server passes on released
// data.
func (l *Ledger) shows(a *Account, g *Group, said bool) (shown, unpaid bool) {
	if a.Links != nil {
		return l.showingOf(a, g)
	}
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

// Learned returns the loss of a group's units to an observer up to a step, and the step that
// this loss is of. GroupsFor made the group for that observer. The step at is the last that
// was paid for, or in which something unprotected was first sent. If the plan states the loss
// to observers, at is step. Nothing bounds the loss if the observer sees something
// unprotected.
func (l *Ledger) Learned(a *Account, g *Group, step int) (total accountant.Total, at int, err error) {
	total, said, err := l.told(a, g.First, step)
	if at = g.Last; said {
		at = step
	}
	if shown, _ := l.shows(a, g, said); shown {
		return accountant.NotPrivate().Total(), at, err
	}
	if !said {
		total = l.declared(a, g, step)
	}
	return a.Before.Added(total), at, err
}

// Worst returns the loss to the account's observer of the unit that loses the most, at the end
// of a run, with the loss that was known before.
func (a *Account) Worst(l *Ledger, known *Before) (worst accountant.Total, epsilon float64, err error) {
	by := l.Epsilons()
	end := len(l.Points) - 1
	of := *a
	of.Before = known
	worst = known.Added(worst)
	if epsilon, err = by.Stated(&of, &worst); err != nil {
		return worst, 0, err
	}
	groups := l.GroupsFor(&of, l.Groups(end, true), end)
	for i := range groups {
		total, _, err := l.Learned(&of, &groups[i], l.Points[end])
		if err != nil {
			return worst, 0, err
		}
		e, err := by.Stated(&of, &total)
		if err != nil {
			return worst, 0, err
		}
		if e > epsilon {
			worst, epsilon = total, e
		}
	}
	return worst, epsilon, nil
}

// declared returns the account's loss of a group, if the plan states no other.
func (l *Ledger) declared(a *Account, g *Group, step int) accountant.Total {
	switch {
	case a.Worth != nil:
		return g.worth[l.worthIndex(a.Worth)]
	case a.Guarantee != nil:
		return a.Guarantee(g.First, step)
	case a.Bound != nil:
		return a.Bound(step).Total()
	}
	return g.Total
}
