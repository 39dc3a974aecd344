package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/remote"
	"starling/scenarios/jobs"
	"starling/scenarios/loading"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// Options are the settings of a pool. They change no result.
type Options struct {
	// Addresses are the addresses of workers, HOST:PORT.
	Addresses []string
	// Local starts worker processes of the pool's own, which the pool ends.
	Local []Local
	// Node has the coordinator's address and identity. The pool sets its Log.
	Node remote.Options
	// File and Overrides are the source of the scenario, for workers of the pool's own.
	File      string
	Overrides []loading.Override
	// Run has the settings of the run: version, build, and the settings of the computation.
	Run runner.RunOptions
	// Stall is the time that a job may go on without a step; 0 is 15 minutes. Patience is the
	// time for which the pool tries to join a lost worker again; 0 is one minute.
	Stall, Patience time.Duration
	// Wait is the time that a spread run waits for a worker that was lost, or is not there
	// yet, before it goes on with the others. A lost worker is tried again for at least that
	// time.
	Wait time.Duration
	// State is the size limit in bytes of the state of a job that a worker sends, which goes
	// to a file; 0 is a TiB.
	State int64
	// Warn, if not nil, gets warnings for the user, a sentence each: workers that were refused
	// or lost.
	Warn func(text string)
	// Tell, if not nil, gets remarks on how a run was spread, a sentence each.
	Tell func(text string)
	// Log gets the refused connections.
	Log zerolog.Logger
}

const (
	usualStall    = 15 * time.Minute
	usualPatience = time.Minute
	// mostLosses is the number of workers that may be lost with a job.
	mostLosses = 3
)

// Pool is a coordinator's workers. It implements runner.Elsewhere and runner.Spreader, and is
// safe for concurrent use. The caller has to close it.
type Pool struct {
	options  Options
	scenario *study.Scenario // set by Begin
	node     *remote.Node
	ctx      context.Context
	cancel   context.CancelFunc
	group    sync.WaitGroup
	// changed is signalled after each change of a field below.
	changed *sync.Cond

	mu      sync.Mutex
	err     error      // guarded by mu: set once no job can be made any more
	waiting []*request // guarded by mu: jobs that no worker has, in the order in which they came
	members []*member  // guarded by mu: all workers; the list is fixed
	// For spread runs, guarded by mu: the last attempt and its number, and by job the number
	// of losses.
	current  *attempt
	attempts int64
	losses   map[int]int
	told     map[string]bool // by arm and number of workers: the user has been informed; used by one goroutine
}

// request is a job that the runner has requested. The pool's mutex guards its fields.
type request struct {
	index   int
	seed    uint64
	states  runner.States
	advance func(steps int)
	lost    []string // the workers that were lost with it, since its last state
	saving  *saving  // used by the goroutine that hears the request's worker
	steps   int64
	moved   time.Time // when the last step was done, or the job was given to a core
	waits   bool      // true while it is queued ahead, and no core of its worker has it
	done    bool
	by      string // the worker that made it
	result  []byte
	err     error
}

// member is a worker. The pool's mutex guards its fields, apart from the fixed ones.
type member struct {
	name    string   // fixed
	own     *process // fixed: nil where the pool has not started it
	address string
	slots   int          // jobs at a time; 0 where it is not joined
	has     []*request   // in the order in which the worker got them, and begins them
	seeds   []uint64     // seeds of its last jobs
	tried   bool         // true after the first attempt to join it
	link    *remote.Link // nil where it is not joined
	gone    error        // the reason, once it is not tried any more
	tries   tries        // attempts to join it; used by the goroutine that joins
}

// NewPool returns the pool of workers that the options name, which Begin will join.
func NewPool(options Options) *Pool {
	if options.Stall == 0 {
		options.Stall = usualStall
	}
	if options.Patience == 0 {
		options.Patience = usualPatience
	}
	if options.State == 0 {
		options.State = mostState
	}
	options.Patience = max(options.Patience, options.Wait)
	p := &Pool{options: options}
	p.changed = sync.NewCond(&p.mu)
	return p
}

// Begin starts the workers of the pool's own, joins all workers, and has them load the
// scenario. It returns the number of jobs to request at a time, once one worker is there and
// the others are, or could not be joined at once. Without any worker it returns an error that
// names them, after Patience.
func (p *Pool) Begin(ctx context.Context, s *study.Scenario) (count int, err error) {
	stop := context.AfterFunc(ctx, func() { p.fail(context.Cause(ctx)) })
	defer stop()
	p.scenario = s
	p.ctx, p.cancel = context.WithCancel(ctx)
	node := p.options.Node
	node.Log = p.options.Log
	if p.node, err = remote.Start(node); err != nil {
		return 0, fmt.Errorf("workers cannot answer: %w", err)
	}
	for _, address := range p.options.Addresses {
		p.members = append(p.members, &member{name: address, address: address})
	}
	for i, local := range p.options.Local {
		own, err := startProcess(local)
		if err != nil {
			return 0, fmt.Errorf("worker process %d: %w", i+1, err)
		}
		p.members = append(p.members, &member{name: fmt.Sprintf("process %d", i+1), own: own})
	}
	for _, m := range p.members {
		p.group.Go(func() { p.keep(m) })
	}
	p.group.Go(p.watch)
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		tried := 0
		count = 0
		for _, m := range p.members {
			if count += m.slots; m.tried {
				tried++
			}
		}
		switch {
		case p.err != nil:
			return 0, p.err
		case count > 0 && tried == len(p.members):
			// More jobs than run at a time wait here, so that a worker can get jobs that share
			// data with its earlier ones.
			return (1+ahead)*count + count + len(p.members) + len(s.Arms), nil
		}
		p.changed.Wait()
	}
}

// Run has a worker make a job, the index-th in the canonical order. It returns the result, and
// the worker's name. States of the job are kept. When its worker is lost, the job goes on from
// the last state. advance gets the number of its steps that are done, which is then lower than
// before. Errors name the worker.
func (p *Pool) Run(ctx context.Context, index int, states runner.States, advance func(steps int)) (result []byte, by string, err error) {
	r := &request{index: index, seed: jobs.SeedOf(p.scenario, index), states: states, advance: advance}
	stop := context.AfterFunc(ctx, func() { p.fail(context.Cause(ctx)) })
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = append(p.waiting, r)
	p.changed.Broadcast()
	for !r.done && p.err == nil {
		p.changed.Wait()
	}
	if r.done {
		return r.result, r.by, r.err
	}
	return nil, "", p.err
}

// fail ends all jobs.
func (p *Pool) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	p.changed.Broadcast()
}

// Close closes the links to the workers and ends the pool's own workers.
func (p *Pool) Close() {
	if p.cancel == nil {
		return
	}
	p.fail(errors.New("the pool of workers is closed"))
	p.cancel()
	if p.node != nil {
		p.node.Close()
	}
	for _, m := range p.members {
		if m.own != nil {
			m.own.end()
		}
	}
	p.group.Wait()
}

// warn gives the user a warning.
func (p *Pool) warn(format string, args ...any) {
	if p.options.Warn != nil && p.ctx.Err() == nil {
		p.options.Warn(fmt.Sprintf(format, args...))
	}
}

// ahead is the number of jobs that a worker has for each of its cores beside the running one,
// so that a core need not wait for the next job until the coordinator has heard of the last.
const ahead = 1

// room reports whether a worker should get one more job: for a core that has none, or ahead as
// long as there are jobs for all cores. A job that is ahead cannot go to an idle worker. p.mu
// is held.
func (p *Pool) room(m *member) bool {
	cores := 0
	for _, o := range p.members {
		cores += o.slots
	}
	return len(m.has) < m.slots && len(p.waiting) > 0 || len(m.has) < (1+ahead)*m.slots && len(p.waiting) > cores
}

// job returns the worker's job with a number; nil if it has none. The pool's mutex is held.
func (m *member) job(index int) *request {
	for _, r := range m.has {
		if r.index == index {
			return r
		}
	}
	return nil
}

// running returns the jobs that a worker has begun, or is about to begin; the pool's mutex is
// held.
func (m *member) running() []*request { return m.has[:min(len(m.has), m.slots)] }

// choose takes a waiting job for a worker. Arms of a seed share data: so it prefers a job of a
// seed that the worker had before, or else of a seed that no other worker has. It waits while
// there is no job or the worker has no room. It returns nil when over returns true or the pool
// has failed.
func (p *Pool) choose(m *member, over func() bool) *request {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if over() || p.err != nil {
			return nil
		}
		if p.room(m) {
			break
		}
		p.changed.Wait()
	}
	at := slices.IndexFunc(p.waiting, func(r *request) bool { return slices.Contains(m.seeds, r.seed) })
	if at < 0 {
		at = slices.IndexFunc(p.waiting, func(r *request) bool {
			return !slices.ContainsFunc(p.members, func(o *member) bool { return slices.Contains(o.seeds, r.seed) })
		})
	}
	at = max(at, 0)
	r := p.waiting[at]
	p.waiting = slices.Delete(p.waiting, at, at+1)
	m.has = append(m.has, r)
	m.seeds = append(slices.DeleteFunc(m.seeds, func(s uint64) bool { return s == r.seed }), r.seed)
	if len(m.seeds) > (1+ahead)*m.slots {
		m.seeds = m.seeds[1:]
	}
	r.moved, r.steps, r.waits = time.Now(), 0, len(m.has) > m.slots
	return r
}

// lose takes back the jobs of a lost worker.
func (p *Pool) lose(m *member, cause error) {
	p.mu.Lock()
	list, begun := m.has, len(m.running())
	m.slots, m.seeds, m.link, m.has = 0, nil, nil, nil
	shared := p.lost(m, cause)
	for i, r := range list {
		r.saving.abandon(cause)
		r.saving = nil
		r.advance(0)
		if i >= begun {
			continue
		}
		if r.lost = append(r.lost, m.name); len(r.lost) >= mostLosses && p.err == nil {
			p.err = fmt.Errorf("%s was lost with %d workers, and may be what ended them: %s", p.describe(r), len(r.lost), strings.Join(r.lost, ", "))
		}
	}
	slices.SortFunc(list, func(a, b *request) int { return a.index - b.index })
	p.waiting = append(list, p.waiting...)
	p.changed.Broadcast()
	p.mu.Unlock()
	if shared {
		p.warn("worker %s is lost, and its run goes back to what was saved last, with the others: %v", m.name, cause)
	}
	if len(list) > 0 {
		p.warn("worker %s is lost, and %d of its jobs go to others, each from its last state: %v", m.name, len(list), cause)
	}
}

// describe names a job.
func (p *Pool) describe(r *request) string {
	return p.describeJob(r.index)
}

// describeJob names the index-th job.
func (p *Pool) describeJob(index int) string {
	return fmt.Sprintf("the job of arm %s, seed %d", jobs.ArmOf(p.scenario, index).Name, jobs.SeedOf(p.scenario, index))
}

// leave gives a worker up. When the last worker leaves, the run fails.
func (p *Pool) leave(m *member, why error) {
	p.mu.Lock()
	m.tried, m.gone = true, why
	left := slices.ContainsFunc(p.members, func(o *member) bool { return o.gone == nil })
	var reasons []error
	for _, o := range p.members {
		if o.gone != nil {
			reasons = append(reasons, fmt.Errorf("worker %s: %w", o.name, o.gone))
		}
	}
	if !left && p.err == nil {
		p.err = fmt.Errorf("no worker is left:\n%w", errors.Join(reasons...))
	}
	p.changed.Broadcast()
	p.mu.Unlock()
	if left {
		p.warn("worker %s is given up: %v", m.name, why)
	}
}

// watch fails the run when a job makes no step for too long.
func (p *Pool) watch() {
	ticker := time.NewTicker(min(time.Second, p.options.Stall/4))
	defer ticker.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-ticker.C:
		}
		p.mu.Lock()
		var stalled error
		for _, m := range p.members {
			for _, r := range m.running() {
				if time.Since(r.moved) > p.options.Stall {
					stalled = fmt.Errorf("worker %s has made no step of %s for %v, after %d steps", m.name, p.describe(r), p.options.Stall, r.steps)
				}
			}
		}
		p.mu.Unlock()
		if stalled != nil {
			p.fail(stalled)
		}
	}
}
