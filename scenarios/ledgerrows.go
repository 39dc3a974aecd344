package scenarios

import (
	"fmt"
	"math"
	"strings"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/problem/model"
	"starling/scenarios/results"
)

// standing is what a unit has paid and shown up to a point: its own and, where
// there is a server, what that did on its behalf.
type standing struct {
	total accountant.Total
	last  int // the last step that was paid for, or in which something unprotected was first sent
	any   bool
	// shown is by observer whether it saw something that nothing bounds, and
	// unpaid whether some of that was sent as released.
	shown, unpaid [observerCount]bool
}

func (s *standing) equal(other *standing) bool {
	return s.last == other.last && s.any == other.any && s.shown == other.shown && s.unpaid == other.unpaid && s.total.Equal(&other.total)
}

// group is neighbouring units that stand the same.
type group struct {
	first, count int // participants
	standing
}

// standing is that of a unit at a point; changed tells whether it is another
// than at the point before. earliest is l.firstPayment().
func (l *ledger) standing(unit, point int, earliest int32) (s standing, changed bool) {
	payers := []int{unit}
	if l.server {
		payers = append(payers, 0)
	}
	show := func(o int, first int32) bool {
		step := int(first) - 1
		if first == 0 || step > l.points[point] {
			return false
		}
		s.any, s.shown[o], s.last = true, true, max(s.last, step)
		changed = changed || point == 0 || step > l.points[point-1]
		return true
	}
	for _, i := range payers {
		p := &l.paid[i]
		if m := p.at(point); m != nil {
			s.total.AddTotal(&m.total)
			s.any, s.last = true, max(s.last, int(m.last))
			changed = changed || int(m.point) == point
		}
		for o := range observerCount {
			show(o, p.shown[o])
			// What a server sends follows from what the units have released to it.
			if served := i < l.first && earliest > 0 && earliest <= p.unpaid[o]; !served && show(o, p.unpaid[o]) {
				s.unpaid[o] = true
			}
		}
	}
	return s, changed
}

// firstPayment is the step of the first payment of all, counted from 1; 0 where
// nobody has paid.
func (l *ledger) firstPayment() (first int32) {
	for i := range l.paid {
		if since := l.paid[i].since; since > 0 && (first == 0 || since < first) {
			first = since
		}
	}
	return first
}

// at is the last mark at or before a point; nil is none.
func (p *payer) at(point int) *mark {
	for i := len(p.marks) - 1; i >= 0; i-- {
		if int(p.marks[i].point) <= point {
			return &p.marks[i]
		}
	}
	return nil
}

// groups are the units that have paid or shown anything up to a point, in their
// order: all of them, or those whose standing has changed since the point before.
func (l *ledger) groups(point int, all bool) (list []group) {
	earliest := l.firstPayment()
	for unit := l.first; unit < l.end; unit++ {
		s, changed := l.standing(unit, point, earliest)
		if !s.any || !changed && !all {
			continue
		}
		if n := len(list); n > 0 && list[n-1].first+list[n-1].count == unit && list[n-1].equal(&s) {
			list[n-1].count++
			continue
		}
		list = append(list, group{unit, 1, s})
	}
	return list
}

// rowMaker makes the rows of a job.
type rowMaker struct {
	arm  *Arm
	seed uint64
	by   accountant.Converter
	rows []results.PrivacyRow
}

// privacyRows are a job's rows of privacy.parquet: for each observer first those
// of units whose payment has changed at a point of the curves, then all units at
// the end of the run.
func (arm *Arm) privacyRows(seed uint64, l *ledger) ([]results.PrivacyRow, error) {
	m := &rowMaker{arm: arm, seed: seed}
	end := len(l.points) - 1
	byPoint := make([][]group, len(l.points))
	for point := range byPoint {
		byPoint[point] = l.groups(point, point == end)
	}
	for i := range l.accounts {
		a := &l.accounts[i]
		for point, groups := range byPoint {
			for k := range groups {
				if err := m.add(a, &groups[k], l.points[point], point == end); err != nil {
					return nil, fmt.Errorf("%s: %w", a.observer, err)
				}
			}
		}
	}
	return m.rows, nil
}

// add adds the row of a group, as it stood at a step.
func (m *rowMaker) add(a *account, g *group, step int, final bool) error {
	total := a.learned(g, step)
	row := results.PrivacyRow{
		Arm: m.arm.Name, Seed: m.seed, Observer: string(a.observer),
		Unit: int32(g.first + m.arm.algorithm.firstLabel), Units: int32(g.count), Step: int64(g.last),
		Definition: string(total.Definition(a.by)), Delta: a.delta, Rho: total.Rho(), Final: final,
	}
	epsilon, err := a.epsilon(&total, &m.by)
	if err != nil {
		return err
	}
	row.Epsilon = epsilon
	if sum, pure := total.Pure(); pure && epsilon < sum { // by composition at delta
		row.Definition = string(accountant.Approximate)
	}
	if a.before != nil && a.before.unknown {
		row.Definition = model.Unknown
	}
	if a.guarantee != nil && total.Private() {
		paid := a.before.added(g.total)
		spent, err := a.epsilon(&paid, &m.by)
		if err != nil {
			return err
		}
		row.Odometer = &spent
	}
	m.rows = append(m.rows, row)
	return nil
}

// declared is what an observer learns of a unit by the account alone, whatever
// was sent.
func (a *account) declared(g *group, step int) accountant.Total {
	switch {
	case a.guarantee != nil:
		return a.guarantee(g.first, step)
	case a.bound != nil:
		return a.bound(step).Total()
	}
	return g.total
}

// learned is what an observer learns of a unit: nothing bounds what was sent
// unprotected where it sees it.
func (a *account) learned(g *group, step int) accountant.Total {
	if g.shown[observerIndex(a.observer)] {
		return accountant.NotPrivate().Total()
	}
	return a.before.added(a.declared(g, step))
}

// epsilon is a total at the account's delta.
func (a *account) epsilon(total *accountant.Total, by *accountant.Converter) (float64, error) {
	if !total.Private() {
		return math.Inf(1), nil
	}
	if a.converted {
		return by.ReplaceEpsilon(total, a.delta, a.by)
	}
	return by.Epsilon(total, a.delta, a.by)
}

// contradictions says where the accounts of a job and what was sent do not agree:
// payloads sent as released that nobody had paid for, a loss that is bounded, of
// a unit whose raw payloads the observer saw, or one that the schedule is said not
// to bound where all that was seen was protected.
func (arm *Arm) contradictions(l *ledger) (list []string) {
	end := len(l.points) - 1
	groups := l.groups(end, true)
	for i := range l.accounts {
		a := &l.accounts[i]
		for k := range groups {
			g := &groups[k]
			total := a.declared(g, l.points[end])
			units := fmt.Sprintf("of %d units from %d on", g.count, g.first+arm.algorithm.firstLabel)
			o := observerIndex(a.observer)
			switch seen := g.shown[o]; {
			case g.unpaid[o]:
				list = append(list, fmt.Sprintf("payloads %s were sent as released where %s sees before anything was paid for them, and count as raw", units, a.observer))
			case seen && total.Private():
				list = append(list, fmt.Sprintf("the account of %s has a bounded loss, but raw payloads %s were sent where it sees", a.observer, units))
			case !seen && a.bound != nil && !total.Private():
				list = append(list, fmt.Sprintf("the account of %s bounds nothing, but no raw payloads %s were sent where it sees", a.observer, units))
			}
		}
	}
	return list
}

// accountOf is the account of an observer. The errors say what there is.
func (p *algorithmPlan) accountOf(o accountant.Observer) (*account, error) {
	var has []string
	for i := range p.accounts {
		if p.accounts[i].observer == o {
			return &p.accounts[i], nil
		}
		has = append(has, string(p.accounts[i].observer))
	}
	if observerIndex(o) >= 0 {
		return nil, fmt.Errorf("nobody is %s in this algorithm; want one of %s", o, strings.Join(has, ", "))
	}
	return nil, fmt.Errorf("unknown observer %q%s", o, document.Suggest(string(o), has, "want one of"))
}
