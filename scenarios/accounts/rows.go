package accounts

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

var _ algorithm.CohortMeter = (*ledger.Ledger)(nil)

// rowMaker makes the rows of a job.
type rowMaker struct {
	// by remembers conversions: groups of units at one point, and observers, mostly have equal
	// totals.
	arm  *study.Arm
	seed uint64
	by   ledger.EpsilonCache
	rows []results.PrivacyRow
	// last are the rows of an observer by unit, if the loss is a matter of each unit and may
	// grow without a payment; nil elsewhere.
	last map[int]results.PrivacyRow
}

// PrivacyRows returns a job's rows of privacy.parquet: for each observer first the units with
// a payment that has changed at a point of the curves, then all units at the end of the run.
func PrivacyRows(arm *study.Arm, seed uint64, l *ledger.Ledger) ([]results.PrivacyRow, error) {
	m := &rowMaker{arm: arm, seed: seed, by: l.Epsilons()}
	end, each := len(l.Points)-1, arm.Privacy.Learns()
	byPoint := make([][]ledger.Group, len(l.Points))
	for point := range byPoint {
		byPoint[point] = l.Groups(point, point == end || each)
	}
	for i := range l.Accounts {
		a := &l.Accounts[i]
		if each {
			m.last = map[int]results.PrivacyRow{}
		}
		for point, groups := range byPoint {
			if a.Final && point < end {
				continue
			}
			groups = l.GroupsFor(a, groups, point)
			for k := range groups {
				if err := m.add(l, a, &groups[k], l.Points[point], point == end); err != nil {
					return nil, fmt.Errorf("%s: %w", a.Observer, err)
				}
			}
		}
	}
	return m.rows, nil
}

// add adds the row of a group, as it stood at a step.
func (m *rowMaker) add(l *ledger.Ledger, a *ledger.Account, g *ledger.Group, step int, final bool) error {
	stated := a.For(g.First)
	total, at, err := l.Learned(a, g, step)
	if err != nil {
		return err
	}
	row := results.PrivacyRow{
		Arm: m.arm.Name, Seed: m.seed, Observer: string(a.Observer),
		Unit: int32(g.First + m.arm.Extent.FirstLabel), Units: int32(g.Count), Step: int64(at),
		Definition: string(total.Definition(a.By)), Delta: stated.Delta, Rho: total.Rho(), Final: final,
	}
	epsilon, err := m.by.Stated(stated, &total)
	if err != nil {
		return err
	}
	row.Epsilon = epsilon
	// A pure total with an epsilon below the sum is stated at a delta: that is no pure privacy
	// any more.
	if sum, pure := total.Pure(); pure && epsilon < sum { // by composition at delta
		row.Definition = string(accountant.Approximate)
	}
	if a.Before != nil && a.Before.Unknown {
		row.Definition = ledger.UnknownCost
	}
	if a.Guarantee != nil && total.Private() {
		// The odometer is the epsilon of the payments, by the same conversion as the
		// guarantee.
		paid := a.Before.Added(g.Total)
		spent, err := m.by.Stated(stated, &paid)
		if err != nil {
			return err
		}
		row.Odometer = &spent
	}
	if m.last != nil {
		before := m.last[g.First]
		m.last[g.First] = row
		if before.Step = row.Step; !final && before == row {
			return nil
		}
	}
	if n := len(m.rows); n > 0 && (m.last != nil || a.Members != nil) && joins(&m.rows[n-1], &row) {
		m.rows[n-1].Units += row.Units
		return nil
	}
	m.rows = append(m.rows, row)
	return nil
}

// joins reports whether a row equals the row before, for the units that follow it.
func joins(before, row *results.PrivacyRow) bool {
	next := *before
	next.Unit, next.Units = row.Unit, row.Units
	return before.Unit+before.Units == row.Unit && next == *row
}

// Contradictions returns the disagreements between the accounts of a job and its messages.
// There are three: payloads sent as released that nobody had paid for; a bounded loss of a
// unit although the observer saw raw payloads of it; and a loss that the account calls
// unbounded although the observer saw only protected payloads. Accounts of single nodes and
// coalitions are passed over.
func Contradictions(arm *study.Arm, l *ledger.Ledger) (list []string, err error) {
	end := len(l.Points) - 1
	groups := l.Groups(end, true)
	for i := range l.Accounts {
		a := &l.Accounts[i]
		if a.Members != nil {
			continue
		}
		first, count, said := 0, 0, "" // neighbouring units with the same text
		flush := func() {
			if said != "" {
				units := fmt.Sprintf("of %d units from %d on", count, first+arm.Extent.FirstLabel)
				list = append(list, fmt.Sprintf(said, a.Observer, units))
			}
		}
		for _, g := range l.GroupsFor(a, groups, end) {
			text, err := contradiction(l, a, &g, l.Points[end])
			if err != nil {
				return nil, err
			}
			if !arm.Privacy.Learns() || text != said || first+count != g.First {
				flush()
				first, count, said = g.First, 0, text
			}
			count += g.Count
		}
		flush()
	}
	return list, nil
}

// contradiction returns which of these three disagreements a group has, with places for the
// observer and the units; empty is none.
func contradiction(l *ledger.Ledger, a *ledger.Account, g *ledger.Group, step int) (string, error) {
	total, shown, unpaid, err := l.Declared(a, g, step)
	switch {
	case unpaid:
		return "payloads %[2]s were sent as released where %[1]s sees before anything was paid for them, and count as raw", err
	case shown && total.Private() && !(a.Chance && l.Idle(g.First)):
		return "the account of %s has a bounded loss, but raw payloads %s were sent where it sees", err
	case !shown && a.Bound != nil && !a.Chance && !total.Private():
		return "the account of %s bounds nothing, but no raw payloads %s were sent where it sees", err
	}
	return "", err
}
