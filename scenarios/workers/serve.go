package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/proto"

	"starling/actors/algorithm"
	"starling/actors/remote"
	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/jobs"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// ServeOptions are the settings of a worker.
type ServeOptions struct {
	// Node has the worker's address and identity. The worker sets its Accept and Log.
	Node remote.Options
	// Loader reads scenarios; its folder of data is the worker's own.
	Loader loading.Loader
	// Version and Build are the program's: a coordinator must have the same.
	Version, Build string
	// Memory is the limit on the bytes of memory of the worker's jobs together; 0 is no limit.
	Memory int64
	// State is the size limit in bytes of the state from which a job goes on; 0 is Memory, or
	// 16 GiB where Memory is no limit.
	State int64
	// Own is true if the coordinator has started the worker, in its own folder. Then the
	// worker reads a scenario from the coordinator's file.
	Own bool
	// Ready, if not nil, gets the address at which the worker listens, once it does.
	Ready func(address string)
	// Log gets the worker's actions and the refused connections.
	Log zerolog.Logger
}

// mostMessage is the size limit in bytes of a message that a worker takes: the scenario, or
// the messages from participants of a shard to others in a turn. If one vector is longer, such
// a message has that vector alone.
const mostMessage = 256 << 20

// usualState is the size limit of a state where the worker has no limit of memory.
const usualState = 16 << 30

// Serve makes jobs for coordinators, for one at a time, until the context ends.
func Serve(ctx context.Context, options ServeOptions) error {
	if options.State == 0 {
		options.State = cmp.Or(options.Memory, usualState)
	}
	w := &worker{options: options, ctx: ctx}
	node := options.Node
	node.Accept, node.Log, node.Largest = w.accept, options.Log, mostMessage
	w.mu.Lock() // for accept
	n, err := remote.Start(node)
	w.node = n
	w.mu.Unlock()
	if err != nil {
		return err
	}
	options.Log.Info().Str("address", n.Address()).Str("version", options.Version).Str("build", options.Build).Msg("listening")
	if options.Ready != nil {
		options.Ready(n.Address())
	}
	<-ctx.Done()
	n.Close()
	w.group.Wait()
	options.Log.Info().Msg("stopped")
	return nil
}

// worker serves one coordinator at a time.
type worker struct {
	options ServeOptions
	ctx     context.Context
	group   sync.WaitGroup
	meeting meeting // with other workers

	mu   sync.Mutex
	node *remote.Node // guarded by mu
	busy string       // guarded by mu: the coordinator that has the worker
}

// accept serves a coordinator, or tells it that another has the worker. It brings other
// workers of a spread run to the room of their token.
func (w *worker) accept(l *remote.Link) {
	limited, cancel := context.WithTimeoutCause(w.ctx, meet, fmt.Errorf("nothing was said for %v", meet))
	var first ToWorker
	err := receive(limited, l, &first)
	cancel()
	if err != nil {
		l.Close(err.Error())
		return
	}
	if peer := first.GetPeer(); peer != nil {
		w.meeting.come(l, peer)
		return
	}
	w.mu.Lock()
	busy := w.busy
	if busy == "" {
		w.busy = l.Peer()
		w.group.Add(1)
	}
	w.mu.Unlock()
	log := w.options.Log.With().Str("coordinator", l.Peer()).Logger()
	if busy != "" {
		log.Warn().Str("by", busy).Msg("refused: the worker is taken")
		refuse(w.ctx, l, fmt.Errorf("a run of %s has the worker", busy), true)
		return
	}
	defer w.group.Done()
	err = w.serve(l, first.GetStudy(), log)
	log.Info().AnErr("reason", err).Msg("the coordinator is gone; its jobs are ended, and the worker waits for the next")
	w.mu.Lock()
	w.busy = ""
	w.mu.Unlock()
}

// refuse sends a coordinator a refusal with its reason.
func refuse(ctx context.Context, l *remote.Link, why error, busy bool) {
	send(ctx, l, &ToCoordinator{Kind: &ToCoordinator_Refused{Refused: &Refused{Reason: []byte(why.Error()), Busy: busy}}})
	l.Close("refused")
}

// send sends a message.
func send(ctx context.Context, l *remote.Link, m proto.Message) error {
	text, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	return l.Send(ctx, text)
}

// receive waits for a message.
func receive[M proto.Message](ctx context.Context, l *remote.Link, into M) error {
	text, err := l.Receive(ctx)
	if err == nil {
		err = proto.Unmarshal(text, into)
	}
	return err
}

// serve handles the requests of a coordinator, until its link is over. It returns when all its
// goroutines have ended.
func (w *worker) serve(l *remote.Link, asked *Study, log zerolog.Logger) error {
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	stop := context.AfterFunc(w.ctx, func() { l.Close("the worker was stopped") })
	defer stop()
	defer l.Close("the worker has ended the run")
	if asked == nil {
		err := errors.New("a scenario has to come first")
		refuse(ctx, l, err, false)
		return err
	}
	b, err := w.begin(ctx, asked, log)
	if err != nil {
		log.Warn().Err(err).Msg("refused a run")
		refuse(ctx, l, err, false)
		return err
	}
	log.Info().Str("scenario", b.scenario.Name).Str("run", asked.Hash).Int("jobs", b.slots).Msg("a run has begun")
	b.link = l
	defer b.alone.Close()
	defer b.group.Wait()
	defer cancel()
	if err := send(ctx, l, &ToCoordinator{Kind: &ToCoordinator_Ready{Ready: &Ready{Jobs: int64(b.slots)}}}); err != nil {
		return err
	}
	for range b.slots {
		b.group.Go(func() { b.work(ctx) })
	}
	err = b.answer(ctx)
	var refused *refusal
	if errors.As(err, &refused) {
		log.Warn().Err(err).Msg("refused to go on")
		refuse(ctx, l, errors.New(refused.reason), false)
	}
	return err
}

// answer handles the coordinator's requests after the scenario. The error is a refusal where a
// request cannot be met.
func (b *bench) answer(ctx context.Context) error {
	var saved []byte
	var current *part // the part that was begun last
	for {
		var m ToWorker
		if err := receive(ctx, b.link, &m); err != nil {
			return err
		}
		has := func(attempt int64) bool { return current != nil && current.asked.Attempt == attempt }
		switch kind := m.Kind.(type) {
		case *ToWorker_Job:
			if !b.knows(kind.Job.Index) {
				return errNoJob
			}
			select {
			case b.queue <- order{int(kind.Job.Index), saved}:
				saved = nil
			default:
				return &refusal{"more jobs were asked for than this worker said it can have"}
			}
		case *ToWorker_Saved:
			var err error
			if saved, err = b.add(saved, kind.Saved.Bytes); err != nil {
				return err
			}
		case *ToWorker_Part:
			if n := len(kind.Part.Addresses); !b.knows(kind.Part.Index) || kind.Part.Process < 0 || int(kind.Part.Process) >= n {
				return errNoJob
			}
			p := b.prepare(ctx, kind.Part, saved)
			current, saved = p, nil
			b.group.Go(func() { b.play(ctx, p) })
		case *ToWorker_Wire:
			if has(kind.Wire.Attempt) {
				current.wires.deliver(len(current.asked.Addresses), kind.Wire.Packet)
			}
		case *ToWorker_Drop:
			if has(kind.Drop.Attempt) {
				current.end(errDropped)
			}
		default:
			return errNoJob
		}
	}
}

// add appends a piece to a state. States are held until their jobs end. One state may have at
// most b.state bytes, and all states together twice that, since as many jobs wait as run.
func (b *bench) add(saved, piece []byte) ([]byte, error) {
	if size := int64(len(saved) + len(piece)); size > b.state {
		return nil, &refusal{fmt.Sprintf("the state that a job is to go on from has more than the %s that this worker takes; with more --memory it takes more", forecast.FormatBytes(b.state))}
	}
	if held := b.held.Add(int64(len(piece))); held > (1+ahead)*b.state {
		return nil, &refusal{fmt.Sprintf("the states that jobs are to go on from have more than the %s together that this worker takes; with more --memory it takes more", forecast.FormatBytes((1+ahead)*b.state))}
	}
	return append(saved, piece...), nil
}

var errNoJob = &refusal{"a job that the run does not have was asked for"}

// knows reports whether the run has a job.
func (b *bench) knows(index int64) bool { return index >= 0 && index < int64(jobs.Count(b.scenario)) }

// begin loads the scenario of a coordinator and checks that its jobs will have the same bits
// here.
func (w *worker) begin(ctx context.Context, asked *Study, log zerolog.Logger) (*bench, error) {
	for _, c := range []struct{ what, theirs, ours string }{
		{"version", string(asked.Version), w.options.Version},
		{"build", string(asked.Build), w.options.Build},
		{"arithmetic", string(asked.Arithmetic), results.Arithmetic()},
	} {
		if c.theirs != c.ours {
			return nil, fmt.Errorf("the coordinator has the %s %s, and this worker %s", c.what, c.theirs, c.ours)
		}
	}
	s, err := w.load(ctx, asked)
	if err != nil {
		return nil, err
	}
	if err := sameData(s, asked.Data); err != nil {
		return nil, err
	}
	if hash := runner.Hash(s, w.options.Build); hash != asked.Hash {
		return nil, fmt.Errorf("the scenario is another here: its hash is %s, and the coordinator's %s", hash, asked.Hash)
	}
	options := runner.RunOptions{
		Engine: runner.Engine(asked.Engine), Shards: int(asked.Shards), Theory: study.EffortExtent(asked.Theory),
		Memory: w.options.Memory, Version: w.options.Version, Build: w.options.Build,
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	slots, err := forecast.Workers(ctx, s, options.Forecast())
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	node := w.node
	w.mu.Unlock()
	alone, err := runner.NewSingle(s, options, log)
	if err != nil {
		return nil, err
	}
	return &bench{scenario: s, alone: alone, slots: slots, state: w.options.State, shared: newShared(s, slots), log: log, meeting: &w.meeting, node: node, queue: make(chan order, (1+ahead)*slots)}, nil
}

// load reads the scenario. A worker in the coordinator's own folder reads the coordinator's
// file. Any other worker reads the text, with the files that it names in the folder of data.
func (w *worker) load(ctx context.Context, asked *Study) (*study.Scenario, error) {
	loader := w.options.Loader
	loader.Twice, loader.Context = asked.Twice, ctx
	if len(asked.File) > 0 && w.options.Own {
		var overrides []loading.Override
		for _, o := range asked.Overrides {
			overrides = append(overrides, loading.Override{Path: string(o.Path), Text: string(o.Text), Source: string(o.Source)})
		}
		return loader.Load(string(asked.File), overrides...)
	}
	doc, err := document.Parse("the coordinator's scenario", asked.Scenario)
	if err != nil {
		return nil, err
	}
	loader.Confined = true
	return loader.Check(doc)
}

// sameData refuses data that differ from the coordinator's.
func sameData(s *study.Scenario, want []*Data) error {
	have := map[string]string{}
	for _, d := range s.Data {
		have[d.Name] = d.Sha256
	}
	for _, d := range want {
		if sum := have[string(d.Name)]; sum != d.Sha256 {
			return fmt.Errorf("the data %s differ: they have the SHA-256 %s here, and %s at the coordinator", d.Name, sum, d.Sha256)
		}
	}
	return nil
}

// bench is the state of a worker for the jobs of one run.
type bench struct {
	scenario *study.Scenario
	alone    *runner.Single
	slots    int
	shared   *shared
	link     *remote.Link
	node     *remote.Node
	meeting  *meeting
	log      zerolog.Logger
	group    sync.WaitGroup
	// state is the size limit of one state in bytes, and held the size of all states here.
	state int64
	held  atomic.Int64
	// queue has the jobs that no core has begun, in the order of their arrival.
	queue chan order
}

// order is a requested job, with the state from which it goes on.
type order struct {
	index int
	saved []byte
}

// work makes jobs of the queue, one after the other.
func (b *bench) work(ctx context.Context) {
	for {
		select {
		case o := <-b.queue:
			b.run(ctx, o)
		case <-ctx.Done():
			return
		}
	}
}

// beat is the time between two reports of a job's steps.
const beat = time.Second

// run makes a job and sends its result, or the reason why there is none.
func (b *bench) run(ctx context.Context, o order) {
	index := o.index
	defer b.held.Add(-int64(len(o.saved)))
	end := b.shared.begin(jobs.SeedOf(b.scenario, index))
	defer end()
	var steps atomic.Int64
	ended := make(chan struct{})
	b.group.Go(func() {
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
				send(ctx, b.link, &ToCoordinator{Kind: &ToCoordinator_Steps{Steps: &Steps{Index: int64(index), Steps: steps.Load()}}})
			}
		}
	})
	keep := func(state func(io.Writer) error) error {
		w := &stateWriter{ctx: ctx, link: b.link, index: index}
		if err := state(w); err != nil {
			return err
		}
		return w.send(true)
	}
	body, err := b.alone.Run(ctx, index, o.saved, keep, func(n int) { steps.Store(int64(n)) })
	close(ended)
	answer := &ToCoordinator{Kind: &ToCoordinator_Done{Done: &Done{Index: int64(index), Result: body}}}
	if err != nil {
		b.log.Error().Err(err).Int("job", index).Msg("a job failed")
		failed := &Failed{Index: int64(index), Reason: []byte(err.Error())}
		if p := (*algorithm.Panic)(nil); errors.As(err, &p) {
			failed.Stack = p.Stack
		}
		answer.Kind = &ToCoordinator_Failed{Failed: failed}
	}
	if err := send(ctx, b.link, answer); err != nil && ctx.Err() == nil {
		b.log.Warn().Err(err).Int("job", index).Msg("a result could not be sent")
	}
}
