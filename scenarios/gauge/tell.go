package gauge

import (
	"slices"
	"sync"

	"starling/scenarios/metric"
)

// telling is the part of a run that a meter has told while it goes on.
type telling struct {
	mu   sync.Mutex
	told []int // guarded by mu: by group, the number of points with rows that were handed over
	over bool  // guarded by mu: the run is over, and nothing is told any more
}

// Tell hands over metrics to r that are final although the run goes on, each value once. They
// are the metrics of early gauges (see Early) at points that all participants are past once
// they have finished so many steps. It hands over a point only if takes accepts its step. It
// asks more after each point, and ends early if that returns false. Tell may be called while
// participants go on; it hands over the same values as Finish, bit for bit.
//
// A meter of a run that is divided among processes tells nothing: its gauges have their data
// only after the handover.
func (m *Meter) Tell(steps int, takes func(step int) bool, more func() bool, r Recorder) {
	t := &m.telling
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || m.divided {
		return
	}
	if t.told == nil {
		t.told = make([]int, len(m.groups))
	}
	past := m.past(steps)
	for i, rows := range m.groups {
		for end := final(rows, past); t.told[i] < end; {
			point := t.told[i]
			t.told[i]++
			for k := range rows {
				rows[k].tell(&m.span, point, takes(m.span.Points[point]), r)
			}
			if !more() {
				return
			}
		}
	}
}

// Divided reports whether the meter is one of several of a run, which tells nothing; see
// Divide.
func (m *Meter) Divided() bool {
	m.telling.mu.Lock()
	defer m.telling.mu.Unlock()
	return m.divided
}

// Early returns the names of the metrics that Tell hands over.
func (m *Meter) Early() (names []string) {
	for _, rows := range m.groups {
		for k := range rows {
			if _, ok := rows[k].early(); ok {
				for _, c := range rows[k].columns {
					if c.early() {
						names = append(names, c.Name)
					}
				}
			}
		}
	}
	return names
}

// past returns the number of first points that are over when all participants have finished so
// many steps. The fates of a step's messages are known in the step after it. A participant
// that has ended its part plays the rest of the run when that is over: points from there on
// are not over.
func (m *Meter) past(steps int) int {
	last := m.span.First + steps - 2
	if m.last != nil {
		last = min(last, m.firstStop()-1)
	}
	n, exact := slices.BinarySearch(m.span.Points, last)
	if exact {
		n++
	}
	return n
}

// final returns the number of first points that are final in all early gauges of a group:
// derived values have to come after those from which they are derived.
func final(rows []row, points int) int {
	found := false
	for k := range rows {
		if e, ok := rows[k].early(); ok {
			found, points = true, min(points, e.Final(points))
		}
	}
	if !found {
		return 0
	}
	return points
}

// tell hands over the rows of an early gauge at a point, if they are taken.
func (w *row) tell(s *Span, point int, takes bool, r Recorder) {
	if _, ok := w.early(); !ok {
		return
	}
	if c, ok := w.gauge.(Carrier); ok {
		c.Carry(point)
	}
	for _, c := range w.columns {
		if !takes || !c.early() {
			continue
		}
		if c.Rows != nil {
			c.Rows(point, unpaid{r})
		} else {
			r.Add(s.Points[point], c.Name, c.Value(point))
		}
	}
}

// early returns the gauge of a row. The bool is true if it has values before the run is over.
func (w *row) early() (Early, bool) {
	e, ok := w.gauge.(Early)
	return e, ok && e.Final(0) >= 0
}

// early reports whether Tell hands over a column of an early gauge.
func (c *Column) early() bool {
	return c.Name != "" && !c.Last && c.Level != metric.OfNode && (c.Rows != nil || c.Value != nil)
}

// unpaid is a sheet without a ledger.
type unpaid struct{ Recorder }

// Paid implements Sheet.
func (unpaid) Paid(int) {}
