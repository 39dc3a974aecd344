package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"starling/actors/algorithm"
	"starling/actors/remote"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/runner"
)

// refusal is the reason for which a worker makes no jobs.
type refusal struct{ reason string }

func (r *refusal) Error() string { return "refused: " + r.reason }

// keep joins a worker again and again, until that has failed for too long or the pool is
// closed.
func (p *Pool) keep(m *member) {
	m.tries = tries{since: time.Now()}
	for p.ctx.Err() == nil {
		joined, err := p.join(m)
		p.lose(m, err)
		if joined {
			m.tries = tries{since: time.Now()}
		}
		var refused *refusal
		switch {
		case errors.As(err, &refused):
		case m.own != nil && m.own.ended():
			err = m.own.why()
		case time.Since(m.tries.since) < p.options.Patience:
			if !joined {
				p.failed(m, err)
			}
			p.mu.Lock()
			m.tried = true
			p.changed.Broadcast()
			p.mu.Unlock()
			select {
			case <-time.After(m.tries.pause(p.options.Patience)):
			case <-p.ctx.Done():
			}
			continue
		}
		if !joined {
			m.tries.add(err)
			err = m.tries.counted(err)
		}
		p.leave(m, err)
		return
	}
}

// failed warns the user, once for each cause, that a worker cannot be joined. The warning has
// the cause, advice, and the number of failures for the cause before.
func (p *Pool) failed(m *member, err error) {
	before := m.tries.alike
	if !m.tries.add(err) {
		return
	}
	again := ""
	if before > 1 {
		again = fmt.Sprintf(", now not for what it was %d times", before)
	}
	advice := ""
	if text := cure(err); text != "" {
		advice = ". " + text
	}
	left := (p.options.Patience - time.Since(m.tries.since)).Round(time.Second)
	p.warn("worker %s cannot be joined%s, and is tried again for %v: %v%s", m.name, again, max(left, time.Second), err, advice)
}

// joined tells the user that a worker has joined, after a warning that it could not be joined.
func (p *Pool) joined(m *member) {
	if m.tries.failed > 0 {
		p.warn("worker %s has joined, after %d tries that failed", m.name, m.tries.failed)
	}
}

// opening is the time limit for the first answer of a worker.
const opening = 10 * time.Second

// join opens a link to a worker and hands it jobs until the link is over. It reports whether
// the worker took the run.
func (p *Pool) join(m *member) (joined bool, err error) {
	if m.own != nil {
		if m.address, err = m.own.wait(p.ctx); err != nil {
			return false, err
		}
	}
	limited, cancel := context.WithTimeoutCause(p.ctx, opening, fmt.Errorf("no answer for %v", opening))
	defer cancel()
	l, err := p.node.Open(limited, m.address)
	if err != nil {
		return false, err
	}
	defer l.Close("the run is over")
	if m.own != nil {
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			select {
			case <-m.own.exited:
				l.Abandon(errors.New("the process has ended"))
			case <-stop:
			}
		}()
	}
	if err := send(p.ctx, l, p.study(m)); err != nil {
		return false, err
	}
	loading, cancel := context.WithTimeoutCause(p.ctx, p.options.Stall, fmt.Errorf("it has not loaded the scenario for %v", p.options.Stall))
	defer cancel()
	var first ToCoordinator
	if err := receive(loading, l, &first); err != nil {
		return false, err
	}
	ready := first.GetReady()
	if r := first.GetRefused(); r != nil && r.Busy {
		return false, errors.New(string(r.Reason))
	} else if r != nil {
		return false, &refusal{string(r.Reason)}
	}
	if ready == nil || ready.Jobs < 1 || ready.Jobs > 1<<16 {
		return false, &refusal{"it does not say how many jobs it can have"}
	}
	p.mu.Lock()
	m.slots, m.tried, m.link = int(ready.Jobs), true, l
	p.changed.Broadcast()
	p.mu.Unlock()
	p.joined(m)
	fed := make(chan struct{})
	go func() { defer close(fed); p.feed(m, l) }()
	err = p.hear(m, l)
	l.Close("the run is over")
	p.mu.Lock()
	p.changed.Broadcast() // for feed, which sees that the link is over
	p.mu.Unlock()
	<-fed
	return true, err
}

// study returns the message that describes the run's scenario to a worker.
func (p *Pool) study(m *member) *ToWorker {
	s, o := p.scenario, &p.options
	asked := &Study{
		Version: []byte(o.Run.Version), Build: []byte(o.Run.Build), Arithmetic: []byte(results.Arithmetic()),
		Scenario: s.Document.Bytes(), Hash: runner.Hash(s, o.Run.Build),
		Engine: string(o.Run.Engine), Shards: int64(o.Run.Shards), Theory: int64(o.Run.Theory),
		Twice: s.Folder.Twice,
	}
	for _, d := range s.Data {
		asked.Data = append(asked.Data, &Data{Name: []byte(d.Name), Sha256: d.Sha256})
	}
	if m.own != nil {
		asked.File = []byte(o.File)
		for _, c := range o.Overrides {
			asked.Overrides = append(asked.Overrides, &Override{Path: []byte(c.Path), Text: []byte(c.Text), Source: []byte(c.Source)})
		}
	}
	return &ToWorker{Kind: &ToWorker_Study{Study: asked}}
}

// feed hands a worker jobs, as many at a time as it takes, until the link is over.
func (p *Pool) feed(m *member, l *remote.Link) {
	for {
		r := p.choose(m, func() bool { return l.Err() != nil })
		if r == nil {
			return
		}
		state, err := r.states.Last()
		if err != nil {
			p.fail(err)
			return
		}
		for _, m := range append(pieces(state), &ToWorker{Kind: &ToWorker_Job{Job: &Job{Index: int64(r.index)}}}) {
			if send(p.ctx, l, m) != nil {
				return
			}
		}
	}
}

// hear handles the messages of a worker, until the link is over.
func (p *Pool) hear(m *member, l *remote.Link) error {
	for {
		var said ToCoordinator
		if err := receive(p.ctx, l, &said); err != nil {
			return err
		}
		switch kind := said.Kind.(type) {
		case *ToCoordinator_Steps:
			p.advance(m, int(kind.Steps.Index), kind.Steps.Steps)
		case *ToCoordinator_State:
			if err := p.save(m, kind.State); err != nil {
				return err
			}
		case *ToCoordinator_Refused:
			return &refusal{string(kind.Refused.Reason)}
		case *ToCoordinator_Done:
			p.end(m, int(kind.Done.Index), kind.Done.Result, nil)
		case *ToCoordinator_Wire, *ToCoordinator_Ended:
			p.took(m, &said)
		case *ToCoordinator_Failed:
			p.end(m, int(kind.Failed.Index), nil, failureOf(m, kind.Failed))
		default:
			return &refusal{fmt.Sprintf("it says what nobody asked for, %T", kind)}
		}
	}
}

// failureOf returns the error of a job that failed in a worker, with the stack if it panicked.
func failureOf(m *member, f *Failed) error {
	if len(f.Stack) > 0 {
		return fmt.Errorf("worker %s: %w", m.name, &algorithm.Panic{Value: string(f.Reason), Stack: f.Stack})
	}
	return fmt.Errorf("worker %s: %s", m.name, f.Reason)
}

// advance records the number of steps of a job that are done.
func (p *Pool) advance(m *member, index int, steps int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := m.job(index)
	if r == nil || steps > int64(jobs.ArmOf(p.scenario, index).File.Horizon) {
		return
	}
	// The runtime lockstep does not report steps.
	if steps > r.steps || p.options.Run.Engine == jobs.Lockstep {
		r.moved = time.Now()
	}
	if steps > r.steps {
		r.steps = steps
		r.advance(int(steps))
	}
}

// end takes the result of a job. It ignores messages about a job that the worker does not
// have.
func (p *Pool) end(m *member, index int, result []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := m.job(index)
	if r == nil {
		return
	}
	r.saving.abandon(errors.New("the job has ended"))
	r.saving = nil
	m.has = slices.DeleteFunc(m.has, func(o *request) bool { return o == r })
	for _, next := range m.running() {
		if next.waits {
			next.waits, next.moved = false, time.Now()
		}
	}
	r.done, r.by, r.result, r.err = true, "worker "+m.name, result, err
	p.changed.Broadcast()
}
