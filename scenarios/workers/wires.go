package workers

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"starling/actors/spread"
)

// mostPacket is the size limit in bytes of the items in one message, unless one item is
// larger.
const mostPacket = 8 << 20

// wires join a process of a spread run with the others. It implements spread.Wires. Items that
// are sent while a message is on its way go together in the next message.
type wires struct {
	ctx  context.Context
	fail func(process int, err error) // called for a process that cannot be reached or understood
	ends []*wireEnd                   // by process
	sent atomic.Int64                 // bytes
	// listening is closed once take is set.
	listening chan struct{}
	take      func(from int, item *spread.Item)
	group     sync.WaitGroup
}

// wireEnd holds the items for one process, and the packets from it.
type wireEnd struct {
	transmit func(packet []byte) error // fixed before the first item is sent

	mu  sync.Mutex
	out []*spread.Item // guarded by mu
	in  [][]byte       // guarded by mu: packets
	// outgoing has an item when out has one, and incoming when in has one.
	outgoing, incoming chan struct{}
}

// newWires returns the wires of a process, with an end for each of so many processes. They
// carry nothing before they are connected.
func newWires(ctx context.Context, processes int, fail func(process int, err error)) *wires {
	w := &wires{ctx: ctx, fail: fail, listening: make(chan struct{})}
	for range processes {
		w.ends = append(w.ends, &wireEnd{outgoing: make(chan struct{}, 1), incoming: make(chan struct{}, 1)})
	}
	return w
}

// connect begins to send a process its items, and to take its packets.
func (w *wires) connect(process int, transmit func(packet []byte) error) {
	e := w.ends[process]
	e.transmit = transmit
	w.group.Go(func() { w.pump(process, e) })
	w.group.Go(func() { w.drink(process, e) })
}

// Listen implements spread.Wires.
func (w *wires) Listen(take func(from int, item *spread.Item)) {
	w.take = take
	close(w.listening)
}

// Send implements spread.Wires.
func (w *wires) Send(to int, item *spread.Item) {
	e := w.ends[to]
	e.mu.Lock()
	e.out = append(e.out, item)
	e.mu.Unlock()
	signal(e.outgoing)
}

// deliver hands over a packet that has come from a process.
func (w *wires) deliver(from int, packet []byte) {
	e := w.ends[from]
	e.mu.Lock()
	e.in = append(e.in, packet)
	e.mu.Unlock()
	signal(e.incoming)
}

// signal leaves an item in a channel that holds one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// pump sends a process the items that wait for it.
func (w *wires) pump(process int, e *wireEnd) {
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-e.outgoing:
		}
		e.mu.Lock()
		items := e.out
		e.out = nil
		e.mu.Unlock()
		for len(items) > 0 && w.ctx.Err() == nil {
			count, size := 0, 0
			for count < len(items) && (count == 0 || size < mostPacket) {
				size += proto.Size(items[count])
				count++
			}
			text, err := proto.Marshal(&spread.Packet{Items: items[:count]})
			if err == nil {
				w.sent.Add(int64(len(text)))
				err = e.transmit(text)
			}
			if err != nil {
				w.fail(process, err)
				return
			}
			items = items[count:]
		}
	}
}

// drink takes the packets that have arrived from a process.
func (w *wires) drink(process int, e *wireEnd) {
	select {
	case <-w.ctx.Done():
		return
	case <-w.listening:
	}
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-e.incoming:
		}
		e.mu.Lock()
		list := e.in
		e.in = nil
		e.mu.Unlock()
		for _, text := range list {
			var packet spread.Packet
			if err := proto.Unmarshal(text, &packet); err != nil {
				w.fail(process, fmt.Errorf("what it has sent cannot be read: %w", err))
				return
			}
			for _, item := range packet.Items {
				w.take(process, item)
			}
		}
	}
}
