package remote

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// mostPart is the largest number of bytes of a message in a frame.
	mostPart = 256 << 10
	// window is how many parts may be on their way before the first is acknowledged. A part is
	// acknowledged with the next frame to the peer, or when mostUntold parts were taken, or by
	// the next tick: a frame for each would cost as much as a small part does.
	window, mostUntold = 16, 4
	// firstWait is the time after which a part that is not acknowledged is sent again. Each
	// further try doubles it, up to longestWait. After a connection has ended parts are sent
	// again soon.
	firstWait, longestWait, soon = 5 * time.Second, 20 * time.Second, 200 * time.Millisecond
	// mostWaiting is how many messages wait for Receive, before parts are dropped.
	mostWaiting = 256
	// tick is how often a link checks the time, and farewell how long it waits, when it is
	// closed, for each of the messages on their way and the peer's answer.
	tick, farewell = 100 * time.Millisecond, time.Second
)

// Link carries messages between two nodes, each once and in order. It is safe for
// concurrent use.
type Link struct {
	node *Node
	name string
	// peer is the address of the node at the other end.
	peer string
	// opening means that this side has opened it.
	opening  bool
	answered chan struct{} // closed when the peer is heard first
	done     chan struct{} // closed when the link is over
	arrived  chan struct{} // has an item when a message has arrived
	room     chan struct{} // has an item when parts were acknowledged
	sending  sync.Mutex    // held while a message is sent

	mu        sync.Mutex
	err       error         // guarded by mu: why the link is over
	doubted   time.Time     // guarded by mu: when it became likely that the peer cannot answer
	doubts    error         // guarded by mu: and why
	sent      []part        // guarded by mu: parts that are not acknowledged
	acked     uint64        // guarded by mu: the number of the part before them
	heard     uint64        // guarded by mu: the number of the last part that was taken
	told      uint64        // guarded by mu: the number of the last part that was acknowledged to the peer
	partial   [][]byte      // guarded by mu: the parts of the message that is coming in
	size      int           // guarded by mu: their bytes together
	inbox     [][]byte      // guarded by mu: messages that have not been received
	lastHeard time.Time     // guarded by mu
	lastPing  time.Time     // guarded by mu
	again     time.Time     // guarded by mu: when parts are sent again
	wait      time.Duration // guarded by mu: the time from then to the next try
}

// part is a piece of a message, which is not changed any more.
type part struct {
	bytes []byte
	last  bool
}

func newLink(n *Node, name, peer string) *Link {
	return &Link{
		node: n, name: name, peer: peer, lastHeard: time.Now(), wait: firstWait,
		answered: make(chan struct{}), done: make(chan struct{}), arrived: make(chan struct{}, 1), room: make(chan struct{}, 1),
	}
}

// Peer is the address of the node at the other end.
func (l *Link) Peer() string { return l.peer }

// Done is closed when the link is over; Err is the reason.
func (l *Link) Done() <-chan struct{} { return l.done }

// Err is the reason why the link is over, with the peer's address; nil while it is not.
func (l *Link) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Send sends a message, which must not be changed afterwards. It returns when the last part is
// on its way, and waits where the peer takes parts more slowly than they come. Only an answer
// of the peer shows that it has arrived. If the context of a message ends on the way, the link
// ends.
func (l *Link) Send(ctx context.Context, message []byte) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for last := false; !last; {
		size := min(len(message), mostPart)
		last = size == len(message)
		if err := l.push(ctx, part{message[:size], last}); err != nil {
			return err
		}
		message = message[size:]
	}
	return nil
}

// push sends a part as soon as there is room in the window.
func (l *Link) push(ctx context.Context, p part) error {
	for {
		l.mu.Lock()
		if l.err != nil {
			defer l.mu.Unlock()
			return l.err
		}
		if len(l.sent) < window {
			if len(l.sent) == 0 {
				l.again, l.wait = time.Now().Add(firstWait), firstWait
			}
			l.sent = append(l.sent, p)
			l.transmit(len(l.sent) - 1)
			l.mu.Unlock()
			return nil
		}
		l.mu.Unlock()
		select {
		case <-l.room:
		case <-l.done:
		case <-ctx.Done():
			l.fail(fmt.Errorf("a message was given up: %w", context.Cause(ctx)))
		}
	}
}

// Receive returns the next message. One goroutine receives at a time. Messages that arrived
// before the link was over are returned before the error.
func (l *Link) Receive(ctx context.Context) ([]byte, error) {
	for {
		l.mu.Lock()
		if len(l.inbox) > 0 {
			message := l.inbox[0]
			l.inbox[0], l.inbox = nil, l.inbox[1:]
			l.mu.Unlock()
			return message, nil
		}
		err := l.err
		l.mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-l.arrived:
		case <-l.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// transmit sends the i-th part that is not acknowledged; l.mu is held. The number of the last
// part heard goes with it.
func (l *Link) transmit(i int) {
	f := l.frame()
	f.Number, f.Part, f.Last = l.acked+1+uint64(i), l.sent[i].bytes, l.sent[i].last
	l.node.send(l.peer, f)
}

// frame returns a frame without a part; l.mu is held.
func (l *Link) frame() *Frame {
	f := &Frame{Link: []byte(l.name), Reply: l.node.address, Heard: l.heard}
	l.told = l.heard
	select {
	case <-l.answered:
	default:
		f.Open = l.opening
	}
	return f
}

// ping sends a frame with the number of the last part heard.
func (l *Link) ping() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.lastPing = time.Now()
		l.node.send(l.peer, l.frame())
	}
}

// take takes a frame of the peer.
func (l *Link) take(f *Frame) {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return
	}
	l.lastHeard = time.Now()
	select {
	case <-l.answered:
	default:
		close(l.answered)
	}
	if f.Heard > l.acked && f.Heard-l.acked <= uint64(len(l.sent)) {
		count := int(f.Heard - l.acked)
		clear(l.sent[:count])
		l.sent, l.acked = l.sent[count:], f.Heard
		l.again, l.wait = time.Now().Add(firstWait), firstWait
		signal(l.room)
	}
	large, answers := false, f.Open || f.Number > 0
	if f.Number == l.heard+1 && len(l.inbox) < mostWaiting {
		l.heard++
		large = l.append(f)
		answers = f.Open || l.heard-l.told >= mostUntold
	}
	l.mu.Unlock()
	switch {
	case f.Closed:
		l.fail(&ClosedError{Reason: string(f.Reason)})
		l.farewell("")
	case large:
		l.farewell("a message was too large")
		l.fail(fmt.Errorf("it sent a message of more than %d bytes", l.node.options.Largest))
	case answers:
		l.ping()
	}
}

// append takes the next part and reports whether the message is too large; l.mu is held.
func (l *Link) append(f *Frame) (large bool) {
	if l.size += len(f.Part); l.size > l.node.options.Largest {
		return true
	}
	if len(f.Part) > 0 { // a message of empty parts only takes no memory
		l.partial = append(l.partial, f.Part)
	}
	if !f.Last {
		return false
	}
	var message []byte
	if len(l.partial) == 1 {
		message = l.partial[0]
	} else {
		message = slices.Concat(l.partial...)
	}
	l.inbox, l.partial, l.size = append(l.inbox, message), nil, 0
	signal(l.arrived)
	return false
}

// signal leaves an item in a channel that holds one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// broken has parts on their way sent again, because the connection has ended.
func (l *Link) broken() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.again, l.wait = time.Now().Add(soon), firstWait
}

// doubt notes why it is likely that the peer cannot answer.
func (l *Link) doubt(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doubts == nil {
		l.doubted, l.doubts = time.Now(), why
	}
}

// hopeless returns the reason why the link will not be answered, as far as is known; nil where
// it may be, or is; l.mu is held.
func (l *Link) hopeless(now time.Time) error {
	select {
	case <-l.answered:
		return nil
	default:
	}
	if l.doubts != nil && now.Sub(l.doubted) > grace {
		return l.doubts
	}
	return nil
}

// watch sends parts again that are not acknowledged, pings the peer, and fails the link when
// the peer is silent.
func (l *Link) watch() {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	silence := l.node.options.Silence
	before := time.Now()
	for {
		select {
		case <-l.done:
			return
		case <-ticker.C:
		}
		now := time.Now()
		l.mu.Lock()
		if now.Sub(before) > silence/2 {
			l.lastHeard = now // this process stood still
		}
		before = now
		silent, hopeless := now.Sub(l.lastHeard) > silence, l.hopeless(now)
		if len(l.sent) > 0 && now.After(l.again) {
			for i := range l.sent {
				l.transmit(i)
			}
			l.again, l.wait = now.Add(l.wait), min(2*l.wait, longestWait)
		}
		quiet := l.heard > l.told || now.Sub(l.lastPing) > min(time.Second, silence/6)
		l.mu.Unlock()
		if hopeless != nil {
			l.fail(hopeless)
		} else if silent {
			l.farewell("nothing was heard of you")
			l.fail(&SilenceError{Time: silence, Cause: l.node.cause(l.peer)})
		} else if quiet {
			l.ping()
		}
	}
}

// Close ends the link and tells the peer why, once it has all messages on their way; it waits
// a little for that. To close a link that is over does nothing.
func (l *Link) Close(reason string) {
	if l.Err() != nil {
		return
	}
	l.ask()
	limit := time.NewTimer(farewell)
	defer limit.Stop()
	for waiting := true; waiting; {
		l.mu.Lock()
		waiting = len(l.sent) > 0 && l.err == nil
		l.mu.Unlock()
		if waiting {
			select {
			case <-l.room:
			case <-l.done:
			case <-limit.C:
				waiting = false
			}
		}
	}
	l.farewell(reason)
	select {
	case <-l.done:
	case <-time.After(farewell):
	}
	l.fail(&ClosedError{Here: true, Reason: reason})
}

// ask has the peer acknowledge at once the parts that it has heard, if any are on their way: a
// part that is not the next is always answered.
func (l *Link) ask() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.sent) > 0 && l.err == nil {
		f := l.frame()
		f.Number = l.acked + uint64(len(l.sent)) + 2
		l.node.send(l.peer, f)
	}
}

// Abandon ends the link at once, without a frame to the peer. The caller knows that the peer
// is gone.
func (l *Link) Abandon(why error) { l.fail(why) }

// farewell tells the peer that the link is over.
func (l *Link) farewell(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.frame()
	f.Open, f.Closed, f.Reason = false, true, []byte(reason)
	l.node.send(l.peer, f)
}

// fail ends the link.
func (l *Link) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.err = fmt.Errorf("%s: %w", l.peer, err)
	l.sent, l.partial = nil, nil
	close(l.done)
	l.node.forget(l)
}

// ClosedError is the error of a link that one side has closed.
type ClosedError struct {
	// Here is true if this side has.
	Here   bool
	Reason string
}

// Error implements error.
func (e *ClosedError) Error() string {
	if e.Here {
		return "the link was closed: " + e.Reason
	}
	return "the link was closed there: " + e.Reason
}

// SilenceError is the error of a link if its peer was not heard.
type SilenceError struct {
	Time time.Duration
	// Cause is the reason why it could not be called; nil where it could.
	Cause error
}

// Error implements error.
func (e *SilenceError) Error() string {
	text := fmt.Sprintf("nothing was heard for %v", e.Time)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *SilenceError) Unwrap() error { return e.Cause }
