package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/eventstream"
	"github.com/rs/zerolog"
)

// Host is an actor system and its workers. Many runs can share one, at the
// same time too; they do not influence each other's results. Close it when its
// runs have returned.
type Host struct {
	// system is Proto.Actor's, with our own mailboxes and dispatchers.
	system *actor.ActorSystem
	// pool is the workers. All runs of the host share them.
	pool *pool
	// subscription is to dead letters: a lost message fails its run.
	subscription *eventstream.Subscription

	mu     sync.Mutex
	next   int             // guarded by mu: names runs
	runs   map[string]*run // guarded by mu: by the name of the coordinator
	broken error           // guarded by mu: set when a coordinator failed
}

// HostOptions are a host's settings. They do not change results.
type HostOptions struct {
	// Workers is the number of goroutines that run actors; 0 is GOMAXPROCS.
	// More workers than cores do not help. Fewer leave cores to others. A run uses at
	// most as many workers as it has shards.
	Workers int
	// Logger gets the messages of Proto.Actor, from warnings up.
	Logger zerolog.Logger
}

// Validate refuses settings that make no sense.
func (o HostOptions) Validate() error {
	if o.Workers < 0 {
		return fmt.Errorf("workers: %d is negative", o.Workers)
	}
	return nil
}

// NewHost starts a host with its workers. It returns the error of HostOptions.Validate.
func NewHost(options HostOptions) (*Host, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	workers := options.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	logger := slog.New(zerolog.NewSlogHandler(options.Logger.Level(max(options.Logger.GetLevel(), zerolog.WarnLevel))))
	h := &Host{
		system: actor.NewActorSystem(
			actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return logger }),
			// Proto.Actor counts dead letters on a goroutine that sleeps for
			// this long after each, even when the host is closed.
			actor.WithDeadLetterThrottleInterval(time.Millisecond),
		),
		pool: newPool(workers),
		runs: map[string]*run{},
	}
	h.subscription = h.system.EventStream.Subscribe(h.observe)
	return h, nil
}

// Close stops the workers. All runs must have returned.
func (h *Host) Close() {
	h.system.EventStream.Unsubscribe(h.subscription)
	h.pool.close()
	h.system.Shutdown()
}

// errBroken refuses new runs on a host on which actors were left behind.
var errBroken = errors.New("the actor runtime failed in an earlier run")

// register gives a run its name, which all its actors have as the first part of theirs.
func (h *Host) register(r *run) (name string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil {
		return "", fmt.Errorf("%w: %w", errBroken, h.broken)
	}
	h.next++
	name = "run" + strconv.Itoa(h.next)
	h.runs[name] = r
	return name, nil
}

// forget drops a run that is over: dead letters of its actors are no failure any more.
func (h *Host) forget(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.runs, name)
}

// runOf returns the run that an actor belongs to, nil if it is over.
func (h *Host) runOf(pid *actor.PID) *run {
	if pid == nil {
		return nil
	}
	name, _, _ := strings.Cut(pid.Id, "/")
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.runs[name]
}

// observe fails a run that loses a message: while a run goes on, every actor
// of it is there to receive.
func (h *Host) observe(event any) {
	letter, ok := event.(*actor.DeadLetterEvent)
	if !ok {
		return
	}
	if r := h.runOf(letter.PID); r != nil && !r.draining.Load() {
		r.abort(fmt.Errorf("message %T to %s was not delivered", letter.Message, letter.PID.Id))
	}
}

// HandleFailure implements actor.SupervisorStrategy for all actors of a host:
// it fails the run. Proto.Actor's default would restart the actor with blank
// state and go on.
func (h *Host) HandleFailure(system *actor.ActorSystem, supervisor actor.Supervisor, child *actor.PID, _ *actor.RestartStatistics, reason, message any) {
	cause, ok := reason.(error)
	if !ok {
		cause = fmt.Errorf("%v", reason)
	}
	err := fmt.Errorf("actor %s failed on %T: %w", child.Id, message, cause)
	r := h.runOf(child)
	if r == nil {
		return
	}
	r.abort(err)
	if child.Id == r.name {
		// No actor is left to end the run's actors: the host must not be used any more, but
		// the caller of Run gets its answer.
		h.mu.Lock()
		h.broken = err
		h.mu.Unlock()
		r.finish(err)
	}
}

// spawn starts an actor with its own mailbox, and so its own strand, as a child
// named under its parent.
func (h *Host) spawn(parent actor.Context, a actor.Actor, box *mailbox, name string) *actor.PID {
	pid, err := parent.SpawnNamed(h.props(a, box, actor.WithSupervisor(h)), name)
	if err != nil {
		panic(err) // names are unique by construction
	}
	return pid
}

func (h *Host) props(a actor.Actor, box *mailbox, options ...actor.PropsOption) *actor.Props {
	return actor.PropsFromProducer(
		func() actor.Actor { return a },
		append(options,
			actor.WithDispatcher(box.strand),
			actor.WithMailbox(func() actor.Mailbox { return box }),
		)...,
	)
}

// newMailbox returns the mailbox of an actor that gets a strand of its own.
func (h *Host) newMailbox() *mailbox { return &mailbox{strand: newStrand(h.pool)} }
