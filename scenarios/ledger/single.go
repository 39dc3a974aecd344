package ledger

import (
	"fmt"
	"slices"

	"starling/mechanisms/accountant"
	"starling/scenarios/gauge"
)

// singles are the epsilons of single participants, to the observer of the first account: the
// columns that a run records of them. A nil *singles records none.
type singles struct {
	ledger  *Ledger
	of      *gauge.Owners
	columns []gauge.Column
	by      EpsilonCache
	// epsilons are by participant, at the point of read-1; read is 0 before the first.
	epsilons []float64
	read     int
}

// newSingles returns the epsilons of a ledger with curves that have all points of the run.
func newSingles(l *Ledger, o *Options) *singles {
	s := &singles{ledger: l, of: o.Owners, by: l.Epsilons(), epsilons: make([]float64, o.Owners.Count)}
	span := &gauge.Span{Points: o.Points, Wanted: o.Wanted}
	s.columns = slices.DeleteFunc(s.of.Columns(&gauge.EpsilonOf, span, s.at), func(c gauge.Column) bool { return !o.Wanted.Any(c.Name) })
	return s
}

// begin forgets the epsilons that were read: payments may have been made since.
func (s *singles) begin() {
	if s != nil {
		s.read = 0
	}
}

// record hands over the rows of a point.
func (s *singles) record(point int, to gauge.Sheet) {
	if s == nil {
		return
	}
	for i := range s.columns {
		s.columns[i].Record(s.ledger.Points, point, to)
	}
}

// at returns the epsilon of each participant up to a point. The run must be over. The columns
// of a point share the work.
func (s *singles) at(point int) []float64 {
	if s.read == point+1 {
		return s.epsilons
	}
	if err := s.fill(point); err != nil {
		panic(fmt.Sprintf("ledger: %v", err)) // losses, delta and method are checked as they come
	}
	s.read = point + 1
	return s.epsilons
}

// fill computes the epsilons of a point. A participant that has paid and shown nothing has the
// loss of the model that the run starts from, most often 0.
func (s *singles) fill(point int) error {
	l := s.ledger
	a := &l.Accounts[0]
	before := a.Before.Added(accountant.Total{})
	start, err := s.by.Stated(a, &before)
	if err != nil {
		return err
	}
	for i := range s.epsilons {
		if s.epsilons[i] = start; a.Own == nil {
			continue
		}
		if s.epsilons[i], err = s.by.Stated(a.For(int(s.of.First)+i), &before); err != nil {
			return err
		}
	}
	groups := l.GroupsFor(a, l.Groups(point, true), point)
	for i := range groups {
		g := &groups[i]
		total, _, err := l.Learned(a, g, l.Points[point])
		if err != nil {
			return err
		}
		epsilon, err := s.by.Stated(a.For(g.First), &total)
		if err != nil {
			return err
		}
		first := g.First - int(s.of.First)
		for unit := first; unit < first+g.Count; unit++ {
			s.epsilons[unit] = epsilon
		}
	}
	return nil
}
