package ledger

import (
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// placed is an observer of links of its own: see Account.Links.
type placed struct {
	observer accountant.Observer
	links    func(from, to messages.NodeID) bool
}

// placedIn returns the observers of accounts with links of their own.
func placedIn(accounts []Account) (list []placed) {
	for i := range accounts {
		if a := &accounts[i]; a.Links != nil {
			list = append(list, placed{a.Observer, a.Links})
		}
	}
	return list
}

// place gives payers memory for the observers of links of their own.
func (l *Ledger) place() {
	n := len(l.placed)
	if n == 0 {
		return
	}
	memory := make([]sightings, n*len(l.paid))
	for i := range l.paid {
		l.paid[i].seen = memory[i*n : (i+1)*n : (i+1)*n]
	}
}

// spotted notes a message that such observers see, if nothing bounds its loss.
func (l *Ledger) spotted(from, to messages.NodeID, step int, mark *algorithm.Mark) {
	for k := range l.placed {
		if l.placed[k].links(from, to) && !l.inside(from) && !l.inside(to) {
			l.paid[from].seen[k].note(l.paid[from].since > 0, step, mark)
		}
	}
}

// note notes a message of a sender that has paid, or not, in a step, if nothing bounds its loss.
func (s *sightings) note(paid bool, step int, mark *algorithm.Mark) {
	first := &s.raw
	switch mark.Exposure() {
	case messages.Public:
		return
	case messages.Released:
		if paid {
			return
		}
		first = &s.unpaid
	}
	if *first == 0 {
		*first = int32(step) + 1
	}
}

// showing is the state of an observer of links of its own: whether it saw anything that nothing bounds,
// and whether some of that was sent as released.
type showing struct{ shown, unpaid bool }

// showings returns the states of these observers for a unit up to a point.
func (l *Ledger) showings(unit, point int, earliest int32) []showing {
	if len(l.placed) == 0 {
		return nil
	}
	list := make([]showing, len(l.placed))
	by := func(first int32) bool { return first > 0 && int(first)-1 <= l.Points[point] }
	for _, i := range l.payersFor(unit) {
		for k := range list {
			s := &l.paid[i].seen[k]
			missing := by(s.unpaid) && !l.served(i, s.unpaid, earliest)
			list[k].shown = list[k].shown || missing || by(s.raw)
			list[k].unpaid = list[k].unpaid || missing
		}
	}
	return list
}

// showingOf returns the state for an account in a group's standing.
func (l *Ledger) showingOf(a *Account, g *Group) (shown, unpaid bool) {
	k := slices.IndexFunc(l.placed, func(p placed) bool { return p.observer == a.Observer })
	return g.showings[k].shown, g.showings[k].unpaid
}
