package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"starling/actors/algorithm"
	"starling/actors/spread"
	"starling/actors/topology"
	"starling/messages"
)

// Options are the settings of one run. They do not change its results.
type Options struct {
	// Shards is into how many groups participants are divided; 0 chooses by
	// their number, and more than there are participants means one each.
	// The default suits almost all runs. Few shards cost parallelism; many cost batches
	// between them.
	Shards int
	// Lookahead is how many turns a shard may start beyond the lowest that is not finished
	// everywhere; 0 is DefaultLookahead, or more in a run of moderate size with nodes that
	// belong beside each other and in one that is spread. Memory grows with it. A larger value
	// helps where the time of a turn varies between shards.
	Lookahead int
	// Spread, if not nil, says that this host has a part of the run.
	Spread *spread.Place
	// Progress, if not nil, is called from time to time with the number of
	// steps that all participants have finished. It must be quick.
	Progress func(steps int)
}

// DefaultLookahead lets a shard start its next turns while others are still
// busy with theirs, and keeps few turns' messages.
const DefaultLookahead = 1

// spreadLookahead lets shards of a spread run go on while reports of the progress of others
// are on their way to the coordinator and back.
const spreadLookahead = 3

// Validate refuses settings that make no sense.
func (o Options) Validate() error {
	if o.Shards < 0 {
		return fmt.Errorf("shards: %d is negative", o.Shards)
	}
	if o.Lookahead < 0 {
		return fmt.Errorf("lookahead: %d is negative", o.Lookahead)
	}
	return o.Spread.Validate()
}

// run is the state of one run that its actors share. Except for the fields noted, it is fixed
// before the actors read it.
type run struct {
	host *Host
	name string
	spec *algorithm.Run
	// place says which participant is in which shard.
	place *placement
	// spread describes the parts of the run in other processes, nil where there are none.
	spread *spreading
	// lookahead is how many turns a shard may start beyond the watermark.
	lookahead int
	// lifetime is for how many turns messages stay unchanged: the turn of sending, the next,
	// those by which they can be late, and those that others may lag behind.
	lifetime int
	// every is how many turns lie between reports to the coordinator.
	every       int
	progress    func(int)
	graphs      graphs
	coordinator *actor.PID
	routers     []*actor.PID
	// outboxes holds messages, by turn modulo its length, then by node. Each shard writes its
	// own nodes' and reads others' once their routers have sent it the batch of that turn.
	outboxes [][]messages.Outbox
	folds    []fold
	// vectors is the memory of the vectors of all participants, nil unless all are summers in
	// an ideal network: messages to a shard are then read where they lie.
	vectors *algorithm.Memory
	// scheduled means that a shard waits for the shards with nodes that the schedule has send
	// to its own, and not for all shards with edges to its nodes.
	scheduled bool
	// effects is whether the network has any; reach is how many turns longer
	// a message can then be on its way.
	effects bool
	reach   int
	// sentGraphs is the graphs of the turns of outboxes where the network has
	// effects. Shard 0 writes them; others read them in a pause.
	sentGraphs []*topology.Graph
	// queues holds the messages in line before each node, nil without limited bandwidth. Each
	// shard writes its own nodes'; others read it in a pause.
	queues []algorithm.Queue
	// stopped holds by node whether its machine has ended its part. Each shard writes its own
	// nodes'; others read it in a pause.
	stopped []bool
	saving  sync.WaitGroup // the goroutine that shows the run's state in a pause

	// draining is set when no turn starts any more. Messages may be lost from then on, which
	// is no failure.
	draining atomic.Bool
	// aborted is closed when the runtime itself fails, done when no actor is left.
	aborted chan struct{}
	done    chan struct{}
	mu      sync.Mutex
	// finished, guarded by mu, is true if the outcome is final.
	finished bool
	// err is the outcome: guarded by mu until done is closed, and fixed after that.
	err error
}

// Run gives every machine of spec its turns and returns when the horizon is
// reached, a machine fails (an *algorithm.Failure, the first by turn and node)
// or ctx is done. No actor of the run is left when it returns.
func (h *Host) Run(ctx context.Context, spec *algorithm.Run, options Options) error {
	if err := options.Validate(); err != nil {
		return err
	}
	if len(spec.Machines) == 0 || spec.Steps <= 0 {
		return nil
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The three ways to end meet in one: the coordinator stops all actors, and then
	// finish closes done.
	r, err := newRun(h, spec, options)
	if err != nil {
		return err
	}
	name, err := h.register(r)
	if err != nil {
		return err
	}
	defer h.forget(name)
	r.name = name
	coordinator, err := h.launch(r)
	if err != nil {
		return err
	}
	select {
	case <-r.done:
	case <-r.aborted:
		r.cancel(coordinator)
	case <-ctx.Done():
		r.cancel(coordinator)
	}
	<-r.done
	r.saving.Wait()
	if errors.Is(r.err, errEndedEarly) {
		return context.Cause(ctx)
	}
	return r.err
}

// errEndedEarly is the outcome of a run that was cancelled.
var errEndedEarly = errors.New("ended before the horizon")

// launch starts the run's coordinator, which starts everything else.
func (h *Host) launch(r *run) (*actor.PID, error) {
	box := h.newMailbox()
	var first actor.Actor = &coordinator{company: company{run: r}}
	if r.spread != nil && !r.hub() {
		first = &deputy{company: company{run: r}}
	}
	return h.system.Root.SpawnNamed(h.props(first, box, actor.WithGuardian(h), actor.WithSupervisor(h)), r.name)
}

// cancel ends the run early. The flag is seen at once by routers that are busy
// with turns and have not come to their messages.
func (r *run) cancel(coordinator *actor.PID) {
	r.draining.Store(true)
	r.host.system.Root.Send(coordinator, &cancel{})
}

// abort ends the run because the runtime itself failed.
func (r *run) abort(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil && !r.finished {
		r.err = err
		close(r.aborted)
	}
}

// finish gives the outcome to the caller of Run; an abort takes precedence.
func (r *run) finish(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.finished {
		return
	}
	r.finished = true
	if r.err == nil {
		r.err = err
	}
	close(r.done)
}

// reports reports whether routers report the end of a turn to the coordinator.
func (r *run) reports(turn int) bool { return (turn+1)%r.every == 0 }

func newRun(h *Host, spec *algorithm.Run, options Options) (*run, error) {
	n := len(spec.Machines)
	r := &run{
		host:     h,
		spec:     spec,
		place:    placeShards(n, options.Shards, spec.Beside),
		progress: options.Progress,
		aborted:  make(chan struct{}),
		done:     make(chan struct{}),
	}
	if options.Shards == 0 && spec.Together() {
		r.place = placeTogether(n, spec.Beside)
	}
	if s := options.Spread; s != nil {
		graph, err := topology.GraphAt(spec.Graphs, spec.Clock().Offset)
		if err != nil {
			return nil, err
		}
		r.place = placeSpread(n, options.Shards, s.Processes, spec.Beside)
		r.spread = newSpreading(s, r.place, graph)
		if keeper, ok := spec.Meter.(spread.Keeper); ok {
			keeper.Divide(!r.hub())
		}
	}
	r.lookahead, r.every = options.Lookahead, 1
	if r.lookahead == 0 {
		r.lookahead = DefaultLookahead
		if spec.Beside != nil && spec.Network == nil && n <= besideNodes {
			r.lookahead = besideLookahead
		}
		if options.Spread != nil {
			r.lookahead = max(r.lookahead, spreadLookahead)
		}
	}
	// Folders get sums made beside the senders only in an ideal network: the sums of the turns
	// of late messages are gone.
	r.effects, r.reach, r.queues = spec.Network != nil, spec.Reach(), spec.Queues()
	r.scheduled = spec.Acts != nil && !r.effects
	// Messages of turn t are read until t+1+reach. A shard starts turn t+lifetime only when
	// all have finished that.
	r.lifetime = r.lookahead + 2 + r.reach
	if r.alone() {
		// One shard waits for no other, and needs no reports.
		r.lookahead, r.lifetime, r.every = math.MaxInt/2, 2+r.reach, 256
	}
	if r.effects {
		r.sentGraphs = make([]*topology.Graph, r.lifetime)
	} else if !r.hub() {
		r.folds = newFolds(spec, r.lifetime)
	}
	r.graphs = r.newGraphs()
	if !r.effects && spec.Sum() && !r.hub() {
		r.vectors = algorithm.NewMemory(messages.Range(0, n), r.lifetime)
	}
	r.outboxes = make([][]messages.Outbox, r.lifetime)
	for i := range r.outboxes {
		r.outboxes[i] = make([]messages.Outbox, n)
	}
	r.stopped = make([]bool, n)
	if s := spec.Resume; s != nil {
		r.resume(s)
	}
	return r, nil
}

// resume puts back the messages of the turns before. They were not folded beside their
// senders: folders do that themselves.
func (r *run) resume(s *algorithm.State) {
	sent := r.spec.Clock()
	copy(r.outboxes[(sent.Turn-1)%r.lifetime], s.Sent)
	for k, earlier := range s.Earlier {
		copy(r.outboxes[(sent.Turn-2-k)%r.lifetime], earlier.Outboxes)
	}
	copy(r.stopped, s.Stopped)
	for i := range r.folds {
		blocks := r.folds[i].shared[(sent.Turn-1)%r.lifetime]
		for b := range blocks.Len() {
			blocks.Lose(b)
		}
	}
}

// save shows the run's state while all its machines rest, on a goroutine of its
// own, and then tells the coordinator.
func (r *run) save(clock algorithm.Clock, coordinator *actor.PID) {
	state := r.stateAt(clock.Turn, clock.Offset)
	r.saving.Go(func() {
		if err := r.spec.Pauses.Save(state); err != nil {
			r.abort(err)
			return
		}
		r.host.system.Root.Send(coordinator, &proceed{})
	})
}
