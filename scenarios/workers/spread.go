package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/remote"
	"starling/actors/spread"
	"starling/scenarios/jobs"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// attempt is one try of a spread job: its shards are in the workers that were there when it
// began. The loss of a worker ends it, and the next attempt goes on from the last saved state.
type attempt struct {
	pool    *Pool
	number  int64
	index   int
	members []*member // by process
	wires   *wires
	ctx     context.Context
	end     context.CancelCauseFunc

	// Guarded by the pool's mutex:
	over    bool          // true once the coordinator has its outcome
	ended   map[int]bool  // processes that have ended their parts, or that are lost
	unknown bool          // true if a worker has lost another, and it is not known yet which is gone
	gone    bool          // true if one of its workers is lost
	turns   map[int]reach // by shard
	moved   time.Time     // time of the last finished turn
	sent    int64         // number of bytes that workers have sent
	cause   error         // the first error
}

// reach is the number of turns that a shard has finished, with its process.
type reach struct{ process, turns int }

const (
	// parting is the time that workers have to end their parts of an attempt.
	parting = 5 * time.Second
	// doubt is the time to wait, before the next attempt, for the loss of a worker that others
	// cannot reach and the coordinator can.
	doubt = 35 * time.Second
)

// Spread implements runner.Spreader.
func (p *Pool) Spread(ctx context.Context, host *engine.Host, index int, j *study.Job, saved []byte, shards int, advance func(steps int)) error {
	a, err := p.attempt(ctx, index)
	if err != nil {
		return err
	}
	defer a.end(nil)
	if err := a.begin(saved, shards, j.Run.Pauses.Every); err != nil {
		a.fail(err)
	}
	stopped := make(chan struct{})
	p.group.Go(func() { a.watch(stopped) })
	n := len(a.members)
	err = host.Run(a.ctx, &j.Run, engine.Options{
		Shards: shards, Progress: advance,
		Spread: &spread.Place{Process: n, Processes: n, Wires: a.wires, Heard: a.heard},
	})
	close(stopped)
	a.part(err == nil)
	if err == nil {
		p.tell(a, j, shards)
		return nil
	}
	stop := context.AfterFunc(ctx, func() { p.fail(context.Cause(ctx)) })
	defer stop()
	return a.outcome(err)
}

// attempt begins an attempt with the workers that are there. It waits while there is none, and
// for the others for at most Options.Wait.
func (p *Pool) attempt(ctx context.Context, index int) (*attempt, error) {
	stop := context.AfterFunc(ctx, func() { p.fail(context.Cause(ctx)) })
	defer stop()
	limit := time.AfterFunc(p.options.Wait, func() { p.mu.Lock(); p.changed.Broadcast(); p.mu.Unlock() })
	defer limit.Stop()
	began := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if p.err != nil {
			return nil, p.err
		}
		if time.Since(began) < p.options.Wait && slices.ContainsFunc(p.members, func(m *member) bool { return m.link == nil && m.gone == nil }) {
			p.changed.Wait()
			continue
		}
		p.attempts++
		a := &attempt{pool: p, number: p.attempts, index: index, ended: map[int]bool{}, turns: map[int]reach{}, moved: time.Now()}
		for _, m := range p.members {
			if m.link != nil {
				a.members = append(a.members, m)
			}
		}
		if n := min(len(a.members), jobs.ArmOf(p.scenario, index).Extent.Participants); n > 0 {
			a.members = a.members[:n]
			a.ctx, a.end = context.WithCancelCause(ctx)
			a.wires = newWires(a.ctx, n, a.lose)
			p.current = a
			return a, nil
		}
		p.changed.Wait()
	}
}

// begin has the workers begin their parts.
func (a *attempt) begin(saved []byte, shards, every int) error {
	var addresses [][]byte
	links := make([]*remote.Link, len(a.members))
	a.pool.mu.Lock()
	for i, m := range a.members {
		addresses = append(addresses, []byte(m.address))
		links[i] = m.link
	}
	a.pool.mu.Unlock()
	token := []byte(remote.NewSecret())
	for i, l := range links {
		if l == nil {
			return &runner.LostError{Cause: fmt.Errorf("worker %s", a.members[i].name)}
		}
		part := &Part{
			Attempt: a.number, Index: int64(a.index), Process: int32(i), Addresses: addresses, Token: token,
			Shards: int64(shards), Every: int64(every),
		}
		for _, m := range append(pieces(saved), &ToWorker{Kind: &ToWorker_Part{Part: part}}) {
			if err := send(a.ctx, l, m); err != nil {
				return &runner.LostError{Cause: fmt.Errorf("worker %s: %w", a.members[i].name, err)}
			}
		}
		a.wires.connect(i, func(packet []byte) error {
			return send(a.ctx, l, &ToWorker{Kind: &ToWorker_Wire{Wire: &Wire{Attempt: a.number, Packet: packet}}})
		})
	}
	return nil
}

// fail ends the attempt, unless it is over.
func (a *attempt) fail(err error) {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	a.failLocked(err)
}

// failLocked is fail; the pool's mutex is held.
func (a *attempt) failLocked(err error) {
	if a.over || a.cause != nil {
		return
	}
	a.cause = err
	a.end(err)
}

// lose ends the attempt because a worker cannot be reached or understood.
func (a *attempt) lose(process int, err error) {
	a.fail(&runner.LostError{Cause: fmt.Errorf("worker %s: %w", a.members[process].name, err)})
}

// lost ends the attempt in which a lost worker takes part. It reports whether the worker still
// had a part; p.mu is held.
func (p *Pool) lost(m *member, cause error) bool {
	a := p.current
	if a == nil {
		return false
	}
	at := slices.Index(a.members, m)
	if at < 0 {
		return false
	}
	had := !a.over && !a.ended[at]
	a.gone, a.ended[at] = true, true
	a.failLocked(&runner.LostError{Cause: fmt.Errorf("worker %s: %w", m.name, cause)})
	p.changed.Broadcast()
	return had
}

// heard records the turns that a shard has finished.
func (a *attempt) heard(process, shard, turns int) {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	if a.turns[shard].turns < turns {
		a.moved = time.Now()
	}
	a.turns[shard] = reach{process, turns}
}

// watch fails the attempt when no turn is finished for too long. The error names the workers
// that are behind.
func (a *attempt) watch(stopped chan struct{}) {
	stall := a.pool.options.Stall
	ticker := time.NewTicker(min(time.Second, stall/4))
	defer ticker.Stop()
	for {
		select {
		case <-stopped:
			return
		case <-ticker.C:
		}
		a.pool.mu.Lock()
		if time.Since(a.moved) > stall {
			a.failLocked(fmt.Errorf("no turn of %s was finished for %v: waiting for %s", a.pool.describeJob(a.index), stall, a.slowest()))
		}
		a.pool.mu.Unlock()
	}
}

// slowest names the workers with the slowest shards; the pool's mutex is held.
func (a *attempt) slowest() string {
	least := -1
	behind := map[int]bool{}
	for _, r := range a.turns {
		if least < 0 || r.turns < least {
			least = r.turns
			clear(behind)
		}
		if r.turns == least {
			behind[r.process] = true
		}
	}
	var names []string
	for process, m := range a.members {
		if len(a.turns) == 0 || behind[process] {
			names = append(names, "worker "+m.name)
		}
	}
	return fmt.Sprintf("%s, after %d turns", strings.Join(names, " and "), max(least, 0))
}

// took handles a worker's messages about its part.
func (p *Pool) took(m *member, said *ToCoordinator) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.current
	if a == nil {
		return
	}
	at := slices.Index(a.members, m)
	if at < 0 {
		return
	}
	if w := said.GetWire(); w != nil && w.Attempt == a.number {
		a.wires.deliver(at, w.Packet)
	}
	e := said.GetEnded()
	if e == nil || e.Attempt != a.number {
		return
	}
	a.ended[at] = true
	a.sent += e.Sent
	switch why := failureOf(m, &Failed{Reason: e.Reason, Stack: e.Stack}); {
	case len(e.Reason) == 0 && !a.over:
		// The coordinator has ended the run; its outcome will come.
	case e.Lost:
		a.unknown = a.unknown || a.cause == nil
		a.failLocked(&runner.LostError{Cause: why})
	default:
		a.failLocked(why)
	}
	p.changed.Broadcast()
}

// part ends the attempt and waits until all workers have ended their parts: the next must
// not meet this one.
func (a *attempt) part(whole bool) {
	p := a.pool
	p.mu.Lock()
	a.over = a.over || whole
	var links []*remote.Link
	for i, m := range a.members {
		if !a.ended[i] && m.link != nil {
			links = append(links, m.link)
		}
	}
	p.mu.Unlock()
	if !whole {
		for _, l := range links {
			_ = send(p.ctx, l, &ToWorker{Kind: &ToWorker_Drop{Drop: &Drop{Attempt: a.number}}})
		}
	}
	limit := time.AfterFunc(parting, func() { p.mu.Lock(); p.changed.Broadcast(); p.mu.Unlock() })
	defer limit.Stop()
	began := time.Now()
	p.mu.Lock()
	for len(a.ended) < len(a.members) && time.Since(began) < parting && p.err == nil {
		p.changed.Wait()
	}
	var late []*remote.Link
	for i, m := range a.members {
		if p.err == nil && !a.ended[i] && m.link != nil { // a pool that is over waits for no worker
			late = append(late, m.link)
		}
	}
	p.mu.Unlock()
	a.end(nil)
	a.wires.group.Wait()
	for _, l := range late {
		l.Abandon(fmt.Errorf("its part of a run did not end for %v", parting))
	}
}

// outcome returns the error of an attempt that has failed. If the job has lost mostLosses
// workers, it may have ended them, and the run fails.
func (a *attempt) outcome(err error) error {
	p := a.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if failure := (*algorithm.Failure)(nil); a.cause != nil && !errors.As(err, &failure) {
		err = a.cause
	}
	var lost *runner.LostError
	if !errors.As(err, &lost) {
		return err
	}
	if p.losses == nil {
		p.losses = map[int]int{}
	}
	if p.losses[a.index]++; p.losses[a.index] >= mostLosses {
		return fmt.Errorf("%s has lost %d workers, and may be what ended them: %w", p.describeJob(a.index), p.losses[a.index], lost.Cause)
	}
	if a.unknown && !a.gone {
		limit := time.AfterFunc(doubt, func() { p.mu.Lock(); p.changed.Broadcast(); p.mu.Unlock() })
		defer limit.Stop()
		for began := time.Now(); !a.gone && p.err == nil && time.Since(began) < doubt; {
			p.changed.Wait()
		}
	}
	return err
}

// tell informs the user how the run was spread, once for each arm and number of workers.
func (p *Pool) tell(a *attempt, j *study.Job, shards int) {
	arm := jobs.ArmOf(p.scenario, a.index)
	key := fmt.Sprint(arm.Name, len(a.members))
	if p.options.Tell == nil || p.told[key] {
		return
	}
	if p.told == nil {
		p.told = map[string]bool{}
	}
	p.told[key] = true
	l, err := engine.LayoutOf(&j.Run, shards, len(a.members))
	if err != nil {
		return // the run has met this error before
	}
	var list []string
	for i, m := range a.members {
		list = append(list, fmt.Sprintf("worker %s has %d", m.name, l.Nodes[i]))
	}
	share := 0.0
	if l.Edges > 0 {
		share = 100 * float64(l.Crossing) / float64(l.Edges)
	}
	steps := j.Run.Steps
	if j.Run.Resume != nil {
		steps -= j.Run.Resume.Offset
	}
	p.mu.Lock()
	bytes := a.sent + a.wires.sent.Load()
	p.mu.Unlock()
	noun := "workers"
	if len(a.members) == 1 {
		noun = "worker"
	}
	p.options.Tell(fmt.Sprintf("arm %s is spread over %d %s: of %d participants %s; %.2g %% of the edges of the first step cross; %.4g kB a step went over wires",
		arm.Name, len(a.members), noun, len(j.Run.Machines), strings.Join(list, ", "), share, float64(bytes)/1000/float64(max(steps, 1))))
}
