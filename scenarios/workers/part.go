package workers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"starling/actors/algorithm"
	"starling/actors/remote"
	"starling/actors/spread"
	"starling/scenarios/jobs"
)

// meeting is the place where the parts of a spread run in this worker wait for calls of other
// workers.
type meeting struct {
	mu    sync.Mutex
	rooms map[string]*room // guarded by mu: by token
}

// room holds the callers with one token.
type room struct {
	callers chan caller
	// joined is true once a part of this worker waits in the room; the meeting's mutex guards
	// it.
	joined bool
}

// caller is a worker that has called.
type caller struct {
	link    *remote.Link
	process int
}

// mostCallers is the greatest number of links that wait in a room. mostRooms is the greatest
// number of rooms that no part of this worker has entered yet. mostToken is the greatest
// length of a token in bytes.
const (
	mostCallers = 64
	mostRooms   = 16
	mostToken   = 1 << 10
)

// enter returns the room of a token for a part of this worker.
func (m *meeting) enter(token string) *room {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.room(token)
	r.joined = true
	return r
}

// room returns the room of a token; m.mu is held.
func (m *meeting) room(token string) *room {
	if m.rooms == nil {
		m.rooms = map[string]*room{}
	}
	if m.rooms[token] == nil {
		m.rooms[token] = &room{callers: make(chan caller, mostCallers)}
	}
	return m.rooms[token]
}

// come brings a caller into the room of its token, where a part waits for it or will within
// the time limit meet. Its link lives until one side ends it.
func (m *meeting) come(l *remote.Link, p *Peer) {
	token := string(p.Token)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rooms[token] == nil {
		if m.strange() == mostRooms || len(token) > mostToken {
			l.Close("too many have called of whom this worker knows nothing")
			return
		}
		r := m.room(token)
		time.AfterFunc(meet, func() { m.close(token, r) })
	}
	select {
	case m.rooms[token].callers <- caller{l, int(p.Process)}:
	default:
		l.Close("too many have called")
	}
}

// strange returns the number of rooms that no part of this worker has entered; m.mu is held.
func (m *meeting) strange() (count int) {
	for _, r := range m.rooms {
		if !r.joined {
			count++
		}
	}
	return count
}

// close ends a room that no part of this worker has entered.
func (m *meeting) close(token string, r *room) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rooms[token] == r && !r.joined {
		delete(m.rooms, token)
		r.empty()
	}
}

// leave ends the room of a token, and the links of callers that no part waited for.
func (m *meeting) leave(token string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.room(token)
	delete(m.rooms, token)
	r.empty()
}

// empty ends the links of the callers in a room.
func (r *room) empty() {
	for {
		select {
		case c := <-r.callers:
			c.link.Close("nobody waits any more")
		default:
			return
		}
	}
}

// part is the worker's part of a spread run.
type part struct {
	asked *Part
	saved []byte
	wires *wires
	ctx   context.Context
	end   context.CancelCauseFunc
}

// peerError is the error of a link to another worker.
type peerError struct {
	address string
	cause   error
}

func (e *peerError) Error() string { return fmt.Sprintf("worker %s: %v", e.address, e.cause) }

func (e *peerError) Unwrap() error { return e.cause }

// errDropped is the error of an attempt that the coordinator has ended.
var errDropped = errors.New("the coordinator has ended the attempt")

// prepare returns the part that the coordinator has requested, with the link to the
// coordinator.
func (b *bench) prepare(ctx context.Context, asked *Part, saved []byte) *part {
	p := &part{asked: asked, saved: saved}
	p.ctx, p.end = context.WithCancelCause(ctx)
	coordinator := len(asked.Addresses)
	p.wires = newWires(p.ctx, coordinator+1, func(process int, err error) {
		if process < coordinator {
			err = &peerError{string(asked.Addresses[process]), err}
		}
		p.end(err)
	})
	p.wires.connect(coordinator, func(packet []byte) error {
		return send(p.ctx, b.link, &ToCoordinator{Kind: &ToCoordinator_Wire{Wire: &Wire{Attempt: asked.Attempt, Packet: packet}}})
	})
	return p
}

// play runs a part, and tells the coordinator when it is over.
func (b *bench) play(ctx context.Context, p *part) {
	defer b.held.Add(-int64(len(p.saved)))
	err := b.spread(p)
	if err != nil && p.ctx.Err() != nil {
		err = context.Cause(p.ctx)
	}
	p.end(errDropped)
	p.wires.group.Wait()
	answer := &Ended{Attempt: p.asked.Attempt, Sent: p.wires.sent.Load()}
	if err != nil {
		answer.Reason = []byte(err.Error())
		var panicked *algorithm.Panic
		if errors.As(err, &panicked) {
			answer.Stack = panicked.Stack
		}
		var peer *peerError
		answer.Lost = errors.As(err, &peer)
		b.log.Warn().Err(err).Int64("job", p.asked.Index).Msg("a part of a run ended")
	}
	if err := send(ctx, b.link, &ToCoordinator{Kind: &ToCoordinator_Ended{Ended: answer}}); err != nil && ctx.Err() == nil {
		b.log.Warn().Err(err).Msg("the end of a part could not be told")
	}
}

// spread joins the other workers and runs the part.
func (b *bench) spread(p *part) error {
	end := b.shared.begin(jobs.SeedOf(b.scenario, int(p.asked.Index)))
	defer end()
	links, err := b.join(p)
	defer func() {
		for _, l := range links {
			l.Close(partOver)
		}
	}()
	if err != nil {
		return err
	}
	processes := len(p.asked.Addresses)
	place := &spread.Place{Process: int(p.asked.Process), Processes: processes, Wires: p.wires}
	return b.alone.Part(p.ctx, int(p.asked.Index), p.saved, int(p.asked.Every), int(p.asked.Shards), place)
}

// partOver is the reason that a worker gives when it closes its links to others.
const partOver = "the part is over"

// meet is the time limit for workers of an attempt to meet each other.
const meet = 30 * time.Second

// join opens links to the workers after this one, and waits for those before it.
func (b *bench) join(p *part) (links []*remote.Link, err error) {
	ctx, cancel := context.WithTimeoutCause(p.ctx, meet, fmt.Errorf("no answer for %v", meet))
	defer cancel()
	self, token := int(p.asked.Process), string(p.asked.Token)
	defer b.meeting.leave(token)
	for q := self + 1; q < len(p.asked.Addresses); q++ {
		address := string(p.asked.Addresses[q])
		l, err := b.node.Open(ctx, address)
		if err != nil {
			return links, &peerError{address, err}
		}
		links = append(links, l)
		if err := send(ctx, l, &ToWorker{Kind: &ToWorker_Peer{Peer: &Peer{Token: p.asked.Token, Process: p.asked.Process}}}); err != nil {
			return links, &peerError{address, err}
		}
		b.wire(p, q, l)
	}
	missing := map[int]bool{}
	for q := range self {
		missing[q] = true
	}
	for room := b.meeting.enter(token); len(missing) > 0; {
		select {
		case c := <-room.callers:
			links = append(links, c.link)
			if !missing[c.process] {
				return links, fmt.Errorf("process %d of the run has called twice, or should not have", c.process+1)
			}
			delete(missing, c.process)
			b.wire(p, c.process, c.link)
		case <-ctx.Done():
			for q := range self {
				if missing[q] {
					return links, &peerError{string(p.asked.Addresses[q]), fmt.Errorf("it has not called: %w", context.Cause(ctx))}
				}
			}
		}
	}
	return links, nil
}

// wire connects the wires to a process with a link.
func (b *bench) wire(p *part, process int, l *remote.Link) {
	p.wires.connect(process, func(packet []byte) error { return l.Send(p.ctx, packet) })
	p.wires.group.Go(func() {
		for {
			packet, err := l.Receive(p.ctx)
			var closed *remote.ClosedError
			if err != nil {
				// A worker that has ended its part tells the coordinator why.
				if over := errors.As(err, &closed) && closed.Reason == partOver; !over && p.ctx.Err() == nil {
					p.wires.fail(process, err)
				}
				return
			}
			p.wires.deliver(process, packet)
		}
	})
}

// pieces splits a state into messages below the largest size.
func pieces(state []byte) (list []*ToWorker) {
	for len(state) > 0 {
		size := min(len(state), mostPacket)
		list = append(list, &ToWorker{Kind: &ToWorker_Saved{Saved: &Saved{Bytes: state[:size:size]}}})
		state = state[size:]
	}
	return list
}
