package engine

import (
	"runtime"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"starling/actors/algorithm"
)

// pool is the workers that run strands.
type pool struct {
	mu      sync.Mutex
	wake    sync.Cond
	waiting ring[*strand] // those that have work
	// idle is how many workers sleep. A push signals only if there is one: a signal costs
	// a system call.
	idle    int
	closed  bool
	workers sync.WaitGroup
}

func newPool(workers int) *pool {
	p := &pool{}
	p.wake.L = &p.mu
	for range workers {
		p.workers.Go(p.work)
	}
	return p
}

// push queues a strand and wakes a worker for it.
func (p *pool) push(s *strand) {
	p.mu.Lock()
	p.waiting.Push(s)
	wake := p.idle > 0
	p.mu.Unlock()
	if wake {
		p.wake.Signal()
	}
}

// yield queues a strand behind those that wait and reports true, false if none
// does. The caller is a worker, which takes the next strand itself.
func (p *pool) yield(s *strand) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting.Empty() {
		return false
	}
	p.waiting.Push(s)
	return true
}

// spins is how often a worker that finds no work yields before it sleeps: about ten
// microseconds. To wake a sleeping worker costs as much; a worker that yields for longer takes
// time from the machine's other work.
const spins = 100

// work is a worker: it takes a strand from the queue, runs it, and takes the next, until
// the pool is closed.
func (p *pool) work() {
	for {
		s := p.poll()
		for spin := 0; s == nil && spin < spins; spin++ {
			runtime.Gosched()
			s = p.poll()
		}
		if s == nil {
			if s = p.sleep(); s == nil {
				return
			}
		}
		s.run()
	}
}

// poll takes a strand if one waits, nil if none does.
func (p *pool) poll() *strand {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pop()
}

// sleep waits for a strand; nil means that the pool is closed.
func (p *pool) sleep() *strand {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.waiting.Empty() && !p.closed {
		p.idle++
		p.wake.Wait()
		p.idle--
	}
	return p.pop()
}

// pop takes the first strand that waits, nil if none does. p.mu is held.
func (p *pool) pop() *strand {
	if p.waiting.Empty() {
		return nil
	}
	return p.waiting.Pop()
}

// close ends the workers once the queue is empty, and waits for them.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.wake.Broadcast()
	p.workers.Wait()
}

// strand runs the actors of one shard, never two at a time: its work is on at
// most one worker. It is the Dispatcher of its actors.
type strand struct {
	pool *pool

	// local holds the posts of the strand's actors to each other. Only the worker that runs
	// the strand touches it, so it needs no lock.
	local ring[post]
	// current is the post being handled, for the report of a panic.
	current post

	mu        sync.Mutex
	remote    []post // guarded by mu: the posts of others
	spare     []post // the other buffer of remote, owned by the worker
	scheduled bool   // guarded by mu: queued or running
}

// post is a message on its way into a mailbox.
type post struct {
	// to is the receiver; nil for a fanout, which names its receivers itself.
	to      *mailbox
	message any
	system  bool
}

// newStrand returns a strand with nothing to do.
func newStrand(p *pool) *strand { return &strand{pool: p} }

// Schedule implements actor.Dispatcher for mailboxes that are not our own. No
// actor of this package has one.
func (s *strand) Schedule(func()) { panic("engine: a strand runs its own mailboxes only") }

// Throughput implements actor.Dispatcher; strands do not use it.
func (s *strand) Throughput() int { return 1 }

var _ actor.Dispatcher = (*strand)(nil)

// post hands in a message from any goroutine.
func (s *strand) post(m post) {
	s.mu.Lock()
	s.remote = append(s.remote, m)
	start := !s.scheduled
	s.scheduled = true
	s.mu.Unlock()
	if start {
		s.pool.push(s)
	}
}

// patience is how many local posts a strand handles before it looks at the posts of others,
// and lets strands that wait run.
const patience = 64

// run handles the posts of others and the posts of the strand's actors to each other. It
// returns when there is no more, or when its patience is at an end and other strands wait.
func (s *strand) run() {
	left := patience
	for s.take() {
		for left > 0 && !s.local.Empty() {
			left = s.handleLocal(left)
		}
		if left == 0 {
			if s.pool.yield(s) {
				return
			}
			left = patience
		}
	}
}

// take handles the posts of others. It returns false, and the strand is no longer scheduled,
// if there was none and no local post is left.
func (s *strand) take() bool {
	s.mu.Lock()
	// The two buffers change places, so that posting and handling never share one and
	// neither allocates once they have grown.
	batch := s.remote
	if len(batch) == 0 {
		s.scheduled = !s.local.Empty()
		defer s.mu.Unlock()
		return s.scheduled
	}
	s.remote = s.spare[:0]
	s.mu.Unlock()
	for i := 0; i < len(batch); {
		i = s.handle(batch, i)
	}
	clear(batch)
	if cap(batch) > mostSpare {
		batch = nil
	}
	s.spare = batch
	return true
}

// mostSpare is how many posts the buffer that is kept has room for: the posts at the start of
// a run, one for each participant, take more memory than all later ones.
const mostSpare = 1024

// handle handles one post of a batch and returns the index of the next.
func (s *strand) handle(batch []post, i int) (next int) {
	next = i + 1 // also after a panic
	defer func() { s.escalate(recover()) }()
	s.current = batch[i]
	s.current.to.handle(s.current)
	return next
}

// handleLocal handles up to limit posts of the strand's actors to each other, up to the first
// panic, and returns how many of the limit are left: one deferred recovery serves all posts
// that do not panic.
func (s *strand) handleLocal(limit int) (left int) {
	left = limit
	defer func() { s.escalate(recover()) }()
	for left > 0 && !s.local.Empty() {
		left--
		s.current = s.local.Pop()
		if f, ok := s.current.message.(*fanout); ok {
			f.deliver(s)
			continue
		}
		s.current.to.handle(s.current)
	}
	return left
}

// escalate reports a panic in an actor to its supervisor, as Proto.Actor's own
// mailboxes do, as an *algorithm.Panic.
func (s *strand) escalate(v any) {
	if p := algorithm.Recovered(v); p != nil {
		s.current.to.invoker.EscalateFailure(p, s.current.message)
	}
}
