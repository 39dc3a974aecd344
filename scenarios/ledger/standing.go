package ledger

import (
	"slices"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// standing is the sum of a unit's payments and exposures up to a point: its own and, where
// there is a server, the server's on its behalf.
type standing struct {
	Total accountant.Total
	// worth are the same totals by Ledger.weighed.
	worth []accountant.Total
	// Last is the last step that was paid for, or in which something unprotected was first
	// sent.
	Last int
	any  bool
	// Shown: the observer, by index, saw something that nothing bounds. Unpaid: some of that
	// was sent as released.
	Shown, Unpaid [observerCount]bool
	// heard and heardUnpaid are the same for the coalition that a group was made for.
	heard, heardUnpaid bool
	showings           []showing // by Ledger.placed
}

func (s *standing) equal(other *standing) bool {
	return s.Last == other.Last && s.any == other.any && s.Shown == other.Shown && s.Unpaid == other.Unpaid && slices.Equal(s.showings, other.showings) && s.Total.Equal(&other.Total) &&
		slices.EqualFunc(s.worth, other.worth, func(a, b accountant.Total) bool { return a.Equal(&b) })
}

// Group is a run of neighbouring units with equal standings.
type Group struct {
	First, Count int // participants
	standing
}

// standing returns the standing of a unit at a point. changed is true if it differs from the
// standing at the point before. earliest is l.firstPayment().
func (l *Ledger) standing(unit, point int, earliest int32) (s standing, changed bool) {
	s.worth, s.showings = make([]accountant.Total, len(l.weighed)), l.showings(unit, point, earliest)
	show := func(o int, first int32) bool {
		step := int(first) - 1
		if first == 0 || step > l.Points[point] {
			return false
		}
		s.any, s.Shown[o], s.Last = true, true, max(s.Last, step)
		changed = changed || point == 0 || step > l.Points[point-1]
		return true
	}
	for _, i := range l.payersFor(unit) {
		p := &l.paid[i]
		if m := p.at(point); m != nil {
			if l.dearest == nil {
				s.Total.AddTotal(&m.total)
				for w := range m.worth {
					s.worth[w].AddTotal(&m.worth[w])
				}
			}
			s.any, s.Last = true, max(s.Last, int(m.last))
			changed = changed || int(m.point) == point
		}
		for o := range observerCount {
			show(o, p.shown[o])
			if !l.served(i, p.unpaid[o], earliest) && show(o, p.unpaid[o]) {
				s.Unpaid[o] = true
			}
		}
	}
	if l.dearest != nil && s.any {
		payment, times := l.dearest(l.Points[point])
		s.Total.AddTimes(payment, times)
		for w := range s.worth {
			s.worth[w].AddTimes(l.worthOf(w, messages.NodeID(unit), l.Points[point], payment), times)
		}
	}
	return s, changed
}

// Idle reports whether a unit, a participant, has neither paid nor shown anything by itself.
func (l *Ledger) Idle(unit int) bool {
	p := &l.paid[unit]
	return p.since == 0 && p.shown == [observerCount]int32{} && p.unpaid == [observerCount]int32{}
}

// payersFor returns the participants that pay and show for a unit: the unit itself, and the
// servers above it.
func (l *Ledger) payersFor(unit int) []int {
	switch {
	case l.population > 0: // any of them may have stood for the unit
		list := make([]int, l.end)
		for i := range list {
			list[i] = i
		}
		return list
	case l.above != nil:
		list := []int{unit}
		for _, server := range l.above(messages.NodeID(unit)) {
			list = append(list, int(server))
		}
		return list
	case l.server:
		return []int{unit, 0}
	}
	return []int{unit}
}

// served reports whether the message that a participant first sent unpaid in a step is a
// server's, and follows from the releases of the units to it. earliest is l.firstPayment().
func (l *Ledger) served(i int, unpaid, earliest int32) bool {
	return (i < l.first || l.over(i)) && earliest > 0 && earliest <= unpaid
}

// firstPayment returns the step of the first payment of all, counted from 1; 0 if nobody has
// paid.
func (l *Ledger) firstPayment() (first int32) {
	for i := range l.paid {
		if since := l.paid[i].since; since > 0 && (first == 0 || since < first) {
			first = since
		}
	}
	return first
}

// showsRaw reports whether the observer of the first account has seen a raw message, of
// Options.Raw, up to a step.
func (l *Ledger) showsRaw(step int) bool {
	return l.raw && slices.ContainsFunc(l.paid, func(p payer) bool {
		first := p.shown[ObserverIndex(l.Accounts[0].Observer)]
		return first > 0 && int(first)-1 <= step
	})
}

// at returns the last mark at or before a point; nil if there is none.
func (p *payer) at(point int) *mark {
	for i := len(p.marks) - 1; i >= 0; i-- {
		if int(p.marks[i].point) <= point {
			return &p.marks[i]
		}
	}
	return nil
}

// ownDeltas reports whether units have deltas of their own.
func (l *Ledger) ownDeltas() bool { return len(l.Accounts) > 0 && l.Accounts[0].Own != nil }

// deltaOf is the delta at which the losses of a unit are stated, the same in all accounts.
func (l *Ledger) deltaOf(unit int) float64 {
	if len(l.Accounts) == 0 {
		return 0
	}
	return l.Accounts[0].DeltaOf(unit)
}

// Groups returns the units that have paid or shown anything up to a point, in their order: all
// of them, or the units with a standing that has changed since the point before. Units of a group have one
// delta.
func (l *Ledger) Groups(point int, all bool) (list []Group) {
	l.partAll()
	earliest := l.firstPayment()
	if l.population > 0 {
		if s, changed := l.standing(l.first, point, earliest); s.any && (changed || all) {
			list = []Group{{l.first, l.population, s}}
		}
		return list
	}
	for unit := l.first; unit < l.end; unit++ {
		s, changed := l.standing(unit, point, earliest)
		if !s.any || !changed && !all {
			continue
		}
		if n := len(list); n > 0 && list[n-1].First+list[n-1].Count == unit && list[n-1].equal(&s) && l.deltaOf(unit-1) == l.deltaOf(unit) {
			list[n-1].Count++
			continue
		}
		list = append(list, Group{unit, 1, s})
	}
	return list
}
