package auditing

import (
	"sync"

	"starling/actors/algorithm/batch"
	"starling/messages"
)

// mostTogether is the largest number of runs that ask desks together: a call of Python takes
// as long as a few turns, and runs of an audit are small.
const mostTogether = 64

// meeting makes runs that are made at the same time ask desks together: once all of them wait,
// their questions are answered, in one call for each desk and step. Answers do not depend on
// the other questions, so the outcomes are the same as for runs made one after the other.
type meeting struct {
	mu      sync.Mutex
	changed *sync.Cond
	active  int // runs that are not over
	waiting []*asked
}

// asked is the questions of a run.
type asked struct {
	at        batch.Desk
	step      int
	nodes     []messages.NodeID
	questions []any
	done      bool
	err       error
}

func newMeeting(runs int) *meeting {
	m := &meeting{active: runs}
	m.changed = sync.NewCond(&m.mu)
	return m
}

// front stands before a desk for a meeting. It implements batch.Desk.
type front struct {
	meeting *meeting
	at      batch.Desk
}

// through is algorithm.Run.Through.
func (m *meeting) through(at batch.Desk) batch.Desk { return front{m, at} }

// Answer implements batch.Desk.
func (f front) Answer(step int, nodes []messages.NodeID, questions []any) error {
	m := f.meeting
	m.mu.Lock()
	defer m.mu.Unlock()
	mine := &asked{at: f.at, step: step, nodes: nodes, questions: questions}
	m.waiting = append(m.waiting, mine)
	m.answer()
	for !mine.done {
		m.changed.Wait()
	}
	return mine.err
}

// leave notes that a run is over.
func (m *meeting) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.active--
	m.answer()
}

// answer answers all waiting runs, if all runs wait; the mutex is held.
func (m *meeting) answer() {
	if len(m.waiting) < m.active || len(m.waiting) == 0 {
		return
	}
	for i, first := range m.waiting {
		if first.done {
			continue
		}
		var together []*asked
		var nodes []messages.NodeID
		var questions []any
		for _, a := range m.waiting[i:] {
			if !a.done && a.at == first.at && a.step == first.step {
				together = append(together, a)
				nodes, questions = append(nodes, a.nodes...), append(questions, a.questions...)
			}
		}
		err := first.at.Answer(first.step, nodes, questions)
		for _, a := range together {
			a.done, a.err = true, err
		}
	}
	m.waiting = m.waiting[:0]
	m.changed.Broadcast()
}
